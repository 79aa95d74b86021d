"""Who cites whom, as Semantic Scholar knows it: up to 500 papers a request."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sciread_app.domain.citations import NAMES, Answer, Mention, Names
from sciread_app.domain.identifiers import identifiers
from sciread_app.domain.paper import Identifier
from sciread_app.errors import Busy
from sciread_app.language import tr, trn
from sciread_app.sources import answers
from sciread_app.sources.http import MIB, Client
from sciread_app.sources.trouble import Refused
from sciread_app.tasks import Task

KEY = "semantic_scholar"
TITLE = "Semantic Scholar"

BATCH = 500
_LONGEST_REPLY = 16 * MIB  # it sends no more than 10
# So many citations fit into one reply. What is beyond is left out without a word, so that the last
# papers of a batch seem to have none; hence all are counted first, and asked in batches that fit.
MOST = 9_999
_COUNTS = "referenceCount,citationCount"
_REFERENCES = f"externalIds,{_COUNTS},references.externalIds"
_ALL = f"{_REFERENCES},citations.externalIds"
_CALLED = "title,authors.name,venue,year"
_MOST_AUTHORS = 3
_LONGEST_SHOWN = 500
_PREFIXES = {"doi": "DOI:", "arxiv": "ARXIV:", "pmid": "PMID:", "pmcid": "PMCID:"}
_THEIR_NAMES = {"doi": "DOI", "arxiv": "ArXiv", "pmid": "PubMed", "pmcid": "PubMedCentral"}
_LONGEST_NAME = 500
# It answers so if it knows none of a batch, but one name that it cannot read may do the same to
# all the others. A batch as small as this is believed.
_NONE_KNOWN = "No valid paper ids"
_BELIEVED = 25
_NO_PAPER = tr("{source} answers with something that is no paper.", source=TITLE)

# What a reply says of a paper: an object, None if it is unknown, a sentence if there is no answer.
Row = dict[str, Any] | None | str


def ask(names: Sequence[Identifier], client: Client, task: Task) -> Iterator[list[Answer]]:
    """What is known of the papers with these names: a list for each reply, every name once.

    Asks for the next reply only when it is wanted. Raises SourceError, or Busy, if Semantic Scholar
    does not answer; what it refuses for one paper alone is a problem in this paper's Answer.
    """
    unique = list(dict.fromkeys(name for name in names if name.kind in _PREFIXES))
    for at in range(0, len(unique), BATCH):
        sizes: list[tuple[Identifier, int]] = []
        silent = []
        for name, row in _replies(unique[at : at + BATCH], _COUNTS, client, task):
            if isinstance(row, dict):
                sizes.append((name, _count(row, "citationCount") + _count(row, "referenceCount")))
            else:
                silent.append(_answer(name, row))
        if silent:
            yield silent
        for batch, too_big in _batches(sizes):
            yield [_answer(name, row) for name, row in _told(batch, too_big, client, task)]


def describe(names: Sequence[Identifier], client: Client, task: Task) -> Iterator[list[Mention]]:
    """What these papers are called: a list for each reply. Those it does not know are left out."""
    unique = list(dict.fromkeys(name for name in names if name.kind in _PREFIXES))
    for at in range(0, len(unique), BATCH):
        replies = _replies(unique[at : at + BATCH], _CALLED, client, task)
        yield [_mention(name, row) for name, row in replies if isinstance(row, dict)]
        task.step(min(at + BATCH, len(unique)), len(unique))


def _mention(name: Identifier, row: Mapping[str, Any]) -> Mention:
    people = [_shown(one.get("name")) for one in _listed(row, "authors") if isinstance(one, dict)]
    authors = ", ".join(filter(None, people[:_MOST_AUTHORS]))
    if len(people) > _MOST_AUTHORS:
        authors += f" and {len(people) - _MOST_AUTHORS} more"
    year = str(_count(row, "year") or "")
    return Mention(name, _shown(row.get("title")), authors, _shown(row.get("venue")), year)


def _shown(value: Any) -> str:
    return " ".join(value.split())[:_LONGEST_SHOWN] if isinstance(value, str) else ""


def _batches(sizes: Sequence[tuple[Identifier, int]]) -> Iterator[tuple[list[Identifier], bool]]:
    """Papers whose citations fit into one reply. True: those of this one do not, even alone."""
    batch: list[Identifier] = []
    room = MOST
    for name, size in sizes:
        if size > MOST:
            yield [name], True
            continue
        if size > room:
            yield batch, False
            batch, room = [], MOST
        batch.append(name)
        room -= size
    if batch:
        yield batch, False


def _told(
    batch: Sequence[Identifier], too_big: bool, client: Client, task: Task
) -> list[tuple[Identifier, Row]]:
    try:
        return list(_replies(batch, _ALL, client, task, known=True))
    except Busy:
        # It gives up on its most cited papers; what they cite it can tell.
        if not too_big:
            raise
        return list(_replies(batch, _REFERENCES, client, task, known=True))


def _replies(
    names: Sequence[Identifier], fields: str, client: Client, task: Task, *, known: bool = False
) -> Iterator[tuple[Identifier, Row]]:
    """What is said of each of these papers. A batch that is refused is halved, and halved again:
    the reply may be too long, or a name be one that Semantic Scholar cannot read. With `known`, a
    reply that knows none of the papers contradicts an earlier one, and is asked for again."""
    batches = deque([names])
    while batches:
        batch = batches.popleft()
        try:
            yield from zip(batch, _rows(batch, fields, client, task, known=known), strict=True)
        except Refused as error:
            if error.status != 400:
                raise
            none_known = _NONE_KNOWN in error.message
            if len(batch) == 1 or (none_known and len(batch) <= _BELIEVED):
                yield from ((name, None if none_known else error.message) for name in batch)
            else:
                middle = len(batch) // 2
                batches.extendleft((batch[middle:], batch[:middle]))


def _rows(
    batch: Sequence[Identifier], fields: str, client: Client, task: Task, *, known: bool
) -> list[Row]:
    def parse(body: bytes) -> tuple[list[Row], str]:
        """The rows, or why there are none."""
        try:
            rows = json.loads(body)
        except (ValueError, RecursionError):
            return [], tr("its answer is no JSON")
        if not isinstance(rows, list):
            return [], tr("its answer is no list of papers")
        if len(rows) != len(batch):
            return [], trn(
                "it was asked for {n} paper and tells of {told}",
                "it was asked for {n} papers and tells of {told}",
                len(batch),
                told=len(rows),
            )
        if known and all(row is None for row in rows):
            return [], tr("it knew these papers a moment ago, and now knows none of them")
        return [row if isinstance(row, dict | None) else _NO_PAPER for row in rows], ""

    reply = answers.Answer(parse, lambda parsed: parsed[1])
    body = client.ask(
        KEY,
        "paper/batch",
        params=[("fields", fields)],
        json={"ids": [_PREFIXES[kind] + value.removeprefix("PMC") for kind, value in batch]},
        accept=("json",),
        most=_LONGEST_REPLY,
        task=task,
        check=reply.check,
    )
    return reply.read(body)[0]


def _answer(name: Identifier, row: Row) -> Answer:
    if row is None:
        return Answer(name, known=False)
    if isinstance(row, str):
        return Answer(name, problem=row)
    references, citations = _listed(row, "references"), _listed(row, "citations")
    cites, cited_by = list(map(_names, references)), list(map(_names, citations))
    own = {name, *_names(row)}
    count = _count(row, "citationCount")
    return Answer(
        name,
        cites=_others(cites, own),
        cited_by=_others(cited_by, own),
        nameless=cites.count(()) + cited_by.count(()),
        withheld=not references and _count(row, "referenceCount") > 0,
        remark=_cut_off(len(citations), count) if len(citations) < count > MOST else "",
    )


def _cut_off(given: int, count: int) -> str:
    return trn(
        "{source} names only {given:,} of the {n:,} paper that cites this one.",
        "{source} names only {given:,} of the {n:,} papers that cite this one.",
        count,
        source=TITLE,
        given=given,
    )


def _others(papers: Iterable[Names], own: set[Identifier]) -> list[Names]:
    """Each of these papers once, of those that have a name and are not the paper itself."""
    return [names for names in dict.fromkeys(papers) if names and own.isdisjoint(names)]


def _names(paper: Any) -> Names:
    """In the order of NAMES."""
    ids = paper.get("externalIds") if isinstance(paper, dict) else None
    if not isinstance(ids, dict):
        return ()
    return identifiers(*((kind, _text(ids.get(_THEIR_NAMES[kind]))) for kind in NAMES))


def _text(value: Any) -> str:
    """A name as text, empty if it cannot be one."""
    name = str(value) if isinstance(value, str | int) else ""
    return name if len(name) <= _LONGEST_NAME and name.isprintable() else ""


def _listed(row: Mapping[str, Any], key: str) -> list[Any]:
    """A list of the row's; empty if it has none, which it says in more than one way."""
    value = row.get(key)
    return value if isinstance(value, list) else []


def _count(row: Mapping[str, Any], key: str) -> int:
    value = row.get(key)
    return value if isinstance(value, int) and value > 0 else 0

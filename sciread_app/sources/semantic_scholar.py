"""Citations from Semantic Scholar: up to 500 papers per request."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sciread_app.domain.citations import NAMES, CitationResponse, Mention, Names
from sciread_app.domain.metadata.identifiers import identifiers
from sciread_app.domain.paper import Identifier
from sciread_app.errors import Busy
from sciread_app.language import tr, trn
from sciread_app.sources.http.client import MIB, Client
from sciread_app.sources.http.errors import RequestRejected
from sciread_app.tasks import Task

KEY = "semantic_scholar"
TITLE = "Semantic Scholar"

BATCH = 500
_LONGEST_REPLY = 16 * MIB  # its limit is 10
# The maximum number of citations in one response. Any beyond are left out without notice, so that
# the last papers of a batch seem to have none; hence all are counted first, and requested in
# batches that fit.
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
# The response if it knows none of a batch; but one id that it cannot parse may have the same effect
# on all others. For a batch as small as this it is accepted.
_NONE_KNOWN = "No valid paper ids"
_BELIEVED = 25
_NO_PAPER = tr("{source} sent an invalid record for this paper.", source=TITLE)

# A paper in a response: an object, None if it is unknown, an error message if it failed.
Row = dict[str, Any] | None | str


def ask(
    names: Sequence[Identifier], client: Client, task: Task
) -> Iterator[list[CitationResponse]]:
    """The citations of the papers with these identifiers: a list per response, each paper once.

    The next request is sent on demand. Raises SourceError, or Busy, if Semantic Scholar does
    not answer; a refusal of one paper is a problem in its CitationResponse.
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
            yield [_answer(name, row) for name, row in _respond(batch, too_big, client, task)]


def describe(names: Sequence[Identifier], client: Client, task: Task) -> Iterator[list[Mention]]:
    """The bibliographic data of these papers: a list per response. Unknown papers are left out."""
    unique = list(dict.fromkeys(name for name in names if name.kind in _PREFIXES))
    for at in range(0, len(unique), BATCH):
        replies = _replies(unique[at : at + BATCH], _CALLED, client, task)
        yield [_mention(name, row) for name, row in replies if isinstance(row, dict)]
        task.step(min(at + BATCH, len(unique)), len(unique))


def identifiers_of(sha: str, client: Client, task: Task) -> tuple[Identifier, ...]:
    """The identifiers of the paper whose page at Semantic Scholar has this name, of 40 hexadecimal
    digits; none if it is unknown. Raises SourceError."""
    complaint = tr("it is not a valid record")

    def parse(body: bytes) -> Any:
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            return None

    try:
        row = client.ask(
            KEY,
            f"paper/{sha}",
            params=(("fields", "externalIds"),),
            accept=("json",),
            most=MIB,
            task=task,
            parse=parse,
            check=lambda row: "" if isinstance(row, dict) else complaint,
        )
    except RequestRejected as error:
        if error.status != 404:
            raise
        return ()
    given = row.get("externalIds")
    given = given if isinstance(given, dict) else {}
    return identifiers(*((kind, str(given.get(name) or "")) for kind, name in _THEIR_NAMES.items()))


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
    """Batches of papers whose citations fit into one response. True: a paper that does not fit even
    alone."""
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


def _respond(
    batch: Sequence[Identifier], too_big: bool, client: Client, task: Task
) -> list[tuple[Identifier, Row]]:
    try:
        return list(_replies(batch, _ALL, client, task, known=True))
    except Busy:
        # It fails on its most cited papers; their references are available.
        if not too_big:
            raise
        return list(_replies(batch, _REFERENCES, client, task, known=True))


def _replies(
    names: Sequence[Identifier], fields: str, client: Client, task: Task, *, known: bool = False
) -> Iterator[tuple[Identifier, Row]]:
    """The rows of each of these papers. A refused batch is halved recursively: the response may be
    too long, or an identifier be one that Semantic Scholar cannot parse. With `known`, a response
    that knows none of the papers contradicts an earlier one, and the request is repeated."""
    batches = deque([names])
    while batches:
        batch = batches.popleft()
        try:
            yield from zip(batch, _rows(batch, fields, client, task, known=known), strict=True)
        except RequestRejected as error:
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
        """The rows, or the reason why there are none."""
        try:
            rows = json.loads(body)
        except (ValueError, RecursionError):
            return [], tr("it is not valid JSON")
        if not isinstance(rows, list):
            return [], tr("it is not a list of papers")
        if len(rows) != len(batch):
            return [], trn(
                "it contains {told} records, but {n} was requested",
                "it contains {told} records, but {n} were requested",
                len(batch),
                told=len(rows),
            )
        if known and all(row is None for row in rows):
            return [], tr("it contains none of these papers, unlike an earlier response")
        if _is_of_others(batch, rows):
            return [], tr("it contains other papers than requested")
        return [row if isinstance(row, dict | None) else _NO_PAPER for row in rows], ""

    parsed: tuple[list[Row], str] = client.ask(
        KEY,
        "paper/batch",
        params=[("fields", fields)],
        json={"ids": [_PREFIXES[kind] + value.removeprefix("PMC") for kind, value in batch]},
        accept=("json",),
        most=_LONGEST_REPLY,
        task=task,
        parse=parse,
        check=lambda parsed: parsed[1],
    )
    return parsed[0]


def _is_of_others(batch: Sequence[Identifier], rows: Sequence[Any]) -> bool:
    """Whether every comparable row names another paper, as in the response to an earlier request. A
    single one may well do so: a preprint is found by its DOI, and has that of the article."""
    own = [
        [other.value for other in _names(row) if other.kind == name.kind]
        for name, row in zip(batch, rows, strict=True)
    ]
    compared = [name.value in values for name, values in zip(batch, own, strict=True) if values]
    return len(compared) > 1 and not any(compared)


def _answer(name: Identifier, row: Row) -> CitationResponse:
    if row is None:
        return CitationResponse(name, known=False)
    if isinstance(row, str):
        return CitationResponse(name, problem=row)
    references, citations = _listed(row, "references"), _listed(row, "citations")
    cites, cited_by = list(map(_names, references)), list(map(_names, citations))
    own = {name, *_names(row)}
    count = _count(row, "citationCount")
    return CitationResponse(
        name,
        cites=_others(cites, own),
        cited_by=_others(cited_by, own),
        nameless=cites.count(()) + cited_by.count(()),
        withheld=not references and _count(row, "referenceCount") > 0,
        remark=_cut_off(len(citations), count) if len(citations) < count > MOST else "",
    )


def _cut_off(given: int, count: int) -> str:
    return trn(
        "{source} lists only {given:,} of the {n:,} paper that cites this paper.",
        "{source} lists only {given:,} of the {n:,} papers that cite this paper.",
        count,
        source=TITLE,
        given=given,
    )


def _others(papers: Iterable[Names], own: set[Identifier]) -> list[Names]:
    """Each of these papers once, except the paper itself and those without identifiers."""
    return [names for names in dict.fromkeys(papers) if names and own.isdisjoint(names)]


def _names(paper: Any) -> Names:
    """The identifiers in the order of NAMES."""
    ids = paper.get("externalIds") if isinstance(paper, dict) else None
    if not isinstance(ids, dict):
        return ()
    return identifiers(*((kind, _text(ids.get(_THEIR_NAMES[kind]))) for kind in NAMES))


def _text(value: Any) -> str:
    """An identifier as text, empty if it is invalid."""
    name = str(value) if isinstance(value, str | int) else ""
    return name if len(name) <= _LONGEST_NAME and name.isprintable() else ""


def _listed(row: Mapping[str, Any], key: str) -> list[Any]:
    """A list of the row's; empty if it is missing, which is expressed in several ways."""
    value = row.get(key)
    return value if isinstance(value, list) else []


def _count(row: Mapping[str, Any], key: str) -> int:
    value = row.get(key)
    return value if isinstance(value, int) and value > 0 else 0

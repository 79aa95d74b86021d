"""Taking records in: each becomes a new paper, or part of one that is already there."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

from sqlalchemy import Connection, select, update

from sciread_app.domain import identity, news, record_linkage
from sciread_app.domain.identity import Verdict
from sciread_app.domain.judgements import Judgement
from sciread_app.domain.news import News, What
from sciread_app.domain.paper import Identifier, Paper, PaperId
from sciread_app.storage import fulltext, merges, records, schema, works
from sciread_app.storage.merges import Note, State


class Stored(NamedTuple):
    """What became of a batch: `ids` in its order; added + merged make up the batch."""

    ids: list[PaperId]
    added: int
    merged: int
    news: list[News]


@dataclass(eq=False, slots=True)
class _Entry:
    """A paper of the library, or one that is about to join it."""

    paper: Paper
    id: int | None = None
    edited: frozenset[str] = frozenset()
    trashed: bool = False
    before: Paper | None = None  # as the library has it, once it differs
    # What it was before each record that has become part of it, the record, and why.
    merged: list[tuple[Paper, Paper, int, str]] = field(default_factory=list)
    relations: list[tuple[_Entry, Judgement]] = field(default_factory=list)


_Judged = tuple[_Entry, Judgement]
_UNREAD = Paper(title="")
# So many titles that begin alike ("A randomized controlled trial of ...") are not compared by that:
# each would be with each. Those that also end alike still are.
_CROWDED = 50
_YEARS = (-1, 0, 1)  # an article may be dated by the year before it was in print


class _Pool:
    """The papers that a batch may meet, found by what they share with a record."""

    def __init__(self) -> None:
        self._by_clue: dict[object, list[_Entry]] = defaultdict(list)

    def add(self, entry: _Entry, clues: Iterable[object] = ()) -> None:
        """`clues`, if they are known, spare looking for them."""
        for clue in clues or _clues(entry.paper):
            if entry not in self._by_clue[clue]:
                self._by_clue[clue].append(entry)

    def with_one_of(self, clues: Iterable[object]) -> Iterable[_Entry]:
        known = self._by_clue
        found = [known[clue] for clue in clues if clue in known]
        telling = [entries for entries in found if len(entries) <= _CROWDED]
        return dict.fromkeys(chain.from_iterable(telling))


def take_in(
    db: Connection, batch: Sequence[Paper], now: float, number: int | None = None
) -> Stored:
    """Store a batch of records; see record_linkage.judge for what is merged with what.

    A record that was read before, word for word, changes nothing, but takes its paper out of the
    trash: whoever imports it again wants to see it. `number` is that of the import.
    """
    prints = [identity.fingerprint(paper) for paper in batch]
    pool, known = _meet(db, batch, prints)
    entries, fresh = [], []
    for paper, print in zip(batch, prints, strict=True):
        entry = known.get(print)
        if entry is None:
            entry = _place(paper, print, pool)
            known[print] = entry
            fresh.append((print, entry))
        entries.append(entry)
    met = list(dict.fromkeys(entries))
    added = _write(db, met, now)
    origins = [(print, entry.id, "") for print, entry in fresh]
    records.insert(db, "origins", ("fingerprint", "paper", "record"), origins)
    _remember(db, met, now, number)
    ids = [PaperId(entry.id) for entry in entries if entry.id is not None]
    return Stored(ids, len(added), len(batch) - len(added), list(_news(met, added)))


def _clues(paper: Paper) -> Iterable[object]:
    """What two records must share one of before they are compared."""
    yield from _names(paper)
    if paper.source_id and paper.source not in identity.FILES:
        yield (paper.source, paper.source_id, "")
    if paper.title:
        head, tail = identity.block_keys(paper.title)
        yield from (head, -tail - 1, (head, tail))  # the tails apart from the heads
    if key := identity.author_key(paper):
        yield ("author", key)


def _authors_around(paper: Paper) -> Iterator[object]:
    """The clues of papers by the same first author in the years before and after."""
    for later in _YEARS:
        if later and (key := identity.author_key(paper, later)):
            yield ("author", key)


def _names(paper: Paper) -> list[Identifier]:
    """Its own names, and those of papers that it says are versions of it."""
    own = [name for name in paper.identifiers if name.kind in identity.NAMING]
    return own + [Identifier("pmid", pmid) for pmid in identity.linked(paper)]


def _meet(
    db: Connection, batch: Sequence[Paper], prints: Sequence[int]
) -> tuple[_Pool, dict[int, _Entry]]:
    """The stored papers that the batch may be part of, and those known by fingerprint."""
    origins = schema.origins
    by_print = dict(
        db.execute(
            select(origins.c.fingerprint, origins.c.paper).where(
                origins.c.fingerprint.in_(records.among(prints))
            )
        ).all()
    )
    unknown = [p for p, print in zip(batch, prints, strict=True) if print not in by_print]
    ids = _candidates(db, unknown) | _in_trash(db, by_print.values())
    papers = schema.papers.c
    states = select(papers.id, papers.edited).where(papers.id.in_(records.among(ids)))
    edited = {id: frozenset[str](json.loads(names)) for id, names in db.execute(states)}
    trashed = _in_trash(db, ids)
    pool, by_id = _Pool(), {}
    for id, paper in records.read(db, ids).items():
        by_id[id] = _Entry(paper, id, edited[id], trashed=id in trashed)
        pool.add(by_id[id])
    for id in set(by_print.values()) - set(by_id):
        by_id[id] = _Entry(_UNREAD, id)  # nothing will be asked of it
    return pool, {print: by_id[id] for print, id in by_print.items()}


def _in_trash(db: Connection, ids: Iterable[int]) -> set[int]:
    papers = schema.papers.c
    found = select(papers.id).where(papers.trashed.isnot(None), papers.id.in_(records.among(ids)))
    return set(db.scalars(found))


def _candidates(db: Connection, batch: Sequence[Paper]) -> set[int]:
    papers, identifiers = schema.papers.c, schema.identifiers.c
    found = _with_like_titles(db, [paper.title for paper in batch if paper.title])
    found |= _with_authors(db, batch)
    named = chain.from_iterable(_names(paper) for paper in batch)
    for kind, values in _grouped(named).items():
        same = select(identifiers.paper).where(identifiers.kind == kind)
        found.update(db.scalars(same.where(identifiers.value.in_(records.among_texts(values)))))
    own = ((p.source, p.source_id) for p in batch if p.source_id and p.source not in identity.FILES)
    for source, names in _grouped(own).items():
        same = select(papers.id).where(papers.source == source)
        found.update(db.scalars(same.where(papers.source_id.in_(records.among_texts(names)))))
    return found


def _with_like_titles(db: Connection, titles: Iterable[str]) -> set[int]:
    """Papers whose title begins or ends like one of these; see _CROWDED."""
    papers = schema.papers.c
    wanted = {identity.block_keys(title) for title in titles}
    heads, tails = {head for head, _ in wanted}, {tail for _, tail in wanted}
    alike = select(papers.id, papers.head_key, papers.tail_key)
    by_head = db.execute(alike.where(papers.head_key.in_(records.among(heads)))).all()
    by_tail = db.execute(alike.where(papers.tail_key.in_(records.among(tails)))).all()
    head_count = Counter(head for _, head, _ in by_head)
    tail_count = Counter(tail for _, _, tail in by_tail)
    return {
        *(id for id, head, tail in by_head if head_count[head] <= _CROWDED),
        *(id for id, head, tail in by_tail if tail_count[tail] <= _CROWDED),
        *_few_of_each((id, (head, tail)) for id, head, tail in by_head if (head, tail) in wanted),
    }


def _with_authors(db: Connection, batch: Sequence[Paper]) -> set[int]:
    """Papers of the same first authors in the years around; see _CROWDED."""
    papers = schema.papers.c
    keys = {identity.author_key(paper, later) for paper in batch for later in _YEARS} - {0}
    found = db.execute(
        select(papers.id, papers.author_key).where(papers.author_key.in_(records.among(keys)))
    ).all()
    count = Counter(key for _, key in found)
    return {id for id, key in found if count[key] <= _CROWDED}


def _few_of_each(found: Iterable[tuple[int, tuple[int, int]]]) -> Iterator[int]:
    seen: Counter[tuple[int, int]] = Counter()
    for id, keys in found:
        seen[keys] += 1
        if seen[keys] <= _CROWDED:
            yield id


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for name, value in pairs:
        groups[name].append(value)
    return groups


def _place(paper: Paper, print: int, pool: _Pool) -> _Entry:
    """Merge the record into the entry it is, or make it a new one."""
    clues = list(_clues(paper))
    like = pool.with_one_of(chain(clues, _authors_around(paper)))
    judged = _without_guesses(paper, [(e, _judge(e, paper)) for e in like])
    same = [(entry, why.reason) for entry, why in judged if why.verdict == Verdict.same]
    if same:
        entry, reason = max(same, key=lambda one: _nearness(one[0].paper, paper))
        merged = identity.merge(entry.paper, paper, edited=entry.edited)
        if not _same_record(entry.paper, paper):
            entry.merged.append((entry.paper, paper, print, reason))
        if merged != entry.paper:
            if entry.id is not None:
                entry.before = entry.before or entry.paper
            entry.paper = merged
            pool.add(entry)
        return entry
    entry = _Entry(paper)
    entry.relations = [
        (other, judgement)
        for other, judgement in judged
        if judgement.verdict in (Verdict.versions, Verdict.maybe)
    ]
    pool.add(entry, clues)
    return entry


def _judge(entry: _Entry, paper: Paper) -> Judgement:
    """What a record with one identifier says against a title that was set by hand is no matter."""
    known = entry.paper
    if "title" in entry.edited and record_linkage.share_name(known, paper):
        known = replace(known, title="")
    return record_linkage.judge(known, paper)


def _without_guesses(paper: Paper, judged: list[_Judged]) -> list[_Judged]:
    """Where a title, an author and a year fit several papers, it is none of them for sure."""
    same = [entry for entry, judgement in judged if judgement.verdict == Verdict.same]
    if len(same) < 2 or any(record_linkage.share_name(entry.paper, paper) for entry in same):
        return judged
    several = Judgement(Verdict.maybe, "several papers have this title, author and year")
    return [(e, several if j.verdict == Verdict.same else j) for e, j in judged]


def _nearness(paper: Paper, other: Paper) -> tuple[bool, bool, float]:
    """How well a record fits a paper that it may become part of. A journal's record of a paper
    belongs to the journal's, not to the preprint's."""
    kind = identity.is_preprint(paper) == identity.is_preprint(other)
    return _same_record(paper, other), kind, record_linkage.likelihood(paper, other)


def _write(db: Connection, entries: Sequence[_Entry], now: float) -> list[_Entry]:
    """Write what is new and what has changed; returns what is new."""
    new = [entry for entry in entries if entry.id is None]
    old = [entry for entry in entries if entry.id is not None]
    for entry, id in zip(new, records.add(db, [e.paper for e in new], now), strict=True):
        entry.id = id
    touched = [entry for entry in old if entry.before or entry.trashed]
    fulltext.forget(db, [e.id for e in touched if e.id])
    records.change(db, {e.id: e.paper for e in touched if e.id}, now)
    back = [entry.id for entry in touched if entry.trashed]
    if back:
        db.execute(
            update(schema.papers)
            .where(schema.papers.c.id.in_(records.among(i for i in back if i)))
            .values(trashed=None)
        )
    fulltext.index(db, [e.id for e in touched if e.id])
    if new and new[0].id and new[-1].id:
        fulltext.index_between(db, new[0].id, new[-1].id)
    for entry in new:
        for other, judgement in entry.relations:
            assert entry.id and other.id
            works.relate(db, entry.id, other.id, judgement.verdict, judgement.reason, now)
    return new


def _same_record(paper: Paper, other: Paper) -> bool:
    named = paper.source not in identity.FILES and bool(paper.source_id)
    return named and (paper.source, paper.source_id) == (other.source, other.source_id)


def _remember(db: Connection, entries: Sequence[_Entry], now: float, number: int | None) -> None:
    """Remember what was merged, and what each paper was filed under then."""
    mixed = {entry.id: entry for entry in entries if entry.merged and entry.id}
    filed = merges.filed(db, mixed)
    notes = []
    for id, entry in mixed.items():
        tags, collections = filed[id]
        for before, paper, print, reason in entry.merged:
            own = State(before, tags=tags, collections=collections)
            other = State(paper, origins=[print])
            notes.append(Note(id, own, other, reason, number))
    merges.remember(db, notes, now)
    if notes and number is not None:
        merges.as_edit(db, number, len(notes), now)


def _news(entries: Sequence[_Entry], added: Sequence[_Entry]) -> Iterator[News]:
    fresh = set(added)
    for entry in added:
        assert entry.id
        yield News(PaperId(entry.id), What.added)
        if entry.relations and not identity.is_preprint(entry.paper):
            where = news.published_where(entry.paper)
            for other, judgement in entry.relations:
                if judgement.verdict == Verdict.versions and other.id and other not in fresh:
                    yield News(PaperId(other.id), What.published, where)
    for entry in entries:
        if entry.before and entry.id:
            for what, detail in news.news(entry.before, entry.paper):
                yield News(PaperId(entry.id), what, detail)

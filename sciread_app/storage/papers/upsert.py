"""Import of records: each becomes a new paper or is merged into an existing one."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

from sqlalchemy import Connection, select, update

from sciread_app.domain.matching import record_keys, record_linkage
from sciread_app.domain.matching.duplicate_reasons import Judgement
from sciread_app.domain.matching.record_keys import MatchVerdict
from sciread_app.domain.metadata import paper_updates
from sciread_app.domain.metadata.paper_updates import PaperUpdate, UpdateKind
from sciread_app.domain.paper import Identifier, Paper, PaperId
from sciread_app.storage import fulltext, paper_rows, schema
from sciread_app.storage.papers import merge_history, versions
from sciread_app.storage.papers.merge_history import MergeSide, NewMerge


class UpsertResult(NamedTuple):
    """The result of a batch: `ids` in its order; added + merged make up the batch."""

    ids: list[PaperId]
    added: int
    merged: int
    news: list[PaperUpdate]


@dataclass(eq=False, slots=True)
class _Entry:
    """A paper of the library, or one about to be added."""

    paper: Paper
    id: int | None = None
    edited: frozenset[str] = frozenset()
    trashed: bool = False
    before: Paper | None = None  # the stored state, once it differs
    # For each merged record: the state before it, the record, and the reason.
    merged: list[tuple[Paper, Paper, int, str]] = field(default_factory=list)
    relations: list[tuple[_Entry, Judgement]] = field(default_factory=list)


_Judged = tuple[_Entry, Judgement]
_UNREAD = Paper(title="")
# Groups of titles of more than this size that begin alike ("A randomized controlled trial of ...")
# are not compared by their beginning: that would be quadratic. Those that also end alike still are.
_CROWDED = 50


class _Pool:
    """The papers that a batch may match, found by what they share with a record."""

    def __init__(self) -> None:
        self._by_clue: dict[object, list[_Entry]] = defaultdict(list)

    def add(self, entry: _Entry, clues: Iterable[object] = ()) -> None:
        """`clues`: the block keys of the paper, if known already."""
        for clue in clues or _clues(entry.paper):
            if entry not in self._by_clue[clue]:
                self._by_clue[clue].append(entry)

    def with_one_of(self, clues: Iterable[object]) -> Iterable[_Entry]:
        known = self._by_clue
        found = [known[clue] for clue in clues if clue in known]
        telling = [entries for entries in found if len(entries) <= _CROWDED]
        return dict.fromkeys(chain.from_iterable(telling))


def store(
    db: Connection,
    batch: Sequence[Paper],
    now: float,
    number: int | None = None,
    *,
    unasked: bool = False,
) -> UpsertResult:
    """Store a batch of records; see record_linkage.judge for which records are merged.

    A record that was imported before in identical form changes nothing, but moves its paper out of
    the trash: a repeated import means that the user wants to see it. `number` is the id of the
    import; with `unasked`, no paper leaves the trash, and no edit is made of the merges.
    """
    prints = [record_keys.fingerprint(paper) for paper in batch]
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
    if unasked:
        for entry in met:
            entry.trashed = False
    added = _write(db, met, now)
    origins = [(print, entry.id, "") for print, entry in fresh]
    paper_rows.insert(db, "origins", ("fingerprint", "paper", "record"), origins)
    _remember(db, met, now, number, as_edit=not unasked)
    ids = [PaperId(entry.id) for entry in entries if entry.id is not None]
    return UpsertResult(ids, len(added), len(batch) - len(added), list(_news(met, added)))


def find_matches(db: Connection, ids: Iterable[int]) -> list[tuple[int, int, Judgement]]:
    """Pairs of each of these papers with papers of lower ids that may be duplicates or versions.

    Records that an import would merge are only possible duplicates here: the user decides about
    papers that exist already.
    """
    batch = [entry for entry in _entries(db, ids).values() if not entry.trashed]
    met = _candidates(db, [entry.paper for entry in batch]) | {e.id for e in batch if e.id}
    pool, found = _Pool(), []
    for entry in _entries(db, met).values():
        if not entry.trashed:
            pool.add(entry)
    for entry in batch:
        for other in pool.with_one_of(chain(_clues(entry.paper), _authors_around(entry.paper))):
            if not other.id or not entry.id or other.id >= entry.id:
                continue
            why = _judge(other, entry.paper)
            if why.verdict == MatchVerdict.same:
                why = Judgement(MatchVerdict.maybe, why.reason)
            if why.verdict in (MatchVerdict.versions, MatchVerdict.maybe):
                found.append((other.id, entry.id, why))
    return found


def _clues(paper: Paper) -> Iterable[object]:
    """The block keys of a paper: two records are compared only if they share one."""
    yield from _names(paper)
    if paper.source_id and paper.source not in record_keys.FILES:
        yield (paper.source, paper.source_id, "")
    if paper.title:
        head, tail = record_keys.block_keys(paper.title)
        yield from (head, -tail - 1, (head, tail))  # keeps tails distinct from heads
    if key := record_keys.author_key(paper):
        yield ("author", key)


def _authors_around(paper: Paper) -> Iterator[object]:
    """The block keys of papers by the same first author in the years before and after."""
    for key in record_keys.author_keys(paper)[1:]:
        yield ("author", key)


def _names(paper: Paper) -> list[Identifier]:
    """Its identifiers and those of the papers that it names as its versions."""
    own = [name for name in paper.identifiers if name.kind in record_keys.NAMING]
    return own + [Identifier("pmid", pmid) for pmid in record_keys.linked(paper)]


def _meet(
    db: Connection, batch: Sequence[Paper], prints: Sequence[int]
) -> tuple[_Pool, dict[int, _Entry]]:
    """The stored papers that the batch may match, and those known by fingerprint."""
    origins = schema.origins
    by_print = dict(
        db.execute(
            select(origins.c.fingerprint, origins.c.paper).where(
                origins.c.fingerprint.in_(paper_rows.among(prints))
            )
        ).all()
    )
    unknown = [p for p, print in zip(batch, prints, strict=True) if print not in by_print]
    ids = _candidates(db, unknown) | _in_trash(db, by_print.values())
    pool, by_id = _Pool(), _entries(db, ids)
    for entry in by_id.values():
        pool.add(entry)
    for id in set(by_print.values()) - set(by_id):
        by_id[id] = _Entry(_UNREAD, id)  # will not be queried again
    return pool, {print: by_id[id] for print, id in by_print.items()}


def _entries(db: Connection, ids: Iterable[int]) -> dict[int, _Entry]:
    ids, papers = list(ids), schema.papers.c
    states = select(papers.id, papers.edited).where(papers.id.in_(paper_rows.among(ids)))
    edited = {id: frozenset[str](json.loads(names)) for id, names in db.execute(states)}
    trashed = _in_trash(db, ids)
    return {
        id: _Entry(paper, id, edited[id], trashed=id in trashed)
        for id, paper in paper_rows.read(db, ids).items()
    }


def _in_trash(db: Connection, ids: Iterable[int]) -> set[int]:
    papers = schema.papers.c
    found = select(papers.id).where(
        papers.trashed.isnot(None), papers.id.in_(paper_rows.among(ids))
    )
    return set(db.scalars(found))


def _candidates(db: Connection, batch: Sequence[Paper]) -> set[int]:
    papers, identifiers = schema.papers.c, schema.identifiers.c
    found = _with_like_titles(db, [paper.title for paper in batch if paper.title])
    found |= _with_authors(db, batch)
    named = chain.from_iterable(_names(paper) for paper in batch)
    for kind, values in _grouped(named).items():
        same = select(identifiers.paper).where(identifiers.kind == kind)
        found.update(db.scalars(same.where(identifiers.value.in_(paper_rows.among_texts(values)))))
    own = (
        (p.source, p.source_id) for p in batch if p.source_id and p.source not in record_keys.FILES
    )
    for source, names in _grouped(own).items():
        same = select(papers.id).where(papers.source == source)
        found.update(db.scalars(same.where(papers.source_id.in_(paper_rows.among_texts(names)))))
    return found


def _with_like_titles(db: Connection, titles: Iterable[str]) -> set[int]:
    """Papers whose title begins or ends like one of these; see _CROWDED."""
    papers = schema.papers.c
    wanted = {record_keys.block_keys(title) for title in titles}
    heads, tails = {head for head, _ in wanted}, {tail for _, tail in wanted}
    alike = select(papers.id, papers.head_key, papers.tail_key)
    by_head = db.execute(alike.where(papers.head_key.in_(paper_rows.among(heads)))).all()
    by_tail = db.execute(alike.where(papers.tail_key.in_(paper_rows.among(tails)))).all()
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
    keys = {key for paper in batch for key in record_keys.author_keys(paper)}
    found = db.execute(
        select(papers.id, papers.author_key).where(papers.author_key.in_(paper_rows.among(keys)))
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
    """Merge the record into the entry that it matches, or add it as a new one."""
    clues = list(_clues(paper))
    like = pool.with_one_of(chain(clues, _authors_around(paper)))
    judged = _without_guesses(paper, [(e, _judge(e, paper)) for e in like])
    same = [(entry, why.reason) for entry, why in judged if why.verdict == MatchVerdict.same]
    if same:
        entry, reason = max(same, key=lambda one: _nearness(one[0].paper, paper))
        merged = record_keys.merge(entry.paper, paper, edited=entry.edited)
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
        if judgement.verdict in (MatchVerdict.versions, MatchVerdict.maybe)
    ]
    pool.add(entry, clues)
    return entry


def _judge(entry: _Entry, paper: Paper) -> Judgement:
    """Judge the pair, ignoring differences from a manually edited title."""
    known = entry.paper
    if "title" in entry.edited and record_linkage.share_name(known, paper):
        known = replace(known, title="")
    return record_linkage.judge(known, paper)


def _without_guesses(paper: Paper, judged: list[_Judged]) -> list[_Judged]:
    """Drop matches by title, author and year if several papers match: none of them is certain."""
    same = [entry for entry, judgement in judged if judgement.verdict == MatchVerdict.same]
    if len(same) < 2 or any(record_linkage.share_name(entry.paper, paper) for entry in same):
        return judged
    several = Judgement(MatchVerdict.maybe, "several papers have this title, author and year")
    return [(e, several if j.verdict == MatchVerdict.same else j) for e, j in judged]


def _nearness(paper: Paper, other: Paper) -> tuple[bool, bool, float]:
    """Return a sort key for papers that a record may be merged into, the best match last.

    A journal's record belongs to the journal article, not to the preprint.
    """
    kind = record_keys.is_preprint(paper) == record_keys.is_preprint(other)
    return _same_record(paper, other), kind, record_linkage.likelihood(paper, other)


def _write(db: Connection, entries: Sequence[_Entry], now: float) -> list[_Entry]:
    """Write new and changed papers; returns the new ones."""
    new = [entry for entry in entries if entry.id is None]
    old = [entry for entry in entries if entry.id is not None]
    for entry, id in zip(new, paper_rows.add(db, [e.paper for e in new], now), strict=True):
        entry.id = id
    touched = [entry for entry in old if entry.before or entry.trashed]
    fulltext.remove(db, [e.id for e in touched if e.id])
    paper_rows.change(db, {e.id: e.paper for e in touched if e.id}, now)
    back = [entry.id for entry in touched if entry.trashed]
    if back:
        db.execute(
            update(schema.papers)
            .where(schema.papers.c.id.in_(paper_rows.among(i for i in back if i)))
            .values(trashed=None)
        )
    fulltext.index(db, [e.id for e in touched if e.id])
    if new and new[0].id and new[-1].id:
        fulltext.index_between(db, new[0].id, new[-1].id)
    for entry in new:
        for other, judgement in entry.relations:
            assert entry.id and other.id
            versions.relate(db, entry.id, other.id, judgement.verdict, judgement.reason, now)
    return new


def _same_record(paper: Paper, other: Paper) -> bool:
    named = paper.source not in record_keys.FILES and bool(paper.source_id)
    return named and (paper.source, paper.source_id) == (other.source, other.source_id)


def _remember(
    db: Connection, entries: Sequence[_Entry], now: float, number: int | None, *, as_edit: bool
) -> None:
    """Record the merges, with the tags and collections of each paper at that time."""
    mixed = {entry.id: entry for entry in entries if entry.merged and entry.id}
    filed = merge_history.filed(db, mixed)
    notes = []
    for id, entry in mixed.items():
        tags, collections = filed[id]
        for before, paper, print, reason in entry.merged:
            own = MergeSide(before, tags=tags, collections=collections)
            other = MergeSide(paper, origins=[print])
            notes.append(NewMerge(id, own, other, reason, number))
    merge_history.remember(db, notes, now)
    if notes and number is not None and as_edit:
        merge_history.record_import_edit(db, number, len(notes), now)


def _news(entries: Sequence[_Entry], added: Sequence[_Entry]) -> Iterator[PaperUpdate]:
    fresh = set(added)
    for entry in added:
        assert entry.id
        yield PaperUpdate(PaperId(entry.id), UpdateKind.added)
        if entry.relations and not record_keys.is_preprint(entry.paper):
            where = paper_updates.published_where(entry.paper)
            for other, judgement in entry.relations:
                if judgement.verdict == MatchVerdict.versions and other.id and other not in fresh:
                    yield PaperUpdate(PaperId(other.id), UpdateKind.published, where)
    for entry in entries:
        if entry.before and entry.id:
            for what, detail in paper_updates.news(entry.before, entry.paper):
                yield PaperUpdate(PaperId(entry.id), what, detail)

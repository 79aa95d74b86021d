"""What there is to learn from, counted, and whether that is enough for a method."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from trainer.contract.catalog import MethodSpec, Need
from trainer.contract.settings import Value

# How a corpus is split unless it is said: per cent to learn from, to validate on, to test on.
DEFAULT_SPLIT = "85/5/10"
# Categories that PhysBERT's paper takes as one.
_MERGED = ("astro-ph", "cond-mat", "hep")
# With fewer a training runs, and hardly teaches anything: no science, but what trials have shown.
_FEW = {
    Need.abstracts: 500,
    Need.citations: 2_000,
    Need.venues: 5,
    Need.fields: 3,
    Need.questions: 200,
}


class VenueYear(NamedTuple):
    """How many papers with an abstract a journal has of a year, 0 if that is unknown.

    `pubmed`: PubMed is where they are known from, and MIReAD has a rule of its own for them.
    """

    name: str
    year: int
    pubmed: bool
    papers: int


@dataclass(frozen=True, kw_only=True)
class Holdings:
    """What a corpus holds, or what will become one.

    `citations` are between two of its papers, and `citing` the papers that cite such a one.
    `fields` counts the papers by the first field of each.
    """

    papers: int = 0
    abstracts: int = 0
    citations: int = 0
    citing: int = 0
    questions: int = 0
    venues: Sequence[VenueYear] = ()
    fields: Mapping[str, int] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        """As JSON; `read` makes the same of it."""
        return asdict(self) | {"venues": [list(venue) for venue in self.venues]}

    @classmethod
    def read(cls, described: Mapping[str, Any]) -> Holdings:
        """Raises TypeError or ValueError for what `described` has not made."""
        given = {name: described[name] for name in cls.__dataclass_fields__}
        return cls(**given | {"venues": tuple(VenueYear(*venue) for venue in given["venues"])})


class Level(enum.Enum):
    """`few`: it runs, but will hardly learn anything."""

    enough = "enough"
    few = "few"
    missing = "missing"


@dataclass(frozen=True)
class Finding:
    """Whether there is enough of what a method needs: papers with an abstract, citations, journals
    or categories that are large enough, questions. Fewer than `least` do not do at all.

    `settings`: with these there would be as many as may be had.
    """

    need: Need
    level: Level
    have: int
    least: int
    settings: Mapping[str, Value] = field(default_factory=dict)


def findings(
    spec: MethodSpec, settings: Mapping[str, Value], holdings: Holdings
) -> Sequence[Finding]:
    """What the method needs, in the order of Need, against what there is."""
    return [
        _FINDERS[need](settings, holdings)
        for need in Need
        if need in spec.needs and not _needless(need, settings)
    ]


def merged(field_name: str) -> str:
    """The category that PhysBERT takes a field for, if it is told to merge."""
    for stem in _MERGED:
        if field_name == stem or field_name.startswith((f"{stem}.", f"{stem}-")):
            return stem
    return field_name


def _needless(need: Need, settings: Mapping[str, Value]) -> bool:
    """Whether settings take nothing of it."""
    if need is Need.citations and settings.get("triples") == "given":
        return True
    return need is Need.fields and not (
        settings.get("contrast", True) and settings.get("category_pairs", 1)
    )


def _abstracts(settings: Mapping[str, Value], holdings: Holdings) -> Finding:
    return _finding(Need.abstracts, holdings.abstracts, least=1)


def _citations(settings: Mapping[str, Value], holdings: Holdings) -> Finding:
    return _finding(Need.citations, holdings.citations, least=1)


def _questions(settings: Mapping[str, Value], holdings: Holdings) -> Finding:
    return _finding(Need.questions, holdings.questions, least=1)


def _fields(settings: Mapping[str, Value], holdings: Holdings) -> Finding:
    sizes: Counter[str] = Counter()
    for name, papers in holdings.fields.items():
        sizes[merged(name) if settings.get("merge") else name] += papers
    wanted = _number(settings, "min_papers")
    have = sum(papers >= wanted for papers in sizes.values())
    found = _finding(Need.fields, have, least=2)
    if found.level is Level.missing and _other_pairs(settings, holdings):
        return Finding(Need.fields, Level.few, have, 0, _within_reach(sizes, wanted))
    return Finding(found.need, found.level, have, 2, _within_reach(sizes, wanted))


def _other_pairs(settings: Mapping[str, Value], holdings: Holdings) -> bool:
    """Whether PhysBERT finds pairs elsewhere, and goes without categories."""
    return bool(
        (settings.get("citation_pairs") and holdings.citations)
        or (settings.get("question_pairs") and holdings.questions)
    )


def _venues(settings: Mapping[str, Value], holdings: Holdings) -> Finding:
    papers, recent = _journals(settings, holdings)
    year = _number(settings, "recent_year")
    able = {
        journal
        for journal, count in papers.items()
        if count >= _least_papers(settings, journal[1]) and (not year or journal in recent)
    }
    names = {name for name, _ in able}
    found = _finding(Need.venues, len(names), least=2)
    if found.level is Level.enough:
        return found
    sizes: Counter[str] = Counter()
    for (name, _), count in papers.items():
        sizes[name] = max(sizes[name], count)
    reach = _within_reach(sizes, _number(settings, "min_papers"))
    if year and len({name for name, _ in recent}) < max(2, len(sizes)):
        reach = {**reach, "recent_year": 0}
    return Finding(found.need, found.level, found.have, found.least, reach)


def _journals(
    settings: Mapping[str, Value], holdings: Holdings
) -> tuple[Counter[tuple[str, bool]], set[tuple[str, bool]]]:
    """The papers that count of each journal, PubMed's apart; and those with one of the year that
    a journal must have one of."""
    papers: Counter[tuple[str, bool]] = Counter()
    recent: set[tuple[str, bool]] = set()
    year = _number(settings, "recent_year")
    excluded = {name.strip().casefold() for name in str(settings.get("exclude", "")).split(";")}
    for name, of, pubmed, count in holdings.venues:
        first = _number(settings, "pubmed_first_year" if pubmed else "first_year")
        if name.casefold() in excluded or of < first or (pubmed and year and of > year):
            continue
        papers[name, pubmed] += count
        if of == year:
            recent.add((name, pubmed))
    return papers, recent


def _least_papers(settings: Mapping[str, Value], pubmed: bool) -> int:
    return max(1, _number(settings, "pubmed_min_papers" if pubmed else "min_papers"))


def _within_reach(sizes: Counter[str], wanted: int) -> dict[str, Value]:
    """A smaller min_papers with which there are as many as are enough, or at least two."""
    largest = sorted(sizes.values(), reverse=True)
    for many in (_FEW[Need.venues], 2):
        if len(largest) >= many and 2 <= largest[many - 1] < wanted:
            return {"min_papers": largest[many - 1]}
    return {}


def _finding(need: Need, have: int, least: int) -> Finding:
    level = Level.enough if have >= _FEW[need] else Level.few
    return Finding(need, level if have >= least else Level.missing, have, least)


def _number(settings: Mapping[str, Value], name: str) -> int:
    """A setting of those that not every method has."""
    return int(settings.get(name, 0))


_FINDERS = {
    Need.abstracts: _abstracts,
    Need.citations: _citations,
    Need.venues: _venues,
    Need.fields: _fields,
    Need.questions: _questions,
}

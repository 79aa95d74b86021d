"""Counts of the training data in a corpus, and whether they are enough for a method."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from trainer.contract.catalog import MethodSpec, Need
from trainer.contract.settings import Value

# Default split of a corpus, in per cent: training, validation, test.
DEFAULT_SPLIT = "85/5/10"
# Categories that the PhysBERT paper merges into one.
_MERGED = ("astro-ph", "cond-mat", "hep")
# Below these counts a training runs but hardly learns anything. Rules of thumb from experiments.
_FEW = {
    Need.abstracts: 500,
    Need.citations: 2_000,
    Need.venues: 5,
    Need.fields: 3,
    Need.questions: 200,
    Need.full_texts: 500,
}


class VenueYear(NamedTuple):
    """The number of papers with an abstract in one journal and year (0: unknown).

    `pubmed`: the papers come from PubMed, for which MIReAD has a rule of its own.
    """

    name: str
    year: int
    pubmed: bool
    papers: int


@dataclass(frozen=True, kw_only=True)
class CorpusStats:
    """Counts over a corpus, or over the library from which one would be made.

    `citations` are those between two papers of the corpus, `citing` the papers with at least one of
    them. `full_texts` are the papers with a full text to train on, and `passage_questions` the
    questions in these. `fields` counts the papers by their first field.
    """

    papers: int = 0
    abstracts: int = 0
    citations: int = 0
    citing: int = 0
    questions: int = 0
    full_texts: int = 0
    passage_questions: int = 0
    venues: Sequence[VenueYear] = ()
    fields: Mapping[str, int] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        """Return the counts as JSON values; the inverse of `read`."""
        return asdict(self) | {"venues": [list(venue) for venue in self.venues]}

    @classmethod
    def read(cls, described: Mapping[str, Any]) -> CorpusStats:
        """The inverse of `described`. Raises TypeError or ValueError for anything else."""
        given = {name: described[name] for name in cls.__dataclass_fields__}
        return cls(**given | {"venues": tuple(VenueYear(*venue) for venue in given["venues"])})


class Level(enum.Enum):
    """Whether there is enough data. `few`: the training runs but will hardly learn anything."""

    enough = "enough"
    few = "few"
    missing = "missing"


@dataclass(frozen=True)
class Requirement:
    """Whether a corpus has enough of one kind of data that a method needs.

    Counted are papers with an abstract, citations, journals or categories that are large enough,
    questions, or papers with a full text. With fewer than `least` a method cannot train.
    `settings`: changes with which as many as possible would count.
    """

    need: Need
    level: Level
    have: int
    least: int
    settings: Mapping[str, Value] = field(default_factory=dict)


def check_requirements(
    spec: MethodSpec, settings: Mapping[str, Value], holdings: CorpusStats
) -> Sequence[Requirement]:
    """Compare the needs of the method, in the order of Need, with the data available."""
    needs = [need for need in Need if need in spec.needs and not _needless(need, settings)]
    return [_requirement(need, settings, holdings) for need in needs]


def merged_category(field_name: str) -> str:
    """Return the category under which PhysBERT counts a field when categories are merged."""
    for stem in _MERGED:
        if field_name == stem or field_name.startswith((f"{stem}.", f"{stem}-")):
            return stem
    return field_name


def _needless(need: Need, settings: Mapping[str, Value]) -> bool:
    """Whether the settings leave this kind of data unused."""
    if need is Need.citations and settings.get("triples") == "given":
        return True
    if need is Need.full_texts:  # for masked language modeling
        return not (settings.get("mlm_short") or settings.get("mlm_long"))
    return need is Need.fields and not (
        settings.get("contrast", True) and settings.get("category_pairs", 1)
    )


def _requirement(need: Need, settings: Mapping[str, Value], holdings: CorpusStats) -> Requirement:
    if need is Need.venues:
        return _venues(settings, holdings)
    if need is Need.fields:
        return _fields(settings, holdings)
    # Without full texts, a language model learns from titles and abstracts.
    least = 0 if need is Need.full_texts else 1
    return _finding(need, getattr(holdings, need.value), least)


def _fields(settings: Mapping[str, Value], holdings: CorpusStats) -> Requirement:
    sizes: Counter[str] = Counter()
    for name, papers in holdings.fields.items():
        sizes[merged_category(name) if settings.get("merge") else name] += papers
    wanted = _number(settings, "min_papers")
    have = sum(papers >= wanted for papers in sizes.values())
    found = replace(_finding(Need.fields, have, least=2), settings=_within_reach(sizes, wanted))
    if found.level is Level.missing and _other_pairs(settings, holdings):
        return replace(found, level=Level.few, least=0)
    return found


def _other_pairs(settings: Mapping[str, Value], holdings: CorpusStats) -> bool:
    """Whether PhysBERT finds pairs elsewhere and can train without categories."""
    return bool(
        (settings.get("citation_pairs") and holdings.citations)
        or (settings.get("question_pairs") and (holdings.questions or holdings.passage_questions))
    )


def _venues(settings: Mapping[str, Value], holdings: CorpusStats) -> Requirement:
    papers, recent = _journals(settings, holdings)
    year = _number(settings, "recent_year")
    least = [_number(settings, name) for name in ("min_papers", "pubmed_min_papers")]
    able = {
        journal
        for journal, count in papers.items()
        if count >= max(1, least[journal[1]]) and (not year or journal in recent)
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
    return replace(found, settings=reach)


def _journals(
    settings: Mapping[str, Value], holdings: CorpusStats
) -> tuple[Counter[tuple[str, bool]], set[tuple[str, bool]]]:
    """Count the eligible papers by (journal, is PubMed), and collect the journals with a paper of
    the required recent year."""
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


def _within_reach(sizes: Counter[str], wanted: int) -> dict[str, Value]:
    """Return a smaller min_papers with which enough categories, or at least two, would count."""
    largest = sorted(sizes.values(), reverse=True)
    for many in (_FEW[Need.venues], 2):
        if len(largest) >= many and 2 <= largest[many - 1] < wanted:
            return {"min_papers": largest[many - 1]}
    return {}


def _finding(need: Need, have: int, least: int) -> Requirement:
    level = Level.enough if have >= _FEW[need] else Level.few
    return Requirement(need, level if have >= least else Level.missing, have, least)


def _number(settings: Mapping[str, Value], name: str) -> int:
    """Return a setting that not every method has."""
    return int(settings.get(name, 0))

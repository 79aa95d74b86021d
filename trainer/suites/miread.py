"""MIReAD's evaluation (Razdaibiedina and Brechalov, 2023), on the tables published by its authors.

df_0.csv.gz ... df_9.csv.gz        abstr, title, journal, field ..., as on the hub: categories are
                                   fields; up to 100 papers of each with 20 papers or more
unseen_journals.csv                the same columns, for journals that no training has used: up to
                                   100 papers of each with 20 papers or more
df_arxiv_information_retrieval.csv id, abstr, title, categories: all pairs within each field of
                                   arXiv, of up to 20,000 papers with categories of this field only
mag/, mesh/, paper_metadata_mag_mesh.json
                                   all labels of SciDocs, in this folder or in data/

Tables may be csv, tsv or parquet, gzipped or not. The paper does not state the number of papers per
category or journal. As in its code, papers without an abstract are left out. The code uses
abstracts without titles for all models but SPECTER and MIReAD (--baseline-input abstract_only), and
evaluates SciDocs' labels on the validation split (--split val): to compare scores with the paper's
tables, use the same options.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial
from hashlib import blake2b
from heapq import heappush, heappushpop
from pathlib import Path
from typing import Any, TypeVar

from trainer.contract.errors import TrainerError
from trainer.contract.files import UNREADABLE
from trainer.contract.report import WITHOUT_ABSTRACT, WITHOUT_TITLES
from trainer.data.corpus.records import InputRecord, RecordProblem, content_id, one_line
from trainer.data.inputs import tables
from trainer.data.inputs.source import Source, unreadable_reason
from trainer.data.inputs.tables import BROKEN
from trainer.data.rng import random_permutation
from trainer.evaluations.base import EvaluationTask, Measure, TextInput
from trainer.suites.scidocs import OF_LABELS, read_classes, read_metadata
from trainer.suites.suite import PlannedTask, Suite, SuiteSettings, bind, papers_of

Value = TypeVar("Value")

PER_GROUP, PER_GROUP_AT_LEAST, PAIRED = 100, 20, 20_000
# arXiv fields by category prefix: the paper's six, and two more of its code.
FIELDS = {
    "cs": ("cs", "computer science"),
    "math": ("math", "mathematics"),
    "phys": ("physics", "physics"),
    "eess": ("eess", "electrical engineering"),
    "econ": ("econ", "economics"),
    "stat": ("stat", "statistics"),
    "q-bio": ("q-bio", "quantitative biology"),
    "q-fin": ("q-fin", "quantitative finance"),
}
UNREAD = "unreadable rows"
AGAIN = "duplicate papers"
UNGROUPED = "papers without a category or journal"

_ENDS = tuple(f"{end}{gz}" for end in (".csv", ".tsv", ".parquet") for gz in ("", ".gz"))
_UNSEEN, _ARXIV, _PUBLISHED = "unseen_journals", "df_arxiv_information_retrieval", "df_[0-9]*"
_CATEGORY = re.compile(r"[A-Za-z][\w-]*(?:\.[\w-]+)?")


def fits(folder: Path) -> bool:
    return any(_tables(folder, name) for name in (_PUBLISHED, _UNSEEN, _ARXIV))


def suite(folder: Path, settings: SuiteSettings) -> Suite:
    return Suite("miread", MiRead(folder, settings).planned, f"MIReAD data in {folder}")


class MiRead:
    """Tasks built from a folder of MIReAD's data."""

    def __init__(self, folder: Path, settings: SuiteSettings) -> None:
        self._folder, self._settings = folder, settings

    @property
    def planned(self) -> list[PlannedTask]:
        """The tasks in the order of the publication; each reads its files only when it is
        created."""
        found: list[tuple[str, str, Callable[[], EvaluationTask]]] = []
        for name, title in (("mag", "MAG fields"), ("mesh", "MeSH diseases")):
            found.append((name, title, partial(self.labels_of_split, name)))
            found.append((f"{name}-clusters", f"Clusters of {title}", partial(self.clusters, name)))
        found.append(("categories", "arXiv and PubMed categories", self.categories))
        found.append(("unseen-journals", "Unseen journals", self.unseen_journals))
        for name, (_, title) in FIELDS.items():
            found.append((name, f"Pairs in {title}", partial(self.pairs, name)))
        return [PlannedTask(*one) for one in found]

    def labels_of_split(self, name: str) -> EvaluationTask:
        from trainer.evaluations.metrics.classification import SplitProbe

        train, test, papers = self._labels(name)
        left_out = {WITHOUT_ABSTRACT: len({**train, **test}) - len(papers)}
        train, test = _of(train, papers), _of(test, papers)
        measure = SplitProbe(train, test, runs=self._settings.runs or SplitProbe.runs)
        split = self._settings.split
        return self._bind(name, "probe", measure, papers, [train, test], left_out, split)

    def clusters(self, name: str) -> EvaluationTask:
        from trainer.evaluations.metrics.clustering import Purity

        _, test, papers = self._labels(name)
        having = _of(test, papers)
        left_out = {WITHOUT_ABSTRACT: len(test) - len(having)}
        measure = Purity(having, runs=self._settings.runs or Purity.runs)
        task, split = f"{name}-clusters", self._settings.split
        return self._bind(task, "purity", measure, _of(papers, having), having, left_out, split)

    def categories(self) -> EvaluationTask:
        return self._probe("categories", _PUBLISHED, "fields", lambda row: " ".join(row.fields))

    def unseen_journals(self) -> EvaluationTask:
        return self._probe("unseen-journals", _UNSEEN, "journals", lambda row: row.venue)

    def pairs(self, name: str) -> EvaluationTask:
        """Correlation of similarity with shared categories, over pairs of papers of one arXiv
        field. Raises TrainerError without such papers."""
        from trainer.evaluations.metrics.pearson import PearsonPairs, inside_field

        rows, left_out = self._arxiv
        # Categories are Python lists as pandas writes them, or separated by blanks or commas.
        sets = {paper: set(_CATEGORY.findall(" ".join(row.fields))) for paper, row in rows.items()}
        inside = inside_field(sets, FIELDS[name][0])
        if not inside:
            raise TrainerError(f"No paper in {_ARXIV} has only {FIELDS[name][0]} categories.")
        ids = sorted(inside)
        drawn = [ids[at] for at in random_permutation(len(ids), "miread", name)[:PAIRED].tolist()]
        found = {paper: sorted(inside[paper]) for paper in sorted(drawn)}
        papers = {
            paper: TextInput(paper, rows[paper].title, rows[paper].abstract) for paper in found
        }
        return self._bind(name, "pearson_pairs", PearsonPairs(found), papers, found, left_out)

    @cached_property
    def _arxiv(self) -> tuple[dict[str, InputRecord], Counter[str]]:
        left_out: Counter[str] = Counter()
        return {row.id: row for row in self._rows(_ARXIV, left_out)}, left_out

    def _probe(
        self, name: str, pattern: str, groups: str, group_of: Callable[[InputRecord], str]
    ) -> EvaluationTask:
        from trainer.evaluations.metrics.classification import LinearProbe

        left_out: Counter[str] = Counter()
        labels, papers = {}, {}
        for row in _drawn(self._rows(pattern, left_out), group_of, left_out):
            labels[row.id] = group_of(row)
            papers[row.id] = TextInput(row.id, row.title, row.abstract)
        if len(set(labels.values())) < 2:
            raise TrainerError(
                f"{pattern} contains fewer than two {groups} with at least {PER_GROUP_AT_LEAST} "
                "abstracts.",
                "Copy all published tables.",
            )
        measure = LinearProbe(labels, runs=self._settings.runs or LinearProbe.runs)
        return self._bind(name, "probe", measure, papers, labels, left_out)

    def _labels(self, name: str) -> tuple[dict[str, str], dict[str, str], dict[str, TextInput]]:
        """Labels for training and test, and their papers that have an abstract."""
        within = self._folder / "data"
        place = within if (within / name).is_dir() else self._folder
        train, test = (read_classes(place / name, part) for part in ("train", self._settings.part))
        described = _of(read_metadata(place, OF_LABELS), {**train, **test})
        return train, test, {id: one for id, one in described.items() if one.abstract.strip()}

    def _rows(self, pattern: str, left_out: Counter[str]) -> Iterator[InputRecord]:
        """Distinct papers with an abstract, with ids; `left_out` counts the others."""
        seen = set()
        paths = _tables(self._folder, pattern)
        if not paths:
            name = f"{pattern.replace('[0-9]*', '0')}.csv"
            raise TrainerError(
                f"{self._folder} contains neither {name} nor {name}.gz.",
                "Copy the table to this folder.",
            )
        for path in paths:
            for row in _read(path):
                if isinstance(row, RecordProblem):
                    left_out[UNREAD] += 1
                elif not row.abstract.strip():
                    left_out[WITHOUT_ABSTRACT] += 1
                elif (name := row.id or _id_of(row)) in seen:
                    left_out[AGAIN] += 1
                else:
                    seen.add(name)
                    yield row._replace(id=name)

    def _bind(
        self,
        name: str,
        evaluation: str,
        measure: Measure,
        papers: Mapping[str, TextInput],
        judged: Any,
        left_out: Mapping[str, int],
        split: str = "all",
    ) -> EvaluationTask:
        texts = papers_of(papers, papers)
        if self._settings.abstract_only:
            left_out = {**left_out, WITHOUT_TITLES: len(texts)}
            texts = [TextInput(paper.id, paper.abstract) for paper in texts]
        return bind(name, evaluation, measure, texts, judged, split=split, left_out=left_out)


def _drawn(
    rows: Iterable[InputRecord], group_of: Callable[[InputRecord], str], left_out: Counter[str]
) -> list[InputRecord]:
    """Sample papers of each group that is large enough, by hash: independent of the order.

    Only the sample is held in memory.
    """
    sizes: Counter[str] = Counter()
    kept: dict[str, list[tuple[int, InputRecord]]] = defaultdict(list)
    for row in rows:
        group = group_of(row)
        if not group:
            left_out[UNGROUPED] += 1
            continue
        sizes[group] += 1
        lot = int.from_bytes(blake2b(row.id.encode("utf-8", "replace"), digest_size=8).digest())
        add = heappush if len(kept[group]) < PER_GROUP else heappushpop
        add(kept[group], (-lot, row))
    return [
        row
        for group in sorted(kept)
        if sizes[group] >= PER_GROUP_AT_LEAST
        for _, row in sorted(kept[group], reverse=True)
    ]


def _of(values: Mapping[str, Value], ids: Collection[str]) -> dict[str, Value]:
    return {name: value for name, value in values.items() if name in ids}


def _id_of(row: InputRecord) -> str:
    return content_id(one_line(row.title), one_line(row.abstract))


def _tables(folder: Path, pattern: str) -> list[Path]:
    places = (folder, folder / "abstract_experiment_df")
    found = (path for place in places for end in _ENDS for path in place.glob(f"{pattern}{end}"))
    return sorted(found)


def _read(path: Path) -> Iterator[InputRecord | RecordProblem]:
    """Read a table. Raises TrainerError if it cannot be read to its end."""
    try:
        for row in tables.read(Source(path)):
            if isinstance(row, RecordProblem) and BROKEN in row.reason:
                raise TrainerError(f"{path}, {row.entry}: {row.reason}", "Copy the file again.")
            if isinstance(row, InputRecord | RecordProblem):
                yield row
    except UNREADABLE as error:
        raise TrainerError(f"{path}: {unreadable_reason(error)}") from error

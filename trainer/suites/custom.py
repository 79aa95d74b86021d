"""Custom suites: tasks described in a SUITE.toml, with data files in the same folder.

name = "ours"

[[task]]
name = "topics"
title = "Our topics"
evaluation = "v_measure"      # or purity, probe, neighbours, pearson_pairs
papers = "papers.jsonl"       # one paper per line: {"id": ..., "title": ..., "abstract": ...}
labels = "labels.tsv"         # paper id, tab, label; several with neighbours, pearson_pairs

[[task]]
name = "kinds"
evaluation = "svm"
papers = "papers.jsonl"
train = "train.tsv"           # paper id, tab, label: for training
test = "test.tsv"             # the same, for testing

[[task]]
name = "related"
evaluation = "ranking"
papers = "papers.jsonl"
judged = "related.tsv"        # paper id, tab, candidate's id, tab, relevance

[[task]]
name = "versions"
evaluation = "cosine_accuracy"
papers = "papers.jsonl"
pairs = "pairs.tsv"           # paper id, tab, paper id, tab, 1 (related) or 0

[[task]]
name = "questions"
evaluation = "retrieval"
papers = "papers.jsonl"
queries = "queries.tsv"       # query id, tab, query
judged = "judged.tsv"         # query id, tab, paper id, tab, relevance
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from trainer.contract.errors import TrainerError
from trainer.evaluations.base import EvaluationTask, Measure
from trainer.suites.files import read_papers, read_rows, unique_values
from trainer.suites.judged_queries import read_qrels, read_queries, retrieval_task
from trainer.suites.suite import PlannedTask, Suite, SuiteSettings, bind, papers_of

SUITE = "SUITE.toml"


def suite(path: Path, settings: SuiteSettings) -> Suite:
    """The suite of this file, or of the one in this folder. Raises TrainerError."""
    file = path / SUITE if path.is_dir() else path
    try:
        described = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TrainerError(
            f"{file} could not be read: {error}.", "The file must be in TOML format."
        ) from error
    tasks = described.get("task")
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise TrainerError(f"{file} contains no tasks.", "Start each task with [[task]].")
    planned = [_planned(file, task, settings) for task in tasks]
    names = [one.name for one in planned]
    if len(set(names)) < len(names):
        raise TrainerError(
            f"{file} contains two tasks with the same name.", "Give each task a unique name."
        )
    return Suite(str(described.get("name") or file.resolve().parent.name), planned, str(file))


def _planned(file: Path, described: dict[str, Any], settings: SuiteSettings) -> PlannedTask:
    """Plan a task. Raises TrainerError, naming the task, for missing or unknown keys."""
    evaluation = described.get("evaluation")
    makers: dict[object, tuple[set[str], Callable[[_Described], EvaluationTask]]] = {
        "ranking": ({"papers", "judged"}, _ranking),
        "retrieval": ({"papers", "judged", "queries"}, _retrieval),
        "svm": ({"papers", "train", "test"}, _svm),
        "cosine_accuracy": ({"papers", "pairs"}, _pairs),
    }
    makers |= dict.fromkeys(("v_measure", "purity", "probe"), ({"papers", "labels"}, _labelled))
    makers |= dict.fromkeys(("neighbours", "pearson_pairs"), ({"papers", "labels"}, _grouped))
    name = described.get("name")
    if not isinstance(name, str) or not name:
        raise TrainerError(f"A task in {file} has no name.", 'Add name = "...".')
    if evaluation not in makers:
        raise TrainerError(
            f"{file}, task {name}: the evaluation {evaluation!r} does not exist.",
            f"Available: {', '.join(map(str, makers))}.",
        )
    needs, make = makers[evaluation]
    known = {"name", "title", "evaluation", *needs}
    wrong = sorted(needs - described.keys()) + sorted(described.keys() - known)
    if wrong or not all(isinstance(value, str) for value in described.values()):
        raise TrainerError(
            f"{file}, task {name}: check {', '.join(wrong) or 'its values'}.",
            f"{evaluation} supports the texts {', '.join(sorted(known))}.",
        )
    bound = _Described(file.parent, described, settings)
    return PlannedTask(name, described.get("title", name), partial(make, bound))


class _Described:
    """A task as described in SUITE.toml; its files are relative to that file."""

    def __init__(self, folder: Path, values: dict[str, str], settings: SuiteSettings) -> None:
        self._folder, self._values, self.settings = folder, values, settings
        self.name, self.evaluation = values["name"], values["evaluation"]

    def path(self, key: str) -> Path:
        return self._folder / self._values[key]

    def labels(self, key: str) -> dict[str, str]:
        path = self.path(key)
        return unique_values(((row[0], row[1]) for row in read_rows(path, 2)), path)

    def bind(self, measure: Measure, ids: Iterable[str], judged: Any) -> EvaluationTask:
        """Create the task for all of these papers."""
        papers = papers_of(read_papers(self.path("papers")), ids)
        return bind(self.name, self.evaluation, measure, papers, judged, split="all")


def _labelled(described: _Described) -> EvaluationTask:
    from trainer.evaluations.metrics.classification import LinearProbe
    from trainer.evaluations.metrics.clustering import FoldedVMeasure, Purity

    labels, runs = described.labels("labels"), described.settings.runs
    measure: Measure = FoldedVMeasure(labels)
    if described.evaluation == "purity":
        measure = Purity(labels, runs=runs or Purity.runs)
    elif described.evaluation == "probe":
        measure = LinearProbe(labels, runs=runs or LinearProbe.runs)
    return described.bind(measure, labels, labels)


def _grouped(described: _Described) -> EvaluationTask:
    from trainer.evaluations.metrics.pearson import PearsonPairs
    from trainer.evaluations.neighbours import NeighbourPrecision

    groups: dict[str, list[str]] = {}
    for paper, *labels in read_rows(described.path("labels"), 2):
        own = groups.setdefault(paper, [])  # its labels may be on several lines
        own += [label for label in labels if label and label not in own]
    is_pairs = described.evaluation == "pearson_pairs"
    measure = PearsonPairs(groups) if is_pairs else NeighbourPrecision(groups)
    return described.bind(measure, groups, groups)


def _svm(described: _Described) -> EvaluationTask:
    from trainer.evaluations.svm_probe import SvmProbe

    train, test = described.labels("train"), described.labels("test")
    if both := train.keys() & test.keys():
        raise TrainerError(
            f"Task {described.name}: {min(both)} is in both the training and the test data.",
            "List each paper in only one of the files.",
        )
    return described.bind(SvmProbe(train, test), [*train, *test], [train, test])


def _pairs(described: _Described) -> EvaluationTask:
    from trainer.evaluations.metrics.pairs import CosineAccuracy, LabelledPair

    path, pairs = described.path("pairs"), []
    for one, other, belongs, *_ in read_rows(path, 3):
        if belongs not in ("0", "1"):
            raise TrainerError(
                f"{path} contains the invalid label {belongs!r} for a pair.",
                "The label must be 1 or 0.",
            )
        pairs.append(LabelledPair(one, other, belongs == "1"))
    ids = [paper for pair in pairs for paper in pair[:2]]
    return described.bind(CosineAccuracy(pairs), ids, pairs)


def _ranking(described: _Described) -> EvaluationTask:
    from trainer.evaluations.metrics.ranking import RankedLists

    found = read_qrels(described.path("judged"))
    judged = {query: list(grades.items()) for query, grades in found.items()}
    ids = [*judged, *(paper for some in judged.values() for paper, _ in some)]
    return described.bind(RankedLists(judged), ids, judged)


def _retrieval(described: _Described) -> EvaluationTask:
    papers = read_papers(described.path("papers"))
    queries, judged = read_queries(described.path("queries")), read_qrels(described.path("judged"))
    return retrieval_task(described.name, papers, queries, judged, split="all")

"""SciDocs as published (Cohan et al., 2020), and Multi-SciDocs, which has the same layout.

mag/train.csv, mag/test.csv, mesh/...      pid, class_label; with a header
cite/test.qrel, cocite/, coview/, coread/  query, 0, paper, relevance; separated by spaces
recomm/train.csv, val.csv, test.csv        query, clicked, "all that were shown"; with a header
recomm/propensity_scores.json              {"scores": probability that each position is seen}
paper_metadata_mag_mesh.json               {id: {"title": ..., "abstract": ...}}
paper_metadata_view_cite_read.json         the same, for the papers of the ranked lists
paper_metadata_recomm.json                 also "authors", "year", "references", "cited_by"

Models are evaluated on the whole test split, or with --split val on the validation split.
Multi-SciDocs has only mag, cite and cocite. The ranker of recommendations is trained three times,
on frozen vectors.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainer.contract.errors import TrainerError
from trainer.evaluations.base import EvaluationTask, TextInput
from trainer.suites.files import (
    build_qrels,
    find_file,
    has_file,
    open_text,
    paper_from_json,
    read_rows,
    unique_values,
)
from trainer.suites.suite import PlannedTask, Suite, SuiteSettings, bind, papers_of

if TYPE_CHECKING:
    from trainer.evaluations.recommendation import Click, PaperMetadata

_LABELS = {"mag": "MAG fields", "mesh": "MeSH diseases"}
_LISTS = {
    "cite": ("cite", "Citations"),
    "co-cite": ("cocite", "Co-citations"),
    "co-view": ("coview", "Co-views"),
    "co-read": ("coread", "Co-reads"),
}
_RECOMMENDED = ("recomm", "Clicked recommendations")
OF_LABELS = "paper_metadata_mag_mesh.json"
_OF_LISTS = "paper_metadata_view_cite_read.json"
_OF_CLICKS = "paper_metadata_recomm.json"
_COPY = "Copy the original file."


def fits(folder: Path) -> bool:
    places = [(name, "csv") for name in (*_LABELS, "recomm")]
    places += [(name, "qrel") for name, _ in _LISTS.values()]
    return any(has_file(folder / name, f"{part}.{end}") for name, end in places for part in _PARTS)


_PARTS = ("test", "val")


def suite(folder: Path, settings: SuiteSettings) -> Suite:
    planned = _planned(folder, settings, [*_LABELS, *_LISTS])
    name, title = _RECOMMENDED
    planned.append(PlannedTask(name, title, partial(_recommended, folder, settings)))
    return Suite("scidocs", planned, f"SciDocs in {folder}")


def multi_suite(folder: Path, settings: SuiteSettings) -> Suite:
    """Multi-SciDocs by the authors of Multi2SPE: three tasks over many fields."""
    planned = _planned(folder, settings, ["mag", "cite", "co-cite"])
    return Suite("multi-scidocs", planned, f"Multi-SciDocs in {folder}")


def _planned(folder: Path, settings: SuiteSettings, names: list[str]) -> list[PlannedTask]:
    found = []
    for name in names:
        title = _LABELS[name] if name in _LABELS else _LISTS[name][1]
        make: Callable[[Path, SuiteSettings, str], EvaluationTask] = (
            _labels if name in _LABELS else _lists
        )
        found.append(PlannedTask(name, title, partial(make, folder, settings, name)))
    return found


def _labels(folder: Path, settings: SuiteSettings, name: str) -> EvaluationTask:
    from trainer.evaluations.svm_probe import SvmProbe

    train, test = (read_classes(folder / name, part) for part in ("train", settings.part))
    papers = papers_of(read_metadata(folder, OF_LABELS), [*train, *test])
    measure = SvmProbe(train, test)
    return bind(name, "svm", measure, papers, [train, test], split=settings.split)


def _lists(folder: Path, settings: SuiteSettings, name: str) -> EvaluationTask:
    from trainer.evaluations.metrics.ranking import RankedLists

    path = find_file(folder / _LISTS[name][0], f"{settings.part}.qrel")
    found = build_qrels(_judgements(path), path)
    judged = {query: list(grades.items()) for query, grades in found.items()}
    ids = [*judged, *(paper for some in judged.values() for paper, _ in some)]
    papers = papers_of(read_metadata(folder, _OF_LISTS), ids)
    return bind(name, "ranking", RankedLists(judged), papers, judged, split=settings.split)


def _recommended(folder: Path, settings: SuiteSettings) -> EvaluationTask:
    """Recommendation task. As in SciDocs' code, the evaluated part is not trained on: the
    validation part is used for early stopping unless it is the part that is evaluated."""
    from trainer.evaluations.recommendation import RecommendationTask

    place = folder / "recomm"
    train, test = (_clicks(find_file(place, f"{part}.csv")) for part in ("train", settings.part))
    stop = _clicks(find_file(place, "val.csv")) if settings.part == "test" else []
    propensity = _propensity(find_file(place, "propensity_scores.json"))
    described = _described(find_file(folder, _OF_CLICKS))
    ids = {paper for click in (*train, *stop, *test) for paper in (click.query, *click.shown)}
    known = {paper: _known(described[paper]) for paper in sorted(ids & described.keys())}
    papers = papers_of(_papers({paper: described[paper] for paper in known}, folder), ids)
    runs = settings.runs or RecommendationTask.runs
    measure = RecommendationTask(train, stop, test, propensity, known, runs)
    judged = [train, stop, test, propensity, known]
    return bind("recomm", "recommendation", measure, papers, judged, split=settings.split)


def read_classes(folder: Path, part: str) -> dict[str, str]:
    """Read the class of each paper of a part.

    Raises TrainerError if a column is missing or a paper has two classes.
    """
    path = find_file(folder, f"{part}.csv")
    rows = read_rows(path, 2)
    head = next(rows, [])
    if "pid" not in head or "class_label" not in head:
        raise TrainerError(f"{path} lacks the columns pid and class_label.", _COPY)
    paper, label = head.index("pid"), head.index("class_label")
    return unique_values(((row[paper], row[label]) for row in rows), path)


def read_metadata(folder: Path, name: str) -> dict[str, TextInput]:
    """Read papers by id from a metadata file. Raises TrainerError."""
    path = find_file(folder, name)
    return _papers(_described(path), path)


def _judgements(path: Path) -> Iterator[tuple[str, str, int]]:
    with open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                query, _, paper, relevance = line.split()
                yield query, paper, int(relevance)
            except ValueError as error:
                raise TrainerError(
                    f"Line {number:,} of {path} does not have the format: query 0 paper relevance.",
                    "Copy the file again.",
                ) from error


def _clicks(path: Path) -> list[Click]:
    """Read clicks after a header line; the papers shown are separated by commas."""
    from trainer.evaluations.recommendation import Click

    rows = read_rows(path, 3)
    next(rows, None)
    found = []
    for query, clicked, *shown in rows:
        papers = [paper.strip() for paper in ",".join(shown).split(",")]
        found.append(Click(query, clicked, tuple(filter(None, papers))))
    return found


def _propensity(path: Path) -> list[float]:
    found = _json(path)
    scores = found.get("scores") if isinstance(found, dict) else None
    if not isinstance(scores, list) or not scores or not all(map(_is_likely, scores)):
        raise TrainerError(
            f'{path} does not have the format {{"scores": [...]}} with positive scores.', _COPY
        )
    return [float(score) for score in scores]


def _is_likely(score: Any) -> bool:
    return isinstance(score, int | float) and math.isfinite(score) and score > 0


def _known(described: Mapping[str, Any]) -> PaperMetadata:
    from trainer.evaluations.recommendation import PaperMetadata

    people, cites, cited_by = (
        _names(described.get(key)) for key in ("authors", "references", "cited_by")
    )
    return PaperMetadata(
        str(described.get("title") or ""), people, _year(described), cites, cited_by
    )


def _names(listed: Any) -> tuple[str, ...]:
    """Ids of authors or papers; an entry that is not a string is identified by its JSON."""
    items = listed if isinstance(listed, list) else []
    return tuple(
        item if isinstance(item, str) else json.dumps(item, sort_keys=True) for item in items
    )


def _year(described: Mapping[str, Any]) -> int:
    try:
        return int(float(described.get("year") or 0))
    except (TypeError, ValueError, OverflowError):
        return 0


def _papers(described: Mapping[str, dict[str, Any]], path: Path) -> dict[str, TextInput]:
    return {name: paper_from_json({**paper, "id": name}, path) for name, paper in described.items()}


def _described(path: Path) -> dict[str, dict[str, Any]]:
    found = _json(path)
    if not isinstance(found, dict):
        raise TrainerError(f"{path} does not map IDs to papers.", _COPY)
    return {name: paper for name, paper in found.items() if isinstance(paper, dict)}


def _json(path: Path) -> Any:
    with open_text(path) as lines:
        try:
            return json.load(lines)
        except (ValueError, RecursionError) as error:
            raise TrainerError(
                f"{path} is not valid JSON: {error}.", "Copy the file again."
            ) from error

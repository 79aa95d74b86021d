"""Evaluation report: a file of scores, each with its data, split and protocol.

A report is a folder:

  report.json    the scores; sufficient for displaying them
  items.npz      the values behind each mean, for comparing two models item by item
  pictures.json  curves, confusion matrices and coordinates of papers
  report.md, report.html   the same for people
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from trainer.contract.errors import TrainerError
from trainer.contract.run import write_atomically

FORMAT = 1
REPORT = "report.json"

# Reasons for exclusion, as tasks and reports name them.
NO_VECTOR = "papers without a vector"
QUERY_WITHOUT_VECTOR = "queries without a vector"
NO_CANDIDATES = "queries without candidates"
NOTHING_RELEVANT = "queries without relevant papers"
WITHOUT_ABSTRACT = "papers without an abstract"
WITHOUT_TITLES = "titles, as of baselines in the paper's code"

# Distinguishes it from a training report, which has the same name in the folder of a run.
_KIND = "evaluation"
_MAX_BYTES = 64 << 20

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class EvaluatedModel:
    """The evaluated model, vectors or baseline.

    `kind` is package, folder, vectors or baseline, `found` the name given by the user. `space` is
    empty if no model is known. `about` holds further properties: pooling, license, parameters.
    """

    id: str
    title: str
    kind: str
    found: str = ""
    space: str = ""
    method: str = ""
    base: str = ""
    dim: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Score:
    """One score over `n` items. Proportions are 0 to 1; the catalog defines their display.

    `low` to `high` is the 95 % confidence interval by bootstrap over the items. `spread` is the
    standard deviation over `seeds` repetitions.
    """

    metric: str
    value: float
    n: int
    low: float | None = None
    high: float | None = None
    spread: float | None = None
    seeds: int = 1

    def __post_init__(self) -> None:
        for number in (self.value, self.low, self.high, self.spread):
            if number is not None and not math.isfinite(number):
                raise ValueError(f"{self.metric} has the invalid value {number}")


@dataclass(frozen=True, kw_only=True)
class Result:
    """The scores of one task, and everything besides the model that they depend on.

    `sha256` is the hash of the task's papers and judgements. `excluded` counts excluded items by
    reason. `notes` are further remarks for the reader.
    """

    task: str
    title: str
    evaluation: str
    protocol: int
    split: str
    sha256: str
    seed: int
    seconds: float
    scores: tuple[Score, ...]
    excluded: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def score(self, metric: str) -> Score | None:
        return next((score for score in self.scores if score.metric == metric), None)

    def incomparable_reason(self, other: Result) -> str:
        """Return why scores of the two results must not be compared; empty if they may be."""
        if self.evaluation != other.evaluation:
            return f"the evaluations differ: {self.evaluation} and {other.evaluation}"
        if self.protocol != other.protocol:
            return (
                f"the protocol versions of {self.evaluation} differ: {self.protocol} and "
                f"{other.protocol}"
            )
        if self.split != other.split:
            return f"the splits differ: {self.split} and {other.split}"
        if self.sha256 != other.sha256:
            return f"the data differ: SHA-256 {self.sha256[:12]} and {other.sha256[:12]}"
        return ""


@dataclass(frozen=True, kw_only=True)
class Report:
    """All results of one model on one suite. `created` is in ISO 8601, UTC."""

    subject: EvaluatedModel
    suite: str
    results: tuple[Result, ...]
    created: str
    trainer: str
    machine: str = ""

    def result(self, task: str) -> Result | None:
        return next((result for result in self.results if result.task == task), None)

    @classmethod
    def read(cls, path: Path) -> Report:
        """Read the report in this folder or file. Raises TrainerError."""
        file = path / REPORT if path.is_dir() else path
        found = _json(file)
        if found.get("kind") != _KIND:
            raise TrainerError(
                f"{file} is not an evaluation report.",
                "Create a report: sciread-trainer evaluate MODEL --suite SUITE",
            )
        if found.get("format") != FORMAT:
            raise TrainerError(
                f"{file} has format {found.get('format')!r}, not {FORMAT}.",
                "Update SciRead, or evaluate again with this version.",
            )
        try:
            return _report(found)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise TrainerError(f"{file} is damaged: {what}.", "Evaluate again.") from error

    def write(self, folder: Path) -> Path:
        """Write the report atomically into this folder, replacing an existing one. Return its
        path."""
        folder.mkdir(parents=True, exist_ok=True)
        described = {"kind": _KIND, "format": FORMAT, **asdict(self)}
        text = json.dumps(described, indent=2, allow_nan=False)
        write_atomically(folder / REPORT, text + "\n")
        return folder / REPORT


def _json(file: Path) -> dict[str, Any]:
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise TrainerError(f"{file} is too large for a report.")
        found = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise TrainerError(
            f"{file} could not be read: {error.strerror}.",
            "A report is a folder written by `sciread-trainer evaluate`.",
        ) from error
    except (ValueError, RecursionError) as error:
        raise TrainerError(f"{file} is damaged: {error}.", "Evaluate again.") from error
    return found if isinstance(found, dict) else {}


def _report(found: dict[str, Any]) -> Report:
    return Report(
        subject=_subject(_of(found, "subject", dict)),
        suite=_of(found, "suite", str),
        results=tuple(_result(result) for result in _of(found, "results", list)),
        created=_of(found, "created", str),
        trainer=_of(found, "trainer", str),
        machine=_of(found, "machine", str, ""),
    )


def _subject(found: dict[str, Any]) -> EvaluatedModel:
    return EvaluatedModel(
        id=_of(found, "id", str),
        title=_of(found, "title", str),
        kind=_of(found, "kind", str),
        found=_of(found, "found", str, ""),
        space=_of(found, "space", str, ""),
        method=_of(found, "method", str, ""),
        base=_of(found, "base", str, ""),
        dim=_of(found, "dim", int, 0),
        about=_of(found, "about", dict, {}),
    )


def _result(found: Any) -> Result:
    counts = _of(found, "excluded", dict, {})
    return Result(
        task=_of(found, "task", str),
        title=_of(found, "title", str),
        evaluation=_of(found, "evaluation", str),
        protocol=_of(found, "protocol", int),
        split=_of(found, "split", str),
        sha256=_of(found, "sha256", str),
        seed=_of(found, "seed", int),
        seconds=_number(found, "seconds"),
        scores=tuple(_score(score) for score in _of(found, "scores", list)),
        excluded={reason: _of(counts, reason, int) for reason in counts},
        notes=tuple(str(note) for note in _of(found, "notes", list, [])),
    )


def _score(found: Any) -> Score:
    return Score(
        metric=_of(found, "metric", str),
        value=_number(found, "value"),
        n=_of(found, "n", int),
        low=_number_or_none(found, "low"),
        high=_number_or_none(found, "high"),
        spread=_number_or_none(found, "spread"),
        seeds=_of(found, "seeds", int, 1),
    )


def _of(found: Any, name: str, kind: type[T], default: T | None = None) -> T:
    """Return a field of the given type. Raises KeyError if it is missing, TypeError for another
    type."""
    if not isinstance(found, dict):
        raise TypeError(f"expected an object instead of {found!r}")
    value = found[name] if default is None else found.get(name, default)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{name} has the invalid value {value!r}")
    return value


def _number(found: Any, name: str) -> float:
    value = found.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name} has the invalid value {value}")
    return _of({name: value}, name, float)


def _number_or_none(found: dict[str, Any], name: str) -> float | None:
    return None if found.get(name) is None else _number(found, name)

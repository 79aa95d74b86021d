"""Plot data of a report: small arrays computed where the vectors are available."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from trainer.contract.errors import TrainerError
from trainer.contract.run import write_atomically

PICTURES = "pictures.json"
FORMAT = 1
# Label under which rare labels are combined.
OTHERS = "all others"
_MAX_BYTES = 64 << 20

Points: TypeAlias = Sequence[float]


@dataclass(frozen=True)
class Confusion:
    """A confusion matrix: `counts[true][predicted]`, the most frequent labels first."""

    title: str
    labels: Sequence[str]
    counts: Sequence[Sequence[int]]


@dataclass(frozen=True)
class ThresholdCurves:
    """ROC and precision-recall curves of pairs (or queries) over all thresholds.

    The ROC curve, `found` over `false_alarms`, goes from (0, 0) to (1, 1). `precision` is over
    `recall`. `belongs` is the proportion of positives: the precision of a random classifier.
    """

    title: str
    false_alarms: Points
    found: Points
    recall: Points
    precision: Points
    belongs: float


@dataclass(frozen=True)
class Distributions:
    """Histograms: the proportion of each series in each bin. `edges` has one more element than
    bins."""

    title: str
    axis: str
    edges: Points
    series: Mapping[str, Points]


@dataclass(frozen=True)
class ScatterPlot:
    """Two-dimensional coordinates of papers. `label[i]` is the index in `labels` for paper i."""

    title: str
    way: str
    x: Points
    y: Points
    label: Sequence[int]
    labels: Sequence[str]


Picture: TypeAlias = Confusion | ThresholdCurves | Distributions | ScatterPlot

_KINDS: Mapping[str, type[Any]] = {
    "confusion": Confusion,
    "curves": ThresholdCurves,
    "distributions": Distributions,
    "places": ScatterPlot,
}


def write_pictures(folder: Path, pictures: Mapping[str, Mapping[str, Picture]]) -> None:
    """Write the plots of each task, by name, next to a report."""
    kinds = {kind: name for name, kind in _KINDS.items()}
    described = {
        task: {name: {"kind": kinds[type(p)], **asdict(p)} for name, p in named.items()}
        for task, named in pictures.items()
    }
    text = json.dumps({"format": FORMAT, "pictures": described}, allow_nan=False)
    write_atomically(folder / PICTURES, text + "\n")


def read_pictures(folder: Path) -> dict[str, dict[str, Picture]]:
    """Read the plots next to the report in this folder; empty if there are none.

    Raises TrainerError for a file that is damaged or of a newer format.
    """
    path = folder / PICTURES
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise TrainerError(f"{path} is too large for the plots of a report.")
        found = json.loads(path.read_text("utf-8"))
        if found["format"] != FORMAT:
            raise TrainerError(
                f"{path} has format {found['format']!r}, not {FORMAT}.",
                "Update SciRead, or evaluate again with this version.",
            )
        return {
            task: {name: _picture(dict(described)) for name, described in named.items()}
            for task, named in found["pictures"].items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise TrainerError(f"{path} is damaged: {error}.", "Evaluate again.") from error


def _picture(described: dict[str, Any]) -> Picture:
    """Parse a plot. Raises ValueError, TypeError or KeyError if it cannot be drawn."""
    kind = _KINDS[described.pop("kind")]
    picture: Picture = kind(**{name: described[name] for name in (f.name for f in fields(kind))})
    _check(picture)
    return picture


def _check(picture: Picture) -> None:
    match picture:
        case Confusion():
            size = len(picture.labels)
            _check_names([picture.title, *picture.labels])
            _check_numbers(picture.counts, (size, size))
            if np.min(picture.counts, initial=0) < 0:
                raise ValueError("a count is negative")
        case ThresholdCurves():
            _check_names([picture.title])
            for x, y in (
                (picture.false_alarms, picture.found),
                (picture.recall, picture.precision),
            ):
                _check_numbers([x, y], (2, len(x)))
            _check_numbers(picture.belongs, ())
        case Distributions():
            _check_names([picture.title, picture.axis, *picture.series])
            _check_numbers(picture.edges, (len(picture.edges),))
            for shares in picture.series.values():
                _check_numbers(shares, (len(picture.edges) - 1,))
        case ScatterPlot():
            _check_names([picture.title, picture.way, *picture.labels])
            _check_numbers([picture.x, picture.y, picture.label], (3, len(picture.x)))
            if any(not 0 <= code < len(picture.labels) for code in picture.label):
                raise ValueError("a paper has an undefined label")


def _check_names(names: Sequence[Any]) -> None:
    if not all(isinstance(name, str) for name in names):
        raise ValueError("a name is not a string")


def _check_numbers(values: Any, shape: tuple[int, ...]) -> None:
    array = np.asarray(values)
    if array.dtype.kind not in "if" or array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"an array of shape {shape} is required")

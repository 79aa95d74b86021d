"""What a report draws beside its scores: small values that are made where the vectors are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from trainer.contract.errors import TrainerError
from trainer.contract.run import write_whole

PICTURES = "pictures.json"
FORMAT = 1
# What rare labels are taken together as.
OTHERS = "all others"
_MAX_BYTES = 64 << 20

Points: TypeAlias = Sequence[float]


@dataclass(frozen=True)
class Confusion:
    """How often which label was told: `counts[truth][told]`, the most frequent labels first."""

    title: str
    labels: Sequence[str]
    counts: Sequence[Sequence[int]]


@dataclass(frozen=True)
class Curves:
    """How pairs (or queries) that belong are told apart, at every threshold.

    `roc` goes from (0, 0) to (1, 1): false alarms, found. `precision` over `recall`. `belongs` is
    the share of those that belong: the precision of guessing.
    """

    title: str
    false_alarms: Points
    found: Points
    recall: Points
    precision: Points
    belongs: float


@dataclass(frozen=True)
class Distributions:
    """What share of each series falls into each bin; `edges` has one more number than they."""

    title: str
    axis: str
    edges: Points
    series: Mapping[str, Points]


@dataclass(frozen=True)
class Places:
    """Papers in the plane. `label[i]` is the place in `labels` of paper i's."""

    title: str
    way: str
    x: Points
    y: Points
    label: Sequence[int]
    labels: Sequence[str]


Picture: TypeAlias = Confusion | Curves | Distributions | Places

_KINDS: Mapping[str, type[Any]] = {
    "confusion": Confusion,
    "curves": Curves,
    "distributions": Distributions,
    "places": Places,
}


def write_pictures(folder: Path, pictures: Mapping[str, Mapping[str, Picture]]) -> None:
    """Put the pictures of each task, by their names, beside a report."""
    kinds = {kind: name for name, kind in _KINDS.items()}
    described = {
        task: {name: {"kind": kinds[type(p)], **asdict(p)} for name, p in named.items()}
        for task, named in pictures.items()
    }
    text = json.dumps({"format": FORMAT, "pictures": described}, allow_nan=False)
    write_whole(folder / PICTURES, text + "\n")


def read_pictures(folder: Path) -> dict[str, dict[str, Picture]]:
    """What lies beside the report in this folder; nothing where there are none.

    Raises TrainerError for a file that is damaged or of a newer format.
    """
    path = folder / PICTURES
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise TrainerError(f"{path} is too large for the pictures of a report.")
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
    """Raises ValueError, TypeError or KeyError for what cannot be drawn."""
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
                raise ValueError("a count is less than nothing")
        case Curves():
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
        case Places():
            _check_names([picture.title, picture.way, *picture.labels])
            _check_numbers([picture.x, picture.y, picture.label], (3, len(picture.x)))
            if any(not 0 <= code < len(picture.labels) for code in picture.label):
                raise ValueError("a paper has a label that is not named")


def _check_names(names: Sequence[Any]) -> None:
    if not all(isinstance(name, str) for name in names):
        raise ValueError("a name is no text")


def _check_numbers(values: Any, shape: tuple[int, ...]) -> None:
    array = np.asarray(values)
    if array.dtype.kind not in "if" or array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"numbers of shape {shape} are needed")

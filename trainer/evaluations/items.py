"""Items of scores, stored beside their report for paired comparisons of models."""

from __future__ import annotations

import zipfile
import zlib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from trainer.contract.errors import TrainerError
from trainer.evaluations.metrics.intervals import Items

ITEMS = "items.npz"


def write_items(folder: Path, items: Mapping[str, Mapping[str, Items]]) -> None:
    """Write the items of each task by metric, atomically."""
    columns = {}
    for task, metrics in items.items():
        for metric, found in metrics.items():
            columns[f"{task}/{metric}/ids"] = np.asarray(found.ids, np.str_)
            columns[f"{task}/{metric}/values"] = np.asarray(found.values, np.float64)
            if found.weights is not None:
                columns[f"{task}/{metric}/weights"] = np.asarray(found.weights, np.float64)
    unfinished = folder / (ITEMS + ".new")
    with unfinished.open("wb") as file:
        np.savez_compressed(file, **columns)  # type: ignore[arg-type]
    unfinished.replace(folder / ITEMS)


def read_items(folder: Path) -> dict[str, dict[str, Items]]:
    """Read the items by task and metric, without pickle; empty if there is no file.

    Raises TrainerError for a damaged file.
    """
    path = folder / ITEMS
    columns: dict[tuple[str, str], dict[str, np.ndarray]] = defaultdict(dict)
    try:
        with np.load(path, allow_pickle=False) as file:
            for name in file.files:
                task, metric, column = name.rsplit("/", 2)
                columns[task, metric][column] = file[name]
        found: dict[str, dict[str, Items]] = defaultdict(dict)
        for (task, metric), arrays in columns.items():
            found[task][metric] = _items(arrays)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise TrainerError(f"{path} is damaged: {error}.", "Evaluate again.") from error
    return dict(found)


def _items(arrays: Mapping[str, np.ndarray]) -> Items:
    ids, values, weights = arrays["ids"], arrays["values"], arrays.get("weights")
    if ids.dtype.kind != "U":
        raise ValueError("ids are no texts")
    if any(column is not None and column.dtype.kind != "f" for column in (values, weights)):
        raise ValueError("values are no numbers")
    return Items(ids, values, weights)

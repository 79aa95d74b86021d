"""The file of items: lossless, refused when damaged, and safe to read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.make_report import items
from trainer.contract.errors import TrainerError
from trainer.evaluations.metrics.intervals import ITEMS, Items, read_items, write_items

names = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0/"), min_size=1)


@given(
    task=st.one_of(names, st.just("a/b")),
    metric=names.filter(lambda name: name not in (".", "..")),
    kept=st.dictionaries(names, st.floats(-1e9, 1e9), max_size=6),
    weighed=st.booleans(),
)
def test_items_round_trip_is_lossless(tmp_path_factory, task, metric, kept, weighed):
    folder = tmp_path_factory.mktemp("items")
    values = np.array(list(kept.values()), float)
    written = Items(list(kept), values, np.abs(values) if weighed else None)
    write_items(folder, {task: {metric: written}})
    found = read_items(folder)[task][metric]
    assert list(found.ids) == list(kept)
    assert np.array_equal(found.values, values)
    assert np.array_equal(found.weights, written.weights) if weighed else found.weights is None


def test_report_without_items_file_has_none(tmp_path):
    assert read_items(tmp_path) == {}


def test_truncated_items_file_is_refused_by_name(tmp_path):
    write_items(tmp_path, {"cite": {"map": items(np.arange(2_000.0))}})
    whole = (tmp_path / ITEMS).read_bytes()
    for cut in (0, 3, 100, len(whole) // 2, len(whole) - 5):
        (tmp_path / ITEMS).write_bytes(whole[:cut])
        with pytest.raises(TrainerError, match=r"items\.npz is damaged"):
            read_items(tmp_path)


@pytest.mark.parametrize(
    "columns",
    [
        {"cite/map/ids": np.array(["a"]), "cite/map/values": np.array([object()])},
        {"cite/map/ids": np.array(["a"]), "cite/map/values": np.array([1.0, 2.0])},
        {"cite/map/ids": np.array([1.0]), "cite/map/values": np.array([1.0])},
        {"cite/map/ids": np.array(["a"]), "cite/map/values": np.array([np.nan])},
        {"cite/map/values": np.array([1.0])},
        {"values": np.array([1.0])},
    ],
)
def test_read_items_of_damaged_file_raises_error(tmp_path, columns):
    np.savez(tmp_path / ITEMS, **columns)
    with pytest.raises(TrainerError, match="damaged"):
        read_items(tmp_path)

"""Plot data of a report: lossless, and refused if they cannot be drawn."""

from __future__ import annotations

import json

import pytest

from tests.support.generate.report import pictures_of
from trainer.contract.errors import TrainerError
from trainer.contract.plots import PICTURES, read_pictures, write_pictures


def test_pictures_round_trip_is_lossless(tmp_path):
    made = pictures_of(1, 0.7)
    write_pictures(tmp_path, made)
    assert read_pictures(tmp_path) == made
    assert (tmp_path / PICTURES).stat().st_size < 100_000


def test_report_without_pictures_file_has_none(tmp_path):
    assert read_pictures(tmp_path) == {}


@pytest.mark.parametrize(
    ("task", "name", "field", "wrong"),
    [
        ("mag", "confusion", "counts", [[1]]),
        ("mag", "confusion", "kind", "film"),
        ("mag", "confusion", "labels", [["a"]] * 6),
        ("mag", "confusion", "counts", [[-1] * 6] * 6),
        ("mag", "places", "label", [99] * 600),
        ("mag", "places", "x", ["<script>"] * 600),
        ("cite", "curves", "belongs", None),
        ("cite", "curves", "recall", []),
        ("cite", "similarity", "series", {"a": [1]}),
        ("cite", "similarity", "edges", 3),
    ],
)
def test_invalid_pictures_are_refused(tmp_path, task, name, field, wrong):
    write_pictures(tmp_path, pictures_of(1, 0.7))
    file = tmp_path / PICTURES
    described = json.loads(file.read_text())
    described["pictures"][task][name][field] = wrong
    file.write_text(json.dumps(described))
    with pytest.raises(TrainerError, match=r"pictures\.json is damaged"):
        read_pictures(tmp_path)


def test_pictures_of_a_newer_format_are_refused(tmp_path):
    (tmp_path / PICTURES).write_text('{"format": 2, "pictures": {}}')
    with pytest.raises(TrainerError, match="format 2, not 1"):
        read_pictures(tmp_path)

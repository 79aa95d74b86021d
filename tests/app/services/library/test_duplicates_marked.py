"""Records of a systematic review in which people marked the duplicates."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from sciread_app.formats import jsonl
from sciread_app.services.library.duplicates import Duplicates
from sciread_app.services.library.editor import LibraryEditor

SETS = Path(__file__).parents[5] / "shared" / "data" / "duplicates"
FILES = sorted(SETS.glob("*.jsonl.gz"))
pytestmark = pytest.mark.skipif(not FILES, reason="shared/data/duplicates is not there")


@pytest.mark.parametrize("source", ["jsonl", "ris"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_merged_records_are_duplicates_and_missed_ones_are_listed(library, file, source):
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        marked = [bool(json.loads(line)["duplicate"]) for line in lines]
    records = [
        # The marks are not compared.
        replace(record, source=source, extra={"issn": record.extra.get("issn", "")})
        for record in jsonl.read(file)
    ]
    of_paper = defaultdict(list)
    for id, mark in zip(library.put(records).ids, marked, strict=True):
        of_paper[id].append(mark)
    merged = [mark for marks in of_paper.values() if len(marks) > 1 for mark in marks]
    assert sum(merged) >= 0.995 * len(merged)
    assert sum(merged) >= 0.95 * sum(marked)
    alone = {id for id, marks in of_paper.items() if marks == [True]}
    pairs = Duplicates(library, LibraryEditor(library)).pairs()
    listed = {id for pair in pairs for id in (pair.a, pair.b)}
    assert len(alone & listed) >= 0.9 * len(alone)

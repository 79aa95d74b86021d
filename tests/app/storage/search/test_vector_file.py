"""The file of vectors, and snapshots over it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sciread_app.storage.search.vector_file import VectorFile, VectorRows
from sciread_app.storage.search.vector_snapshot import Snapshot

DIM = 24
SMAPS = Path("/proc/self/smaps")


def units(count: int, seed: int = 0, dim: int = DIM) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dim))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def hashes(count: int, start: int = 1) -> np.ndarray:
    return np.arange(start, start + count) * 7_919_777_777


def as_half_precision(vectors: np.ndarray) -> np.ndarray:
    return vectors.astype(np.float16).astype(np.float32)


@pytest.fixture
def file(tmp_path) -> VectorFile:
    return VectorFile(tmp_path / "indexes" / "a.vectors", "a", DIM)


def test_vectors_are_stored_in_half_precision(file):
    vectors = units(10)
    file.write(0, vectors, hashes(10))

    read, held = file.rows().read(np.array([7, 0, 3]), hashes(10)[[7, 0, 3]])

    assert held.all()
    assert read.dtype == np.float32
    assert (read == as_half_precision(vectors)[[7, 0, 3]]).all()


def test_missing_file_has_no_vectors(file):
    rows = file.rows()
    assert len(rows) == 0
    read, held = rows.read(np.array([0, 5]), hashes(2))
    assert not held.any()
    assert not read.any()
    assert (rows.scores(units(1)[0], np.array([3]), hashes(1)) == -np.inf).all()
    assert rows.find(hashes(2)).tolist() == [-1, -1]
    assert not rows.hold(np.array([0]), hashes(1)).any()


def test_row_of_another_text_is_missing(file):
    file.write(0, units(3), hashes(3))
    asked = np.array([hashes(3)[0], 42, hashes(3)[2]])
    read, held = file.rows().read(np.arange(3), asked)
    assert held.tolist() == [True, False, True]
    assert not read[1].any()
    assert file.rows().hold(np.arange(3), asked).tolist() == [True, False, True]
    scores = file.rows().scores(units(1)[0], np.arange(3), asked)
    assert np.isinf(scores).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("space", "dim"), [("b", DIM), ("a", DIM * 2)], ids=["another space", "another dim"]
)
def test_file_of_another_model_is_empty_and_replaced(file, space, dim):
    file.write(0, units(4), hashes(4))
    other = VectorFile(file.path, space, dim)

    assert len(other.rows()) == 0
    other.write(9, units(2, dim=dim), hashes(2))

    assert other.rows().hold(np.array([9, 10]), hashes(2)).all()
    assert len(file.rows()) == 0


@pytest.mark.parametrize("content", [b"", b"SciRead", b"SQLite format 3\x00" + bytes(5000)])
def test_file_of_another_format_is_empty_and_replaced(file, content):
    file.path.parent.mkdir()
    file.path.write_bytes(content)
    assert len(file.rows()) == 0
    file.write(0, units(2), hashes(2))
    assert file.rows().hold(np.arange(2), hashes(2)).all()


def test_truncated_file_keeps_complete_rows(file):
    file.write(0, units(20), hashes(20))
    whole = file.path.read_bytes()
    row = (len(whole) - 72) // 20
    for kept in (0, 1, row - 1, row, 7 * row + 3, 19 * row + 9):
        file.path.write_bytes(whole[: 72 + kept])
        held = file.rows().hold(np.arange(20), hashes(20))
        assert held.tolist() == [n < kept // row for n in range(20)]
    file.write(20, units(5), hashes(5, start=21))  # beyond the end: the rows between are missing
    held = file.rows().hold(np.arange(25), hashes(25))
    assert held.tolist() == [True] * 19 + [False] + [True] * 5


def test_rows_taken_before_a_rewrite_remain_readable(file):
    vectors = units(10)
    file.write(0, vectors, hashes(10))
    before = file.rows()
    file.rewrite(np.array([2, 9, 4]), first=10)

    assert before.read(np.arange(10), hashes(10))[1].all()
    after = file.rows()
    assert (len(after), after.first) == (3, 10)
    read, held = after.read(np.array([10, 11, 12]), hashes(10)[[2, 9, 4]])
    assert held.all()
    assert (read == as_half_precision(vectors)[[2, 9, 4]]).all()
    assert not after.hold(np.arange(10), hashes(10)).any()

    file.write(13, units(1, seed=5), hashes(1, start=50))
    assert file.rows().hold(np.array([10, 13]), np.array([hashes(10)[2], hashes(1, 50)[0]])).all()


def test_killed_rewrite_leaves_old_rows(file, monkeypatch):
    file.write(0, units(10), hashes(10))
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        file.rewrite(np.arange(3), first=10)
    assert file.rows().hold(np.arange(10), hashes(10)).all()


def test_vector_is_found_by_text_hash(file):
    file.write(5, units(3), hashes(3))
    found = file.rows().find(np.array([hashes(3)[2], 99, hashes(3)[0]]))
    assert found.tolist() == [7, -1, 5]


def test_vectors_of_wrong_dimension_are_refused(file):
    with pytest.raises(ValueError, match="broadcast"):
        file.write(0, units(3, dim=DIM + 1), hashes(3))


def test_rows_written_by_another_process_are_seen(file):
    file.write(0, units(2), hashes(2))
    assert len(file.rows()) == 2
    program = (
        "import sys; from pathlib import Path; import numpy as np\n"
        "from sciread_app.storage.search.vector_file import VectorFile\n"
        f"VectorFile(Path(sys.argv[1]), 'a', {DIM}).write(2, np.eye({DIM})[:3], np.arange(3) + 1)"
    )
    subprocess.run([sys.executable, "-c", program, file.path], check=True, timeout=60)
    read, held = file.rows().read(np.array([1, 2, 4]), np.array([hashes(2)[1], 1, 3]))
    assert held.all()
    assert (read[1:] == np.eye(DIM)[[0, 2]]).all()


@given(
    arrays(np.float16, (9, 3), elements=st.floats(-1, 1, width=16)),
    arrays(np.float32, 3, elements=st.floats(-1, 1, width=32)),
)
@settings(max_examples=200, deadline=None)
def test_scores_are_inner_products_for_any_half_floats(vectors, query):
    """Includes zeros of both signs and subnormal numbers."""
    table = np.zeros(9, [("vector", "<f2", (3,)), ("hash", "<i8")])
    table["vector"], table["hash"] = vectors, hashes(9)
    scores = VectorRows(table, 0).scores(query, np.arange(9), hashes(9))
    assert np.allclose(scores, vectors.astype(np.float64) @ query.astype(np.float64), atol=1e-6)


def test_scores_over_many_blocks_equal_those_of_each_row(file):
    vectors = units(9_000)
    file.write(0, vectors, hashes(9_000))
    rows = np.random.default_rng(1).permutation(9_000)
    scores = file.rows().scores(vectors[17], rows, hashes(9_000)[rows])
    assert np.allclose(scores, as_half_precision(vectors)[rows] @ vectors[17], atol=1e-6)


def test_snapshot_best_is_sorted_and_complete(file):
    vectors = units(50)
    vectors[30] = vectors[10]  # a tie: the older paper comes first
    file.write(0, vectors, hashes(50))
    ids = np.arange(50) * 3
    snapshot = Snapshot(ids, np.arange(50), hashes(50), file.rows())

    found, similarities = snapshot.best(vectors[10], 5)
    assert found[:2].tolist() == [30, 90]
    assert (np.diff(similarities) <= 0).all()
    assert set(found) == set(ids[np.argsort(-(as_half_precision(vectors) @ vectors[10]))[:5]])
    assert len(snapshot.best(vectors[10], 500)[0]) == 50
    assert len(snapshot.best(vectors[10], 0)[0]) == 0


def test_snapshot_leaves_out_vectors_missing_in_file(file):
    vectors = units(4)
    file.write(0, vectors, hashes(4))
    asked = hashes(4)
    asked[1] = 5
    snapshot = Snapshot(np.arange(4), np.arange(4), asked, file.rows())
    assert snapshot.held().tolist() == [True, False, True, True]
    assert sorted(snapshot.best(vectors[1], 4)[0].tolist()) == [0, 2, 3]


def test_snapshot_ignores_vectors_not_of_unit_length(file):
    vectors = units(3)
    vectors[1] *= 3
    file.write(0, vectors, hashes(3))
    read, held = Snapshot(np.arange(3), np.arange(3), hashes(3), file.rows()).read()
    assert held.tolist() == [True, False, True]
    assert not read[1].any()


@pytest.mark.skipif(not SMAPS.exists(), reason="only Linux tells what of a file is in memory")
@pytest.mark.parametrize("asked", ["read", "scores", "hold", "find"])
def test_pages_read_from_file_do_not_stay_resident(file, asked):
    file.write(0, units(9_000), hashes(9_000))
    rows, every = file.rows(), np.arange(9_000)
    record = {
        "read": lambda: rows.read(every, hashes(9_000)),
        "scores": lambda: rows.scores(units(1)[0], every, hashes(9_000)),
        "hold": lambda: rows.hold(every, hashes(9_000)),
        "find": lambda: rows.find(hashes(9_000)),
    }[asked]()
    assert record is not None

    _, _, about = SMAPS.read_text().partition(str(file.path))
    assert re.search(r"^Rss: +(\d+) kB$", about, re.MULTILINE)[1] == "0"


@pytest.mark.skipif(not SMAPS.exists(), reason="only Linux tells how much memory there was at most")
@pytest.mark.parametrize("asked", ["scores", "hold", "find"])
def test_scan_of_all_rows_never_holds_whole_file_in_memory(tmp_path, asked):
    count, dim = 60_000, 384
    file = VectorFile(tmp_path / "a.vectors", "a", dim)
    file.write(0, np.zeros((count, dim), np.float16), hashes(count))
    rows, every, texts = file.rows(), np.arange(count), hashes(count)
    look = {
        "scores": lambda: rows.scores(units(1, dim=dim)[0], every, texts),
        "hold": lambda: rows.hold(every, texts),
        "find": lambda: rows.find(texts),
    }[asked]
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak value
    before = kilobytes("VmRSS")
    assert look() is not None
    assert kilobytes("VmHWM") - before < file.path.stat().st_size / 1024 * 0.6


def kilobytes(what: str) -> int:
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"^{what}:\s+(\d+) kB$", status, re.MULTILINE)[1])

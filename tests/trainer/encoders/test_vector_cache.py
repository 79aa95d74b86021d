from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainer.encoders.vector_cache import CachedVectors, VectorCache, cache_folder, text_key

pytestmark = pytest.mark.usefixtures("forked_python")

ROOT = Path(__file__).resolve().parents[3]
DIM = 8


def rows(count: int, seed: int = 0) -> CachedVectors:
    random = np.random.default_rng(seed)
    return CachedVectors(
        random.normal(size=(count, DIM)).astype(np.float32),
        random.integers(1, 100, count),
        random.random(count) < 0.5,
        random.random(count),
    )


def keys(*names: object) -> list[bytes]:
    return [text_key(str(name), "") for name in names]


@pytest.fixture
def cache(tmp_path: Path) -> VectorCache:
    return VectorCache(tmp_path / "cache")


def test_cache_returns_written_vectors_in_any_order(cache):
    made = rows(3)
    cache.write("space", keys("a", "b", "c"), made)
    found = CachedVectors.empty(3, DIM)
    assert cache.read("space", keys("c", "new", "a"), found).tolist() == [True, False, True]
    for name, values in vars(found).items():
        assert np.array_equal(values[[0, 2]], getattr(made, name)[[2, 0]])
    assert not found.vectors[1].any()


def test_vectors_of_another_space_are_not_returned(cache):
    cache.write("space", keys("a"), rows(1))
    assert not cache.read("other", keys("a"), CachedVectors.empty(1, DIM)).any()


def test_damaged_file_is_removed_and_its_texts_are_missing(cache):
    for name in "abc":
        cache.write("space", keys(name), rows(1))
    cut, spoilt, _ = sorted((cache.folder / "space").iterdir())
    cut.write_bytes(cut.read_bytes()[:-40])
    data = bytearray(spoilt.read_bytes())
    data[len(data) // 2] ^= 0xFF
    spoilt.write_bytes(data)
    assert cache.read("space", keys("a", "b", "c"), CachedVectors.empty(3, DIM)).sum() == 1
    assert len(list((cache.folder / "space").iterdir())) == 1


def test_vectors_of_another_dimension_are_not_returned(cache):
    cache.write("space", keys("a"), rows(1))
    assert not cache.read("space", keys("a"), CachedVectors.empty(1, DIM + 1)).any()


def test_cache_never_unpickles(cache, tmp_path):
    folder = cache.folder / "space"
    folder.mkdir(parents=True)
    bomb = np.array([Bomb(tmp_path / "gone off")], object)
    np.savez(folder / "bad.npz", keys=bomb, vectors=bomb)
    assert not cache.read("space", keys("a"), CachedVectors.empty(1, DIM)).any()
    assert not (tmp_path / "gone off").exists()


class Bomb:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_cache_evicts_least_recently_used(tmp_path):
    cache = VectorCache(tmp_path, limit=5_000)
    files: list[Path] = []
    for age, name in enumerate("abc"):
        cache.write("space", keys(name), rows(1))
        files += [path for path in (tmp_path / "space").iterdir() if path not in files]
        os.utime(files[-1], (age, age))  # in seconds since 1970
    size = sum(path.stat().st_size for path in files) // 3
    cache = VectorCache(tmp_path, limit=3 * size + size // 2)
    cache.read("space", keys("a"), CachedVectors.empty(1, DIM))
    cache.write("space", keys("d"), rows(1))
    found = cache.read("space", keys("a", "b", "c", "d"), CachedVectors.empty(4, DIM))
    assert found.tolist() == [True, False, True, True]


def test_killed_writer_leaves_only_complete_files(cache):
    """Completed vectors are readable, incomplete ones are not seen."""
    program = (
        "import sys; from pathlib import Path; from tests.trainer.encoders import "
        "test_vector_cache as t\n"
        "cache = t.VectorCache(Path(sys.argv[1]))\n"
        "for n in range(10**6):\n"
        "    cache.write('space', t.keys(*range(n * 50, n * 50 + 50)), t.rows(50, n))\n"
    )
    command = [sys.executable, "-c", program, str(cache.folder)]
    writer = subprocess.Popen(command, cwd=ROOT)
    folder = cache.folder / "space"
    while len(list(folder.glob("*.npz"))) < 3 and writer.poll() is None:
        time.sleep(0.01)
    writer.kill()
    writer.wait()
    whole = len(list(folder.glob("*.npz")))
    count = 50 * whole
    found = CachedVectors.empty(count + 50, DIM)
    there = cache.read("space", keys(*range(count + 50)), found)
    assert whole >= 3
    assert there.tolist() == [True] * count + [False] * 50
    assert np.array_equal(found.vectors[100:150], rows(50, 2).vectors)


@given(st.text(), st.text(), st.text(), st.text())
def test_different_texts_have_different_keys(title, abstract, other_title, other_abstract):
    same = (title, abstract) == (other_title, other_abstract)
    assert (text_key(title, abstract) == text_key(other_title, other_abstract)) == same


def test_cache_folder_is_in_the_library_home(monkeypatch, tmp_path):
    monkeypatch.setenv("SCIREAD_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "cache" / "vectors"

"""The embedding index loses and repeats no vector with killed or concurrent processes."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.support.models.small_spaces import brute_force, papers

pytestmark = pytest.mark.usefixtures("forked_python")

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def die_after_writing(library, monkeypatch):
    """Encode in a process killed after it writes vectors, before it records their papers."""
    put = library.put_vectors

    def write_and_die(key, ids, hashes, write):
        def written(first):
            write(first)
            raise KeyboardInterrupt

        put(key, ids, hashes, written)

    def encode_missing(space):
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(library, "put_vectors", write_and_die)
            space.encode_missing()

    return encode_missing


CATCH_UP = """
import sys
from pathlib import Path
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.storage.library import Library
from tests.support.models.fake_encoder import FakeEncoder

home = Path(sys.argv[1])
with (home / "asked").open("a") as asked:
    encoder = FakeEncoder(on_text=lambda text: print(text[0], file=asked, flush=True))
    space = EmbeddingIndex(Library(home / "library.sqlite3"), encoder, home / "indexes")
    space.encode_missing()
    space.close()
"""


def start_encoding(home: Path) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", CATCH_UP, str(home)], cwd=ROOT)


def nearest_equals_brute_force(space, library, encoder, k: int) -> bool:
    query = encoder.vector("something")
    found, wanted = space.nearest(query, k)[1], brute_force(library, encoder, query, k)
    return np.allclose(found, wanted, atol=1e-3)


def encoded_texts(home: Path) -> list[str]:
    file = home / "asked"
    return file.read_text().splitlines() if file.exists() else []


def test_first_batch_is_small_and_slow_models_get_small_batches(
    library, space, encoder, monkeypatch
):
    library.put(papers(400))
    now, sizes, put = [0.0], [], library.put_vectors
    monkeypatch.setattr(
        "sciread_app.services.search.embedding_index.time.monotonic", lambda: now[0]
    )

    def noted(key, ids, hashes, write):
        sizes.append(len(ids))
        now[0] += len(ids) * 0.1  # ten papers a second
        put(key, ids, hashes, write)

    monkeypatch.setattr(library, "put_vectors", noted)
    space.encode_missing()
    assert sum(sizes) == 400 and max(sizes) <= 64


def test_killed_encoding_loses_at_most_the_current_batch(library, space, encoder, tmp_path):
    library.put(papers(2_500))
    for moment in (100, 700, 1_300, 1_900):
        child = start_encoding(tmp_path)
        before = len(encoded_texts(tmp_path))
        while child.poll() is None and len(encoded_texts(tmp_path)) < max(moment, before + 20):
            time.sleep(0.01)
        child.kill()
        child.wait(60)
    assert start_encoding(tmp_path).wait(100) == 0

    texts = encoded_texts(tmp_path)
    assert len(set(texts)) == 2_500
    assert len(texts) <= 2_500 + 4 * 512
    assert space.encode_missing() == 0
    assert space.problems() == []
    assert nearest_equals_brute_force(space, library, encoder, 200)


def test_vectors_written_before_kill_are_recovered(
    library, space, another, encoder, die_after_writing
):
    library.put(papers(400))
    die_after_writing(space)
    assert another.count() == 0

    assert another.encode_missing() == 400
    assert len(encoder.calls) == 400


def test_two_processes_encoding_at_once_keep_index_intact(library, space, encoder, tmp_path):
    library.put(papers(1_500))
    children = [start_encoding(tmp_path) for _ in range(2)]
    assert [child.wait(100) for child in children] == [0, 0]

    assert space.encode_missing() == 0
    assert space.problems() == []
    assert nearest_equals_brute_force(space, library, encoder, 100)


def test_rows_moved_by_another_process_are_not_moved_again(
    library, space, another, encoder, monkeypatch
):
    library.put(papers(600))
    space.encode_missing()
    ids, hashes = library.missing_vectors("nobody")
    # The same vectors a second time, as when two processes encode at once: half of all rows is
    # unused.
    vectors, _ = space.vectors(ids)
    write = partial(space._file.write, vectors=vectors, hashes=hashes)
    library.put_vectors(space.key, ids.tolist(), hashes.tolist(), write)
    put_vectors = library.put_vectors

    def other_is_faster(*arguments):
        monkeypatch.undo()
        assert another.encode_missing() == 0
        put_vectors(*arguments)

    monkeypatch.setattr(library, "put_vectors", other_is_faster)
    assert space.encode_missing() == 0
    asked = len(encoder.calls)
    assert space.encode_missing() == 0 and len(encoder.calls) == asked
    assert space.problems() == []


def test_kill_while_freeing_rows_causes_no_encoding(
    library, space, another, encoder, die_after_writing
):
    library.put(papers(1_600))
    space.encode_missing()
    library.trash(range(1, 1_001))
    die_after_writing(space)

    assert another.encode_missing() == 600
    assert len(encoder.calls) == 1_600
    query = another.encode_query("something")
    assert np.allclose(
        another.nearest(query, 600)[1], brute_force(library, encoder, query, 600), atol=1e-3
    )

"""A large library for benchmarks of the window, with vectors that cost nothing: 153,940 real
papers, or made-up ones where those are not at hand.

`python -m benchmarks.large_home FOLDER [--papers N]`. Texts become sums of random directions
of their words, in the starter model's own space: enough to be near what is about the same, and made
in a minute where the model takes half an hour. What is measured here is time, not quality.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sciread_app.paths import open_home
from sciread_app.services.ingest.importer import Importer
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from trainer.contract.package import starter_package

REAL = Path(__file__).resolve().parents[1].parent / "shared/data/arxiv/papers.jsonl.gz"
LARGE, PAPERS = Path("bench-large"), 153_940


def made(home: Path | None, papers: int = PAPERS) -> Path:
    """`home`, or the large one, created if missing: in a separate process, so that its memory is
    not measured."""
    if home:
        return home
    make = [sys.executable, "-m", "benchmarks.large_home", str(LARGE)]
    subprocess.run([*make, "--papers", str(papers)], check=True)
    return LARGE


def write_papers(path: Path, count: int) -> None:
    """The first `count` real papers, or made-up ones where those are not at hand."""
    with path.open("w", encoding="utf-8") as stream:
        if REAL.is_file():
            with gzip.open(REAL, "rt", encoding="utf-8") as papers:
                stream.writelines(islice(papers, count))
        else:
            stream.writelines(json.dumps(_made_up(n)) + "\n" for n in range(count))


def _made_up(n: int) -> dict[str, object]:
    words = np.random.default_rng(n).zipf(1.3, 160) % 20_000
    text = [f"word{word}" for word in words]
    return {
        "id": f"x:{n}",
        "title": " ".join(text[:10]),
        "abstract": " ".join(text[10:]),
        "authors": f"Anna Word{words[0]}, Ben Word{words[1]}",
        "venue": f"Journal {words[2]}",
        "year": 1990 + n % 35,
    }


class WordEncoder:
    """Replacement for the starter model, in its space."""

    def __init__(self) -> None:
        # 200 MB, which would count in benchmarks of the window, which import this module.
        from sklearn.feature_extraction.text import HashingVectorizer
        from sklearn.random_projection import SparseRandomProjection

        package = starter_package()
        self.space, self.dim = package.space, package.dim
        self._words = HashingVectorizer(n_features=2**16, stop_words="english", norm="l2")
        self._directions = SparseRandomProjection(self.dim, random_state=0)
        self._directions.fit(np.empty((1, 2**16), np.float32))

    def encode(
        self, texts: Sequence[tuple[str, str]], task: Task | None = None
    ) -> NDArray[np.float32]:
        words = self._words.transform(f"{title} {abstract}" for title, abstract in texts)
        vectors = self._directions.transform(words).toarray().astype(np.float32)
        vectors[:, 0] += 1e-6  # a text without words has a direction, too
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def close(self) -> None:
        pass


def fill(folder: Path, papers: int = PAPERS) -> Path:
    """Create the library, or continue after an interruption; returns its folder."""
    home = open_home(folder)
    library = Library(home.library)
    try:
        if library.count() < papers:
            begun = time.monotonic()
            with tempfile.TemporaryDirectory() as scratch:
                source = Path(scratch) / "papers.jsonl"
                write_papers(source, papers)
                report = Importer(library).add([source], Task())
            library.trash(library.ids()[papers:])
            print(f"{report.added:,} papers taken in, {time.monotonic() - begun:.0f} s")
        shelve(library)
        begun = time.monotonic()
        space = EmbeddingIndex(library, WordEncoder(), home.indexes)
        encoded = space.encode_missing(Task())
        space.close()
        print(f"{encoded:,} vectors made and put into the index, {time.monotonic() - begun:.0f} s")
    finally:
        library.close()
    return folder


def shelve(library: Library) -> None:
    """Collections, tags, notes and stars, as a library that is used has them."""
    if library.collections.paths():
        return
    ids = library.ids()
    for n in range(40):
        library.collections.add(ids[n * 100 : n * 100 + 60].tolist(), f"Project {n % 8}/Part {n}")
        library.tags.add(ids[n * 50 : n * 50 + 200].tolist(), f"tag {n}")
    library.reading_state.mark_read(ids[::3].tolist())
    library.reading_state.rate(ids[::7].tolist(), 4)


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("folder", type=Path)
    asked.add_argument("--papers", type=int, default=PAPERS)
    wanted = asked.parse_args()
    fill(wanted.folder, wanted.papers)


if __name__ == "__main__":
    main()

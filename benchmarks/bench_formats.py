"""Speed of writing, reading and importing BibTeX, RIS and CSL-JSON.

Run it with `python -m benchmarks.bench_formats [papers]`. The papers are made up: abstracts
of 180 words, five authors, accents in one word of twelve, so that LaTeX is decoded everywhere.
Times are of the processor, so that what else runs on the machine does not count.
"""

from __future__ import annotations

import importlib
import random
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from types import ModuleType

from sciread_app.domain.metadata.identifiers import identifiers
from sciread_app.domain.paper import Author, Paper
from sciread_app.formats.bibtex import reader as bibtex
from sciread_app.formats.csl import reader as csl_json
from sciread_app.formats.ris import reader as ris
from sciread_app.services.ingest.importer import BATCH
from sciread_app.storage.library import Library

REPEATS = 3
FORMATS: dict[str, ModuleType] = {"BibTeX": bibtex, "RIS": ris, "CSL-JSON": csl_json}
# Seconds in which 10,000 papers must be in the library.
GOALS = {"BibTeX": 5.0, "RIS": 2.0}
PEERS = {
    bibtex: ("bibtexparser", lambda peer, path: peer.parse_file(str(path))),
    ris: ("rispy", lambda peer, path: peer.load(path)),
}
ACCENTED = ("Müller", "élan", "naïve", "Gödel", "façade", "Šidák", "Erdős", "Åström")


def made_up(count: int) -> Iterator[Paper]:
    rng = random.Random(1)
    plain = ["".join(rng.choices("etaoinshrdlucmfw", k=rng.randint(2, 11))) for _ in range(5000)]

    def words(n: int) -> str:
        chosen = (
            rng.choice(plain) if rng.random() > 1 / 12 else rng.choice(ACCENTED) for _ in range(n)
        )
        return " ".join(chosen).capitalize()

    for number in range(count):
        yield Paper(
            title=words(11),
            abstract=f"{words(180)} with $x_{{{number}}}$ & 5%.",
            authors=tuple(Author(words(1), words(2)) for _ in range(5)),
            kind="article-journal",
            published=f"{rng.randint(1980, 2025)}-{rng.randint(1, 12):02}",
            venue=words(4),
            identifiers=identifiers(("doi", f"10.1000/{number}"), ("citekey", f"key{number}")),
            keywords=(words(1), words(2)),
            extra={"volume": "7", "number": "2", "pages": "10-21", "url": "https://x.org/a"},
        )


def best(work: Callable[[], object]) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(REPEATS):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def write(format: ModuleType, papers: list[Paper], path: Path) -> None:
    with path.open("w", encoding="utf-8") as stream:
        format.write(papers, stream)


def store(format: ModuleType, path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder) / "library.sqlite3")
        papers = (paper for paper in format.read(path) if isinstance(paper, Paper))
        while batch := list(islice(papers, BATCH)):
            library.put(batch)
        library.close()


def peer(format: ModuleType, path: Path) -> str:
    """Reading speed of the most common library for the format, if installed."""
    name, read = PEERS.get(format, ("", None))
    if read is None or not (library := peer_module(name)):
        return ""
    seconds = best(lambda: read(library, path))
    ours = best(lambda: list(format.read(path)))
    return f"   {seconds / ours:.1f} times as fast as {name} ({seconds:.2f} s, parsing alone)"


def peer_module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def peak(format: ModuleType, path: Path) -> int:
    """Peak memory of reading, in bytes."""
    tracemalloc.start()
    for _ in format.read(path):
        pass
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return held


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    papers = list(made_up(count))
    slow = []
    with tempfile.TemporaryDirectory() as folder:
        for name, format in FORMATS.items():
            path = Path(folder) / f"papers{format.SUFFIXES[0]}"
            writing = best(lambda f=format, p=path: write(f, papers, p))  # type: ignore[misc]
            reading = best(lambda f=format, p=path: list(f.read(p)))  # type: ignore[misc]
            storing = best(lambda f=format, p=path: store(f, p))  # type: ignore[misc]
            print(
                f"{name:9} {path.stat().st_size / 1e6:5.1f} MB   written {count / writing:7,.0f}/s"
                f"   read {count / reading:7,.0f}/s   read and stored {storing:5.2f} s"
                f"   memory {peak(format, path) / 1e6:4.1f} MB{peer(format, path)}"
            )
            if storing > GOALS.get(name, storing) * count / 10_000:
                slow.append(name)
    if slow:
        print(f"Slower than they must be: {', '.join(slow)}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())

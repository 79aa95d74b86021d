"""PDFs read per second by one process: `python -m benchmarks.bench_pdf [folder]`.

The goal is five files a second and core, with the start of the process left out.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import psutil

from sciread_app.formats.pdf import ExtractionPool

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "fixtures" / "pdf"
ROUNDS = 5


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    files = sorted(folder.glob("*.pdf"))
    if not files:
        sys.exit(f"no PDFs in {folder}")
    # Templates and empty pages are read in no time: only papers of several pages tell something.
    with ExtractionPool(workers=1) as readers:
        papers = [content.path for content in readers.read(files) if content.pages > 2]
        seconds, busy = map(
            min, zip(*(_seconds(readers, papers) for _ in range(ROUNDS)), strict=True)
        )
    size = sum(path.stat().st_size for path in papers) / 1e6
    print(f"{len(papers)} papers, {size:.1f} MB, in {seconds:.2f} s with one process:")
    print(f"{len(papers) / seconds:.1f} papers a second (goal: at least 5)")
    print(f"{len(papers) / busy:.1f} papers for each second that a core was at work on them")


def _seconds(readers: ExtractionPool, files: list[Path]) -> tuple[float, float]:
    """Wall-clock seconds, and CPU seconds of the reading process."""
    start, before = time.perf_counter(), _busy()
    for _ in readers.read(files):
        pass
    return time.perf_counter() - start, _busy() - before


def _busy() -> float:
    times = [child.cpu_times() for child in psutil.Process().children()]
    return sum(t.user + t.system for t in times)


if __name__ == "__main__":
    main()

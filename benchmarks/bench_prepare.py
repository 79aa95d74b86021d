"""Time and memory of preparing a corpus: papers with tokens, and citations.

Run it with `python -m benchmarks.bench_prepare`; `--abstracts 588000 --edges 100000000` are
the sizes that the goals are for, otherwise times are drawn out to them. Papers are made up, of
words of the starter model and as long as those of arXiv.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from trainer.contract.package import starter_package
from trainer.data.corpus.citation_graph import PIECE, Graph, lines
from trainer.data.corpus.columns import Csr, ListWriter, TextColumn
from trainer.data.corpus.ids import IdTable
from trainer.data.inputs.source import Source

GOAL_ABSTRACTS, GOAL_SECONDS, GOAL_BYTES = 588_000, 600, 2 << 30
GOAL_EDGES = 100_000_000
CITED_EACH = 20
# Of 20,000 arXiv abstracts: the mean and the deviation of the logarithm of their words.
LENGTH, DEVIATION = 4.9, 0.45
ID_DIGITS = 9


def write_papers(path: Path, count: int) -> None:
    """Papers as JSON lines, with a citation each."""
    random = np.random.default_rng(1)
    words = _words()
    lengths = np.exp(random.normal(LENGTH, DEVIATION, count)).astype(int).clip(20, 400)
    with path.open("w", encoding="utf-8") as file:
        for number, length in enumerate(lengths.tolist()):
            # Frequencies as Zipf has them: few words make up most of a text.
            ranks = (len(words) ** random.random(length + 10)).astype(int) - 1
            text = [words[rank] for rank in ranks.tolist()]
            paper = {
                "id": f"made:{number:07}",
                "title": " ".join(text[:10]),
                "abstract": " ".join(text[10:]),
                "categories": [f"field.{number % 150}"],
                "journal": f"Journal {number % 2_000}",
                "year": 1990 + number % 30,
                "cites": [f"made:{number // 2:07}"],
            }
            file.write(json.dumps(paper) + "\n")


def _words() -> list[str]:
    vocabulary = json.loads((starter_package().folder / "tokenizer.json").read_text("utf-8"))
    known = [word for word in vocabulary["model"]["vocab"] if word.isalpha() and len(word) > 2]
    # Longer words made of two pieces: about 1.3 word pieces a word, as scientists write.
    return [w if n % 4 else w + known[n // 2] for n, w in enumerate(known[:20_000])]


def bench_papers(folder: Path, count: int) -> bool:
    path = folder / "papers.jsonl"
    write_papers(path, count)
    command = ("-m", "trainer", "prepare", str(path), "-o", str(folder / "corpus"))
    begun = time.perf_counter()
    peak, worked = _spent([*command, "--tokens", "starter", "--json"])
    took = time.perf_counter() - begun
    tokens = sum(file.stat().st_size for file in (folder / "corpus").rglob("*.uint16")) / 2
    print(
        f"{count:,} abstracts of {tokens / count:.0f} word pieces: {took:.0f} s, "
        f"{count / took:,.0f} a second, {worked:.0f} s of processors, peak {peak / 1e9:.2f} GB"
    )
    drawn_out = took * GOAL_ABSTRACTS / count
    print(f"  {GOAL_ABSTRACTS:,} take {drawn_out:.0f} s (goal {GOAL_SECONDS} s, 2 GB)")
    return drawn_out <= GOAL_SECONDS and peak <= GOAL_BYTES


def write_citations(folder: Path, edges: int) -> None:
    """ids.* and citations.tsv: so many citations between a twentieth as many papers."""
    papers = max(2, edges // CITED_EACH)
    random = np.random.default_rng(1)
    places = 10 ** np.arange(ID_DIGITS - 1, -1, -1)

    def digits(numbers: np.ndarray) -> np.ndarray:
        return (numbers[:, None] // places % 10 + ord("0")).astype(np.uint8)

    step = 1 << 18
    with ListWriter(folder, "ids", "utf8.uint8") as writer:
        for start in range(0, papers, step):
            numbers = np.arange(start, min(papers, start + step))
            writer.extend(digits(numbers).ravel(), np.full(len(numbers), ID_DIGITS))
    with (folder / "citations.tsv").open("wb") as file:
        file.write(b"citing\tcited\n")
        for start in range(0, edges, step):
            citing = np.arange(start, min(edges, start + step)) // CITED_EACH % papers
            rows = np.empty((len(citing), 2 * ID_DIGITS + 2), np.uint8)
            rows[:, :ID_DIGITS] = digits(citing)
            rows[:, ID_DIGITS] = ord("\t")
            rows[:, ID_DIGITS + 1 : -1] = digits(random.integers(0, papers, len(citing)))
            rows[:, -1] = ord("\n")
            file.write(rows.data)


def make_graph(folder: Path) -> None:
    """The part of `prepare` that builds the citation graph."""
    path = folder / "citations.tsv"
    table = IdTable(TextColumn(folder, "ids"))
    graph = Graph(table, folder / "parts", path.stat().st_size)
    for found in lines(Source(path).pieces(PIECE)):
        graph.add(found)
    graph.write(folder, "cites")


def bench_citations(folder: Path, edges: int) -> bool:
    write_citations(folder, edges)
    idle, _ = _spent(["-m", __spec__.name, "--graph", ""])
    begun = time.perf_counter()
    peak, worked = _spent(["-m", __spec__.name, "--graph", str(folder)])
    took = time.perf_counter() - begun
    cites = Csr.open(folder, "cites")
    size = cites.indptr.nbytes + cites.indices.nbytes
    print(
        f"{edges:,} citations of {len(cites):,} papers: {took:.0f} s, "
        f"{edges / took:,.0f} a second, {worked:.0f} s of processors, "
        f"peak {(peak - idle) / 1e6:,.0f} MB over an idle program, the lists {size / 1e6:,.0f} MB"
    )
    drawn_out = size * GOAL_EDGES / edges
    print(
        f"  {GOAL_EDGES:,} take {took * GOAL_EDGES / edges:.0f} s "
        f"(goal: no more memory than the lists, {drawn_out / 1e6:,.0f} MB)"
    )
    return peak - idle <= drawn_out


def _spent(arguments: Sequence[str]) -> tuple[int, float]:
    """Peak memory and CPU seconds of a Python program."""
    program = (
        "import resource, subprocess, sys;"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
        "spent = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(spent.ru_maxrss, spent.ru_utime + spent.ru_stime)"
    )
    command = (sys.executable, "-c", program, sys.executable, *arguments)
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    kilobytes, seconds = done.stdout.split()
    return int(kilobytes) << 10, float(seconds)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--abstracts", type=int, default=60_000)
    options.add_argument("--edges", type=int, default=5_000_000)
    options.add_argument("--graph", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.graph is not None:
        if chosen.graph != Path():
            make_graph(chosen.graph)
        return 0
    reached = True
    with tempfile.TemporaryDirectory() as folder:
        if chosen.abstracts:
            reached &= bench_papers(Path(folder), chosen.abstracts)
    with tempfile.TemporaryDirectory() as folder:
        if chosen.edges:
            reached &= bench_citations(Path(folder), chosen.edges)
    print("goals reached" if reached else "goals missed")
    return 0 if reached else 1


if __name__ == "__main__":
    raise SystemExit(main())

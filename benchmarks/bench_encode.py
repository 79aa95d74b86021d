"""Encoding speed, compared with sentence-transformers with the same model.

`python -m benchmarks.bench_encode [--papers N] [--rounds N]`. Takes real abstracts where
they lie beside the checkout, else the sample library's over and over. All read up to the same
number of tokens and take turns; the best round of each counts. Ours is measured as the app meets
it: in a process of its own, pipe included.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from sciread_app.encoder import EncoderProcess
from sciread_app.formats import read_file
from trainer.contract.package import Package, starter_package

ROOT = Path(__file__).resolve().parents[1]
PAPERS = ROOT.parent / "shared" / "data" / "arxiv" / "papers.jsonl.gz"
SAMPLE = ROOT / "resources" / "sample_library.bib"

Pairs = list[tuple[str, str]]
Encode = Callable[[Pairs], NDArray[np.float32]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--papers", type=int, default=1200)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    pairs = some_papers(options.papers)
    package = starter_package()
    encoder = EncoderProcess(package)
    contenders: dict[str, Encode] = {
        "ours": encoder.encode,
        "sentence-transformers, bf16": sentence_transformer(package, "bfloat16"),
        "sentence-transformers": sentence_transformer(package, "float32"),
    }
    print(f"{len(pairs)} papers, {os.cpu_count()} cores, best of {options.rounds} rounds")
    vectors, rates = measure(contenders, pairs, options.rounds)
    encoder.close()
    exact = vectors["sentence-transformers"]
    for name, rate in rates.items():
        cosines = (vectors[name] * exact).sum(1)
        print(
            f"{name:28} {rate:7.1f} papers/s   ours is {rates['ours'] / rate:5.2f} x   "
            f"cosine to float32: mean {cosines.mean():.5f}, least {cosines.min():.5f}"
        )


def measure(
    contenders: dict[str, Encode], pairs: Pairs, rounds: int
) -> tuple[dict[str, NDArray[np.float32]], dict[str, float]]:
    """Vectors of each contender, and its papers per second in its best round."""
    vectors, rates = {}, dict.fromkeys(contenders, 0.0)
    for encode in contenders.values():
        encode(pairs[:100])
    for _ in range(rounds):
        for name, encode in contenders.items():
            start = time.perf_counter()
            vectors[name] = encode(pairs)
            rates[name] = max(rates[name], len(pairs) / (time.perf_counter() - start))
    return vectors, rates


def sentence_transformer(package: Package, precision: str) -> Encode:
    model = SentenceTransformer(
        str(package.folder), device="cpu", model_kwargs={"dtype": precision}, local_files_only=True
    )
    model.max_seq_length = package.max_tokens

    def encode(pairs: Pairs) -> NDArray[np.float32]:
        texts = [package.template.format(title=title, abstract=text) for title, text in pairs]
        vectors = model.encode(texts, show_progress_bar=False, convert_to_tensor=True)
        found: NDArray[np.float32] = vectors.float().numpy()
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    return encode


def some_papers(count: int) -> Pairs:
    """Papers spread over the whole file, so that no year or field dominates."""
    if not PAPERS.exists():
        found = [(p.title, p.abstract) for p in read_file(SAMPLE) if hasattr(p, "abstract")]
        return list(islice(cycle(found), count))
    with gzip.open(PAPERS, "rt", encoding="utf-8") as lines:
        papers = [json.loads(line) for line in islice(lines, 0, count * 120, 120)]
    return [(paper["title"], paper["abstract"]) for paper in papers]


if __name__ == "__main__":
    main()

"""Training speed, compared with sentence-transformers' trainer with the same model and pairs.

`python -m benchmarks.bench_train [--pairs N] [--batch N] [--rounds N]`. Both learn from the
same titles and abstracts with the same loss (in-batch negatives, cosine, scale 20) and dropout,
read up to the same number of tokens, in batches of the same size, in bf16 and in float32; they
take turns, and the best round of each counts. Also told: tokens a second, and which share that is
of the rate at which this machine multiplies matrices. As `sciread-trainer train` does, it lets
OpenMP's threads sleep when they wait: those of one contender would take the other's cores.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from transformers.utils import logging

from benchmarks.bench_encode import Pairs, some_papers
from tests.support.generate.corpus import make_corpus
from trainer.contract.package import Package, starter_package
from trainer.data.examples import PaperExamples
from trainer.data.tokens import TextPart, Texts, TokenCache
from trainer.distributed import Ranks
from trainer.loop.stage_trainer import StageTrainer
from trainer.machine import budget_for
from trainer.methods.base import OptimizationPlan, TrainingStage
from trainer.methods.physbert import InBatch
from trainer.model.text_model import Backbone, TextModel

SCALE = 20.0
RATE = 2e-5
PRECISIONS = {"bf16": torch.bfloat16, "fp32": torch.float32}
# Of a round: some minutes in all on two cores, and float32 takes several times as long.
PAIRS = {"bf16": 256, "fp32": 128}
# Seconds for this many steps, after some that do not count.
Learn = Callable[[int], float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, help=f"in a round; else {PAIRS}")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=256, help="read of a text, at most")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--precisions", default="bf16,fp32")
    options = parser.parse_args()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    package, precisions = starter_package(), options.precisions.split(",")
    counts = {name: options.pairs or PAIRS[name] for name in precisions}
    pairs = some_papers(max(counts.values()) + options.batch)
    cores = torch.get_num_threads()
    print(f"Batches of {options.batch} pairs, {cores} cores, best of {options.rounds} rounds")
    with tempfile.TemporaryDirectory() as folder:
        texts = our_texts(pairs, package, options.tokens, Path(folder))
        for name, count in counts.items():
            lengths = our_examples(texts, len(pairs)).tokens(np.arange(count))
            contenders = {
                "ours": our_learning(texts, package, len(pairs), options.batch, name),
                "sentence-transformers": their_learning(
                    pairs, package, options.tokens, options.batch, name, Path(folder)
                ),
            }
            seconds = dict.fromkeys(contenders, np.inf)
            for _ in range(options.rounds):
                for who, learn in contenders.items():
                    seconds[who] = min(seconds[who], learn(count // options.batch))
            show(name, seconds, texts, package, lengths)


def show(
    precision: str, seconds: dict[str, float], texts: Texts, package: Package, lengths: np.ndarray
) -> None:
    peak = multiplied_a_second(PRECISIONS[precision])
    backbone = Backbone.load(package.folder)
    rows = np.arange(len(lengths))
    work = sum(
        needed(backbone, texts.lengths(rows, np.full(len(rows), part, np.uint8)))
        for part in (TextPart.title, TextPart.abstract)
    )
    print(
        f"\n{precision}: {len(lengths)} pairs a round, {lengths.mean():.0f} tokens a pair, title "
        f"and abstract; this machine multiplies {peak / 1e9:,.0f} GFLOP/s"
    )
    for who, taken in seconds.items():
        # A pair is the title and the abstract of one paper.
        print(
            f"{who:22} {len(lengths) / taken:7.1f} papers/s {lengths.sum() / taken:9,.0f} tokens/s"
            f"   {work / taken / peak:6.1%} of that   ours is {taken / seconds['ours']:5.2f} x"
        )


def our_texts(pairs: Pairs, package: Package, tokens: int, folder: Path) -> Texts:
    papers = [{"title": title, "abstract": abstract} for title, abstract in pairs]
    corpus = make_corpus(folder / "corpus", papers)
    cache = TokenCache.open(corpus, package.folder, lambda _: None)
    return Texts(cache, join="sep", max_tokens=tokens, cls_tokens=1)


def our_examples(texts: Texts, count: int) -> PaperExamples:
    rows = np.repeat(np.arange(count, dtype=np.int32)[:, None], 2, axis=1)
    return PaperExamples.of(texts, rows, (TextPart.title, TextPart.abstract))


def our_learning(texts: Texts, package: Package, count: int, batch: int, precision: str) -> Learn:
    """Our trainer's steps, with all that belongs to them: collation, optimizer, schedule."""
    model = TextModel(Backbone.load(package.folder), package.pooling)
    loss = InBatch(1 / SCALE, batch, same_label=False, same_paper=False)
    examples = our_examples(texts, count)
    plan = OptimizationPlan(
        epochs=1_000, batch_size=batch, learning_rate=RATE, together=batch, clip=1.0
    )
    ranks = Ranks.single_process("cpu")
    learner = StageTrainer(
        TrainingStage("pairs", examples, examples, model, loss, plan),
        ranks,
        seed=1,
        precision=PRECISIONS[precision],
        budget=budget_for(ranks.device, model.backbone),
    )

    def learn(steps: int) -> float:
        taken = learner.train_steps()
        next(taken)
        start = time.perf_counter()
        for _ in islice(taken, steps):
            pass
        return time.perf_counter() - start

    return learn


def their_learning(
    pairs: Pairs, package: Package, tokens: int, batch: int, precision: str, folder: Path
) -> Learn:
    """sentence-transformers' trainer, used as documented."""
    model = SentenceTransformer(str(package.folder), device="cpu", local_files_only=True)
    model.max_seq_length = tokens
    titles, abstracts = zip(*pairs, strict=True)
    dataset = Dataset.from_dict({"anchor": list(titles), "positive": list(abstracts)})

    def learn(steps: int) -> float:
        arguments = SentenceTransformerTrainingArguments(
            output_dir=str(folder / "theirs"),
            max_steps=steps,
            per_device_train_batch_size=batch,
            learning_rate=RATE,
            bf16=precision == "bf16",
            use_cpu=True,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            logging_strategy="no",
        )
        trainer = SentenceTransformerTrainer(
            model=model,
            args=arguments,
            train_dataset=dataset,
            loss=MultipleNegativesRankingLoss(model, scale=SCALE),
        )
        # It prints its metrics regardless of its settings.
        with contextlib.redirect_stdout(io.StringIO()):
            return float(trainer.train().metrics["train_runtime"])

    return learn


def needed(backbone: Backbone, lengths: np.ndarray) -> float:
    """Floating point operations to learn from texts of these lengths, forward and backward."""
    hidden, wide = backbone.hidden, int(backbone.config["intermediate_size"])
    a_token = 2 * (4 * hidden * hidden + 2 * hidden * wide)
    lengths = lengths.astype(np.float64)
    forward = backbone.layers * (a_token * lengths + 4 * hidden * lengths**2).sum()
    return 3 * float(forward)


def multiplied_a_second(precision: torch.dtype, size: int = 2_048) -> float:
    """Floating point operations a second in a product of large matrices."""
    left, right = (torch.randn(size, size).to(precision) for _ in range(2))
    best = np.inf
    for _ in range(10):
        start = time.perf_counter()
        left @ right
        best = min(best, time.perf_counter() - start)
    return 2 * size**3 / best


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    if "OMP_WAIT_POLICY" not in os.environ:
        # OpenMP has read it already, when torch was loaded.
        os.environ["OMP_WAIT_POLICY"] = "passive"
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks.bench_train", *sys.argv[1:]])
    main()

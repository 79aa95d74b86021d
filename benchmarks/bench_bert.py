"""Speed of our BERT on a CPU, compared with transformers' BertModel with the same weights.

`python -m benchmarks.bench_bert [--texts N] [--batch N] [--rounds N]`. Measures a training step
(forward, backward, dropout of 0.1) and inference with the starter model (6 layers of 384), on
titles and abstracts, in bf16 and in float32. BertModel uses torch's fused attention (SDPA); so does
the third contender in training, our packed texts with torch's own gradients, which GPUs use. All
take turns; the round with the least CPU time of each counts, since other processes delay a round
but hardly change the work that it takes. Exit status 1: BertModel takes less.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import BertModel
from transformers.utils import logging

from benchmarks.bench_encode import some_papers
from trainer.contract.package import Package, starter_package
from trainer.encoder import Encoder
from trainer.model.bert import TrainableBert
from trainer.model.gpu import Spans
from trainer.model.packed import mean, pack
from trainer.model.text_model import Backbone

Ids = Sequence[list[int]]
PRECISIONS = {"bf16": torch.bfloat16, "fp32": torch.float32}
DROPOUT = 0.1


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--texts", type=int, default=192, help="of a round of inference")
    parser.add_argument("--batch", type=int, default=16, help="titles and abstracts of a step")
    parser.add_argument("--tokens", type=int, default=256, help="read of a text, at most")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--precisions", default="bf16,fp32")
    options = parser.parse_args()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    package, good = starter_package(), True
    cores, papers = torch.get_num_threads(), some_papers(options.texts)
    print(f"{package.title}, {cores} cores, best of {options.rounds} rounds")
    for name in options.precisions.split(","):
        encoder = Encoder(package, "cpu", exact=name == "fp32")
        ids = [row[: options.tokens] for row in encoder.text.ids(papers)]
        titles = encoder.text.ids([(title, "") for title, _ in papers])
        steps = training(package, titles[: options.batch], ids[: options.batch], PRECISIONS[name])
        good &= show(f"training, {name}", best(steps, options.rounds))
        passes = inference(package, encoder, ids, PRECISIONS[name])
        good &= show(f"inference, {name}", best(passes, options.rounds))
    return good


class Timed(NamedTuple):
    """Seconds of CPU, of all threads together, and of wall time."""

    cpu: float
    wall: float


def best(contenders: dict[str, Callable[[], object]], rounds: int) -> dict[str, Timed]:
    """Times of each contender in its best round, after one that does not count."""
    found: dict[str, Timed] = {}
    for number in range(rounds + 1):
        for who, run in contenders.items():
            cpu, wall = time.process_time(), time.perf_counter()
            run()
            taken = Timed(time.process_time() - cpu, time.perf_counter() - wall)
            if number:
                found[who] = min(found.get(who, taken), taken)
    return found


def show(what: str, times: dict[str, Timed]) -> bool:
    """Print the times; returns whether our code takes at most the CPU time of BertModel."""
    print(what, flush=True)
    ours = times["ours"]
    for who, taken in times.items():
        print(
            f"  {who:24} {1000 * taken.cpu:8,.0f} ms of CPU, {taken.cpu / ours.cpu:5.2f} x ours"
            f"   {1000 * taken.wall:8,.0f} ms, {taken.wall / ours.wall:5.2f} x",
            flush=True,
        )
    return ours.cpu <= times["BertModel"].cpu


def training(
    package: Package, titles: Ids, abstracts: Ids, dtype: torch.dtype
) -> dict[str, Callable[[], object]]:
    """A step of each contender: all titles and abstracts, forward and backward."""
    ours = Backbone.load(package.folder, DROPOUT).train()
    theirs = bert_model(package).train()
    both = pack([*titles, *abstracts])

    def torch_gradients() -> Tensor:
        bert = ours.inner
        assert isinstance(bert, TrainableBert)
        states, spans = bert.embeddings(both.ids, both.places), Spans.of(both, flash=False)
        for layer in bert.encoder.layer:
            states = layer(states, spans)
        return mean(states, both)

    def step(vectors: Callable[[], Tensor]) -> Callable[[], object]:
        def run() -> None:
            with torch.autocast("cpu", dtype, enabled=dtype is not torch.float32):
                found = vectors()
            found.float().square().sum().backward()

        return run

    return {
        "ours": step(lambda: mean(ours(both), both)),
        "BertModel": step(lambda: torch.cat([padded(theirs, titles), padded(theirs, abstracts)])),
        "ours, torch's gradients": step(torch_gradients),
    }


def inference(
    package: Package, encoder: Encoder, ids: Ids, dtype: torch.dtype
) -> dict[str, Callable[[], object]]:
    theirs = bert_model(package).eval().to(dtype)
    order = np.argsort([len(row) for row in ids], kind="stable")[::-1]

    def batches() -> NDArray[np.float32]:
        with torch.inference_mode():
            found = [
                padded(theirs, [ids[at] for at in order[start : start + 32]])
                for start in range(0, len(order), 32)
            ]
            return torch.cat(found).float().numpy()

    return {"ours": lambda: encoder.encode_ids(ids), "BertModel": batches}


def bert_model(package: Package) -> BertModel:
    return BertModel.from_pretrained(
        package.folder,
        attn_implementation="sdpa",
        add_pooling_layer=False,
        hidden_dropout_prob=DROPOUT,
        attention_probs_dropout_prob=DROPOUT,
        local_files_only=True,
    )


def padded(model: BertModel, ids: Ids) -> Tensor:
    """Mean token vectors of texts that are padded to the longest."""
    longest = max(map(len, ids))
    rows = torch.zeros(len(ids), longest, dtype=torch.int64)
    mask = torch.zeros_like(rows)
    for row, text in enumerate(ids):
        rows[row, : len(text)] = torch.tensor(text)
        mask[row, : len(text)] = 1
    states = model(input_ids=rows, attention_mask=mask).last_hidden_state
    weights = mask[..., None].to(states)
    return (states * weights).sum(1) / weights.sum(1)


if __name__ == "__main__":
    if "OMP_WAIT_POLICY" not in os.environ:
        # OpenMP has read it already, when torch was loaded.
        os.environ["OMP_WAIT_POLICY"] = "passive"
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks.bench_bert", *sys.argv[1:]])
    sys.exit(0 if main() else 1)

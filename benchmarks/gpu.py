"""Speed of training and encoding on a GPU, as a share of the measured peak of its bf16 products.

`benchmarks/gpu.sh [--device D] [--tiny] [--minutes N] [--only PART,...] [--compile MODE]`.

Measures encoding and a training step of each method at its published batch size, with a BERT of
base size and one of the size of the starter model, both of random weights, on generated papers of
realistic length (200 tokens on average). Peers run the same texts: transformers with autocast and
padding, and sentence-transformers. Only needed operations count: padding, and the second forward
pass of GradCache, do not. `sync` is the number of times that a step waits for the device, `copies`
that of copies from memory that is not pinned, which also wait. `busy` is the share of the time in
which the device computes, `queued` that in which Python submits the step. A part that fails is
reported and the others continue. `--tiny` with `--device cpu` only tests this program.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import shutil
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F
from transformers import BertModel
from transformers.utils import logging

from tests.support.generate.corpus import make_corpus
from tests.support.models.tiny_model import SPECIAL, tokenizer
from trainer.contract.package import Package, write_package
from trainer.contract.run import Recipe
from trainer.distributed import Ranks
from trainer.encoder import Encoder
from trainer.loop.setup import Options, prepare_run
from trainer.loop.stage_trainer import StageTrainer
from trainer.machine import budget_for, precision_of
from trainer.model.packed import Packed, pack
from trainer.model.text_model import Backbone, TextModel

SIZES = {
    "base": {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12},
    "small": {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12},
    "tiny": {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2},
}
VOCABULARY = 30_522
# Kernels listed for each part, and the longest name that is printed.
KERNELS, NAME = 8, 70
# Texts that sentence-transformers and transformers encode at once.
PEER_BATCH = 256

Texts = Sequence[tuple[str, str]]


@dataclass
class Work:
    """Needed work: texts, tokens and floating point operations."""

    texts: int = 0
    tokens: int = 0
    operations: float = 0.0

    def add(self, lengths: Sequence[int], config: dict[str, Any], times: int = 1) -> None:
        """Add texts of these lengths, passed forward `times` times (3: forward and backward)."""
        hidden, wide = config["hidden_size"], config["intermediate_size"]
        tokens = np.asarray(lengths, np.float64)
        a_layer = 2 * (4 * hidden**2 + 2 * hidden * wide) * tokens + 4 * hidden * tokens**2
        self.texts += len(tokens)
        self.tokens += int(tokens.sum())
        self.operations += times * config["num_hidden_layers"] * float(a_layer.sum())


@dataclass
class Bench:
    """What all parts share: the device, its peak, generated papers and random models."""

    device: torch.device
    folder: Path
    tiny: bool
    seconds: float
    compile: bool | None
    peak: float = 0.0
    results: list[dict[str, Any]] = field(default_factory=list)

    @property
    def cuda(self) -> bool:
        return self.device.type == "cuda"

    @cached_property
    def words(self) -> list[str]:
        letters = "abcdefghijklmnopqrstuvwxyz"
        count = (600 if self.tiny else VOCABULARY) - len(SPECIAL) - 99
        return [
            letters[n // 17_576] + letters[n // 676 % 26] + letters[n // 26 % 26] + letters[n % 26]
            for n in range(count)
        ]

    @cached_property
    def papers(self) -> Texts:
        """Titles of 12 words, and abstracts of as many as arXiv's: 185 on average."""
        random = np.random.default_rng(1)
        count = 600 if self.tiny else 16_384
        lengths = np.clip(random.lognormal(5.13, 0.42, count), 20, 600).astype(int)
        numbers = random.integers(len(self.words), size=int(lengths.sum()) + 12 * count)
        parts = np.split(numbers, np.cumsum(np.stack([np.full(count, 12), lengths], 1).ravel()))
        texts = [" ".join(map(self.words.__getitem__, part)) for part in parts]
        return list(zip(texts[0:-1:2], texts[1::2], strict=True))

    @cached_property
    def corpus(self) -> Path:
        """Papers with journals, categories and citations."""
        random = np.random.default_rng(2)
        count = len(self.papers)
        papers = [
            {
                "title": title,
                "abstract": abstract,
                "year": 2021,
                "venue": f"Journal {number % (4 if self.tiny else 60)}",
                "fields": (("hep-th", "cs.LG", "math.AG", "cond-mat.soft")[number % 4],),
            }
            for number, (title, abstract) in enumerate(self.papers)
        ]
        cited = [(n, int(m)) for n in range(count) for m in random.integers(count, size=8)]
        return make_corpus(self.folder / "corpus", papers, cited).folder

    def model(self, size: str) -> Path:
        """A folder of transformers with a BERT of this size."""
        folder = self.folder / size
        if not folder.exists():
            torch.manual_seed(1)
            unused = [f"[unused{number}]" for number in range(1, 100)]
            made = self.folder / "tokenizer"
            made.mkdir(exist_ok=True)
            tokenizer([*SPECIAL, *unused, *self.words]).save(str(made / "tokenizer.json"))
            described = {"tokenizer_class": "BertTokenizer", "model_max_length": 512}
            (made / "tokenizer_config.json").write_text(json.dumps(described))
            words = [*SPECIAL, *unused, *self.words]
            (made / "vocab.txt").write_text("\n".join(words) + "\n")
            TextModel(Backbone.new(self.config(size)), "mean").save(folder, made)
        return folder

    def config(self, size: str) -> dict[str, Any]:
        hidden = SIZES[size]["hidden_size"]
        return {
            "model_type": "bert",
            "architectures": ["BertModel"],
            "hidden_act": "gelu",
            "intermediate_size": 4 * hidden,
            "max_position_embeddings": 512,
            "vocab_size": len(self.words) + len(SPECIAL) + 99,
            "pad_token_id": 0,
            "type_vocab_size": 2,
            "layer_norm_eps": 1e-12,
            **SIZES[size],
        }

    def package(self, size: str) -> Package:
        folder = self.folder / f"{size}-package"
        if folder.exists():
            shutil.rmtree(folder)
        described = Package(
            folder=folder,
            id=size,
            title=size,
            dim=SIZES[size]["hidden_size"],
            pooling="mean",
            template="{title}{sep}{abstract}",
            max_tokens=512,
            files={},
        )
        return write_package(described, self.model(size))

    def wait(self) -> None:
        if self.cuda:
            torch.cuda.synchronize()

    # Measurement

    def measure(self, name: str, step: Callable[[], Any], work: Work, warm_up: int = 2) -> None:
        """Time repeated steps, and print their speed. `work` is what they added to it."""
        if self.cuda:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
        begun = time.perf_counter()
        for _ in range(warm_up):
            step()
        self.wait()
        warming = time.perf_counter() - begun
        work.texts, work.tokens, work.operations = 0, 0, 0.0
        begun, steps, queued = time.perf_counter(), 0, 0.0
        while steps < 2 or time.perf_counter() - begun < self.seconds:
            before = time.perf_counter()
            step()
            queued += time.perf_counter() - before
            steps += 1
        self.wait()
        seconds = time.perf_counter() - begun
        found: dict[str, Any] = {
            "part": name,
            "peak": work.operations / seconds / self.peak,
            "tokens/s": work.tokens / seconds,
            "texts/s": work.texts / seconds,
            "step ms": 1000 * seconds / steps,
            "tokens": work.tokens / steps,
            "queued": queued / seconds,
            "warm-up s": warming,
        }
        print(
            f"{name:34} {found['peak']:6.1%} of peak {found['tokens/s']:11,.0f} tokens/s "
            f"{found['texts/s']:8,.0f} texts/s {found['step ms']:8.1f} ms/step of "
            f"{found['tokens']:9,.0f} tokens; queued {found['queued']:4.0%}, "
            f"warm-up {warming:.1f} s",
            flush=True,
        )
        if self.cuda:
            found |= self._on_device(step, seconds / steps)
        self.results.append(found)

    def _on_device(self, step: Callable[[], Any], seconds: float) -> dict[str, Any]:
        """Memory, synchronisations and kernels of a step."""
        memory = torch.cuda.max_memory_allocated() / 1e9
        waits = self._synchronisations(step)
        kernels = self._kernels(step)
        total = sum(taken for taken, _ in kernels.values())
        copies = sum(n for name, (_, n) in kernels.items() if "Pageable ->" in name)
        print(
            f"    {memory:.1f} GB, busy {total / 1e6 / seconds:.0%}, "
            f"{sum(waits.values())} sync, {copies} pageable copies, "
            f"{sum(n for _, n in kernels.values())} kernels a step"
        )
        for place, times in waits.most_common(6):
            print(f"      sync {times:3} x {place}")
        slowest = sorted(kernels.items(), key=lambda item: -item[1][0])[:KERNELS]
        for name, (taken, times) in slowest:
            print(f"      {taken / max(total, 1):6.1%} {times:5} x {name[:NAME]}", flush=True)
        return {
            "memory GB": memory,
            "busy": total / 1e6 / seconds,
            "sync": sum(waits.values()),
            "copies": copies,
        }

    def _synchronisations(self, step: Callable[[], Any]) -> Counter[str]:
        """Count the waits for the device in one step, by the line of code."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            torch.cuda.set_sync_debug_mode("warn")
            try:
                step()
            finally:
                torch.cuda.set_sync_debug_mode("default")
        return Counter(
            f"{Path(one.filename).name}:{one.lineno}"
            for one in caught
            if "synchroniz" in str(one.message)
        )

    def _kernels(self, step: Callable[[], Any]) -> dict[str, tuple[float, int]]:
        """Return microseconds and number of each kernel and copy in one step, by name."""
        from torch.profiler import ProfilerActivity, profile

        self.wait()
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            step()
            self.wait()
        found: dict[str, tuple[float, int]] = {}
        for event in profiler.key_averages():
            if event.self_device_time_total and event.device_type.name == "CUDA":
                taken, times = found.get(event.key, (0.0, 0))
                found[event.key] = taken + event.self_device_time_total, times + event.count
        return found

    # Parts

    def matmul(self) -> None:
        """Measure the peak: the best of several sizes of bf16 products of random matrices."""
        for size in (256,) if self.tiny else (4_096, 8_192):
            left, right = (
                torch.randn(size, size, device=self.device, dtype=torch.bfloat16) for _ in range(2)
            )
            for _ in range(5):
                left @ right
            self.wait()
            begun = time.perf_counter()
            for _ in range(20):
                left @ right
            self.wait()
            self.peak = max(self.peak, 20 * 2 * size**3 / (time.perf_counter() - begun))
        print(f"bf16 products: {self.peak / 1e12:,.1f} TFLOP/s")

    def encode(self, size: str) -> None:
        encoder = Encoder(self.package(size), str(self.device))
        papers = self.papers[: 64 if self.tiny else 8_192]
        ids = encoder.text.ids(papers)
        work, config = Work(), self.config(size)

        def of_ids() -> None:
            work.add(list(map(len, ids)), config)
            encoder.encode_ids(ids)

        def of_texts() -> None:
            work.add(list(map(len, ids)), config)
            encoder.encode(papers)

        self.measure(f"{size}: encode, from tokens", of_ids, work, 1)
        self.measure(f"{size}: encode, from texts", of_texts, work, 1)

    def encode_transformers(self, size: str) -> None:
        model = self._bert_model(size).eval().to(self.device, torch.bfloat16)
        ids = self._ids(self.papers[: 64 if self.tiny else 8_192])
        ids.sort(key=len)
        work, config = Work(), self.config(size)

        @torch.inference_mode()
        def step() -> None:
            work.add(list(map(len, ids)), config)
            for start in range(0, len(ids), PEER_BATCH):
                rows, mask = self._padded(ids[start : start + PEER_BATCH])
                states = model(input_ids=rows, attention_mask=mask).last_hidden_state
                weights = mask[..., None]
                ((states * weights).sum(1) / weights.sum(1)).float().cpu()

        self.measure(f"{size}: encode, transformers", step, work, 1)

    def encode_sentence_transformers(self, size: str) -> None:
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(
            str(self.model(size)), device=str(self.device), model_kwargs={"dtype": torch.bfloat16}
        )
        model.max_seq_length = 512
        papers = self.papers[: 64 if self.tiny else 8_192]
        texts = [f"{title} [SEP] {abstract}" for title, abstract in papers]
        lengths, work = list(map(len, self._ids(papers))), Work()

        def step() -> None:
            work.add(lengths, self.config(size))
            model.encode(texts, batch_size=PEER_BATCH, show_progress_bar=False)

        self.measure(f"{size}: encode, sentence-transf.", step, work, 1)

    def train(self, size: str, recipe: str, stage: str = "", **changes: Any) -> None:
        """Measure a stage of a recipe, with all that belongs to a step."""
        compiled = changes.pop("compiled", self.compile)
        options = (
            Options(str(self.device))
            if compiled is None
            else Options(str(self.device), compile=compiled)
        )
        base = self.model(size)
        few = {"batch_size": 8} if self.tiny else {}
        made = Recipe.named(recipe, self.corpus, changes={"base": str(base), **few, **changes})
        ranks = Ranks.single_process(str(self.device))
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        method = prepare_run(
            made, folder, ranks, options, lambda _: None, is_permanent=False
        ).method
        found = next(one for one in method.stages if one.name == (stage or one.name))
        stage_trainer = StageTrainer(
            found,
            ranks,
            seed=1,
            precision=precision_of("bf16" if self.cuda else "fp32", ranks.device),
            budget=budget_for(ranks.device, method.encoder.backbone),
        )
        work, config = Work(), self.config(size)
        hidden, words = config["hidden_size"], config["vocab_size"]

        def count(_: Any, given: tuple[Packed, ...]) -> None:
            texts = given[0]
            if torch.is_grad_enabled():
                work.add(texts.lengths, config, 3)
                if texts.selected is not None:
                    work.operations += 6 * len(texts.selected) * hidden * (hidden + words)

        method.encoder.backbone.register_forward_pre_hook(count)
        steps = self._forever(stage_trainer)
        kind = {None: "", True: ", compiled", False: ", eager"}[compiled]
        name = f"{size}: {recipe.split('-')[0]} {stage}".rstrip() + kind
        self.measure(name, partial(next, steps), work, 3)

    @staticmethod
    def _forever(stage_trainer: StageTrainer) -> Iterator[None]:
        """Do steps, reading the numbers of each after the next one is submitted, as `train`."""
        pending = None
        while True:
            for result in stage_trainer.train_steps():
                if pending is not None:
                    float(pending.loss), float(pending.grad_norm)
                pending = result
                yield

    def repeat(self, size: str) -> None:
        """Print the parameters whose gradients differ when the same step is repeated."""
        model = Backbone.load(self.model(size), 0.1).train().to(self.device)
        texts = pack(self._ids(self.papers[:96])).to(self.device)
        found = []
        for _ in range(2):
            torch.manual_seed(1)
            model.zero_grad()
            with torch.autocast(self.device.type, torch.bfloat16):
                states = model(texts)
            torch.autograd.backward(states.float().square()[:, ::2].sum())
            found.append({n: p.grad for n, p in model.named_parameters() if p.grad is not None})
        differ = [name for name, one in found[0].items() if not torch.equal(one, found[1][name])]
        few = ", ".join(differ[:6])
        print(f"{size}: repeated, gradients of {len(differ)} of {len(found[0])} differ {few}")

    def train_transformers(self, size: str) -> None:
        """SPECTER with transformers' BertModel, padding and autocast."""
        batch = 8 if self.tiny else 32
        model = self._bert_model(size).train().to(self.device)
        optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5, fused=True)
        ids, work, config = self._ids(self.papers), Work(), self.config(size)
        random, pending = np.random.default_rng(3), [torch.zeros(())]

        def step() -> None:
            vectors = []
            for rows in random.integers(len(ids), size=(3, batch)):
                texts = [ids[row] for row in rows]
                work.add(list(map(len, texts)), config, 3)
                given, mask = self._padded(texts)
                with torch.autocast(self.device.type, torch.bfloat16):
                    found = model(input_ids=given, attention_mask=mask).last_hidden_state
                vectors.append(found[:, 0].float())
            loss = F.triplet_margin_loss(*vectors)
            torch.autograd.backward(loss)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            float(pending[0])
            pending[0] = loss.detach()

        self.measure(f"{size}: specter, transformers", step, work, 3)

    def _bert_model(self, size: str) -> Any:
        return BertModel.from_pretrained(
            self.model(size), attn_implementation="sdpa", add_pooling_layer=False
        )

    def _ids(self, papers: Texts) -> list[list[int]]:
        from tokenizers import Tokenizer

        self.model("tiny")
        read = Tokenizer.from_file(str(self.folder / "tokenizer" / "tokenizer.json"))
        read.enable_truncation(512)
        texts = [f"{title}[SEP]{abstract}" for title, abstract in papers]
        return [encoding.ids for encoding in read.encode_batch_fast(texts)]

    def _padded(self, ids: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return padded ids and the mask on the device."""
        longest = max(map(len, ids))
        rows = np.zeros((len(ids), longest), np.int64)
        for row, text in zip(rows, ids, strict=True):
            row[: len(text)] = text
        mask = np.arange(longest) < np.asarray(list(map(len, ids)))[:, None]
        return torch.from_numpy(rows).to(self.device), torch.from_numpy(mask).to(self.device).long()


def parts(bench: Bench) -> dict[str, Callable[[], None]]:
    """Return the parts, the most important first."""
    base, small = ("tiny", "tiny") if bench.tiny else ("base", "small")
    miread: dict[str, Any] = {"min_papers": 1, "max_papers": 0}
    words = {
        "train_tokenizer": False,
        "from_scratch": False,
        "contrast": False,
        "mlm_batch_size": 8 if bench.tiny else 1_024,
    }
    # A batch of the paper, 8,192, takes as long a token, and too long in all.
    pairs = {
        "train_tokenizer": False,
        "from_scratch": False,
        "mlm_short": 0,
        "mlm_long": 0,
        "batch_size": 16 if bench.tiny else 2_048,
        "together": 8 if bench.tiny else 256,
        "citation_pairs": 0,
        "question_pairs": 0,
        "category_pairs": 200 if bench.tiny else 24_576,
        "min_papers": 2,
        "scored": 100,
    }
    return {
        "encode": partial(bench.encode, base),
        "specter": partial(bench.train, base, "specter-paper"),
        "contrast": partial(bench.train, base, "physbert-paper", "contrast", **pairs),
        "mlm_short": partial(bench.train, base, "physbert-paper", "mlm_short", **words),
        "miread": partial(bench.train, base, "miread-paper", **miread),
        "multi2spe": partial(bench.train, base, "multi2spe-paper"),
        "mlm_long": partial(bench.train, base, "physbert-paper", "mlm_long", **words),
        "specter_peer": partial(bench.train_transformers, base),
        "encode_peer": partial(bench.encode_transformers, base),
        "encode_peer_st": partial(bench.encode_sentence_transformers, base),
        "encode_small": partial(bench.encode, small),
        "encode_small_peer": partial(bench.encode_sentence_transformers, small),
        "contrast_small": partial(bench.train, small, "physbert-paper", "contrast", **pairs),
        "repeat": partial(bench.repeat, base),
        "specter_compiled": partial(bench.train, base, "specter-paper", compiled=True),
        "miread_compiled": partial(bench.train, base, "miread-paper", **miread, compiled=True),
        "multi2spe_compiled": partial(bench.train, base, "multi2spe-paper", compiled=True),
        "mlm_long_compiled": partial(
            bench.train, base, "physbert-paper", "mlm_long", **words, compiled=True
        ),
        "contrast_compiled": partial(
            bench.train, base, "physbert-paper", "contrast", **pairs, compiled=True
        ),
    }


@contextmanager
def reported(name: str) -> Iterator[None]:
    """Print an error instead of raising it."""
    try:
        yield
    except Exception:
        print(f"{name}: FAILED")
        traceback.print_exc(limit=-6)


def describe(device: torch.device) -> None:
    versions = [f"torch {torch.__version__}", f"Python {platform.python_version()}"]
    for name in ("triton", "transformers", "sentence_transformers"):
        versions.append(f"{name} {'yes' if importlib.util.find_spec(name) else 'no'}")
    named = torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)
    print(f"{named}; {', '.join(versions)}; C compiler {shutil.which('gcc') or shutil.which('cc')}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="test this program")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement")
    parser.add_argument("--minutes", type=float, default=3.0, help="start no part after these")
    parser.add_argument("--only", default="", help="names of parts, separated by commas")
    parser.add_argument("--compile", choices=("default", "yes", "no"), default="default")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    options = parser.parse_args()
    begun = time.perf_counter()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    device = torch.device(options.device)
    describe(device)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(
            device,
            Path(folder),
            options.tiny,
            0.0 if options.tiny else options.seconds,
            {"default": None, "yes": True, "no": False}[options.compile],
        )
        bench.matmul()
        known = parts(bench)
        for name in options.only.split(",") if options.only else known:
            if time.perf_counter() - begun > 60 * options.minutes:
                print(f"{name}: no time left")
                continue
            with reported(name):
                known[name]()
            if device.type == "cuda":
                torch.cuda.empty_cache()
    if options.json:
        options.json.write_text(json.dumps({"peak": bench.peak, "parts": bench.results}, indent=2))
    print(f"{time.perf_counter() - begun:.0f} s in all")


if __name__ == "__main__":
    main()

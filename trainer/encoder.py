"""A model at work: titles and abstracts in, unit vectors out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

from trainer.backbone import load_backbone
from trainer.contract.errors import PackageRefused
from trainer.contract.package import Package

# Tokens in one forward pass: more of them push the activations out of a core's cache.
CPU_BUDGET = 2_048
CUDA_BUDGET = 131_072
# Pairs that are tokenised and sorted together: enough to find equals in length, few to hold.
CHUNK = 1_024
POOLINGS = ("cls", "mean", "mean_no_special")


class Encoder:
    """Turns (title, abstract) pairs into vectors of unit length; a query is (query, "").

    A paper's vector does not depend on the papers that it is encoded with.
    """

    def __init__(self, package: Package, device: str = "") -> None:
        """`device` as torch names it; empty: the first GPU, or else the CPU."""
        if package.pooling not in POOLINGS:
            raise PackageRefused(f"This version cannot run the pooling {package.pooling}.")
        self.package = package
        self.text = TextReader(package)
        self._device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self._backbone = load_backbone(package, self._device)
        self._budget = CUDA_BUDGET if self._device.type == "cuda" else CPU_BUDGET
        # A batch a core beats a batch on all cores, where each step waits for the slowest core.
        self._cores = torch.get_num_threads() if self._device.type == "cpu" else 1
        self._threads = ThreadPoolExecutor(self._cores, "encode", torch.set_num_threads, (1,))

    def encode(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """One row a pair, in their order."""
        vectors = np.empty((len(pairs), self.package.dim), np.float32)
        for start in range(0, len(pairs), CHUNK):
            ids = self.text.ids(pairs[start : start + CHUNK])
            batches = self._batches([len(row) for row in ids])
            found = self._threads.map(
                self._encode, ([ids[row] for row in rows] for rows in batches)
            )
            for rows, batch in zip(batches, found, strict=True):
                vectors[start + rows] = batch
        return vectors

    def _batches(self, lengths: list[int]) -> list[NDArray[np.intp]]:
        """Rows of like length, longest first, as many as fit the budget of tokens."""
        budget = self._budget
        if self._cores > 1:  # batches small enough that the cores finish together
            budget = min(budget, max(512, sum(lengths) // (4 * self._cores)))
        order = np.argsort(lengths, kind="stable")[::-1]
        batches = []
        while len(order):
            fit = max(1, budget // lengths[order[0]])
            batches.append(order[:fit])
            order = order[fit:]
        return batches

    def _encode(self, ids: list[list[int]]) -> NDArray[np.float32]:
        try:
            padded, mask = pad(ids, self.text.pad_id, self._device)
            with torch.inference_mode():
                states = self._backbone(padded, mask).float()
                vectors = F.normalize(pool(states, mask, self.package.pooling), dim=1)
            return vectors.cpu().numpy()
        except torch.OutOfMemoryError:
            if len(ids) == 1:
                raise
        self._budget = max(1, self._budget // 2)
        half = len(ids) // 2
        return np.concatenate([self._encode(ids[:half]), self._encode(ids[half:])])


class TextReader:
    """Makes of a title and an abstract the word pieces that a model was trained on.

    Both go in as one segment, joined as the package's template says, and the end is cut where
    they are too long, so that the title survives.
    """

    def __init__(self, package: Package) -> None:
        self._template = package.template
        self._tokenizer = Tokenizer.from_file(str(package.folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(package.max_tokens)
        special = _special_tokens(package.folder)
        self._separator = special.get("sep_token", "[SEP]")
        self.pad_id = self._tokenizer.token_to_id(special.get("pad_token", "[PAD]")) or 0

    def ids(self, pairs: Sequence[tuple[str, str]]) -> list[list[int]]:
        texts = [self._text(title, abstract) for title, abstract in pairs]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(texts)]

    def _text(self, title: str, abstract: str) -> str:
        text = self._template.format(title=title, abstract=abstract, sep=self._separator)
        # Half of a surrogate pair, as broken files hold it, is no text to the tokenizer.
        return text.strip().encode("utf-8", "replace").decode("utf-8")


def pad(ids: list[list[int]], pad_id: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Token ids and attention mask, both [batch, longest]."""
    lengths = torch.tensor([len(row) for row in ids])
    mask = torch.arange(int(lengths.max())) < lengths[:, None]
    padded = torch.full(mask.shape, pad_id)
    padded[mask] = torch.tensor([token for row in ids for token in row])
    return padded.to(device), mask.to(device)


def pool(hidden: Tensor, mask: Tensor, pooling: str) -> Tensor:
    """The last layer's states [batch, length, dim] as one vector each [batch, dim].

    `mean_no_special` leaves out the first and the last token, [CLS] and [SEP], unless there are
    no others.
    """
    if pooling == "cls":
        return hidden[:, 0]
    if pooling == "mean":
        return _mean(hidden, mask)
    if pooling == "mean_no_special":
        inner = mask.clone()
        inner[:, 0] = False
        inner[torch.arange(len(mask)), mask.sum(1) - 1] = False
        return _mean(hidden, torch.where(inner.any(1, keepdim=True), inner, mask))
    raise ValueError(f"unknown pooling {pooling}")


def _mean(hidden: Tensor, mask: Tensor) -> Tensor:
    weight = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weight).sum(1) / weight.sum(1)


def _special_tokens(folder: Path) -> dict[str, str]:
    """The names of the special tokens, as transformers keeps them beside the tokenizer."""
    path = folder / "tokenizer_config.json"
    described = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    names = {name: described[name] for name in ("sep_token", "pad_token") if described.get(name)}
    return {k: v["content"] if isinstance(v, dict) else v for k, v in names.items()}

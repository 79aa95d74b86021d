"""Vectors of the training texts by the base model: computed once, and cached beside the corpus."""

from __future__ import annotations

import hashlib

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from trainer.contract.files import sha256_of
from trainer.contract.package import WEIGHTS
from trainer.data.cached import cached_numbers, key_of
from trainer.data.examples import text_of
from trainer.data.sampler import micro_batches
from trainer.data.tokens import Texts
from trainer.machine import budget_for, precision_of
from trainer.methods.base import Setup
from trainer.model.packed import pack
from trainer.model.text_model import TextModel

# The format of the cached vectors. A change of it makes caches of earlier versions unused.
_FORMAT = 2
# Texts between two messages about the progress.
_PORTION = 5_000


class BaseVectors:
    """The vectors of named texts (PaperExamples.names), of unit length; call it to look some up.

    `key` identifies all that they depend on.
    """

    def __init__(
        self, names: NDArray[np.int64], vectors: NDArray[np.float16], key: str = ""
    ) -> None:
        self._names, self._vectors, self.key = names, vectors, key

    def __call__(self, names: NDArray[np.int64]) -> NDArray[np.float32]:
        found = self._vectors[np.searchsorted(self._names, names)].astype(np.float32)
        # Rounding to 16 bits changes the length.
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        found /= np.maximum(lengths, 1e-12)
        return found


def base_vectors(setup: Setup, texts: Texts, pooling: str, names: NDArray[np.int64]) -> BaseVectors:
    """Return the base model's vectors of the texts with these names (ascending).

    Of several processes that need them at once, one computes them and the others wait.
    """
    if not len(names):
        return BaseVectors(names, np.empty((0, 0), np.float16))
    weights = setup.base / (setup.package.weights if setup.package else WEIGHTS)
    precision = precision_of(str(setup.settings["precision"]), setup.device)
    key = key_of(
        _FORMAT,
        setup.corpus.sha256,
        sha256_of(weights) if weights.is_file() else str(setup.base),
        sha256_of(setup.base / "tokenizer.json"),
        (pooling, texts.join, texts.max_tokens, texts.cls_tokens),
        (tuple(texts.prompts), texts.queries),
        str(precision),
        hashlib.sha256(names.tobytes()).hexdigest(),
    )
    found = cached_numbers(
        setup.corpus.folder / "vectors" / key,
        "vectors.float16",
        lambda: _computed(setup, texts, pooling, names, precision),
    )
    return BaseVectors(names, found.reshape(len(names), -1), key)


@torch.no_grad()
def _computed(
    setup: Setup,
    texts: Texts,
    pooling: str,
    names: NDArray[np.int64],
    precision: torch.dtype,
) -> NDArray[np.float16]:
    device = setup.device
    # A missing pooler is drawn; weights drawn later must not depend on whether there is a cache.
    with torch.random.fork_rng(devices=[]):
        model = TextModel(setup.backbone(), pooling).to(device).eval()
    ids = [texts.ids(*text_of(name)) for name in names.tolist()]
    lengths = np.fromiter(map(len, ids), np.int64, len(ids))
    found = np.empty((len(ids), model.dim), np.float16)
    for start in range(0, len(ids), _PORTION):
        setup.note(f"Encoding texts with the base model: {start:,} of {len(ids):,}")
        for piece in micro_batches(
            lengths[start : start + _PORTION], budget_for(device, model.backbone)
        ):
            rows = piece + start
            packed = pack([ids[row] for row in rows]).to(device)
            with torch.autocast(device.type, precision, precision != torch.float32):
                vectors = model.vectors(packed)
            found[rows] = F.normalize(vectors.float(), dim=1).cpu().numpy()
    return found

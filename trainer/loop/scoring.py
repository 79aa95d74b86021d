"""Encoding with a model in training, for evaluations during validation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from trainer.data.sampler import micro_batches
from trainer.distributed import Ranks
from trainer.encoder import TextReader
from trainer.methods.base import Encode, Method
from trainer.model.packed import pack
from trainer.model.text_model import TextModel


def validation_encoder(
    method: Method,
    ranks: Ranks,
    precision: torch.dtype,
    budget: int,
    model: TextModel | None = None,
) -> Encode:
    """Return a function that encodes (title, abstract) pairs to unit vectors, as the package will,
    with the method's encoder or with another `model`.

    The ranks share the work: all must pass the same pairs, and all get all vectors.
    """
    reader, encoder = text_reader(method), model or method.encoder

    def vectors(pairs: Sequence[tuple[str, str]], queries: bool) -> torch.Tensor:
        ids = reader.ids(pairs, queries=queries)
        found = torch.empty(len(pairs), encoder.dim)
        for piece in micro_batches(np.array([len(row) for row in ids], np.int64), budget):
            texts = pack([ids[text] for text in piece]).to(ranks.device)
            with torch.autocast(ranks.device.type, precision, precision != torch.float32):
                rows = encoder.vectors(texts)
            found[piece] = F.normalize(rows.float(), dim=1).cpu()
        return found

    @torch.no_grad()
    def encode(pairs: Sequence[tuple[str, str]], *, queries: bool = False) -> NDArray[np.float32]:
        encoder.eval()
        # Ordered by rank: every world-th pair.
        own = vectors(pairs[ranks.rank :: ranks.world], queries)
        gathered = ranks.gather(own.to(ranks.device))
        order = np.concatenate(
            [np.arange(len(pairs))[r :: ranks.world] for r in range(ranks.world)]
        )
        found = np.empty(gathered.shape, np.float32)
        found[order] = gathered.cpu().numpy()
        return found

    return encode


def text_reader(method: Method) -> TextReader:
    """Return a reader that tokenizes and truncates texts as the package's encoder will."""
    reading = method.reading
    return TextReader(
        reading.tokenizer,
        reading.template,
        reading.max_tokens,
        reading.cls_tokens,
        query_template=reading.query_template,
    )

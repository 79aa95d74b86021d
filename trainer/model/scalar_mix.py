"""Scalar mix: a learned mixture of all layers, used by SPECTER's first code (AllenNLP)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from trainer.model.bert import After
from trainer.model.packed import Packed, mean


class ScalarMix(nn.Module):
    """gamma * sum_l softmax(w)_l layer_l, averaged over the words of a text.

    `begins` [vocabulary] marks the word pieces that begin a word: a word counts by its first piece.
    None: every token counts.
    """

    def __init__(self, layers: int, begins: Tensor | None = None) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(layers))
        self.gamma = nn.Parameter(torch.ones(()))
        self.register_buffer("begins", None if begins is None else begins.bool())
        self.begins: Tensor | None

    def forward(self, layers: Sequence[Tensor]) -> Tensor:
        shares = torch.softmax(self.weights, 0)
        mixed = shares[0] * layers[0]
        for share, states in zip(shares[1:], layers[1:], strict=True):
            mixed = mixed + share * states
        return self.gamma * mixed

    def vectors(self, backbone: Callable[[Packed, After], Tensor], texts: Packed) -> Tensor:
        """[texts, dim] in float32, from all layers of the backbone."""
        layers: list[Tensor] = []

        def keep(states: Tensor, _: Packed) -> Tensor:
            layers.append(states.float())
            return states

        backbone(texts, dict.fromkeys(range(len(self.weights)), keep))
        return mean(self(layers), texts.lengths, self._words(texts))

    def _words(self, texts: Packed) -> np.ndarray:
        if self.begins is None:
            return np.ones(len(texts.ids), bool)
        found: np.ndarray = self.begins[texts.ids].cpu().numpy()
        return found

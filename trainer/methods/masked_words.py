"""Guessing the words that were masked (BERT's head, without its next sentence)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainer.data.batch import Batch
from trainer.methods.base import Loss
from trainer.model.text_model import Backbone, Packed


class WordGuesser(nn.Module):
    """BERT's head for masked words: what it compares with is the embedding itself."""

    def __init__(self, backbone: Backbone) -> None:
        super().__init__()
        self.backbone = backbone
        self.dense = nn.Linear(backbone.hidden, backbone.hidden)
        self.norm = nn.LayerNorm(backbone.hidden, eps=backbone.config.get("layer_norm_eps", 1e-12))
        self.bias = nn.Parameter(torch.zeros(len(backbone.words)))
        nn.init.normal_(self.dense.weight, std=0.02)
        nn.init.zeros_(self.dense.bias)

    def forward(self, texts: Packed) -> Tensor:
        """The score of every word for each token that is asked for, [asked, vocabulary]."""
        states = self.backbone(texts)[texts.asked]
        return F.linear(self.norm(F.gelu(self.dense(states))), self.backbone.words, self.bias)


def guessed(outputs: Tensor, batch: Batch) -> Loss:
    """Cross entropy over the masked words."""
    lost = F.cross_entropy(outputs.float(), batch.labels, reduction="sum")
    return Loss(lost, len(batch.labels))

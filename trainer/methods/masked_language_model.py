"""Masked language modelling (BERT's head, without next sentence prediction)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainer.data.examples import Batch
from trainer.methods.base import Loss
from trainer.model.text_model import Backbone, Packed


class MaskedWordHead(nn.Module):
    """BERT's head for masked words, with tied word embeddings."""

    def __init__(self, backbone: Backbone) -> None:
        super().__init__()
        self.backbone = backbone
        self.dense = nn.Linear(backbone.hidden, backbone.hidden)
        self.norm = nn.LayerNorm(backbone.hidden, eps=backbone.config.get("layer_norm_eps", 1e-12))
        self.bias = nn.Parameter(torch.zeros(len(backbone.words)))
        nn.init.normal_(self.dense.weight, std=0.02)
        nn.init.zeros_(self.dense.bias)

    def forward(self, texts: Packed) -> Tensor:
        """Return the score of every word for each masked token, [masked tokens, vocabulary]."""
        states = self.backbone(texts)[texts.asked]
        return F.linear(self.norm(F.gelu(self.dense(states))), self.backbone.words, self.bias)


def masked_word_loss(outputs: Tensor, batch: Batch) -> Loss:
    """Return the cross entropy over the masked words."""
    lost = F.cross_entropy(outputs.float(), batch.labels, reduction="sum")
    return Loss(lost, len(batch.labels))

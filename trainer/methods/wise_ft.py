"""Interpolation between initial and trained weights (WiSE-FT; Wortsman et al., 2022)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from trainer.model.pooling import FacetPooling, MeanFacets, ScalarMix
from trainer.model.text_model import Backbone, TextModel


class WeightInterpolation(TextModel):
    """The trained model, saved with the fraction `share` of the weights of `start()` mixed in.

    The share may be changed until the model is saved.

    Interpolated weights are often better than either end on data outside the training distribution,
    such as other journals or papers.
    """

    def __init__(
        self,
        backbone: Backbone,
        pooling: str,
        start: Callable[[], Backbone],
        share: float,
        facets: FacetPooling | MeanFacets | None = None,
        scalar_mix: ScalarMix | None = None,
    ) -> None:
        super().__init__(backbone, pooling, facets, scalar_mix)
        self._start, self.share = start, share

    def save(self, folder: Path, tokenizer: Path) -> None:
        """Save the interpolated model; its own weights stay as they are."""
        if not self.share:
            super().save(folder, tokenizer)
            return
        self.mixed(self.share).save(folder, tokenizer)

    def mixed(self, share: float) -> TextModel:
        """Return a copy of the model with this share of the weights of the start."""
        mixed = self._start()
        learned = dict(self.backbone.named_parameters())
        with torch.no_grad():
            for name, weight in mixed.named_parameters():
                # The pooler does not affect the vector, and it is random if the start has none.
                # The start's adapter is zero only as a product: its second factor is 0.
                kept = 0.0 if ".pooler." in name or name.endswith("lora_A") else share
                weight.lerp_(learned[name].to(weight.device), 1 - kept)
        facets = self.facets.mixed(share) if self.facets else None
        return TextModel(mixed, self.pooling, facets, self.scalar_mix)

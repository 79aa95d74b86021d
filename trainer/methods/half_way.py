"""A finished model between its start and what it learned (WiSE-FT; Wortsman et al., 2022)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from trainer.model.text_model import Backbone, Facets, ScalarMix, TextModel


class HalfWay(TextModel):
    """What was learned; when it is saved, `share` of the weights of `start()` is mixed in.

    Between what it started from and what it learned, a model often knows better than either what
    neither was told of: other journals, other papers.
    """

    def __init__(
        self,
        backbone: Backbone,
        pooling: str,
        start: Callable[[], Backbone],
        share: float,
        facets: Facets | None = None,
        scalar_mix: ScalarMix | None = None,
    ) -> None:
        super().__init__(backbone, pooling, facets, scalar_mix)
        self._start, self._share = start, share

    def save(self, folder: Path, tokenizer: Path) -> None:
        """As any model is; its own weights stay as they are."""
        if not self._share:
            super().save(folder, tokenizer)
            return
        mixed = self._start()
        learned = dict(self.backbone.named_parameters())
        with torch.no_grad():
            for name, weight in mixed.named_parameters():
                # A pooler makes no vector, and what starts without one has drawn it anew.
                share = 0.0 if ".pooler." in name else self._share
                weight.lerp_(learned[name].to(weight.device), 1 - share)
        TextModel(mixed, self.pooling, self.facets, self.scalar_mix).save(folder, tokenizer)

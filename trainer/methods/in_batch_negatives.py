"""Contrastive learning with in-batch negatives (SimCSE; Gao et al., 2021)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from trainer.data.examples import Batch
from trainer.methods.base import Loss
from trainer.methods.losses import info_nce


class InBatch:
    """Each anchor is matched with its positive among those of its group, over all ranks.

    Examples are pairs, followed by hard negatives if there are any. A group is `together`
    consecutive examples of the step.
    """

    def __init__(
        self, temperature: float, together: int, *, same_label: bool, same_paper: bool
    ) -> None:
        self.temperature, self.together = temperature, together
        self.same_label, self.same_paper = same_label, same_paper

    def __call__(self, outputs: Tensor, batch: Batch) -> Loss:
        vectors = F.normalize(outputs.float(), dim=-1)
        anchors, others = vectors[batch.places[:, 0]], batch.gather(vectors[batch.places[:, 1:]])
        positions, labels, papers = (
            batch.gather(column) for column in (batch.positions, batch.labels, batch.papers)
        )
        # Every rank takes part in the backward pass of the gather, also one without examples.
        total = others.sum() * 0
        groups = batch.positions // self.together
        for group in sorted(set(groups.tolist())):
            mine = (groups == group).nonzero()[:, 0]
            theirs = (positions // self.together == group).nonzero()[:, 0]
            theirs = theirs[positions[theirs].argsort()]
            targets = torch.searchsorted(positions[theirs], batch.positions[mine])
            same = self._same(batch, mine, labels[theirs], papers[theirs, 1:])
            # All positives first, then all hard negatives.
            candidates = others[theirs].transpose(0, 1).flatten(0, 1)
            total = (
                total + info_nce(anchors[mine], candidates, targets, self.temperature, same).sum()
            )
        return Loss(total, len(anchors))

    def _same(
        self, batch: Batch, mine: Tensor, labels: Tensor, papers: Tensor
    ) -> list[tuple[Tensor, Tensor]]:
        """Return keys that exclude candidates as negatives of an anchor
        (trainer.methods.losses.info_nce)."""
        found = []
        if self.same_label:
            # The class of a hard negative is unknown.
            unknown = labels.new_full((papers[:, 1:].numel(),), -1)
            found.append((batch.labels[mine, None], torch.cat([labels, unknown])))
        if self.same_paper:
            found.append((batch.papers[mine, :2], papers.T.flatten()))
        return found

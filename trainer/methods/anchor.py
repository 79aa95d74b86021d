"""The anchor: similarities of the texts of a step stay those of the base model.

A model that is trained on one task forgets others; the mean squared change of the cosines between
the texts of a step, added to the loss, prevents nearly all of it.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional as F

from trainer.contract.errors import TrainerError
from trainer.data.examples import Batch, PaperExamples
from trainer.data.tokens import Texts
from trainer.methods.base import Loss, Setup
from trainer.methods.base_vectors import base_vectors
from trainer.model.packed import to_device


def with_anchor(
    setup: Setup,
    texts: Texts,
    pooling: str,
    train: PaperExamples,
    validation: PaperExamples,
) -> tuple[PaperExamples, PaperExamples]:
    """Return the examples with the base model's vectors of their texts, unless the setting `anchor`
    is 0. `pooling` is that of the vectors in training, which must need no weights that the base
    model lacks. Raises TrainerError."""
    if not setup.settings["anchor"]:
        return train, validation
    if pooling in ("pooler", "scalar_mix"):
        raise TrainerError(
            f"anchor cannot compare vectors of {pooling} with those of the base model.",
            "Use the mean or [CLS] of the last layer, or set anchor=0.",
        )
    return (
        replace(train, guide=base_vectors(setup, texts, pooling, train.names)),
        replace(validation, guide=base_vectors(setup, texts, pooling, validation.names)),
    )


def anchored(loss: Loss, vectors: Tensor, batch: Batch, weight: float) -> Loss:
    """Return the loss with the anchor added for each example.

    `vectors` [texts, dim] are those of the batch's texts by the model in training, and
    `batch.guide` those of the base model. The examples of the step must be computed together.
    """
    if batch.guide is None or not weight:
        return loss
    own = F.normalize(vectors.float(), dim=-1)[batch.places].flatten(0, 1)
    guide = to_device(batch.guide, own.device)[batch.places].flatten(0, 1)
    # Every rank takes part in the backward pass of the gather, also one without examples.
    others, their_guide = batch.gather(own), batch.gather(guide)
    change = (own @ others.T - guide @ their_guide.T).square().mean(1).sum()
    return Loss(loss.total + weight * change / batch.places.shape[1] + 0 * others.sum(), loss.count)


def masked_contrast(
    anchors: Tensor, candidates: Tensor, targets: Tensor, allowed: Tensor, temperature: float
) -> Tensor:
    """Return the cross entropy of each anchor's own candidate among the `allowed`, [anchors].

    `anchors` [a, dim] and `candidates` [c, dim] are of unit length, `targets` [a] are the own
    candidates' numbers, `allowed` is bool [a, c].
    """
    allowed = allowed.scatter(1, targets[:, None], True)
    logits = (anchors @ candidates.T / temperature).masked_fill(~allowed, -torch.inf)
    return F.cross_entropy(logits, targets, reduction="none")

"""Losses on the vectors of texts: one number per example, in float32 or better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

# Anchors compared at once with all candidates: 64 MB of similarities with 16,384 candidates.
CHUNK = 1_024
# Added to each coordinate's difference (torch's TripletMarginLoss).
_EPS = 1e-6


def triplet_margin(
    query: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, distance: str = "l2"
) -> Tensor:
    """Return by how much the positive misses being closer by the margin (SPECTER, eq. 2),
    [examples].

    All inputs are [examples, dim].
    """
    if distance == "l2":
        near, far = (F.pairwise_distance(query, x, eps=_EPS) for x in (positive, negative))
    elif distance == "cosine":
        near, far = -F.cosine_similarity(query, positive), -F.cosine_similarity(query, negative)
    else:
        near, far = -(query * positive).sum(-1), -(query * negative).sum(-1)
    return F.relu(near - far + margin)


def all_triplets(
    query: Tensor,
    positive: Tensor,
    others: Tensor,
    allowed: Tensor,
    margin: float,
    distance: str,
) -> Tensor:
    """Return the mean `triplet_margin` over the violating negatives, [examples].

    The negatives of an example are those of `others` [c, dim] that are `allowed` [examples, c].
    Triplets without violation have no gradient and would only dilute the mean (Hermans et al.,
    2017, "batch all").
    """
    if distance == "l2":
        near = F.pairwise_distance(query, positive, eps=_EPS)
        # Computed by matrix products, as torch does for many vectors, small distances would be
        # inexact.
        far = torch.cdist(query + _EPS, others, compute_mode="donot_use_mm_for_euclid_dist")
    else:
        if distance == "cosine":
            query, positive, others = (F.normalize(x, dim=-1) for x in (query, positive, others))
        near, far = -(query * positive).sum(-1), -(query @ others.T)
    lost = F.relu(near[:, None] - far + margin).masked_fill(~allowed, 0)
    return lost.sum(1) / (lost > 0).sum(1).clamp(min=1)


@dataclass(frozen=True)
class FacetContrast:
    """Multi2SPE's loss: which paper is near a query, by the sums of the [CLS] and by their best
    pair.

    The best pair has the weight `best_share`: in the similarities if `mix` is `logits` (Multi2SPE,
    eq. 2 and 3), in the losses if it is `losses` (its released code). Similarities are dot
    products, or cosines if `similarity` is `cosine`, divided by `temperature`. For cosines each
    [CLS] is divided by its own length, or, if `of_sum`, by that of the sum of its text's: one that
    starts at zero has no direction.
    """

    best_share: float
    mix: str
    similarity: str = "dot"
    temperature: float = 1.0
    of_sum: bool = False

    def of_two(self, query: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Return the loss for one positive and one negative, [examples]; inputs [examples,
        cls_tokens, dim]."""
        near, far = self._pairs(query, positive), self._pairs(query, negative)
        return self._lost(*(torch.stack(kind, 1) for kind in zip(near, far, strict=True)))

    def of_many(self, query: Tensor, positive: Tensor, others: Tensor, allowed: Tensor) -> Tensor:
        """Return the loss for all `others` [c, cls_tokens, dim] that are `allowed` [examples, c] as
        negatives, [examples]."""
        near = self._pairs(query, positive)
        sums = self._scaled(query.sum(1)) @ self._scaled(others.sum(1)).T
        facets = torch.einsum("eid,ojd->eoij", self._facets(query), self._facets(others))
        far = (sums, facets.amax((2, 3)))
        return self._lost(
            *(
                torch.cat([one[:, None], rest.masked_fill(~allowed, -torch.inf)], 1)
                for one, rest in zip(near, far, strict=True)
            )
        )

    def _pairs(self, query: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
        """Return the similarities of queries and others, row by row: of their sums, of the best
        pair."""
        sums = (self._scaled(query.sum(1)) * self._scaled(other.sum(1))).sum(1)
        facets = torch.einsum("eid,ejd->eij", self._facets(query), self._facets(other))
        return sums, facets.amax((1, 2))

    def _facets(self, vectors: Tensor) -> Tensor:
        if not (self.of_sum and self.similarity == "cosine"):
            return self._scaled(vectors)
        lengths = vectors.sum(1, keepdim=True).norm(dim=-1, keepdim=True).clamp(min=1e-12)
        found: Tensor = vectors / lengths / self.temperature**0.5
        return found

    def _scaled(self, vectors: Tensor) -> Tensor:
        if self.similarity == "cosine":
            vectors = F.normalize(vectors, dim=-1)
        scaled: Tensor = vectors / self.temperature**0.5
        return scaled

    def _lost(self, sums: Tensor, best: Tensor) -> Tensor:
        """Return the loss of similarities [examples, candidates]; the first candidate is the
        positive."""
        if self.mix == "logits":
            return _not_the_first(self.best_share * best + (1 - self.best_share) * sums)
        return self.best_share * _not_the_first(best) + (1 - self.best_share) * _not_the_first(sums)


def _not_the_first(logits: Tensor) -> Tensor:
    return logits.logsumexp(1) - logits[:, 0]


def info_nce(
    anchors: Tensor,
    candidates: Tensor,
    targets: Tensor,
    temperature: float,
    same: Sequence[tuple[Tensor, Tensor]] = (),
) -> Tensor:
    """Return the cross entropy of each anchor's own candidate, given by `targets`, [anchors].

    SimCSE's loss (Gao et al., 2021, eq. 1) of vectors of unit length: `anchors` [a, dim],
    `candidates` [c, dim]. Each element of `same` has keys of the anchors [a, k] and a key per
    candidate [c]: a candidate that shares a non-negative key with an anchor is not a negative of
    it.
    """
    found = [
        # Similarities are cheap to recompute, and too many to keep.
        checkpoint(
            _cross_entropy,
            anchors[part],
            candidates,
            targets[part],
            temperature,
            [(keys[part], others) for keys, others in same],
            use_reentrant=False,
            preserve_rng_state=False,
        )
        for part in (slice(at, at + CHUNK) for at in range(0, len(anchors), CHUNK))
    ]
    return torch.cat(found) if found else anchors.sum(1)


def _cross_entropy(
    anchors: Tensor,
    candidates: Tensor,
    targets: Tensor,
    temperature: float,
    same: Sequence[tuple[Tensor, Tensor]],
) -> Tensor:
    logits = anchors @ candidates.T / temperature
    for keys, others in same:
        alike = ((keys[:, :, None] == others) & (others >= 0)).any(1)
        logits = logits.masked_fill(alike.scatter(1, targets[:, None], False), -torch.inf)
    return F.cross_entropy(logits, targets, reduction="none")

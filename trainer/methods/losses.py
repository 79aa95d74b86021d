"""What is wrong with the vectors of some texts, as one number an example, in float32 or better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

# Anchors that are compared at once with all candidates: 64 MB of similarities at 16,384 of them.
CHUNK = 1_024
# What is added to each coordinate's difference (torch's TripletMarginLoss).
_EPS = 1e-6


def triplet_margin(
    query: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, distance: str = "l2"
) -> Tensor:
    """How far the positive is from being closer by the margin (SPECTER, eq. 2), [examples].

    All [examples, dim].
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
    """`triplet_margin` with each of the `others` [c, dim] that is `allowed` [examples, c] as the
    negative: the mean over those that are too close, [examples].

    Those that are far enough have nothing to teach, and would only make the mean small (Hermans et
    al., 2017, "batch all").
    """
    if distance == "l2":
        near = F.pairwise_distance(query, positive, eps=_EPS)
        # By products, as torch has it for many, close ones would be told apart wrongly.
        far = torch.cdist(query + _EPS, others, compute_mode="donot_use_mm_for_euclid_dist")
    else:
        if distance == "cosine":
            query, positive, others = (F.normalize(x, dim=-1) for x in (query, positive, others))
        near, far = -(query * positive).sum(-1), -(query @ others.T)
    lost = F.relu(near[:, None] - far + margin).masked_fill(~allowed, 0)
    return lost.sum(1) / (lost > 0).sum(1).clamp(min=1)


@dataclass(frozen=True)
class FacetContrast:
    """Which of some papers is near a query, by the sums of their [CLS] and by the best pair.

    The best pair counts for `best_share`: of the similarities if `mix` is `logits` (Multi2SPE, eq.
    2 and 3), of the losses if it is `losses` (its released code). Similarities are products, or of
    vectors made unit length first if `similarity` is `cosine`, divided by `temperature`.
    """

    best_share: float
    mix: str
    similarity: str = "dot"
    temperature: float = 1.0

    def of_two(self, query: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss of a cited paper and one other, [examples]; all [examples, cls_tokens, dim]."""
        near, far = self._pairs(query, positive), self._pairs(query, negative)
        return self._lost(*(torch.stack(kind, 1) for kind in zip(near, far, strict=True)))

    def of_many(self, query: Tensor, positive: Tensor, others: Tensor, allowed: Tensor) -> Tensor:
        """The same with all `others` [c, cls_tokens, dim] that are `allowed` [examples, c] at once,
        [examples]."""
        near = self._pairs(query, positive)
        sums = self._scaled(query.sum(1)) @ self._scaled(others.sum(1)).T
        facets = torch.einsum("eid,ojd->eoij", self._scaled(query), self._scaled(others))
        far = (sums, facets.amax((2, 3)))
        return self._lost(
            *(
                torch.cat([one[:, None], rest.masked_fill(~allowed, -torch.inf)], 1)
                for one, rest in zip(near, far, strict=True)
            )
        )

    def _pairs(self, query: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
        """Similarities of each query and the other beside it: of their sums, of the best pair."""
        sums = (self._scaled(query.sum(1)) * self._scaled(other.sum(1))).sum(1)
        facets = torch.einsum("eid,ejd->eij", self._scaled(query), self._scaled(other))
        return sums, facets.amax((1, 2))

    def _scaled(self, vectors: Tensor) -> Tensor:
        if self.similarity == "cosine":
            vectors = F.normalize(vectors, dim=-1)
        scaled: Tensor = vectors / self.temperature**0.5
        return scaled

    def _lost(self, sums: Tensor, best: Tensor) -> Tensor:
        """The loss of similarities [examples, candidates] of which the first should be largest."""
        if self.mix == "logits":
            return _not_the_first(self.best_share * best + (1 - self.best_share) * sums)
        return self.best_share * _not_the_first(best) + (1 - self.best_share) * _not_the_first(sums)


def _not_the_first(logits: Tensor) -> Tensor:
    return logits.logsumexp(1) - logits[:, 0]


def info_nce(
    anchors: Tensor,
    candidates: Tensor,
    wanted: Tensor,
    temperature: float,
    same: Sequence[tuple[Tensor, Tensor]] = (),
) -> Tensor:
    """How well each anchor tells its own candidate, number `wanted`, from all others, [anchors].

    SimCSE's cross entropy (Gao et al., 2021, eq. 1) of vectors of unit length: `anchors` [a, dim],
    `candidates` [c, dim]. Each of `same` is keys of the anchors [a, k] and a key of the candidates
    [c]: those that share a key, unless it is negative, are not held against each other.
    """
    found = [
        # Similarities are cheap to compute again, and too many to keep.
        checkpoint(
            _cross_entropy,
            anchors[part],
            candidates,
            wanted[part],
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
    wanted: Tensor,
    temperature: float,
    same: Sequence[tuple[Tensor, Tensor]],
) -> Tensor:
    logits = anchors @ candidates.T / temperature
    for keys, others in same:
        alike = ((keys[:, :, None] == others) & (others >= 0)).any(1)
        logits = logits.masked_fill(alike.scatter(1, wanted[:, None], False), -torch.inf)
    return F.cross_entropy(logits, wanted, reduction="none")

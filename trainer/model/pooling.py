"""Poolings with weights of their own: Multi2SPE's facets and AllenNLP's scalar mix.

Facets are several [CLS] tokens with diversified representations (Seoh et al., 2023), or the mean
and further vectors that are added to it. The scalar mix is a learned mixture of all layers, used by
SPECTER's first code.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor, nn

from trainer.model.bert import After
from trainer.model.packed import Packed, attended, first, first_rows, mean

INITS = ("released", "identity_effective")


class FacetPooling(nn.Module):
    """A linear layer for each of the first `cls_tokens` tokens, after 1/3, 2/3 and all of the
    layers.

    The mean over the tokens is subtracted from each layer's weights, which keeps the tokens apart
    (eq. 1); a single token keeps its own, since nothing would remain. `tanh` follows the last
    layer, in the published code but not in the paper. `init` is one of:

    - "released": the first two layers start as the identity, hence at zero after the subtraction,
      as in the published code;
    - "identity_effective": the model starts as the plain transformer.
    """

    def __init__(
        self,
        hidden: int,
        layers: int,
        cls_tokens: int = 3,
        init: str = "released",
        tanh: bool = True,
    ) -> None:
        super().__init__()
        if init not in INITS:
            raise ValueError(f"unknown init {init}")
        self.cls_tokens, self.init, self.tanh = cls_tokens, init, tanh
        self._layers = layers
        self.weight = nn.Parameter(torch.zeros(3, cls_tokens, hidden, hidden))
        self.bias = nn.Parameter(torch.zeros(3, cls_tokens, hidden))
        if init == "released":
            self._start_as_released()

    @torch.no_grad()
    def _start_as_released(self) -> None:
        hidden = self.bias.shape[-1]
        self.weight[:2].copy_(torch.eye(hidden))
        for weight, bias in zip(self.weight[2], self.bias[2], strict=True):
            dense = nn.Linear(hidden, hidden)
            weight.copy_(dense.weight)
            bias.copy_(dense.bias)

    def effective(self) -> Tensor:
        """Return the weights that are applied to the states, [3, cls_tokens, hidden, hidden]."""
        weight: Tensor = self.weight
        if self.cls_tokens > 1:
            weight = weight - weight.mean(1, keepdim=True)
        if self.init == "identity_effective":
            size, where = weight.shape[-1], weight.device
            weight = weight + torch.eye(size, dtype=weight.dtype, device=where)
        return weight

    def after(self) -> After:
        """Return the hooks on the states after the layers."""
        return facet_steps(self.effective(), self.bias, self._layers)

    def read(self, states: Tensor, texts: Packed) -> Tensor:
        """Return the facets of each text, [texts, cls_tokens, hidden], from the last states."""
        return read_facets(states, texts, self.cls_tokens, self.tanh)

    def own_weights(self) -> dict[str, Tensor]:
        """Return the weights that inference needs, by their names in a package."""
        return {
            "facets.weight": self.effective(),
            "facets.bias": self.bias,
            "facets.tanh": torch.tensor(self.tanh),
        }

    def mixed(self, share: float) -> FacetPooling:
        """Return the facets for a model with this share of its start: those of the end."""
        return self


class MeanFacets(nn.Module):
    """The mean of all tokens as the first facet, and further [CLS] that are added from zero.

    A further [CLS] is no token of the text: its query attends to the states of the last layer, and
    a linear layer follows. It reads the text without changing it, so that the mean is that of the
    plain transformer. The linear layers start at zero, and the sum of the facets as the mean.
    """

    cls_tokens = 1  # at the start of a text

    def __init__(self, hidden: int, count: int) -> None:
        """`count` includes the mean."""
        super().__init__()
        self.queries = nn.Parameter(torch.empty(count - 1, hidden))
        self.weight = nn.Parameter(torch.zeros(count - 1, hidden, hidden))
        self.bias = nn.Parameter(torch.zeros(count - 1, hidden))
        # Equal queries would have equal gradients, and stay equal.
        nn.init.normal_(self.queries, std=hidden**-0.5)

    def after(self) -> After:
        """Return no hooks: the states are those of the plain transformer."""
        return {}

    def read(self, states: Tensor, texts: Packed) -> Tensor:
        """Return the facets of each text, [texts, count, hidden], from the last states."""
        return read_mean_facets(states, texts, self.queries, self.weight, self.bias)

    def own_weights(self) -> dict[str, Tensor]:
        """Return the weights that inference needs, by their names in a package."""
        return {
            "facets.queries": self.queries,
            "facets.weight": self.weight,
            "facets.bias": self.bias,
        }

    def mixed(self, share: float) -> MeanFacets:
        """Return the facets for a model with this share of its start, where they are zero."""
        found = MeanFacets(self.queries.shape[1], len(self.queries) + 1)
        with torch.no_grad():
            found.queries.copy_(self.queries)
            found.weight.copy_((1 - share) * self.weight)
            found.bias.copy_((1 - share) * self.bias)
        return found


def read_mean_facets(
    states: Tensor, texts: Packed, queries: Tensor, weight: Tensor, bias: Tensor
) -> Tensor:
    """Return the mean of the states of each text and what each query reads from them,
    [texts, 1 + queries, hidden]."""
    read = [attended(states, texts, (states @ query).float()) for query in queries]
    further = [facet_linear(torch.stack(read, 1), weight, bias)] if read else []
    return torch.cat([mean(states, texts)[:, None], *further], 1)


def facet_steps(weight: Tensor, bias: Tensor, layers: int) -> After:
    """Return the hooks for weights [3, K, hidden, hidden] and biases [3, K, hidden] in a model with
    `layers` layers."""
    steps = defaultdict(list)
    for place, its_weight, its_bias in zip(facet_places(layers), weight, bias, strict=True):
        steps[place].append((its_weight, its_bias))
    return {place: partial(_replace, parameters) for place, parameters in steps.items()}


def facet_places(layers: int) -> tuple[int, ...]:
    """Return the layers, counted from 0, after which the facets' layers are: of 12, the 4th, 8th
    and last."""
    return tuple(max(1, round(layers * third / 3)) - 1 for third in (1, 2, 3))


def read_facets(states: Tensor, texts: Packed, cls_tokens: int, tanh: bool) -> Tensor:
    """[texts, cls_tokens, hidden]"""
    facets = first(states, texts, cls_tokens)
    return torch.tanh(facets) if tanh else facets


def facet_linear(facets: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """[texts, K, hidden] by [K, hidden, hidden] and [K, hidden], to [texts, K, hidden]."""
    by_facet = torch.baddbmm(bias[:, None], facets.transpose(0, 1), weight.transpose(1, 2))
    return by_facet.transpose(0, 1)


def _replace(parameters: Sequence[tuple[Tensor, Tensor]], states: Tensor, texts: Packed) -> Tensor:
    """Return the states with the facets after their layers. Nothing is modified in place."""
    count = parameters[0][1].shape[0]
    facets = first(states, texts, count)
    for weight, bias in parameters:
        facets = facet_linear(facets.to(weight.dtype), weight, bias)
    rows = first_rows(texts, count)
    return states.index_copy(0, rows, facets.flatten(0, 1).to(states.dtype))


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
        words = None if self.begins is None else self.begins.index_select(0, texts.ids)
        return mean(self(layers), texts, words)

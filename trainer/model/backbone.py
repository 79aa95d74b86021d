"""A model package for inference: its transformer, and its pooling to one vector per text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional as F

from trainer.contract.errors import PackageRefused
from trainer.contract.package import POOLING_WEIGHTS, Package, transformer_folder
from trainer.model.bert import After, is_plain_bert
from trainer.model.device import cpu_has_tiles, cpu_multiplies_bf16
from trainer.model.head import load_head
from trainer.model.lora import transformer_weights
from trainer.model.packed import Packed, pool
from trainer.model.padded import Padded
from trainer.model.pooling import ScalarMix, facet_steps, read_facets, read_mean_facets
from trainer.model.text_model import Backbone

# Packed texts and hooks on the states after layers -> states [tokens, dim]
Transformer = Callable[[Packed, After], Tensor]


def load_backbone(package: Package, device: torch.device, dtype: torch.dtype) -> Transformer:
    """Load the package's transformer for inference. Raises TrainerError."""
    config = _config(package)
    positions = config.get("max_position_embeddings", package.max_tokens)
    if package.max_tokens > positions:
        raise PackageRefused(
            f"The model {package.title} accepts at most {positions} tokens, not "
            f"{package.max_tokens}.",
            "Reduce max_tokens in its package.json.",
        )
    if not is_plain_bert(config):
        other: Transformer = Padded(package.folder, dtype=dtype).eval().to(device)
        return other
    if device.type != "cpu":
        bert: Transformer = Backbone.load(package.folder).eval().to(device, dtype)
        return bert
    weights = transformer_weights(package.folder)
    weights = {name.removeprefix("bert."): weight for name, weight in weights.items()}
    return InferenceBert(config, weights, dtype)


def precision(device: torch.device) -> torch.dtype:
    """Return bfloat16 if the hardware multiplies it, else float32."""
    if device.type == "cuda":
        native = torch.cuda.is_bf16_supported(including_emulation=False)
        return torch.bfloat16 if native else torch.float16
    return torch.bfloat16 if cpu_multiplies_bf16() else torch.float32


class InferenceBert:
    """BERT for inference on a CPU: the same results as transformers' BertModel, in less time.

    The texts of a batch are concatenated in one matrix, so that no work is spent on padding; only
    attention processes them one by one. On two cores in float32, with MiniLM (6 layers of 384) and
    24 abstracts, BertModel with fused attention takes 1.6 times as much CPU time
    (`benchmarks/bench_bert.py`).
    """

    def __init__(
        self, config: Mapping[str, Any], weights: Mapping[str, Tensor], dtype: torch.dtype
    ) -> None:
        self._weights = {
            name: weight.to(dtype) for name, weight in weights.items() if weight.is_floating_point()
        }
        self._epsilon = float(config.get("layer_norm_eps", 1e-12))
        self._heads = config["num_attention_heads"]
        self._word = self._weights["embeddings.word_embeddings.weight"]
        self._place = (
            self._weights["embeddings.position_embeddings.weight"]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = self._layer_norm("embeddings.LayerNorm")
        self._layers = [
            self._layer(f"encoder.layer.{number}.") for number in range(config["num_hidden_layers"])
        ]
        self._weights.clear()

    def __call__(self, texts: Packed, after: After) -> Tensor:
        states = self._norm(
            F.embedding(_fill(texts.ids), self._word)
            + F.embedding(_fill(texts.places), self._place)
        )
        for number, layer in enumerate(self._layers):
            states = layer(states, texts.lengths)
            if number in after:
                states = _fill(after[number](states[: len(texts.ids)], texts))
        return states[: len(texts.ids)]

    def _layer(self, name: str) -> Callable[[Tensor, tuple[int, ...]], Tensor]:
        to_queries_keys_values = self._dense(
            *(f"{name}attention.self.{part}" for part in ("query", "key", "value"))
        )
        mix_heads = self._dense(f"{name}attention.output.dense")
        norm_attention = self._layer_norm(f"{name}attention.output.LayerNorm")
        widen = self._dense(f"{name}intermediate.dense")
        narrow = self._dense(f"{name}output.dense")
        norm_output = self._layer_norm(f"{name}output.LayerNorm")

        def layer(states: Tensor, lengths: tuple[int, ...]) -> Tensor:
            attended = attend(to_queries_keys_values(states), lengths, self._heads)
            states = norm_attention(mix_heads.plus(states, attended))
            return norm_output(narrow.plus(states, widen.gelu(states)))

        return layer

    def _dense(self, *names: str) -> _FusedLinear:
        """Return a dense layer, or several of them concatenated."""
        return _FusedLinear(
            torch.cat([self._weights[f"{name}.weight"] for name in names]),
            torch.cat([self._weights[f"{name}.bias"] for name in names]),
        )

    def _layer_norm(self, name: str) -> Callable[[Tensor], Tensor]:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return lambda states: F.layer_norm(states, weight.shape, weight, bias, self._epsilon)


class _FusedLinear:
    """A dense layer. Where oneDNN supports bf16, the following operation is fused with it."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        self._bias = bias
        self._fused: Any = None
        if weight.dtype == torch.bfloat16 and torch.ops.mkldnn._is_mkldnn_bf16_supported():
            self._fused = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
        # Reordered once into the layout that the CPU needs.
        self._weight = torch.ops.mkldnn._reorder_linear_weight(weight) if self._fused else weight

    def __call__(self, states: Tensor) -> Tensor:
        if not self._fused:
            return F.linear(states, self._weight, self._bias)
        found: Tensor = self._fused(states, self._weight, self._bias, "none", [], "")
        return found

    def gelu(self, states: Tensor) -> Tensor:
        if not self._fused:
            return F.gelu(self(states))
        found: Tensor = self._fused(states, self._weight, self._bias, "gelu", [], "none")
        return found

    def plus(self, added: Tensor, states: Tensor) -> Tensor:
        """Return the layer's output for `states`, plus `added`."""
        if not self._fused:
            return self(states).add_(added)
        found: Tensor = self._fused.binary(states, added, self._weight, self._bias, "add")
        return found


def _fill(rows: Tensor) -> Tensor:
    """Pad with rows of zeros to a round number.

    oneDNN compiles kernels for every new number of rows, which takes as long as the computation.
    """
    spare = -len(rows) % (64 if len(rows) > 256 else 32)
    return F.pad(rows, (0, 0) * (rows.dim() - 1) + (0, spare))


# Scores of some heads of a text that are computed at once: more would not fit the cache.
_SCORES = 2**19
# From this length on torch's fused attention is slower in bf16 on a CPU without tiles (AMX).
_LONG = 64


def attend(parts: Tensor, lengths: tuple[int, ...], heads: int) -> Tensor:
    """Queries, keys and values [tokens, 3 * hidden] -> attention outputs [tokens, hidden].

    There may be more tokens than the texts have: their outputs are zero.
    """
    width = parts.shape[1] // 3
    found = parts.new_empty(len(parts), width)
    plain = parts.dtype == torch.bfloat16 and not cpu_has_tiles()
    start = 0
    for length, same in groupby(lengths):
        end = start + length * len(list(same))
        texts = parts[start:end].view(-1, length, 3, heads, width // heads)
        into = found[start:end].view(-1, length, heads, width // heads)
        if plain and length >= _LONG:
            _in_steps(texts, into)
        else:
            query, key, value = texts.permute(2, 0, 3, 1, 4)
            into.copy_(F.scaled_dot_product_attention(query, key, value).transpose(1, 2))
        start = end
    found[start:] = 0
    return found


def _in_steps(texts: Tensor, into: Tensor) -> None:
    """[texts, length, 3, heads, head size] -> `into` [texts, length, heads, head size]"""
    _, length, _, heads, width = texts.shape
    # oneDNN compiles kernels for every new length and caches them, a megabyte each.
    full = length + -length % 16
    padded = texts.new_zeros(3, heads, full, width)
    some = min(heads, max(1, _SCORES // full**2))
    scores = texts.new_empty(some, full, full)
    shares = torch.empty_like(scores, dtype=torch.float32)
    for text, found in zip(texts.permute(0, 2, 3, 1, 4), into.transpose(1, 2), strict=True):
        padded[:, :, :length] = text
        query, key, value = padded
        query.mul_(width**-0.5)
        for first in range(0, heads, some):
            these = slice(first, first + some)
            count = len(query[these])
            torch.bmm(query[these], key[these].transpose(1, 2), out=scores[:count])
            scores[..., length:] = -torch.inf
            torch.softmax(scores[:count], -1, dtype=torch.float32, out=shares[:count])
            seen = torch.bmm(scores[:count].copy_(shares[:count]), value[these])
            found[these] = seen[:, :length]


# A transformer and packed texts -> vectors [texts, dim] in float32
Pooling = Callable[[Transformer, Packed], Tensor]


def load_pooling(package: Package, device: torch.device) -> Pooling:
    """Return the package's pooling and the modules after it, with their own weights if they have
    any. Raises PackageRefused."""
    pooled = _load_pooling(package, device)
    if not package.head:
        return pooled
    head = load_head(package.folder, package.head, package.title).to(device)
    return lambda transformer, texts: head(pooled(transformer, texts))


def _load_pooling(package: Package, device: torch.device) -> Pooling:
    weights: dict[str, Tensor] = {}
    if POOLING_WEIGHTS in package.files:
        weights = load_file(package.folder / POOLING_WEIGHTS, device=str(device))
    if package.pooling == "scalar_mix":
        return _scalar_mix(package, weights).to(device).vectors
    if package.pooling == "multi_cls" and weights:
        return _facets(package, weights)
    if package.pooling == "mean_and_cls":
        return _mean_facets(package, weights)

    def pooled(transformer: Transformer, texts: Packed) -> Tensor:
        states = transformer(texts, {}).float()
        return pool(states, texts, package.pooling, package.cls_tokens)

    return pooled


def _scalar_mix(package: Package, weights: Mapping[str, Tensor]) -> ScalarMix:
    names = ("scalar_mix.weights", "scalar_mix.gamma")
    if not all(name in weights for name in names):
        raise PackageRefused(f"The model {package.title} lacks the weights of its layer mixture.")
    mix = ScalarMix(len(weights[names[0]]), weights.get("scalar_mix.begins"))
    mix.weights.data, mix.gamma.data = (weights[name] for name in names)
    return mix.requires_grad_(False)


def _facets(package: Package, weights: Mapping[str, Tensor]) -> Pooling:
    names = ("facets.weight", "facets.bias", "facets.tanh")
    shape = (3, package.cls_tokens, package.dim)
    if not all(name in weights for name in names) or weights["facets.bias"].shape != shape:
        raise PackageRefused(
            f"The model {package.title} lacks the layers of its {package.cls_tokens} [CLS] tokens."
        )
    weight, bias, tanh = (weights[name] for name in names)
    steps = facet_steps(weight, bias, _layers(package))

    def pooled(transformer: Transformer, texts: Packed) -> Tensor:
        states = transformer(texts, steps).float()
        return read_facets(states, texts, package.cls_tokens, bool(tanh)).sum(1)

    return pooled


def _mean_facets(package: Package, weights: Mapping[str, Tensor]) -> Pooling:
    names = ("facets.queries", "facets.weight", "facets.bias")
    parts = [weights[name] for name in names if name in weights]
    count, dim = len(parts[0]) if parts else 0, package.dim
    if [tuple(part.shape) for part in parts] != [(count, dim), (count, dim, dim), (count, dim)]:
        raise PackageRefused(f"The model {package.title} lacks the layers of its further [CLS].")

    def pooled(transformer: Transformer, texts: Packed) -> Tensor:
        return read_mean_facets(transformer(texts, {}).float(), texts, *parts).sum(1)

    return pooled


def _layers(package: Package) -> int:
    return int(_config(package)["num_hidden_layers"])


def _config(package: Package) -> dict[str, Any]:
    path = transformer_folder(package.folder) / "config.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))

"""A BERT layer on packed texts with torch's operations, for GPUs.

Attention runs on the packed rows with FlashAttention, which needs 16 bits; otherwise on texts that
are padded within groups of similar length. Residuals have the precision of the matrix products:
elementwise operations are limited by memory, and layer norm computes in float32 in its kernel.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils import deterministic

from trainer.model.cpu.bert_layer import Weights
from trainer.model.packed import Packed, to_device

log = logging.getLogger("trainer")

# Padding may add so much to the work of attention, which grows with the square of the length.
_MOST_WORK = 1.1
# The longest text is rounded up, so that compiled layers see few different numbers.
_LENGTH_STEP = 128
# The least cosine of the outputs and gradients of a compiled layer to those of the plain one.
_SAME = 0.99
# Heads that FlashAttention supports.
_HEAD_STEP, _MOST_OF_HEAD = 8, 256


class PaddedGroup(NamedTuple):
    """Texts of similar length: their tokens padded, [texts, longest], and where there are any."""

    tokens: Tensor
    mask: Tensor | None


class Spans(NamedTuple):
    """Where each text is in the packed rows.

    `bounds`, int32 [texts + 1], and the length of the `longest` are for FlashAttention. Without it,
    `groups` pad the texts, and `places` [tokens] are the rows of the tokens in all of them.
    """

    bounds: Tensor
    longest: int
    groups: tuple[PaddedGroup, ...] = ()
    places: Tensor | None = None

    @classmethod
    def of(cls, texts: Packed, flash: bool) -> Spans:
        """Return where the texts are: for FlashAttention, or padded in groups of similar length."""
        longest = -(-max(texts.lengths) // _LENGTH_STEP) * _LENGTH_STEP
        if flash:
            return cls(texts.bounds, longest)
        lengths, device = np.asarray(texts.lengths), texts.ids.device
        starts, groups, rows, used = np.cumsum(lengths) - lengths, [], [], 0
        for group in similar(lengths):
            places = np.arange(lengths[group].max())
            mask = places < lengths[group, None]
            tokens = np.where(mask, starts[group, None] + places, 0)
            rows.append((tokens[mask], used + np.flatnonzero(mask)))
            used += tokens.size
            padding = None if mask.all() else to_device(torch.from_numpy(mask), device)
            groups.append(PaddedGroup(to_device(torch.from_numpy(tokens), device), padding))
        found = np.empty(lengths.sum(), np.int64)
        for tokens, places in rows:
            found[tokens] = places
        return cls(texts.bounds, longest, tuple(groups), to_device(torch.from_numpy(found), device))


def similar(lengths: NDArray[np.integer]) -> list[NDArray[np.intp]]:
    """Group texts of similar length, longest first, so that padding adds little to the work."""
    order = np.argsort(-lengths, kind="stable")
    squares = lengths[order].astype(np.int64) ** 2
    groups, start, needed = [], 0, 0
    for at, square in enumerate(squares):
        if (at + 1 - start) * squares[start] > _MOST_WORK * (needed + square):
            groups.append(order[start:at])
            start, needed = at, 0
        needed += int(square)
    return [*groups, order[start:]]


def has_flash(device: torch.device, dtype: torch.dtype, head: int) -> bool:
    """Whether FlashAttention runs there, with heads of this size."""
    fits = head % _HEAD_STEP == 0 and head <= _MOST_OF_HEAD
    return fits and dtype in (torch.bfloat16, torch.float16) and _flash_device(device)


@cache
def _flash_device(device: torch.device) -> bool:
    if device.type == "meta":  # stands for a GPU
        return True
    return (
        device.type == "cuda"
        and torch.version.hip is None
        and torch.backends.cuda.is_flash_attention_available()
        and torch.cuda.get_device_capability(device) >= (8, 0)
    )


class LayerOnGpu(nn.Module):
    """The computation of a layer, without its parameters; can be compiled."""

    def __init__(
        self, heads: int, epsilon: float, attention_dropout: float, dropout: float
    ) -> None:
        super().__init__()
        self.heads, self.epsilon = heads, epsilon
        self.attention_dropout, self.dropout = attention_dropout, dropout

    def forward(self, states: Tensor, spans: Spans, weights: Weights) -> Tensor:
        """Return the states [tokens, hidden] after the layer; all have the type of the states."""
        qkv, qkv_bias, mix, mix_bias, scale, shift = weights[:6]
        widen, widen_bias, narrow, narrow_bias, last_scale, last_shift = weights[6:]
        shape = [states.shape[1]]
        rate = self.attention_dropout if self.training else 0.0
        found = attend(F.linear(states, qkv, qkv_bias), spans, self.heads, rate)
        states = self._drop(F.linear(found, mix, mix_bias)) + states
        states = F.layer_norm(states, shape, scale, shift, self.epsilon)
        wide = F.gelu(F.linear(states, widen, widen_bias))
        states = self._drop(F.linear(wide, narrow, narrow_bias)) + states
        return F.layer_norm(states, shape, last_scale, last_shift, self.epsilon)

    @property
    def drops(self) -> bool:
        """Whether there is dropout in training."""
        return bool(self.attention_dropout or self.dropout)

    def _drop(self, states: Tensor) -> Tensor:
        return F.dropout(states, self.dropout, self.training)


def compile_layers(
    layers: Sequence[LayerOnGpu], states: Tensor, spans: Spans, weights: Weights
) -> None:
    """Compile the layers of a model, if the first one computes the same on these inputs.

    Compiled, a step of BERT base took 1.0 to 1.4 times as long on an H200 (torch 2.11): most of it
    is matrix products and attention, which stay as they are.
    """
    try:
        check_compiled(layers[0], states, spans, weights)
    # Compilers fail in many ways, and the layers work without.
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        log.warning("Layers are not compiled: %s: %s", type(error).__name__, reason)
        return
    for layer in layers:
        layer.compile(dynamic=True)


def check_compiled(layer: LayerOnGpu, states: Tensor, spans: Spans, weights: Weights) -> None:
    """Compile a copy of the layer, which the compiler need not do again for the layer itself.

    Raises RuntimeError if its outputs or gradients differ.
    """
    plain, compiled = deepcopy(layer), deepcopy(layer)
    compiled.compile(dynamic=True)
    devices = [states.device] if states.device.type == "cuda" else []
    factors = torch.linspace(-1, 1, states.shape[1], device=states.device)
    with torch.random.fork_rng(devices), torch.enable_grad():
        for training in (False, True):
            results = []
            for module in (plain.train(training), compiled.train(training)):
                given = [one.detach().requires_grad_() for one in (states, *weights)]
                found = module(given[0], spans, Weights(*given[1:]))
                results.append([found, *torch.autograd.grad((found * factors).sum(), given)])
            for one, other in zip(*results, strict=True):
                _check_alike(one.detach(), other.detach(), dropped=training and layer.drops)


def _check_alike(one: Tensor, other: Tensor, *, dropped: bool) -> None:
    one, other = one.float().flatten(), other.float().flatten()
    # Compiled dropout draws other numbers.
    same = F.cosine_similarity(one, other, 0) > _SAME if not dropped else other.isfinite().all()
    if not same:
        raise RuntimeError("A compiled layer computes something else.")


def convert(parts: Sequence[Tensor], rest: Sequence[Tensor], dtype: torch.dtype) -> Weights:
    """Return a layer's weights in `dtype`: the first six `parts`, weights of queries, keys and
    values and then their biases, are concatenated."""
    return Weights(*_Converted.apply(dtype, *parts, *rest))  # type: ignore[no-untyped-call]


class _Converted(torch.autograd.Function):
    """Converts and concatenates with one kernel, and likewise their gradients: a kernel for each
    weight would take a GPU less time than its launch."""

    @staticmethod
    def forward(ctx: Any, dtype: torch.dtype, *given: Tensor) -> tuple[Tensor, ...]:
        ctx.dtype = given[0].dtype
        found = [_concatenated(given[:3], dtype), _concatenated(given[3:6], dtype)]
        found += [torch.empty_like(weight, dtype=dtype) for weight in given[6:]]
        torch._foreach_copy_([*found[0].chunk(3), *found[1].chunk(3), *found[2:]], given)
        return tuple(found)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        given = [*gradients[0].chunk(3), *gradients[1].chunk(3), *gradients[2:]]
        found = [torch.empty_like(gradient, dtype=ctx.dtype) for gradient in given]
        torch._foreach_copy_(found, given)
        return None, *found


def _concatenated(weights: Sequence[Tensor], dtype: torch.dtype) -> Tensor:
    rows = sum(len(weight) for weight in weights)
    return weights[0].new_empty(rows, *weights[0].shape[1:], dtype=dtype)


def attend(parts: Tensor, spans: Spans, heads: int, rate: float) -> Tensor:
    """Self-attention in each text: queries, keys and values [tokens, 3 * hidden] -> states."""
    if not spans.groups:
        given = (parts, spans.bounds, spans.longest, heads, rate)
        if torch.compiler.is_compiling():
            states: Tensor = flash(*given)[0]
        else:
            states = _Flash.apply(*given)  # type: ignore[no-untyped-call]
        return states
    outputs = []
    for group in spans.groups:
        padded = parts.index_select(0, group.tokens.flatten())
        query, key, value = padded.view(*group.tokens.shape, 3, heads, -1).permute(2, 0, 3, 1, 4)
        mask = None if group.mask is None else group.mask[:, None, None]
        seen = F.scaled_dot_product_attention(query, key, value, mask, dropout_p=rate)
        outputs.append(seen.transpose(1, 2).flatten(2).flatten(0, 1))
    assert spans.places is not None
    return torch.cat(outputs).index_select(0, spans.places)


class _Flash(torch.autograd.Function):
    """FlashAttention with dropout, which torch.nn.attention.varlen lacks."""

    @staticmethod
    def forward(ctx: Any, parts: Tensor, bounds: Tensor, *numbers: Any) -> Tensor:
        states, *kept = _flash(parts, bounds, *numbers)
        ctx.save_for_backward(parts, bounds, states, *kept)
        ctx.numbers = numbers
        return states

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        parts, bounds, states, *kept = ctx.saved_tensors
        found = _flash_backward(gradient, parts, bounds, states, kept, *ctx.numbers)
        return found, None, None, None, None


def _flash(
    parts: Tensor, bounds: Tensor, longest: int, heads: int, rate: float
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the states, and what the backward pass needs."""
    query, key, value = parts.view(len(parts), 3, heads, -1).unbind(1)
    states, *kept, _ = torch.ops.aten._flash_attention_forward(
        query, key, value, bounds, bounds, longest, longest, rate, False, False
    )
    return states.flatten(1), *kept


def _flash_backward(
    gradient: Tensor,
    parts: Tensor,
    bounds: Tensor,
    states: Tensor,
    kept: Sequence[Tensor],
    longest: int,
    heads: int,
    rate: float,
) -> Tensor:
    query, key, value = parts.view(len(parts), 3, heads, -1).unbind(1)
    ours = (gradient.contiguous(), query, key, value, states)
    shaped = (one.view(len(parts), heads, -1) for one in ours)
    norms, *random = kept
    with _deterministic():
        found = torch.ops.aten._flash_attention_backward(
            *shaped, norms, bounds, bounds, longest, longest, rate, False, *random
        )
    return torch.stack(found, 1).view_as(parts)


@contextmanager
def _deterministic() -> Iterator[None]:
    """Let operators sum in a fixed order: otherwise a resumed run would differ."""
    before = torch.are_deterministic_algorithms_enabled()
    warns = torch.is_deterministic_algorithms_warn_only_enabled()
    memory: Any = deterministic  # type checkers do not know its property
    fills = memory.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True)
    memory.fill_uninitialized_memory = False
    try:
        yield
    finally:
        memory.fill_uninitialized_memory = fills
        torch.use_deterministic_algorithms(before, warn_only=warns)


# Compilers take an operator as it is. It takes longer to call than the function.
flash = torch.library.custom_op(
    "sciread::flash_attention",
    _flash,
    mutates_args=(),
    schema="(Tensor parts, Tensor bounds, SymInt longest, SymInt heads, float rate)"
    " -> (Tensor, Tensor, Tensor, Tensor)",
)
flash_backward = torch.library.custom_op(
    "sciread::flash_attention_backward",
    _flash_backward,
    mutates_args=(),
    schema="(Tensor gradient, Tensor parts, Tensor bounds, Tensor states, Tensor[] kept, "
    "SymInt longest, SymInt heads, float rate) -> Tensor",
)


@flash.register_fake
def _(
    parts: Tensor, bounds: Tensor, longest: int, heads: int, rate: float
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    tokens, width = parts.shape
    random = parts.new_empty(2, dtype=torch.uint64)
    norms = parts.new_empty(heads, tokens, dtype=torch.float32)
    return parts.new_empty(tokens, width // 3), norms, random, random.new_empty(())


@flash_backward.register_fake
def _(gradient: Tensor, parts: Tensor, *_: Any) -> Tensor:
    return torch.empty_like(parts)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    parts, bounds, *ctx.numbers = inputs
    ctx.save_for_backward(parts, bounds, *output)


def _backward(ctx: Any, gradient: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
    parts, bounds, states, *kept = ctx.saved_tensors
    found = flash_backward(gradient, parts, bounds, states, kept, *ctx.numbers)
    return found, None, None, None, None


flash.register_autograd(_backward, setup_context=_keep)

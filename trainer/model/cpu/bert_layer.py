"""A BERT layer for training on a CPU, ordered for the caches.

Rows are processed in blocks and texts one by one, each on one core from end to end, so that the
output of one operation is in that core's cache for the next. Dropout uses fifteen random bits per
number, at a tenth of the cost of torch's own on a CPU.

On two cores in float32, with MiniLM (6 layers of 384) and a step of 4 titles and 4 abstracts,
transformers' BertModel with fused attention takes 1.5 times as much CPU time, and our packed texts
with torch's own gradients 1.7 times. `benchmarks/bench_bert.py` measures both.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from trainer.model.cpu.dropout import boost, draw, drop, drop_
from trainer.model.cpu.layout import HeadGroup, RowLayout

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def one_core() -> Iterator[None]:
    """Run torch operations inside the block on one core, in this thread.

    torch's other threads spin for milliseconds after each operation they took part in, on the cores
    to which `share` gives work.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@dataclass(frozen=True, eq=False)
class LayerConfig:
    """The inputs of a layer besides states and weights.

    `dtype` is the type of the matrix products; `seed` determines the dropout.
    """

    layout: RowLayout
    heads: int
    epsilon: float
    attention_dropout: float
    dropout: float
    dtype: torch.dtype
    seed: int


class Weights(NamedTuple):
    """A layer's parameters; those of queries, keys and values are concatenated."""

    qkv: Tensor
    qkv_bias: Tensor
    attention_output: Tensor
    attention_output_bias: Tensor
    attention_layer_norm: Tensor
    attention_layer_norm_bias: Tensor
    intermediate: Tensor
    intermediate_bias: Tensor
    output: Tensor
    output_bias: Tensor
    output_layer_norm: Tensor
    output_layer_norm_bias: Tensor

    def matrices_to(self, dtype: torch.dtype) -> Weights:
        """Convert all but the norms."""
        return Weights(
            *(w if "norm" in name else w.to(dtype) for name, w in self._asdict().items())
        )


class LayerNormOutput(NamedTuple):
    """Saved tensors of dropout, residual and layer norm for the backward pass."""

    states: Tensor
    mean: Tensor
    scale: Tensor
    kept: Tensor | None


class SavedActivations(NamedTuple):
    """Saved tensors of a block of rows, from the attention output on, for the backward pass."""

    mixed: LayerNormOutput
    narrow: Tensor
    wide: Tensor
    found: LayerNormOutput

    @classmethod
    def of(cls, saved: list[Any]) -> SavedActivations:
        return cls(LayerNormOutput(*saved[:4]), saved[4], saved[5], LayerNormOutput(*saved[6:]))


class WorkShares(NamedTuple):
    """Saved tensors of a group's attention for the backward pass: weights and dropout mask."""

    softmax: Tensor
    kept: Tensor | None


def layer_on_cpu(states: Tensor, plan: LayerConfig, weights: tuple[Tensor, ...]) -> Tensor:
    """Return the states [rows, hidden] after one layer. `weights` in the order of Weights."""
    found: Tensor = _CpuLayer.apply(states, plan, *weights)  # type: ignore[no-untyped-call]
    return found


class _CpuLayer(torch.autograd.Function):
    @staticmethod
    @one_core()
    def forward(ctx: Any, states: Tensor, plan: LayerConfig, *parameters: Tensor) -> Tensor:
        weights = Weights(*parameters).matrices_to(plan.dtype)
        entered, parts = _enter(states, plan, weights)
        attended, shares = _attend(parts, plan)
        after, blocks = _leave(states, attended, plan, weights)
        ctx.plan = plan
        ctx.save_for_backward(
            *weights,
            *(entered, parts, attended),
            *(saved for group in shares for saved in group),
            *(saved for b in blocks for saved in (*b.mixed, b.narrow, b.wide, *b.found)),
        )
        return after

    @staticmethod
    @once_differentiable
    @one_core()
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        plan: LayerConfig = ctx.plan
        saved = iter(ctx.saved_tensors)

        def take(count: int) -> list[Any]:
            return [next(saved) for _ in range(count)]

        weights = Weights(*take(len(Weights._fields)))
        entered, parts, attended = take(3)
        shares = [WorkShares(*take(2)) for _ in plan.layout.groups]
        blocks = [SavedActivations.of(take(10)) for _ in plan.layout.blocks]
        sums = _Sums()
        past, through = _leave_back(gradient, attended, blocks, plan, weights, sums)
        parts_gradient = _attend_back(through, parts, shares, plan)
        before = _enter_back(parts_gradient, past, entered, plan, weights, sums)
        return before, None, *(sums.total[name] for name in Weights._fields)


class _Sums:
    """Gradients of weights, summed over blocks in float32: first per core, then over cores."""

    def __init__(self) -> None:
        self.total: dict[str, Tensor] = {}

    def add(self, name: str, found: Tensor) -> None:
        if name in self.total:
            self.total[name].add_(found)
        else:
            self.total[name] = found.float() if found.element_size() == 2 else found

    def dense(self, name: str, gradient: Tensor, states: Tensor) -> None:
        self.add(name, _outer(gradient, states))
        self.add(f"{name}_bias", gradient.sum(0))

    def norm(self, name: str, weight: Tensor, bias: Tensor) -> None:
        self.add(name, weight)
        self.add(f"{name}_bias", bias)

    def join(self, others: list[_Sums]) -> None:
        for other in others:
            for name, found in other.total.items():
                self.add(name, found)


def _outer(gradient: Tensor, states: Tensor) -> Tensor:
    """Return gradient^T states. The narrower one is transposed: oneDNN is slow with transposed
    matrices."""
    if gradient.shape[1] < states.shape[1]:
        return gradient.t().contiguous() @ states
    if gradient.shape[1] > states.shape[1]:
        return (states.t().contiguous() @ gradient).t()
    return gradient.t() @ states


def _enter(states: Tensor, plan: LayerConfig, weights: Weights) -> tuple[Tensor, Tensor]:
    """Return the states in the type of the matrix products, and queries, keys and values [rows, 3 *
    hidden]."""
    entered = torch.empty_like(states, dtype=plan.dtype)
    parts = entered.new_empty(len(states), len(weights.qkv))

    def work(blocks: list[slice]) -> None:
        for rows in blocks:
            entered[rows] = states[rows]
            torch.addmm(weights.qkv_bias, entered[rows], weights.qkv.t(), out=parts[rows])

    share(work, plan.layout.blocks, _sizes(plan), plan.layout.cores)
    return entered, parts


def _enter_back(
    parts_gradient: Tensor,
    past: Tensor,
    entered: Tensor,
    plan: LayerConfig,
    weights: Weights,
    sums: _Sums,
) -> Tensor:
    """Add the gradient through attention to `past`, that of the residual connection."""

    def work(blocks: list[slice]) -> _Sums:
        mine = _Sums()
        for rows in blocks:
            past[rows].add_(parts_gradient[rows] @ weights.qkv)
            mine.dense("qkv", parts_gradient[rows], entered[rows])
        return mine

    sums.join(share(work, plan.layout.blocks, _sizes(plan), plan.layout.cores))
    return past


def _attend(parts: Tensor, plan: LayerConfig) -> tuple[Tensor, list[WorkShares]]:
    """Return the attention output of each row, [rows, hidden], and the saved tensors."""
    attended = _blank(parts, parts.shape[1] // 3, plan)
    shares = [WorkShares(parts, None)] * len(plan.layout.groups)

    def work(groups: list[HeadGroup]) -> None:
        scratch = _scratch(groups, plan)
        for group in groups:
            query, key, value = _split(parts, group, plan)
            scores = torch.bmm(query, key.transpose(1, 2), out=_square(scratch, query))
            _hide_padding(scores, group)
            softmax = torch.softmax(scores, -1)
            kept = draw(softmax, plan.attention_dropout, (plan.seed, 2, group.number))
            shares[group.number] = WorkShares(softmax, kept)
            found = torch.bmm(drop(softmax, kept, out=scores), value)
            into = _heads(attended[group.rows], group, plan)
            torch.mul(found.view(into.shape), boost(plan.attention_dropout), out=into)

    share(work, plan.layout.groups, _costs(plan), plan.layout.cores)
    return attended, shares


def _attend_back(
    gradient: Tensor, parts: Tensor, shares: list[WorkShares], plan: LayerConfig
) -> Tensor:
    parts_gradient = _blank(parts, parts.shape[1], plan)

    def work(groups: list[HeadGroup]) -> None:
        scratch = _scratch(groups, plan)
        for group in groups:
            query, key, value = _split(parts, group, plan)
            softmax, kept = shares[group.number]
            square = _square(scratch, query)
            back = _heads(gradient[group.rows], group, plan).reshape(value.shape)
            back = back * boost(plan.attention_dropout)
            to_value = torch.bmm(drop(softmax, kept, out=square).transpose(1, 2), back)
            to_shares = drop_(torch.bmm(back, value.transpose(1, 2), out=square), kept)
            to_scores = torch._softmax_backward_data(
                to_shares, softmax, -1, softmax.dtype, grad_input=square
            )
            to_query = torch.bmm(to_scores, key).mul_(_scale(query))
            to_key = torch.bmm(to_scores.transpose(1, 2), query)
            into = _parts(parts_gradient, group, plan)
            for part, found in zip(into, (to_query, to_key, to_value), strict=True):
                part.copy_(found.view(part.shape))

    share(work, plan.layout.groups, _costs(plan), plan.layout.cores)
    return parts_gradient


def _scratch(groups: list[HeadGroup], plan: LayerConfig) -> Tensor:
    """Return a buffer for the largest group's scores: reused, it stays in the cache."""
    sizes = (len(g.lengths) * (g.heads.stop - g.heads.start) * g.length**2 for g in groups)
    return torch.empty(max(sizes), dtype=plan.dtype)


def _square(scratch: Tensor, query: Tensor) -> Tensor:
    """Return a view of the buffer for the scores of all queries and keys."""
    matrices, length, _ = query.shape
    return scratch[: matrices * length * length].view(matrices, length, length)


def _blank(like: Tensor, width: int, plan: LayerConfig) -> Tensor:
    """Return rows to be filled by the groups, zero where there is no group."""
    rows = like.new_empty(len(like), width)
    rows[plan.layout.groups[-1].rows.stop :] = 0
    return rows


def _parts(rows: Tensor, group: HeadGroup, plan: LayerConfig) -> Tensor:
    """[3, texts, heads, length, head size]"""
    found = rows[group.rows].view(len(group.lengths), group.length, 3, plan.heads, -1)
    return found[:, :, :, group.heads].permute(2, 0, 3, 1, 4)


def _split(rows: Tensor, group: HeadGroup, plan: LayerConfig) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries (scaled), keys and values, each [texts * heads, length, head size]."""
    query, key, value = _parts(rows, group, plan).contiguous().flatten(1, 2)
    return query.mul_(_scale(query)), key, value


def _heads(rows: Tensor, group: HeadGroup, plan: LayerConfig) -> Tensor:
    """View [rows, hidden] as [texts, heads, length, head size]."""
    found = rows.view(len(group.lengths), group.length, plan.heads, -1)
    return found[:, :, group.heads].transpose(1, 2)


def _hide_padding(scores: Tensor, group: HeadGroup) -> None:
    by_text = scores.view(len(group.lengths), -1, *scores.shape[1:])
    for text, length in zip(by_text, group.lengths, strict=True):
        if length < group.length:
            text[..., length:] = -torch.inf


def _leave(
    states: Tensor, attended: Tensor, plan: LayerConfig, weights: Weights
) -> tuple[Tensor, list[SavedActivations]]:
    """Return the states after the layer, from those before it and the attention output."""
    after = torch.empty_like(states)
    blocks: dict[int, SavedActivations] = {}

    def work(numbers: list[int]) -> None:
        for number in numbers:
            rows = plan.layout.blocks[number]
            found = F.linear(
                attended[rows], weights.attention_output, weights.attention_output_bias
            )
            key = (plan.seed, 0, number)
            between, mixed = _add_and_norm(found, states[rows], weights[4:6], plan, key)
            narrow = between.to(plan.dtype)
            wide = F.linear(narrow, weights.intermediate, weights.intermediate_bias)
            found = F.linear(F.gelu(wide), weights.output, weights.output_bias)
            key = (plan.seed, 1, number)
            after[rows], found_kept = _add_and_norm(found, between, weights[10:12], plan, key)
            blocks[number] = SavedActivations(mixed, narrow, wide, found_kept)

    share(work, range(len(plan.layout.blocks)), _sizes(plan), plan.layout.cores)
    return after, [blocks[number] for number in range(len(blocks))]


def _leave_back(
    gradient: Tensor,
    attended: Tensor,
    blocks: list[SavedActivations],
    plan: LayerConfig,
    weights: Weights,
    sums: _Sums,
) -> tuple[Tensor, Tensor]:
    """Return the gradients of the states before the layer, through the residual connection, and of
    the attention output."""
    past, through = torch.empty_like(gradient), torch.empty_like(attended)

    def work(numbers: list[int]) -> _Sums:
        mine = _Sums()
        for number in numbers:
            rows, block = plan.layout.blocks[number], blocks[number]
            added, *norm = _norm_back(gradient[rows], block.found, weights[10:12])
            mine.norm("output_layer_norm", *norm)
            found = _drop_back(added, block.found, plan)
            mine.dense("output", found, F.gelu(block.wide))
            wide = torch.ops.aten.gelu_backward(found @ weights.output, block.wide)
            mine.dense("intermediate", wide, block.narrow)
            added.add_(wide @ weights.intermediate)
            past[rows], *norm = _norm_back(added, block.mixed, weights[4:6])
            mine.norm("attention_layer_norm", *norm)
            found = _drop_back(past[rows], block.mixed, plan)
            mine.dense("attention_output", found, attended[rows])
            torch.mm(found, weights.attention_output, out=through[rows])
        return mine

    sums.join(share(work, range(len(plan.layout.blocks)), _sizes(plan), plan.layout.cores))
    return past, through


def _add_and_norm(
    found: Tensor, states: Tensor, norm: tuple[Tensor, ...], plan: LayerConfig, key: tuple[int, ...]
) -> tuple[Tensor, LayerNormOutput]:
    """Return the layer norm of `states` plus `found` after dropout."""
    kept = draw(found, plan.dropout, key)
    added = torch.add(states, drop_(found, kept), alpha=boost(plan.dropout))
    weight, bias = norm
    after, mean, scale = torch.native_layer_norm(added, weight.shape, weight, bias, plan.epsilon)
    return after, LayerNormOutput(added, mean, scale, kept)


def _norm_back(
    gradient: Tensor, normed: LayerNormOutput, norm: tuple[Tensor, ...]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of the norm's input, weight and bias."""
    states, mean, scale, _ = normed
    found: tuple[Tensor, Tensor, Tensor] = torch.ops.aten.native_layer_norm_backward(
        gradient, states, norm[0].shape, mean, scale, *norm, [True, True, True]
    )
    return found


def _drop_back(gradient: Tensor, normed: LayerNormOutput, plan: LayerConfig) -> Tensor:
    """Return the gradient of the dropout's input, in the type of the matrix products."""
    if normed.kept is None:
        return gradient.to(plan.dtype)
    return drop_((gradient * boost(plan.dropout)).to(plan.dtype), normed.kept)


def _scale(query: Tensor) -> float:
    return 1 / math.sqrt(query.shape[-1])


def _sizes(plan: LayerConfig) -> list[float]:
    return [rows.stop - rows.start for rows in plan.layout.blocks]


def _costs(plan: LayerConfig) -> list[float]:
    groups = plan.layout.groups
    return [len(g.lengths) * (g.heads.stop - g.heads.start) * g.length**2 for g in groups]


def share(
    work: Callable[[list[T]], R], pieces: Sequence[T], costs: Sequence[float], cores: int
) -> list[R]:
    """Return the results of `work` on each core's share of the pieces; the shares depend on costs
    alone.

    A small matrix per core is faster than all cores on one, where every operation waits for the
    slowest. Gradients are not recorded.
    """
    shares: list[list[T]] = [[] for _ in range(min(cores, len(pieces)))]
    loads = [0.0] * len(shares)
    for at in sorted(range(len(pieces)), key=lambda at: -costs[at]):
        least = loads.index(min(loads))
        shares[least].append(pieces[at])
        loads[least] += costs[at]

    def do(mine: list[T]) -> R:
        with torch.no_grad():
            return work(mine)

    if len(shares) < 2:
        return [do(mine) for mine in shares]
    return list(_threads(cores, os.getpid()).map(do, shares))


@cache
def _threads(cores: int, process: int) -> ThreadPoolExecutor:
    # A forked process has none of its parent's threads, so each process has its own pool.
    return ThreadPoolExecutor(cores, "core", torch.set_num_threads, (1,))

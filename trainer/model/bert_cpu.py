"""A layer of BERT that learns on a CPU: the same numbers, in the order that suits the caches.

Rows are worked on in blocks and texts one by one, each on one core from end to end, so that what
one step writes the next finds in that core's cache. Dropout is drawn fifteen bits a number, which
costs a tenth of what torch's own does on a CPU.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from trainer.model.cores import one_core, share
from trainer.model.dropout import boost, draw, drop, drop_
from trainer.model.layout import Group, Layout


@dataclass(frozen=True, eq=False)
class Plan:
    """What a layer is told beside states and weights.

    `dtype` is what matrices are multiplied in; `seed` says what is dropped.
    """

    layout: Layout
    heads: int
    epsilon: float
    attention_dropout: float
    dropout: float
    dtype: torch.dtype
    seed: int


class Weights(NamedTuple):
    """A layer's parameters; those of queries, keys and values are one."""

    attend: Tensor
    attend_bias: Tensor
    mix: Tensor
    mix_bias: Tensor
    norm: Tensor
    norm_bias: Tensor
    widen: Tensor
    widen_bias: Tensor
    narrow: Tensor
    narrow_bias: Tensor
    out_norm: Tensor
    out_norm_bias: Tensor

    def matrices_to(self, dtype: torch.dtype) -> Weights:
        """Norms are left as they are."""
        return Weights(
            *(w if "norm" in name else w.to(dtype) for name, w in self._asdict().items())
        )


class Normed(NamedTuple):
    """What the way back needs of dropping, adding and norming."""

    states: Tensor
    mean: Tensor
    scale: Tensor
    kept: Tensor | None


class Block(NamedTuple):
    """What the way back needs of a block of rows, from attention on."""

    mixed: Normed
    narrow: Tensor
    wide: Tensor
    found: Normed

    @classmethod
    def of(cls, saved: list[Any]) -> Block:
        return cls(Normed(*saved[:4]), saved[4], saved[5], Normed(*saved[6:]))


class Shares(NamedTuple):
    """What the way back needs of a group's attention: who looked at whom, and what was kept."""

    softmax: Tensor
    kept: Tensor | None


def layer_on_cpu(states: Tensor, plan: Plan, weights: tuple[Tensor, ...]) -> Tensor:
    """States [rows, hidden] after one layer, from those before it. `weights` as in Weights."""
    found: Tensor = _CpuLayer.apply(states, plan, *weights)  # type: ignore[no-untyped-call]
    return found


class _CpuLayer(torch.autograd.Function):
    @staticmethod
    @one_core()
    def forward(ctx: Any, states: Tensor, plan: Plan, *parameters: Tensor) -> Tensor:
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
        plan: Plan = ctx.plan
        saved = iter(ctx.saved_tensors)

        def take(count: int) -> list[Any]:
            return [next(saved) for _ in range(count)]

        weights = Weights(*take(len(Weights._fields)))
        entered, parts, attended = take(3)
        shares = [Shares(*take(2)) for _ in plan.layout.groups]
        blocks = [Block.of(take(10)) for _ in plan.layout.blocks]
        sums = _Sums()
        past, through = _leave_back(gradient, attended, blocks, plan, weights, sums)
        parts_gradient = _attend_back(through, parts, shares, plan)
        before = _enter_back(parts_gradient, past, entered, plan, weights, sums)
        return before, None, *(sums.total[name] for name in Weights._fields)


class _Sums:
    """Gradients of weights, summed over blocks in float32: first by core, then over cores."""

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
    """gradient^T states. The narrower is turned over first: oneDNN is slow at turned matrices."""
    if gradient.shape[1] < states.shape[1]:
        return gradient.t().contiguous() @ states
    if gradient.shape[1] > states.shape[1]:
        return (states.t().contiguous() @ gradient).t()
    return gradient.t() @ states


def _enter(states: Tensor, plan: Plan, weights: Weights) -> tuple[Tensor, Tensor]:
    """The states as matrices are multiplied, and queries, keys and values [rows, 3 * hidden]."""
    entered = torch.empty_like(states, dtype=plan.dtype)
    parts = entered.new_empty(len(states), len(weights.attend))

    def work(blocks: list[slice]) -> None:
        for rows in blocks:
            entered[rows] = states[rows]
            torch.addmm(weights.attend_bias, entered[rows], weights.attend.t(), out=parts[rows])

    share(work, plan.layout.blocks, _sizes(plan), plan.layout.cores)
    return entered, parts


def _enter_back(
    parts_gradient: Tensor,
    past: Tensor,
    entered: Tensor,
    plan: Plan,
    weights: Weights,
    sums: _Sums,
) -> Tensor:
    """Adds to `past`, the gradient of the states past attention, that through it."""

    def work(blocks: list[slice]) -> _Sums:
        mine = _Sums()
        for rows in blocks:
            past[rows].add_(parts_gradient[rows] @ weights.attend)
            mine.dense("attend", parts_gradient[rows], entered[rows])
        return mine

    sums.join(share(work, plan.layout.blocks, _sizes(plan), plan.layout.cores))
    return past


def _attend(parts: Tensor, plan: Plan) -> tuple[Tensor, list[Shares]]:
    """What each row finds where it looks, [rows, hidden]."""
    attended = _blank(parts, parts.shape[1] // 3, plan)
    shares = [Shares(parts, None)] * len(plan.layout.groups)

    def work(groups: list[Group]) -> None:
        scratch = _scratch(groups, plan)
        for group in groups:
            query, key, value = _split(parts, group, plan)
            scores = torch.bmm(query, key.transpose(1, 2), out=_square(scratch, query))
            _hide_padding(scores, group)
            softmax = torch.softmax(scores, -1)
            kept = draw(softmax, plan.attention_dropout, (plan.seed, 2, group.number))
            shares[group.number] = Shares(softmax, kept)
            found = torch.bmm(drop(softmax, kept, out=scores), value)
            into = _heads(attended[group.rows], group, plan)
            torch.mul(found.view(into.shape), boost(plan.attention_dropout), out=into)

    share(work, plan.layout.groups, _costs(plan), plan.layout.cores)
    return attended, shares


def _attend_back(gradient: Tensor, parts: Tensor, shares: list[Shares], plan: Plan) -> Tensor:
    parts_gradient = _blank(parts, parts.shape[1], plan)

    def work(groups: list[Group]) -> None:
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


def _scratch(groups: list[Group], plan: Plan) -> Tensor:
    """Room for the largest group's scores: what is written there again is still in the cache."""
    sizes = (len(g.lengths) * (g.heads.stop - g.heads.start) * g.length**2 for g in groups)
    return torch.empty(max(sizes), dtype=plan.dtype)


def _square(scratch: Tensor, query: Tensor) -> Tensor:
    """Room for what each query says of each key."""
    matrices, length, _ = query.shape
    return scratch[: matrices * length * length].view(matrices, length, length)


def _blank(like: Tensor, width: int, plan: Plan) -> Tensor:
    """Rows for the groups to fill, and zeros where no group is."""
    rows = like.new_empty(len(like), width)
    rows[plan.layout.groups[-1].rows.stop :] = 0
    return rows


def _parts(rows: Tensor, group: Group, plan: Plan) -> Tensor:
    """[3, texts, heads, length, width of a head]"""
    found = rows[group.rows].view(len(group.lengths), group.length, 3, plan.heads, -1)
    return found[:, :, :, group.heads].permute(2, 0, 3, 1, 4)


def _split(rows: Tensor, group: Group, plan: Plan) -> tuple[Tensor, Tensor, Tensor]:
    """Queries (scaled), keys and values, each [texts * heads, length, width of a head]."""
    query, key, value = _parts(rows, group, plan).contiguous().flatten(1, 2)
    return query.mul_(_scale(query)), key, value


def _heads(rows: Tensor, group: Group, plan: Plan) -> Tensor:
    """[rows, hidden] seen as [texts, heads, length, width of a head]"""
    found = rows.view(len(group.lengths), group.length, plan.heads, -1)
    return found[:, :, group.heads].transpose(1, 2)


def _hide_padding(scores: Tensor, group: Group) -> None:
    by_text = scores.view(len(group.lengths), -1, *scores.shape[1:])
    for text, length in zip(by_text, group.lengths, strict=True):
        if length < group.length:
            text[..., length:] = -torch.inf


def _leave(
    states: Tensor, attended: Tensor, plan: Plan, weights: Weights
) -> tuple[Tensor, list[Block]]:
    """The states after the layer, from those before it and what attention found."""
    after = torch.empty_like(states)
    blocks: dict[int, Block] = {}

    def work(numbers: list[int]) -> None:
        for number in numbers:
            rows = plan.layout.blocks[number]
            found = F.linear(attended[rows], weights.mix, weights.mix_bias)
            key = (plan.seed, 0, number)
            between, mixed = _add_and_norm(found, states[rows], weights[4:6], plan, key)
            narrow = between.to(plan.dtype)
            wide = F.linear(narrow, weights.widen, weights.widen_bias)
            found = F.linear(F.gelu(wide), weights.narrow, weights.narrow_bias)
            key = (plan.seed, 1, number)
            after[rows], found_kept = _add_and_norm(found, between, weights[10:12], plan, key)
            blocks[number] = Block(mixed, narrow, wide, found_kept)

    share(work, range(len(plan.layout.blocks)), _sizes(plan), plan.layout.cores)
    return after, [blocks[number] for number in range(len(blocks))]


def _leave_back(
    gradient: Tensor,
    attended: Tensor,
    blocks: list[Block],
    plan: Plan,
    weights: Weights,
    sums: _Sums,
) -> tuple[Tensor, Tensor]:
    """Gradients of the states before the layer, past attention, and of what attention found."""
    past, through = torch.empty_like(gradient), torch.empty_like(attended)

    def work(numbers: list[int]) -> _Sums:
        mine = _Sums()
        for number in numbers:
            rows, block = plan.layout.blocks[number], blocks[number]
            added, *norm = _norm_back(gradient[rows], block.found, weights[10:12])
            mine.norm("out_norm", *norm)
            found = _drop_back(added, block.found, plan)
            mine.dense("narrow", found, F.gelu(block.wide))
            wide = torch.ops.aten.gelu_backward(found @ weights.narrow, block.wide)
            mine.dense("widen", wide, block.narrow)
            added.add_(wide @ weights.widen)
            past[rows], *norm = _norm_back(added, block.mixed, weights[4:6])
            mine.norm("norm", *norm)
            found = _drop_back(past[rows], block.mixed, plan)
            mine.dense("mix", found, attended[rows])
            torch.mm(found, weights.mix, out=through[rows])
        return mine

    sums.join(share(work, range(len(plan.layout.blocks)), _sizes(plan), plan.layout.cores))
    return past, through


def _add_and_norm(
    found: Tensor, states: Tensor, norm: tuple[Tensor, ...], plan: Plan, key: tuple[int, ...]
) -> tuple[Tensor, Normed]:
    """Layer norm of `states` and what is kept of `found`."""
    kept = draw(found, plan.dropout, key)
    added = torch.add(states, drop_(found, kept), alpha=boost(plan.dropout))
    weight, bias = norm
    after, mean, scale = torch.native_layer_norm(added, weight.shape, weight, bias, plan.epsilon)
    return after, Normed(added, mean, scale, kept)


def _norm_back(
    gradient: Tensor, normed: Normed, norm: tuple[Tensor, ...]
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of what was normed, of the norm's weight and of its bias."""
    states, mean, scale, _ = normed
    found: tuple[Tensor, Tensor, Tensor] = torch.ops.aten.native_layer_norm_backward(
        gradient, states, norm[0].shape, mean, scale, *norm, [True, True, True]
    )
    return found


def _drop_back(gradient: Tensor, normed: Normed, plan: Plan) -> Tensor:
    """The gradient of what was added, in the type that matrices are multiplied in."""
    if normed.kept is None:
        return gradient.to(plan.dtype)
    return drop_((gradient * boost(plan.dropout)).to(plan.dtype), normed.kept)


def _scale(query: Tensor) -> float:
    return 1 / math.sqrt(query.shape[-1])


def _sizes(plan: Plan) -> list[float]:
    return [rows.stop - rows.start for rows in plan.layout.blocks]


def _costs(plan: Plan) -> list[float]:
    groups = plan.layout.groups
    return [len(g.lengths) * (g.heads.stop - g.heads.start) * g.length**2 for g in groups]

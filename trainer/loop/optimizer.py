"""The optimizer, its step and its learning rate schedules, and the moving average of the weights,
which is validated and kept in place of the last weights.

An exponential moving average needs no choice of checkpoints, works with any number of validations
and costs one more copy of the weights. It does as well as averages of the last checkpoints (LAWA),
and best together with a decaying learning rate (Ajroldi et al., 2025, "When, Where and Why to
Average Weights?"; Morales-Brotons et al., 2024, "Exponential Moving Average of Weights in Deep
Learning").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from trainer.distributed import full_tensor
from trainer.methods.base import OptimizationPlan


def adamw(model: nn.Module, plan: OptimizationPlan) -> torch.optim.AdamW:
    """Return AdamW without weight decay for biases and norms."""
    learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
    free = _biases_and_norms(model)
    groups = [
        {"params": [p for p in learned if p not in free], "weight_decay": plan.weight_decay},
        {"params": [p for p in learned if p in free], "weight_decay": 0.0},
    ]
    betas = (plan.beta1, plan.beta2)
    return torch.optim.AdamW(
        groups, lr=plan.learning_rate, betas=betas, eps=plan.epsilon, fused=True
    )


def _biases_and_norms(model: nn.Module) -> set[nn.Parameter]:
    return {
        parameter
        for module in model.modules()
        for name, parameter in module.named_parameters(recurse=False)
        # Transformers have norm classes of their own besides torch's.
        if name == "bias" or "norm" in type(module).__name__.lower()
    }


def optimizer_step(
    optimizer: torch.optim.Optimizer, rate: float, count: float, clip: float
) -> Tensor:
    """Do an optimizer step with gradients of a sum over `count` examples, and clear them.

    Returns the norm of the mean gradient before it is clipped to `clip` (0: no clipping). Does not
    synchronize with the device.
    """
    learned = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
    gradients = [p.grad for p in learned]
    torch._foreach_mul_(gradients, 1 / count)
    length = nn.utils.get_total_norm(gradients)
    if clip:
        nn.utils.clip_grads_with_norm_(learned, clip, length)
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return full_tensor(length)


# Howard and Ruder (2018): the slanted triangle starts and ends at this fraction of its peak.
_STLR_RATIO = 32


def multiplier(schedule: str, step: int, total: int, warmup: float) -> float:
    """Return the factor of the peak learning rate for a step, counted from 0.

    `warmup` is a fraction of the `total` steps if below 1, else a number of steps.
    """
    steps = int(warmup * total) if warmup < 1 else int(warmup)
    return SCHEDULES[schedule](step, total, steps)


def linear(step: int, total: int, warmup: int) -> float:
    """Increase from 0, then decrease to 0 (get_linear_schedule_with_warmup of transformers)."""
    if step < warmup:
        return step / warmup
    return max(0.0, (total - step) / max(1, total - warmup))


def stlr(step: int, total: int, warmup: int) -> float:
    """The slanted triangle of AllenNLP: increase from 1/32, decrease to 1/32."""
    return (1 + (_STLR_RATIO - 1) * linear(step, total, warmup)) / _STLR_RATIO


def constant(step: int, total: int, warmup: int) -> float:
    """Increase from 0, then stay constant."""
    return step / warmup if step < warmup else 1.0


SCHEDULES: dict[str, Callable[[int, int, int], float]] = {
    "linear": linear,
    "stlr": stlr,
    "constant": constant,
}


# Key of the average of a weight in the state of its optimizer, with which it is saved.
AVERAGE = "average"


@torch.no_grad()
def update_average(optimizer: Optimizer, step: int, steps: int) -> None:
    """Include the weights after `step`, from 1, in their average over about the last `steps`.

    It is the mean of all weights so far until then, and so needs no correction for its start.
    """
    weights, averages = [], []
    for weight, state in optimizer.state.items():
        if AVERAGE in state:
            weights.append(weight)
            averages.append(state[AVERAGE])
        else:
            state[AVERAGE] = weight.detach().clone()
    if weights:
        torch._foreach_lerp_(averages, weights, 1 / min(step, steps))


@contextmanager
def averaged_weights(optimizer: Optimizer) -> Iterator[None]:
    """Use the averages, as far as there are any, as weights inside the block."""
    pairs = _pairs(optimizer)
    kept = [weight.detach().clone() for weight, _ in pairs]
    adopt_average(optimizer)
    try:
        yield
    finally:
        with torch.no_grad():
            for (weight, _), own in zip(pairs, kept, strict=True):
                weight.copy_(own)


@torch.no_grad()
def adopt_average(optimizer: Optimizer) -> None:
    """Replace the weights by their averages, as far as there are any."""
    for weight, average in _pairs(optimizer):
        weight.copy_(average)


def _pairs(optimizer: Optimizer) -> list[tuple[Tensor, Tensor]]:
    return [
        (weight, state[AVERAGE]) for weight, state in optimizer.state.items() if AVERAGE in state
    ]

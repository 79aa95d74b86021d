"""The optimizer, its step and its learning rate schedules."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

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

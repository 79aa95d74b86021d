"""The processes of one training: what they tell each other, and how gradients become one sum."""

from __future__ import annotations

import gc
import json
import os
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import Any, cast

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.nn.parallel import DistributedDataParallel

from trainer.contract.errors import TrainerError
from trainer.meeting import meet
from trainer.model.device import device_named

# Others wait so long while one rank alone measures, exports or writes to a slow disk.
PATIENCE = timedelta(minutes=30)
# What gloo says of a rank that is gone; nccl raises errors of their own kind.
_SIGNS_OF_LOSS = ("gloo", "Connection closed by peer", "Connection reset by peer", "Broken pipe")


@dataclass(frozen=True)
class Ranks:
    """All processes that train one model together, seen from one of them.

    Every method but `micro_batch` and `unwrap` is for all ranks at once, in the same order. Used
    in a `with`, it closes at the end, and the loss of another rank becomes a TrainerError.
    """

    rank: int
    world: int
    local_rank: int
    device: torch.device

    @classmethod
    def alone(cls, device: str = "") -> Ranks:
        return cls(0, 1, 0, device_named(device))

    @classmethod
    def from_environment(cls, device: str = "", patience: timedelta = PATIENCE) -> Ranks:
        """As torchrun, `accelerate launch`, Ray or a script of one's own set the variables.

        RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT; without them, one process.
        `device` as torch names it; empty: a GPU a rank, or else the CPU. Raises TrainerError.
        """
        world = _number("WORLD_SIZE", 1)
        if world == 1:
            return cls.alone(device)
        rank, local_rank = _number("RANK"), _number("LOCAL_RANK", 0)
        if not 0 <= rank < world:
            raise TrainerError(
                f"RANK is {rank}, where WORLD_SIZE is {world}.", "Ranks count from 0."
            )
        own = device_named(device, local_rank)
        meet(own, rank, world, patience)
        return cls(rank, world, local_rank, own)

    @property
    def main(self) -> bool:
        """Whether this is the rank that writes and prints."""
        return self.rank == 0

    def gather(self, rows: Tensor) -> Tensor:
        """The rows of all ranks, rank by rank; each rank may bring another number, or none.

        Gradients find the way back: a row's gradient is the sum of what all ranks made of it.
        """
        if self.world == 1:
            return rows
        counts = [torch.tensor([0]) for _ in range(self.world)]
        dist.all_gather(counts, torch.tensor([len(rows)]))
        return cast(Tensor, _Gather.apply(rows, [int(n) for n in counts], self.rank))  # type: ignore[no-untyped-call]

    def total(self, numbers: Sequence[float]) -> list[float]:
        """The sum of each number over all ranks, in float64."""
        if self.world == 1:
            return [float(number) for number in numbers]
        sums = torch.tensor(numbers, dtype=torch.float64)
        dist.all_reduce(sums)
        return sums.tolist()

    def agreed(self, flag: bool) -> bool:
        """Whether any rank says so; all get the same answer."""
        return self.total([flag]) != [0.0]

    def broadcast(self, value: Any) -> Any:
        """What rank 0 holds; anything that JSON can say. The others' values are not looked at."""
        if self.world == 1:
            return value
        said = json.dumps(value).encode() if self.main else b""
        length = torch.tensor([len(said)])
        dist.broadcast(length, 0)
        text = torch.frombuffer(bytearray(said or bytes(int(length))), dtype=torch.uint8)
        dist.broadcast(text, 0)
        return json.loads(text.numpy().tobytes())

    def barrier(self) -> None:
        """Wait for all ranks."""
        self.total([0])

    def wrap(self, model: nn.Module, fsdp: bool = False) -> nn.Module:
        """The model, on its device already, such that backward sums gradients over all ranks.

        The sum, not torch's mean: divide by the count over all ranks, and unequal shares come
        out right. All ranks start with rank 0's weights. Every rank must call forward and
        backward in each step; one without examples does so on any text, times 0. With `fsdp`,
        parameters become DTensors in place, so make the optimizer afterwards.
        """
        if self.world == 1:
            return model
        if fsdp:
            return self._sharded(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of a name that torch 2.6 lacks
            wrapped = DistributedDataParallel(
                model,
                broadcast_buffers=False,
                gradient_as_bucket_view=True,
                # Also keeps the buckets as they are made. Else they change after the first step,
                # and a resumed run would sum in another order.
                find_unused_parameters=True,
            )
        wrapped.register_comm_hook(None, _sum)
        return wrapped

    @contextmanager
    def micro_batch(self, model: nn.Module, last: bool) -> Iterator[None]:
        """Around forward and backward: ranks talk in the step's `last` micro-batch only.

        Under FSDP they talk in each.
        """
        waits = isinstance(model, DistributedDataParallel) and not last
        with cast(DistributedDataParallel, model).no_sync() if waits else nullcontext():
            yield

    def passes(self, model: nn.Module, needed: int) -> int:
        """How often to go through the model if this rank has so many micro-batches.

        Under FSDP as often as any rank, because every pass gathers every layer from all.
        """
        if not isinstance(model, FSDPModule):
            return needed
        most = torch.tensor([needed])
        dist.all_reduce(most, dist.ReduceOp.MAX)
        return int(most)

    def close(self) -> None:
        """Leave, all ranks together: a rank that goes first may cut short what it still sends."""
        if self.world > 1 and dist.is_initialized():
            with suppress(RuntimeError):  # who is gone already has said why
                self.barrier()
            # Wrapped models hold on to the group, and some of them lie in circles. None may be
            # left to the end of the process: gloo's threads do not survive that of the interpreter.
            gc.collect()
            dist.destroy_process_group()

    def __enter__(self) -> Ranks:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        elif told := self.explained(error):
            raise told from error

    def explained(self, error: BaseException) -> TrainerError | None:
        """The error in a sentence, if it is how the loss of another rank shows."""
        if self.world == 1 or not _is_loss(error):
            return None
        return TrainerError(
            f"Rank {self.rank} of {self.world} waits for a rank that died or hangs.",
            "Its own message says why. Start again: training goes on from the last checkpoint "
            "(torchrun --max-restarts=3 does so by itself).",
        )

    def _sharded(self, model: nn.Module) -> nn.Module:
        """Layer by layer: ranks hold parts of weights, gradients and the optimizer's state, and
        all of a layer's weights only while it computes."""
        if isinstance(model, FSDPModule):  # as an earlier stage's model
            return model
        layers = _layers(model)
        kept = [layer for layer in layers if isinstance(layer, FSDPModule)]
        _make_whole(model, but={values for layer in kept for values in layer.parameters()})
        for values in (*model.parameters(), *model.buffers()):
            if not isinstance(values, DTensor):
                dist.broadcast(values.detach(), 0)
        mesh = dist.device_mesh.init_device_mesh(self.device.type, (self.world,))
        for module in (*layers, model):
            if not isinstance(module, FSDPModule):
                sharded = fully_shard(module, mesh=mesh)
                sharded.set_gradient_divide_factor(1.0)
                # gloo cannot multiply while it sums
                sharded.set_force_sum_reduction_for_comms(True)
        for layer in kept:
            # They follow this model now, not that of the stage before; torch has no call for it.
            layer._get_fsdp_state()._is_root = None
        return model


def unwrap(model: nn.Module) -> nn.Module:
    """The model inside what `wrap` made."""
    return model.module if isinstance(model, DistributedDataParallel) else model


@contextmanager
def gathered(model: nn.Module) -> Iterator[None]:
    """All weights on every rank, for passes through parts of a model, any number on each rank.

    For all ranks at once.
    """
    sharded = [module for module in model.modules() if isinstance(module, FSDPModule)]
    for module in sharded:
        module.set_reshard_after_forward(False, recurse=False)
        module.unshard()
    try:
        yield
    finally:
        for module in sharded:
            module.set_reshard_after_forward(module is not model, recurse=False)
            module.reshard()


def settle(model: nn.Module) -> None:
    """After passes without a backward: let each rank hold but its part again under FSDP."""
    if isinstance(model, FSDPModule):
        model.reshard()


def whole(values: Tensor) -> Tensor:
    """All of a tensor of which, under FSDP, each rank holds a part; for all ranks at once."""
    return values.full_tensor() if isinstance(values, DTensor) else values


def part_like(values: Tensor, like: Tensor) -> Tensor:
    """The opposite of `whole`: what this rank holds of a tensor that is spread as `like` is."""
    if not isinstance(like, DTensor):
        return values
    return distribute_tensor(values.to(like.device), like.device_mesh, like.placements)


def _layers(model: nn.Module) -> list[nn.Module]:
    """What stands in a list of modules, as the layers of all transformers do; inner ones first."""
    lists = [module for module in model.modules() if isinstance(module, nn.ModuleList)]
    return [layer for found in reversed(lists) for layer in found]


def _make_whole(model: nn.Module, but: Collection[nn.Parameter]) -> None:
    """Undo for a part of another model, now a part of this one, what FSDP made of its weights."""
    made: dict[nn.Parameter, nn.Parameter] = {}
    for module in model.modules():
        for name, old in list(module.named_parameters(recurse=False)):
            if isinstance(old, DTensor) and old not in but:
                if old not in made:
                    made[old] = nn.Parameter(whole(old.detach()), old.requires_grad)
                setattr(module, name, made[old])


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, counts: list[int], rank: int) -> Tensor:
        ctx.counts, ctx.rank = counts, rank
        # Not all backends know bool.
        sent = rows.view(torch.uint8) if rows.dtype == torch.bool else rows
        padded = _padded(sent, max(counts)).contiguous()
        gathered = [torch.empty_like(padded) for _ in counts]
        dist.all_gather(gathered, padded)
        parts = [part[:count] for part, count in zip(gathered, counts, strict=True)]
        return torch.cat(parts).view(rows.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        counts = ctx.counts
        parts = [_padded(part, max(counts)) for part in torch.split(gradients[0], counts)]
        own = torch.empty_like(parts[0])
        dist.reduce_scatter(own, parts)
        return own[: counts[ctx.rank]], None, None


def _padded(rows: Tensor, count: int) -> Tensor:
    return torch.cat([rows, rows.new_zeros(count - len(rows), *rows.shape[1:])])


def _sum(_, bucket):  # type: ignore[no-untyped-def]  # torch refuses types that are strings
    summed = dist.all_reduce(bucket.buffer(), async_op=True)
    return summed.get_future().then(lambda done: done.value()[0])


def _number(name: str, default: int | None = None) -> int:
    value = os.environ.get(name, default)
    try:
        return int(cast(str, value))
    except (TypeError, ValueError) as error:
        raise TrainerError(
            f"The environment variable {name} is {value!r}, not a number.",
            "torchrun sets it; see the README of the trainer on many GPUs.",
        ) from error


def _is_loss(error: BaseException) -> bool:
    return isinstance(error, dist.DistError) or (
        isinstance(error, RuntimeError) and any(sign in str(error) for sign in _SIGNS_OF_LOSS)
    )

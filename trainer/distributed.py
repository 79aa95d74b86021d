"""The process group of one training: its start, collective operations and summed gradients."""

from __future__ import annotations

import gc
import json
import os
import sys
import time
import uuid
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import timedelta
from types import NoneType, TracebackType
from typing import TYPE_CHECKING, Any, cast

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.distributed_c10d import PrefixStore, Store
from torch.distributed.rendezvous import rendezvous
from torch.nn.parallel import DistributedDataParallel

from trainer.contract.errors import TrainerError
from trainer.model.device import device_named

# They are imported when a model is sharded: it takes more than a second.
if TYPE_CHECKING:
    from torch.distributed.fsdp import FSDPModule
    from torch.distributed.tensor import DTensor

# Timeout of collective operations: one rank may validate, export or write to a slow disk meanwhile.
PATIENCE = timedelta(minutes=30)
# Messages of gloo about a lost rank; nccl has exception classes of its own.
_SIGNS_OF_LOSS = ("gloo", "Connection closed by peer", "Connection reset by peer", "Broken pipe")


@dataclass(frozen=True)
class Ranks:
    """The processes that train one model together, as seen from one of them.

    Every method but `micro_batch` and `unwrap` is collective: all ranks must call it, in the same
    order. As a context manager it closes at the end, and turns the loss of another rank into a
    TrainerError.
    """

    rank: int
    world: int
    device: torch.device

    @classmethod
    def single_process(cls, device: str = "") -> Ranks:
        return cls(0, 1, device_named(device))

    @classmethod
    def from_environment(cls, device: str = "", patience: timedelta = PATIENCE) -> Ranks:
        """Join the process group described by the environment variables of torchrun, `accelerate
        launch`, Ray or a script.

        These are RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT; without them there is
        one process. `device` is a torch device name; empty: one GPU per rank, or else the CPU.
        Raises TrainerError.
        """
        world = _number("WORLD_SIZE", 1)
        if world == 1:
            return cls.single_process(device)
        rank = _number("RANK")
        if not 0 <= rank < world:
            raise TrainerError(
                f"RANK is {rank}, but WORLD_SIZE is {world}.", "Ranks are numbered from 0."
            )
        own = device_named(device, _number("LOCAL_RANK", 0))
        init_process_group(own, rank, world, patience)
        return cls(rank, world, own)

    @property
    def main(self) -> bool:
        """Whether this is the rank that writes and prints."""
        return self.rank == 0

    def gather(self, rows: Tensor) -> Tensor:
        """Return the rows of all ranks, ordered by rank; their numbers may differ and may be 0.

        Differentiable: a row's gradient is the sum of the gradients on all ranks.
        """
        if self.world == 1:
            return rows
        counts = [torch.tensor([0]) for _ in range(self.world)]
        dist.all_gather(counts, torch.tensor([len(rows)]))
        return cast(Tensor, _Gather.apply(rows, [int(n) for n in counts], self.rank))  # type: ignore[no-untyped-call]

    def total(self, numbers: Sequence[float]) -> list[float]:
        """Return the sum of each number over all ranks, in float64."""
        if self.world == 1:
            return [float(number) for number in numbers]
        sums = torch.tensor(numbers, dtype=torch.float64)
        dist.all_reduce(sums)
        return sums.tolist()

    def agreed(self, flag: bool) -> bool:
        """Return on all ranks whether the flag is set on any of them."""
        return self.total([flag]) != [0.0]

    def broadcast(self, value: Any) -> Any:
        """Return rank 0's value, which must be JSON-serialisable. The values of other ranks are
        ignored."""
        if self.world == 1:
            return value
        encoded = json.dumps(value).encode() if self.main else b""
        length = torch.tensor([len(encoded)])
        dist.broadcast(length, 0)
        text = torch.frombuffer(bytearray(encoded or bytes(int(length))), dtype=torch.uint8)
        dist.broadcast(text, 0)
        return json.loads(text.numpy().tobytes())

    def barrier(self) -> None:
        """Wait for all ranks."""
        self.total([0])

    def wrap(self, model: nn.Module, fsdp: bool = False) -> nn.Module:
        """Wrap the model, which is already on its device, so that backward sums gradients over all
        ranks.

        A sum rather than torch's mean: divided by the count over all ranks it is right for unequal
        shares. All ranks start with rank 0's weights. Every rank must call forward and backward in
        each step; one without examples does so on any text, times 0. With `fsdp`, parameters become
        DTensors in place, so create the optimizer afterwards.
        """
        if self.world == 1:
            return model
        if fsdp:
            return self._sharded(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # torch 2.6 lacks this name
            wrapped = DistributedDataParallel(
                model,
                broadcast_buffers=False,
                gradient_as_bucket_view=True,
                # Also keeps the initial buckets. Otherwise they change after the first step, and a
                # resumed run would sum in another order.
                find_unused_parameters=True,
            )
        wrapped.register_comm_hook(None, _sum)
        return wrapped

    @contextmanager
    def micro_batch(self, model: nn.Module, last: bool) -> Iterator[None]:
        """Context of forward and backward: gradients are synchronized in the step's `last`
        micro-batch only.

        Under FSDP they are synchronized in each.
        """
        waits = isinstance(model, DistributedDataParallel) and not last
        with cast(DistributedDataParallel, model).no_sync() if waits else nullcontext():
            yield

    def passes(self, model: nn.Module, needed: int) -> int:
        """Return the number of passes through the model if this rank needs `needed` micro-batches.

        Under FSDP it is the maximum over the ranks, because every pass gathers every layer from
        all.
        """
        if not isinstance(model, _fsdp_module()):
            return needed
        most = torch.tensor([needed])
        dist.all_reduce(most, dist.ReduceOp.MAX)
        return int(most)

    def close(self) -> None:
        """Leave the process group, all ranks together: a rank that leaves first may cut off pending
        messages."""
        if self.world > 1 and dist.is_initialized():
            with suppress(RuntimeError):  # a rank that is gone has reported its error
                self.barrier()
            # Wrapped models refer to the group, some of them in reference cycles. Free them before
            # the process ends: gloo's threads do not survive the interpreter's shutdown.
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
        elif explanation := self.explained(error):
            raise explanation from error

    def explained(self, error: BaseException) -> TrainerError | None:
        """Convert the error to a TrainerError if it indicates the loss of another rank, else
        None."""
        if self.world == 1 or not _is_loss(error):
            return None
        return TrainerError(
            f"Rank {self.rank} of {self.world} waits for a rank that has crashed or hangs.",
            "See the message of that rank. Start the training again: it resumes from the last "
            "checkpoint (automatically with torchrun --max-restarts=3).",
        )

    def _sharded(self, model: nn.Module) -> nn.Module:
        """Shard layer by layer: ranks hold parts of weights, gradients and optimizer state, and all
        of a layer's weights only during its computation."""
        from torch.distributed.fsdp import fully_shard

        if isinstance(model, _fsdp_module()):  # sharded by an earlier stage
            return model
        layers = _layers(model)
        kept = [layer for layer in layers if isinstance(layer, _fsdp_module())]
        _make_whole(model, but={values for layer in kept for values in layer.parameters()})
        for values in (*model.parameters(), *model.buffers()):
            if not isinstance(values, _dtensor()):
                dist.broadcast(values.detach(), 0)
        mesh = dist.device_mesh.init_device_mesh(self.device.type, (self.world,))
        for module in (*layers, model):
            if not isinstance(module, _fsdp_module()):
                sharded = fully_shard(module, mesh=mesh)
                sharded.set_gradient_divide_factor(1.0)
                # gloo has no scaled sum
                sharded.set_force_sum_reduction_for_comms(True)
        for layer in kept:
            # They belong to this model now, not to the previous stage's; torch has no public call
            # for it.
            layer._get_fsdp_state()._is_root = None
        return model


def unwrap(model: nn.Module) -> nn.Module:
    """Return the model inside the result of `wrap`."""
    return model.module if isinstance(model, DistributedDataParallel) else model


@contextmanager
def gathered_weights(model: nn.Module) -> Iterator[None]:
    """Gather all weights on every rank inside the block, for any number of passes through parts of
    the model. Collective: call on all ranks."""
    sharded = [module for module in model.modules() if isinstance(module, _fsdp_module())]
    for module in sharded:
        module.set_reshard_after_forward(False, recurse=False)
        module.unshard()
    try:
        yield
    finally:
        for module in sharded:
            module.set_reshard_after_forward(module is not model, recurse=False)
            module.reshard()


def reshard(model: nn.Module) -> None:
    """After passes without backward: under FSDP, free the parts of the weights of other ranks."""
    if isinstance(model, _fsdp_module()):
        model.reshard()


def full_tensor(values: Tensor) -> Tensor:
    """Return a full tensor that is sharded over the ranks under FSDP. Collective: call on all
    ranks."""
    return values.full_tensor() if isinstance(values, _dtensor()) else values


def shard_like(values: Tensor, like: Tensor) -> Tensor:
    """Return this rank's part of a full tensor that is sharded as `like`; the inverse of
    `full_tensor`."""
    if not isinstance(like, _dtensor()):
        return values
    from torch.distributed.tensor import distribute_tensor

    return distribute_tensor(values.to(like.device), like.device_mesh, like.placements)


def _fsdp_module() -> type[FSDPModule]:
    """Return the type of sharded modules; as long as FSDP is not in use, one of no module."""
    fsdp = sys.modules.get("torch.distributed.fsdp")
    return cast("type[FSDPModule]", fsdp.FSDPModule if fsdp else NoneType)


def _dtensor() -> type[DTensor]:
    """Return the type of sharded tensors; as long as FSDP is not in use, one of no tensor."""
    tensor = sys.modules.get("torch.distributed.tensor")
    return cast("type[DTensor]", tensor.DTensor if tensor else NoneType)


def _layers(model: nn.Module) -> list[nn.Module]:
    """Return the elements of module lists, as which all transformers have their layers; inner ones
    first."""
    lists = [module for module in model.modules() if isinstance(module, nn.ModuleList)]
    return [layer for found in reversed(lists) for layer in found]


def _make_whole(model: nn.Module, but: Collection[nn.Parameter]) -> None:
    """Undo FSDP's sharding of weights that came from another model and are now part of this one."""
    made: dict[nn.Parameter, nn.Parameter] = {}
    for module in model.modules():
        for name, old in list(module.named_parameters(recurse=False)):
            if isinstance(old, _dtensor()) and old not in but:
                if old not in made:
                    made[old] = nn.Parameter(full_tensor(old.detach()), old.requires_grad)
                setattr(module, name, made[old])


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, counts: list[int], rank: int) -> Tensor:
        ctx.counts, ctx.rank = counts, rank
        # Not all backends support bool.
        sent = rows.view(torch.uint8) if rows.dtype == torch.bool else rows
        padded = _padded(sent, max(counts)).contiguous()
        gathered_weights = [torch.empty_like(padded) for _ in counts]
        dist.all_gather(gathered_weights, padded)
        parts = [part[:count] for part, count in zip(gathered_weights, counts, strict=True)]
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
            "torchrun sets this variable; see the documentation about training on several GPUs.",
        ) from error


def _is_loss(error: BaseException) -> bool:
    return isinstance(error, dist.DistError) or (
        isinstance(error, RuntimeError) and any(sign in str(error) for sign in _SIGNS_OF_LOSS)
    )


_POLL = 0.05


def init_process_group(device: torch.device, rank: int, world: int, patience: timedelta) -> None:
    """Initialize torch's process group, unless the caller's framework has. Raises TrainerError."""
    if device.type == "cuda":
        torch.cuda.set_device(device)
    if dist.is_initialized():
        return
    # Flags, counts and JSON use gloo even so: they are on the CPU, and stay there.
    backend = "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo"
    try:
        store, _, _ = next(rendezvous("env://", rank, world, timeout=patience))
        name = agree_on_run_id(store, rank, world, patience)
        dist.init_process_group(
            backend,
            store=PrefixStore(name, store),
            rank=rank,
            world_size=world,
            timeout=patience,
        )
    except (RuntimeError, ValueError) as error:
        where = f"{os.environ.get('MASTER_ADDR', '?')}:{os.environ.get('MASTER_PORT', '?')}"
        raise TrainerError(
            f"Rank {rank} of {world} could not connect to the other ranks at {where}: {error}",
            "MASTER_ADDR must be a machine that all ranks can reach, and MASTER_PORT a free port.",
        ) from error


def agree_on_run_id(store: Store, rank: int, world: int, patience: timedelta) -> str:
    """Agree on an id that is unique to this start of the ranks.

    torchrun keeps its store when it restarts ranks, with all keys of the dead ranks (torch 2.13),
    including addresses that the new ranks could not connect to. So each rank publishes
    a random id, and rank 0's is used once it has read those of all others and they have confirmed
    it.
    """
    mine = uuid.uuid4().hex
    store.set(f"here/{rank}", mine)
    deadline = time.monotonic() + patience.total_seconds()
    while time.monotonic() < deadline:
        if rank == 0:
            heard = [store.get(f"here/{other}").decode() for other in range(world)]
            store.set("heard", json.dumps(heard))
            if _all_agree(store, mine, world):
                store.set("agreed", mine)
                return mine
        else:
            heard = json.loads(store.get("heard"))
            if heard[rank : rank + 1] == [mine]:
                store.set(f"agrees/{rank}", heard[0])
                if store.check(["agreed"]) and store.get("agreed").decode() == heard[0]:
                    return str(heard[0])
        time.sleep(_POLL)
    raise RuntimeError(f"not all {world} ranks connected within {patience}.")


def _all_agree(store: Store, name: str, world: int) -> bool:
    keys = [f"agrees/{other}" for other in range(1, world)]
    return store.check(keys) and all(store.get(key).decode() == name for key in keys)

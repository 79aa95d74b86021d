"""Functions that the ranks of a test run.

`python -m tests.support.distributed.rank_work NAME...`
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed import distributed_c10d
from torch.distributed.tensor import DTensor
from torch.nn import functional as F

from trainer.contract.errors import TrainerError
from trainer.distributed import Ranks, full_tensor, reshard, shard_like, unwrap

EXAMPLES, WIDTH = 7, 5


class Small(nn.Module):
    """An input layer, further layers, and an unused layer, like BERT's pooler if [CLS] is the
    vector.

    The layers may be those of another model.
    """

    def __init__(self, layers: nn.ModuleList | None = None) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.first = nn.Linear(WIDTH, 8)
        self.layer = layers or nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])
        self.last = nn.Linear(8, 4)
        self.idle = nn.Parameter(torch.ones(2))
        self.double()

    def forward(self, states: Tensor) -> Tensor:
        states = self.first(states)
        for layer in self.layer:
            states = layer(torch.tanh(states))
        found: Tensor = self.last(states)
        return found


def small_model() -> Small:
    return Small()


def examples() -> Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.randn(EXAMPLES, 2, WIDTH, generator=generator, dtype=torch.float64)


def contrast(queries: Tensor, others: Tensor) -> Tensor:
    """Return the summed contrastive loss: the other of each example is a negative of all others."""
    similar = queries @ others.T
    return F.cross_entropy(similar, torch.arange(len(similar)), reduction="sum")


def gradients(model: nn.Module) -> list[Any]:
    return [None if p.grad is None else full_tensor(p.grad).tolist() for p in model.parameters()]


def shared_contrast(ranks: Ranks) -> Any:
    """A step in which ranks hold unequal shares, and all examples are each other's negatives."""
    model = ranks.wrap(small_model())
    mine = examples()[:5] if ranks.main else examples()[5:]
    found = model(mine)
    total = contrast(ranks.gather(found[:, 0]), ranks.gather(found[:, 1]))
    total.backward()
    (count,) = ranks.total([EXAMPLES])  # each has summed the whole loss
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
    return gradients(unwrap(model))


def uneven_sums(ranks: Ranks, fsdp: bool = False) -> Any:
    """Three micro-batches on rank 0 and one on rank 1, which make up the whole step."""
    model = ranks.wrap(small_model(), fsdp)
    shares = [[0, 1], [2, 3], [4, 5]] if ranks.main else [[6]]
    shares += [[]] * (ranks.passes(model, len(shares)) - len(shares))
    for number, share in enumerate(shares):
        with ranks.micro_batch(model, last=number == len(shares) - 1):
            model(examples()[share]).square().sum().backward()
    return gradients(unwrap(model))


def single_sums(ranks: Ranks) -> Any:
    """The same in float32, which FSDP sums in a different order."""
    model = ranks.wrap(small_model().float(), fsdp=True)
    model(examples()[ranks.rank :: ranks.world].float()).square().sum().backward()
    return gradients(model)


def sharded_steps(ranks: Ranks, fsdp: bool = True) -> Any:
    """Two steps of AdamW on a sharded model, which is saved and restored in between."""
    model = ranks.wrap(small_model(), fsdp)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    for _ in range(2):
        model(examples()[ranks.rank :: ranks.world]).square().sum().backward()
        norm = full_tensor(nn.utils.clip_grad_norm_(model.parameters(), 1.0))
        optimizer.step()
        optimizer.zero_grad()
        with torch.no_grad():
            model(examples())
        reshard(model)
    saved = {
        name: full_tensor(values.detach()).clone() for name, values in model.state_dict().items()
    }
    with torch.no_grad():
        for name, values in model.state_dict().items():
            values.zero_()
            values.copy_(shard_like(saved[name], values))
    return [float(norm), [full_tensor(p.detach()).tolist() for p in model.parameters()]]


def second_stage(ranks: Ranks, fsdp: bool = True) -> Any:
    """Two steps as in two stages, and then one in a model that shares a layer with theirs."""
    first = small_model()
    second = Small(first.layer)
    second.first = first.first
    for stage in (first, first, second):
        model = ranks.wrap(stage, fsdp)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model(examples()[ranks.rank :: ranks.world]).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return [full_tensor(p.detach()).tolist() for p in model.parameters()]


def layer_by_layer(ranks: Ranks) -> Any:
    """Return how many layers this rank holds unsharded while each of them computes, forward and
    backward."""
    model = small_model()
    held: list[int] = []

    def look(*_: Any) -> None:
        held.append(sum(not isinstance(layer.weight, DTensor) for layer in model.layer))

    for layer in model.layer:
        layer.register_forward_hook(look)
    ranks.wrap(model, fsdp=True)
    model(examples()).sum().backward()
    look()
    return held


def words(ranks: Ranks) -> Any:
    result = ranks.broadcast({"step": 7, "words": "größer"} if ranks.main else None)
    return [
        result,
        ranks.total([ranks.rank + 1, 0.5]),
        ranks.agreed(ranks.rank == 1),
        ranks.agreed(False),
        ranks.gather(torch.full((ranks.rank, 2), True)).tolist(),
        ranks.gather(torch.arange(2 - 2 * ranks.rank)).tolist(),
    ]


def death(ranks: Ranks) -> Any:
    ranks.barrier()
    if ranks.rank == 1:
        os._exit(9)
    ranks.barrier()


def lateness(ranks: Ranks) -> Any:
    if ranks.rank == 1:
        time.sleep(1)
        Path(os.environ["LATE"]).touch()


def silence(ranks: Ranks) -> Any:
    ranks.barrier()
    distributed_c10d._set_pg_timeout(timedelta(seconds=3))
    if ranks.rank == 1:
        time.sleep(600)
    ranks.barrier()


WORK: dict[str, Callable[[Ranks], Any]] = {
    work.__name__: work
    for work in (
        shared_contrast,
        uneven_sums,
        single_sums,
        sharded_steps,
        second_stage,
        layer_by_layer,
        words,
        death,
        lateness,
        silence,
    )
} | {"sharded_sums": lambda ranks: uneven_sums(ranks, fsdp=True)}


def main(*names: str) -> None:
    try:
        with Ranks.from_environment("cpu") as ranks:
            for name in names:
                print(json.dumps(WORK[name](ranks)))
    except TrainerError as error:
        print(error, error.hint, file=sys.stderr)
        raise SystemExit(1) from error


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Initialisation of the process group, on the first start and on restarts."""

from __future__ import annotations

import json
import os
import time
import uuid
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import PrefixStore, Store
from torch.distributed.rendezvous import rendezvous

from trainer.contract.errors import TrainerError

_POLL = 0.05


def init_process_group(device: torch.device, rank: int, world: int, patience: timedelta) -> None:
    """Initialise torch's process group, unless the caller's framework has. Raises TrainerError."""
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
            f"Rank {rank} of {world} did not meet the others at {where}: {error}",
            "MASTER_ADDR must be a machine that all can reach, MASTER_PORT a port that is free.",
        ) from error


def agree_on_run_id(store: Store, rank: int, world: int, patience: timedelta) -> str:
    """Agree on an id that is unique to this start of the ranks.

    torchrun keeps its store when it restarts ranks, with all keys of the dead ones (torch 2.13),
    including addresses to which the new ranks would try to connect in vain. So each rank publishes
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
    raise RuntimeError(f"not all {world} ranks came within {patience}.")


def _all_agree(store: Store, name: str, world: int) -> bool:
    keys = [f"agrees/{other}" for other in range(1, world)]
    return store.check(keys) and all(store.get(key).decode() == name for key in keys)

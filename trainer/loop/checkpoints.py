"""Checkpoints, from which a run resumes: written atomically and verified on reading."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.optim import Optimizer

from trainer.contract.errors import TrainerError
from trainer.contract.files import sha256_of
from trainer.contract.run import write_atomically
from trainer.distributed import full_tensor, shard_like
from trainer.loop.optimizer import AVERAGE

FORMAT = 1
_STATE = "state.json"
_MODEL = "model.safetensors"
_OPTIMIZER = "optimizer.safetensors"
# Number of checkpoints to keep. Disk damage rarely affects both.
_KEPT = 2
# Suffix of damaged checkpoints.
_ASIDE = ".damaged"
# Errors that reading a corrupt state may raise.
_DAMAGED = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)

Tensors = dict[str, Tensor]


class DamagedCheckpoint(TrainerError):
    """A checkpoint differs from the one written."""


@dataclass(frozen=True)
class Checkpoint:
    """A verified checkpoint on disk. `state` is the dictionary passed to `save`, as read from
    JSON."""

    folder: Path
    step: int
    state: Mapping[str, Any]

    def model(self) -> Tensors:
        return load_file(self.folder / _MODEL)

    def optimizer(self) -> Tensors:
        return load_file(self.folder / _OPTIMIZER)

    def finished(self) -> Tensors:
        """Return the tensors of the model, with the averages of the weights that have one."""
        start = f"{AVERAGE}/"
        with safe_open(self.folder / _OPTIMIZER, "pt") as file:
            names = [name for name in file.keys() if name.startswith(start)]  # noqa: SIM118
            averages = {name.removeprefix(start): file.get_tensor(name) for name in names}
        return self.model() | averages


class Checkpoints:
    """The checkpoints of one run, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(
        self, step: int, state: Mapping[str, Any], model: Tensors, optimizer: Tensors, best: int
    ) -> None:
        """Write a checkpoint, then delete all others but the last two and that of step `best`.

        Raises TrainerError if it cannot be written; earlier checkpoints are kept.
        """
        folder = self._of(step)
        unfinished = folder.with_suffix(".new")
        try:
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            hashes = {
                name: _written(unfinished / name, tensors)
                for name, tensors in ((_MODEL, model), (_OPTIMIZER, optimizer))
            }
            header = {"format": FORMAT, "step": step, "files": hashes, "state": dict(state)}
            write_atomically(unfinished / _STATE, json.dumps(header | {"sha256": _digest(header)}))
            shutil.rmtree(folder, ignore_errors=True)
            unfinished.rename(folder)
            _sync(self.folder)
        except (OSError, SafetensorError) as error:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise TrainerError(
                f"The checkpoint of step {step} could not be written: {_reason(error)}.",
                f"Free up disk space for {self.folder} and start the training again: it resumes "
                "from the previous checkpoint.",
            ) from error
        self._drop_but({*self._steps()[-_KEPT:], best})

    def last(self, warn: Callable[[str], None]) -> Checkpoint | None:
        """Return the newest undamaged checkpoint; None if there is none.

        Damaged ones are reported to `warn` and renamed rather than deleted, since some of their
        files may be intact. Leftovers of a killed writer are deleted.

        Raises TrainerError if all checkpoints are damaged, or if one is of another version.
        """
        for unfinished in self.folder.glob("*.new"):
            shutil.rmtree(unfinished, ignore_errors=True)
        steps = self._steps()
        for step in reversed(steps):
            try:
                return self.read(step)
            except DamagedCheckpoint as error:
                kept = self._set_aside(step)
                before = (
                    ""
                    if step == steps[0]
                    else (" The training resumes from the previous checkpoint.")
                )
                warn(f"{error} Its files were saved as {kept.name}.{before}")
        if steps:
            raise TrainerError(
                f"All checkpoints in {self.folder} are damaged. Their files were saved in "
                f"folders with the suffix {_ASIDE}.",
                "Copy the run again, or start the training again from the beginning.",
            )
        return None

    def read(self, step: int) -> Checkpoint:
        """Read the checkpoint of this step.

        Raises DamagedCheckpoint if it is damaged or missing, TrainerError if it is of another
        version.
        """
        folder = self._of(step)
        try:
            found = json.loads((folder / _STATE).read_text("utf-8"))
            digest = found.pop("sha256")
            if found["format"] != FORMAT:
                raise TrainerError(
                    f"The checkpoint {folder} was written by another version of SciRead."
                )
            sound = digest == _digest(found) and all(
                sha256_of(folder / name) == expected for name, expected in found["files"].items()
            )
            if not sound:
                raise ValueError("the contents have changed")
            return Checkpoint(folder, found["step"], found["state"])
        except _DAMAGED as error:
            raise DamagedCheckpoint(
                f"The checkpoint of step {step} is damaged ({_reason(error)})."
            ) from error

    def _of(self, step: int) -> Path:
        return self.folder / f"step-{step:08}"

    def _set_aside(self, step: int) -> Path:
        """Rename the checkpoint so that it is no longer found, and return its new path."""
        name = self._of(step).name
        kept = self.folder / f"{name}{_ASIDE}"
        for number in count(2):
            if not kept.exists():
                break
            kept = self.folder / f"{name}-{number}{_ASIDE}"
        self._of(step).rename(kept)
        return kept

    def _steps(self) -> list[int]:
        if not self.folder.is_dir():
            return []
        names = [path.name for path in self.folder.iterdir()]
        return sorted(
            int(name.removeprefix("step-")) for name in names if name[-1:].isdigit() and "-" in name
        )

    def _drop_but(self, kept: set[int]) -> None:
        for step in set(self._steps()) - kept:
            shutil.rmtree(self._of(step), ignore_errors=True)


def model_tensors(model: nn.Module) -> Tensors:
    """Return all parameters and buffers on the CPU, tied weights once. Collective: call on all
    ranks."""
    return {name: full_tensor(values.detach()).cpu() for name, values in _learned(model).items()}


def optimizer_tensors(model: nn.Module, optimizer: Optimizer) -> Tensors:
    """Return the optimizer state of each parameter as `<state>/<parameter>`. Collective: call on
    all ranks."""
    return {
        f"{what}/{name}": full_tensor(values).cpu()
        for name, parameter in model.named_parameters()
        for what, values in optimizer.state.get(parameter, {}).items()
    }


def load_model(model: nn.Module, tensors: Tensors) -> None:
    """Load the tensors of `model_tensors`. Raises TrainerError if a shape differs."""
    for name, values in _learned(model).items():
        found = tensors.get(name)
        if found is None or found.shape != values.shape:
            raise TrainerError(
                f"The checkpoint is from another model: {name} does not match.",
                "The base model or the corpus has changed since the start of the run.",
            )
        values.detach().copy_(shard_like(found, values))


def load_optimizer(model: nn.Module, optimizer: Optimizer, tensors: Tensors) -> None:
    """Load the tensors of `optimizer_tensors`."""
    parameters = dict(model.named_parameters())
    for key, values in tensors.items():
        what, _, name = key.partition("/")
        parameter = parameters[name]
        spread = values if what == "step" else shard_like(values, parameter)
        optimizer.state[parameter][what] = spread.to(parameter.device)


def _learned(model: nn.Module) -> dict[str, Tensor]:
    return {**dict(model.named_parameters()), **dict(model.named_buffers())}


def _written(path: Path, tensors: Tensors) -> str:
    contiguous = {name: values.contiguous() for name, values in tensors.items()}
    save_file(contiguous, path, metadata={"format": "pt"})
    _sync(path)
    return sha256_of(path)


def _digest(said: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _sync(path: Path) -> None:
    """Flush a file or folder to disk. Windows cannot open folders, and keeps renames in order
    itself."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: Exception) -> str:
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    # The message of safetensors is long and has no error number.
    return "the disk is full" if "No space left" in reason else reason

"""From a recipe to a method at work: corpus, base and models, made alike on all ranks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch

from trainer.contract.errors import TrainerError
from trainer.contract.package import WEIGHTS, find_model
from trainer.contract.run import RECORDS, Recipe, write_whole
from trainer.data.chance import bits
from trainer.data.corpus import Corpus
from trainer.distributed import Ranks
from trainer.loop.learner import length_of
from trainer.methods.base import Method, Setup, Stage
from trainer.methods.known import METHODS
from trainer.model.text_model import Backbone


@dataclass(frozen=True)
class Options:
    """How to train, whatever is trained: of the machine, and no part of a recipe.

    `device` as torch names it; empty: a GPU a rank, or else the CPU. `budget` tokens go through
    the model at once; 0: as many as probably fit. `save_every` is in seconds. `measure`: also say
    how good the model is, by papers of the test part.
    """

    device: str = ""
    budget: int = 0
    fsdp: bool = False
    checkpointing: bool = False
    compile: bool = False
    save_every: float = 300.0
    measure: bool = False


class Base(NamedTuple):
    """The model to start from. `weights` is "sha256:<hex>"; a plain folder says no space, and no
    licence."""

    folder: Path
    weights: str
    space: str = ""
    licence: str = ""


class Begun(NamedTuple):
    """A training that is about to start."""

    corpus: Corpus
    method: Method
    base: Base


def begin(
    recipe: Recipe,
    folder: Path,
    ranks: Ranks,
    options: Options,
    note: Callable[[str], None],
    *,
    kept: bool = True,
) -> Begun:
    """The corpus, and the method with the weights that it starts from. Raises TrainerError.

    Tokens and the like are made once and kept, so the main rank goes first. `kept` says whether
    the folder is there when somebody reads of it.
    """
    found = None
    for main_goes in (True, False):
        if ranks.main == main_goes:
            found = _begin(recipe, folder, ranks.main, options, note)
        ranks.barrier()
    assert found is not None
    for stage in found.method.stages:
        _check(stage, recipe, folder / RECORDS if kept else None, note)
    return found


def _begin(
    recipe: Recipe, folder: Path, main: bool, options: Options, note: Callable[[str], None]
) -> Begun:
    corpus = Corpus.open(recipe.corpus, verify=main)
    base = base_of(recipe.base)
    setup = Setup(
        corpus=corpus,
        base=base.folder,
        folder=folder,
        settings=recipe.settings,
        seed=recipe.seed,
        note=note,
    )
    # Heads and other new weights are drawn from torch's generator.
    torch.manual_seed(int(bits("weights", recipe.seed)))
    method = METHODS[recipe.method](setup)
    if main:
        write_whole(folder / RECORDS, json.dumps(method.records, indent=2) + "\n")
    for stage in method.stages:
        for module in stage.model.modules():
            if isinstance(module, Backbone):
                module.checkpointing = options.checkpointing
                if options.compile:
                    module.compile_layers()
    return Begun(corpus, method, base)


def _check(stage: Stage, recipe: Recipe, records: Path | None, note: Callable[[str], None]) -> None:
    if not len(stage.train):
        why = f"{records} says why. " if records else ""
        raise TrainerError(
            f"The corpus in {recipe.corpus} has no examples for the stage {stage.name}.",
            f"{why}Loosen the settings that choose examples.",
        )
    if not length_of(stage)[1]:
        raise TrainerError(
            f"The stage {stage.name} has no steps.", "Set its epochs to more than 0."
        )
    if not len(stage.validation) and not stage.scores:
        note(
            f"There is nothing to validate the stage {stage.name} on: "
            "its last weights are kept instead of the best."
        )


def base_of(name: str) -> Base:
    """The model of this name: a package, or a folder as transformers saves one. Raises
    TrainerError."""
    folder = Path(name).expanduser()
    if (folder / "config.json").is_file() and not (folder / "package.json").exists():
        return Base(folder, _hash(folder / WEIGHTS))
    package = find_model(name)
    return Base(package.folder, package.files[WEIGHTS], package.space, package.licence)


def _hash(path: Path) -> str:
    if not path.is_file():  # weights in parts
        return ""
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()

"""Preparation of a run: corpus, base model and method, identical on all ranks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch

from trainer.contract.errors import TrainerError
from trainer.contract.package import WEIGHTS, Package, file_hash, find_model, prompt_of
from trainer.contract.run import RECORDS, Recipe, write_atomically
from trainer.data.corpus.corpus import Corpus
from trainer.data.rng import stateless_bits
from trainer.distributed import Ranks
from trainer.loop.stage_trainer import step_counts
from trainer.methods.base import Method, Setup, TrainingStage
from trainer.methods.registry import METHODS
from trainer.model.text_model import Backbone

# Parts of a template that are no text of its own.
_ITEMS = re.compile(r"\{(title|abstract|sep|sep_if_abstract)\}|\s")


@dataclass(frozen=True)
class Options:
    """Options of the machine, which are not part of a recipe.

    `device` is a torch device name; empty: one GPU per rank, or else the CPU. `budget` is the
    number of tokens per forward pass; 0: as many as probably fit. `save_every` is in seconds.
    `measure`: also evaluate the model on papers of the test part. `tensorboard`: also write events
    for TensorBoard.
    """

    device: str = ""
    budget: int = 0
    fsdp: bool = False
    checkpointing: bool = False
    compile: bool = False
    save_every: float = 300.0
    measure: bool = False
    tensorboard: bool = False


class Base(NamedTuple):
    """The model to start from. `weights` is "sha256:<hex>"; a plain folder is no package."""

    folder: Path
    weights: str
    package: Package | None = None


class PreparedRun(NamedTuple):
    """The corpus, method and base model of a training."""

    corpus: Corpus
    method: Method
    base: Base


def prepare_run(
    recipe: Recipe,
    folder: Path,
    ranks: Ranks,
    options: Options,
    note: Callable[[str], None],
    *,
    is_permanent: bool = True,
) -> PreparedRun:
    """Load the corpus, and the method with its initial weights. Raises TrainerError.

    Token caches are created once, so the main rank goes first. `is_permanent`: whether the folder
    outlives the call, so that messages may refer to it.
    """
    found = None
    for main_goes in (True, False):
        if ranks.main == main_goes:
            found = _begin(recipe, folder, ranks, options, note)
        ranks.barrier()
    assert found is not None
    for stage in found.method.stages:
        _check(stage, recipe, folder / RECORDS if is_permanent else None, note)
    return found


def _begin(
    recipe: Recipe, folder: Path, ranks: Ranks, options: Options, note: Callable[[str], None]
) -> PreparedRun:
    corpus = Corpus.open(recipe.corpus, verify=ranks.main)
    base = find_base(recipe.base)
    if recipe.settings["lora_rank"]:
        _check_adaptable(recipe, base)
    for sentence in left_out(recipe, base):
        note(sentence)
    setup = Setup(
        corpus=corpus,
        base=base.folder,
        folder=folder,
        settings=recipe.settings,
        seed=recipe.seed,
        note=note,
        package=base.package,
        device=ranks.device,
    )
    # Heads and other new weights are drawn from torch's generator.
    torch.manual_seed(int(stateless_bits("weights", recipe.seed)))
    method = METHODS[recipe.method](setup)
    if ranks.main:
        write_atomically(folder / RECORDS, json.dumps(method.records, indent=2) + "\n")
    for stage in method.stages:
        for module in stage.model.modules():
            if isinstance(module, Backbone):
                module.checkpointing = options.checkpointing
                if options.compile:
                    module.compile_layers()
    return PreparedRun(corpus, method, base)


def _check(
    stage: TrainingStage, recipe: Recipe, records: Path | None, note: Callable[[str], None]
) -> None:
    if not len(stage.train):
        why = f"See {records} for the reasons. " if records else ""
        raise TrainerError(
            f"The corpus {recipe.corpus} has no training examples for the stage {stage.name}.",
            f"{why}Relax the settings that select examples.",
        )
    if not step_counts(stage)[1]:
        raise TrainerError(
            f"The stage {stage.name} has no steps.", "Set the number of epochs to more than 0."
        )
    if not len(stage.validation) and not stage.scores:
        note(
            f"There are no validation examples for the stage {stage.name}: its final weights "
            "are used instead of the best."
        )


def _check_adaptable(recipe: Recipe, base: Base) -> None:
    """Raise TrainerError if an adapter to this base could not be opened later."""
    if base.package and base.package.base_weights:
        raise TrainerError(
            f"The base model {recipe.base} is itself an adapter, and cannot have another.",
            f"Use its base model {base.package.base}, or set lora_rank=0.",
        )
    if not base.weights:
        raise TrainerError(
            f"The weights of the base model {recipe.base} are not in one file, {WEIGHTS}.",
            "Pull the model (sciread-trainer pull), or set lora_rank=0.",
        )


def left_out(recipe: Recipe, base: Base) -> list[str]:
    """Return sentences about what the base model does and a model trained from it will not."""
    package, found = base.package, []
    if package is None or recipe.settings.get("from_scratch"):
        return []
    if package.head:
        kinds = ", ".join(name.partition("_")[2] for name in package.head)
        found.append(
            f"The base model {package.title} ends with modules after its pooling ({kinds}). The "
            "training leaves them out: the vectors of the new model are those of its transformer "
            "and pooling."
        )
    found += [
        f"The template {template!r} of the base model is not kept: a training keeps only text "
        "before the title."
        for template in (package.template, package.query_template)
        if not prompt_of(template) and _ITEMS.sub("", template)
    ]
    return found


def find_base(name: str) -> Base:
    """Return the model with this name: a package, or a folder in the format of transformers.

    Raises TrainerError.
    """
    folder = Path(name).expanduser()
    if (folder / "config.json").is_file() and not (folder / "package.json").exists():
        weights = folder / WEIGHTS
        return Base(folder, file_hash(weights) if weights.is_file() else "")  # or they are sharded
    package = find_model(name)
    return Base(package.folder, package.files[package.weights], package)

"""The end of a training: the package with the best weights."""

from __future__ import annotations

import hashlib
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from torch import nn

from trainer.contract.catalog import method_spec
from trainer.contract.package import STARTER, WEIGHTS, Package, read_package, starter_package
from trainer.contract.run import Recipe, Run
from trainer.loop.checkpoints import Checkpoint, Tensors
from trainer.loop.setup import PreparedRun
from trainer.methods.base import TrainingStage
from trainer.packages.export import export
from trainer.version import trainer_version


def finish(run: Run, recipe: Recipe, begun: PreparedRun, best: Checkpoint) -> Package:
    """Write the package with these weights, unless an interrupted end has done so, and read it."""
    if run.package.exists():
        return read_package(run.package)
    corpus, method, base = begun
    restore(method.stages[-1].model, best.model())
    source = run.folder / "package.source"
    shutil.rmtree(source, ignore_errors=True)
    method.encoder.save(source, method.reading.tokenizer)
    package = Package(
        folder=run.package,
        id=_id(recipe, source / WEIGHTS),
        title=_title(recipe, corpus.papers),
        dim=method.encoder.dim,
        pooling=method.encoder.pooling,
        template=method.reading.template,
        max_tokens=method.reading.max_tokens,
        files={},
        method=recipe.method,
        base=recipe.base,
        cls_tokens=method.reading.cls_tokens,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        trainer=trainer_version(),
        corpus={"papers": corpus.papers, "sha256": corpus.sha256, "split": corpus.split_by},
        licence=base.licence,
    )
    metrics = _metrics(run, method.stages[-1], corpus.sha256, best.step)
    made = export(source, package, metrics=metrics)
    shutil.rmtree(source)
    return made


def restore(model: nn.Module, tensors: Tensors) -> None:
    """Replace all parameters and buffers by plain tensors, also those sharded over ranks.
    Afterwards the model can only be saved."""
    for name, values in tensors.items():
        owner, _, own_name = name.rpartition(".")
        module = model.get_submodule(owner)
        if own_name in module._parameters:
            module._parameters[own_name] = nn.Parameter(values, requires_grad=False)
        else:
            module._buffers[own_name] = values


def _metrics(run: Run, stage: TrainingStage, corpus: str, step: int) -> list[dict[str, Any]]:
    """Return the scores of the weights that are kept, without the loss, which is no evaluation."""
    found = [e for e in run.events() if e.kind == "validation" and e.step == step]
    return [
        {
            "evaluation": stage.name,
            "metric": name,
            "value": value,
            **(stage.scored[name]._asdict() if name in stage.scored else {}),
            "split": "validation",
            "corpus_sha256": corpus,
            "at": datetime.fromtimestamp(event.at, UTC).isoformat(timespec="seconds"),
        }
        for event in found[-1:]
        for name, value in event.values["scores"].items()
    ]


def _title(recipe: Recipe, papers: int) -> str:
    """Return a title of base model and method. A model that was trained further does not get the
    name of the method's published model."""
    method = method_spec(recipe.method).title
    if recipe.settings.get("from_scratch"):
        return f"{method} on {papers:,} papers"
    base = starter_package(hashes=False).title if recipe.base == STARTER else Path(recipe.base).name
    return f"{base} trained with {method} on {papers:,} papers"


def _id(recipe: Recipe, weights: Path) -> str:
    """Return an id of method, base and the first digits of the weights' hash:
    specter-scibert-3f9a1c02."""
    base = re.sub(r"[^a-z0-9]+", "-", Path(recipe.base).name.lower()).strip("-")
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{recipe.method}-{base}-{digest[:8]}"

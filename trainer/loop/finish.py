"""The end of a training: its package and its report; and its setup, which the report repeats."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from trainer.contract.catalog import method_spec
from trainer.contract.files import sha256_of
from trainer.contract.package import (
    ADAPTER_WEIGHTS,
    STARTER,
    STARTER_NAME,
    WEIGHTS,
    Package,
    read_package,
)
from trainer.contract.run import FORMAT, Recipe, Run
from trainer.distributed import Ranks
from trainer.loop.checkpoints import Checkpoint, Tensors
from trainer.loop.progress import Reporter
from trainer.loop.protection import mixed_encoder, protect_search
from trainer.loop.setup import Options, PreparedRun, left_out
from trainer.loop.stage_trainer import step_counts
from trainer.machine import budget_for, describe_machine
from trainer.methods.base import LabelledMethod, Method, TrainingStage
from trainer.methods.search_scores import SearchScores
from trainer.methods.wise_ft import WeightInterpolation
from trainer.packages.export import export
from trainer.version import trainer_version

if TYPE_CHECKING:
    from trainer.loop.label_head import HeadChoice
    from trainer.model.label_head import LabelHead


def finish(
    run: Run,
    recipe: Recipe,
    begun: PreparedRun,
    best: Checkpoint,
    device: torch.device,
    reporter: Reporter,
) -> Package:
    """Write the package with these weights, unless an interrupted end has done so, and read it.

    If the recipe protects search, as much of the base model is mixed in as that takes. The scores
    of the finished model are recorded if it differs from the trained one, also by a layer that
    emphasizes labels.
    """
    if run.package.exists():
        return read_package(run.package)
    corpus, method, base = begun
    restore(method.stages[-1].model, best.finished())
    protection: list[dict[str, Any]] = []
    if recipe.settings.get("keep_search"):
        protection = protect_search(recipe, begun, device, reporter.warn)
    choice = _choose_head(recipe, begun, best.step, device, reporter)
    head = choice.head if choice else None
    if choice and head:
        for row in protection:
            row["value"] = choice.scores[row["task"]]
    _record_finished(method, protection, head, best.step, device, reporter)
    source = run.folder / "package.source"
    shutil.rmtree(source, ignore_errors=True)
    method.encoder.save(source, method.reading.tokenizer)
    adapter = method.encoder.backbone.adapts is not None
    weights = source / (ADAPTER_WEIGHTS if adapter else WEIGHTS)
    if head:
        weights = head.save(source)
    package = Package(
        folder=run.package,
        id=_id(recipe, weights),
        title=_title(recipe, corpus.papers),
        dim=method.encoder.dim,
        pooling=method.encoder.pooling,
        template=method.reading.template,
        max_tokens=method.reading.max_tokens,
        files={},
        method=recipe.method,
        base=_lasting(recipe.base) if adapter else recipe.base,
        cls_tokens=method.reading.cls_tokens,
        created=_iso(time.time()),
        trainer=trainer_version(),
        corpus={"papers": corpus.papers, "sha256": corpus.sha256, "split": corpus.split_by},
        licence=base.package.licence if base.package else "",
        query_template=method.reading.query_template,
        head=head.modules if head else (),
        base_weights=base.weights if adapter else "",
    )
    metrics = _metrics(run, method.stages[-1], corpus.sha256, best.step)
    about = {"split": "validation", "corpus_sha256": corpus.sha256, "at": _iso(time.time())}
    # They have the scores of the base model, too.
    metrics = [row | about for row in protection] or metrics
    made = export(source, package, metrics=metrics, notes=left_out(recipe, base))
    shutil.rmtree(source)
    return made


def _choose_head(
    recipe: Recipe, begun: PreparedRun, step: int, device: torch.device, reporter: Reporter
) -> HeadChoice | None:
    """Choose the layer that emphasizes labels, and record the choice; None without the setting."""
    method = begun.method
    if not (recipe.settings.get("label_head") and isinstance(method, LabelledMethod)):
        return None
    # Imported late, since it imports scikit-learn: more than a second per training process.
    from trainer.loop.label_head import choose_head

    assert isinstance(method.encoder, WeightInterpolation)
    encode = mixed_encoder(method, method.encoder.share, device)
    choice = choose_head(recipe, begun.corpus, method.labelled, encode)
    reporter.record(
        "head",
        step,
        stage=method.stages[-1].name,
        strength=choice.strength,
        without=choice.without,
        scores=choice.scores,
        why=choice.reason,
    )
    return choice


def _record_finished(
    method: Method,
    protection: Sequence[Mapping[str, Any]],
    head: LabelHead | None,
    step: int,
    device: torch.device,
    reporter: Reporter,
) -> None:
    """Record the scores of the finished model, if its weights are not those of the validations, or
    the validations had no scores."""
    encoder, stage = method.encoder, method.stages[-1]
    if not isinstance(encoder, WeightInterpolation):
        return
    if not (encoder.share or head or (protection and not stage.scores)):
        return
    found: Mapping[str, float] = {row["task"]: row["value"] for row in protection}
    if stage.scores and not (protection and isinstance(stage.scores, SearchScores)):
        encode = mixed_encoder(method, encoder.share, device)
        if head:
            from trainer.loop.label_head import headed

            encode = headed(encode, head)
        found = stage.scores(encode)
    scores = {name: float(score) for name, score in found.items()}
    reporter.record("mixture", step, stage=stage.name, share=encoder.share, scores=scores)


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
    kinds = ("validation", "mixture")
    found = [e for e in run.events() if e.kind in kinds and e.step == step]
    return [
        {
            "evaluation": stage.name,
            "metric": name,
            "value": value,
            **(stage.scored[name]._asdict() if name in stage.scored else {}),
            "split": "validation",
            "corpus_sha256": corpus,
            "at": _iso(event.at),
        }
        for event in found[-1:]
        for name, value in event.values["scores"].items()
    ]


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _lasting(base: str) -> str:
    """Return the name of the base model; of a folder, a path that is valid everywhere."""
    folder = Path(base).expanduser()
    return str(folder.absolute()) if folder.is_dir() else base


def _title(recipe: Recipe, papers: int) -> str:
    """Return the title in the recipe, else one of base model, method and data. A model that was
    trained further does not get the name of the method's published model."""
    if recipe.title:
        return recipe.title
    method = method_spec(recipe.method).title
    if recipe.settings.get("from_scratch"):
        return f"{method} on {papers:,} papers"
    base = STARTER_NAME if recipe.base == STARTER else Path(recipe.base).name
    if recipe.method == "library":  # not "Library's method": that reads as the user's
        return f"{base} tuned on {papers:,} papers"
    return f"{base} tuned by {method}'s method on {papers:,} papers"


def _id(recipe: Recipe, weights: Path) -> str:
    """Return an id of method, base and the first digits of the weights' hash:
    specter-scibert-3f9a1c02."""
    base = re.sub(r"[^a-z0-9]+", "-", Path(recipe.base).name.lower()).strip("-")
    return f"{recipe.method}-{base}-{sha256_of(weights)[:8]}"


# Losses of single steps are noisy: this many are averaged at both ends.
_SOME = 20


def describe_run(
    recipe: Recipe, begun: PreparedRun, ranks: Ranks, precision: torch.dtype, options: Options
) -> dict[str, Any]:
    """Return everything that affects the training, as values of the `start` event."""
    corpus, stages, package = begun.corpus, begun.method.stages, begun.base.package
    budget = options.budget or budget_for(ranks.device, begun.method.encoder.backbone)
    return {
        "recipe": recipe.name,
        "method": recipe.method,
        "base": recipe.base,
        "base_model": {"weights": begun.base.weights, "space": package.space if package else ""},
        "settings": dict(recipe.settings),
        "seed": recipe.seed,
        "corpus": {
            "papers": corpus.papers,
            "sha256": corpus.sha256,
            "split": corpus.split_by,
        },
        "steps": sum(step_counts(stage)[1] for stage in stages),
        "stages": [
            {
                "name": stage.name,
                "examples": len(stage.train),
                "validation": len(stage.validation),
                "steps": step_counts(stage)[1],
                "batch_size": stage.plan.batch_size,
            }
            for stage in stages
        ],
        "precision": str(precision).removeprefix("torch."),
        "budget": budget,
        "fsdp": options.fsdp,
        "checkpointing": options.checkpointing,
        "compile": options.compile,
        **describe_machine(ranks),
    }


def build_report(
    run: Run, package: Package, seconds: float, tokens: float, described: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the report of a finished run; losses and scores are taken from its events.

    The scores are those of the finished model; the validations' and the validation loss are those
    of the trained weights, before any of the base model is mixed in.
    """
    losses: dict[str, dict[int, float]] = {}
    mixed: dict[str, float] = {}
    head: dict[str, Any] = {}
    validations: dict[int, dict[str, Any]] = {}
    events = run.events()
    for event in events:
        if event.kind == "step":
            losses.setdefault(event.values["stage"], {})[event.step] = event.values["loss"]
        elif event.kind == "validation":
            validations[event.step] = {"step": event.step, **event.values}
        elif event.kind == "mixture":
            mixed = event.values["scores"]
        elif event.kind == "head":
            head = {name: value for name, value in event.values.items() if name != "stage"}
    stages = [
        {
            **stage,
            "loss_at_first": _mean(list(losses.get(stage["name"], {}).values())[:_SOME]),
            "loss_at_last": _mean(list(losses.get(stage["name"], {}).values())[-_SOME:]),
            "validations": [v for v in validations.values() if v["stage"] == stage["name"]],
        }
        for stage in described["stages"]
    ]
    best = [found for found in stages[-1]["validations"] if found["best"]]
    return {
        "format": FORMAT,
        **described,
        "stages": stages,
        "scores": mixed or (best[-1]["scores"] if best else {}),
        **({"label_head": head} if head else {}),
        "validation_loss": best[-1]["loss"] if best else None,
        "package": {"id": package.id, "space": package.space},
        "tokens": int(tokens),
        "seconds": round(seconds, 1),
        "started": _iso(events[0].at),
        "ended": _iso(time.time()),
    }


def _mean(losses: list[float]) -> float | None:
    return sum(losses) / len(losses) if losses else None

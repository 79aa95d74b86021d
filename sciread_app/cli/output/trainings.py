"""Output of trainings, as rich text and as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sciread_app.language import tr, trn
from sciread_app.services.models.model_card import CardScore
from sciread_app.services.training.run_monitor import RunProgress
from sciread_app.services.training.runs import RunStatus, TrainingRun
from sciread_app.services.training.training_service import (
    CheckLine,
    Remedy,
    TrainingCheck,
    TrainingEstimate,
)
from trainer.contract.corpus_stats import Level

STATUS_LABELS = {
    RunStatus.starting: tr("is starting"),
    RunStatus.running: tr("goes on"),
    RunStatus.stopping: tr("is stopping"),
    RunStatus.stopped: tr("stopped"),
    RunStatus.interrupted: tr("interrupted"),
    RunStatus.failed: tr("failed"),
    RunStatus.finished: tr("finished"),
}
_MARKS = {Level.enough: ("✓", "green"), Level.few: ("!", "yellow"), Level.missing: ("✗", "red")}
_STYLES = {RunStatus.failed: "red", RunStatus.finished: "green", RunStatus.running: "bold"}


def check(found: TrainingCheck, estimate: TrainingEstimate | None) -> RenderableType:
    lines: list[RenderableType] = [_line(line) for line in found.lines]
    if estimate:
        lines.append(Text(estimate_text(estimate)))
    return Group(*lines)


def _line(line: CheckLine) -> RenderableType:
    mark, colour = _MARKS[line.level]
    text = Text.assemble((f"{mark} ", colour), line.text)
    if not line.remedy:
        return text
    return Text.assemble(text, (f" {line.verb}: `{_command(line)}`.", "dim"))


def _command(line: CheckLine) -> str:
    """Return the command or the options that supply what is missing."""
    if line.remedy is Remedy.settings:
        return " ".join(f"--set {name}={value}" for name, value in line.settings.items())
    if line.remedy is Remedy.model:
        return f"sciread model add {line.model}"
    return "sciread fetch citations" if line.remedy is Remedy.citations else "sciread fetch"


def estimate_text(estimate: TrainingEstimate) -> str:
    """Return the estimated steps, duration and memory as a sentence."""
    steps = trn("{n:,} step", "{n:,} steps", estimate.steps)
    return tr(
        "{steps}, about {duration} on {device}, {memory} GB of memory.",
        steps=steps,
        duration=duration(estimate.seconds),
        device=estimate.device,
        memory=f"{estimate.memory / 1e9:.1f}",
    )


def check_as_value(found: TrainingCheck, estimate: TrainingEstimate | None) -> dict[str, Any]:
    lines = [
        {
            "level": line.level.value,
            "text": line.text,
            "remedy": line.remedy.value if line.remedy else None,
            "verb": line.verb,
            "papers": len(line.papers),
            "settings": dict(line.settings),
            "model": line.model,
        }
        for line in found.lines
    ]
    counts = found.data.stats.described() | {"about": found.data.estimated}
    del counts["venues"]
    taken = {"estimate": estimate and _as_value(estimate)}
    return {"able": found.able, "findings": lines, "holds": counts} | taken


def _as_value(estimate: TrainingEstimate) -> dict[str, Any]:
    return asdict(estimate) | {"stages": [stage._asdict() for stage in estimate.stages]}


def trainings(found: Sequence[TrainingRun]) -> RenderableType:
    if not found:
        return Text(tr("Nothing was trained yet; begin with `sciread train check`."))
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in (tr("name"), tr("method"), tr("papers"), tr("step"), tr("loss"), "", tr("when")):
        shown.add_column(name, overflow="fold")
    for one in found:
        shown.add_row(
            Text(one.name),
            Text(one.recipe),
            f"{one.papers:,}" if one.papers else "",
            f"{one.step:,}/{one.steps:,}" if one.steps else "",
            f"{one.loss:.4f}" if one.loss is not None else "",
            Text(_how(one), style=_STYLES.get(one.status, "")),
            f"{datetime.fromtimestamp(one.began):%Y-%m-%d %H:%M}" if one.began else "",
        )
    return shown


def _how(one: TrainingRun) -> str:
    label = STATUS_LABELS[one.status]
    if one.left:
        label = tr("{standing}, {duration} left", standing=label, duration=duration(one.left))
    return f"{label}: {one.problem}" if one.problem else label


def training_as_value(one: TrainingRun) -> dict[str, Any]:
    value = asdict(one) | {"standing": one.status.value}
    del value["status"]
    for name in ("began", "at"):
        moment = value[name] and datetime.fromtimestamp(value[name], UTC)
        value[name] = moment.isoformat(timespec="seconds") if moment else None
    del value["losses"]
    return value


def scores(found: Sequence[CardScore]) -> RenderableType:
    """Return a table of the trained model's scores and those of its base model."""
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("", tr("before"), tr("now")):
        shown.add_column(name, justify="right" if name else "left")
    shown.add_column("")
    for score in found:
        doubt = Text(tr("may be chance") if score.chance else "", style="dim")
        shown.add_row(Text(f"{score.title}: {score.metric}"), score.before, score.value, doubt)
    return shown if found else Text()


def run_as_value(
    one: TrainingRun, progress: RunProgress, found: Sequence[CardScore]
) -> dict[str, Any]:
    return training_as_value(one) | {
        "scores": [asdict(score) for score in found],
        "validations": [validation._asdict() for validation in progress.validations],
        "seconds": progress.seconds,
    }


def duration(seconds: float) -> str:
    """Format a duration: 45 s, 12 min, 3 h 20 min."""
    minutes = round(seconds / 60)
    if minutes < 2:
        return tr("{seconds} s", seconds=max(1, round(seconds)))
    if minutes < 100:
        return tr("{minutes} min", minutes=minutes)
    return tr("{hours} h {minutes} min", hours=minutes // 60, minutes=minutes % 60)

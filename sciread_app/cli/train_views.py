"""What the command line shows of trainings: for people as rich text, for programs as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sciread_app.language import tr, trn
from sciread_app.services.following import Story
from sciread_app.services.model_cards import Scored
from sciread_app.services.runs import Standing, Training
from sciread_app.services.training import Check, Estimate, Line, Remedy
from trainer.contract.holdings import Level

STANDINGS = {
    Standing.starting: tr("is starting"),
    Standing.running: tr("goes on"),
    Standing.stopping: tr("is stopping"),
    Standing.stopped: tr("stopped"),
    Standing.interrupted: tr("interrupted"),
    Standing.failed: tr("failed"),
    Standing.finished: tr("finished"),
}
_MARKS = {Level.enough: ("✓", "green"), Level.few: ("!", "yellow"), Level.missing: ("✗", "red")}
_LOOKS = {Standing.failed: "red", Standing.finished: "green", Standing.running: "bold"}


def check(found: Check, estimate: Estimate | None) -> RenderableType:
    lines: list[RenderableType] = [_line(line) for line in found.lines]
    if estimate:
        lines.append(Text(took(estimate)))
    return Group(*lines)


def _line(line: Line) -> RenderableType:
    mark, colour = _MARKS[line.level]
    said = Text.assemble((f"{mark} ", colour), line.text)
    if not line.remedy:
        return said
    return Text.assemble(said, (f" {line.verb}: `{_command(line)}`.", "dim"))


def _command(line: Line) -> str:
    """What gets that which is missing, for whoever has no button."""
    if line.remedy is Remedy.settings:
        return " ".join(f"--set {name}={value}" for name, value in line.settings.items())
    if line.remedy is Remedy.model:
        return f"sciread model add {line.model}"
    return "sciread fetch citations" if line.remedy is Remedy.citations else "sciread fetch"


def took(estimate: Estimate) -> str:
    """What a training would take, in a sentence."""
    steps = trn("{n:,} step", "{n:,} steps", estimate.steps)
    return tr(
        "{steps}, about {duration} on {device}, {memory} GB of memory.",
        steps=steps,
        duration=duration(estimate.seconds),
        device=estimate.device,
        memory=f"{estimate.memory / 1e9:.1f}",
    )


def check_as_value(found: Check, estimate: Estimate | None) -> dict[str, Any]:
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
    held = found.held.holdings.described() | {"about": found.held.about}
    del held["venues"]
    taken = {"estimate": estimate and _as_value(estimate)}
    return {"able": found.able, "findings": lines, "holds": held} | taken


def _as_value(estimate: Estimate) -> dict[str, Any]:
    return asdict(estimate) | {"stages": [stage._asdict() for stage in estimate.stages]}


def trainings(found: Sequence[Training]) -> RenderableType:
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
            Text(_how(one), style=_LOOKS.get(one.standing, "")),
            f"{datetime.fromtimestamp(one.began):%Y-%m-%d %H:%M}" if one.began else "",
        )
    return shown


def _how(one: Training) -> str:
    said = STANDINGS[one.standing]
    if one.left:
        said = tr("{standing}, {duration} left", standing=said, duration=duration(one.left))
    return f"{said}: {one.problem}" if one.problem else said


def training_as_value(one: Training) -> dict[str, Any]:
    value = asdict(one) | {"standing": one.standing.value}
    for name in ("began", "at"):
        moment = value[name] and datetime.fromtimestamp(value[name], UTC)
        value[name] = moment.isoformat(timespec="seconds") if moment else None
    del value["losses"]
    return value


def scores(found: Sequence[Scored]) -> RenderableType:
    """What came of a training, beside what the model could do that it started from."""
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("", tr("before"), tr("now")):
        shown.add_column(name, justify="right" if name else "left")
    shown.add_column("")
    for score in found:
        doubt = Text(tr("may be chance") if score.chance else "", style="dim")
        shown.add_row(Text(f"{score.title}: {score.metric}"), score.before, score.value, doubt)
    return shown if found else Text()


def story_as_value(one: Training, told: Story, found: Sequence[Scored]) -> dict[str, Any]:
    return training_as_value(one) | {
        "scores": [asdict(score) for score in found],
        "validations": [validation._asdict() for validation in told.validations],
        "seconds": told.seconds,
    }


def duration(seconds: float) -> str:
    """45 s, 12 min, 3 h 20 min"""
    minutes = round(seconds / 60)
    if minutes < 2:
        return tr("{seconds} s", seconds=max(1, round(seconds)))
    if minutes < 100:
        return tr("{minutes} min", minutes=minutes)
    return tr("{hours} h {minutes} min", hours=minutes // 60, minutes=minutes % 60)

"""Output of models, as rich text and as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sciread_app.language import tr
from sciread_app.services.models.blind_votes import VoteTally
from sciread_app.services.models.model_card import CardScore, Origin
from sciread_app.services.models.registry import InstalledModel, ModelDetails, ModelState

_STATES = {
    ModelState.answers: tr("answers"),
    ModelState.pending: tr("is about to answer"),
    ModelState.earlier: tr("answered before"),
    ModelState.idle: "",
}


def table(models: Sequence[InstalledModel]) -> RenderableType:
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in (tr("name"), tr("title"), tr("method"), tr("numbers"), tr("size"), tr("speed"), ""):
        shown.add_column(name, overflow="fold")
    for model in models:
        shown.add_row(
            Text(model.name, style="bold" if model.state is ModelState.answers else ""),
            Text(model.title),
            Text(model.method),
            Text(str(model.dim or "")),
            Text(_mb(model.size)),
            Text(_speed(model)),
            _standing(model),
        )
    return shown


def model_as_value(model: InstalledModel) -> dict[str, Any]:
    return asdict(model) | {"state": model.state.value}


def about(details: ModelDetails) -> RenderableType:
    model = details.model
    rows = (
        (tr("name"), model.name),
        (tr("folder"), str(details.folder)),
        (tr("method"), model.method),
        (tr("base"), model.base),
        (tr("vectors"), model.dim and f"{model.dim}, {model.pooling}"),
        (tr("reads"), model.max_tokens and tr("{n} word pieces", n=model.max_tokens)),
        (tr("licence"), model.licence),
        (tr("size"), _mb(model.size)),
        (tr("speed"), _speed(model)),
        (tr("space"), model.space),
        (tr("has read"), f"{details.papers - details.unread:,} / {details.papers:,}"),
        *_origin(details.origin),
        (tr("made"), model.created),
        (tr("made with"), model.trainer),
    )
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", justify="right")
    grid.add_column(overflow="fold")
    for name, value in rows:
        if value:
            grid.add_row(name, Text(str(value)))
    head = Text(model.title, style="bold")
    parts: list[RenderableType] = [head, _standing(model), grid]
    return Group(*parts, *([_scores(details.scores)] if details.scores else []))


def about_as_value(details: ModelDetails) -> dict[str, Any]:
    return model_as_value(details.model) | {
        "folder": str(details.folder),
        "papers": details.papers,
        "unread": details.unread,
        "origin": asdict(details.origin),
        "scores": [asdict(score) for score in details.scores],
        "card": details.card,
    }


def tally_as_value(tally: VoteTally) -> dict[str, Any]:
    """Return the tally as a JSON value. `luck` is the probability that two equally good models
    differ at least as much."""
    return asdict(tally) | {"ahead": tally.ahead or None, "luck": round(tally.luck, 4)}


def _origin(origin: Origin) -> tuple[tuple[str, str], ...]:
    corpus = f"{origin.papers:,} ({origin.sha256[:12]}…)" if origin.papers else ""
    changed = ", ".join(f"{name} = {value}" for name, value in origin.changed.items())
    versions = ", ".join(f"{name} {version}" for name, version in origin.versions.items())
    return (
        (tr("recipe"), origin.recipe),
        (tr("but"), changed),
        (tr("learned from papers"), corpus),
        (tr("versions"), versions),
    )


def _scores(scores: Sequence[CardScore]) -> RenderableType:
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in (tr("measured"), tr("metric"), tr("before"), tr("value"), tr("n"), tr("of")):
        shown.add_column(name)
    for one in scores:
        n = f"{one.n:,}" if one.n else ""
        shown.add_row(
            *map(Text, (one.title, one.metric, one.before, one.value, n, one.suite or one.split))
        )
    return shown


def _standing(model: InstalledModel) -> Text:
    if model.problem:
        return Text(f"{model.problem} {model.hint}".strip(), style="red")
    return Text(_STATES[model.state], style="green")


def _mb(size: int) -> str:
    return tr("{n:,.1f} MB", n=size / 1e6) if size else ""


def _speed(model: InstalledModel) -> str:
    return tr("{n:,.0f} papers/s", n=model.speed) if model.speed else ""

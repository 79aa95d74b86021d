"""The description of a model: its training, its scores, and its model card.

All of it was written by the model's author and is untrusted: invalid values are skipped, and long
ones are cut.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sciread_app.services.models.archive import TRAINING
from trainer.contract.catalog import recipe_of
from trainer.contract.errors import TrainerError
from trainer.contract.evaluations import NO_QUALITY, Metric, evaluation_spec, has_too_few
from trainer.contract.package import Package
from trainer.contract.report import REPORT, Report

CARD, METRICS = "README.md", "metrics.json"
_MOST_CARD = 200_000  # characters
_MOST_FILE = 8 << 20  # bytes
_MOST_SCORES = 200
_MOST_LETTERS = 300
_COUNTED = ("truncated",)  # metrics whose differences are exact and need no test
_HEAD = re.compile(r"\A---\r?\n.*?\r?\n---\r?\n", re.DOTALL)
_LICENCES = {
    name.lower(): name
    for name in (
        *("Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MPL-2.0", "Unlicense"),
        *("GPL-2.0", "GPL-3.0", "LGPL-2.1", "LGPL-3.0", "AGPL-3.0", "CC0-1.0", "CC-BY-4.0"),
        *("CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0", "CC-BY-NC-ND-4.0"),
    )
}
# The parts of a run's report that describe the training; the rest is curves.
_KEPT = (
    *("recipe", "method", "base", "settings", "seed", "corpus", "steps", "precision", "tokens"),
    *("seconds", "started", "ended", "versions", "device", "ranks", "threads", "system", "best"),
)


@dataclass(frozen=True, slots=True)
class CardScore:
    """One score with its values formatted. `suite` is empty for scores measured by the training.

    `share` is the value from 0 to 1 if the metric is a percentage. `before` is the value of the
    base model on the same data. `better` is None unless the difference is significant, or needs no
    test; `chance`: it was tested and is not. `quality`: it measures how well papers are found, and
    `too_few`: on too few of them to tell anything. The scores of one `task` depend on the same
    papers.
    """

    suite: str
    title: str
    metric: str
    value: str
    share: float | None = None
    before: str = ""
    share_before: float | None = None
    change: str = ""
    better: bool | None = None
    n: int = 0
    split: str = ""
    low: str = ""
    high: str = ""
    chance: bool = False
    higher_is_better: bool | None = True
    task: str = ""
    quality: bool = True
    too_few: bool = False


class Balance(NamedTuple):
    """The number of `tasks` on which a model is compared with its base model, and of those on
    which it is significantly `better` and `worse`. `metrics` are the scores of these tasks. On
    `too_few` other tasks there are too few papers to tell; `untested` others have no test of
    significance."""

    tasks: int
    better: int
    worse: int
    too_few: int
    untested: int
    metrics: int


def balance(scores: Sequence[CardScore]) -> Balance:
    """Compare a model with its base model on the measures of quality that both have.

    Tasks are counted, not metrics: those of a task depend on the same papers, and would count one
    finding several times. A task whose metrics disagree counts as worse.
    """
    tasks: dict[tuple[str, str], list[CardScore]] = {}
    for score in scores:
        if score.before and score.quality:
            tasks.setdefault((score.suite, score.task or score.title), []).append(score)
    enough = [kept for task in tasks.values() if (kept := [s for s in task if not s.too_few])]
    tested = [
        task for task in enough if any(score.chance or score.better is not None for score in task)
    ]
    found = [{score.better for score in task} for task in tested]
    return Balance(
        tasks=len(tested),
        better=sum(True in signs and False not in signs for signs in found),
        worse=sum(False in signs for signs in found),
        too_few=len(tasks) - len(enough),
        untested=len(enough) - len(tested),
        metrics=sum(map(len, tested)),
    )


@dataclass(frozen=True, slots=True)
class Origin:
    """The training of a model, as far as it is recorded. `changed` are the settings that differ
    from the recipe; `sha256` is the hash of the corpus."""

    recipe: str = ""
    changed: Mapping[str, str] = field(default_factory=dict)
    seed: str = ""
    steps: int = 0
    papers: int = 0
    sha256: str = ""
    seconds: float = 0.0
    ended: str = ""
    device: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)


def card_of(folder: Path) -> str:
    """Return the model card as Markdown, without its YAML header; empty if there is none."""
    try:
        with (folder / CARD).open(encoding="utf-8", errors="replace") as file:
            text = file.read(_MOST_CARD)
    except OSError:
        return ""
    return _HEAD.sub("", text).strip()


def origin_of(package: Package) -> Origin:
    """Return the training of a model, from the report of its run and its package."""
    report = _object(package.folder / TRAINING)
    corpus = _as_object(report.get("corpus") or package.corpus)
    recipe = plain(report.get("recipe", ""))
    return Origin(
        recipe=recipe,
        changed=_changed(recipe, _as_object(report.get("settings"))),
        seed=plain(report.get("seed", "")),
        steps=_whole(report.get("steps")),
        papers=_whole(corpus.get("papers")),
        sha256=plain(corpus.get("sha256", "")),
        seconds=_number(report.get("seconds")) or 0.0,
        ended=plain(report.get("ended", "")),
        device=plain(report.get("device", "")),
        versions={
            plain(name): plain(version)
            for name, version in list(_as_object(report.get("versions")).items())[:20]
        },
    )


def trim_training(folder: Path) -> None:
    """Remove the curves from the report of the training run in a model's folder."""
    file = folder / TRAINING
    if file.exists():
        report = _object(file)
        kept = {name: report[name] for name in _KEPT if name in report}
        file.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")


def scores_of(package: Package, reports: Path) -> tuple[CardScore, ...]:
    """Return the scores of a model: those of its training, then those of the evaluations in the
    folder `reports`."""
    found = list(_rows(package.folder / METRICS))
    if any(row.get("split") == "test" for row in found):
        # The weights were chosen by the validation papers: their scores are too good.
        found = [row for row in found if row.get("split") != "validation"]
    rows = [scored for row in found if (scored := _of_training(row))]
    for file in sorted(reports.glob(f"*/*/{REPORT}")) if reports.is_dir() else ():
        try:
            report = Report.read(file)
        except TrainerError:
            continue
        if report.subject.space == package.space:
            rows += _of_report(report)
    return tuple(rows[:_MOST_SCORES])


def plain(value: object) -> str:
    """Return an untrusted value as one printable line of limited length."""
    text = " ".join(str(value)[: 4 * _MOST_LETTERS].split())
    text = "".join(letter for letter in text if letter.isprintable())
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


def licence(value: object) -> str:
    """Return the SPDX identifier of a known license, and any other value as it is."""
    text = plain(value)
    return _LICENCES.get(text.lower().replace(" ", "-"), text)


def _of_training(row: Mapping[str, Any]) -> CardScore | None:
    value, before = _number(row.get("value")), _number(row.get("before"))
    if value is None:
        return None
    spec = evaluation_spec(plain(row.get("evaluation", "")))
    metric = spec.metric(plain(row.get("metric", "")))
    change = "" if before is None else _signed(metric, value - before)
    real, n, quality = row.get("real"), _whole(row.get("n")), spec.key not in NO_QUALITY
    certain = real is True or (real is None and metric.name in _COUNTED)
    return CardScore(
        suite="",
        title=spec.title,
        metric=metric.title,
        value=metric.shown(value),
        share=_share(metric, value),
        before="" if before is None else metric.shown(before),
        share_before=None if before is None else _share(metric, before),
        change=change,
        better=_is_better(metric, value, before) if before is not None and certain else None,
        chance=real is False,
        n=n,
        split=plain(row.get("split", "")),
        higher_is_better=metric.higher_is_better,
        task=plain(row.get("task", "")),
        quality=quality,
        too_few=real is not True and n > 0 and has_too_few(spec.key, n),
    )


def _of_report(report: Report) -> Iterator[CardScore]:
    for result in report.results:
        spec = evaluation_spec(result.evaluation)
        quality = spec.key not in NO_QUALITY
        for score in result.scores:
            metric = spec.metric(score.metric)
            yield CardScore(
                suite=plain(report.suite),
                title=plain(result.title),
                metric=metric.title,
                value=metric.shown(score.value),
                share=_share(metric, score.value),
                n=score.n,
                split=plain(result.split),
                low="" if score.low is None else metric.shown(score.low),
                high="" if score.high is None else metric.shown(score.high),
                higher_is_better=metric.higher_is_better,
                task=plain(result.task),
                quality=quality,
                too_few=has_too_few(spec.key, score.n),
            )


def _signed(metric: Metric, change: float) -> str:
    shown = metric.shown(abs(change))
    return (
        shown if not any(digit in shown for digit in "123456789") else f"{'+−'[change < 0]}{shown}"
    )


def _is_better(metric: Metric, value: float, before: float) -> bool | None:
    same = metric.shown(value) == metric.shown(before)
    return (
        None
        if same or metric.higher_is_better is None
        else ((value > before) is metric.higher_is_better)
    )


def _share(metric: Metric, value: float) -> float | None:
    return min(1.0, max(0.0, value)) if metric.unit == "percent" else None


def _changed(recipe: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of a training that differ from its recipe."""
    try:
        spec, name = recipe_of(recipe)
        usual: Mapping[str, object] = spec.resolve(name)
    except TrainerError:
        usual = {}
    return {
        plain(name): plain(value)
        for name, value in list(settings.items())[:100]
        if name != "base" and usual.get(name) != value  # the base is shown separately
    }


def _rows(file: Path) -> Sequence[Mapping[str, Any]]:
    found = _json(file)
    return (
        [row for row in found[:_MOST_SCORES] if isinstance(row, dict)]
        if isinstance(found, list)
        else []
    )


def _object(file: Path) -> dict[str, Any]:
    return _as_object(_json(file))


def _as_object(found: object) -> dict[str, Any]:
    return dict(found) if isinstance(found, Mapping) else {}


def _json(file: Path) -> object:
    try:
        if file.stat().st_size > _MOST_FILE:
            return None
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and abs(number) < 1e15 else None


def _whole(value: object) -> int:
    number = _number(value)
    return int(number) if number is not None and number > 0 else 0

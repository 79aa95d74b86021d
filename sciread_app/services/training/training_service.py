"""Training a model: check the data, estimate the duration, start the run."""

from __future__ import annotations

import enum
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from sciread_app.domain.training import LIBRARY, TrainingData, TrainingDataKind
from sciread_app.errors import LibraryError
from sciread_app.language import format_list, tr, trn
from sciread_app.paths import Home
from sciread_app.services.subprocess import trainer
from sciread_app.services.training.corpora import AvailableData, Corpora
from sciread_app.services.training.remote_job import write_job
from sciread_app.services.training.runs import Runs, TrainingRun, runs_in_time
from sciread_app.tasks import Task
from trainer.contract.catalog import MethodSpec, Need, recipe_of
from trainer.contract.corpus_stats import Level, Requirement, check_requirements
from trainer.contract.errors import PackageRefused
from trainer.contract.package import (
    STARTER,
    STARTER_NAME,
    max_positions,
    read_package,
    starter_package,
)
from trainer.contract.run import Recipe, Run
from trainer.contract.settings import Value

_NAMED_FILES = 5  # PDFs without text that a check names


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """A planned training. `changes` are the settings that differ from the recipe; a list of values
    is a grid, of which each combination is trained."""

    data: TrainingData = LIBRARY
    recipe: str = "specter-small"
    changes: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1
    name: str = ""

    @property
    def method(self) -> MethodSpec:
        """The method of the recipe. Raises TrainerError if there is no such recipe."""
        return recipe_of(self.recipe)[0]

    def on(self, corpus: Path) -> Recipe:
        """Return the recipe for a corpus. Raises TrainerError for invalid settings."""
        several = {name: list(v) for name, v in self.changes.items() if isinstance(v, list | tuple)}
        single = {name: value for name, value in self.changes.items() if name not in several}
        base = str(single.get("base", STARTER))
        if base != STARTER and (folder := Path(base).expanduser()).is_dir():
            single["base"] = str(folder.resolve())  # the trainer runs in another folder
        recipe = Recipe.named(
            self.recipe, corpus, seed=self.seed, changes=single, grid=several or None
        )
        list(recipe.combinations())  # raises for invalid values of the grid
        return recipe


class Remedy(enum.Enum):
    """The remedy for a missing requirement."""

    citations = "citations"
    papers = "papers"
    settings = "settings"
    model = "model"


@dataclass(frozen=True)
class CheckLine:
    """The result of one check, as a sentence, with the remedy.

    `remedy_label` names the remedy, which concerns `papers`, `settings` or a `model`.
    """

    level: Level
    text: str
    remedy: Remedy | None = None
    remedy_label: str = ""
    papers: tuple[int, ...] = ()
    settings: Mapping[str, Value] = field(default_factory=dict)
    model: str = ""


@dataclass(frozen=True)
class TrainingCheck:
    """The result of checking a plan: the data's statistics, a line for each requirement, and the
    usual `title` of the model."""

    data: AvailableData
    lines: tuple[CheckLine, ...]
    title: str = ""

    @property
    def able(self) -> bool:
        """Whether the training can be started."""
        return all(line.level is not Level.missing for line in self.lines)


class StageEstimate(NamedTuple):
    """The estimate for a stage: duration in seconds, peak memory in bytes."""

    name: str
    examples: int
    steps: int
    tokens_per_second: float
    seconds: float
    memory: int


@dataclass(frozen=True)
class TrainingEstimate:
    """The estimated duration in seconds and peak memory in bytes of a training on this machine."""

    device: str
    steps: int
    seconds: float
    memory: int
    stages: tuple[StageEstimate, ...]


class TrainingService:
    """Checks training plans and starts them. All methods block."""

    def __init__(self, home: Home, corpora: Corpora, runs: Runs) -> None:
        self._home = home
        self.corpora = corpora
        self.runs = runs

    def check(self, plan: TrainingPlan, task: Task) -> TrainingCheck:
        """Check the plan's requirements against the data and the models present.

        Raises LibraryError, TrainerError and TrainerFailed.
        """
        recipe = plan.on(Path())
        data = self.corpora.inspect(plan.data, task)
        found = check_requirements(plan.method, recipe.settings, data.stats)
        lines = [_SENTENCES[finding.need](finding, data, recipe.settings) for finding in found]
        lines += [*_unread(data), *self._check_base(recipe), *self._check_other_runs()]
        return TrainingCheck(data, tuple(lines), self.title(plan))

    def estimate(self, plan: TrainingPlan, task: Task) -> TrainingEstimate:
        """Estimate duration and memory by training a few steps. No corpus is saved.

        Raises LibraryError, TrainerError, TrainerFailed and Cancelled.
        """
        plan.on(Path())  # raises for invalid settings before any work
        with (
            self.corpora.temporary(plan.data, task) as corpus,
            tempfile.TemporaryDirectory() as folder,
        ):
            recipe = plan.on(corpus)
            Run.create(Path(folder), recipe)
            task.step(0, 0, tr("Starting the trainer"))
            answer = trainer.ask(["train", folder, "--dry-run"], self._home.folder, task)
        return _estimate(answer, runs_in_time(recipe, answer["seconds"]))

    def start(self, plan: TrainingPlan, task: Task) -> TrainingRun:
        """Freeze the papers in a corpus, and start the run under its name, else its usual title.

        Raises LibraryError, TrainerError, TrainerFailed and Cancelled.
        """
        for missing in self._check_base(plan.on(Path())):  # else the run would fail at once
            raise LibraryError(
                missing.text,
                missing.remedy_label or tr("Add the model first, or select another base model."),
            )
        recipe = self.recipe(plan, task)
        task.step(0, 0, tr("Starting the trainer"))
        return self.runs.start(recipe, recipe.title)

    def recipe(self, plan: TrainingPlan, task: Task) -> Recipe:
        """Freeze the papers in a corpus, and return the recipe for it.

        Raises LibraryError, TrainerError, TrainerFailed and Cancelled.
        """
        title = plan.name or self.title(plan)  # raises for invalid settings before any work
        return replace(plan.on(self.corpora.make(plan.data, task)), title=title)

    def write_job(self, plan: TrainingPlan, target: Path, task: Task) -> Path:
        """Write a job for another computer, as `remote_job.write_job` does. Raises as `recipe`."""
        return write_job(self.recipe(plan, task), self._home, target, task)

    def title(self, plan: TrainingPlan) -> str:
        """Return the usual title of the model: its base model, method and training data.

        Raises LibraryError for unknown data, and TrainerError for invalid settings.
        """
        recipe = plan.on(Path())
        method, data = plan.method.title, self._data_name(plan.data)
        if recipe.settings.get("from_scratch"):
            return tr("{method} on {data}", method=method, data=data)
        if recipe.method == "library":  # not "Library’s method": that reads as the user's
            return tr("{base} tuned on {data}", base=self._base_name(recipe.base), data=data)
        return tr(
            "{base} tuned by {method}’s method on {data}",
            base=self._base_name(recipe.base),
            method=method,
            data=data,
        )

    def _base_name(self, base: str) -> str:
        if base == STARTER:
            return STARTER_NAME
        name = Path(base).name
        folder = self._folder_of(base)
        if folder is None or not (folder / "package.json").is_file():
            return name
        try:
            title = read_package(folder, hashes=False).title
        except PackageRefused:
            return name
        return name if title == base else title  # the title of a model of the hub is its path

    def _data_name(self, data: TrainingData) -> str:
        if data.kind is TrainingDataKind.corpus:
            data = self.corpora.find(data.name).what
        if data.kind is TrainingDataKind.library:
            return tr("My library")
        return Path(data.name).name or data.name

    def _folder_of(self, base: str) -> Path | None:
        """Return the folder in which the trainer would find a base model; None if it is missing."""
        if base == STARTER:
            return starter_package(hashes=False).folder
        folders = (Path(base).expanduser(), self._home.models / base.replace("/", "--"))
        # An adapter has the config.json of its base model.
        return next(
            (f for f in folders if any((f / n).is_file() for n in ("config.json", "package.json"))),
            None,
        )

    def _check_base(self, recipe: Recipe) -> list[CheckLine]:
        base = recipe.base
        if folder := self._folder_of(base):
            try:
                return _check_length(max_positions(folder), recipe)
            except PackageRefused as refused:
                return [CheckLine(Level.missing, f"{refused} {refused.hint}".strip())]
        text = tr("The base model {name} is not installed.", name=base)
        if base.count("/") != 1 or base.startswith((".", "/", "~")):
            return [CheckLine(Level.missing, text)]
        return [CheckLine(Level.missing, text, Remedy.model, tr("Download base model"), model=base)]

    def _check_other_runs(self) -> list[CheckLine]:
        going = [training for training in self.runs.all() if training.status.is_active]
        if not going:
            return []
        text = tr(
            "{name} is still running. Two training runs at the same time take twice as long.",
            name=going[0].name,
        )
        return [CheckLine(Level.few, text)]


def _check_length(most: int | None, recipe: Recipe) -> list[CheckLine]:
    """Check that no text length in the recipe exceeds the base model's maximum, in tokens."""
    lines = []
    for name in ("max_tokens", "read_tokens"):
        asked = max(int(one.settings[name]) for _, one in recipe.combinations())
        if most is not None and asked > most:
            text = tr(
                "{name} supports at most {most:,} tokens per text, not {asked:,}.",
                name=recipe.base,
                most=most,
                asked=asked,
            )
            label = tr("Set {values}", values=f"{name} = {most}")
            lines.append(
                CheckLine(Level.missing, text, Remedy.settings, label, settings={name: most})
            )
    return lines


def _estimate(answer: Mapping[str, Any], combinations: int) -> TrainingEstimate:
    stages = tuple(
        StageEstimate(
            one["stage"], one["examples"], one["steps"], one["tokens_per_second"],
            one["seconds"], one["memory"],
        )
        for one in answer["stages"]
    )  # fmt: skip
    return TrainingEstimate(
        answer["device"],
        answer["steps"] * combinations,
        answer["seconds"] * combinations,
        answer["memory"],
        stages,
    )


def _abstracts(
    finding: Requirement, data: AvailableData, settings: Mapping[str, Value]
) -> CheckLine:
    papers = data.stats.papers
    if finding.level is Level.enough:
        text = trn(
            "{n:,} of {papers:,} papers has an abstract.",
            "{n:,} of {papers:,} papers have an abstract.",
            finding.have,
            papers=papers,
        )
        return CheckLine(Level.enough, text)
    text = trn(
        "Only {n:,} paper has an abstract – probably too few to train on.",
        "Only {n:,} papers have an abstract – probably too few to train on.",
        finding.have,
    )
    if not finding.have:
        text = tr("No paper has an abstract. Training requires abstracts.")
    return CheckLine(finding.level, text, Remedy.papers, tr("Fetch papers"))


def _citations(
    finding: Requirement, data: AvailableData, settings: Mapping[str, Value]
) -> CheckLine:
    unasked, count = data.unasked, finding.have
    if finding.level is Level.enough and data.estimated:
        text = trn("About {n:,} citation connects these papers.",
                   "About {n:,} citations connect these papers.", count)  # fmt: skip
    elif finding.level is Level.enough:
        text = trn("{n:,} citation connects these papers.",
                   "{n:,} citations connect these papers.", count)  # fmt: skip
    elif count:
        text = trn(
            "Only {n:,} citation connects these papers – probably too few to train on.",
            "Only {n:,} citations connect these papers – probably too few to train on.",
            count,
        )
    else:
        text = tr("No citation data yet.")
    if not unasked:
        return CheckLine(finding.level, text)
    label = trn("Fetch citations for {n:,} paper", "Fetch citations for {n:,} papers", len(unasked))
    return CheckLine(finding.level, text, Remedy.citations, label, papers=unasked)


def _venues(finding: Requirement, data: AvailableData, settings: Mapping[str, Value]) -> CheckLine:
    papers, year = settings.get("min_papers", 1), settings.get("recent_year", 0)
    if year:
        text = trn("{n:,} journal has at least {papers:,} papers, including one from {year}.",
                   "{n:,} journals have at least {papers:,} papers, including one from {year}.",
                   finding.have, papers=papers, year=year)  # fmt: skip
    else:
        text = trn("{n:,} journal has at least {papers:,} papers.",
                   "{n:,} journals have at least {papers:,} papers.",
                   finding.have, papers=papers)  # fmt: skip
    return _with_settings(
        finding, text, tr("Training requires at least two; more give better results.")
    )


def _fields(finding: Requirement, data: AvailableData, settings: Mapping[str, Value]) -> CheckLine:
    text = trn("{n:,} category has at least {papers:,} papers.",
               "{n:,} categories have at least {papers:,} papers.",
               finding.have, papers=settings.get("min_papers", 1))  # fmt: skip
    return _with_settings(
        finding, text, tr("Training requires at least two; more give better results.")
    )


def _questions(
    finding: Requirement, data: AvailableData, settings: Mapping[str, Value]
) -> CheckLine:
    text = trn("{n:,} question is answered by one of these papers.",
               "{n:,} questions are answered by these papers.", finding.have)  # fmt: skip
    return CheckLine(finding.level, text)


def _full_texts(
    finding: Requirement, data: AvailableData, settings: Mapping[str, Value]
) -> CheckLine:
    if finding.level is Level.enough:
        text = trn("{n:,} paper has a full text.", "{n:,} papers have a full text.", finding.have)
    elif finding.have:
        text = trn("Only {n:,} paper has a full text. The language model learns mostly from titles "
                   "and abstracts.",
                   "Only {n:,} papers have a full text. The language model learns mostly from "
                   "titles and abstracts.", finding.have)  # fmt: skip
    else:
        text = tr("Without full texts, the language model learns from titles and abstracts only.")
    return CheckLine(finding.level, text)


def _unread(data: AvailableData) -> list[CheckLine]:
    """Name the PDFs that have no text to train on."""
    if not data.unread:
        return []
    names = [Path(path).name for path in data.unread[:_NAMED_FILES]]
    if more := len(data.unread) - len(names):
        names.append(trn("{n:,} more", "{n:,} more", more))
    text = trn("{n:,} PDF has no text and is left out: {names}",
               "{n:,} PDFs have no text and are left out: {names}",
               len(data.unread), names=format_list(names))  # fmt: skip
    return [CheckLine(Level.few, text)]


def _with_settings(finding: Requirement, text: str, need: str) -> CheckLine:
    if finding.level is Level.enough:
        return CheckLine(Level.enough, text)
    if not finding.settings:
        return CheckLine(finding.level, f"{text} {need}", Remedy.papers, tr("Fetch papers"))
    values = ", ".join(f"{name} = {value}" for name, value in finding.settings.items())
    label = tr("Set {values}", values=values)
    text = f"{text} {need}"
    return CheckLine(finding.level, text, Remedy.settings, label, settings=finding.settings)


_SENTENCES = {
    Need.abstracts: _abstracts,
    Need.citations: _citations,
    Need.venues: _venues,
    Need.fields: _fields,
    Need.questions: _questions,
    Need.full_texts: _full_texts,
}

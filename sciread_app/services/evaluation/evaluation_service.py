"""Evaluation of models by the trainer: the candidates, the data, and the reports' folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sciread_app.domain.training import TrainingData
from sciread_app.errors import LibraryError
from sciread_app.language import format_list, tr
from sciread_app.paths import Home
from sciread_app.services.evaluation.leaderboard import Leaderboard, Scores
from sciread_app.services.models.registry import ModelRegistry
from sciread_app.services.subprocess.trainer import ask
from sciread_app.services.training.corpora import Corpora
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused
from trainer.contract.package import STARTER, read_package
from trainer.contract.suites import CUSTOM, suite_spec

LOCAL = "local"
_HTML = "report.html"
# Baselines, by their names in the trainer, and their titles.
BASELINES: Mapping[str, str] = {
    "tf-idf": "TF-IDF",
    "bm25": "BM25",
    "random": tr("Random"),
}


class EvaluationCandidate(NamedTuple):
    """A subject of evaluation. `key` is the name of a model, a training or a baseline."""

    key: str
    title: str
    kind: str  # "model", "run" or "baseline"
    space: str = ""


class FailedTask(NamedTuple):
    """A task that could not run for a model that has results of other tasks."""

    model: str  # its title
    task: str
    reason: str


@dataclass(frozen=True)
class EvaluationOutcome:
    """The outcome of an evaluation: the folder of the board, and each model's report by its key.

    `failed` gives the reason for each model without any result, `absent` for each task without
    data, both by name.
    """

    board: Path
    reports: Mapping[str, Path]
    failed: Mapping[str, str]
    absent: Mapping[str, str]
    failed_tasks: Sequence[FailedTask] = ()

    def remarks(self) -> list[str]:
        """The failures, one sentence each. A task that failed for the same reason for several
        models is listed once."""
        models: dict[tuple[str, str], list[str]] = {}
        for failed in self.failed_tasks:
            models.setdefault((failed.task, failed.reason), []).append(failed.model)
        alone = len(self.reports) == 1
        return [
            *(tr("Could not evaluate {model}: {why}", model=name, why=why)
              for name, why in self.failed.items()),
            *(
                tr("Could not run {task}: {why}", task=task, why=why)
                if alone
                else tr(
                    "Could not run {task} for {models}: {why}",
                    task=task,
                    models=format_list(names),
                    why=why,
                )
                for (task, why), names in models.items()
            ),
        ]  # fmt: skip


class EvaluationService:
    """Evaluates models in a process of the trainer.

    After being stopped or killed at any moment, the same call continues: finished results and
    vectors are kept.
    """

    def __init__(self, home: Home, models: ModelRegistry, corpora: Corpora, scores: Scores) -> None:
        self._home = home
        self._models = models
        self._corpora = corpora
        self._scores = scores

    def candidates(self) -> list[EvaluationCandidate]:
        """Return the models, then trainings whose model was not added, then baselines."""
        models = [
            EvaluationCandidate(model.name, model.title, "model", model.space)
            for model in self._models.all()
            if not model.problem
        ]
        known = {model.space for model in models}
        runs = [run for run in self._runs() if run.space not in known]
        return [
            *models,
            *runs,
            *(EvaluationCandidate(key, title, "baseline") for key, title in BASELINES.items()),
        ]

    def evaluate(
        self, names: Sequence[str], suite: str, data: TrainingData | Path | None, task: Task
    ) -> EvaluationOutcome:
        """Evaluate models by a suite, named by its key or by the path of a SUITE.toml.

        `data` are training data for the local suite, which are frozen in a corpus, and the folder
        of published data for other suites. Raises LibraryError, TrainerError for an unknown suite,
        TrainerFailed and Cancelled.
        """
        models = [self._place(name) for name in names]
        own = Path(suite).expanduser()
        if own.name == CUSTOM or own.is_dir():
            suite, folder = str(own.absolute()), None
        else:
            suite, folder = suite_spec(suite).key, self._folder(suite, data, task)
        board = self._scores.place(suite, folder)
        where = [f"--corpus={folder}"] if folder else []
        arguments = ["evaluate", *models, f"--suite={suite}", *where, f"--output={board}"]
        answer = ask([*arguments, "--beside"], self._home.folder, task)
        return EvaluationOutcome(
            board,
            {str(key): Path(value) for key, value in answer["reports"].items()},
            dict(answer["failed"]),
            dict(answer["absent"]),
            [FailedTask(one["title"], one["task"], one["why"]) for one in answer["failed_tasks"]],
        )

    def write_page(self, boards: Sequence[Leaderboard], file: Path, task: Task) -> None:
        """Write the scores as a self-contained HTML page. Raises TrainerFailed and Cancelled."""
        folders = [str(stored.folder.absolute()) for board in boards for stored in board.reports]
        unfinished = file.with_name(f".{file.name}.new")
        try:
            ask(["page", *folders, f"--output={unfinished}"], self._home.folder, task)
            (unfinished / _HTML).replace(file)
        finally:
            for left in unfinished.glob("*"):
                left.unlink()
            if unfinished.is_dir():
                unfinished.rmdir()

    def _folder(self, suite: str, data: TrainingData | Path | None, task: Task) -> Path:
        if isinstance(data, TrainingData):
            if suite != LOCAL:
                raise LibraryError(
                    tr("The benchmark {suite} uses published data.", suite=suite),
                    tr(
                        "Specify the folder of the data. It must contain: {files}",
                        files=suite_spec(suite).needs,
                    ),
                )
            return self._corpora.make(data, task).absolute()
        if data is None or not data.expanduser().is_dir():
            needs = tr(
                "The benchmark {suite} needs: {files}", suite=suite, files=suite_spec(suite).needs
            )
            if data is None:
                raise LibraryError(tr("No data folder is specified."), needs)
            raise LibraryError(tr("The folder {folder} does not exist.", folder=data), needs)
        return data.expanduser().absolute()

    def _place(self, name: str) -> str:
        """Return the argument by which the trainer finds a candidate. Raises LibraryError."""
        if name in BASELINES or name == STARTER:
            return name
        if any(run.key == name for run in self._runs()):
            return str((self._home.runs / name / "package").absolute())
        if (folder := Path(name).expanduser()).is_dir():
            return str(folder.absolute())
        model = self._models.find(name)
        if model.problem:
            raise LibraryError(model.problem, model.hint)
        return model.name if model.ours else str((self._home.models / model.name).absolute())

    def _runs(self) -> list[EvaluationCandidate]:
        """Return the training runs that have a model."""
        found = []
        for folder in sorted(self._home.runs.glob("*/package")):
            try:
                package = read_package(folder, hashes=False)
            except PackageRefused:
                continue
            found.append(
                EvaluationCandidate(folder.parent.name, package.title, "run", package.space)
            )
        return found

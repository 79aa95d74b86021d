"""Commands for training: check the data, start, follow, stop, resume and import runs."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sciread_app.cli import views
from sciread_app.cli.command import DONE, FAILED, app, command
from sciread_app.console import Console
from sciread_app.domain.training import TrainingData, TrainingDataKind
from sciread_app.errors import BadQuery
from sciread_app.language import tr, trn
from sciread_app.services.models.model_card import CardScore
from sciread_app.services.training.remote_job import write_job
from sciread_app.services.training.run_monitor import RunMonitor, RunProgress
from sciread_app.services.training.runs import Runs, RunStatus, TrainingRun
from sciread_app.services.training.training_service import (
    CheckLine,
    Remedy,
    TrainingCheck,
    TrainingEstimate,
    TrainingPlan,
)
from sciread_app.tasks import Task
from sciread_app.workspace import Workspace
from trainer.contract.catalog import METHODS
from trainer.contract.corpus_stats import Level, check_requirements

_STATUS_LABELS = {
    RunStatus.starting: tr("starting"),
    RunStatus.running: tr("running"),
    RunStatus.stopping: tr("stopping"),
    RunStatus.stopped: tr("stopped"),
    RunStatus.interrupted: tr("interrupted"),
    RunStatus.failed: tr("failed"),
    RunStatus.finished: tr("finished"),
}
_MARKS = {Level.enough: ("✓", "green"), Level.few: ("!", "yellow"), Level.missing: ("✗", "red")}
_STYLES = {RunStatus.failed: "red", RunStatus.finished: "green", RunStatus.running: "bold"}

GROUP = typer.Typer(help="Train a model on your own papers.", no_args_is_help=True)
app.add_typer(GROUP, name="train")
train_command = partial(command, group=GROUP, create=True)

POLL_INTERVAL = 0.3  # seconds between two reads of the events of a run that is followed

Recipe = Annotated[
    str, typer.Argument(help="Recipe, such as specter-small (see `sciread-trainer methods`).")
]
On = Annotated[
    str,
    typer.Option(
        "--on",
        help="Training data: collection:NAME, a folder or file of papers, or the name or folder of "
        "a saved dataset (default: the library).",
    ),
]
FullText = Annotated[
    bool, typer.Option("--full-text", help="Use the full text of PDFs as well, or that in files.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a setting. KEY=A,B tries both."),
]
Seed = Annotated[int, typer.Option(help="Random seed.")]
Name = Annotated[str, typer.Argument(help="Name of the training run (see `sciread train list`).")]


@train_command
def check(
    workspace: Workspace,
    console: Console,
    recipe: Annotated[str, typer.Argument(help="Recipe to check (default: all).")] = "",
    on: On = "",
    full_text: FullText = False,
    changes: Changes = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Run a few steps to estimate time and memory.")
    ] = False,
) -> int:
    """Check whether the data is sufficient for training, and how to get missing data.

    Exit code 1 means that the training cannot start.
    """
    with console.progress(tr("Checking")) as task:
        if not recipe:
            return _check_all(workspace, _data(on, full_text), task, console)
        plan = TrainingPlan(data=_data(on, full_text), recipe=recipe, changes=_settings(changes))
        found = workspace.training.check(plan, task)
        taken = workspace.training.estimate(plan, task) if estimate and found.able else None
    console.print(_check_report(found, taken))
    console.print_json(_check_as_value(found, taken))
    return DONE if found.able else FAILED


@train_command
def start(
    workspace: Workspace,
    console: Console,
    recipe: Recipe,
    on: On = "",
    full_text: FullText = False,
    changes: Changes = None,
    seed: Seed = 1,
    name: Annotated[
        str, typer.Option(help="Name of the training run (default: base model, method and data).")
    ] = "",
    follow: Annotated[bool, typer.Option("--follow", help="Show the progress.")] = False,
) -> int:
    """Start a training run. It continues when you close the window or the terminal."""
    plan = TrainingPlan(
        data=_data(on, full_text),
        recipe=recipe,
        changes=_settings(changes),
        seed=seed,
        name=name,
    )
    with console.progress(tr("Preparing")) as task:
        begun = workspace.training.start(plan, task)
    if follow:
        return _follow(workspace.training.runs, begun.name, console)
    console.print(tr("Started {name}.", name=escape(begun.name)))
    console.print(
        tr(
            "To see the progress, run: sciread train follow {name}",
            name=escape(shlex.quote(begun.name)),
        )
    )
    console.print_json(_training_as_value(begun))
    return DONE


@train_command
def job(
    workspace: Workspace,
    console: Console,
    recipe: Recipe,
    file: Annotated[Path, typer.Argument(help="Folder or .zip file to write.")],
    on: On = "",
    full_text: FullText = False,
    changes: Changes = None,
    seed: Seed = 1,
) -> None:
    """Export a training job for a computer with a GPU, where `sh train.sh` runs it.

    Afterwards, import the results with `sciread train open`.
    """
    data = _data(on, full_text)
    plan = TrainingPlan(data=data, recipe=recipe, changes=_settings(changes), seed=seed)
    with console.progress(tr("Exporting")) as task:
        planned = workspace.training.recipe(plan, task)
        written = write_job(planned, workspace.home, file, task)
    console.print(
        tr(
            "Exported the job to {file}. To train the model, copy the job to the other computer "
            "and run there: sh train.sh",
            file=escape(str(written)),
        )
    )
    console.print_json({"job": str(written), "recipe": planned.name})


@train_command
def list_(workspace: Workspace, console: Console) -> None:
    """List the training runs and their status."""
    found = workspace.training.runs.all()
    console.print(_table(found))
    console.print_json([_training_as_value(training) for training in found])


@train_command
def follow(workspace: Workspace, console: Console, name: Name) -> int:
    """Show the progress of a training run until it ends. Ctrl-C does not stop the run.

    Exit code 1 means that the run ended without a model.
    """
    return _follow(workspace.training.runs, name, console)


@train_command
def stop(workspace: Workspace, console: Console, name: Name) -> None:
    """Save a checkpoint of a training run, and stop it."""
    with console.progress(tr("Stopping")) as task:
        runs = workspace.training.runs
        stopped = runs.stop(name)
        while stopped.status.is_active:
            task.wait(POLL_INTERVAL, "")
            stopped = runs.find(name)
    how = _STATUS_LABELS[stopped.status]
    console.print(tr("{name}: {status} at step {step:,}", name=escape(name), status=how,
                   step=stopped.step))  # fmt: skip
    console.print_json(_training_as_value(stopped))


@train_command
def resume(
    workspace: Workspace,
    console: Console,
    name: Name,
    follow: Annotated[bool, typer.Option("--follow", help="Show the progress.")] = False,
) -> int:
    """Resume a training run that was stopped, was interrupted or failed."""
    runs = workspace.training.runs
    begun = runs.resume(name)
    if follow:
        return _follow(runs, name, console)
    console.print(f"{escape(name)}: {_STATUS_LABELS[begun.status]}")
    console.print_json(_training_as_value(begun))
    return DONE


GROUP.command("go-on", hidden=True)(resume)  # the name of `resume` in earlier versions


@train_command
def open_(
    workspace: Workspace,
    console: Console,
    source: Annotated[
        Path, typer.Argument(help="Folder or zip file of a training run or job, or a name.")
    ],
) -> int:
    """Import a training run from another computer, and add its model.

    Exit code 1 means that the training run failed.
    """
    with console.progress(tr("Importing")) as task:
        named = workspace.home.runs / source.name
        known = len(source.parts) == 1 and named.is_dir() and not source.exists()
        done = workspace.run_importer.open(named if known else source, task)
    training = done.training
    console.print(f"{escape(training.name)}: {_STATUS_LABELS[training.status]}")
    if training.problem:
        console.warn(f"{training.problem} {training.hint}".strip())
    if done.model:
        console.print(tr("Added the model as {name}.", name=escape(done.model)))
        console.print(
            tr(
                "To use the model for search, run: sciread model activate {name}",
                name=escape(done.model),
            )
        )
    console.print_json(_training_as_value(training) | {"model": done.model, "new": done.new})
    return FAILED if training.status is RunStatus.failed else DONE


@train_command
def log(workspace: Workspace, console: Console, name: Name) -> None:
    """Show the log of a training run."""
    text = workspace.training.runs.log(name)
    if not console.as_json:
        typer.echo(text)
    console.print_json({"name": name, "log": text})


@train_command
def remove(workspace: Workspace, console: Console, name: Name) -> None:
    """Delete a training run with its checkpoints. A model created from it is kept."""
    workspace.training.runs.remove(name)
    console.print(tr("Deleted {name}.", name=escape(name)))
    console.print_json({"removed": name})


def _check_all(workspace: Workspace, data: TrainingData, task: Task, console: Console) -> int:
    available = workspace.corpora.inspect(data, task)
    shown = views.table(tr("recipe"), tr("description"), tr("missing"), tr("too few"))
    answer = []
    for spec in METHODS:
        for name, known in spec.recipes.items():
            found = check_requirements(spec, spec.resolve(name), available.stats)
            lacks, little = (
                [one.need.value for one in found if one.level is level]
                for level in (Level.missing, Level.few)
            )
            shown.add_row(name, known.summary, ", ".join(lacks), ", ".join(little))
            answer.append({"recipe": name, "lacks": lacks, "has_little": little})
    console.print(shown)
    console.print_json(answer)
    return DONE


def _follow(runs: Runs, name: str, console: Console) -> int:
    """Show the progress of a run until it ends or Ctrl-C is pressed, and return the exit code."""
    training = runs.find(name)
    monitor = RunMonitor(training.folder)
    try:
        with console.progress(escape(name)) as task:
            while True:
                progress = monitor.look()
                training = runs.find(name)
                task.step(training.step, training.steps, _note(progress))
                if not training.status.is_active:
                    break
                time.sleep(POLL_INTERVAL)
    except KeyboardInterrupt:
        console.print(tr("{name} continues in the background.", name=escape(name)))
        return DONE
    console.print(f"{escape(name)}: {_STATUS_LABELS[training.status]}")
    if training.problem:
        console.print_error(training.problem, training.hint)
    found = runs.scores(name)
    console.print(_scores(found))
    if not training.problem:
        console.print_json(_run_as_value(training, progress, found))
    return DONE if training.status is RunStatus.finished else FAILED


def _note(progress: RunProgress) -> str:
    loss = progress.latest.get("loss")
    return "" if not isinstance(loss, int | float) else tr("loss {loss}", loss=f"{loss:.4f}")


def _data(on: str, full_text: bool) -> TrainingData:
    """Return the training data named by --on. The full texts of a saved dataset are always used."""
    if not on or on == TrainingDataKind.library.value:
        return TrainingData(full_text=full_text)
    kind, colon, name = on.partition(":")
    if colon and kind == TrainingDataKind.collection.value:
        return TrainingData(TrainingDataKind.collection, name, full_text)
    path = Path(on).expanduser()
    if path.exists() and not (path / "corpus.json").is_file():
        return TrainingData(TrainingDataKind.files, str(path.absolute()), full_text)
    return TrainingData(TrainingDataKind.corpus, str(path.absolute()) if path.exists() else on)


def _settings(changes: list[str] | None) -> dict[str, Any]:
    """Return the settings of --set; comma-separated values become a list. Raises BadQuery."""
    found: dict[str, Any] = {}
    for change in changes or ():
        name, equals, value = change.partition("=")
        if not equals or not name:
            raise BadQuery(
                tr("--set {text} has no value.", text=change), tr("Use --set KEY=VALUE.")
            )
        several = [one.strip() for one in value.strip("[]").split(",")]
        found[name] = several if len(several) > 1 and name != "exclude" else value
    return found


def _check_report(found: TrainingCheck, estimate: TrainingEstimate | None) -> RenderableType:
    lines: list[RenderableType] = [_line(line) for line in found.lines]
    if estimate:
        lines.append(Text(_estimate_text(estimate)))
    return Group(*lines)


def _line(line: CheckLine) -> RenderableType:
    mark, colour = _MARKS[line.level]
    text = Text.assemble((f"{mark} ", colour), line.text)
    if not line.remedy:
        return text
    return Text.assemble(text, (f" {line.remedy_label}: `{_command(line)}`.", "dim"))


def _command(line: CheckLine) -> str:
    """Return the command or the options that supply what is missing."""
    if line.remedy is Remedy.settings:
        return " ".join(f"--set {name}={value}" for name, value in line.settings.items())
    if line.remedy is Remedy.model:
        return f"sciread model add {line.model}"
    return "sciread fetch citations" if line.remedy is Remedy.citations else "sciread fetch"


def _estimate_text(estimate: TrainingEstimate) -> str:
    """Return the estimated steps, duration and memory as a sentence."""
    steps = trn("{n:,} step", "{n:,} steps", estimate.steps)
    return tr(
        "{steps}, about {duration} on {device}, {memory} GB of memory.",
        steps=steps,
        duration=_duration(estimate.seconds),
        device=estimate.device,
        memory=f"{estimate.memory / 1e9:.1f}",
    )


def _check_as_value(found: TrainingCheck, estimate: TrainingEstimate | None) -> dict[str, Any]:
    lines = [
        {
            "level": line.level.value,
            "text": line.text,
            "remedy": line.remedy.value if line.remedy else None,
            "verb": line.remedy_label,
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


def _table(found: Sequence[TrainingRun]) -> RenderableType:
    if not found:
        return Text(tr("No training runs yet. To check your data, run: sciread train check"))
    columns = (
        tr("name"),
        tr("method"),
        tr("papers"),
        tr("step"),
        tr("loss"),
        tr("status"),
        tr("started"),
    )
    shown = views.table(*columns)
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
    label = _STATUS_LABELS[one.status]
    if one.left:
        label = tr("{status}, {duration} left", status=label, duration=_duration(one.left))
    return f"{label}: {one.problem}" if one.problem else label


def _training_as_value(one: TrainingRun) -> dict[str, Any]:
    value = asdict(one) | {"standing": one.status.value}
    del value["status"]
    for name in ("began", "at"):
        moment = value[name] and datetime.fromtimestamp(value[name], UTC)
        value[name] = moment.isoformat(timespec="seconds") if moment else None
    del value["losses"]
    return value


def _scores(found: Sequence[CardScore]) -> RenderableType:
    """Return a table of the trained model's scores and those of its base model."""
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("", tr("base model"), tr("trained")):
        shown.add_column(name, justify="right" if name else "left")
    shown.add_column("")
    for score in found:
        doubt = Text(tr("not significant") if score.chance else "", style="dim")
        shown.add_row(Text(f"{score.title}: {score.metric}"), score.before, score.value, doubt)
    return shown if found else Text()


def _run_as_value(
    one: TrainingRun, progress: RunProgress, found: Sequence[CardScore]
) -> dict[str, Any]:
    return _training_as_value(one) | {
        "scores": [asdict(score) for score in found],
        "validations": [validation._asdict() for validation in progress.validations],
        "seconds": progress.seconds,
    }


def _duration(seconds: float) -> str:
    """Format a duration: 45 s, 12 min, 3 h 20 min."""
    minutes = round(seconds / 60)
    if minutes < 2:
        return tr("{seconds} s", seconds=max(1, round(seconds)))
    if minutes < 100:
        return tr("{minutes} min", minutes=minutes)
    return tr("{hours} h {minutes} min", hours=minutes // 60, minutes=minutes % 60)

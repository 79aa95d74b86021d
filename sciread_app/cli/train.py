"""Commands for training: check the data, start, follow, stop, resume and import runs."""

from __future__ import annotations

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
from sciread_app.domain.training import LIBRARY, TrainingData, TrainingDataKind
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

GROUP = typer.Typer(help="Teach a model with your own papers.", no_args_is_help=True)
app.add_typer(GROUP, name="train")
train_command = partial(command, group=GROUP, create=True)

POLL_INTERVAL = 0.3  # seconds between two reads of the events of a run that is followed

Recipe = Annotated[
    str, typer.Argument(help="A recipe (see `sciread-trainer methods`), such as specter-small.")
]
On = Annotated[
    str,
    typer.Option(
        "--on",
        help="What it learns from: collection:NAME, a folder or file of papers, or a corpus by its "
        "name or folder; else the library.",
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; A,B tries both."),
]
Seed = Annotated[int, typer.Option(help="Of all chance.")]
Name = Annotated[str, typer.Argument(help="Its name, as `sciread train list` shows it.")]


@train_command
def check(
    workspace: Workspace,
    console: Console,
    recipe: Annotated[str, typer.Argument(help="A recipe; else all are looked at.")] = "",
    on: On = "",
    changes: Changes = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Also say how long it takes, by some steps.")
    ] = False,
) -> int:
    """Say whether there is what a training needs, and how to get what is missing.

    Exit code 1 means that it could not begin.
    """
    with console.progress(tr("Looking")) as task:
        if not recipe:
            return _check_all(workspace, _data(on), task, console)
        plan = TrainingPlan(data=_data(on), recipe=recipe, changes=_settings(changes))
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
    changes: Changes = None,
    seed: Seed = 1,
    name: Annotated[str, typer.Option(help="What the training is called.")] = "",
    follow: Annotated[bool, typer.Option("--follow", help="Stay and watch.")] = False,
) -> int:
    """Begin a training. It goes on by itself, also when the window or the terminal is closed."""
    plan = TrainingPlan(
        data=_data(on), recipe=recipe, changes=_settings(changes), seed=seed, name=name
    )
    with console.progress(tr("Preparing")) as task:
        begun = workspace.training.start(plan, task)
    if follow:
        return _follow(workspace.training.runs, begun.name, console)
    console.print(tr("{name} has begun.", name=escape(begun.name)))
    console.print(tr("`sciread train follow '{name}'` shows how it goes.", name=escape(begun.name)))
    console.print_json(_training_as_value(begun))
    return DONE


@train_command
def job(
    workspace: Workspace,
    console: Console,
    recipe: Recipe,
    file: Annotated[Path, typer.Argument(help="The folder to make, or a .zip.")],
    on: On = "",
    changes: Changes = None,
    seed: Seed = 1,
) -> None:
    """Write a training for a computer with a GPU: one folder, in which `sh train.sh` trains it.

    When it comes back, `sciread train open` takes in what it has made.
    """
    plan = TrainingPlan(data=_data(on), recipe=recipe, changes=_settings(changes), seed=seed)
    with console.progress(tr("Writing")) as task:
        planned = workspace.training.recipe(plan, task)
        written = write_job(planned, workspace.home, file, task)
    console.print(tr("The job is in {file}. There: sh train.sh", file=escape(str(written))))
    console.print_json({"job": str(written), "recipe": planned.name})


@train_command
def list_(workspace: Workspace, console: Console) -> None:
    """List the trainings, and how each stands."""
    found = workspace.training.runs.all()
    console.print(_table(found))
    console.print_json([_training_as_value(training) for training in found])


@train_command
def follow(workspace: Workspace, console: Console, name: Name) -> int:
    """Watch a training until it ends. Ctrl-C ends the watching, not the training.

    Exit code 0 means that there is a model.
    """
    return _follow(workspace.training.runs, name, console)


@train_command
def stop(workspace: Workspace, console: Console, name: Name) -> None:
    """Let a training save what it has learned, and leave."""
    with console.progress(tr("Stopping")) as task:
        runs = workspace.training.runs
        stopped = runs.stop(name)
        while stopped.status.is_active:
            task.wait(POLL_INTERVAL, "")
            stopped = runs.find(name)
    how = _STATUS_LABELS[stopped.status]
    console.print(tr("{name} {stands} at step {step:,}.", name=escape(name), stands=how,
                   step=stopped.step))  # fmt: skip
    console.print_json(_training_as_value(stopped))


@train_command
def go_on(
    workspace: Workspace,
    console: Console,
    name: Name,
    follow: Annotated[bool, typer.Option("--follow", help="Stay and watch.")] = False,
) -> int:
    """Go on with a training that was stopped or interrupted, or has failed, where it was."""
    runs = workspace.training.runs
    begun = runs.resume(name)
    if follow:
        return _follow(runs, name, console)
    console.print(f"{escape(name)} {_STATUS_LABELS[begun.status]}.")
    console.print_json(_training_as_value(begun))
    return DONE


@train_command
def open_(
    workspace: Workspace,
    console: Console,
    source: Annotated[
        Path, typer.Argument(help="A run's folder, a job's, or either as a zip; or a name.")
    ],
) -> int:
    """Bring in a training that was made elsewhere, and take its model in.

    Exit code 1 means that the training had failed.
    """
    with console.progress(tr("Opening")) as task:
        named = workspace.home.runs / source.name
        known = len(source.parts) == 1 and named.is_dir() and not source.exists()
        done = workspace.run_importer.open(named if known else source, task)
    training = done.training
    console.print(f"{escape(training.name)} {_STATUS_LABELS[training.status]}.")
    if training.problem:
        console.warn(f"{training.problem} {training.hint}".strip())
    if done.model:
        console.print(tr("Its model is here, as {name}.", name=escape(done.model)))
        console.print(
            tr("`sciread model activate {name}` lets it answer.", name=escape(done.model))
        )
    console.print_json(_training_as_value(training) | {"model": done.model, "new": done.new})
    return FAILED if training.status is RunStatus.failed else DONE


@train_command
def log(workspace: Workspace, console: Console, name: Name) -> None:
    """Show what a training has said."""
    text = workspace.training.runs.log(name)
    if not console.as_json:
        typer.echo(text)
    console.print_json({"name": name, "log": text})


@train_command
def remove(workspace: Workspace, console: Console, name: Name) -> None:
    """Delete a training with its checkpoints. A model that was made of it stays."""
    workspace.training.runs.remove(name)
    console.print(tr("{name} is removed.", name=escape(name)))
    console.print_json({"removed": name})


def _check_all(workspace: Workspace, data: TrainingData, task: Task, console: Console) -> int:
    available = workspace.corpora.inspect(data, task)
    shown = views.table(tr("recipe"), tr("what it is"), tr("lacks"), tr("has little"))
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
    follower = RunMonitor(training.folder)
    try:
        with console.progress(escape(name)) as task:
            while True:
                progress = follower.look()
                training = runs.find(name)
                task.step(training.step, training.steps, _note(progress))
                if not training.status.is_active:
                    break
                time.sleep(POLL_INTERVAL)
    except KeyboardInterrupt:
        console.print(tr("{name} goes on without you.", name=escape(name)))
        return DONE
    console.print(f"{escape(name)} {_STATUS_LABELS[training.status]}.")
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


def _data(on: str) -> TrainingData:
    """Return the training data named by --on."""
    if not on or on == TrainingDataKind.library.value:
        return LIBRARY
    kind, colon, name = on.partition(":")
    if colon and kind == TrainingDataKind.collection.value:
        return TrainingData(TrainingDataKind.collection, name)
    path = Path(on).expanduser()
    if path.exists() and not (path / "corpus.json").is_file():
        return TrainingData(TrainingDataKind.files, str(path.absolute()))
    return TrainingData(TrainingDataKind.corpus, str(path.absolute()) if path.exists() else on)


def _settings(changes: list[str] | None) -> dict[str, Any]:
    """Return the settings of --set; comma-separated values become a list. Raises BadQuery."""
    found: dict[str, Any] = {}
    for change in changes or ():
        name, equals, value = change.partition("=")
        if not equals or not name:
            raise BadQuery(
                tr("--set {text} says no value.", text=change), tr("Write it as --set KEY=VALUE.")
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
        return Text(tr("Nothing was trained yet; begin with `sciread train check`."))
    columns = (tr("name"), tr("method"), tr("papers"), tr("step"), tr("loss"), "", tr("when"))
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
        label = tr("{standing}, {duration} left", standing=label, duration=_duration(one.left))
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
    for name in ("", tr("before"), tr("now")):
        shown.add_column(name, justify="right" if name else "left")
    shown.add_column("")
    for score in found:
        doubt = Text(tr("may be chance") if score.chance else "", style="dim")
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

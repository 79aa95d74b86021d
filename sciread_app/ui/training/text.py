"""Texts of the training page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from sciread_app.domain.training import TrainingDataKind
from sciread_app.language import format_day, format_moment, tr, trn
from sciread_app.services.training.corpora import SavedCorpus
from sciread_app.services.training.run_monitor import RunProgress
from sciread_app.services.training.runs import RunStatus, TrainingRun
from sciread_app.services.training.training_service import TrainingEstimate
from sciread_app.ui.formatting import duration, file_size
from sciread_app.ui.setting_labels import base_label, choice_label, setting_label
from trainer.contract.catalog import Need, recipe_of
from trainer.contract.corpus_stats import CorpusStats
from trainer.contract.errors import TrainerError
from trainer.contract.package import STARTER
from trainer.contract.settings import Setting, Value

if TYPE_CHECKING:
    from sciread_app.services.ingest.lookup.citation_fetcher import CitationFetchReport

STOPPING = tr("Save a checkpoint and stop. You can resume later.")
# Translators: the state of a training run, in one word
STATUS_LABELS = {
    RunStatus.starting: tr("Starting"),
    RunStatus.running: tr("Running"),
    RunStatus.stopping: tr("Stopping"),
    RunStatus.stopped: tr("Stopped"),
    RunStatus.interrupted: tr("Interrupted"),
    RunStatus.failed: tr("Failed"),
    RunStatus.finished: tr("Finished"),
}
# The style of each status, in the list and the view.
KINDS = {
    RunStatus.running: "good", RunStatus.starting: "good", RunStatus.finished: "good",
    RunStatus.failed: "problem", RunStatus.interrupted: "warning", RunStatus.stopped: "warning",
}  # fmt: skip
# Translators: what a method needs: papers with these
NEEDS = {
    Need.abstracts: tr("abstracts"),
    Need.citations: tr("citations"),
    Need.venues: tr("journals"),
    Need.fields: tr("categories"),
    Need.questions: tr("questions"),
    Need.full_texts: tr("full texts"),
}


def corpus_title(corpus: SavedCorpus) -> str:
    """The title and date of a corpus."""
    day = format_day(corpus.made)
    what = corpus.what
    if what.kind is TrainingDataKind.library:
        title = tr("Library, {day}", day=day)
    elif what.kind is TrainingDataKind.collection:
        title = tr("{collection}, {day}", collection=what.name, day=day)
    else:
        title = f"{what.name or corpus.id}, {day}"
    # Translators: a dataset that has the full texts of papers
    return tr("{title}, with full texts", title=title) if what.full_text else title


def below(training: TrainingRun) -> str:
    """The second line of a run in the list."""
    if training.problem:
        return training.problem
    parts = [training.method or training.recipe]
    if training.status is RunStatus.running and training.left:
        parts.append(tr("{duration} left", duration=duration(training.left)))
    elif training.status.is_active:
        parts.append(_steps(training))
    elif training.status is RunStatus.finished:
        parts.append(when(training.at))
    else:
        parts += [_steps(training), when(training.at)]
    return " · ".join(filter(None, parts))


def when(moment: float) -> str:
    """The date, or the time if it is today."""
    if not moment:
        return ""
    then = datetime.fromtimestamp(moment)
    if then.date() == datetime.now().date():
        return f"{then:%H:%M}"
    return format_day(then)


def made_of(training: TrainingRun) -> str:
    """Method, base model and data, as in "SPECTER from the starter model, on 19,842 papers"."""
    method, base = training.method, base_label(training.base)
    if not training.papers:
        return tr("{method} from {base}", method=method, base=base)
    return trn(
        "{method} from {base}, on {n:,} paper",
        "{method} from {base}, on {n:,} papers",
        training.papers,
        method=method,
        base=base,
    )


def is_evaluating(training: TrainingRun) -> bool:
    """Whether all steps are done, and the model is evaluated, which takes unknown time."""
    return training.status is RunStatus.running and 0 < training.steps <= training.step


def progress_text(training: TrainingRun, progress: RunProgress) -> str:
    """The progress, as in "Step 120 of 330 · 4 min left"."""
    if training.status is RunStatus.starting:
        return tr("Starting: loading the trainer and tokenizing the texts")
    if training.status is RunStatus.stopping:
        return tr("Stopping: saving a checkpoint")
    if progress.steps and progress.step >= progress.steps:
        return tr("All steps are done. Evaluating the model…")
    parts = [
        tr("Step {step:,} of {steps:,}", step=training.step, steps=training.steps)
        if training.steps
        else ""
    ]
    if progress.parts:
        parts.insert(0, tr("Trial {number} of {parts}: {what}", number=progress.number,
                           parts=progress.parts, what=progress.part))  # fmt: skip
    if len(progress.stages) > 1:
        parts.append(tr("stage {stage}", stage=progress.stage))
    if training.left:
        parts.append(tr("{duration} left", duration=duration(training.left)))
    return " · ".join(filter(None, parts))


def tiles(training: TrainingRun, progress: RunProgress) -> list[tuple[str, str]]:
    """Current numbers with their labels."""
    now = progress.latest
    found: list[tuple[str, str]] = []
    for name, title, shown in (
        ("loss", tr("Loss"), lambda loss: f"{loss:.4f}"),
        ("learning_rate", tr("Learning rate"), scientific),
        ("tokens_per_second", tr("Tokens per second"), lambda rate: f"{rate:,.0f}"),
        ("memory", tr("Memory"), lambda memory: file_size(int(memory))),
    ):
        value = now.get(name)
        if isinstance(value, int | float) and value:
            found.append((shown(value), title))
    if training.left:
        found.append((duration(training.left), tr("Time left")))
    elif progress.seconds:
        found.append((duration(progress.seconds), tr("Duration")))
    if progress.about.get("device"):
        found.append((device(str(progress.about["device"]))[:24], tr("Device")))
    return found


def device(name: str) -> str:
    """The name of a device; a graphics card has its own."""
    return name.upper() if name in ("cpu", "mps", "cuda") else name


def scientific(value: float) -> str:
    """A number in scientific notation: 1e-5 rather than 0.00001."""
    if not value:
        return "0"
    if 1e-3 <= abs(value) < 1e4:
        return f"{value:.3g}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def facts(training: TrainingRun, progress: RunProgress, papers: str = "") -> list[tuple[str, str]]:
    """All that is needed to repeat the run. `papers` names the training data."""
    about = progress.about
    versions = about.get("versions")
    torch = versions.get("torch") if isinstance(versions, Mapping) else None
    rows = (
        (tr("Recipe"), training.recipe),
        # Translators: settings that differ from the recipe
        (tr("Changed settings"), changed(training)),
        (tr("Base model"), tr("Starter model") if training.base == STARTER else training.base),
        (tr("Papers"), papers),
        (tr("Dataset folder"), str(training.corpus) if training.corpus.name else ""),
        (tr("Seed"), str(training.seed)),
        (tr("Precision"), str(about.get("precision", ""))),
        ("PyTorch", str(torch or "")),
        (
            tr("Started"),
            format_moment(datetime.fromtimestamp(progress.began)) if progress.began else "",
        ),
        (tr("Folder"), str(training.folder)),
    )
    return [(name, value) for name, value in rows if value]


def changed(training: TrainingRun) -> str:
    """The settings that differ from the recipe."""
    try:
        spec, name = recipe_of(training.recipe)
        usual = spec.resolve(name)
    except TrainerError:
        return ""
    return ", ".join(
        f"{setting_label(key)}: {shown_value(key, value)}"
        for key, value in training.settings.items()
        if key in usual and usual[key] != value
    )


def shown_value(key: str, value: Value | Sequence[Value]) -> str:
    """A setting's value for display."""
    if isinstance(value, bool):
        return tr("On") if value else tr("Off")
    return choice_label(key, value_text(value))


def value_text(value: Value | Sequence[Value]) -> str:
    """A setting's value as typed; several separated by commas."""
    if isinstance(value, list | tuple):
        return ", ".join(value_text(one) for one in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}".replace("e-0", "e-")
    return str(value)


def typed_value(setting: Setting, text: str) -> Value | tuple[Value, ...]:
    """Parse typed text: a value, or several separated by commas.

    Raises TrainerError.
    """
    several = [part.strip() for part in text.split(",") if part.strip()]
    if isinstance(setting.default, str) or len(several) < 2:
        return setting.check(text.strip())
    return tuple(setting.check(part) for part in several)


def citations_text(report: CitationFetchReport) -> str:
    """The result of fetching citations, and why it is incomplete."""
    text = tr(
        "Fetched {references} and {citations}.",
        references=trn("{n:,} reference", "{n:,} references", report.references),
        citations=trn("{n:,} citation", "{n:,} citations", report.citations),
    )
    return f"{text} {report.failed[0].reason}" if report.failed else text


def estimate_text(estimate: TrainingEstimate) -> str:
    steps = trn("{n:,} step", "{n:,} steps", estimate.steps)
    return tr(
        "{steps}, about {duration} on this computer ({device}), {memory} of memory",
        steps=steps,
        duration=duration(estimate.seconds),
        device=device(estimate.device),
        memory=file_size(estimate.memory),
    )


def stats_tiles(stats: CorpusStats, estimated: bool) -> list[tuple[str, str]]:
    """Size of the corpus in numbers."""
    citations = f"{stats.citations:,}"
    if estimated and stats.citations:
        citations = tr("about {count}", count=citations)
    full_texts = [(f"{stats.full_texts:,}", tr("With full text"))] if stats.full_texts else []
    return [
        (f"{stats.papers:,}", tr("Papers")),
        (f"{stats.abstracts:,}", tr("With abstract")),
        *full_texts,
        (citations, tr("Citations between them")),
        (f"{len({venue.name for venue in stats.venues}):,}", tr("Journals")),
        (f"{len(stats.fields):,}", tr("Categories")),
    ]


def _steps(training: TrainingRun) -> str:
    if not training.steps:
        return ""
    return tr("step {step:,} of {steps:,}", step=training.step, steps=training.steps)

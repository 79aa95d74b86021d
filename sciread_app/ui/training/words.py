"""How the page of trainings says things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from sciread_app.domain.training import Kind
from sciread_app.language import tr, trc, trn
from sciread_app.services.corpora import Corpus
from sciread_app.services.following import Story
from sciread_app.services.runs import Standing, Training
from sciread_app.services.training import Estimate
from sciread_app.ui.backups_panel import size
from sciread_app.ui.foot import duration
from sciread_app.ui.training.setting_labels import setting_label
from trainer.contract.catalog import Need, recipe_of
from trainer.contract.errors import TrainerError
from trainer.contract.holdings import Holdings
from trainer.contract.package import STARTER
from trainer.contract.settings import Setting, Value

if TYPE_CHECKING:
    from sciread_app.services.citing import Report

# Translators: how a training stands; these are pills of one word
STANDINGS = {
    Standing.starting: tr("Starting"),
    Standing.running: tr("Running"),
    Standing.stopping: tr("Stopping"),
    Standing.stopped: tr("Stopped"),
    Standing.interrupted: tr("Interrupted"),
    Standing.failed: tr("Failed"),
    Standing.finished: tr("Finished"),
}
# Of what colour that is said, in the list as in the view.
KINDS = {
    Standing.running: "good", Standing.starting: "good", Standing.finished: "good",
    Standing.failed: "problem", Standing.interrupted: "care", Standing.stopped: "care",
}  # fmt: skip
# Translators: what a method needs: papers with these
NEEDS = {
    Need.abstracts: tr("abstracts"),
    Need.citations: tr("citations"),
    Need.venues: tr("journals"),
    Need.fields: tr("categories"),
    Need.questions: tr("questions"),
}


def corpus_title(corpus: Corpus) -> str:
    """What a corpus is of, and from when it is."""
    day = f"{corpus.made:%Y-%m-%d}"
    what = corpus.what
    if what.kind is Kind.library:
        return tr("Library, {day}", day=day)
    if what.kind is Kind.collection:
        return tr("{collection}, {day}", collection=what.name, day=day)
    return f"{what.name or corpus.id}, {day}"


def below(training: Training) -> str:
    """What stands below its name in a list."""
    if training.problem:
        return training.problem
    parts = [training.method or training.recipe]
    if training.standing is Standing.running and training.left:
        parts.append(tr("{duration} left", duration=duration(training.left)))
    elif training.standing.goes_on:
        parts.append(_steps(training))
    elif training.standing is Standing.finished:
        parts.append(when(training.at))
    else:
        parts += [_steps(training), when(training.at)]
    return " · ".join(filter(None, parts))


def when(moment: float) -> str:
    """A day, or of today the hour."""
    if not moment:
        return ""
    then = datetime.fromtimestamp(moment)
    if then.date() == datetime.now().date():
        return f"{then:%H:%M}"
    return f"{then:%Y-%m-%d}"


def made_of(training: Training) -> str:
    """SPECTER from the starter model, with 19,842 papers"""
    method, base = training.method, base_of(training.base)
    if not training.papers:
        return tr("{method} from {base}", method=method, base=base)
    return trn(
        "{method} from {base}, with {n:,} paper to learn from",
        "{method} from {base}, with {n:,} papers to learn from",
        training.papers,
        method=method,
        base=base,
    )


def base_of(base: str) -> str:
    """Of a folder only its name."""
    if base == STARTER:
        return tr("the model that came with SciRead")
    return base if base.count("/") <= 1 else base.rstrip("/").rpartition("/")[2]


def how_far(training: Training, story: Story) -> str:
    """Step 120 of 330 · 4 min left"""
    if training.standing is Standing.starting:
        return tr("It is starting: the trainer is loaded, and texts are cut into word pieces.")
    if training.standing is Standing.stopping:
        return tr("It saves what it has learned, and stops.")
    if story.steps and story.step >= story.steps:
        return tr("All steps are done: the model is measured.")
    parts = [
        tr("Step {step:,} of {steps:,}", step=training.step, steps=training.steps)
        if training.steps
        else ""
    ]
    if story.parts:
        parts.insert(0, tr("Try {number} of {parts}: {what}", number=story.number,
                           parts=story.parts, what=story.part))  # fmt: skip
    if len(story.stages) > 1:
        parts.append(tr("stage {stage}", stage=story.stage))
    if left := story.latest.get("eta"):
        parts.append(tr("{duration} left", duration=duration(float(left))))
    return " · ".join(filter(None, parts))


def tiles(training: Training, story: Story) -> list[tuple[str, str]]:
    """The numbers of the moment, each with what it is."""
    now = story.latest
    found: list[tuple[str, str]] = []
    for name, title, shown in (
        ("loss", tr("Loss"), lambda loss: f"{loss:.4f}"),
        ("learning_rate", tr("Learning rate"), scientific),
        ("tokens_per_second", tr("Tokens a second"), lambda rate: f"{rate:,.0f}"),
        ("memory", tr("Memory"), lambda memory: size(int(memory))),
    ):
        value = now.get(name)
        if isinstance(value, int | float) and value:
            found.append((shown(value), title))
    if training.standing.goes_on and (left := now.get("eta")):
        found.append((duration(float(left)), trc("of time", "Left")))
    elif story.seconds:
        found.append((duration(story.seconds), tr("Took")))
    if story.about.get("device"):
        found.append((device(str(story.about["device"]))[:24], tr("Trains on")))
    return found


def device(name: str) -> str:
    """As people write it; a graphics card has a name of its own."""
    return name.upper() if name in ("cpu", "mps", "cuda") else name


def scientific(value: float) -> str:
    """1e-5 rather than 0.00001"""
    if not value:
        return "0"
    if 1e-3 <= abs(value) < 1e4:
        return f"{value:.3g}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def facts(training: Training, story: Story, papers: str = "") -> list[tuple[str, str]]:
    """How it is made, for who wants to make it again. `papers` are those it learns from."""
    about = story.about
    versions = about.get("versions")
    torch = versions.get("torch") if isinstance(versions, Mapping) else None
    rows = (
        (tr("Recipe"), training.recipe),
        # Translators: settings in which it is not as the recipe says
        (tr("But with"), changed(training)),
        (tr("Starts from"), base_of(STARTER) if training.base == STARTER else training.base),
        (tr("Papers"), papers),
        (tr("Corpus folder"), str(training.corpus) if training.corpus.name else ""),
        (tr("Seed"), str(training.seed)),
        (tr("Precision"), str(about.get("precision", ""))),
        (tr("Torch"), str(torch or "")),
        (
            tr("Began"),
            f"{datetime.fromtimestamp(story.began):%Y-%m-%d %H:%M}" if story.began else "",
        ),
        (tr("Folder"), str(training.folder)),
    )
    return [(name, value) for name, value in rows if value]


def changed(training: Training) -> str:
    """The settings that are not as in the recipe."""
    try:
        spec, name = recipe_of(training.recipe)
        usual = spec.resolve(name)
    except TrainerError:
        return ""
    return ", ".join(
        f"{setting_label(key)}: {value_text(value)}"
        for key, value in training.settings.items()
        if key in usual and usual[key] != value
    )


def value_text(value: Value | Sequence[Value]) -> str:
    """A setting's value as a person types it; several with commas between."""
    if isinstance(value, list | tuple):
        return ", ".join(value_text(one) for one in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}".replace("e-0", "e-")
    return str(value)


def typed_value(setting: Setting, text: str) -> Value | tuple[Value, ...]:
    """What is meant by what was typed: a value, or several with commas between. Raises
    TrainerError."""
    several = [part.strip() for part in text.split(",") if part.strip()]
    if isinstance(setting.default, str) or len(several) < 2:
        return setting.check(text.strip())
    return tuple(setting.check(part) for part in several)


def came(report: Report) -> str:
    """What asking for citations has brought, and why not more."""
    said = tr(
        "{references:,} references and {citations:,} citations came.",
        references=report.references,
        citations=report.citations,
    )
    return f"{said} {report.failed[0].why}" if report.failed else said


def took(estimate: Estimate) -> str:
    steps = trn("{n:,} step", "{n:,} steps", estimate.steps)
    return tr(
        "{steps}, about {duration} here ({device}), {memory} of memory",
        steps=steps,
        duration=duration(estimate.seconds),
        device=device(estimate.device),
        memory=size(estimate.memory),
    )


def held_tiles(held: Holdings, about: bool) -> list[tuple[str, str]]:
    """What there is to learn from, in numbers."""
    citations = f"{held.citations:,}"
    if about and held.citations:
        citations = tr("about {count}", count=citations)
    return [
        (f"{held.papers:,}", tr("Papers")),
        (f"{held.abstracts:,}", tr("With an abstract")),
        (citations, tr("Citations among them")),
        (f"{len({venue.name for venue in held.venues}):,}", tr("Journals")),
        (f"{len(held.fields):,}", tr("Categories")),
    ]


def _steps(training: Training) -> str:
    if not training.steps:
        return ""
    return tr("step {step:,} of {steps:,}", step=training.step, steps=training.steps)

"""What the page of models asks for, and what it says of a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from sciread_app.language import tr, trn
from sciread_app.services.model_arrivals import Wanted
from sciread_app.services.model_cards import Origin
from sciread_app.services.model_trash import Removed
from sciread_app.services.models import About, Model, State
from sciread_app.tasks import Task
from sciread_app.ui.backups_panel import size
from sciread_app.ui.foot import duration
from sciread_app.ui.training.setting_labels import setting_label
from trainer.contract.catalog import method_spec
from trainer.contract.errors import TrainerError
from trainer.contract.package import STARTER


class Keeper(Protocol):
    """The models that are installed. What cannot be done is raised with a hint."""

    def all(self) -> Sequence[Model]: ...

    def trashed(self) -> Sequence[Removed]: ...

    def earlier(self) -> str:
        """The model that answered last before the one that does now; empty if none did."""
        ...

    def check(self, name: str, task: Task) -> Model:
        """Look at its files byte for byte, unless that was done since they were changed."""
        ...

    def judge(self, name: str, task: Task) -> Model:
        """Look at them in any case."""
        ...

    def about(self, name: str) -> About | None:
        """None if the model has gone since it was listed."""
        ...

    def add(self, source: Path, task: Task) -> Model: ...

    def pull(self, wanted: Wanted, task: Task) -> Model: ...

    def export(self, name: str, target: Path, task: Task) -> Path:
        """Over a file that is there."""
        ...

    def rename(self, name: str, title: str) -> Model: ...

    def remove(self, name: str) -> Removed: ...

    def restore(self, key: str) -> Model: ...

    def delete(self, key: str) -> Removed: ...


class Known(NamedTuple):
    """A model of the hub that many start from."""

    name: str
    what: str


ON_HUB = (
    Known("allenai/specter2_base", tr("Learned from citations, of 23 fields")),
    Known("allenai/specter", tr("Learned from citations; the first of its kind")),
    Known("malteos/scincl", tr("Learned from neighbours in the graph of citations")),
    Known("arazd/MIReAD", tr("Learned which journal a paper appears in")),
    Known("thellert/physbert_uncased", tr("Physics alone, from 1.2 million papers")),
    Known("allenai/scibert_scivocab_uncased", tr("To train from, not to search with")),
)


def why_not(
    verb: str, model: Model | None, removed: Removed | None, models: Sequence[Model]
) -> str:
    """Why a verb of the menu cannot be done to what is chosen; empty where it can."""
    if verb in ("restore", "delete"):
        return "" if removed else tr("Choose a model in the trash first")
    if verb == "back":
        earlier = any(one.state is State.earlier for one in models)
        return "" if earlier else tr("No other model has answered yet")
    if model is None:
        return tr("Choose a model first")
    if model.ours and verb not in ("activate", "check", "measure"):
        return tr("It came with SciRead and stays as it is")
    if verb in ("activate", "remove") and model.state is State.answers:
        return tr("It answers now")
    if verb in ("activate", "remove") and model.state is State.pending:
        return tr("It is about to answer")
    if model.problem and verb not in ("remove", "check"):
        return tr("It is damaged")
    return ""


def method(key: str) -> str:
    """What a method is called; one that is not ours as it calls itself."""
    try:
        return method_spec(key).title
    except TrainerError:
        return "" if key == STARTER else key


def below(model: Model) -> str:
    """What stands below its title in a list."""
    if model.problem:
        return model.problem
    parts = [method(model.method), size(model.size)]
    if model.ours:
        parts[0] = tr("Came with SciRead")
    if model.state is State.earlier:
        parts.append(tr("answered before"))
    return " · ".join(filter(None, parts))


def made(model: Model, origin: Origin) -> str:
    """In a sentence, what it is."""
    if model.ours:
        return tr(
            "It came with SciRead: a small model for texts of all kinds, which finds papers from "
            "the first minute on."
        )
    how, base = method(model.method), short_base(model.base)
    if how and base and origin.papers:
        said = trn(
            "Made with {method} from {base}, with {n:,} paper to learn from.",
            "Made with {method} from {base}, with {n:,} papers to learn from.",
            origin.papers,
            method=how,
            base=base,
        )
    elif how and base and base != model.title:
        said = tr("Made with {method} from {base}.", method=how, base=base)
    elif base:
        said = tr("Fetched from the hub as it was published.")
    else:
        said = tr("It does not say how it was made.")
    return said


def short_base(base: str) -> str:
    """Without the commit, and of a folder only its name."""
    if base == STARTER:
        return tr("the model that came with SciRead")
    name = base.partition("@")[0]
    return name if name.count("/") <= 1 else name.rstrip("/").rpartition("/")[2]


def readiness(about: About, answers: str) -> str:
    """What it would take to let it answer; `answers` is the title of what does now."""
    model, papers, unread = about.model, about.papers, about.unread
    if not papers:
        return tr("There are no papers yet that it could read.")
    if model.state is State.answers:
        return _answering(papers, unread)
    if model.state is State.pending:
        return tr(
            "It reads your papers. Until it has read them all, {title} answers.", title=answers
        )
    if not unread:
        return trn(
            "It has read your {n:,} paper, and can answer at once.",
            "It has read all of your {n:,} papers, and can answer at once.",
            papers,
        )
    said = trn(
        "It has to read {n:,} paper first. {title} answers meanwhile.",
        "It has to read {n:,} papers first. {title} answers meanwhile.",
        unread,
        title=answers,
    )
    if not model.speed:
        return said
    # Translators: {duration} is "7 s" or "2 h 5 min"
    takes = tr("That takes about {duration} here.", duration=duration(unread / model.speed))
    return f"{said} {takes}"


def _answering(papers: int, unread: int) -> str:
    if not unread:
        return trn(
            "It answers whenever you search by meaning. It has read your {n:,} paper.",
            "It answers whenever you search by meaning. It has read all of your {n:,} papers.",
            papers,
        )
    return trn(
        "It answers whenever you search by meaning. {n:,} paper waits to be read.",
        "It answers whenever you search by meaning. {n:,} papers wait to be read.",
        unread,
    )


def tiles(model: Model) -> list[tuple[str, str]]:
    """Its numbers, and what they count."""
    speed = tr("{rate:,.0f}/s", rate=model.speed) if model.speed else "–"
    read = tr("Papers read here") if model.speed else tr("Speed not known yet")
    return [
        (f"{model.dim:,}", tr("Numbers a vector")),
        (size(model.size), tr("On the disk")),
        (speed, read),
        (f"{model.max_tokens:,}", tr("Word pieces read")),
        (model.licence or "–", tr("Licence")),
    ]


def origin_rows(model: Model, origin: Origin) -> list[tuple[str, str]]:
    """How it came to be, as far as it says so."""
    corpus = ""
    if origin.papers:
        corpus = trn("{n:,} paper", "{n:,} papers", origin.papers)
        corpus += f" (sha256 {origin.sha256[:12]}…)" if origin.sha256 else ""
    changed = ", ".join(f"{setting_label(key)}: {value}" for key, value in origin.changed.items())
    versions = ", ".join(f"{name} {version}" for name, version in origin.versions.items())
    rows = [
        (tr("Method"), method(model.method)),
        (tr("Started from"), short_base(STARTER) if model.base == STARTER else model.base),
        (tr("Recipe"), origin.recipe),
        (tr("But with"), changed),
        (tr("Learned from"), corpus),
        # Translators: of a training: in so much time, on that device
        (tr("Trained in"), duration(origin.seconds) if origin.seconds else ""),
        (tr("Trained on"), origin.device),
        # Translators: what chance is begun with
        (tr("Seed"), origin.seed),
        (tr("Made on"), (origin.ended or model.created)[:10]),
        (tr("Made with"), versions or model.trainer),
        (tr("Vectors"), _vectors(model)),
        # Translators: what tells the vectors of one model from those of another
        (tr("Vector fingerprint"), model.space),
    ]
    return [(name, value) for name, value in rows if value]


def _vectors(model: Model) -> str:
    """What of a paper becomes its vector."""
    # Translators: {texts} in "the mean over the word pieces of {texts}" and the like
    texts = tr("its title and abstract") if "{abstract}" in model.template else tr("its title")
    return {
        "mean": tr("One a paper: the mean over the word pieces of {texts}", texts=texts),
        "mean_no_special": tr(
            "One a paper: the mean over the word pieces of {texts}, but for the marks at both ends",
            texts=texts,
        ),
        "cls": tr("One a paper: taken at the mark before {texts}", texts=texts),
        "multi_cls": tr("One a paper: the sum over the marks before {texts}", texts=texts),
        "scalar_mix": tr("One a paper: a learned mix of all layers, over {texts}", texts=texts),
    }.get(model.pooling, "")

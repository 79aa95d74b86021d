"""Services and view models of the models page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from sciread_app.language import tr, trn
from sciread_app.services.models.installer import ModelInstaller
from sciread_app.services.models.model_card import Origin
from sciread_app.services.models.registry import (
    InstalledModel,
    ModelDetails,
    ModelRegistry,
    ModelState,
)
from sciread_app.services.models.trash import RemovedModel
from sciread_app.ui.formatting import duration, file_size
from sciread_app.ui.setting_labels import setting_label
from trainer.contract.catalog import method_spec
from trainer.contract.errors import TrainerError
from trainer.contract.package import STARTER


class ModelsSource(Protocol):
    @property
    def models(self) -> ModelRegistry: ...

    @property
    def installer(self) -> ModelInstaller: ...


class SuggestedModel(NamedTuple):
    """A hub model that is a usual starting point."""

    name: str
    what: str


ON_HUB = (
    SuggestedModel("allenai/specter2_base", tr("Learned from citations, of 23 fields")),
    SuggestedModel("allenai/specter", tr("Learned from citations; the first of its kind")),
    SuggestedModel("malteos/scincl", tr("Learned from neighbours in the graph of citations")),
    SuggestedModel("arazd/MIReAD", tr("Learned which journal a paper appears in")),
    SuggestedModel("thellert/physbert_uncased", tr("Physics alone, from 1.2 million papers")),
    SuggestedModel("allenai/scibert_scivocab_uncased", tr("To train from, not to search with")),
)


def why_not(
    action: str,
    model: InstalledModel | None,
    removed: RemovedModel | None,
    models: Sequence[InstalledModel],
) -> str:
    """Why an action on the selected model is unavailable; empty if it is available."""
    if action in ("restore", "delete"):
        return "" if removed else tr("Choose a model in the trash first")
    if action == "back":
        earlier = any(one.state is ModelState.earlier for one in models)
        return "" if earlier else tr("No other model has answered yet")
    if model is None:
        return tr("Choose a model first")
    if model.ours and action not in ("activate", "check", "measure"):
        return tr("It came with SciRead and stays as it is")
    if action in ("activate", "remove") and model.state is ModelState.answers:
        return tr("It answers now")
    if action in ("activate", "remove") and model.state is ModelState.pending:
        return tr("It is about to answer")
    if model.problem and action not in ("remove", "check"):
        return tr("It is damaged")
    return ""


def method(key: str) -> str:
    """The title of a training method; an unknown one keeps its own name."""
    try:
        return method_spec(key).title
    except TrainerError:
        return "" if key == STARTER else key


def below(model: InstalledModel) -> str:
    """Return the second line of a model in the list."""
    if model.problem:
        return model.problem
    parts = [method(model.method), file_size(model.size)]
    if model.ours:
        parts[0] = tr("Came with SciRead")
    if model.state is ModelState.earlier:
        parts.append(tr("answered before"))
    return " · ".join(filter(None, parts))


def made(model: InstalledModel, origin: Origin) -> str:
    """Return a sentence on how the model was made."""
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
    """The base model without its commit; for a folder, only its name."""
    if base == STARTER:
        return tr("the model that came with SciRead")
    name = base.partition("@")[0]
    return name if name.count("/") <= 1 else name.rstrip("/").rpartition("/")[2]


def readiness(about: ModelDetails, answers: str) -> str:
    """Describe what has to be done before the model is active; `answers` is the title of the active
    model."""
    model, papers, unread = about.model, about.papers, about.unread
    if not papers:
        return tr("There are no papers yet that it could read.")
    if model.state is ModelState.answers:
        return _answering(papers, unread)
    if model.state is ModelState.pending:
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


def tiles(model: InstalledModel) -> list[tuple[str, str]]:
    """Return the numbers of a model and their labels."""
    speed = tr("{rate:,.0f}/s", rate=model.speed) if model.speed else "–"
    read = tr("Papers read here") if model.speed else tr("Speed not known yet")
    return [
        (f"{model.dim:,}", tr("Numbers a vector")),
        (file_size(model.size), tr("On the disk")),
        (speed, read),
        (f"{model.max_tokens:,}", tr("Word pieces read")),
        (model.licence or "–", tr("Licence")),
    ]


def origin_rows(model: InstalledModel, origin: Origin) -> list[tuple[str, str]]:
    """Return the labels and values of the origin of a model, as far as it is recorded."""
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


def _vectors(model: InstalledModel) -> str:
    """Describe the texts that are encoded and the pooling."""
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

"""Services and view models of the models page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sciread_app.language import format_day, tr, trn
from sciread_app.services.models.gallery import GalleryModel, score_text
from sciread_app.services.models.model_card import Origin
from sciread_app.services.models.registry import (
    InstalledModel,
    ModelDetails,
    ModelState,
)
from sciread_app.services.models.trash import RemovedModel
from sciread_app.ui.formatting import duration, file_size
from sciread_app.ui.setting_labels import base_label, choice_label, setting_label
from trainer.contract.catalog import method_spec
from trainer.contract.errors import TrainerError
from trainer.contract.package import STARTER


def unavailable_reason(
    action: str,
    model: InstalledModel | None,
    removed: RemovedModel | None,
    models: Sequence[InstalledModel],
) -> str:
    """Why an action on the selected model is unavailable; empty if it is available."""
    if action in ("restore", "delete"):
        return "" if removed else tr("Select a model in the Trash first")
    if action == "back":
        earlier = any(one.state is ModelState.earlier for one in models)
        return "" if earlier else tr("No previous model")
    if model is None:
        return tr("Select a model first")
    if model.ours and action not in ("activate", "check", "measure"):
        return tr("The starter model cannot be changed")
    if action in ("activate", "remove") and model.state is ModelState.active:
        return tr("This model is in use")
    if action in ("activate", "remove") and model.state is ModelState.pending:
        return tr("SciRead is already switching to this model")
    if model.problem and action not in ("remove", "check"):
        return tr("This model is damaged")
    return ""


# The methods of published models that cannot be trained here
_OTHER_METHODS = {"specter2": "SPECTER2", "scincl": "SciNCL", "scibert": "SciBERT", "bert": "BERT"}


def method(key: str) -> str:
    """The title of a training method; an unknown one keeps its own name."""
    try:
        return method_spec(key).title
    except TrainerError:
        return "" if key == STARTER else _OTHER_METHODS.get(key, key)


def below(model: InstalledModel) -> str:
    """Return the second line of a model in the list."""
    if model.problem:
        return model.problem
    parts = [method(model.method), file_size(model.size)]
    if model.ours:
        parts[0] = tr("Included with SciRead")
    if model.state is ModelState.earlier:
        parts.append(tr("previously in use"))
    return " · ".join(filter(None, parts))


def gallery_row(model: GalleryModel, models: Sequence[InstalledModel]) -> str:
    """Return the second line of a model that can be downloaded; `models` are installed."""
    speed = model.speed(models)
    parts = (
        model.what,
        file_size(model.megabytes * 1_000_000),
        model.licence,
        tr("about {n:,.1f} papers/s", n=speed) if speed else "",
        score_text(model),
    )
    return " · ".join(filter(None, parts))


def made(model: InstalledModel, origin: Origin) -> str:
    """Return a sentence on how the model was made."""
    if model.ours:
        return tr(
            "Included with SciRead: a small general-purpose model, so that you can search "
            "immediately."
        )
    how, base = method(model.method), base_label(model.base)
    if how and base and origin.papers:
        message = trn(
            "Trained with {method} from {base} on {n:,} paper.",
            "Trained with {method} from {base} on {n:,} papers.",
            origin.papers,
            method=how,
            base=base,
        )
    elif how and base and base != model.title:
        message = tr("Trained with {method} from {base}.", method=how, base=base)
    elif base:
        message = tr("Fetched from Hugging Face as published.")
    else:
        message = tr("The model does not include training details.")
    return message


def readiness(about: ModelDetails, active: str) -> str:
    """Describe what has to be done before the model is active; `active` is the title of the active
    model."""
    model, papers, unread = about.model, about.papers, about.unread
    if not papers:
        return tr("Your library has no papers to index yet.")
    if model.state is ModelState.active:
        return _active_readiness(papers, unread)
    if model.state is ModelState.pending:
        return tr(
            "Indexing your papers. Until all are indexed, {title} stays in use.", title=active
        )
    if not unread:
        return trn(
            "Your {n:,} paper is indexed. Ready to use.",
            "All {n:,} papers are indexed. Ready to use.",
            papers,
        )
    message = trn(
        "{n:,} paper must be indexed first. Until then, {title} stays in use.",
        "{n:,} papers must be indexed first. Until then, {title} stays in use.",
        unread,
        title=active,
    )
    if not model.speed:
        return message
    # Translators: {duration} is "7 s" or "2 h 5 min"
    takes = tr(
        "Indexing takes about {duration} on this computer.", duration=duration(unread / model.speed)
    )
    return f"{message} {takes}"


def _active_readiness(papers: int, unread: int) -> str:
    if not unread:
        return trn(
            "In use for search by meaning. Your {n:,} paper is indexed.",
            "In use for search by meaning. All {n:,} papers are indexed.",
            papers,
        )
    return trn(
        "In use for search by meaning. {n:,} paper is waiting to be indexed.",
        "In use for search by meaning. {n:,} papers are waiting to be indexed.",
        unread,
    )


def tiles(model: InstalledModel) -> list[tuple[str, str]]:
    """Return the numbers of a model and their labels."""
    speed = [(f"{model.speed:,.0f}", tr("Papers per second"))] if model.speed else []
    return [
        (f"{model.dim:,}", tr("Dimensions")),
        (file_size(model.size), tr("Size on disk")),
        *speed,
        (f"{model.max_tokens:,}", tr("Max tokens")),
        (model.licence or "–", tr("License")),
    ]


def origin_rows(model: InstalledModel, origin: Origin) -> list[tuple[str, str]]:
    """Return the labels and values of the origin of a model, as far as it is recorded."""
    corpus = ""
    if origin.papers:
        corpus = trn("{n:,} paper", "{n:,} papers", origin.papers)
        corpus += f" (sha256 {origin.sha256[:12]}…)" if origin.sha256 else ""
    changed = ", ".join(
        f"{setting_label(key)}: {choice_label(key, value)}" for key, value in origin.changed.items()
    )
    versions = ", ".join(f"{name} {version}" for name, version in origin.versions.items())
    rows = [
        (tr("Method"), method(model.method)),
        (tr("Base model"), _base(model.base)),
        (tr("Recipe"), origin.recipe),
        (tr("Changed settings"), changed),
        (tr("Training data"), corpus),
        (tr("Training time"), duration(origin.seconds) if origin.seconds else ""),
        (tr("Device"), origin.device),
        # Translators: of the random number generator
        (tr("Seed"), origin.seed),
        (tr("Date"), _day(origin.ended or model.created)),
        (tr("Software"), versions or model.trainer),
        (tr("Pooling"), _vectors(model)),
        # Translators: identifies the model whose numbers are in the index
        (tr("Model fingerprint"), model.space),
    ]
    return [(name, value) for name, value in rows if value]


def _base(base: str) -> str:
    """Return the base model, with the beginning of its commit."""
    name, at, commit = base.partition("@")
    return tr("Starter model") if base == STARTER else f"{name}{at}{commit[:12]}"


def _day(stamp: str) -> str:
    """Format the day of a recorded ISO time; return other text unchanged."""
    try:
        return format_day(date.fromisoformat(stamp[:10]))
    except ValueError:
        return stamp


def _vectors(model: InstalledModel) -> str:
    """Describe the texts that are encoded and the pooling."""
    # Translators: {texts} in "Mean of all tokens of {texts}" and the like
    texts = tr("title and abstract") if "{abstract}" in model.template else tr("the title")
    return {
        "mean": tr("Mean of all tokens of {texts}", texts=texts),
        "mean_no_special": tr(
            "Mean of the tokens of {texts}, without special tokens",
            texts=texts,
        ),
        "cls": tr("[CLS] token before {texts}", texts=texts),
        "multi_cls": tr("Sum of the [CLS] tokens before {texts}", texts=texts),
        "mean_and_cls": tr("Mean of all tokens of {texts}, plus [CLS] tokens", texts=texts),
        "scalar_mix": tr("Trained mix of all layers, for {texts}", texts=texts),
    }.get(model.pooling, "")

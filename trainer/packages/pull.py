"""Published models: from the hub into a package of our own, weights as safetensors only."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Self

from huggingface_hub import HfApi, hf_hub_download
from huggingface_hub.constants import HF_HUB_CACHE
from huggingface_hub.errors import (
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.hf_api import ModelInfo, RepoSibling
from huggingface_hub.utils import httpx  # type: ignore[attr-defined]

from trainer.contract.errors import PackageRefused, TrainerError
from trainer.contract.package import Package
from trainer.packages.export import export

_WEIGHTS = "model.safetensors"
_INDEX = "model.safetensors.index.json"
_TEXT_FILES = frozenset(
    (
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "special_tokens_map.json",
        "added_tokens.json",
        "vocab.txt",
        "vocab.json",
        "merges.txt",
        "1_Pooling/config.json",
        "sentence_bert_config.json",
        _INDEX,
    )
)
_MAX_TEXT_FILE = 64 << 20
_MODES = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean"}
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack")
# Old descriptions do not say that they are BERT's, but no other has all of these.
_BERT = frozenset(("hidden_act", "intermediate_size", "num_attention_heads", "type_vocab_size"))
# The hub's own robot offers safetensors for older models as a change nobody has taken yet.
_ROBOT, _ITS_TITLE = "SFconvertbot", "Adding `safetensors` variant of this model"


@dataclass(frozen=True)
class Published:
    """How a published model wants to be used, as its authors use it."""

    method: str
    pooling: str
    template: str = "{title}{sep}{abstract}"
    max_tokens: int = 512
    licence: str = ""
    note: str = ""


PUBLISHED = {
    "allenai/specter": Published("specter", "cls", licence="apache-2.0"),
    "allenai/specter2_base": Published(
        "specter2",
        "cls",
        licence="apache-2.0",
        note="This is the base of SPECTER2, without its adapters for single tasks.",
    ),
    "malteos/scincl": Published("scincl", "cls", licence="mit"),
    "arazd/MIReAD": Published(
        "miread", "cls", note="The head that guesses the journal was left out."
    ),
    "thellert/physbert_uncased": Published("physbert", "mean_no_special"),
    "thellert/physbert_cased": Published("physbert", "mean_no_special"),
    **{
        f"allenai/scibert_scivocab_{case}": Published(
            "scibert",
            "mean",
            note="SciBERT was made to be trained further; as it is, it finds little.",
        )
        for case in ("uncased", "cased")
    },
    "google-bert/bert-base-uncased": Published(
        "bert",
        "mean",
        licence="apache-2.0",
        note="BERT was made to be trained further; as it is, it finds little.",
    ),
}


def pull(
    hub_id: str,
    folder: Path,
    *,
    revision: str = "",
    pooling: str = "",
    note: Callable[[str], None] = lambda _: None,
    at: Callable[[int, int], None] = lambda done, total: None,
) -> Package:
    """Make a package of the model `hub_id` at `folder`, which must not be there yet.

    `note` is told what is done, and `at` how many bytes have come, of how many.

    What is downloaded stays in the hub's own cache, so that a pull that was cut short fetches only
    the files that are missing. `pooling` is needed where nothing says how the model's tokens become
    one vector. Raises TrainerError; a model without safetensors is refused, since other formats
    run programs when they are read.
    """
    if folder.exists():
        raise PackageRefused(f"There is a model at {folder} already.", "Name another folder.")
    try:
        found = _find(hub_id, revision)
        note(f"{hub_id} at {found.sha}: {_megabytes(_wanted(found))} MB")
        _check_room(_wanted(found), folder)
        snapshot = _download(found, note, at)
    except (HfHubHTTPError, httpx.HTTPError, OSError, HFValidationError) as error:
        raise _explained(error, hub_id) from error
    use = PUBLISHED.get(hub_id) or _as_described(snapshot, pooling, hub_id)
    package = Package(
        folder=folder,
        id=folder.name,
        title=hub_id,
        dim=0,
        pooling=pooling or use.pooling,
        template=use.template,
        max_tokens=use.max_tokens,
        files={},
        method=use.method,
        base=f"{hub_id}@{found.sha}",
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        licence=_licence(found) or use.licence,
    )
    return pack_model(snapshot, package, use)


def pack_model(snapshot: Path, package: Package, use: Published) -> Package:
    """Make the package of the model as transformers keeps it in the folder `snapshot`.

    The package's `dim` is found out. Raises PackageRefused.
    """
    config = _config(snapshot, package.title)
    # So late, since importing transformers takes seconds; most refusals come before.
    from trainer.packages.plain_models import convert

    package.folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=package.folder.parent, prefix=".pull-") as made:
        shape = convert(snapshot, Path(made), config, package.title)
        package = replace(
            package, dim=shape.dim, max_tokens=min(package.max_tokens, shape.positions)
        )
        return export(Path(made), package, notes=[use.note] if use.note else [])


def _config(folder: Path, title: str) -> dict[str, Any]:
    config = read_json(folder / "config.json")
    if not config:
        raise PackageRefused(f"{title} has no config.json that can be read.")
    if "auto_map" in config:
        raise PackageRefused(
            f"{title} wants to run a program of its own (auto_map in config.json).",
            "SciRead runs only models that the transformers library knows by itself.",
        )
    if "model_type" not in config and config.keys() >= _BERT:
        config["model_type"] = "bert"
    return config


def _find(hub_id: str, revision: str) -> ModelInfo:
    """The model's files at one commit that has safetensors, or why there is none."""
    api = HfApi()
    found = api.model_info(hub_id, revision=revision or None, files_metadata=True)
    if _has_safetensors(found):
        return found
    offered = "" if revision else _offered_by_the_robot(api, hub_id, found.sha or "")
    if offered:
        return api.model_info(hub_id, revision=offered, files_metadata=True)
    names = ", ".join(s.rfilename for s in _siblings(found) if s.rfilename.endswith(_PICKLES))
    raise PackageRefused(
        f"{hub_id} has no weights as safetensors"
        + (f", only {names}, which could run a program when read." if names else "."),
        "Have it converted at https://huggingface.co/spaces/safetensors/convert, which makes a "
        "change of the model's page, and pull that: --revision refs/pr/NUMBER",
    )


def _offered_by_the_robot(api: HfApi, hub_id: str, commit: str) -> str:
    for offered in api.get_repo_discussions(
        hub_id, author=_ROBOT, discussion_type="pull_request", discussion_status="open"
    ):
        # Anybody may give a change this title, and an old one may belong to other weights.
        if offered.title == _ITS_TITLE and offered.author == _ROBOT and offered.git_reference:
            commits = api.list_repo_commits(hub_id, revision=offered.git_reference)
            if len(commits) > 1 and commits[1].commit_id == commit:
                return offered.git_reference
    return ""


def _download(
    found: ModelInfo, note: Callable[[str], None], at: Callable[[int, int], None]
) -> Path:
    """The folder of what is needed of the model, each file checked against the hub's hash."""
    wanted = _wanted(found)
    total = sum(sibling.size or 0 for sibling in wanted)
    before = 0
    bar: Any = partial(_Bar, lambda here: at(before + here, total))
    path = Path()
    for sibling in wanted:
        if not sibling.rfilename.endswith(".safetensors") and (sibling.size or 0) > _MAX_TEXT_FILE:
            raise PackageRefused(f"{found.id} has a {sibling.rfilename} of {sibling.size} bytes.")
        note(sibling.rfilename)
        path = Path(
            hf_hub_download(found.id, sibling.rfilename, revision=found.sha, tqdm_class=bar)
        )
        _check(path, sibling, found.id)
        before += sibling.size or 0
        at(before, total)
        for _ in Path(sibling.rfilename).parts:
            path = path.parent
    return path


class _Bar:
    """What the hub's client takes for a bar of tqdm, from where an earlier download broke off."""

    def __init__(self, at: Callable[[int], None], *, initial: int = 0, **_: object) -> None:
        self._at, self.n = at, initial

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def update(self, count: float | None = 1) -> None:
        self.n += int(count or 0)
        self._at(self.n)

    def close(self) -> None: ...


def _check(path: Path, sibling: RepoSibling, hub_id: str) -> None:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if sibling.lfs and sibling.lfs.sha256 and sibling.lfs.sha256 != digest:
        path.resolve().unlink()
        path.unlink(missing_ok=True)
        raise PackageRefused(
            f"The file {sibling.rfilename} of {hub_id} came damaged.", "Pull it again."
        )


def _check_room(wanted: Sequence[RepoSibling], folder: Path) -> None:
    """Once for the hub's cache, and twice beside the package: while it is converted and copied."""
    size = sum(sibling.size or 0 for sibling in wanted)
    cache, beside = _there(Path(HF_HUB_CACHE)), _there(folder.parent)
    needed = {cache: size, beside: 2 * size}
    if cache.stat().st_dev == beside.stat().st_dev:
        needed = {beside: 3 * size}
    for place, bytes_ in needed.items():
        free = shutil.disk_usage(place).free
        if bytes_ > free:
            raise TrainerError(
                f"The model needs {bytes_ >> 20:,} MB of disk in {place}, "
                f"and {free >> 20:,} MB are free.",
                "Make room, then pull it again.",
            )


def _there(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there already."""
    folder = folder.absolute()
    return next(place for place in (folder, *folder.parents) if place.exists())


def _wanted(found: ModelInfo) -> list[RepoSibling]:
    """What is needed of the model: descriptions, tokenizer, and weights in one file or in parts."""
    siblings = _siblings(found)
    whole = any(sibling.rfilename == _WEIGHTS for sibling in siblings)
    return [
        sibling
        for sibling in siblings
        if sibling.rfilename in _TEXT_FILES - ({_INDEX} if whole else set())
        or sibling.rfilename == _WEIGHTS
        or (not whole and _is_part(sibling.rfilename))
    ]


def _is_part(name: str) -> bool:
    return name.startswith("model-") and name.endswith(".safetensors") and "/" not in name


def _has_safetensors(found: ModelInfo) -> bool:
    names = {sibling.rfilename for sibling in _siblings(found)}
    return bool(names & {_WEIGHTS, _INDEX})


def _siblings(found: ModelInfo) -> list[RepoSibling]:
    return found.siblings or []


def _megabytes(siblings: Sequence[RepoSibling]) -> str:
    return f"{sum(sibling.size or 0 for sibling in siblings) / 1e6:,.0f}"


def _licence(found: ModelInfo) -> str:
    licence = found.card_data.get("license") if found.card_data else ""
    return licence if isinstance(licence, str) else ""


def _as_described(snapshot: Path, pooling: str, hub_id: str) -> Published:
    """How a model that we do not know wants to be used, as its own files say."""
    described = described_pooling(snapshot / "1_Pooling")
    if not (pooling or described):
        raise PackageRefused(
            f"Nothing in {hub_id} says how its tokens become one vector.",
            "Say it: --pooling cls, mean or mean_no_special (the model's page tells which).",
        )
    template = "{title} {abstract}" if described else "{title}{sep}{abstract}"
    limit = described_limit(snapshot)
    return Published("", pooling or described, template, limit)


def described_pooling(folder: Path) -> str:
    """The pooling that this folder of sentence-transformers describes; empty if none of ours."""
    described = read_json(folder / "config.json")
    chosen = [name for name in described if name.startswith("pooling_mode_") and described[name]]
    if len(chosen) == 1:
        return _MODES.get(chosen[0], "")
    mode = described.get("pooling_mode")
    return mode if isinstance(mode, str) and mode in _MODES.values() else ""


def described_limit(folder: Path) -> int:
    """How many word pieces a sentence-transformers folder says it reads; else 512."""
    limit = read_json(folder / "sentence_bert_config.json").get("max_seq_length")
    return limit if isinstance(limit, int) and limit > 0 else 512


def _explained(error: Exception, hub_id: str) -> TrainerError:
    if isinstance(error, GatedRepoError):
        return TrainerError(
            f"{hub_id} is given only to those who ask for it.",
            "Ask on its page, then set HF_TOKEN to your token.",
        )
    if isinstance(error, RepositoryNotFoundError | HFValidationError):
        return TrainerError(
            f"There is no model {hub_id} on the hub, or it is private.",
            "Check the spelling, OWNER/NAME; for a private one set HF_TOKEN.",
        )
    if isinstance(error, RevisionNotFoundError):
        return TrainerError(f"{hub_id} has no such revision.", "Look at its page for those it has.")
    if isinstance(error, OfflineModeIsEnabled):
        return TrainerError("HF_HUB_OFFLINE is set, so nothing is asked of the hub.", "Unset it.")
    if isinstance(error, LocalEntryNotFoundError):
        error = error.__cause__ if isinstance(error.__cause__, Exception) else error
    if isinstance(error, EntryNotFoundError):
        return TrainerError(f"A file of {hub_id} is gone from the hub.", "Pull it again.")
    status = getattr(getattr(error, "response", None), "status_code", 0)
    if status == 429:
        return TrainerError("The hub asks for fewer requests (429).", "Try again in some minutes.")
    if status:
        return TrainerError(f"The hub answers {hub_id} with {status}.", "Try again later.")
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return TrainerError(
        f"{hub_id} could not be fetched: {why.rstrip('.')}.",
        "The files that came are kept; pull it again to go on.",
    )


def read_json(path: Path) -> dict[str, Any]:
    """What a file describes; nothing, where there is no such file or it is damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}

"""Download of published models from the hub as packages, with safetensors weights only."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
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
from trainer.contract.package import Package, sha256_of
from trainer.packages.export import export
from trainer.packages.published_config import (
    LONE_TITLE,
    MODULES,
    PROMPTS,
    Published,
    described,
    read_json,
)

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
        "sentence_bert_config.json",
        MODULES,
        PROMPTS,
        _INDEX,
    )
)
_POOLING_FILE = re.compile(r"\d+_Pooling/config\.json")
_MAX_TEXT_FILE = 64 << 20
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack")
# Old config files lack model_type; only BERT's have all of these keys.
_BERT = frozenset(("hidden_act", "intermediate_size", "num_attention_heads", "type_vocab_size"))
# The hub's bot proposes safetensors for older models as open pull requests.
_ROBOT, _ITS_TITLE = "SFconvertbot", "Adding `safetensors` variant of this model"


PUBLISHED = {
    "allenai/specter": Published("specter", "cls", licence="apache-2.0"),
    "allenai/specter2_base": Published(
        "specter2",
        "cls",
        licence="apache-2.0",
        note="This is the base of SPECTER2, without its task adapters.",
    ),
    "malteos/scincl": Published("scincl", "cls", licence="mit"),
    "arazd/MIReAD": Published("miread", "cls", note="The journal classification head was removed."),
    **{
        f"thellert/physbert_{case}": Published("physbert", "mean_no_special", LONE_TITLE)
        for case in ("uncased", "cased")
    },
    **{
        f"allenai/scibert_scivocab_{case}": Published(
            "scibert",
            "mean",
            note="SciBERT is a base model for training; without fine-tuning, its search "
            "results are poor.",
        )
        for case in ("uncased", "cased")
    },
    "google-bert/bert-base-uncased": Published(
        "bert",
        "mean",
        licence="apache-2.0",
        note="BERT is a base model for training; without fine-tuning, its search results are poor.",
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
    """Make a package of the model `hub_id` at `folder`, which must not exist.

    `note` is called with messages, `at` with the bytes downloaded and their total. Downloads stay
    in the hub's cache, so an interrupted pull continues with the missing files. `pooling` is
    required if the model does not specify it. Raises TrainerError, also for a model without
    safetensors, since other formats can execute code when they are read.
    """
    if folder.exists():
        raise PackageRefused(f"{folder} already contains a model.", "Specify another folder.")
    try:
        found = _find(hub_id, revision)
        download = _Download(found, note, at)
        note(f"{hub_id} at {found.sha}: {download.size / 1e6:,.0f} MB")
        _check_room(download.size, folder)
        # Descriptions first: SciRead may be unable to run the model.
        snapshot = download.descriptions()
        use = PUBLISHED.get(hub_id) or _use(snapshot, hub_id, pooling)
        download.weights()
    except (HfHubHTTPError, httpx.HTTPError, OSError, HFValidationError) as error:
        raise _explained(error, hub_id) from error
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
    """Make a package of the transformers model in the folder `snapshot`.

    The package's `dim` is read from the model. Raises PackageRefused.
    """
    config = _config(snapshot, package.title)
    # Imported here: transformers takes seconds, and most refusals come before.
    from trainer.packages.transformers_folder import convert

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
        raise PackageRefused(f"{title} has no readable config.json.")
    if "auto_map" in config:
        raise PackageRefused(
            f"{title} requires running code of its own (auto_map in config.json).",
            "SciRead runs only model types included in the Transformers library.",
        )
    if "model_type" not in config and config.keys() >= _BERT:
        config["model_type"] = "bert"
    return config


def _find(hub_id: str, revision: str) -> ModelInfo:
    """The model's files at a commit with safetensors. Raises PackageRefused if there is none."""
    api = HfApi()
    found = api.model_info(hub_id, revision=revision or None, files_metadata=True)
    files = [sibling.rfilename for sibling in found.siblings or ()]
    if _WEIGHTS in files or _INDEX in files:
        return found
    offered = "" if revision else _offered_by_the_robot(api, hub_id, found.sha or "")
    if offered:
        return api.model_info(hub_id, revision=offered, files_metadata=True)
    names = ", ".join(name for name in files if name.endswith(_PICKLES))
    raise PackageRefused(
        f"{hub_id} has no weights in safetensors format"
        + (f", only {names}, which could run code when loaded." if names else "."),
        "Convert the model at https://huggingface.co/spaces/safetensors/convert, which opens "
        "a pull request on the model's page, then pull that revision: --revision "
        "refs/pr/NUMBER",
    )


def _offered_by_the_robot(api: HfApi, hub_id: str, commit: str) -> str:
    for offered in api.get_repo_discussions(
        hub_id, author=_ROBOT, discussion_type="pull_request", discussion_status="open"
    ):
        # Any user can choose this title, and an old request may belong to other weights.
        if offered.title == _ITS_TITLE and offered.author == _ROBOT and offered.git_reference:
            commits = api.list_repo_commits(hub_id, revision=offered.git_reference)
            if len(commits) > 1 and commits[1].commit_id == commit:
                return offered.git_reference
    return ""


def _use(snapshot: Path, hub_id: str, pooling: str) -> Published:
    """Usage of a model outside `PUBLISHED`, from its own files."""
    use, transformer = described(snapshot, hub_id, pooling)
    if transformer != snapshot:
        raise PackageRefused(
            f"{hub_id} has its transformer in the folder {transformer.name}, which pull does "
            "not support.",
            "Download the complete model, and specify its folder instead.",
        )
    return use


class _Download:
    """Download of a model's files, each verified against the hub's hash."""

    def __init__(
        self, found: ModelInfo, note: Callable[[str], None], at: Callable[[int, int], None]
    ) -> None:
        self._found, self._note, self._at = found, note, at
        self._wanted = _wanted(found)
        self.size = sum(sibling.size or 0 for sibling in self._wanted)
        self._before = 0

    def descriptions(self) -> Path:
        """Fetch all files but the weights, and return their folder."""
        path = None
        for sibling in self._wanted:
            if sibling.rfilename.endswith(".safetensors"):
                continue
            if (sibling.size or 0) > _MAX_TEXT_FILE:
                raise PackageRefused(
                    f"{self._found.id} has a {sibling.rfilename} file of {sibling.size} bytes."
                )
            path = self._fetch(sibling)
        if path is None:
            raise PackageRefused(f"{self._found.id} has no config.json.")
        return path

    def weights(self) -> None:
        for sibling in self._wanted:
            if sibling.rfilename.endswith(".safetensors"):
                self._fetch(sibling)

    def _fetch(self, sibling: RepoSibling) -> Path:
        """Fetch a file, and return the root folder of the snapshot."""
        self._note(sibling.rfilename)
        before = self._before
        bar: Any = partial(_Bar, lambda here: self._at(before + here, self.size))
        path = Path(
            hf_hub_download(
                self._found.id, sibling.rfilename, revision=self._found.sha, tqdm_class=bar
            )
        )
        _check(path, sibling, self._found.id)
        self._before += sibling.size or 0
        self._at(self._before, self.size)
        return path.parents[len(Path(sibling.rfilename).parts) - 1]


class _Bar:
    """A tqdm-like progress bar for the hub's client; `initial` is the size already there."""

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
    digest = sha256_of(path)
    if sibling.lfs and sibling.lfs.sha256 and sibling.lfs.sha256 != digest:
        path.resolve().unlink()
        path.unlink(missing_ok=True)
        raise PackageRefused(
            f"The download of the file {sibling.rfilename} of {hub_id} is damaged.",
            "Pull the model again.",
        )


def _check_room(size: int, folder: Path) -> None:
    """Raise TrainerError unless disks have room: once for the cache, twice for the package."""
    cache, beside = _there(Path(HF_HUB_CACHE)), _there(folder.parent)
    needed = {cache: size, beside: 2 * size}
    if cache.stat().st_dev == beside.stat().st_dev:
        needed = {beside: 3 * size}
    for place, bytes_ in needed.items():
        free = shutil.disk_usage(place).free
        if bytes_ > free:
            raise TrainerError(
                f"The model requires {bytes_ >> 20:,} MB of disk space in {place}, but only "
                f"{free >> 20:,} MB are free.",
                "Free up disk space, then pull the model again.",
            )


def _there(folder: Path) -> Path:
    """The folder or its nearest existing parent."""
    folder = folder.absolute()
    return next(place for place in (folder, *folder.parents) if place.exists())


def _wanted(found: ModelInfo) -> list[RepoSibling]:
    """Files to download: configuration, tokenizer, and weights in one file or in parts."""
    siblings = found.siblings or []
    whole = any(sibling.rfilename == _WEIGHTS for sibling in siblings)
    texts = _TEXT_FILES - {_INDEX} if whole else _TEXT_FILES
    weights = re.compile(re.escape(_WEIGHTS) if whole else r"model-[^/]*\.safetensors")
    return [
        sibling
        for sibling in siblings
        if sibling.rfilename in texts
        or _POOLING_FILE.fullmatch(sibling.rfilename)
        or weights.fullmatch(sibling.rfilename)
    ]


def _licence(found: ModelInfo) -> str:
    licence = found.card_data.get("license") if found.card_data else ""
    return licence if isinstance(licence, str) else ""


def _explained(error: Exception, hub_id: str) -> TrainerError:
    if isinstance(error, GatedRepoError):
        return TrainerError(
            f"Access to {hub_id} is restricted.",
            "Request access on the model's page, then set HF_TOKEN to your token.",
        )
    if isinstance(error, RepositoryNotFoundError | HFValidationError):
        return TrainerError(
            f"The model {hub_id} does not exist on the Hugging Face Hub, or it is private.",
            "Check the spelling (OWNER/NAME). For a private model, set HF_TOKEN.",
        )
    if isinstance(error, RevisionNotFoundError):
        return TrainerError(
            f"The specified revision of {hub_id} does not exist.",
            "See the model's page for the available revisions.",
        )
    if isinstance(error, OfflineModeIsEnabled):
        return TrainerError(
            "HF_HUB_OFFLINE is set, which prevents downloads.", "Unset HF_HUB_OFFLINE."
        )
    if isinstance(error, LocalEntryNotFoundError):
        error = error.__cause__ if isinstance(error.__cause__, Exception) else error
    if isinstance(error, EntryNotFoundError):
        return TrainerError(
            f"A file of {hub_id} is no longer on the Hugging Face Hub.", "Pull the model again."
        )
    status = getattr(getattr(error, "response", None), "status_code", 0)
    if status == 429:
        return TrainerError(
            "The Hugging Face Hub limits the number of requests (429).",
            "Try again in a few minutes.",
        )
    if status:
        return TrainerError(
            f"The Hugging Face Hub returned the status {status} for {hub_id}.", "Try again later."
        )
    if isinstance(error, httpx.NetworkError | httpx.ConnectTimeout | ConnectionError):
        return TrainerError(
            f"Could not download {hub_id}: the Hugging Face Hub is not available.",
            "Check your internet connection, then pull the model again. Downloaded files are kept.",
        )
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return TrainerError(
        f"Could not download {hub_id}: {why.rstrip('.')}.",
        "Pull the model again. Downloaded files are kept.",
    )

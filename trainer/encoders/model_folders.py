"""Conversion of transformers and sentence-transformers folders to packages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trainer.contract.errors import PackageRefused
from trainer.contract.package import Package
from trainer.packages.published_config import MODULES, described, read_json
from trainer.packages.pull import pack_model


def is_model_folder(folder: Path) -> bool:
    """Whether a folder holds a transformers or sentence-transformers model and no package."""
    if (folder / "package.json").exists():
        return False
    return (folder / "config.json").is_file() or (folder / MODULES).is_file()


def package_of(folder: Path, made: Path, pooling: str = "") -> Package:
    """Convert the model in `folder` to a package at `made`, which must not exist.

    `pooling` is required if the folder does not specify it. No code of the folder is imported, and
    weights are read from safetensors only. Raises PackageRefused.
    """
    use, source = described(folder, str(folder), pooling)
    if not any(source.glob("model*.safetensors")):
        raise PackageRefused(
            f"The model in {folder} has no weights as safetensors.",
            "Save them so: model.save_pretrained(FOLDER) of a present transformers does.",
        )
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


def _base(source: Path) -> str:
    named: Any = read_json(source / "config.json").get("_name_or_path", "")
    return named if isinstance(named, str) and "\n" not in named else ""

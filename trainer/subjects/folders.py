"""Models as transformers and sentence-transformers keep them, made into packages of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trainer.contract.errors import PackageRefused
from trainer.contract.package import Package
from trainer.packages.described import MODULES, described, read_json
from trainer.packages.pull import pack_model


def is_model_folder(folder: Path) -> bool:
    """Whether it holds a model of transformers or sentence-transformers, and no package."""
    if (folder / "package.json").exists():
        return False
    return (folder / "config.json").is_file() or (folder / MODULES).is_file()


def package_of(folder: Path, made: Path, pooling: str = "") -> Package:
    """The package of the model in `folder`, made at `made`, which must not be there yet.

    `pooling` is needed where nothing in the folder says how the model's tokens become one vector.
    Nothing is imported from there, and weights are read as safetensors only. Raises
    PackageRefused.
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

"""Averages of models (model soups; Wortsman et al., 2022), and adapters merged into their base."""

from __future__ import annotations

import json
import math
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from trainer.contract.errors import PackageRefused, TrainerError
from trainer.contract.package import (
    ADAPTER_CONFIG,
    ADAPTER_WEIGHTS,
    WEIGHTS,
    Package,
    transformer_folder,
)
from trainer.model.lora import transformer_weights
from trainer.packages.export import base_name, export
from trainer.version import trainer_version

# Properties that must be equal: otherwise equal weights give different vectors.
_USE = (
    "dim",
    "pooling",
    "head",
    "template",
    "query_template",
    "max_tokens",
    "cls_tokens",
    "base_weights",
)
# Keys of config.json that do not affect the vectors.
_UNIMPORTANT = frozenset(("_name_or_path", "transformers_version", "dtype", "torch_dtype"))


def soup(
    packages: Sequence[Package], folder: Path, *, shares: Sequence[float] = (), title: str = ""
) -> Package:
    """Write the weighted average of models to `folder`, which must not exist, and return it.

    Averages of runs from one base model, with different seeds or settings, are often better than
    each of them. `shares` are the weights of the models, by default equal; they are divided by
    their sum. Raises TrainerError if there are fewer than two models, if they differ in more than
    their weights, or if they were trained on different corpora: an evaluation could then not tell
    which papers the average was trained on. The average of adapters is a model with all weights.
    """
    if len(packages) < 2:
        raise TrainerError("An average requires at least two models.")
    shares = shares or [1.0] * len(packages)
    if (
        len(shares) != len(packages)
        or not all(map(math.isfinite, shares))
        or min(shares) < 0
        or not sum(shares)
    ):
        raise TrainerError(
            f"The weights {', '.join(f'{share:g}' for share in shares)} do not fit "
            f"{len(packages)} models.",
            "Specify one weight per model; they must not be negative, and not all be 0.",
        )
    first = packages[0]
    for other in packages[1:]:
        _check_alike(first, other)
    corpora = {json.dumps(dict(p.corpus), sort_keys=True): p.corpus for p in packages if p.corpus}
    if len(corpora) > 1:
        raise TrainerError(
            "The models were trained on different corpora.",
            "Average models that were trained on the same corpus.",
        )
    names = [
        f"“{package.title}” ({share:g})" for package, share in zip(packages, shares, strict=True)
    ]
    package = replace(
        first,
        folder=folder,
        id=folder.name,
        title=title or f"Average of {len(packages)} models",
        method=_common([package.method for package in packages]),
        base=_common([package.base for package in packages]),
        licence=_common([package.licence for package in packages]),
        corpus=next(iter(corpora.values()), {}),
        base_weights="",
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        trainer=trainer_version(),
    )
    note = f"Its weights are the weighted average of those of {', '.join(names)}."
    return _write(package, packages, [share / sum(shares) for share in shares], note)


def merge(adapter: Package, folder: Path, *, title: str = "") -> Package:
    """Write an adapter, merged into its base model, to `folder`, which must not exist, and return
    the model, which has all weights and the same vectors.

    The scores of the adapter are kept. Raises TrainerError if the model is not an adapter, and
    PackageRefused if its base model is missing.
    """
    if not adapter.base_weights:
        raise TrainerError(
            f"“{adapter.title}” is not an adapter.", "It has all its weights already; use it as is."
        )
    package = replace(
        adapter, folder=folder, id=folder.name, title=title or adapter.title, base_weights=""
    )
    note = "It was trained as an adapter (LoRA), which is merged into its base model."
    metrics = adapter.folder / "metrics.json"
    known = json.loads(metrics.read_text(encoding="utf-8")) if metrics.exists() else []
    return _write(package, [adapter], [1.0], note, known)


def _write(
    package: Package,
    sources: Sequence[Package],
    shares: Sequence[float],
    note: str,
    metrics: Sequence[Mapping[str, Any]] = (),
) -> Package:
    """Write the package with the sum of the weights of the sources, multiplied by their shares,
    and the other files of the first. Adapters are merged into their base model before."""
    folder, first = package.folder, sources[0]
    if folder.exists():
        raise PackageRefused(f"{folder} already contains a model.", "Specify another folder.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".soup-") as made:
        source = Path(made) / "source"
        source.mkdir()
        for name in first.files:
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            if name == ADAPTER_CONFIG:
                continue
            if name.endswith(".safetensors"):
                files = [one.folder / name for one in sources]
                to = source / name
                if name == ADAPTER_WEIGHTS:
                    files, to = _merged(sources, Path(made)), source / WEIGHTS
                _average(files, shares, to)
            else:
                shutil.copyfile(first.folder / name, source / name)
        for name in ("config.json", "tokenizer.json"):  # not listed by the starter's package
            if not (source / name).exists():
                shutil.copyfile(_path(first, name), source / name)
        return export(source, package, metrics=metrics, notes=[note])


def _merged(packages: Sequence[Package], folder: Path) -> list[Path]:
    """Write the weights of adapters, merged into their base model, to the folder; return the files.

    Averaging the two factors of adapters would not average their products.
    """
    files = [folder / f"{number}.safetensors" for number in range(len(packages))]
    for package, file in zip(packages, files, strict=True):
        save_file(transformer_weights(package.folder), file, metadata={"format": "pt"})
    return files


def _check_alike(first: Package, other: Package) -> None:
    """Raise PackageRefused, with the first difference, if weights of the two cannot be averaged."""
    if first.base and other.base and base_name(first.base) != base_name(other.base):
        bases = base_name(first.base), base_name(other.base)
        raise _different(first, other, "the base model is", *bases)
    for name in _USE:
        values = [getattr(package, name) for package in (first, other)]
        if values[0] != values[1]:
            raise _different(first, other, f"the {name.replace('_', ' ')} is", *values)
    for file in ("config.json", "tokenizer.json"):
        known, found = (_described(_path(package, file)) for package in (first, other))
        if known != found:
            key = next(k for k in {**known, **found} if known.get(k) != found.get(k))
            values = [str(side.get(key))[:60] for side in (known, found)]
            raise _different(first, other, f"{key} in {file} is", *values)
    names = [{n for n in p.files if n.endswith(".safetensors")} for p in (first, other)]
    if names[0] != names[1]:
        raise _different(first, other, "the weight files are", *map(sorted, names))


def _path(package: Package, name: str) -> Path:
    """Return the path of a file of a package; an adapter's config.json is that of its base."""
    own = package.folder / name
    return own if own.exists() else transformer_folder(package.folder) / name


def _different(first: Package, other: Package, what: str, one: Any, two: Any) -> PackageRefused:
    return PackageRefused(
        f"The weights of “{first.title}” and “{other.title}” cannot be averaged: {what} {one} in "
        f"one and {two} in the other.",
        "Average models that were trained from the same base model with the same method.",
    )


def _described(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise PackageRefused(f"{path} could not be read: {error}.") from error
    return {key: value for key, value in found.items() if key not in _UNIMPORTANT}


def _average(files: Sequence[Path], shares: Sequence[float], output: Path) -> None:
    """Write the average of the tensors of these files, in the types of the first.

    Tensors are averaged one by one in double precision, so that memory holds one model.
    """
    averages: dict[str, torch.Tensor] = {}
    with ExitStack() as stack:
        opened = [stack.enter_context(safe_open(file, "pt")) for file in files]
        # A safe_open cannot be iterated.
        names = [list(file.keys()) for file in opened]
        shapes = [
            {name: file.get_slice(name).get_shape() for name in own}
            for file, own in zip(opened, names, strict=True)
        ]
        for file, found in zip(files[1:], shapes[1:], strict=True):
            if found != shapes[0]:
                raise PackageRefused(f"The tensors of {file} differ from those of {files[0]}.")
        for name in shapes[0]:
            tensors = [file.get_tensor(name) for file in opened]
            kind = tensors[0].dtype
            if not kind.is_floating_point:  # numbers of positions, equal in all
                averages[name] = tensors[0]
                continue
            total = torch.zeros(tensors[0].shape, dtype=torch.float64)
            for tensor, share in zip(tensors, shares, strict=True):
                total.add_(tensor.double(), alpha=share)
            averages[name] = total.to(kind)
    save_file(averages, output, metadata={"format": "pt"})


def _common(values: Sequence[str]) -> str:
    """Return the value that all have in common; empty if they differ."""
    return values[0] if len(set(values)) == 1 else ""

"""Conversion of transformers folders to the files of a package."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer, PreTrainedModel
from transformers.utils import logging

from trainer.contract.errors import PackageRefused
from trainer.contract.package import ADAPTER_CONFIG, ENCODER_CLASSES, WEIGHTS
from trainer.packages.adapters import apply_adapter
from trainer.packages.published_config import Module, read_json
from trainer.packages.weights import half_precision, read_weights, weights_among

# Their positions start after the padding index.
_SHIFTED = ("roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "data2vec-text")
_NO_LIMIT = 1 << 20  # tokens, for models with relative positions
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "tokenizer.model")


class Shape(NamedTuple):
    """Size of the vectors and maximum number of tokens."""

    dim: int
    positions: int


def convert(
    folder: Path,
    made: Path,
    config: Mapping[str, Any],
    title: str,
    adapter: Path | None = None,
    adapter_title: str = "",
) -> Shape:
    """Write the transformer in `folder`, heads dropped, and its tokenizer to the folder `made`.

    `config` is its config.json, and `title` its name in errors; `adapter` is the folder of an
    adapter to apply. No code but transformers' own is run. Raises PackageRefused.
    """
    _copy_descriptions(folder, made, config)
    if adapter and any((adapter / name).exists() for name in _TOKENIZER_FILES):
        _copy_descriptions(adapter, made, config)
    # Silence the list of missing and unexpected weights; those that matter are reported below.
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        model = _load(folder, made, title, adapter)
        tokenizer = AutoTokenizer.from_pretrained(
            made, local_files_only=True, trust_remote_code=False, use_fast=True
        )
        model.save_pretrained(made, max_shard_size="1000GB")
        tokenizer.save_pretrained(made)
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, SafetensorError) as error:
        raise PackageRefused(
            f"Transformers cannot load {title}: {(str(error).splitlines() or [''])[0]}",
            "Check that the model is a text model included with Transformers.",
        ) from error
    if not (made / "tokenizer.json").exists():
        raise PackageRefused(f"{title} has no fast tokenizer (tokenizer.json).")
    if adapter:
        try:
            _apply(adapter, made, model.base_model_prefix, adapter_title)
        except (KeyError, RuntimeError, ValueError) as error:
            raise PackageRefused(
                f"The adapter {adapter_title} does not fit its base model {title}: {error}.",
                "Check the base model in adapter_config.json.",
            ) from error
    positions = getattr(model.config, "max_position_embeddings", None) or _NO_LIMIT
    spare = getattr(model.config, "pad_token_id", 0) or 0
    shifted = config.get("model_type") in _SHIFTED
    return Shape(model.config.hidden_size, positions - (spare + 1 if shifted else 0))


def copy_head(folder: Path, modules: Sequence[Module], made: Path, title: str) -> tuple[str, ...]:
    """Copy the modules after the pooling from the folder of their model to the folder `made`, as
    safetensors; return the names of their folders there. Raises PackageRefused."""
    found = []
    for number, (kind, path) in enumerate(modules, 2):
        own = f"{number}_{kind}"
        found.append(own)
        if kind == "Normalize":
            continue
        (made / own).mkdir()
        config = read_json(folder / path / "config.json")
        (made / own / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
        save_file(read_weights(folder / path, title), made / own / WEIGHTS)
    return tuple(found)


def cut_dense(made: Path, number: int, full: int, dim: int) -> str:
    """Write a module that keeps the first `dim` of `full` numbers, as Matryoshka models allow;
    return the name of its folder."""
    name = f"{number}_Dense"
    (made / name).mkdir()
    config = {
        "in_features": full,
        "out_features": dim,
        "bias": False,
        "activation_function": "torch.nn.modules.linear.Identity",
    }
    (made / name / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    save_file({"linear.weight": torch.eye(dim, full)}, made / name / WEIGHTS)
    return name


def head_dim(made: Path, names: Sequence[str], dim: int) -> int:
    """The size of the vectors after these modules, which receive vectors of the size `dim`."""
    for name in names:
        dim = int(read_json(made / name / "config.json").get("out_features", dim))
    return dim


def _load(folder: Path, made: Path, title: str, adapter: Path | None) -> PreTrainedModel:
    """The model with its pooler if it was trained with one, in 16 bits if all its weights are."""
    names = weights_among(path.name for path in folder.iterdir())
    if names and all(name.endswith(".safetensors") for name in names):
        for weights in folder.glob("model*.safetensors*"):
            shutil.copy(weights, made)
    else:
        save_file(read_weights(folder, title), made / WEIGHTS, metadata={"format": "pt"})
    try:
        dtype = torch.float32 if adapter else half_precision(made, title)
        model, loading = _from_pretrained(made, dtype)
        missing = [name for name in loading["missing_keys"] if not name.startswith("pooler.")]
        if missing:
            raise PackageRefused(
                f"The weights of {title} lack {missing[0]} and others, {len(missing)} in total."
            )
        if loading["missing_keys"]:
            # A randomly initialized pooler would differ at every load.
            model, _ = _from_pretrained(made, dtype, add_pooling_layer=False)
    finally:
        for weights in made.glob("model*.safetensors*"):
            weights.unlink()
    return model


def _from_pretrained(
    folder: Path, dtype: torch.dtype, **values: Any
) -> tuple[PreTrainedModel, Mapping[str, Any]]:
    kind = str(read_json(folder / "config.json").get("model_type"))
    library: Any = getattr(transformers, ENCODER_CLASSES.get(kind, "AutoModel"))
    found: tuple[PreTrainedModel, Mapping[str, Any]] = library.from_pretrained(
        folder,
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        dtype=dtype,
        output_loading_info=True,
        **values,
    )
    return found


def _apply(adapter: Path, made: Path, prefix: str, title: str) -> None:
    weights = load_file(made / WEIGHTS)
    more = apply_adapter(adapter, weights, prefix, title)
    save_file(weights, made / WEIGHTS, metadata={"format": "pt"})
    config = read_json(made / "config.json") | more
    (made / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def _copy_descriptions(folder: Path, made: Path, config: Mapping[str, Any]) -> None:
    for path in folder.iterdir():
        skipped = path.name == ADAPTER_CONFIG or path.name.endswith(".index.json")
        if path.suffix in (".json", ".txt", ".model") and not skipped:
            shutil.copy(path, made / path.name)
    (made / "config.json").write_text(json.dumps(config), encoding="utf-8")

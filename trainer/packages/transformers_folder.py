"""Conversion of transformers folders to the files of a package."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError
from transformers import AutoModel, AutoTokenizer, PreTrainedModel
from transformers.utils import logging

from trainer.contract.errors import PackageRefused


class Shape(NamedTuple):
    """Size of the vectors and maximum number of tokens."""

    dim: int
    positions: int


def convert(folder: Path, made: Path, config: Mapping[str, Any], title: str) -> Shape:
    """Write the transformer in `folder`, heads dropped, and its tokenizer to the folder `made`.

    `config` is the model's config.json. Only safetensors are read and no code but transformers' own
    is run. Raises PackageRefused.
    """
    _copy_descriptions(folder, made, config)
    # Silence the list of missing and unexpected weights; those that matter are reported below.
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        model = _load(folder, made, title)
        tokenizer = AutoTokenizer.from_pretrained(
            made, local_files_only=True, trust_remote_code=False, use_fast=True
        )
        model.save_pretrained(made, max_shard_size="1000GB")
        tokenizer.save_pretrained(made)
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, SafetensorError) as error:
        raise PackageRefused(
            f"Transformers cannot load {title}: {str(error).splitlines()[0]}",
            "Check that the model is a text model included with Transformers.",
        ) from error
    if not (made / "tokenizer.json").exists():
        raise PackageRefused(f"{title} has no fast tokenizer (tokenizer.json).")
    positions = getattr(model.config, "max_position_embeddings", 512)
    # RoBERTa's positions start after the padding index.
    spare = getattr(model.config, "pad_token_id", 0) or 0
    return Shape(model.config.hidden_size, positions - (spare + 1 if _shifted(config) else 0))


def _load(folder: Path, made: Path, title: str) -> PreTrainedModel:
    """The model with its pooler if it was trained with one, in float32."""
    for weights in folder.glob("model*.safetensors*"):
        shutil.copy(weights, made)
    try:
        model, loading = _from_pretrained(made)
        missing = [name for name in loading["missing_keys"] if not name.startswith("pooler.")]
        if missing:
            raise PackageRefused(
                f"The weights of {title} lack {missing[0]} and others, {len(missing)} in total."
            )
        if loading["missing_keys"]:
            # A randomly initialized pooler would differ at every load.
            model, _ = _from_pretrained(made, add_pooling_layer=False)
    finally:
        for weights in made.glob("model*.safetensors*"):
            weights.unlink()
    return model


def _from_pretrained(folder: Path, **values: Any) -> tuple[PreTrainedModel, Mapping[str, Any]]:
    found: tuple[PreTrainedModel, Mapping[str, Any]] = AutoModel.from_pretrained(
        folder,
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        dtype=torch.float32,
        output_loading_info=True,
        **values,
    )
    return found


def _copy_descriptions(folder: Path, made: Path, config: Mapping[str, Any]) -> None:
    for path in folder.iterdir():
        if path.suffix in (".json", ".txt") and not path.name.endswith(".index.json"):
            shutil.copy(path, made / path.name)
    (made / "config.json").write_text(json.dumps(config), encoding="utf-8")


def _shifted(config: Mapping[str, Any]) -> bool:
    return config.get("model_type") in ("roberta", "xlm-roberta", "camembert", "mpnet")

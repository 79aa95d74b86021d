"""A BERT of random weights, with two layers and few words: a complete model package of 0.2 MB."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from trainer.contract.package import (
    ADAPTER_CONFIG,
    ADAPTER_WEIGHTS,
    WEIGHTS,
    Package,
    write_package,
)

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = (
    "deep",
    "graph",
    "learning",
    "paper",
    "##s",
    "we",
    "study",
    "neural",
    "network",
    "the",
    "of",
)
CONFIG: dict[str, Any] = {
    "model_type": "bert",
    "architectures": ["BertModel"],
    "hidden_act": "gelu",
    "hidden_size": 32,
    "intermediate_size": 64,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 64,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "pad_token_id": 0,
    "type_vocab_size": 2,
}


def tiny_package(folder: Path, *, vocabulary: list[str] | None = None, **values: Any) -> Package:
    """Write the package to `folder`; `values` are those of package.json."""
    source = folder.with_name(folder.name + "-source")
    source.mkdir(parents=True)
    vocabulary = vocabulary or [*SPECIAL, *WORDS]
    tokenizer(vocabulary).save(str(source / "tokenizer.json"))
    config = CONFIG | {"vocab_size": len(vocabulary)}
    (source / "config.json").write_text(json.dumps(config))
    save_file(weights(config), source / "model.safetensors", metadata={"format": "pt"})
    described = {
        "id": "tiny",
        "title": "Tiny",
        "dim": config["hidden_size"],
        "pooling": "mean",
        "template": "{title}{sep}{abstract}",
        "max_tokens": 48,
    }
    return write_package(Package(folder=folder, files={}, **(described | values)), source)


def package_with_dense(folder: Path, **values: Any) -> Package:
    """Write the package with a dense layer after the pooling, for vectors of eight numbers."""
    plain = tiny_package(folder.with_name(f"{folder.name}-plain"), **values)
    source = folder.with_name(f"{folder.name}-plain-source")
    (source / "2_Dense").mkdir()
    described = {"in_features": 32, "out_features": 8, "bias": False}
    (source / "2_Dense" / "config.json").write_text(json.dumps(described))
    weight = np.random.default_rng(1).normal(size=(8, 32)).astype(np.float32)
    save_file({"linear.weight": weight}, source / "2_Dense" / "model.safetensors")
    return write_package(replace(plain, folder=folder, dim=8, head=("2_Dense",)), source)


def tiny_adapter(folder: Path, model: Package, *, rank: int = 2, **values: Any) -> Package:
    """Write a LoRA adapter for a package of this module to `folder`."""
    source = folder.with_name(folder.name + "-source")
    source.mkdir(parents=True)
    shutil.copyfile(model.folder / "tokenizer.json", source / "tokenizer.json")
    modules = {
        name.removesuffix(".weight"): weight.shape
        for name, weight in weights(CONFIG | {"vocab_size": 1}).items()
        if weight.ndim == 2 and "embeddings" not in name
    }
    random = np.random.default_rng(2)
    stored = {
        f"base_model.model.{module}.lora_{part}.weight": random.normal(
            scale=0.3, size=(rank, shape[1]) if part == "A" else (shape[0], rank)
        ).astype(np.float32)
        for module, shape in modules.items()
        for part in "AB"
    }
    save_file(stored, source / ADAPTER_WEIGHTS, metadata={"format": "pt"})
    config = {"peft_type": "LORA", "r": rank, "lora_alpha": rank, "target_modules": [*modules]}
    (source / ADAPTER_CONFIG).write_text(json.dumps(config))
    described = {"id": "tiny-adapter", "title": "Tiny adapter", "base": str(model.folder)} | values
    package = replace(model, folder=folder, base_weights=model.files[WEIGHTS], **described)
    return write_package(package, source)


def tokenizer(vocabulary: list[str]) -> Tokenizer:
    number = {word: at for at, word in enumerate(vocabulary)}
    made = Tokenizer(models.WordPiece(number, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.add_special_tokens([word for word in SPECIAL if word in number])
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", number["[CLS]"]), ("[SEP]", number["[SEP]"])],
    )
    return made


def weights(config: dict[str, Any]) -> dict[str, np.ndarray]:
    random = np.random.default_rng(1)
    width, wide = config["hidden_size"], config["intermediate_size"]
    found: dict[str, np.ndarray] = {}

    def add(name: str, *shape: int) -> None:
        found[name] = random.normal(scale=0.3, size=shape).astype(np.float32)

    for name, rows in (
        ("word", config["vocab_size"]),
        ("position", config["max_position_embeddings"]),
        ("token_type", config["type_vocab_size"]),
    ):
        add(f"embeddings.{name}_embeddings.weight", rows, width)
    norms = ["embeddings.LayerNorm"]
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}."
        dense = {f"attention.self.{part}": (width, width) for part in ("query", "key", "value")}
        dense |= {"attention.output.dense": (width, width)}
        dense |= {"intermediate.dense": (wide, width), "output.dense": (width, wide)}
        for name, shape in dense.items():
            add(f"{layer}{name}.weight", *shape)
            add(f"{layer}{name}.bias", shape[0])
        norms += [f"{layer}attention.output.LayerNorm", f"{layer}output.LayerNorm"]
    for name in norms:
        add(f"{name}.weight", width)
        add(f"{name}.bias", width)
    return found

"""Trainable text encoders: a transformer over packed texts, and pooling to one vector each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor, nn

from trainer.contract.errors import TrainerError
from trainer.contract.package import (
    ADAPTER_CONFIG,
    ADAPTER_WEIGHTS,
    POOLING_WEIGHTS,
    WEIGHTS,
    transformer_folder,
)
from trainer.model.bert import After, TrainableBert, is_plain_bert
from trainer.model.lora import adapter_of, add_lora, transformer_weights
from trainer.model.packed import Packed, pool
from trainer.model.padded import Padded
from trainer.model.pooling import FacetPooling, MeanFacets, ScalarMix

_TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
)


class Backbone(nn.Module):
    """A transformer over packed texts. `config` is the contents of its config.json.

    `drawn_pooler`: its folder has no pooler, so that its pooler has random weights.
    """

    def __init__(self, config: Mapping[str, Any], inner: TrainableBert | Padded) -> None:
        super().__init__()
        self.config = dict(config)
        self.inner = inner
        self.hidden = int(inner.hidden if isinstance(inner, Padded) else config["hidden_size"])
        self.layers = int(
            inner.layers if isinstance(inner, Padded) else config["num_hidden_layers"]
        )
        self.drawn_pooler = False
        # The folder of the base model of which only an adapter is trained.
        self.adapts: Path | None = None
        if isinstance(inner, TrainableBert):
            # Rarely needed, and a parameter without a gradient is a problem for distributed
            # training.
            inner.pooler.requires_grad_(False)

    @classmethod
    def load(cls, folder: Path, dropout: float | None = None) -> Backbone:
        """Load the transformer in a folder of that library; `dropout` None: from its config.

        Raises TrainerError if there is none, or none that can be read safely.
        """
        config = _read_config(folder)
        if not is_plain_bert(config):
            return cls(config, Padded(folder, dropout))
        bert, lacking = _load_bert(folder, config, dropout)
        found = cls(config, bert)
        found.drawn_pooler = bool(lacking)
        return found

    @classmethod
    def adapted(
        cls, folder: Path, rank: int, alpha: float, dropout: float | None = None
    ) -> Backbone:
        """Load the transformer, of which only low-rank adapters (LoRA) will be trained. Raises
        TrainerError."""
        found = cls.load(folder, dropout)
        found.adapts = folder
        add_lora(found.transformer, rank, alpha)
        return found

    @classmethod
    def new(cls, config: Mapping[str, Any], dropout: float | None = None) -> Backbone:
        """Return a BERT of random weights, drawn from torch's generator."""
        if not is_plain_bert(config):
            raise TrainerError(
                f"A {config.get('model_type')} model cannot be created from scratch.",
                "Use a BERT as base model.",
            )
        return cls(config, TrainableBert(config, dropout))

    @property
    def transformer(self) -> nn.Module:
        """The transformer with the parameter names of that library."""
        found: nn.Module = self.inner if isinstance(self.inner, TrainableBert) else self.inner.model
        return found

    @property
    def words(self) -> nn.Parameter:
        """The embedding of each word piece, [vocabulary, hidden]."""
        return self.inner.words

    @property
    def pooler(self) -> nn.Module:
        """tanh(W cls + b), frozen unless it is trained. Raises TrainerError without one."""
        if isinstance(self.inner, TrainableBert):
            return self.inner.pooler
        raise TrainerError(
            f"A {self.config.get('model_type')} model has no pooler.", "Set pooling=cls."
        )

    @property
    def checkpointing(self) -> bool:
        """Whether layers are recomputed in the backward pass, which takes less memory."""
        return self.inner.checkpointing

    @checkpointing.setter
    def checkpointing(self, enabled: bool) -> None:
        self.inner.checkpointing = enabled

    def compile_layers(self) -> None:
        """Compile the layers with torch on their first use."""
        self.inner.compile_layers()

    def forward(self, texts: Packed, after: After | None = None) -> Tensor:
        """Return the last layer's states [tokens, hidden].

        `after` maps a layer's number, from 0, to a hook on the states after it.
        """
        found: Tensor = self.inner(texts, after or {})
        return found

    def weights(self) -> dict[str, Tensor]:
        """Return all weights in float32 on the CPU, under the names of transformers."""
        return {
            name: value.detach().float().cpu().contiguous()
            for name, value in self.transformer.state_dict().items()
        }

    def save(self, folder: Path) -> None:
        """Write config.json and the weights, in float32, under the names of transformers; or the
        adapter and its configuration, in the format of PEFT."""
        if self.adapts is None:
            _write_json(folder / "config.json", self.config)
            save_file(self.weights(), folder / WEIGHTS, metadata={"format": "pt"})
            return
        start = Backbone.load(self.adapts).words
        weights, config = adapter_of(self.transformer, self.words, start)
        save_file(weights, folder / ADAPTER_WEIGHTS, metadata={"format": "pt"})
        _write_json(folder / ADAPTER_CONFIG, config)


class TextModel(nn.Module):
    """One vector per text. `pooling` as in `pool`, or `pooler`, or `scalar_mix` with one."""

    def __init__(
        self,
        backbone: Backbone,
        pooling: str,
        facets: FacetPooling | MeanFacets | None = None,
        scalar_mix: ScalarMix | None = None,
    ) -> None:
        super().__init__()
        self.backbone, self.pooling = backbone, pooling
        self.facets, self.scalar_mix = facets, scalar_mix
        self.cls_tokens = facets.cls_tokens if facets else 1
        self.dim = backbone.hidden
        if pooling == "pooler":
            backbone.pooler.requires_grad_(True)

    def forward(self, texts: Packed) -> Tensor:
        """[texts, dim]; with facets a vector for each, [texts, facets, dim]. In float32."""
        if self.scalar_mix is not None:
            return self.scalar_mix.vectors(self.backbone, texts)
        states = self.backbone(texts, self.facets.after() if self.facets else {}).float()
        if self.facets:
            return self.facets.read(states, texts)
        if self.pooling == "pooler":
            found: Tensor = self.backbone.pooler(pool(states, texts, "cls")).float()
            return found
        return pool(states, texts, self.pooling)

    def vectors(self, texts: Packed) -> Tensor:
        """Return the vector of each text, [texts, dim]: with facets, their sum."""
        found: Tensor = self(texts)
        return found.sum(1) if self.facets else found

    def save(self, folder: Path, tokenizer: Path) -> None:
        """Write a folder for transformers, with the tokenizer of the folder `tokenizer`. Of an
        adapted transformer, only the adapter is written.

        Weights of the pooling that inference needs are written to pooling.safetensors.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.backbone.save(folder)
        for name in _TOKENIZER_FILES:
            if (tokenizer / name).is_file() and tokenizer.resolve() != folder.resolve():
                shutil.copyfile(tokenizer / name, folder / name)
        found = self._pooling_weights()
        if found:
            save_file(found, folder / POOLING_WEIGHTS, metadata={"format": "pt"})

    def _pooling_weights(self) -> dict[str, Tensor]:
        found: dict[str, Tensor] = {}
        if self.facets:
            found |= self.facets.own_weights()
        if self.scalar_mix is not None:
            found["scalar_mix.weights"] = self.scalar_mix.weights
            found["scalar_mix.gamma"] = self.scalar_mix.gamma
            if self.scalar_mix.begins is not None:
                found["scalar_mix.begins"] = self.scalar_mix.begins
        return {
            name: (value.detach().float() if value.is_floating_point() else value.to(torch.uint8))
            .cpu()
            .contiguous()
            for name, value in found.items()
        }


def _write_json(path: Path, values: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def _read_config(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((transformer_folder(folder) / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TrainerError(
            f"{folder} contains no Transformers model: {error}",
            "Specify a Transformers model folder.",
        ) from error
    if not any((folder / name).is_file() for name in (WEIGHTS, ADAPTER_WEIGHTS)):
        unsafe = [path.name for path in sorted(folder.glob("*.bin"))]
        but = f", only {unsafe[0]}, which may contain code" if unsafe else ""
        raise TrainerError(
            f"The model in {folder} has no {WEIGHTS}{but}.",
            "Save the weights in safetensors format, or download the model: sciread-trainer "
            "pull OWNER/NAME",
        )
    return dict(found)


def _load_bert(
    folder: Path, config: Mapping[str, Any], dropout: float | None
) -> tuple[TrainableBert, set[str]]:
    """Load a BERT without heads, with a random pooler if it is missing. Also return the names of
    the missing weights."""
    try:
        weights = transformer_weights(folder)
    except (OSError, SafetensorError) as error:
        raise TrainerError(
            f"The weights in {folder / WEIGHTS} could not be read: {error}", "Copy the model again."
        ) from error
    bert = TrainableBert(config, dropout)
    weights = {name.removeprefix("bert."): weight for name, weight in weights.items()}
    enabled = bert.state_dict()
    for name, value in enabled.items():
        if name not in weights and not name.startswith("pooler."):
            raise TrainerError(f"The weights in {folder} lack {name}.", "Copy the model again.")
        if name in weights and weights[name].shape != value.shape:
            raise TrainerError(
                f"{name} in {folder} has the shape {tuple(weights[name].shape)}, but "
                f"config.json specifies {tuple(value.shape)}.",
                "Copy the model again.",
            )
    bert.load_state_dict({name: weights[name] for name in enabled if name in weights}, strict=False)
    return bert, enabled.keys() - weights.keys()

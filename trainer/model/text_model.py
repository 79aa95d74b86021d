"""Trainable text encoders: a transformer over packed texts, and pooling to one vector each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from trainer.contract.errors import TrainerError
from trainer.contract.package import POOLING_WEIGHTS, WEIGHTS
from trainer.model.bert import After, TrainableBert, is_plain_bert
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
    def new(cls, config: Mapping[str, Any], dropout: float | None = None) -> Backbone:
        """Return a BERT of random weights, drawn from torch's generator."""
        if not is_plain_bert(config):
            raise TrainerError(
                f"A {config.get('model_type')} model cannot be created from scratch.",
                "Use a BERT as base model.",
            )
        return cls(config, TrainableBert(config, dropout))

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
        bare = self.inner if isinstance(self.inner, TrainableBert) else self.inner.model
        return {
            name: value.detach().float().cpu().contiguous()
            for name, value in bare.state_dict().items()
        }


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
        """Write a folder for transformers, with the tokenizer of the folder `tokenizer`.

        Weights of the pooling that inference needs are written to pooling.safetensors.
        """
        folder.mkdir(parents=True, exist_ok=True)
        config = json.dumps(self.backbone.config, indent=2) + "\n"
        (folder / "config.json").write_text(config, encoding="utf-8")
        save_file(self.backbone.weights(), folder / WEIGHTS, metadata={"format": "pt"})
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


def _read_config(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TrainerError(
            f"{folder} contains no Transformers model: {error}",
            "Specify a Transformers model folder.",
        ) from error
    if not (folder / WEIGHTS).is_file():
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
        weights = load_file(folder / WEIGHTS)
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

"""Transformers other than BERT, run by the transformers library."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from trainer.contract.errors import TrainerError
from trainer.contract.package import (
    ADAPTER_WEIGHTS,
    ENCODER_CLASSES,
    WEIGHTS,
    transformer_folder,
)
from trainer.model.bert import After
from trainer.model.lora import merge_adapter
from trainer.model.packed import Packed, to_device


class Padded(nn.Module):
    """Any transformer of that library, applied to packed texts, which are padded for it.

    `dropout` None: from the model's config. Raises TrainerError.
    """

    def __init__(
        self, folder: Path, dropout: float | None = None, dtype: torch.dtype = torch.float32
    ) -> None:
        super().__init__()
        self._checkpointing = False
        self.model: Any = _load(folder, dtype)
        if dropout is not None:
            _set_dropout(self.model, dropout)
        if getattr(self.model, "pooler", None) is not None:
            self.model.pooler.requires_grad_(False)  # never read
        self.train()
        self.config: dict[str, Any] = self.model.config.to_dict()
        self.hidden = int(self.model.config.hidden_size)
        self.layers = int(self.model.config.num_hidden_layers)

    @property
    def words(self) -> nn.Parameter:
        found: nn.Parameter = self.model.get_input_embeddings().weight
        return found

    @property
    def checkpointing(self) -> bool:
        return self._checkpointing

    @checkpointing.setter
    def checkpointing(self, enabled: bool) -> None:
        if enabled != self._checkpointing:
            if enabled:
                self.model.activation_checkpointing_enable()
            else:
                self.model.activation_checkpointing_disable()
        self._checkpointing = enabled

    def compile_layers(self) -> None:
        """Compile the model with torch."""
        self.model.compile(dynamic=True)

    def forward(self, texts: Packed, after: After) -> Tensor:
        """Return the last hidden states [tokens, hidden] of the packed texts. Raises TrainerError
        if layers are to be inserted, for which the library has no place."""
        if after:
            raise TrainerError(
                f"Layers cannot be inserted between those of a {self.config['model_type']} model.",
                "Use a BERT as base model, such as allenai/scibert_scivocab_uncased.",
            )
        padding = Padding.of(texts)
        mask = padding.mask[:, 0, 0]
        pad = self.model.config.pad_token_id or 0
        ids = torch.full((mask.numel(),), pad, device=texts.ids.device)
        ids = ids.index_copy(0, padding.rows, texts.ids).view(mask.shape)
        found: Tensor = self.model(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        return padding.unpad(found)


@dataclass(frozen=True, eq=False)
class Padding:
    """The positions of packed tokens in a padded matrix: `rows` [tokens] of the flattened matrix,
    and `mask` [texts, 1, 1, longest], true at tokens."""

    rows: Tensor
    mask: Tensor

    @classmethod
    def of(cls, texts: Packed) -> Padding:
        lengths = np.asarray(texts.lengths)
        mask = np.arange(lengths.max()) < lengths[:, None]
        device = texts.ids.device
        rows = to_device(torch.from_numpy(np.flatnonzero(mask)), device)
        return cls(rows, to_device(torch.from_numpy(mask), device)[:, None, None])

    def pad(self, states: Tensor) -> Tensor:
        """[tokens, width] -> [texts, longest, width]"""
        texts, longest = self.mask.shape[0], self.mask.shape[3]
        padded = states.new_zeros(texts * longest, states.shape[1])
        return padded.index_copy(0, self.rows, states).view(texts, longest, -1)

    def unpad(self, padded: Tensor) -> Tensor:
        """[texts, longest, width] -> [tokens, width]"""
        return padded.flatten(0, 1).index_select(0, self.rows)


def _load(folder: Path, dtype: torch.dtype) -> Any:
    if (folder / ADAPTER_WEIGHTS).is_file():
        model = _load(transformer_folder(folder), dtype)
        weights = model.state_dict()
        merge_adapter(folder, weights)
        model.load_state_dict(weights)
        return model
    # Imported late, since it takes seconds, and most models are BERT.
    import transformers
    from transformers.utils import logging

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    kind = str(config.get("model_type"))
    library: Any = getattr(transformers, ENCODER_CLASSES.get(kind, "AutoModel"))

    # Silences its long report of missing and unexpected weights. Relevant ones are reported below.
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        model, loading = library.from_pretrained(
            folder,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            dtype=dtype,
            output_loading_info=True,
        )
    except ImportError as error:
        raise TrainerError(
            f"This installation cannot run the type of the model in {folder}: {error}",
            "Install SciRead with pip, which supports all model types of Transformers.",
        ) from error
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise TrainerError(
            f"The model in {folder} could not be read: {error}", "Copy the model again."
        ) from error
    # Missing weights were initialised at random. The pooler is never read.
    if lacking := sorted(name for name in loading["missing_keys"] if "pooler" not in name):
        raise TrainerError(
            f"The weights in {folder} lack {lacking[0]}.",
            "Copy the model again. Its config.json may belong to another model.",
        )
    if adapter := config.get("bottleneck_adapter"):
        weights = load_file(folder / WEIGHTS)
        for number, layer in enumerate(model.encoder.layer):
            layer.output = _AdapterOutput(layer.output, weights, number, adapter["activation"])
        model.to(dtype)
    return model


class _AdapterOutput(nn.Module):
    """The end of a BERT layer with a bottleneck (Pfeiffer et al., 2021): with the sum x of the
    feed-forward layer and its input, norm(adapter(norm(x)) + x)."""

    def __init__(
        self, output: Any, weights: Mapping[str, Tensor], number: int, activation: str
    ) -> None:
        super().__init__()
        from transformers.activations import ACT2FN

        self.dense, self.LayerNorm, self.dropout = output.dense, output.LayerNorm, output.dropout
        name = f"encoder.layer.{number}.output.adapter"
        self.adapter = nn.ModuleDict()
        for part in ("down", "up") if f"{name}.down.weight" in weights else ():
            weight, bias = weights[f"{name}.{part}.weight"], weights[f"{name}.{part}.bias"]
            self.adapter[part] = linear = nn.Linear(weight.shape[1], weight.shape[0])
            linear.weight.data, linear.bias.data = weight, bias
        self._activation = ACT2FN[activation]

    def forward(self, hidden_states: Tensor, input_tensor: Tensor) -> Tensor:
        found = self.dropout(self.dense(hidden_states)) + input_tensor
        if len(self.adapter):
            down = self._activation(self.adapter["down"](self.LayerNorm(found)))
            found = found + self.adapter["up"](down)
        normed: Tensor = self.LayerNorm(found)
        return normed


def _set_dropout(model: nn.Module, rate: float) -> None:
    """Set the dropout everywhere: some modules have a layer for it, some a number."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = rate
        for name, value in vars(module).items():
            if "dropout" in name and isinstance(value, float):
                setattr(module, name, rate)

"""The transformer inside a model: token ids in, the last layer's states out."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from transformers import AutoModel
from transformers.utils import logging

from trainer.contract.package import Package

# ids and mask, both [batch, length] -> states [batch, length, dim]
Backbone = Callable[[Tensor, Tensor], Tensor]


def load_backbone(package: Package, device: torch.device) -> Backbone:
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    model = AutoModel.from_pretrained(
        package.folder,
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        dtype=precision(device),
    )
    model.eval().to(device)
    return lambda ids, mask: model(input_ids=ids, attention_mask=mask).last_hidden_state


def precision(device: torch.device) -> torch.dtype:
    """Half as many bits where the hardware multiplies them, else float32."""
    if device.type == "cuda":
        native = torch.cuda.is_bf16_supported(including_emulation=False)
        return torch.bfloat16 if native else torch.float16
    return torch.bfloat16 if _cpu_multiplies_bf16() else torch.float32


def _cpu_multiplies_bf16() -> bool:
    # torch has no public way to ask; where these names are gone, float32 is always right.
    questions = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    return any(getattr(torch.cpu, question, bool)() for question in questions)

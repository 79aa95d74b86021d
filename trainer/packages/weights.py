"""Weights of published models: whole or sharded, in safetensors, or as torch's archives."""

from __future__ import annotations

import pickle
import re
import struct
from collections.abc import Iterable
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from torch import Tensor

from trainer.contract.errors import PackageRefused

# In order of preference; what matches the first that matches anything are all the weights.
_FORMATS = tuple(
    re.compile(pattern)
    for pattern in (
        r"model\.safetensors",
        r"model-[^/]*\.safetensors",
        r"pytorch_model\.bin",
        r"pytorch_model-[^/]*\.bin",
        r"adapter(_model)?\.safetensors",
        r"(adapter_model|pytorch_adapter)\.bin",
    )
)
_HALF = (torch.float16, torch.bfloat16)


def weights_among(names: Iterable[str]) -> list[str]:
    """The names of files in a folder that together are its weights; empty if there are none."""
    known = sorted(names)
    found = ([name for name in known if kind.fullmatch(name)] for kind in _FORMATS)
    return next(filter(None, found), [])


# Exceptions of reading a damaged file; the last ones are of torch's own reader of archives.
_DAMAGED = (
    *(OSError, ValueError, RuntimeError, EOFError, LookupError, SafetensorError),
    *(TypeError, AttributeError, AssertionError, struct.error),
)


def read_weights(folder: Path, title: str) -> dict[str, Tensor]:
    """Read the weights in a folder of the model `title`, by name. Raises PackageRefused.

    torch's archives are read with a reader that creates tensors and numbers only, and refuses
    everything else without running it.
    """
    names = weights_among(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if not names:
        raise PackageRefused(f"The model {title} has no weights.", "Copy the model again.")
    found: dict[str, Tensor] = {}
    try:
        for name in names:
            if name.endswith(".safetensors"):
                found |= load_file(folder / name)
                continue
            read = torch.load(folder / name, map_location="cpu", weights_only=True)
            if not isinstance(read, dict):
                raise ValueError(f"{name} contains no weights by name")
            tensors = {key: value for key, value in read.items() if isinstance(value, Tensor)}
            # Copies: safetensors cannot store tensors that share memory.
            found |= {key: value.detach().clone().contiguous() for key, value in tensors.items()}
    except _DAMAGED as error:
        raise _unreadable(title, names, error) from error
    except pickle.UnpicklingError as error:
        if not any(_is_pickled(folder / name) for name in names):  # such as a web page
            raise _unreadable(title, names, ValueError("no PyTorch archive")) from error
        raise PackageRefused(
            f"The weights of {title} ({', '.join(names)}) are a pickle that contains more than "
            "numbers, or cannot be checked for it; a pickle could run code when loaded.",
            "Convert the model at https://huggingface.co/spaces/safetensors/convert, which opens "
            "a pull request on the model's page, then pull that revision: --revision "
            "refs/pr/NUMBER",
        ) from error
    return found


def _is_pickled(path: Path) -> bool:
    """Whether a file is a pickle, or an archive of torch, which contains one."""
    with path.open("rb") as file:
        start = file.read(2)
    # A pickle begins with the number of its protocol; before the second, torch used none.
    return start == b"PK" or (start[:1] == b"\x80" and start[1:] <= b"\x05")


def half_precision(folder: Path, title: str) -> torch.dtype:
    """The data type of safetensors in a folder if all have 16 bits, else float32."""
    found: set[torch.dtype] = set()
    names = weights_among(path.name for path in folder.iterdir())
    try:
        for name in names:
            with safe_open(folder / name, "pt") as file:
                for key in file.keys():  # noqa: SIM118 - no mapping
                    kind = str(file.get_slice(key).get_dtype())
                    found.add({"F16": torch.float16, "BF16": torch.bfloat16}.get(kind, torch.float))
    except (OSError, SafetensorError) as error:
        raise _unreadable(title, names, error) from error
    return found.pop() if len(found) == 1 and found <= set(_HALF) else torch.float32


def _unreadable(title: str, names: list[str], error: Exception) -> PackageRefused:
    why = (str(error).splitlines() or [type(error).__name__])[0]
    return PackageRefused(
        f"SciRead cannot load the weights of {title} ({', '.join(names)}): {why}",
        "Copy or download the model again.",
    )

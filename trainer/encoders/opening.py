"""Opening of models, vector files and baselines by name."""

from __future__ import annotations

import re
import tempfile
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trainer.contract.errors import PackageRefused
from trainer.contract.package import find_model, models_folder
from trainer.encoders.base import Cost, EncodedTask, TextEncoder
from trainer.encoders.baselines import BASELINES
from trainer.encoders.vector_cache import VectorCache
from trainer.encoders.vector_files import is_vectors, open_vectors

if TYPE_CHECKING:
    from trainer.contract.package import Package
    from trainer.distributed import Ranks

__all__ = ["Cost", "EncodedTask", "TextEncoder", "VectorCache", "open_encoder"]

# Protocols use vectors as they are, or normalize them themselves.
_UNSCALED = {"left_out": "Normalize: protocols that do not scale see vectors of any length"}
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def open_encoder(
    name: str,
    *,
    ranks: Ranks | None = None,
    cache: VectorCache | None = None,
    pooling: str = "",
    exact: bool = False,
    note: Callable[[str], None] = lambda _: None,
    read: Callable[[int, int], None] = lambda texts, of: None,
) -> TextEncoder:
    """Open an encoder by name. Raises TrainerError.

    `name` is a baseline; a file or folder of vectors; a folder of transformers or
    sentence-transformers (`pooling`: if it does not specify its own); a model that `find_model`
    knows; or a model of the hub, which is pulled into `models_folder` on first use. `ranks` share
    the encoding: all must open the same model and encode the same texts. `exact` computes in
    float32 even where 16 bits are faster. `read` is called with the number of encoded texts and
    the total.
    """
    if name in BASELINES:
        return BASELINES[name]()
    path = Path(name).expanduser()
    if is_vectors(path):
        return open_vectors(path, name)

    from trainer.distributed import Ranks  # torch takes seconds to load
    from trainer.encoders.model_encoder import ModelEncoder
    from trainer.encoders.model_folders import is_model_folder, package_of
    from trainer.packages.published_config import scales

    ranks = ranks or Ranks.alone()
    cache = cache or VectorCache()
    make = partial(
        ModelEncoder, found=name, ranks=ranks, cache=cache, exact=exact, note=note, read=read
    )
    if is_model_folder(path):
        # A temporary package, removed with the encoder. Vectors are cached by hash, not by path.
        made = tempfile.TemporaryDirectory(prefix="sciread-")
        package = package_of(path, Path(made.name) / "package", pooling)
        encoder = make(package, kind="folder", about=_UNSCALED if scales(path) else {})
        weakref.finalize(encoder, made.cleanup)
        return encoder
    return make(_package(name, ranks, note))


def _package(name: str, ranks: Ranks, note: Callable[[str], None]) -> Package:
    """A local model, or one of the hub, which the first rank pulls."""
    try:
        return find_model(name)
    except PackageRefused:
        folder = models_folder() / name.replace("/", "--")
        if not _HUB_ID.fullmatch(name) or Path(name).exists() or folder.exists():
            raise
    from trainer.packages.pull import pull

    if ranks.main:
        pull(name, folder, note=note)
    ranks.barrier()
    return find_model(name)

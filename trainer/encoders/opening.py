"""Opening of models, vector files and baselines by name."""

from __future__ import annotations

import re
import tempfile
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainer.contract.errors import PackageRefused
from trainer.contract.package import ADAPTER_CONFIG, Package, find_model, models_folder
from trainer.encoders.base import TextEncoder
from trainer.encoders.baselines import BASELINES
from trainer.encoders.vector_cache import VectorCache
from trainer.encoders.vector_files import is_vectors, open_vectors
from trainer.packages.published_config import (
    MODULES,
    base_of,
    read_json,
    scales,
    transformer_of,
)

if TYPE_CHECKING:
    from trainer.distributed import Ranks

# Protocols use vectors as they are, or normalize them themselves.
_UNSCALED = {"left_out": "Normalize: scale-sensitive protocols use the unscaled vectors"}
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

    ranks = ranks or Ranks.single_process()
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
    from trainer.packages.pull import pull  # the hub's client takes a second to load

    if ranks.main:
        pull(name, folder, note=note)
    ranks.barrier()
    return find_model(name)


def is_model_folder(folder: Path) -> bool:
    """Whether a folder holds a transformers or sentence-transformers model and no package."""
    if (folder / "package.json").exists():
        return False
    return any((folder / name).is_file() for name in ("config.json", MODULES, ADAPTER_CONFIG))


def package_of(folder: Path, made: Path, pooling: str = "") -> Package:
    """Convert the model in `folder` to a package at `made`, which must not exist.

    `pooling` is required if the folder does not specify it. No code of the folder is imported.
    Raises PackageRefused.
    """
    from trainer.packages.pull import find_source, local_base, pack_model
    from trainer.packages.weights import weights_among

    transformer = folder / transformer_of(folder, str(folder))
    base: Any = read_json(transformer / "config.json").get("_name_or_path", "")
    base_folder, base_id = None, ""
    weights = weights_among(path.name for path in transformer.iterdir())
    if all("adapter" in name for name in weights) and (base_id := base_of(transformer)):
        base, base_folder = base_id, local_base(base_id)
    source = find_source(folder, str(folder), base_folder, base_id, pooling)
    use = source.use
    package = Package(
        folder=made,
        id=folder.resolve().name,
        title=folder.resolve().name,
        dim=0,
        pooling=pooling or use.pooling,
        template=use.template,
        max_tokens=use.max_tokens,
        files={},
        base=base if isinstance(base, str) and "\n" not in base else "",
        query_template=use.query_template,
    )
    return pack_model(source, package)

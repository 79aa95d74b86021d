"""What can be evaluated: models, files of ready vectors, and baselines, by the name they go by."""

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
from trainer.subjects.baselines import MAKERS
from trainer.subjects.makers import Cost, Made, Maker
from trainer.subjects.vector_cache import VectorCache
from trainer.subjects.vector_files import is_vectors, open_vectors

if TYPE_CHECKING:
    from trainer.contract.package import Package
    from trainer.distributed import Ranks

__all__ = ["Cost", "Made", "Maker", "VectorCache", "open_subject"]

# Protocols look at vectors as they come, or scale them by themselves.
_UNSCALED = {"left_out": "Normalize: protocols that do not scale see vectors of any length"}
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def open_subject(
    name: str,
    *,
    ranks: Ranks | None = None,
    cache: VectorCache | None = None,
    pooling: str = "",
    exact: bool = False,
    note: Callable[[str], None] = lambda _: None,
    read: Callable[[int, int], None] = lambda texts, of: None,
) -> Maker:
    """What a person calls `name`. Raises TrainerError.

    The name of a baseline; a file or folder of vectors; a folder of transformers or
    sentence-transformers (`pooling`: where it does not say its own); what `find_model` knows; or a
    model of the hub, which is pulled into `models_folder` the first time. `ranks` share the work
    of a model: all must open and ask for the same. `exact` computes in float32 even where half as
    many bits are faster. `read` is told how many texts, of how many, are encoded.
    """
    if name in MAKERS:
        return MAKERS[name]()
    path = Path(name).expanduser()
    if is_vectors(path):
        return open_vectors(path, name)

    from trainer.distributed import Ranks  # torch takes seconds to load
    from trainer.packages.described import scales
    from trainer.subjects.folders import is_model_folder, package_of
    from trainer.subjects.models import ModelMaker

    ranks = ranks or Ranks.alone()
    cache = cache or VectorCache()
    make = partial(
        ModelMaker, found=name, ranks=ranks, cache=cache, exact=exact, note=note, read=read
    )
    if is_model_folder(path):
        # A package for as long as it is used. Its vectors are kept under its hash, not its place.
        made = tempfile.TemporaryDirectory(prefix="sciread-")
        package = package_of(path, Path(made.name) / "package", pooling)
        maker = make(package, kind="folder", about=_UNSCALED if scales(path) else {})
        weakref.finalize(maker, made.cleanup)
        return maker
    return make(_package(name, ranks, note))


def _package(name: str, ranks: Ranks, note: Callable[[str], None]) -> Package:
    """A model that is here, or one of the hub, which the first rank pulls."""
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

"""The implementations of the methods, by their keys in the catalog."""

from __future__ import annotations

from collections.abc import Callable

from trainer.methods.base import Method, Setup
from trainer.methods.library import LibraryMethod
from trainer.methods.miread import Miread
from trainer.methods.multi2spe import Multi2Spe
from trainer.methods.physbert import PhysBert
from trainer.methods.specter import Specter

METHODS: dict[str, Callable[[Setup], Method]] = {
    "specter": Specter,
    "multi2spe": Multi2Spe,
    "miread": Miread,
    "physbert": PhysBert,
    "library": LibraryMethod,
}

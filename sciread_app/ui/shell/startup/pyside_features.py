"""What PySide does with every module that is imported after it, and need not do here."""

from __future__ import annotations

import sys


def read_no_sources() -> None:
    """Leave the sources of modules unread from now on.

    PySide reads each and keeps it in memory, to see whether the module could switch on one of its
    `__feature__`s; nobody here does. That takes a tenth of the start, and 25 MB.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        vars(feature)["_mod_uses_pyside"] = lambda module: True

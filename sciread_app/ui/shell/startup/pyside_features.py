"""Disables the check of PySide for its `__feature__` imports."""

from __future__ import annotations

import sys


def disable_source_inspection() -> None:
    """Keep PySide from reading the source of every module that is imported.

    It looks for imports of `__feature__`, which this program does not use. Reading the sources
    takes a tenth of the start-up time and 25 MB.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        vars(feature)["_mod_uses_pyside"] = lambda module: True

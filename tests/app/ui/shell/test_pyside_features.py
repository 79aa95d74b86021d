"""Modules that are imported beside the window cost what they cost without one."""

from __future__ import annotations

import subprocess
import sys

READING = """
from PySide6.QtWidgets import QWidget
from sciread_app.ui.shell.pyside_features import read_no_sources
read_no_sources()
import linecache, wave
from sciread_app.ui.add_papers import import_report as ledger
print([file for file in (wave.__file__, ledger.__file__) if file in linecache.cache])
"""


def test_what_is_imported_after_qt_is_not_read_and_kept_as_a_text():
    said = subprocess.run(
        [sys.executable, "-c", READING], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "[]"

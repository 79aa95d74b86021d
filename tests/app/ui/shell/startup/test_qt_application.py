"""The Shiboken feature that reads the sources of imported modules is switched off."""

from __future__ import annotations

import subprocess
import sys

READING = """
from PySide6.QtWidgets import QWidget
from sciread_app.ui.shell.startup.qt_application import disable_source_inspection
disable_source_inspection()
import linecache, wave
from sciread_app.ui.add_papers.imports import report
print([file for file in (wave.__file__, report.__file__) if file in linecache.cache])
"""


def test_modules_imported_after_qt_are_not_in_the_line_cache():
    process = subprocess.run(
        [sys.executable, "-c", READING], capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() == "[]"

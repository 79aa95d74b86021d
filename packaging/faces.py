"""How the program looks to Windows and macOS: its icon, and what they show of it and its files.

On Linux the files of linux/entries.py say so. What is said to the others was not tried there.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from about import ROOT

sys.path += [str(ROOT / "packaging" / name) for name in ("macos", "windows")]

from icons import write_all
from plist import info_plist
from version_info import version_info


def program_face(work: Path) -> dict[str, str]:
    """For EXE of the spec. Files that it names are written to `work`."""
    if sys.platform != "win32":
        return {}
    write_all(work)
    file = work / "version_info.txt"
    file.write_text(version_info(), "utf-8")
    return {"icon": str(work / "sciread.ico"), "version": str(file)}


def bundle_face(work: Path) -> dict[str, Any]:
    """For BUNDLE of the spec, which there is on macOS only."""
    write_all(work)
    return {"icon": str(work / "sciread.icns"), "info_plist": info_plist()}

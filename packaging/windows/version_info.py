"""What Windows shows of the program's file under Properties, as PyInstaller reads it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from about import ABOUT, ROOT, version


def version_info() -> str:
    """For EXE(version=FILE) in the spec. Not tried: there was no Windows."""
    numbers = ([int(part) for part in version().split(".")] + [0, 0, 0, 0])[:4]
    said = {
        "CompanyName": ABOUT["publisher"],
        "FileDescription": f"{ABOUT['name']}: {ABOUT['summary'].lower()}",
        "FileVersion": version(),
        "InternalName": "sciread",
        "LegalCopyright": f"© {ABOUT['copyright']}",
        "OriginalFilename": "sciread.exe",
        "ProductName": ABOUT["name"],
        "ProductVersion": version(),
    }
    rows = ", ".join(f"StringStruct({key!r}, {value!r})" for key, value in said.items())
    return (
        f"VSVersionInfo(ffi=FixedFileInfo(filevers={tuple(numbers)}, prodvers={tuple(numbers)},"
        " mask=0x3F, flags=0, OS=0x40004, fileType=1, subtype=0, date=(0, 0)),\n"
        f"kids=[StringFileInfo([StringTable('040904B0', [{rows}])]),\n"
        "VarFileInfo([VarStruct('Translation', [1033, 1200])])])\n"
    )


if __name__ == "__main__":
    target = ROOT / "build" / "version_info.txt"
    target.parent.mkdir(exist_ok=True)
    target.write_text(version_info(), "utf-8")

"""What Windows shows of the program's file under Properties, as PyInstaller reads it."""

from __future__ import annotations

import re

from about import ABOUT, version


def version_info() -> str:
    """For EXE(version=FILE) in the spec. Not tried: there was no Windows."""
    # 1.2.0rc1 is 1.2.0 here: Windows knows nothing but four numbers.
    release = re.match(r"[\d.]*\d", version())
    assert release, f"{version()} begins with no number"
    numbers = ([int(part) for part in release[0].split(".")] + [0, 0, 0, 0])[:4]
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

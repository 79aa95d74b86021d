"""The version information that Windows shows under Properties, in PyInstaller's format."""

from __future__ import annotations

import re

from about import ABOUT, version


def version_info() -> str:
    """Return the text for EXE(version=FILE) in the spec. Untested: no Windows was available."""
    # 1.2.0rc1 becomes 1.2.0: Windows allows only four numbers.
    release = re.match(r"[\d.]*\d", version())
    assert release, f"{version()} begins with no number"
    numbers = ([int(part) for part in release[0].split(".")] + [0, 0, 0, 0])[:4]
    fields = {
        "CompanyName": ABOUT["publisher"],
        "FileDescription": f"{ABOUT['name']}: {ABOUT['summary'].lower()}",
        "FileVersion": version(),
        "InternalName": "sciread",
        "LegalCopyright": f"© {ABOUT['copyright']}",
        "OriginalFilename": "sciread.exe",
        "ProductName": ABOUT["name"],
        "ProductVersion": version(),
    }
    rows = ", ".join(f"StringStruct({key!r}, {value!r})" for key, value in fields.items())
    return (
        f"VSVersionInfo(ffi=FixedFileInfo(filevers={tuple(numbers)}, prodvers={tuple(numbers)},"
        " mask=0x3F, flags=0, OS=0x40004, fileType=1, subtype=0, date=(0, 0)),\n"
        f"kids=[StringFileInfo([StringTable('040904B0', [{rows}])]),\n"
        "VarFileInfo([VarStruct('Translation', [1033, 1200])])])\n"
    )

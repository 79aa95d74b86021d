"""What is inside the frozen program, by whom and under which licence: NOTICES and an SBOM.

Built is only what may be given away under Apache-2.0 with all that it must be given away with:
`parts_of` raises NotAllowed, naming each part without licence or text, or under the GPL, and each
that only a developer has.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from about import ROOT, made_at, version
from needed import is_needed

_TEXTS = re.compile(r"(licen[cs]e|copying|notice|copyright)", re.I)
_NO_TEXT = (".py", ".pyc", ".pyi", ".so", ".html")
# For whoever names one of these and brings no text.
_STANDARD = {
    "Apache": ("LICENSE",),
    "LGPL-3.0": ("packaging/licences/LGPL-3.0.txt", "packaging/licences/GPL-3.0.txt"),
}
# GPL by name, and yet allowed.
_EXCEPTED = {
    "pyinstaller": "its bootloader may go out with programs under any licence, see its text",
    "pyinstaller-hooks-contrib": "only its runtime hooks are inside, which are under Apache-2.0",
    "libgcc-s1": "the runtime library exception",
    "libstdc++6": "the runtime library exception",
    "libgomp1": "the runtime library exception",
}
# Debian tells licences in prose; these are what programs have met there.
_GPL_LIBRARIES = re.compile(r"lib(readline|history|gdbm|db-5|ncursesw_g)")


class NotAllowed(Exception):
    """One line for each part that must not go out as it is."""


@dataclass(frozen=True, slots=True)
class Part:
    """`kind` and `name` as in a package URL. `texts`: its licences and notices."""

    kind: str
    name: str
    version: str
    licence: str
    texts: tuple[str, ...]

    @property
    def url(self) -> str:
        return f"pkg:{self.kind}/{self.name}@{self.version}"


def parts_of(files: Iterable[str]) -> list[Part]:
    """The parts that these files, which are copied or packed, belong to. Raises NotAllowed."""
    owners = _owners()
    python = os.path.realpath(sys.base_prefix) + os.sep
    ours, strays = str(ROOT) + os.sep, set()
    found: dict[str, Part] = {"python": _python()}
    for file in files:
        path = os.path.normpath(file)
        if owner := owners.get(path):
            if owner.name not in found:
                found[owner.name] = _distribution(owner)
        elif not os.path.realpath(path).startswith((python, ours)) and not path.startswith(ours):
            strays.add(path)
    parts = [*found.values(), _starter_model(), *_libraries(strays)]
    if wrong := [f"{part.name} {part.version}: {why}" for part in parts if (why := _wrong(part))]:
        raise NotAllowed("\n".join(wrong))
    return sorted(parts, key=lambda part: part.name.lower())


def notices(parts: list[Part]) -> str:
    """Each part with its licence, and each text once."""
    numbers: dict[str, int] = {}
    lines = [_HEAD.format(version=version()), (ROOT / "NOTICE").read_text("utf-8"), ""]
    for part in parts:
        told = [numbers.setdefault(text, len(numbers) + 1) for text in part.texts]
        lines.append(f"{part.name} {part.version}")
        lines.append(f"    {part.licence}; text {', '.join(map(str, told))}")
        if reason := _EXCEPTED.get(part.name):
            lines.append(f"    With an exception: {reason}.")
    for text, number in numbers.items():
        lines += ["", "=" * 78, f"Text {number}", "=" * 78, "", text.strip()]
    return "\n".join(lines) + "\n"


def sbom(parts: list[Part]) -> dict[str, Any]:
    """The same as CycloneDX 1.6; built twice of the same sources, it is the same."""
    seed = "\n".join([version(), *(part.url for part in parts)])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, seed)}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(made_at())),
            "component": {
                "type": "application",
                "bom-ref": "sciread",
                "name": "SciRead",
                "version": version(),
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            },
        },
        "components": [
            {
                "type": "machine-learning-model" if part.kind == "huggingface" else "library",
                "bom-ref": part.url,
                "name": part.name,
                "version": part.version,
                "purl": part.url,
                "licenses": [{"license": {"name": part.licence}}],
            }
            for part in parts
        ],
        "dependencies": [{"ref": "sciread", "dependsOn": [part.url for part in parts]}],
    }


_HEAD = """\
SciRead {version} and what it is made of
========================================

SciRead itself is under the Apache License, Version 2.0. Its folder holds the parts below, under
their own licences.

Qt and its binding to Python, PySide6 and shiboken6, are used under the GNU Lesser General Public
License, version 3. They lie as libraries of their own in _internal/PySide6 and _internal/shiboken6,
where you may put your own build in their place. Their source: https://download.qt.io/official_releases/
What of others is inside Qt: https://doc.qt.io/qt-6/licenses-used-in-qt.html
"""


def _owners() -> dict[str, importlib.metadata.Distribution]:
    """Who has installed a file; what portable.sh makes has the same name."""
    places = [*sys.path, str(ROOT / "build" / "portable")]
    return {
        os.path.normpath(str(one.locate_file(file))): one
        for one in importlib.metadata.distributions(path=places)
        if one.name != "sciread"
        for file in one.files or ()
    }


def _distribution(one: importlib.metadata.Distribution) -> Part:
    texts = tuple(_texts(one))
    licence = _licence(one) or _licence_in(texts)
    if not texts:
        texts = tuple(
            (ROOT / file).read_text("utf-8")
            for name, files in _STANDARD.items()
            if licence.startswith(name)
            for file in files
        )
    return Part("pypi", one.name, one.version, licence, texts)


def _texts(one: importlib.metadata.Distribution) -> Iterator[str]:
    for file in one.files or ():
        told = _TEXTS.search(file.name) or "licenses" in file.parts
        if told and ".dist-info" in file.parts[0] and file.suffix not in _NO_TEXT:
            yield Path(str(one.locate_file(file))).read_text("utf-8", "replace")


def _licence(one: importlib.metadata.Distribution) -> str:
    said = one.metadata
    kinds = [
        kind.split(" :: ")[-1]
        for kind in said.get_all("Classifier") or ()
        if kind.startswith("License ::") and not kind.endswith("Approved")
    ]
    first = (said.get("License") or "").strip().partition("\n")[0]
    return str(said.get("License-Expression") or "") or " AND ".join(kinds) or first


def _licence_in(texts: Iterable[str]) -> str:
    known = {"Apache License": "Apache-2.0", "Permission is hereby granted": "MIT"}
    return next((name for text in texts for words, name in known.items() if words in text), "")


def _python() -> Part:
    homes = (Path(sys.base_prefix), Path(os.__file__).parent)
    texts = (home / "LICENSE.txt" for home in homes)
    text = next((file.read_text("utf-8") for file in texts if file.is_file()), "")
    number = ".".join(map(str, sys.version_info[:3]))
    return Part("generic", "python", number, "PSF-2.0", (text,) if text else ())


def _starter_model() -> Part:
    # Its package is somebody else's, under another licence than the model.
    text = (ROOT / "LICENSE").read_text("utf-8")
    name = "sentence-transformers/all-MiniLM-L6-v2"
    return Part("huggingface", name, "1", "Apache-2.0", (text,))


def _libraries(files: set[str]) -> Iterator[Part]:
    """The system's packages that these libraries are of, as far as Debian's tools know."""
    names = {Path(file).name for file in files} | {Path(file).resolve().name for file in files}
    known: dict[str, str] = {}
    if names and sys.platform == "linux":
        told = _ask("dpkg-query", "-S", *(f"*/{name}" for name in sorted(names)))
        for package, _, path in (line.partition(": ") for line in told.splitlines()):
            known.setdefault(Path(path).name, package.partition(":")[0])
    packages = set()
    for file in sorted(files):
        package = known.get(Path(file).name) or known.get(Path(file).resolve().name)
        if not package or _GPL_LIBRARIES.match(Path(file).name):
            yield Part("generic", file, "?", "GPL-3.0" if package else "", ())
        elif package not in packages:
            packages.add(package)
            yield _package(package)


def _package(name: str) -> Part:
    number = _ask("dpkg-query", "-W", "-f=${Version}\n", name).partition("\n")[0]
    file = Path("/usr/share/doc", name, "copyright")
    text = file.read_text("utf-8", "replace") if file.is_file() else ""
    return Part("deb/debian", name, number, "as its text says", (text,) if text else ())


def _ask(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return ""


def _wrong(part: Part) -> str:
    if part.kind == "pypi" and not is_needed(part.name):
        return "SciRead does not need it, see needed.py"
    if not part.licence:
        return "nothing says under which licence it is"
    if not part.texts:
        return f"the text of its licence ({part.licence}) is missing"
    if part.name not in _EXCEPTED and not _allowed(part.licence):
        return f"{part.licence} does not go with Apache-2.0"
    return ""


def _allowed(licence: str) -> bool:
    """Whether one of the alternatives asks nothing of the whole program."""
    return any(
        not re.search(r"\bA?GPL|(?<!Lesser )General Public|Affero", alternative)
        or " WITH " in alternative
        for alternative in licence.split(" OR ")
    )

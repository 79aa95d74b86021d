"""NOTICES and an SBOM for the frozen program: its parts and their licences.

The program must be distributable under Apache-2.0. `parts_of` raises NotAllowed, naming each part
without a licence or its text, each under the GPL, and each that is a development tool.
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
# Texts for packages that name one of these licences and do not include its text.
_STANDARD = {
    "Apache": ("LICENSE",),
    "LGPL-3.0": ("packaging/licences/LGPL-3.0.txt", "packaging/licences/GPL-3.0.txt"),
}
# Under the GPL with an exception that allows them.
_EXCEPTED = {
    "pyinstaller": "its bootloader may go out with programs under any licence, see its text",
    "pyinstaller-hooks-contrib": "only its runtime hooks are inside, which are under Apache-2.0",
    "libgcc-s1": "the runtime library exception",
    "libstdc++6": "the runtime library exception",
    "libgomp1": "the runtime library exception",
}
# Debian gives licences as prose; these are the GPL libraries found in builds so far.
_GPL_LIBRARIES = re.compile(r"lib(readline|history|gdbm|db-5|ncursesw_g)")


class NotAllowed(Exception):
    """Parts must not be distributed; the message has a line for each."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the program. `kind` and `name` are as in a package URL.

    `texts` holds its licences and notices.
    """

    kind: str
    name: str
    version: str
    licence: str
    texts: tuple[str, ...]

    @property
    def url(self) -> str:
        return f"pkg:{self.kind}/{self.name}@{self.version}"


def parts_of(files: Iterable[str]) -> list[Part]:
    """Return the parts that the files in the program belong to. Raises NotAllowed."""
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
    refused = [
        f"{part.name} {part.version}: {reason}" for part in parts if (reason := _objection(part))
    ]
    if refused:
        raise NotAllowed("\n".join(refused))
    return sorted(parts, key=lambda part: part.name.lower())


def notices(parts: list[Part]) -> str:
    """Return NOTICES: each part with its licence, then each licence text once."""
    numbers: dict[str, int] = {}
    lines = [_HEAD.format(version=version()), (ROOT / "NOTICE").read_text("utf-8"), ""]
    for part in parts:
        used = [numbers.setdefault(text, len(numbers) + 1) for text in part.texts]
        lines.append(f"{part.name} {part.version}")
        lines.append(f"    {part.licence}; text {', '.join(map(str, used))}")
        if reason := _EXCEPTED.get(part.name):
            lines.append(f"    With an exception: {reason}.")
    for text, number in numbers.items():
        lines += ["", "=" * 78, f"Text {number}", "=" * 78, "", text.strip()]
    return "\n".join(lines) + "\n"


def sbom(parts: list[Part]) -> dict[str, Any]:
    """Return the parts as CycloneDX 1.6; reproducible for the same sources."""
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
    """Return the installed distribution of each file, including those that portable.sh built."""
    folders = [*sys.path, str(ROOT / "build" / "portable")]
    return {
        os.path.normpath(str(one.locate_file(file))): one
        for one in importlib.metadata.distributions(path=folders)
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
        named = _TEXTS.search(file.name) or "licenses" in file.parts
        if named and ".dist-info" in file.parts[0] and file.suffix not in _NO_TEXT:
            yield Path(str(one.locate_file(file))).read_text("utf-8", "replace")


def _licence(one: importlib.metadata.Distribution) -> str:
    metadata = one.metadata
    classifiers = [
        classifier.split(" :: ")[-1]
        for classifier in metadata.get_all("Classifier") or ()
        if classifier.startswith("License ::") and not classifier.endswith("Approved")
    ]
    first = (metadata.get("License") or "").strip().partition("\n")[0]
    return str(metadata.get("License-Expression") or "") or " AND ".join(classifiers) or first


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
    # The package that contains it has another author and another licence than the model.
    text = (ROOT / "LICENSE").read_text("utf-8")
    name = "sentence-transformers/all-MiniLM-L6-v2"
    return Part("huggingface", name, "1", "Apache-2.0", (text,))


def _libraries(files: set[str]) -> Iterator[Part]:
    """Yield the Debian packages that these libraries belong to, according to dpkg-query."""
    names = {Path(file).name for file in files} | {Path(file).resolve().name for file in files}
    known: dict[str, str] = {}
    if names and sys.platform == "linux":
        found = _output("dpkg-query", "-S", *(f"*/{name}" for name in sorted(names)))
        for package, _, path in (line.partition(": ") for line in found.splitlines()):
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
    number = _output("dpkg-query", "-W", "-f=${Version}\n", name).partition("\n")[0]
    file = Path("/usr/share/doc", name, "copyright")
    text = file.read_text("utf-8", "replace") if file.is_file() else ""
    return Part("deb/debian", name, number, "as its text says", (text,) if text else ())


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return ""


def _objection(part: Part) -> str:
    """Return the reason why the part must not be distributed, or an empty string."""
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
    """Return whether one of the alternatives has no conditions on the whole program."""
    return any(
        not re.search(r"\bA?GPL|(?<!Lesser )General Public|Affero", alternative)
        or " WITH " in alternative
        for alternative in licence.split(" OR ")
    )

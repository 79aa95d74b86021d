"""The control files and documentation of the Debian package."""

from __future__ import annotations

import gzip
import hashlib
import shutil
import subprocess
from email.utils import formatdate
from pathlib import Path
from textwrap import fill, indent

from about import ABOUT, ROOT, day, made_at, version

_MAINTAINER = f"{ABOUT['publisher']} <{ABOUT['email']}>"

# Libraries that Qt loads at run time and does not include. packaging/qt_libraries.sh has the same
# list, which tests/packaging checks. For a package that Debian has renamed, both names are given.
QT_NEEDS = (
    "libegl1", "libgl1", "libglib2.0-0t64 | libglib2.0-0", "libdbus-1-3", "libfontconfig1",
    "libfreetype6", "libxkbcommon0", "libxkbcommon-x11-0", "libx11-xcb1", "libxcb-cursor0",
    "libxcb-icccm4", "libxcb-image0", "libxcb-keysyms1", "libxcb-randr0", "libxcb-render-util0",
    "libxcb-shape0", "libxcb-shm0", "libxcb-sync1", "libxcb-util1", "libxcb-xfixes0",
    "libxcb-xkb1", "fonts-dejavu-core",
)  # fmt: skip
# lintian's complaints about parts built by others, which are distributed as they were tested.
_THIRD_PARTY_TAGS = (
    "custom-library-search-path", "executable-not-elf-or-script", "hardening-no-pie",
    "library-not-linked-against-libc", "missing-depends-on-sensible-utils",
    "package-contains-vcs-control-file", "shared-library-is-executable",
    "shared-library-lacks-prerequisites", "unstripped-binary-or-object", "unusual-interpreter",
    "wrong-path-for-interpreter",
)  # fmt: skip
_ADDRESS_TAGS = ("bogus-mail-host", "bogus-mail-host-in-debian-changelog")


def control_files(tree: Path) -> str:
    """Write DEBIAN/ and usr/share/doc in `tree` and return this machine's architecture."""
    command = ["dpkg", "--print-architecture"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    architecture = done.stdout.strip()
    _write_documentation(tree / "usr/share/doc/sciread")
    overrides = tree / "usr/share/lintian/overrides/sciread"
    overrides.parent.mkdir(parents=True)
    overrides.write_text(_overrides(), "utf-8")
    _set_modes(tree)
    files = [file for file in sorted(tree.rglob("*")) if file.is_file() and not file.is_symlink()]
    control = tree / "DEBIAN"
    control.mkdir()
    size = sum(file.stat().st_size for file in files) // 1024
    (control / "control").write_text(_control(architecture, size), "utf-8")
    (control / "md5sums").write_text("".join(_sum(file, tree) for file in files), "utf-8")
    return architecture


def _control(architecture: str, kilobytes: int) -> str:
    description = "\n .\n".join(indent(fill(part, 76), " ") for part in ABOUT["description"])
    url = f"Homepage: {ABOUT['url']}\n" if ABOUT["url"] else ""
    summary = ABOUT["summary"]
    return (
        f"Package: sciread\nVersion: {version()}\nArchitecture: {architecture}\n"
        f"Maintainer: {_MAINTAINER}\n"
        f"Installed-Size: {kilobytes}\n"
        f"Depends: libc6 (>= 2.28), libstdc++6, {', '.join(QT_NEEDS)}\n"
        f"Section: science\nPriority: optional\n{url}"
        f"Description: {summary[0].lower()}{summary[1:]}\n{description}\n"
    )


def _write_documentation(folder: Path) -> None:
    folder.mkdir(parents=True)
    notice = (ROOT / "NOTICE").read_text("utf-8")
    (folder / "copyright").write_text(
        f"Copyright (C) {day()[:4]} {ABOUT['copyright']}\n\n{notice}\n"
        "The Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0. The other parts and\n"
        "their licences are listed in /usr/lib/sciread/NOTICES.txt.\n",
        "utf-8",
    )
    shutil.copy2(ROOT / "CHANGELOG.md", folder / "CHANGELOG.md")
    entry = (
        f"sciread ({version()}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n"
        f" -- {_MAINTAINER}  {formatdate(made_at())}\n"
    )
    (folder / "changelog.gz").write_bytes(gzip.compress(entry.encode(), 9, mtime=0))


def _overrides() -> str:
    ours = "".join(f"sciread: {tag}\n" for tag in _ADDRESS_TAGS)
    theirs = "".join(f"sciread: {tag}\n" for tag in _THIRD_PARTY_TAGS)
    return (
        f"# There is no address yet: packaging/program.toml.\n{ours}"
        f"# Python, Qt, torch and their dependencies, as built by their projects.\n{theirs}"
    )


def _set_modes(tree: Path) -> None:
    """Set the modes of folders as Debian requires; files are left alone, which may be links."""
    for path in [tree, *tree.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)


def _sum(file: Path, tree: Path) -> str:
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, "md5").hexdigest()
    return f"{found}  {file.relative_to(tree)}\n"

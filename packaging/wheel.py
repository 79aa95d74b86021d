"""Build dist/sciread-VERSION.tar.gz and .whl from what is committed, and look into both.

It needs the package `build`. The wheel is made twice, of the committed files
and of the sdist, and must be the same byte for byte.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from about import ROOT, made_at, version

_NEVER = ("__pycache__", ".pyc", ".mypy_cache", ".pytest_cache", ".DS_Store", "tests/")
_PACKAGES = ("sciread_app", "trainer")


def main() -> int:
    target = ROOT / "dist"
    target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        tree = committed(place)
        sdist = build(tree, place / "first", "--sdist")
        wheel = build(tree, place / "second", "--wheel")
        unpacked = unpack(sdist, place / "third")
        again = build(unpacked, place / "fourth", "--wheel")
        wrong = faults_of_sdist(unpacked, tree) + faults_of_wheel(wheel, tree)
        if wheel.read_bytes() != again.read_bytes():
            wrong.append("The wheel that is made of the sdist is another one.")
        for file in (sdist, wheel):
            (target / file.name).write_bytes(file.read_bytes())
            print(f"dist/{file.name}  {file.stat().st_size / 1e6:.1f} MB")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def committed(place: Path) -> Path:
    """The files as they were committed; the tree as it is, where it is no checkout."""
    if not (ROOT / ".git").exists():
        return ROOT
    tree = place / "tree"
    tree.mkdir()
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x"], cwd=tree, input=packed.stdout, check=True)
    return tree


def build(tree: Path, target: Path, what: str) -> Path:
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(made_at())}
    command = [sys.executable, "-m", "build", what, "--outdir", str(target), str(tree)]
    done = subprocess.run(
        command, cwd=target.parent, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"The {what[2:]} could not be built:\n{done.stdout}{done.stderr}")
    return next(target.iterdir())


def unpack(sdist: Path, place: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(place, filter="data")
    return place / f"sciread-{version()}"


def faults_of_sdist(unpacked: Path, tree: Path) -> list[str]:
    wanted = {name for name in names(tree) if not name.startswith((".ci/", ".git"))}
    return [f"Not in the sdist: {name}" for name in sorted(wanted - names(unpacked))]


def faults_of_wheel(wheel: Path, tree: Path) -> list[str]:
    """What it lacks of the two packages and the resources, and what it should not hold."""
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        (metadata,) = (name for name in held if name.endswith(".dist-info/METADATA"))
        said = archive.read(metadata).decode()
        entries = archive.read(metadata.replace("METADATA", "entry_points.txt")).decode()
    wanted = {name for name in names(tree) if name.split("/")[0] in _PACKAGES}
    wanted |= {f"sciread_app/{name}" for name in names(tree) if name.startswith("resources/")}
    wrong = [f"Not in the wheel: {name}" for name in sorted(wanted - held)]
    wrong += [f"In the wheel: {name}" for name in sorted(held) if any(n in name for n in _NEVER)]
    wrong += [
        f"Its metadata lack {line!r}."
        for line in (
            f"Version: {version()}",
            "License-Expression: Apache-2.0",
            "Provides-Extra: gui",
        )
        if line not in said
    ]
    wrong += [f"No command {name}." for name in ("sciread", "sciread-trainer")
              if f"\n{name} = " not in entries]  # fmt: skip
    if "](resources/" in said:
        wrong.append("A picture of the README leads nowhere outside the sources.")
    return wrong


def names(folder: Path) -> set[str]:
    """Its files, but for what a checkout collects beside them."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not any(part in path.parts for part in (".git", ".venv"))
    }


if __name__ == "__main__":
    sys.exit(main())

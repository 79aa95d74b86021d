"""Build dist/sciread-VERSION.tar.gz and .whl from the committed files, and check both.

Needs the package `build`. The wheel is built twice, from the committed files and from the sdist,
and both must be identical.
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

_UNWANTED = ("__pycache__", ".pyc", ".mypy_cache", ".pytest_cache", ".DS_Store", "tests/")
_PACKAGES = ("sciread_app", "trainer")


def main() -> int:
    target = ROOT / "dist"
    target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        tree = committed(work)
        sdist = build(tree, work / "first", "--sdist")
        wheel = build(tree, work / "second", "--wheel")
        unpacked = unpack(sdist, work / "third")
        again = build(unpacked, work / "fourth", "--wheel")
        wrong = faults_of_sdist(unpacked, tree) + faults_of_wheel(wheel, tree)
        if wheel.read_bytes() != again.read_bytes():
            wrong.append("The wheel that is made of the sdist is another one.")
        for file in (sdist, wheel):
            (target / file.name).write_bytes(file.read_bytes())
            print(f"dist/{file.name}  {file.stat().st_size / 1e6:.1f} MB")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def committed(work: Path) -> Path:
    """Return a folder with the committed files, or the source folder if it is not a checkout."""
    if not (ROOT / ".git").exists():
        return ROOT
    tree = work / "tree"
    tree.mkdir()
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x"], cwd=tree, input=packed.stdout, check=True)
    return tree


def build(tree: Path, target: Path, kind: str) -> Path:
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(made_at())}
    command = [sys.executable, "-m", "build", kind, "--outdir", str(target), str(tree)]
    done = subprocess.run(
        command, cwd=target.parent, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"The {kind[2:]} could not be built:\n{done.stdout}{done.stderr}")
    return next(target.iterdir())


def unpack(sdist: Path, folder: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"sciread-{version()}"


def faults_of_sdist(unpacked: Path, tree: Path) -> list[str]:
    expected = {name for name in names(tree) if not name.startswith((".ci/", ".git"))}
    return [f"Not in the sdist: {name}" for name in sorted(expected - names(unpacked))]


def faults_of_wheel(wheel: Path, tree: Path) -> list[str]:
    """Return a message for each missing or unwanted file and each fault in the metadata."""
    with zipfile.ZipFile(wheel) as archive:
        files = set(archive.namelist())
        (path,) = (name for name in files if name.endswith(".dist-info/METADATA"))
        metadata = archive.read(path).decode()
        entries = archive.read(path.replace("METADATA", "entry_points.txt")).decode()
    expected = {name for name in names(tree) if name.split("/")[0] in _PACKAGES}
    expected |= {f"sciread_app/{name}" for name in names(tree) if name.startswith("resources/")}
    wrong = [f"Not in the wheel: {name}" for name in sorted(expected - files)]
    wrong += [
        f"In the wheel: {name}" for name in sorted(files) if any(n in name for n in _UNWANTED)
    ]
    wrong += [
        f"Its metadata lack {line!r}."
        for line in (
            f"Version: {version()}",
            "License-Expression: Apache-2.0",
            "Provides-Extra: gui",
        )
        if line not in metadata
    ]
    wrong += [f"No command {name}." for name in ("sciread", "sciread-trainer")
              if f"\n{name} = " not in entries]  # fmt: skip
    if "](resources/" in metadata:
        wrong.append("A picture of the README leads nowhere outside the sources.")
    return wrong


def names(folder: Path) -> set[str]:
    """Return the paths of the folder's files, without .git and .venv."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not any(part in path.parts for part in (".git", ".venv"))
    }


if __name__ == "__main__":
    sys.exit(main())

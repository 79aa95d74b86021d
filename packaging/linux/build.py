"""Package the frozen program for Linux: a .tar.gz with an installer, a .deb and an AppImage.

The program is dist/SciRead or the folder given by --program. The packages are written to dist/.
"""

from __future__ import annotations

import argparse
import gzip
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from about import ABOUT, ROOT, made_at, version
from debian import control_files

HERE = Path(__file__).resolve().parent
MACHINE = platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, default=ROOT / "dist" / "SciRead")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where the files go")
    parser.add_argument("--only", choices=["tar", "deb", "appimage"], action="append")
    options = parser.parse_args()
    if not (options.program / "sciread").is_file():
        sys.exit(f"There is no program in {options.program}: build it first (packaging/README.md).")
    options.dist.mkdir(parents=True, exist_ok=True)
    makers = {"tar": archive, "deb": package, "appimage": image}
    for kind in options.only or makers:
        _make(makers[kind], options.program.resolve(), options.dist.resolve())


def _make(maker: Callable[[Path, Path, Path], Path | None], program: Path, dist: Path) -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=dist) as folder:
        made = maker(program, dist, Path(folder))
    if made:
        size, took = made.stat().st_size / 1e6, time.monotonic() - began
        print(f"{made}  {size:.1f} MB, in {took:.0f} s")


def share(place: Path) -> None:
    """Write the share/ folder: desktop entry, MIME types, icons, man pages and completions."""
    from entries import desktop_entry, metainfo, mime_types
    from icons import DRAWING, SIZES, png
    from manual import completions, pages

    icons = "icons/hicolor"
    files: dict[str, bytes] = {
        "applications/sciread.desktop": desktop_entry().encode(),
        "mime/packages/sciread.xml": mime_types().encode(),
        f"metainfo/{ABOUT['identifier']}.metainfo.xml": metainfo().encode(),
        f"{icons}/scalable/apps/sciread.svg": DRAWING.read_bytes(),
        **{f"{icons}/{size}x{size}/apps/sciread.png": png(size) for size in SIZES},
        **{f"man/man1/{name}.gz": _packed(text) for name, text in pages().items()},
        **{where: text.encode() for where, text in completions().items()},
    }
    for name, content in files.items():
        file = place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _packed(text: str) -> bytes:
    return gzip.compress(text.encode(), 9, mtime=0)


def archive(program: Path, dist: Path, work: Path) -> Path:
    """Write the reproducible .tar.gz: the program with install.sh and uninstall.sh."""
    name = f"sciread-{version()}-linux-{MACHINE}"
    folder = work / name
    folder.mkdir()
    for file in ("install.sh", "uninstall.sh", "sciread-trainer", "README.txt"):
        shutil.copy2(HERE / file, folder / file)
    share(folder / "share")
    _copy(program, folder / "SciRead")
    target = dist / f"{name}.tar.gz"
    order = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+rw,go+r,go-w"]
    tar = ["tar", "-c", f"--mtime=@{made_at()}", *order, "-C", str(work), name]
    with target.open("wb") as out, subprocess.Popen(tar, stdout=subprocess.PIPE) as packing:
        subprocess.run(["gzip", "-n", "-6"], stdin=packing.stdout, stdout=out, check=True)
    if packing.returncode:
        sys.exit("tar has failed.")
    return target


def package(program: Path, dist: Path, work: Path) -> Path | None:
    """Write the .deb for Debian and Ubuntu; needs no root. Return None without dpkg-deb."""
    if not shutil.which("dpkg-deb"):
        print("No .deb is made: there is no dpkg-deb here.", file=sys.stderr)
        return None
    tree = work / "deb"
    share(tree / "usr" / "share")
    zsh = tree / "usr/share/zsh"
    (zsh / "site-functions").rename(zsh / "vendor-completions")  # Debian's folder for packages
    _copy(program, tree / "usr/lib/sciread")
    (tree / "usr/bin").mkdir()
    (tree / "usr/bin/sciread").symlink_to("../lib/sciread/sciread")
    shutil.copy2(HERE / "sciread-trainer", tree / "usr/bin/sciread-trainer")
    architecture = control_files(tree)
    target = dist / f"sciread_{version()}_{architecture}.deb"
    # The highest level of xz takes ten minutes and saves a tenth.
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z2", "--build", str(tree), str(target)]
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(made_at())}
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    return target


def image(program: Path, dist: Path, work: Path) -> Path | None:
    """Write the AppImage. Return None without appimagetool. Untested: no registry has the tool."""
    tool = os.environ.get("APPIMAGETOOL") or shutil.which("appimagetool")
    if not tool:
        print("No AppImage is made: there is no appimagetool here. The .tar.gz stands for it.")
        return None
    tree = work / "SciRead.AppDir"
    share(tree / "usr" / "share")
    _copy(program, tree / "usr/lib/sciread")
    shutil.copy2(HERE / "AppRun", tree / "AppRun")
    shutil.copy2(tree / "usr/share/applications/sciread.desktop", tree)
    shutil.copy2(tree / "usr/share/icons/hicolor/256x256/apps/sciread.png", tree)
    (tree / ".DirIcon").symlink_to("sciread.png")
    target = dist / f"SciRead-{version()}-{MACHINE}.AppImage"
    environment = os.environ | {"ARCH": MACHINE, "SOURCE_DATE_EPOCH": str(made_at())}
    subprocess.run([tool, str(tree), str(target)], env=environment, check=True)
    return target


def _copy(program: Path, target: Path) -> None:
    """Copy the program with hard links where possible: it is large."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(program, target, symlinks=True, copy_function=_link)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


if __name__ == "__main__":
    main()

"""Take screenshots of the window into screenshots/, by theme and scale.

`make screenshots ARGS="--only map settings --scale 300"` takes some of them; all take about ten
minutes on two idle cores. `--width 900 2560` takes them in windows of these widths instead.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.screenshots.scene import EVERYWHERE

# In pixels. The window fills the screen, except the first.
SCREENS = {100: (1920, 1080), 200: (2560, 1440), 300: (2880, 1800)}
WINDOWS = {100: (1240, 800), 200: (1280, 720), 300: (960, 600)}  # without --width
HEIGHTS = {900: 700, 1440: 900, 1920: 1080, 2560: 1440}  # by width of the window


def main() -> None:
    wanted = _arguments()
    started = time.time()
    with tempfile.TemporaryDirectory() as home:
        failed = sum(
            _take(wanted.folder, scale, width, Path(home), wanted.only)
            for scale in wanted.scale
            for width in wanted.width or [None]
        )
    pictures = wanted.folder.glob("*/*.png")
    count = sum(picture.stat().st_mtime >= started for picture in pictures)
    print(f"{count} pictures are in {wanted.folder}, after {time.time() - started:.0f} s.")
    sys.exit(min(failed, 1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make screenshots", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("screenshots"))
    parser.add_argument("--only", nargs="+", default=[], metavar="SET", help="see scene_sets.py")
    parser.add_argument("--scale", nargs="+", type=int, choices=EVERYWHERE, default=EVERYWHERE)
    parser.add_argument("--width", nargs="+", type=int, choices=HEIGHTS, help="of the window")
    return parser.parse_args()


def _take(folder: Path, scale: int, width: int | None, home: Path, only: Sequence[str]) -> int:
    """Run a new process: Qt reads screens and scales only at its start."""
    window = (width, HEIGHTS[width]) if width else WINDOWS[scale]
    across, down = (side * scale // 100 for side in window) if width else SCREENS[scale]
    screen = home / f"screen{scale}.json"
    screens = [{"name": "one", "width": across, "height": down}]
    screen.write_text(json.dumps({"screens": screens, "windowFrameMargins": False}), "utf-8")
    ending = f"{scale}-{width}" if width else f"{scale}"
    size = f"{window[0]}x{window[1]}"
    asked = (str(folder), ending, str(scale), size, str(home / "sample"), *only)
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": f"offscreen:configfile={screen}",
        "QT_SCALE_FACTOR": str(scale / 100),
    }
    command = [sys.executable, "-m", "tests.screenshots.take", *asked]
    return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    main()

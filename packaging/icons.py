"""The program's icon as .png, .ico and .icns, drawn from the SVG by Qt."""

from __future__ import annotations

import struct
from pathlib import Path

from about import ROOT
from PySide6.QtCore import QBuffer, QByteArray, QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

DRAWING = ROOT / "resources" / "icons" / "sciread.svg"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
# The type code in an .icns by image size in pixels.
_APPLE = {16: b"icp4", 32: b"icp5", 64: b"icp6", 128: b"ic07", 256: b"ic08", 512: b"ic09"}


def png(size: int) -> bytes:
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(str(DRAWING)).render(painter, QRectF(0, 0, size, size))
    painter.end()
    held = QByteArray()
    buffer = QBuffer(held)
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # PySide6 takes a device here
    return bytes(held.data())


def ico(sizes: tuple[int, ...] = (16, 24, 32, 48, 64, 128, 256)) -> bytes:
    """Return the icon for Windows: a directory, then the images."""
    pictures = [png(size) for size in sizes]
    start = 6 + 16 * len(sizes)
    rows = b""
    for size, picture in zip(sizes, pictures, strict=True):
        side = size % 256  # 256 is written as 0
        rows += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(picture), start)
        start += len(picture)
    return struct.pack("<HHH", 0, 1, len(sizes)) + rows + b"".join(pictures)


def icns() -> bytes:
    """Return the icon for macOS: the images, each after its type code and length."""
    parts = b"".join(
        kind + struct.pack(">I", len(picture) + 8) + picture
        for kind, picture in ((kind, png(size)) for size, kind in _APPLE.items())
    )
    return b"icns" + struct.pack(">I", len(parts) + 8) + parts


def write_all(folder: Path) -> None:
    """Write sciread.ico and sciread.icns to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sciread.ico").write_bytes(ico())
    (folder / "sciread.icns").write_bytes(icns())


if __name__ == "__main__":
    write_all(ROOT / "build" / "icons")

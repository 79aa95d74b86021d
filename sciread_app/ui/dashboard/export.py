"""Writing what the page shows: as a page, as a table for other programs, as a picture."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QFileDialog, QWidget

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.ui.dashboard.scores_view import ScoresView
from sciread_app.ui.dashboard.table import ScoreTable
from sciread_app.ui.theme import Appearance

SHARP = 2.0  # pixels of a picture for one of the window
EDGE = 24
WIDEST, HIGHEST = 4_000, 12_000


def ask_where(kind: str, parent: QWidget) -> Path | None:
    """Where to write a file of this kind: html, csv or png."""
    kinds = {
        "html": (tr("Export as a page"), tr("Pages ({pattern})", pattern="*.html")),
        "csv": (tr("Export as a table"), tr("Tables ({pattern})", pattern="*.csv")),
        "png": (tr("Export as a picture"), tr("Pictures ({pattern})", pattern="*.png")),
    }
    title, pattern = kinds[kind]
    name, _ = QFileDialog.getSaveFileName(parent, title, f"scores.{kind}", pattern)
    if not name:
        return None
    path = Path(name)
    return path if path.suffix else path.with_suffix(f".{kind}")


def picture_of(view: QWidget, appearance: Appearance) -> QPixmap:
    """What a view shows, sharper than the screen; of a table of scores all lines."""
    if not isinstance(view, ScoresView):
        return _painted([view], view.size(), appearance)
    table = ScoreTable(appearance)
    table.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    table.show_scores(view.shown, view.columns)
    header, rows = table.horizontalHeader(), table.verticalHeader()
    width = max(view.table.width(), 240 + sum(
        header.sectionSize(column) for column in range(1, header.count())
    ))  # fmt: skip
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.resize(min(width, WIDEST), min(rows.length() + header.sizeHint().height() + 4, HIGHEST))
    table.show()
    table.clearSelection()
    try:
        return _painted([table], table.size(), appearance)
    finally:
        table.hide()
        table.deleteLater()


def save_picture(picture: QPixmap, file: Path) -> Path:
    """Raises LibraryError."""
    if not picture.save(str(file), "PNG"):
        raise LibraryError(
            tr("The picture {file} cannot be written.", file=file),
            tr("Choose another folder, or make room there."),
        )
    return file


def _painted(widgets: list[QWidget], size: QSize, appearance: Appearance) -> QPixmap:
    whole = size + QSize(2 * EDGE, 2 * EDGE)
    picture = QPixmap(whole * SHARP)
    picture.setDevicePixelRatio(SHARP)
    picture.fill(QColor(appearance.theme.window))
    painter = QPainter(picture)
    for widget in widgets:
        widget.render(painter, QPoint(EDGE, EDGE))
    painter.end()
    return picture

"""Exports the page as HTML, as CSV, or as an image."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QLabel, QWidget

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.ui.evaluation.scores.score_table import FIRST, N, ScoreTable
from sciread_app.ui.evaluation.scores.view import ScoresView
from sciread_app.ui.style.theme import Appearance, styled
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, save_file
from trainer.contract.suites import suite_title

SHARP = 2.0  # scale of an image
EDGE, GAP = 24, 10
METRICS, COLUMN = 240, 132  # widths of columns in an image, in pixels
WIDEST, HIGHEST = 8_000, 24_000  # pixels; a larger image is scaled down


def ask_where(kind: str, parent: QWidget) -> Path | None:
    """Ask where to save a file of this kind: html, csv or png."""
    kinds = {
        "html": (tr("Export scores as HTML"), tr("HTML files ({pattern})", pattern="*.html")),
        "csv": (tr("Export scores as CSV"), tr("CSV files ({pattern})", pattern="*.csv")),
        "png": (tr("Export view as image"), tr("PNG images ({pattern})", pattern="*.png")),
    }
    title, pattern = kinds[kind]
    return save_file(parent, DialogPurpose.scores, title, f"scores.{kind}", pattern)


def picture_of(view: QWidget, appearance: Appearance) -> QPixmap:
    """An image of a view, at `SHARP` scale unless it is too large; of a score table with all
    rows."""
    if not isinstance(view, ScoresView):
        return _painted([view], appearance)
    table = ScoreTable(appearance)
    table.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    table.show_scores(view.shown, view.columns)
    header, rows = table.horizontalHeader(), table.verticalHeader()
    for column in range(FIRST, header.count()):
        header.resizeSection(column, COLUMN)
    sections = sum(header.sectionSize(column) for column in range(N, header.count()))
    width = max(view.table.width(), METRICS + sections)
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.resize(width, rows.length() + header.sizeHint().height() + 4)
    table.show()
    table.clearSelection()
    caption = QLabel("\n".join(_caption(view)), wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    caption.setFixedWidth(table.width())
    caption.resize(table.width(), caption.heightForWidth(table.width()))
    try:
        return _painted([table, styled(caption, "faint")], appearance)
    finally:
        table.hide()
        for widget in (table, caption):
            widget.deleteLater()


def save_picture(picture: QPixmap, file: Path) -> None:
    """Save the image. Raises LibraryError."""
    if not picture.save(str(file), "PNG"):
        raise LibraryError(
            tr("Could not save the image {file}.", file=file),
            tr("Free up disk space, or select another folder."),
        )


def _caption(view: ScoresView) -> list[str]:
    """A caption with the data, since an image is used out of context."""
    found = view.shown
    sentences = []
    for board in found.boards:
        days = sorted({kept.report.created[:10] for kept in board.reports})
        when = "–".join(dict.fromkeys((days[0], days[-1]))) if days else ""
        data = found.called.get(board.key, board.data)
        sentences.append(
            tr(
                "Benchmark: {suite}. Data: {data}. Evaluated: {when}.",
                suite=suite_title(board.suite),
                data=data,
                when=when,
            )
        )
    return [*sentences, view.legend.text()]


def _painted(widgets: list[QWidget], appearance: Appearance) -> QPixmap:
    """The images one below the other."""
    high = sum(widget.height() + GAP for widget in widgets) - GAP
    whole = QSize(max(widget.width() for widget in widgets) + 2 * EDGE, high + 2 * EDGE)
    scale = min(SHARP, WIDEST / whole.width(), HIGHEST / whole.height())
    picture = QPixmap(whole * scale)
    picture.setDevicePixelRatio(scale)
    picture.fill(QColor(appearance.theme.window))
    painter = QPainter(picture)
    top = EDGE
    for widget in widgets:
        widget.render(painter, QPoint(EDGE, top))
        top += widget.height() + GAP
    painter.end()
    return picture

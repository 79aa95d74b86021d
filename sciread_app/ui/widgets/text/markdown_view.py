"""Rich text as high as its content, for a page that scrolls as a whole."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QKeyEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QTextBrowser

from sciread_app.domain.text.tex import with_formulas

SEEN_AROUND = 60  # pixels kept visible above and below a focused link
_TASKS = {
    QTextBlockFormat.MarkerType.Checked: "☑ ",
    QTextBlockFormat.MarkerType.Unchecked: "☐ ",
}
_SIZE = QTextFormat.Property.FontSizeAdjustment
_SCROLLS = {
    Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown,
    Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Space,
}  # fmt: skip


class AutoHeightText(QTextBrowser):
    """Rich text that grows to its content. Tab goes from link to link. Links to the web open in the
    browser; `anchorClicked` is for the others. External resources are never loaded."""

    def __init__(self, name: str) -> None:
        super().__init__(openLinks=False)
        self.setAccessibleName(name)
        self.setAcceptDrops(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        for set_policy in (self.setVerticalScrollBarPolicy, self.setHorizontalScrollBarPolicy):
            set_policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        # also after a change of the font, which a style sheet may set long after the text
        self.document().documentLayout().documentSizeChanged.connect(self._follow_size)
        self.anchorClicked.connect(_open_web_page)

    def show_html(self, html: str) -> None:
        self.setHtml(html)
        self._set_width()

    def show_markdown(self, text: str) -> None:
        """Show Markdown; HTML inside it is shown literally."""
        features = QTextDocument.MarkdownFeature
        self.document().setMarkdown(
            with_formulas(text), features.MarkdownDialectGitHub | features.MarkdownNoHTML
        )
        self._tame_headings()
        self._mark_tasks()
        self._set_width()

    def links(self) -> list[QUrl]:
        """The targets of its links, from the top."""
        found = []
        block = self.document().begin()
        while block.isValid():
            piece = block.begin()
            while not piece.atEnd():
                if address := piece.fragment().charFormat().anchorHref():
                    found.append(QUrl(address))
                piece += 1
            block = block.next()
        return found

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._set_width()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _SCROLLS and not event.modifiers():
            event.ignore()  # left to the scroll area around it
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Move to the next link and scroll the surrounding area to it."""
        stays = super().focusNextPrevChild(next)
        area = self._area()
        if stays and self.hasFocus() and area and (inside := area.widget()):
            link = self.viewport().mapTo(inside, self.cursorRect().center())
            area.ensureVisible(link.x(), link.y(), 0, SEEN_AROUND)
        return stays

    def _area(self) -> QScrollArea | None:
        above = self.parentWidget()
        while above is not None and not isinstance(above, QScrollArea):
            above = above.parentWidget()
        return above

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def _tame_headings(self) -> None:
        """Make headings only a little larger than the text: these are notes, not books."""
        block = self.document().begin()
        while block.isValid():
            if level := block.blockFormat().headingLevel():
                cursor = QTextCursor(block)
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                letters = QTextCharFormat()
                letters.setProperty(_SIZE, 1 if level == 1 else 0)
                cursor.mergeCharFormat(letters)
            block = block.next()

    def _mark_tasks(self) -> None:
        """Show done tasks with a check mark; Qt would draw a cross in their boxes."""
        block = self.document().begin()
        while block.isValid():
            mark = _TASKS.get(block.blockFormat().marker(), "")
            if mark and (tasks := block.textList()):
                tasks.remove(block)  # keeps its indent
                shape = block.blockFormat()
                shape.setMarker(QTextBlockFormat.MarkerType.NoMarker)
                shape.setTextIndent(-self.fontMetrics().horizontalAdvance(mark))
                cursor = QTextCursor(block)
                cursor.setBlockFormat(shape)
                cursor.insertText(mark)
            block = block.next()

    def _set_width(self) -> None:
        width = self.viewport().width()
        if width > 0:
            self.document().setTextWidth(width)
            self._follow_size(self.document().size())

    def _follow_size(self, size: QSizeF) -> None:
        self.setFixedHeight(round(size.height() + 0.5))


def _open_web_page(url: QUrl) -> None:
    if url.scheme() in ("http", "https"):
        QDesktopServices.openUrl(url)

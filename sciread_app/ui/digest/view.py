"""The papers of a digest, as rich text that is laid out piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from sciread_app.domain.digest import Digest, TopicDigest
from sciread_app.language import tr
from sciread_app.ui.digest.digest_html import topic_html
from sciread_app.ui.style.theme import Appearance, styled
from sciread_app.ui.widgets.build_queue import BuildQueue
from sciread_app.ui.widgets.layout.boxes import column, remove_widgets, row
from sciread_app.ui.widgets.layout.sections import scrolling
from sciread_app.ui.widgets.text.markdown_view import AutoHeightText

WIDTH = 820  # pixels of the text
GAP = 14  # pixels between two pieces, as between two papers
AT_ONCE = 4  # papers that are laid out at once: more would delay the user's input


class DigestView(QWidget):
    """Tab goes from link to link."""

    link_clicked = Signal(QUrl)  # not to the web

    def __init__(self, appearance: Appearance, parent: QStackedWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.digest: Digest | None = None
        self.texts: list[AutoHeightText] = []
        self._building = BuildQueue(self)
        body, middle = styled(QWidget(), "column"), QWidget()
        middle.setMaximumWidth(WIDTH)
        self._column = column(parent=middle, margins=0, spacing=GAP)
        column(row((middle, 100), 1, margins=0), 1, parent=body, margins=(4, 0, 8, 12))
        self._scroll = scrolling(body, self)
        column(self._scroll, parent=self, margins=0)
        appearance.changed.connect(self._build)

    def show_digest(self, digest: Digest) -> None:
        if digest == self.digest:
            return
        if self.digest is None or self.digest.id != digest.id:
            self._scroll.verticalScrollBar().setValue(0)
        self.digest = digest
        self._build()

    def finish(self) -> None:
        """Lay out all that is left now."""
        self._building.finish()

    def _build(self) -> None:
        remove_widgets(self._column)
        self.texts = []
        pieces = _pieces(self.digest) if self.digest else ()
        self._building.start([partial(self._add, piece) for piece in pieces])

    def _add(self, topic: TopicDigest) -> None:
        text = AutoHeightText(tr("Papers of the digest"))
        text.setStyleSheet("background: transparent")
        text.anchorClicked.connect(self._follow)
        self._column.addWidget(text)
        points = self.font().pointSizeF()
        text.show_html(topic_html(topic, self._appearance.theme, points))
        if self.texts:
            self.setTabOrder(self.texts[-1], text)
        self.texts.append(text)

    def _follow(self, url: QUrl) -> None:
        if url.scheme() not in ("http", "https"):
            self.link_clicked.emit(url)


def _pieces(digest: Digest) -> Iterator[TopicDigest]:
    """The topics in pieces of a few papers, of which the first has the name and the last the
    remarks."""
    for topic in digest.topics:
        starts = range(0, len(topic.entries), AT_ONCE) or (0,)
        for start in starts:
            piece = replace(topic, entries=topic.entries[start : start + AT_ONCE])
            if start:
                piece = replace(piece, subject=replace(piece.subject, name=""))
            yield piece if start == starts[-1] else replace(piece, more=0, note="")

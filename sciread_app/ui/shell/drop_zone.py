"""The areas of the window on which files and texts can be dropped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QLabel, QWidget

from sciread_app.language import tr
from sciread_app.ui.style.theme import styled

MARGIN = 24
ALIKE = 130  # pixels: height of the upper part
LONGEST = 5_000  # characters of a text


class DropZone(QLabel):
    """Covers the window while files, or a text or web address of another program, are dragged
    across it, if `ready` returns True. Files dropped on its upper part are searched for, and not
    added."""

    dropped = Signal(object)  # list[Path]
    text_dropped = Signal(str)  # such as an identifier
    alike_requested = Signal(object)  # list[Path]

    def __init__(self, window: QWidget, ready: Callable[[], bool]) -> None:
        super().__init__(window)
        self._window = window
        self._ready = ready
        self.setObjectName("dropzone")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        text = tr("Drop here to find similar papers without adding the files")
        self.alike = styled(QLabel(text, window), "dropzone")
        self.alike.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.alike.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.alike.hide()
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self._window or event.type() not in _DRAGS:
            return False
        if event.type() is QEvent.Type.DragEnter:
            assert isinstance(event, QDropEvent)
            if self._ready() and (_paths(event) or _text(event)):
                _accept(event)
                self._cover(is_text=not _paths(event))
            return event.isAccepted()
        self.hide()
        self.alike.hide()
        if event.type() is QEvent.Type.Drop:
            assert isinstance(event, QDropEvent)
            _accept(event)
            above = event.position().y() <= self.alike.geometry().bottom()
            if paths := _paths(event):
                (self.alike_requested if above else self.dropped).emit(paths)
            elif text := _text(event):
                self.text_dropped.emit(text)
        return True

    def _cover(self, *, is_text: bool) -> None:
        whole = self._window.rect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        self.alike.setGeometry(whole.adjusted(0, 0, 0, ALIKE - whole.height()))
        self.setGeometry(whole if is_text else whole.adjusted(0, ALIKE + MARGIN // 2, 0, 0))
        adds_file = tr("Drop here to add to your library")
        self.setText(tr("Drop here to look up the paper") if is_text else adds_file)
        for zone in (self,) if is_text else (self, self.alike):
            zone.show()
            zone.raise_()


_DRAGS = (QEvent.Type.DragEnter, QEvent.Type.DragLeave, QEvent.Type.Drop)


def _accept(event: QDropEvent) -> None:
    """Take a copy, whatever is proposed: after a move, the other program may delete the files."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def _paths(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]


def _text(event: QDropEvent) -> str:
    """The web addresses, else the text, that come from another program; empty if there are none."""
    data = event.mimeData()
    if event.source() is not None:
        return ""  # papers and texts of this window have other targets
    addresses = [url.toString() for url in data.urls() if url.scheme() in ("http", "https")]
    return "\n".join(addresses) or data.text().strip()[:LONGEST]

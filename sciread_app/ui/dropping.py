"""Files that are dropped anywhere on the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QLabel, QWidget

MARGIN = 24


class DropZone(QLabel):
    """Lies over the window while files are dragged across it, once `ready` says that they could
    be taken."""

    dropped = Signal(object)  # list[Path]

    def __init__(self, window: QWidget, ready: Callable[[], bool]) -> None:
        super().__init__("Drop to add to your library", window)
        self._window = window
        self._ready = ready
        self.setObjectName("dropzone")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self._window or event.type() not in _DRAGS:
            return False
        if event.type() is QEvent.Type.DragEnter:
            assert isinstance(event, QDropEvent)
            if self._ready() and _paths(event):
                event.acceptProposedAction()
                self._cover()
            return event.isAccepted()
        self.hide()
        if event.type() is QEvent.Type.Drop:
            assert isinstance(event, QDropEvent)
            event.acceptProposedAction()
            if paths := _paths(event):
                self.dropped.emit(paths)
        return True

    def _cover(self) -> None:
        self.setGeometry(self._window.rect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN))
        self.show()
        self.raise_()


_DRAGS = (QEvent.Type.DragEnter, QEvent.Type.DragLeave, QEvent.Type.Drop)


def _paths(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]

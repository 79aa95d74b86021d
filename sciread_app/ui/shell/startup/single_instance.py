"""One window per library: a later start passes its files to the running window."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, QObject, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import QApplication

PATIENCE_MS = 3_000
LONGEST = 1_000_000  # bytes of a message
RECEIVED = b"heard\n"


class SingleInstanceServer(QObject):
    """Listens for later starts with this home, and for files that the system asks to open."""

    # list[Path], empty if only the window is to be shown; the key of a page, or an empty string
    notified = Signal(object, str)

    def __init__(self, home: Path, app: QApplication) -> None:
        super().__init__(app)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)
        QLocalServer.removeServer(_name(home))  # left behind by a window that was killed
        self._server.listen(_name(home))
        app.installEventFilter(self)

    def close(self) -> None:
        self._server.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.url().isLocalFile():
            self.notified.emit([Path(event.url().toLocalFile())], "")
            return True
        return False

    def _answer(self) -> None:
        while caller := self._server.nextPendingConnection():
            caller.readyRead.connect(lambda caller=caller: self._listen(caller))
            caller.disconnected.connect(caller.deleteLater)
            self._listen(caller)

    def _listen(self, caller: QLocalSocket) -> None:
        if caller.bytesAvailable() > LONGEST:
            caller.abort()
        if not caller.canReadLine():
            return
        message = decode_message(bytes(caller.readLine().data()))
        caller.write(QByteArray(RECEIVED))
        caller.flush()
        caller.disconnectFromServer()
        if message is not None:
            self.notified.emit(*message)


def notify_running_instance(home: Path, paths: Sequence[Path], page: str = "") -> bool:
    """Pass these files and the key of a page to the running window of this home. False if it does
    not reply."""
    socket = QLocalSocket()
    socket.connectToServer(_name(home))
    if not socket.waitForConnected(PATIENCE_MS):
        return False
    socket.write(QByteArray(encode_message(paths, page)))
    if not socket.canReadLine():
        socket.waitForReadyRead(PATIENCE_MS)
    return socket.readLine().data() == RECEIVED


def encode_message(paths: Sequence[Path], page: str = "") -> bytes:
    """The message that passes these paths and the key of a page."""
    message = {"paths": [str(path.absolute()) for path in paths], "page": page}
    return json.dumps(message).encode() + b"\n"


def decode_message(line: bytes) -> tuple[list[Path], str] | None:
    """The paths and the page in a message; None if the message is invalid."""
    try:
        message = json.loads(line)
        paths, page = message["paths"], message.get("page", "")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(paths, list) or not all(isinstance(one, str) for one in (*paths, page)):
        return None
    return [Path(path) for path in paths], page


def _name(home: Path) -> str:
    """The name of the socket of a home, in the private folder of the user if there is one."""
    name = "sciread-" + hashlib.sha256(os.fsencode(home.resolve())).hexdigest()[:16]
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    return str(Path(folder, name)) if folder and Path(folder).is_dir() else name

"""Showing a file in the system's file manager."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QProcess, QUrl
from PySide6.QtGui import QDesktopServices

_MANAGER = "org.freedesktop.FileManager1"


def reveal(path: Path) -> None:
    """Open the folder of `path`, with the file selected where the file manager supports it."""
    if sys.platform == "darwin":
        QProcess.startDetached("open", ["-R", str(path)])
    elif sys.platform == "win32":
        QProcess.startDetached("explorer", ["/select,", str(path)])
    else:
        _ask_file_manager(path)


def _ask_file_manager(path: Path) -> None:
    def open_folder() -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(path.parent))

    try:
        from PySide6 import QtDBus
    except ImportError:
        open_folder()
        return
    bus = QtDBus.QDBusConnection.sessionBus()
    if not bus.isConnected():
        open_folder()
        return
    message = QtDBus.QDBusMessage.createMethodCall(
        _MANAGER, "/" + _MANAGER.replace(".", "/"), _MANAGER, "ShowItems"
    )
    message.setArguments([[QUrl.fromLocalFile(path).toString()], ""])
    watcher = QtDBus.QDBusPendingCallWatcher(bus.asyncCall(message), QCoreApplication.instance())

    def answered(watcher: QtDBus.QDBusPendingCallWatcher) -> None:
        if watcher.isError():
            open_folder()
        watcher.deleteLater()

    watcher.finished.connect(answered)

"""The connection to the display. Qt aborts the process where there is none; this ends it with a
sentence instead."""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from sciread_app.language import tr


def connect() -> QApplication:
    """The application, made if there is none. Without a display that can be used, say so on the
    terminal and exit with 1."""
    if app := QApplication.instance():
        assert isinstance(app, QApplication)
        return app
    said: list[str] = []

    def hear(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        said.append(text)
        if kind == QtMsgType.QtFatalMsg:  # Qt calls abort() when this returns
            _say_why(said)
            os._exit(1)

    qInstallMessageHandler(hear)
    try:
        app = QApplication(sys.argv[:1])
    finally:
        qInstallMessageHandler(None)
    for text in said:
        print(text, file=sys.stderr)
    return app


def _say_why(said: list[str]) -> None:
    """`said`: what Qt has said until it gave up."""
    asked = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform == "linux" and not any(os.environ.get(name) for name in asked):
        reason = tr("There is no display, so the window cannot open.")
    else:
        reason = tr("The window cannot open: {why}", why=said[0])
    print(reason, file=sys.stderr)
    hint = tr(
        "Start SciRead in a desktop session, or use its commands, which need no display: "
        "`sciread --help` lists them."
    )
    print(hint, file=sys.stderr, flush=True)

"""The QApplication, and what PySide does at its start."""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from sciread_app.language import tr


def connect() -> QApplication:
    """Return the application, made if there is none.

    Without a display that can be used, Qt would abort the process; this reports it on the terminal
    and exits with 1.
    """
    if app := QApplication.instance():
        assert isinstance(app, QApplication)
        return app
    messages: list[str] = []

    def handle(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        messages.append(text)
        if kind == QtMsgType.QtFatalMsg:  # Qt calls abort() when this returns
            _report_no_display(messages[0])
            os._exit(1)

    qInstallMessageHandler(handle)
    try:
        app = QApplication(sys.argv[:1])
    finally:
        qInstallMessageHandler(None)
    for text in messages:
        print(text, file=sys.stderr)
    return app


def _report_no_display(message: str) -> None:
    """`message` is the first message of Qt."""
    asked = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform == "linux" and not any(os.environ.get(name) for name in asked):
        reason = tr("SciRead cannot open a window because no display is available.")
    else:
        reason = tr("SciRead cannot open a window: {why}", why=message)
    print(reason, file=sys.stderr)
    hint = tr(
        "Start SciRead in a desktop session, or use the commands listed by `sciread "
        "--help`, which need no display."
    )
    print(hint, file=sys.stderr, flush=True)


def disable_source_inspection() -> None:
    """Keep PySide from reading the source of every module that is imported.

    It looks for imports of `__feature__`, which this program does not use. Reading the sources
    takes a tenth of the start-up time and 25 MB.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        vars(feature)["_mod_uses_pyside"] = lambda module: True

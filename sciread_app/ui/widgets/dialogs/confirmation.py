"""A confirmation before something that cannot be undone."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from sciread_app.language import tr


def confirm(
    parent: QWidget,
    title: str,
    question: str,
    consequence: str,
    action: str,
    do: Callable[[], object],
) -> None:
    """Ask in a modal dialog and return at once; `do` is called if the button `action` is pressed.

    Return and Esc both cancel. Texts are plain: titles of papers and names of files are not parsed
    as markup.
    """
    box = QMessageBox(QMessageBox.Icon.Question, title, question, parent=parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setInformativeText(consequence)
    yes = box.addButton(action, QMessageBox.ButtonRole.DestructiveRole)
    box.setDefaultButton(box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole))
    yes.clicked.connect(lambda: do())
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()

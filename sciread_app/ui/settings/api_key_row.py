"""A row of the settings page for the key of a source."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QLineEdit,
    QPushButton,
    QSizePolicy,
)

from sciread_app.language import tr
from sciread_app.ui.settings.view_models import KeyPlace
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.form_rows import FormRow

PLACES = {
    "keyring": tr("Kept in the keyring of this system."),
    "environment": tr("Taken from the environment."),
    "": tr("None yet."),
}


class ApiKeyRow(FormRow):
    """An API key, which can be entered but is never displayed."""

    given = Signal(str, str)  # name, key; an empty key deletes the stored one

    def __init__(self, key: KeyPlace) -> None:
        self._key = key
        self.line = styled(QLineEdit(echoMode=QLineEdit.EchoMode.Password), "field")
        title = tr("Key for {source}", source=key.title)
        self.line.setAccessibleName(title)
        self.line.setPlaceholderText(tr("Paste a key"))
        self.line.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.keep = QPushButton(tr("Keep"))
        self.forget = QPushButton(tr("Forget"))
        self.keep.setAccessibleName(tr("Keep the key for {source}", source=key.title))
        self.forget.setAccessibleName(tr("Forget the key for {source}", source=key.title))
        super().__init__(
            title, f"{key.what} {PLACES[key.where]}", self.line, self.keep,
            self.forget,
        )  # fmt: skip
        self.keep.setEnabled(False)
        self.forget.setEnabled(key.where == "keyring")
        self.line.textChanged.connect(lambda text: self.keep.setEnabled(bool(text.strip())))
        self.line.returnPressed.connect(self._give)
        self.keep.clicked.connect(self._give)
        self.forget.clicked.connect(lambda: self.given.emit(self._key.name, ""))

    def _give(self) -> None:
        if value := self.line.text().strip():
            self.line.clear()
            self.given.emit(self._key.name, value)

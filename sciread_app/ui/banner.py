"""A line above the page that says what went wrong or what has happened, until it is closed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout

from sciread_app.ui.icons import icon
from sciread_app.ui.jobs import Problem
from sciread_app.ui.theme import Appearance, Theme, styled


class Banner(QFrame):
    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.hide()
        self._report = ""
        self.message = QLabel(wordWrap=True)
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        self.message.setFont(bold)
        self.hint = styled(QLabel(wordWrap=True), "quiet")
        for label in (self.message, self.hint):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = QPushButton("Copy report")
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._report))
        self._close = styled(QToolButton(), "link")
        self._close.setToolTip("Close")
        self._close.setAccessibleName("Close the message")
        self._close.clicked.connect(self.hide)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.message)
        words.addWidget(self.hint)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 8, 10)
        row.addLayout(words, 1)
        row.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)

    def show_problem(self, problem: Problem) -> None:
        self._report = problem.report
        self._say("problem", problem.message, problem.hint)

    def show_notice(self, message: str, hint: str = "") -> None:
        self._report = ""
        self._say("notice", message, hint)

    def _say(self, kind: str, message: str, hint: str) -> None:
        self.message.setText(message)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        self.copy.setVisible(bool(self._report))
        self.setProperty("kind", kind)
        # A style that depends on a property is looked up again only when asked to.
        self.style().unpolish(self)
        self.style().polish(self)
        self.setAccessibleName(f"{message} {hint}")
        self.show()

    def _paint(self, theme: Theme) -> None:
        self._close.setIcon(icon("close", theme.quiet))

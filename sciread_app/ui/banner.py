"""A line above the page that says what went wrong or what has happened, until it is closed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QFont, QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout

from sciread_app.language import tr, trn
from sciread_app.ui.icons import icon
from sciread_app.ui.jobs import Problem
from sciread_app.ui.labels import plain_label
from sciread_app.ui.theme import Appearance, Theme, styled

Action = tuple[str, Callable[[], object]]  # what a button says, and does


@dataclass(frozen=True)
class Message:
    """`kind` is "problem" or "notice". One that `passes` makes room for the next that does."""

    kind: str
    text: str
    hint: str = ""
    report: str = ""
    actions: tuple[Action, ...] = ()
    passes: bool = False


class Banner(QFrame):
    """Shows the last message first; closed, the one before comes to light. None hides another for
    good but a passing notice, which only says what has just been done."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.hide()
        self._messages: list[Message] = []  # the last one is shown
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        self.message = plain_label(font=bold)
        self.hint = styled(plain_label(), "quiet")
        self.copy = QPushButton(tr("Copy report"))
        self.copy.clicked.connect(self._copy)
        self.more = styled(QLabel(), "quiet")
        self.close_button = styled(QToolButton(), "link")
        self.close_button.setToolTip(tr("Close"))
        self.close_button.setAccessibleName(tr("Close the message"))
        self.close_button.clicked.connect(self._close)
        self._lay_out()
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)

    def show_problem(self, problem: Problem, *actions: Action) -> None:
        self._put(Message("problem", problem.message, problem.hint, problem.report, actions))

    def show_notice(
        self, message: str, hint: str = "", *actions: Action, passes: bool | None = None
    ) -> None:
        """With actions it waits for an answer, unless it `passes` all the same: then the next
        passing notice takes its place."""
        passes = not actions if passes is None else passes
        self._put(Message("notice", message, hint, actions=actions, passes=passes))

    def _put(self, message: Message) -> None:
        self._messages = [
            one
            for one in self._messages
            if not (one.passes and message.passes)
            and (one.text, one.hint) != (message.text, message.hint)
        ]
        self._messages.append(message)
        self._show()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def _close(self) -> None:
        self._messages.pop()
        self._show()

    def _show(self) -> None:
        self.setVisible(bool(self._messages))
        if not self._messages:
            return
        message = self._messages[-1]
        self.message.setText(message.text)
        self.hint.setText(message.hint)
        self.hint.setVisible(bool(message.hint))
        self.copy.setVisible(bool(message.report))
        waiting = len(self._messages) - 1
        # Translators: messages that wait below this one
        self.more.setText(trn("{n} more", "{n} more", waiting))
        self.more.setVisible(waiting > 0)
        self._show_actions(message.actions)
        self.setProperty("kind", message.kind)
        # A style that depends on a property is looked up again only when asked to.
        self.style().unpolish(self)
        self.style().polish(self)
        self.setAccessibleName(f"{message.text} {message.hint}")

    def _show_actions(self, actions: Sequence[Action]) -> None:
        while item := self._actions.takeAt(0):
            if widget := item.widget():
                widget.hide()  # it may be the one whose click we are in
                widget.deleteLater()
        for name, do in actions:
            button = QPushButton(name)
            button.clicked.connect(self._close)
            button.clicked.connect(lambda _=False, do=do: do())
            self._actions.addWidget(button)
            button.show()  # now, and not when Qt gets round to it

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._messages[-1].report)

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.message)
        words.addWidget(self.hint)
        self._actions = QHBoxLayout()
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 8, 10)
        row.addLayout(words, 1)
        row.addLayout(self._actions)
        row.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.more, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)

    def _paint(self, theme: Theme) -> None:
        self.close_button.setIcon(icon("close", theme.quiet))

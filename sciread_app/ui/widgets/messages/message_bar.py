"""A bar of messages over the page: errors, warnings and notices, with actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import shiboken6
from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QEnterEvent,
    QFont,
    QGuiApplication,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QPushButton, QToolButton, QWidget

from sciread_app.language import tr, trn
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, styled
from sciread_app.ui.widgets.focus import holds_focus
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout
from sciread_app.ui.widgets.text.labels import plain_label

Action = tuple[str, Callable[[], object]]  # text of a button, and what it does

SHOWN_MS = 10_000  # for a notice without buttons, while the window is in use


@dataclass(frozen=True)
class Message:
    """A message; `kind` is "problem", "warning" or "notice". A message that `passes` is replaced by
    the next one that does."""

    kind: str
    text: str
    hint: str = ""
    report: str = ""
    actions: tuple[Action, ...] = ()
    passes: bool = False

    @property
    def closes_by_itself(self) -> bool:
        """Return whether it closes after a time: it needs no answer and offers none."""
        return self.kind == "notice" and self.passes and not self.actions


class MessageBar(QFrame):
    """Shows the newest message; closing it reveals the one before. Only passing notices, which
    report what has just been done, replace each other.

    The bar is an overlay, placed by `MainLayout`, so that nothing moves when it appears or
    disappears. While the mouse or the focus is in it, a new message waits below the current one, so
    that no button changes under a click. Esc closes it, wherever the focus is.
    """

    changed = Signal(bool)  # the contents have changed; whether the bar may be moved to fit them

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.hide()
        self._messages: list[Message] = []  # the last one is shown
        self._came_from: QWidget | None = None  # the widget that had the focus before
        self._buttons: list[QPushButton] = []  # the actions of the shown message
        self._row = FlowLayout(8)
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        self.message = plain_label(font=bold)
        self.hint = styled(plain_label(), "quiet")
        self.copy = QPushButton(tr("Copy report"))
        self.copy.clicked.connect(self._copy)
        self.more = styled(QLabel(), "quiet")
        self.close_button = styled(QToolButton(), "link")
        self.close_button.setToolTip(tr("Close (Esc)"))
        self.close_button.setAccessibleName(tr("Close message"))
        self.close_button.clicked.connect(self.close_message)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.close_message)
        self.going = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self.going.timeout.connect(self._go)
        self._lay_out()
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow_focus)
        appearance.follow(self._paint)

    def show_problem(self, problem: JobError, *actions: Action) -> None:
        self._put(Message("problem", problem.message, problem.hint, problem.report, actions))

    def show_warning(
        self, message: str, hint: str = "", *actions: Action, passes: bool = False
    ) -> None:
        """Show something the user should know, or a question. It stays until closed, unless it
        `passes`: then the next passing message replaces it."""
        self._put(Message("warning", message, hint, actions=actions, passes=passes))

    def show_notice(
        self, message: str, hint: str = "", *actions: Action, passes: bool | None = None
    ) -> None:
        """Show a notice. One with actions stays until answered, unless it `passes`: then the next
        passing message replaces it."""
        passes = not actions if passes is None else passes
        self._put(Message("notice", message, hint, actions=actions, passes=passes))

    def close_message(self) -> None:
        """Close the message shown. The focus returns to the widget it came from."""
        if not self._messages:
            return
        focused = holds_focus(self)
        self._messages.pop()
        self._show(new=False)
        came_from = self._came_from
        if focused and self._messages:
            self.close_button.setFocus()
        elif focused and came_from and shiboken6.isValid(came_from) and came_from.isVisible():
            came_from.setFocus(Qt.FocusReason.OtherFocusReason)

    def enterEvent(self, event: QEnterEvent) -> None:
        self.going.stop()

    def leaveEvent(self, event: QEvent) -> None:
        self._start_going()

    def _put(self, message: Message) -> None:
        shown = self._messages[-1:]
        others = [
            one
            for one in self._messages
            if not (one.passes and message.passes)
            and (one.text, one.hint) != (message.text, message.hint)
        ]
        in_use = self.isVisible() and (self.underMouse() or holds_focus(self))
        if in_use and shown and shown[0].text != message.text:
            self._messages = [*(one for one in others if one is not shown[0]), message, shown[0]]
            self._show_more()
        else:
            self._messages = [*others, message]
            self._show(new=True)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def _show(self, *, new: bool) -> None:
        self.going.stop()
        if self._messages:
            self._fill(self._messages[-1])
            # Before it is visible: a bar that appears under the mouse would count as entered.
            self.changed.emit(new and not (self.isVisible() and self.underMouse()))
        self.setVisible(bool(self._messages))
        self._start_going()

    def _fill(self, message: Message) -> None:
        self.message.setText(message.text)
        self.hint.setText(message.hint)
        self.hint.setVisible(bool(message.hint))
        self.copy.setVisible(bool(message.report))
        self._show_more()
        self._show_actions(message.actions)
        self.setProperty("kind", message.kind)
        # Qt evaluates property selectors again only on request.
        self.style().unpolish(self)
        self.style().polish(self)
        self.setAccessibleName(f"{message.text} {message.hint}")

    def _show_more(self) -> None:
        waiting = len(self._messages) - 1
        # Translators: messages that wait below this one
        self.more.setText(trn("{n} more", "{n} more", waiting))
        self.more.setVisible(waiting > 0)

    def _show_actions(self, actions: Sequence[Action]) -> None:
        for button in self._buttons:
            self._row.removeWidget(button)
            button.hide()  # this may be the button whose click is being handled
            button.deleteLater()
        self._buttons = []
        before = self.copy
        for name, do in actions:
            button = QPushButton(name)
            button.clicked.connect(self.close_message)
            button.clicked.connect(lambda _=False, do=do: do())
            self._row.addWidget(button)
            self._buttons.append(button)
            button.show()  # now, rather than with the next layout pass
            QWidget.setTabOrder(before, button)
            before = button

    def _start_going(self) -> None:
        if self._messages and self._messages[-1].closes_by_itself:
            self.going.start()

    def _go(self) -> None:
        """Close a notice, but only in an active window, and not under the mouse or with the
        focus."""
        if self.underMouse() or holds_focus(self) or not self.isActiveWindow():
            self.going.start()
        else:
            self.close_message()

    def _follow_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        if now and old and self.isAncestorOf(now) and not self.isAncestorOf(old):
            self._came_from = old

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._messages[-1].report)

    def _lay_out(self) -> None:
        words, top = column(self.message, self.hint, spacing=2), Qt.AlignmentFlag.AlignTop
        head = row((words, 1), (self.more, 0, top), (self.close_button, 0, top))
        self._row.addWidget(self.copy)
        column(head, self._row, parent=self, margins=(16, 10, 8, 12), spacing=8)
        QWidget.setTabOrder(self.copy, self.close_button)

    def _paint(self, theme: Theme) -> None:
        self.close_button.setIcon(icon("close", theme.quiet))

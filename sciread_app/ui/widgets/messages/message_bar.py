"""Messages over the page: errors, warnings and notices, with actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import shiboken6
from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
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
from sciread_app.ui.style.theme import LIGHT, Appearance, Theme, styled
from sciread_app.ui.widgets.focus import holds_focus
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout
from sciread_app.ui.widgets.text.labels import plain_label

Action = tuple[str, Callable[[], object]]  # text of a button, and what it does

MOST = 3  # messages that are shown at a time; others wait
SHOWN_MS = 10_000  # for a notice that passes, while the window is in use
GAP = 8  # pixels between two messages
ICON = 20  # pixels
# The icon of each kind of message, and its color in the theme
ICONS = {"problem": ("failed", "danger"), "warning": ("warning", "caution")}


@dataclass(frozen=True, eq=False)
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
        """Return whether it closes after a time: it only reports what has been done."""
        return self.kind == "notice" and self.passes

    def repeats(self, other: Message) -> bool:
        """Return whether both say the same."""
        return (self.text, self.hint) == (other.text, other.hint)


class MessageCard(QFrame):
    """Shows one message."""

    closed = Signal()  # by one of its buttons

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("banner")
        self._shown: Message | None = None
        self._theme = LIGHT
        self._buttons: list[QPushButton] = []  # the actions of the message
        self._row = FlowLayout(8)
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        self._icon = QLabel()
        self._icon.setFixedSize(ICON, ICON)
        self.message = plain_label(font=bold)
        self.hint = styled(plain_label(), "quiet")
        self.copy = QPushButton(tr("Copy report"))
        self.copy.clicked.connect(self._copy)
        self.more = styled(QLabel(), "quiet")
        self.close_button = styled(QToolButton(), "link")
        self.close_button.setToolTip(tr("Close (Esc)"))
        self.close_button.setAccessibleName(tr("Close message"))
        self.close_button.clicked.connect(self.closed)
        self._lay_out()
        self.hide()
        appearance.follow(self._paint)

    def show_message(self, message: Message) -> None:
        """Show this message; if it is shown already, nothing changes."""
        if message is self._shown:
            return
        self._shown = message
        self.message.setText(message.text)
        self.hint.setText(message.hint)
        self.hint.setVisible(bool(message.hint))
        self.copy.setVisible(bool(message.report))
        self._show_actions(message.actions)
        self.setProperty("kind", message.kind)
        # Qt evaluates property selectors again only on request.
        self.style().unpolish(self)
        self.style().polish(self)
        self.setAccessibleName(f"{message.text} {message.hint}")
        self._paint(self._theme)
        self.updateGeometry()

    def show_more(self, waiting: int) -> None:
        """Show how many messages wait."""
        # Translators: messages that wait for room
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
            button.clicked.connect(self.closed)
            button.clicked.connect(lambda _=False, do=do: do())
            self._row.addWidget(button)
            self._buttons.append(button)
            button.show()  # now, rather than with the next layout pass
            QWidget.setTabOrder(before, button)
            before = button

    def _copy(self) -> None:
        if self._shown:
            QGuiApplication.clipboard().setText(self._shown.report)

    def _lay_out(self) -> None:
        text, top = column(self.message, self.hint, spacing=2), Qt.AlignmentFlag.AlignTop
        icon_at_top = (self._icon, 0, top)
        head = row(icon_at_top, (text, 1), (self.more, 0, top), (self.close_button, 0, top))
        self._row.addWidget(self.copy)
        column(head, self._row, parent=self, margins=(16, 10, 8, 12), spacing=8)
        QWidget.setTabOrder(self.copy, self.close_button)

    def _paint(self, theme: Theme) -> None:
        self._theme = theme
        self.close_button.setIcon(icon("close", theme.quiet))
        name, colour = ICONS.get(self._shown.kind if self._shown else "", ("", ""))
        self._icon.setVisible(bool(name))
        if name:
            picture = icon(name, getattr(theme, colour))
            self._icon.setPixmap(picture.pixmap(QSize(ICON, ICON), self.devicePixelRatioF()))


class MessageBar(QWidget):
    """A stack of the newest messages, the newest at the top. Only passing messages, which report
    what has just been done, replace each other.

    The stack is an overlay, placed by `MainLayout`, so that nothing moves when a message appears or
    disappears. While the mouse or the focus is in it, messages are only added above, so that no
    button changes under a click. Esc closes the newest message, wherever the focus is.
    """

    changed = Signal(bool)  # the contents have changed; whether the stack may be moved to fit them

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._messages: list[Message] = []  # oldest first
        self._shown: list[Message] = []  # each in the card at the same place of `_cards`
        self._came_from: QWidget | None = None  # the widget that had the focus before
        # Created from top to bottom, which is the tab order.
        self._cards = [MessageCard(appearance) for _ in range(MOST)][::-1]
        for number, card in enumerate(self._cards):
            card.closed.connect(partial(self._close_card, number))
        column(*reversed(self._cards), parent=self, margins=0, spacing=GAP)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.close_message)
        self.going = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self.going.timeout.connect(self._go)
        self.hide()
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow_focus)

    @property
    def newest(self) -> MessageCard:
        """The card of the newest message, or the one it would be in."""
        return self._cards[max(0, len(self._shown) - 1)]

    @property
    def message(self) -> QLabel:
        """The label with the newest message."""
        return self.newest.message

    @property
    def hint(self) -> QLabel:
        """The label with the hint of the newest message."""
        return self.newest.hint

    @property
    def cards(self) -> list[MessageCard]:
        """The cards that are shown, from bottom to top."""
        return [card for card in self._cards if not card.isHidden()]

    def show_problem(self, problem: JobError, *actions: Action) -> None:
        """Show a problem until it is closed. The user knows of a job that was canceled."""
        if not problem.cancelled:
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
        """Show a notice. One with actions stays until answered, unless it `passes`: then it closes
        after some seconds, or when the next passing message replaces it."""
        passes = not actions if passes is None else passes
        self._put(Message("notice", message, hint, actions=actions, passes=passes))

    def close_message(self) -> None:
        """Close the newest message. The focus returns to the widget it came from."""
        if self._shown:
            self._close(self._shown[-1])

    def fit(self, area: QSize) -> QSize:
        """Show as many messages as fit into `area`, the newest first, and return their size."""
        self.ensurePolished()
        for card in self._cards[: len(self._shown)]:
            card.ensurePolished()
            card.show()
        for card in self._cards[: max(0, len(self._shown) - 1)]:
            if self.heightForWidth(area.width()) > area.height():
                card.hide()
        self.newest.show_more(len(self._messages) - len(self.cards))
        return QSize(area.width(), min(self.heightForWidth(area.width()), area.height()))

    def enterEvent(self, event: QEnterEvent) -> None:
        self.going.stop()

    def leaveEvent(self, event: QEvent) -> None:
        self._start_going()

    @property
    def _in_use(self) -> bool:
        return self.isVisible() and (self.underMouse() or holds_focus(self))

    def _put(self, message: Message) -> None:
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
        replaced = [
            one for one in self._messages if (one.passes and message.passes) or one.repeats(message)
        ]
        if self._in_use:
            if any(one.repeats(message) for one in self._shown):
                return
            replaced = [one for one in replaced if one not in self._shown]
        self._messages = [one for one in self._messages if one not in replaced] + [message]
        self._show(new=True)

    def _close_card(self, number: int) -> None:
        if number < len(self._shown):
            self._close(self._shown[number])

    def _close(self, message: Message) -> None:
        focused = holds_focus(self)
        self._messages.remove(message)
        self._show(new=False)
        came_from = self._came_from
        if focused and self._messages:
            self.newest.close_button.setFocus()
        elif focused and came_from and shiboken6.isValid(came_from) and came_from.isVisible():
            came_from.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show(self, *, new: bool) -> None:
        self.going.stop()
        kept = [one for one in self._shown if one in self._messages] if self._in_use else []
        others = [one for one in self._messages if one not in kept]
        room = MOST - len(kept)
        self._shown = [*kept, *others[max(0, len(others) - room) :]]
        for number, card in enumerate(self._cards):
            if number < len(self._shown):
                card.show_message(self._shown[number])
            card.setVisible(number < len(self._shown))
            card.show_more(0)
        if self._shown:
            self.newest.show_more(len(self._messages) - len(self._shown))
            self.setAccessibleName(self.newest.accessibleName())
            # Before it is visible: a stack that appears under the mouse would count as entered.
            self.changed.emit(new and not (self.isVisible() and self.underMouse()))
        self.setVisible(bool(self._shown))
        self._start_going()

    def _start_going(self) -> None:
        if any(one.closes_by_itself for one in self._shown):
            self.going.start()

    def _go(self) -> None:
        """Close the notices that pass, but only in an active window, and not under the mouse or
        with the focus."""
        if self._in_use or not self.isActiveWindow():
            self.going.start()
        else:
            self._messages = [one for one in self._messages if not one.closes_by_itself]
            self._show(new=False)

    def _follow_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        if now and old and self.isAncestorOf(now) and not self.isAncestorOf(old):
            self._came_from = old

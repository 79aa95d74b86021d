"""What stands above the papers that are recommended: for what, which of them, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from sciread_app.domain.recommend import Among, Wishes
from sciread_app.language import tr
from sciread_app.ui.elided import ElidedLabel
from sciread_app.ui.flow import Flow
from sciread_app.ui.foryou_values import Part, Suggestions
from sciread_app.ui.icons import icon
from sciread_app.ui.jobs import Problem
from sciread_app.ui.segments import Segments
from sciread_app.ui.theme import Appearance, Theme, scaled, styled

PAUSE_MS = 500  # after the last letter of a wish


class Where(NamedTuple):
    """Among which papers is looked."""

    text: str
    among: Among
    days: int


WHERE = (
    Where(tr("Fetched in the last 30 days"), Among.fetched, 30),
    Where(tr("Fetched in the last 7 days"), Among.fetched, 7),
    Where(tr("Fetched in the last year"), Among.fetched, 365),
    Where(tr("Added in the last 30 days"), Among.added, 30),
    Where(tr("The whole library"), Among.library, 0),
)
AGES = (
    (tr("Age does not matter"), 0.0),
    (tr("Counts half after 3 days"), 3.0),
    (tr("Counts half after a week"), 7.0),
    (tr("Counts half after a month"), 30.0),
    (tr("Counts half after a year"), 365.0),
)
NAMES = {
    # Translators: papers that somebody has not looked at yet
    Part.new: tr("New"),
    Part.seen: tr("Seen"),
    Part.far: tr("Less alike"),
    Part.waved: tr("Not for me"),
}
TIPS = {
    Part.new: tr("What came since you looked last, and is like your papers"),
    Part.seen: tr("What you have seen before"),
    Part.far: tr("What is further from your papers than these are from one another"),
    Part.waved: tr("What you said is not for you; it can be taken back"),
}


class OneOf(QToolButton):
    """A button that says what was chosen, and offers the rest in a menu."""

    chosen = Signal()  # by a person

    def __init__(self, name: str, choices: Sequence[str], appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("link")
        self.setAccessibleName(name)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow is behind the text
        self._choices = choices
        menu = QMenu(self)
        for number, text in enumerate(choices):
            menu.addAction(text, partial(self._take, number)).setCheckable(True)
        self.setMenu(menu)
        self.choose(0)
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)

    def choose(self, number: int) -> None:
        self.number = number
        for n, action in enumerate(self.menu().actions()):
            action.setChecked(n == number)
        self.setText(self._choices[number])
        self.setAccessibleDescription(self._choices[number])

    def _take(self, number: int) -> None:
        self.choose(number)
        self.chosen.emit()

    def _paint(self, theme: Theme) -> None:
        self.setIcon(icon("down", theme.accent))


class ForYouHead(QWidget):
    where_chosen = Signal()
    part_chosen = Signal(object)  # Part
    wishes_changed = Signal(object)  # Wishes
    keep_wanted = Signal()
    wave_wanted = Signal()
    later_wanted = Signal()
    back_wanted = Signal()  # take back what was waved away
    seen_wanted = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.part = Part.new
        self._wishes = Wishes()
        self._build(appearance)
        self._connect()
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)

    @property
    def where(self) -> Where:
        return WHERE[self.among.number]

    def show_subject(self, name: str) -> None:
        self.title.setText(name)

    def show_suggestions(self, found: Suggestions) -> None:
        for part, button in zip(Part, self.switch.stops(), strict=True):
            count = len(found.part(part))
            assert isinstance(button, QPushButton)
            button.setText(f"{NAMES[part]}  {count:,}" if count else NAMES[part])
        self.note.setText(found.note if found.part(Part.new) else "")
        self.note.setVisible(bool(self.note.text()))
        self.problem.hide()
        self._show_wishes(found.wishes)

    def show_part(self, part: Part) -> None:
        self.part = part
        self.switch.choose(list(Part).index(part))
        waved = part is Part.waved
        self.back.setVisible(waved)
        for button in (self.keep, self.wave, self.later):
            button.setVisible(not waved)
        self.seen.setVisible(part is Part.new)

    def allow(self, chosen: bool, papers: bool) -> None:
        """What can be done: to papers that are chosen, and to all that are listed."""
        for button in (self.keep, self.wave, self.later, self.back):
            button.setEnabled(chosen)
        self._verbs.setVisible(papers)

    def explain(self, problem: Problem) -> None:
        """What is wrong with the wishes, or with the search that is followed."""
        self.problem.setText(f"{problem.message} {problem.hint}".strip())
        self.problem.show()

    def refine(self) -> None:
        """Show what can be wished for, or hide it."""
        self._fields.setVisible(not self._fields.isVisible())
        if self._fields.isVisible():
            self.must.setFocus()

    def stops(self) -> Sequence[QWidget]:
        """As Tab goes through them."""
        buttons = (self.keep, self.wave, self.later, self.back, self.seen)
        fields = (self.must, self.never, self.age)
        return (self.among, self.refine_button, *fields, *self.switch.stops(), *buttons)

    def _show_wishes(self, wishes: Wishes) -> None:
        self._wishes = wishes
        values = [days for _, days in AGES]
        with QSignalBlocker(self.must), QSignalBlocker(self.never):
            if not self._typing.isActive():
                self.must.setText(wishes.must)
                self.never.setText(wishes.never)
        self.age.choose(values.index(wishes.half_life) if wishes.half_life in values else 0)
        if wishes.must or wishes.never or wishes.half_life:
            self._fields.show()

    def _wish(self) -> None:
        self._typing.stop()
        wishes = replace(
            self._wishes,
            must=self.must.text().strip(),
            never=self.never.text().strip(),
            half_life=AGES[self.age.number][1],
        )
        if wishes != self._wishes:
            self._wishes = wishes
            self.wishes_changed.emit(wishes)

    def _build(self, appearance: Appearance) -> None:
        self.title = ElidedLabel()
        self.title.setFont(scaled(self.font(), 1.25, QFont.Weight.DemiBold))
        self.among = OneOf(tr("Among which papers"), [where.text for where in WHERE], appearance)
        self.refine_button = styled(QPushButton(tr("Refine")), "link")
        self.refine_button.setToolTip(
            tr("Words that must or must never be there, and how age counts")
        )
        self.switch = Segments(tr("Which of them"), [(NAMES[part], TIPS[part]) for part in Part])
        self.keep = QPushButton(tr("More like this"))
        self.wave = QPushButton(tr("Not for me"))
        self.later = QPushButton(tr("Read later"))
        self.back = QPushButton(tr("Take back"))
        self.seen = styled(QPushButton(tr("Seen until here")), "link")
        self.wave.setToolTip(tr("Wave the chosen papers away; the list learns from it (−)"))
        # Translators: the tag itself is called “read later” in every language
        self.later.setToolTip(tr("Tag the chosen papers “read later” (L)"))
        self.back.setToolTip(tr("Have the chosen papers recommended again"))
        self.seen.setToolTip(tr("Mark all that is new as seen"))
        self.note = styled(QLabel(wordWrap=True), "quiet")
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.problem = styled(QLabel(wordWrap=True), "wrong")
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        for widget in (self.note, self.problem):
            widget.hide()
        self._fields = self._build_fields(appearance)
        self._verbs = QWidget()
        verbs = Flow(8)
        for button in (self.keep, self.wave, self.later, self.back, self.seen):
            verbs.addWidget(button)
        self._verbs.setLayout(verbs)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 0, 4, 0)
        column.setSpacing(8)
        top = _row(self.title, self.refine_button, self.among)
        top.setStretch(0, 1)
        column.addLayout(top)
        column.addWidget(self._fields)
        column.addWidget(self.problem)
        column.addWidget(self.switch, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._verbs)
        column.addWidget(self.note)

    def _build_fields(self, appearance: Appearance) -> QWidget:
        self.must, self.never = (styled(QLineEdit(), "field") for _ in range(2))
        # Translators: author: and cat: are called so in every language
        self.must.setPlaceholderText(tr("Must have: author:curie, bees"))
        self.never.setPlaceholderText(tr("Never: review, cat:math"))
        self.must.setAccessibleName(tr("What a paper must have"))
        self.never.setAccessibleName(tr("What a paper must never have"))
        self.age = OneOf(tr("How age counts"), [text for text, _ in AGES], appearance)
        self._typing = QTimer(self, singleShot=True, interval=PAUSE_MS)
        fields = QWidget()
        grid = QGridLayout(fields)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(8)
        grid.addWidget(self.must, 0, 0)
        grid.addWidget(self.age, 0, 1)
        grid.addWidget(self.never, 1, 0)
        fields.hide()
        return fields

    def _connect(self) -> None:
        self.among.chosen.connect(self.where_chosen)
        self.refine_button.clicked.connect(self.refine)
        self.switch.chosen.connect(lambda number: self.part_chosen.emit(list(Part)[number]))
        self.keep.clicked.connect(self.keep_wanted)
        self.wave.clicked.connect(self.wave_wanted)
        self.later.clicked.connect(self.later_wanted)
        self.back.clicked.connect(self.back_wanted)
        self.seen.clicked.connect(self.seen_wanted)
        self._typing.timeout.connect(self._wish)
        for field in (self.must, self.never):
            field.textChanged.connect(lambda _: self._typing.start())
            field.editingFinished.connect(self._wish)
        self.age.chosen.connect(self._wish)

    def _paint(self, theme: Theme) -> None:
        self.keep.setIcon(icon("plus", theme.text))
        self.wave.setIcon(icon("minus", theme.text))
        self.later.setIcon(icon("tag", theme.text))
        self.back.setIcon(icon("back", theme.text))


def _row(*parts: QWidget | int) -> QHBoxLayout:
    """Widgets side by side; a number is a gap that takes what room there is."""
    row = QHBoxLayout()
    row.setSpacing(8)
    for part in parts:
        if isinstance(part, int):
            row.addStretch(part)
        else:
            row.addWidget(part)
    return row

"""The header of the recommendations: topic, tabs, preferences and actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFont, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from sciread_app.domain.recommend import (
    CandidateScope,
    FollowedTopic,
    TopicKind,
    TopicPreferences,
)
from sciread_app.language import tr
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.recommendations.view_models import RecommendationTab, TopicRecommendations
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout
from sciread_app.ui.widgets.rounded_popup import rounded
from sciread_app.ui.widgets.segmented_control import SegmentedControl
from sciread_app.ui.widgets.text.labels import ElidedLabel

PAUSE_MS = 500  # after the last key in a preference


class HeaderContext(NamedTuple):
    """The scope of the recommendations."""

    text: str
    among: CandidateScope
    days: int


WHERE = (
    HeaderContext(tr("Fetched in the last 30 days"), CandidateScope.fetched, 30),
    HeaderContext(tr("Fetched in the last 7 days"), CandidateScope.fetched, 7),
    HeaderContext(tr("Fetched in the last year"), CandidateScope.fetched, 365),
    HeaderContext(tr("Added in the last 30 days"), CandidateScope.added, 30),
    HeaderContext(tr("Whole library"), CandidateScope.library, 0),
)
AGES = (
    (tr("Any age"), 0.0),
    (tr("Half-life: 3 days"), 3.0),
    (tr("Half-life: 1 week"), 7.0),
    (tr("Half-life: 1 month"), 30.0),
    (tr("Half-life: 1 year"), 365.0),
)
TABS = {  # the name and the tooltip of each tab
    RecommendationTab.new: (
        # Translators: papers that the user has not seen yet
        tr("New"),
        tr("Matching papers that you have not seen yet"),
    ),
    RecommendationTab.seen: (tr("Seen"), tr("Matching papers that you have already seen")),
    RecommendationTab.far: (
        tr("Weaker matches"),
        tr("New papers that are less similar to your papers than your papers are to each other"),
    ),
    RecommendationTab.dismissed: (
        tr("Dismissed"),
        tr("Papers that you dismissed; you can undo each dismissal"),
    ),
}


class OneOf(QToolButton):
    """A button that shows the selected option and offers the others in a menu."""

    selected = Signal()  # by the user

    def __init__(self, name: str, choices: Sequence[str], appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("link")
        self.setAccessibleName(name)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # places the arrow after the text
        self._choices = choices
        menu = rounded(QMenu(self))
        self._options = [
            menu.addAction(text, partial(self._take, number)) for number, text in enumerate(choices)
        ]
        for option in self._options:
            option.setCheckable(True)
        menu.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self._others: list[QAction] = []
        self.setMenu(menu)
        self.choose(0)
        appearance.follow(self._paint)

    def choose(self, number: int) -> None:
        self.number = number
        for n, action in enumerate(self._options):
            action.setChecked(n == number)
        self.setText(self._choices[number])
        self.setAccessibleDescription(self._choices[number])

    def set_others(self, others: Sequence[QAction]) -> None:
        """Offer these actions above the options."""
        for action in self._others:
            self.menu().removeAction(action)
        self._others = [*others]
        self.menu().insertActions(self._options[0], self._others)

    def _take(self, number: int) -> None:
        self.choose(number)
        self.selected.emit()

    def _paint(self, theme: Theme) -> None:
        self.setIcon(icon("down", theme.accent))


class RecommendationsHeader(QWidget):
    """The name of the topic, the scope of its recommendations, the preferences, and the actions on
    the selected papers, whose clicks the page connects. Preferences are saved after a pause in
    typing."""

    part_selected = Signal(object)  # RecommendationTab
    preferences_changed = Signal(object)  # TopicPreferences

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.part = RecommendationTab.new
        self._topic = ""  # its key
        self._ranked = True  # its papers
        self._scope_selected = False  # by the user
        self._preferences = TopicPreferences()
        self._build(appearance)
        self._connect()
        appearance.follow(self._paint)

    @property
    def where(self) -> HeaderContext:
        return WHERE[self.among.number]

    def show_subject(self, subject: FollowedTopic) -> None:
        """Show the name of a topic. The papers of a query are not ranked, so there is nothing to
        learn from examples and no weaker match. The preferences of another topic are hidden; they
        are shown again with the papers if some are set."""
        self.title.setText(subject.name)
        if subject.key != self._topic:
            self._topic = subject.key
            self._fields.hide()
        self._ranked = subject.kind is not TopicKind.query
        far = list(RecommendationTab).index(RecommendationTab.far)
        self.switch.tab_stops()[far].setVisible(self._ranked)
        self.age.setVisible(self._ranked)
        self._fold()

    def show_scope(self, among: CandidateScope) -> None:
        """Show the default scope, unless the user has selected one."""
        if not self._scope_selected:
            self.among.choose([where.among for where in WHERE].index(among))
            self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def show_suggestions(self, found: TopicRecommendations) -> None:
        """Show the number of papers on each tab, the note, and the preferences, unless these are
        being typed."""
        for part, button in zip(RecommendationTab, self.switch.tab_stops(), strict=True):
            count = len(found.part(part))
            assert isinstance(button, QPushButton)
            name, _ = TABS[part]
            button.setText(f"{name}  {count:,}" if count else name)
        self.note.setText(found.note if found.part(RecommendationTab.new) else "")
        self.note.setVisible(bool(self.note.text()))
        self.problem.hide()
        self._show_preferences(found.preferences)

    def show_part(self, part: RecommendationTab) -> None:
        self.part = part
        self.switch.choose(list(RecommendationTab).index(part))
        dismissed = part is RecommendationTab.dismissed
        self.back.setVisible(dismissed)
        for button in (self.keep, self.dismiss, self.later):
            button.setVisible(not dismissed and (self._ranked or button is not self.keep))
        self.seen.setVisible(part is RecommendationTab.new)

    def allow(self, chosen: bool, papers: bool) -> None:
        """Enable the actions on the selected papers and on the whole list."""
        for button in (self.keep, self.dismiss, self.later, self.back):
            button.setEnabled(chosen)
        self._buttons.setVisible(papers)

    def explain(self, problem: JobError) -> None:
        """Show errors of the preferences or of the saved search."""
        self.problem.setText(problem.text)
        self.problem.show()

    def refine(self) -> None:
        """Show or hide the preferences."""
        self._fields.setVisible(not self._fields.isVisible())
        if self._fields.isVisible():
            self.must.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._fields.isVisible():
            self.refine_button.setFocus()  # first: a hidden field would lose it
            # Preferences that are set stay visible, since they limit the list.
            self._fields.setVisible(self._is_refined())
        else:
            super().keyPressEvent(event)

    def tab_stops(self) -> Sequence[QWidget]:
        """The widgets in tab order."""
        buttons = (self.keep, self.dismiss, self.later, self.back, self.seen)
        fields = (self.must, self.never, self.age)
        return (self.among, self.refine_button, *fields, *self.switch.tab_stops(), *buttons)

    def _fold(self) -> None:
        """Move the options below the title if both do not fit on one line."""
        wanted = self.title.sizeHint().width() + self._top.spacing()
        fits = wanted + self._choices.sizeHint().width() <= self._top.contentsRect().width()
        direction = QBoxLayout.Direction
        self._top.setDirection(direction.LeftToRight if fits else direction.TopToBottom)

    def _choose_scope(self) -> None:
        self._scope_selected = True
        self._fold()  # the width of the text depends on the option

    def _show_preferences(self, preferences: TopicPreferences) -> None:
        self._preferences = preferences
        values = [days for _, days in AGES]
        with QSignalBlocker(self.must), QSignalBlocker(self.never):
            if not self._typing.isActive():
                self.must.setText(preferences.must)
                self.never.setText(preferences.never)
        self.age.choose(
            values.index(preferences.half_life) if preferences.half_life in values else 0
        )
        if self._is_refined():
            self._fields.show()

    def _is_refined(self) -> bool:
        now = self._preferences
        return bool(now.must or now.never or now.half_life)

    def _set_preferences(self) -> None:
        self._typing.stop()
        preferences = replace(
            self._preferences,
            must=self.must.text().strip(),
            never=self.never.text().strip(),
            half_life=AGES[self.age.number][1],
        )
        if preferences != self._preferences:
            self._preferences = preferences
            self.preferences_changed.emit(preferences)

    def _build(self, appearance: Appearance) -> None:
        self.title = ElidedLabel()
        self.title.setFont(scaled(self.font(), 1.25, QFont.Weight.DemiBold))
        self.among = OneOf(tr("Scope"), [where.text for where in WHERE], appearance)
        self.refine_button = styled(QPushButton(tr("Refine")), "link")
        self.refine_button.setToolTip(
            tr("Set required and excluded words, and how the age of a paper counts")
        )
        self.switch = SegmentedControl(tr("Lists"), [*TABS.values()])
        self.keep = QPushButton(tr("More like this"))
        self.dismiss = QPushButton(tr("Dismiss"))
        self.later = QPushButton(tr("Read later"))
        self.back = QPushButton(tr("Undo dismissal"))
        self.seen = styled(QPushButton(tr("Mark all as seen")), "link")
        self.dismiss.setToolTip(
            tr("Dismiss the selected papers and improve the recommendations (−)")
        )
        # Translators: the tag itself is called “read later” in every language
        self.later.setToolTip(tr("Tag the selected papers “read later” (L)"))
        self.back.setToolTip(tr("Recommend the selected papers again"))
        self.seen.setToolTip(tr("Mark all new papers as seen"))
        plain = Qt.TextFormat.PlainText
        self.note = styled(QLabel(wordWrap=True, textFormat=plain), "quiet")
        self.problem = styled(QLabel(wordWrap=True, textFormat=plain), "wrong")
        for widget in (self.note, self.problem):
            widget.hide()
        self._fields = self._build_fields(appearance)
        self._buttons = QWidget()
        buttons = FlowLayout(8)
        for button in (self.keep, self.dismiss, self.later, self.back, self.seen):
            buttons.addWidget(button)
        self._buttons.setLayout(buttons)
        self._choices = QWidget()
        self._choices.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row(self.refine_button, self.among, parent=self._choices, margins=0, spacing=8)
        left = Qt.AlignmentFlag.AlignLeft
        self._top = row((self.title, 1), (self._choices, 0, left), spacing=8)
        column(
            self._top,
            self._fields,
            self.problem,
            (self.switch, 0, left),
            self._buttons,
            self.note,
            # The header is higher than needed until the next layout of the page: the extra space
            # goes below, so that nothing above moves.
            1,
            parent=self,
            margins=(4, 0, 4, 0),
            spacing=8,
        )

    def _build_fields(self, appearance: Appearance) -> QWidget:
        self.must, self.never = (styled(QLineEdit(), "field") for _ in range(2))
        # Translators: author: and cat: are called so in every language
        self.must.setPlaceholderText(tr("Required: author:curie, bees"))
        self.never.setPlaceholderText(tr("Excluded: review, cat:math"))
        self.must.setAccessibleName(tr("Required words"))
        self.never.setAccessibleName(tr("Excluded words"))
        self.age = OneOf(tr("Half-life"), [text for text, _ in AGES], appearance)
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
        self.among.selected.connect(self._choose_scope)
        self.refine_button.clicked.connect(self.refine)
        self.switch.selected.connect(
            lambda number: self.part_selected.emit(list(RecommendationTab)[number])
        )
        self._typing.timeout.connect(self._set_preferences)
        for field in (self.must, self.never):
            field.textChanged.connect(lambda _: self._typing.start())
            field.editingFinished.connect(self._set_preferences)
        self.age.selected.connect(self._set_preferences)

    def _paint(self, theme: Theme) -> None:
        self.keep.setIcon(icon("plus", theme.text))
        self.dismiss.setIcon(icon("minus", theme.text))
        self.later.setIcon(icon("tag", theme.text))
        self.back.setIcon(icon("back", theme.text))

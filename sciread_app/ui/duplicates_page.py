"""The page on which somebody says of two papers that they are one, two, or versions of one work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from sciread_app.domain.duplicates import Merge, Pair
from sciread_app.domain.paper import Changes, PaperId
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.duplicates_list import PairList
from sciread_app.ui.duplicates_merges import MergeList
from sciread_app.ui.duplicates_panel import PairPanel
from sciread_app.ui.duplicates_values import Comparison, Reviewer, comparison
from sciread_app.ui.empty import EmptyState
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.page import Page
from sciread_app.ui.segments import Segments
from sciread_app.ui.theme import Appearance, styled

TO_LOOK_AT, VERSIONS, MERGED = 0, 1, 2
LISTS = (
    (tr("To look at"), tr("Pairs that may be one paper")),
    (tr("Versions"), tr("Pairs that are versions of one work, such as a preprint and its article")),
    (tr("Merged"), tr("Records that were merged into a paper, by an import or by you")),
)


class DuplicatesPage(Page):
    edit_wanted = Signal(str, object)  # what is done, and how: it takes what organises
    papers_wanted = Signal(object, str)  # list of PaperId, and what they are
    library_wanted = Signal()
    menu_opened = Signal(object)  # QMenu for the two papers, before it is seen
    shown = Signal()  # a pair stands there, or nothing is to be looked at

    def __init__(self, reviewer: Reviewer, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._reviewer = reviewer
        self._jobs = jobs
        self._dirty = True
        self._to_list = False  # it takes the keys when it is filled
        self.busy = True  # what was decided last is not done yet
        self._loading = True  # no pair is shown yet, though there may be one
        self._asked: Callable[[], None] | None = None  # what to do to the first pair shown
        self.lists = Segments(tr("Which pairs"), LISTS)
        self.count = styled(QLabel(), "quiet")
        self.merge_all = QPushButton()
        self.list = PairList(appearance)
        self.panel = PairPanel(appearance)
        self.merges = MergeList()
        self.empty = EmptyState(appearance)
        self._build()
        self._connect()

    # What the window asks of a page.

    def refresh(self) -> None:
        if self._dirty:
            self._load()

    def take_focus(self) -> None:
        self._to_list = self.list.current is None  # it is not filled yet
        (self.lists if self._to_list else self.list).setFocus()

    def panes(self) -> Sequence[QWidget]:
        return (self.list, self.panel)

    def library_changed(self, changes: Changes) -> None:
        if changes.papers:
            self._dirty = True
            if self.isVisible():
                self._load()

    def chosen(self) -> Sequence[PaperId]:
        """Both papers of the pair that is looked at."""
        pair = self.list.current
        return (pair.a, pair.b) if pair else ()

    # Verbs, from buttons, menus and keys. What is asked for while a pair is loaded is done to it.

    def merge(self) -> None:
        if self._must_wait(self.merge):
            return
        found = self.panel.found
        if found and not self.busy:
            ids = (found.pair.a, found.pair.b)
            keep, other, chosen = ids[found.keep], ids[1 - found.keep], self.panel.chosen
            self._decide(tr("Merged"), lambda organise: organise.merge(keep, [other], **chosen))

    def keep_both(self) -> None:
        if self._must_wait(self.keep_both):
            return
        if (found := self.panel.found) and not self.busy:
            a, b = found.pair.a, found.pair.b
            self._decide(tr("Kept both"), lambda organise: organise.keep_both(a, b))

    def same_work(self) -> None:
        if self._must_wait(self.same_work):
            return
        found = self.panel.found
        if found and not found.pair.versions and not self.busy:
            a, b = found.pair.a, found.pair.b
            self._decide(tr("Made versions"), lambda organise: organise.same_work(a, b))

    def merge_agreeing(self) -> None:
        if not self.merge_all.isHidden() and not self.busy:
            self._decide(tr("Merged"), lambda _: self._reviewer.merge_agreeing())

    def show_list(self, number: int) -> None:
        self.lists.choose(number)
        self._load()

    def _must_wait(self, verb: Callable[[], None]) -> bool:
        if self._loading:
            self._asked = self._asked or verb
        return self._loading

    def _stand(self) -> None:
        """What was loaded is shown now."""
        self._loading = False
        asked, self._asked = self._asked, None
        self.shown.emit()
        if asked:
            asked()

    def _decide(self, what: str, step: Callable[[Any], object]) -> None:
        self.busy = True
        self.panel.allow(False)
        self.edit_wanted.emit(what, step)

    def _load(self) -> None:
        self._dirty = False
        if self.lists.current == MERGED:
            self._load_merges()
            return
        versions = self.lists.current == VERSIONS

        def look(task: Task) -> list[Pair]:
            return self._reviewer.versions() if versions else self._reviewer.pairs(task)

        self._jobs.run(
            tr("Looking for duplicates"),
            look,
            self._show_pairs,
            lane=Lane.light,
            instead_of="duplicates",
        )

    def _load_merges(self) -> None:
        self._jobs.run(
            tr("Looking for duplicates"),
            lambda task: self._reviewer.merges(),
            self._show_merges,
            lane=Lane.light,
            instead_of="duplicates",
        )

    def _show_merges(self, merges: list[Merge]) -> None:
        self.busy = False
        self.panel.found = None
        self.list.show_pairs([])
        self.merges.show_merges(merges)
        self.count.setText(trn("{n:,} merge", "{n:,} merges", len(merges)))
        self.count.setVisible(bool(merges))
        self.merge_all.hide()
        if merges:
            self._middle.setCurrentWidget(self.merges)
            self.shown.emit()
        else:
            self._invite()

    def _split_merge(self, merge: Merge) -> None:
        if not self.busy:
            self._decide(tr("Split"), lambda organise: organise.split(merge.paper, merge.id))

    def _show_pairs(self, pairs: list[Pair]) -> None:
        self.busy = False
        self._loading = True
        self.panel.found = None
        focused = self.panel.isAncestorOf(self.focusWidget() or self)
        self.list.show_pairs(pairs)
        self.count.setText(trn("{n:,} pair", "{n:,} pairs", len(pairs)))
        agreeing = sum(pair.agree for pair in pairs)
        self.merge_all.setText(tr("Merge all that agree ({n:,})", n=agreeing))
        self.merge_all.setVisible(agreeing > 0)
        self.count.setVisible(bool(pairs))
        if not pairs:
            self._invite()
        elif focused or self._to_list:
            self._to_list = False
            self.list.setFocus()

    def _show_pair(self, pair: Pair | None) -> None:
        if pair is None:
            return
        self._loading = True
        self.panel.allow(False)
        self._jobs.run(
            tr("Comparing two papers"),
            lambda task: self._compared(pair),
            self._show_comparison,
            lane=Lane.light,
            instead_of="pair",
        )

    def _compared(self, pair: Pair) -> Comparison | None:
        sides = self._reviewer.sides(pair)
        return comparison(pair, sides) if sides else None

    def _show_comparison(self, found: Comparison | None) -> None:
        if found is None:  # one of them has gone since the list was made
            self._load()
            return
        self.panel.show_pair(found)
        self.panel.allow(not self.busy)
        self._middle.setCurrentWidget(self._split)
        self._stand()

    def _menu(self, place: QPoint) -> None:
        if self.list.current is None:
            return
        menu = QMenu(self)
        menu.addActions(self.actions())
        menu.addSeparator()
        self.menu_opened.emit(menu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.list.viewport().mapToGlobal(place))

    def _invite(self) -> None:
        actions = ((tr("Go to the library"), self.library_wanted.emit),)
        if self.lists.current == MERGED:
            self.empty.say(
                "duplicates",
                tr("Nothing was merged"),
                tr("Records that an import or you merged into a paper are listed here."),
                actions,
            )
        elif self.lists.current == VERSIONS:
            self.empty.say(
                "duplicates",
                tr("No paper is here in several versions"),
                tr("A preprint and its article come here when you have both."),
                actions,
            )
        else:
            self.empty.say(
                "duplicates",
                tr("No duplicates to look at"),
                tr(
                    "What is surely one paper is merged when it comes in. What only may be one is "
                    "shown here, for you to say."
                ),
                actions,
            )
        self._middle.setCurrentWidget(self.empty)
        self._asked = None  # there is no pair to do it to
        self._stand()

    def _build(self) -> None:
        self.merge_all.setToolTip(
            tr(
                "Merge all pairs that differ in nothing but case and punctuation, where both say "
                "something. One undo takes all of it back."
            )
        )
        self.merge_all.hide()
        head = QHBoxLayout()
        head.setContentsMargins(16, 12, 16, 8)
        head.setSpacing(12)
        head.addWidget(self.lists)
        head.addWidget(self.count)
        head.addStretch()
        head.addWidget(self.merge_all)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.list)
        self._split.addWidget(self.panel)
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([320, 800])
        self._split.setContentsMargins(12, 0, 16, 12)
        self._middle = QStackedWidget()
        self._middle.addWidget(self.empty)
        self._middle.addWidget(self._split)
        self._middle.addWidget(self.merges)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._middle, 1)

    def _connect(self) -> None:
        self.lists.chosen.connect(lambda _: self._load())
        self.merge_all.clicked.connect(self.merge_agreeing)
        self.list.chosen.connect(self._show_pair)
        self.merges.split_wanted.connect(self._split_merge)
        self.merges.paper_wanted.connect(
            lambda paper: self.papers_wanted.emit([paper], tr("From the duplicates"))
        )
        self.list.side_wanted.connect(self.panel.take_all)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        self.panel.merge_wanted.connect(self.merge)
        self.panel.keep_wanted.connect(self.keep_both)
        self.panel.versions_wanted.connect(self.same_work)
        self.panel.paper_wanted.connect(
            lambda paper: self.papers_wanted.emit([paper], tr("From the duplicates"))
        )

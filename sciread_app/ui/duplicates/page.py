"""The duplicates page: pairs to merge, keep apart, or link as versions of one work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSplitter, QStackedWidget, QWidget

from sciread_app.domain.matching.field_comparison import DuplicatePair, Merge
from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.language import tr, trn
from sciread_app.services.library.duplicates import Duplicates
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.duplicates.comparison import PairComparison, comparison
from sciread_app.ui.duplicates.comparison_panel import ComparisonPanel
from sciread_app.ui.duplicates.merge_list import MergeList
from sciread_app.ui.duplicates.pair_list import PairList
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue
from sciread_app.ui.page import Page
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Theme, styled
from sciread_app.ui.widgets.build_queue import BuildQueue
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.messages.empty_state import EmptyState
from sciread_app.ui.widgets.rounded_popup import context_menu
from sciread_app.ui.widgets.segmented_control import SegmentedControl

TO_LOOK_AT, VERSIONS, MERGED = 0, 1, 2
LISTS = (
    (tr("To review"), tr("Possible duplicates")),
    (tr("Versions"), tr("Versions of the same work, such as a preprint and its article")),
    (tr("Merged"), tr("Records merged on import or by you")),
)
NOTHING = {  # title and text of each list when it is empty
    TO_LOOK_AT: (
        tr("No duplicates to review"),
        tr(
            "Unambiguous duplicates are merged on import. Possible duplicates are listed here "
            "for you to review."
        ),
    ),
    VERSIONS: (
        tr("No versions"),
        tr("A preprint and its article are listed here if your library contains both."),
    ),
    MERGED: (
        tr("No merged records"),
        tr("Records merged on import or by you are listed here."),
    ),
}


class DuplicatesPage(Page):
    """Lists the pairs to review, the versions, and the merges that can be undone, and compares the
    selected pair. After each decision, the list is loaded again."""

    def __init__(self, reviewer: Duplicates, context: AppContext) -> None:
        super().__init__(context.pages)
        jobs, appearance = context.jobs, context.appearance
        self._reviewer = reviewer
        self._context = context
        self._jobs = jobs
        self._dirty = True
        self._to_list = False  # move the focus to the list when it is filled
        self.busy = True  # the last decision is being carried out
        self._loading = True  # no pair is shown yet, though there may be one
        self._loaded: DuplicatePair | None = None  # the pair that is shown or loading
        self._asked: Callable[[], None] | None = None  # the action to apply to the first pair shown
        self.back = styled(QPushButton(tr("Back to library")), "link")
        self.lists = SegmentedControl(tr("Lists"), LISTS)
        self.count = styled(QLabel(), "quiet")
        self.merge_all = QPushButton()
        self.search = QPushButton(tr("Find duplicates"))
        self.search_due = _SearchDueLine()
        self._search: Job | None = None  # the search started by a button
        self._building = BuildQueue(self)  # of the comparison, before it is first shown
        self.list = PairList(appearance)
        self.panel = ComparisonPanel(appearance)
        self.merges = MergeList(appearance)
        self.empty = EmptyState(appearance)
        self._build()
        self._connect()
        self._paint_icons(appearance.theme)
        appearance.changed.connect(self._paint_icons)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
        else:
            super().keyPressEvent(event)

    def _leave(self) -> None:
        self._context.navigate.go_to("search")

    # Interface of a page

    def build_rest(self) -> None:
        self._building.start(self.panel.steps())

    def refresh(self) -> None:
        if self._dirty:
            self._load()

    def take_focus(self) -> None:
        self._to_list = self.list.current is None  # the list is not filled yet
        (self.lists if self._to_list else self.list).setFocus()

    def panes(self) -> Sequence[QWidget]:
        return (self.list, self.panel)

    def library_changed(self, changes: LibraryChanges) -> None:
        if changes.papers:
            self._dirty = True
            if self.isVisible():
                self._load()

    def selected(self) -> Sequence[PaperId]:
        """Both papers of the current pair."""
        pair = self.list.current
        return (pair.a, pair.b) if pair else ()

    # Actions. One that is requested while a pair is loading is applied when that pair is shown, and
    # never to another one.

    def merge(self) -> None:
        if self._must_wait(self.merge):
            return
        found = self.panel.found
        if found and not self.busy:
            ids = (found.pair.a, found.pair.b)
            keep, other, chosen = ids[found.keep], ids[1 - found.keep], self.panel.selected
            self._decide(tr("Merging papers"), lambda editor: editor.merge(keep, [other], **chosen))

    def mark_not_duplicates(self) -> None:
        if self._must_wait(self.mark_not_duplicates):
            return
        if (found := self.panel.found) and not self.busy:
            a, b = found.pair.a, found.pair.b
            self._decide(tr("Keeping both papers"), lambda editor: editor.mark_not_duplicates(a, b))

    def mark_as_versions(self) -> None:
        if self._must_wait(self.mark_as_versions):
            return
        found = self.panel.found
        if found and not found.pair.versions and not self.busy:
            a, b = found.pair.a, found.pair.b
            self._decide(
                tr("Linking papers as versions"), lambda editor: editor.mark_as_versions(a, b)
            )

    def merge_agreeing(self) -> None:
        if not self.merge_all.isHidden() and not self.busy:
            self._decide(tr("Merging papers"), lambda _: self._reviewer.merge_agreeing())

    def find_duplicates(self) -> None:
        """Search the whole library. Pairs found are kept if it is cancelled, and the next search
        continues from there.
        """
        if self._search is None:
            self.search.setEnabled(False)
            self.search_due.hide()
            self._search = self._jobs.run(
                tr("Finding duplicates"),
                self._reviewer.search,
                queue=JobQueue.long,
            )
            self._search.retry = self.find_duplicates

    def _end_search(self, job: Job) -> None:
        if job is self._search:
            self._search = None
            self.search.setEnabled(True)
            self._context.events.library_changed.emit(LibraryChanges(papers=True))

    def _must_wait(self, action: Callable[[], None]) -> bool:
        if self._loading:
            self._asked = self._asked or action
        return self._loading

    def _stand(self) -> None:
        """End loading, and apply the action that was requested meanwhile."""
        self._loading = False
        asked, self._asked = self._asked, None
        self.actions_changed.emit()
        if asked:
            asked()

    def _decide(self, title: str, step: Callable[[Any], object]) -> None:
        self.busy = True
        self.panel.allow(False)
        self._context.edits.submit(title, step)

    def _load(self) -> None:
        self._dirty = False
        listed = self.lists.current

        def look(task: Task) -> Callable[[], None]:
            """Load the list; returns how to show it."""
            if listed == MERGED:
                return partial(self._show_merges, self._reviewer.merges())
            pairs = self._reviewer.versions() if listed == VERSIONS else self._reviewer.pairs(task)
            return partial(self._show_pairs, pairs, self._reviewer.is_search_due())

        self._jobs.run(
            tr("Loading duplicates"),
            look,
            lambda show: show(),
            on_failed=self._explain,
            replaces="duplicates",
        )

    def _explain(self, problem: JobError) -> None:
        """Say why the list could not be loaded. Pairs of the previous one may be outdated."""
        self._stop_waiting()
        self._building.start(())
        actions = ((tr("Retry"), self._load),)
        self.empty.show_message("duplicates", problem.message, problem.hint, actions)
        self._middle.setCurrentWidget(self.empty)
        if problem.report:
            self._context.messages.show_problem(problem)

    def _explain_pair(self, problem: JobError) -> None:
        """Report a pair that could not be compared. Others can be selected in the list."""
        self._context.messages.show_problem(problem)
        self._leave_pair()

    def _leave_pair(self) -> None:
        self._stop_waiting()
        self._middle.setCurrentWidget(self._split)

    def _stop_waiting(self) -> None:
        """Nothing is loading, and there is no pair to decide about."""
        self._dirty = True
        self.busy = self._loading = False
        self._asked = self.panel.found = None
        self.actions_changed.emit()

    def _choose_list(self) -> None:
        self._asked = None
        self._load()

    def _show_merges(self, merges: list[Merge]) -> None:
        self.busy = self._loading = False
        self._asked = None
        self.panel.found = None
        self.list.show_pairs([])
        self.merges.show_merges(merges)
        self.count.setText(trn("{n:,} merged record", "{n:,} merged records", len(merges)))
        self.count.setVisible(bool(merges))
        self.merge_all.hide()
        self._building.start(())
        if merges:
            self._middle.setCurrentWidget(self.merges)
            self.actions_changed.emit()
        else:
            self._invite()

    def _split_merge(self, merge: Merge) -> None:
        if not self.busy:
            self._decide(
                tr("Splitting a paper"), lambda editor: editor.split(merge.paper, merge.id)
            )

    def _show_pairs(self, pairs: list[DuplicatePair], search_due: bool) -> None:
        self.search_due.setVisible(search_due and self._search is None)
        self.busy = False
        self._loading = True
        self.panel.found = None
        focused = self.panel.isAncestorOf(self.focusWidget() or self)
        self.list.show_pairs(pairs)
        self.count.setText(trn("{n:,} pair", "{n:,} pairs", len(pairs)))
        agreeing = sum(pair.agree for pair in pairs)
        self.merge_all.setText(tr("Merge all identical pairs ({n:,})", n=agreeing))
        self.merge_all.setVisible(agreeing > 0)
        self.count.setVisible(bool(pairs))
        if not pairs:
            self._invite()
        elif focused or self._to_list:
            self._to_list = False
            self.list.setFocus()

    def _show_pair(self, pair: DuplicatePair | None) -> None:
        if pair is None:
            self._loaded = None
            self._jobs.drop("pair")
            return
        if self._loaded and (pair.a, pair.b) != (self._loaded.a, self._loaded.b):
            self._asked = None
        self._loaded = pair
        self._loading = True
        self.panel.allow(False)
        self._jobs.run(
            tr("Comparing papers"),
            lambda task: (sides := self._reviewer.sides(pair)) and comparison(pair, sides),
            self._show_comparison,
            on_failed=self._explain_pair,
            replaces="pair",
        )

    def _show_comparison(self, found: PairComparison | None) -> None:
        if found is None:  # a paper was removed since the list was loaded
            self._asked = None
            self._load()
            return
        if self._middle.currentWidget() is self._split:
            self._fill(found)
            self._stand()
        else:  # both at once would delay the user's input
            self._building.start((*self.panel.steps(), partial(self._fill, found), self._present))

    def _fill(self, found: PairComparison) -> None:
        self.panel.show_pair(found)
        self.panel.allow(not self.busy)

    def _present(self) -> None:
        self._middle.setCurrentWidget(self._split)
        self._stand()

    def _menu(self, place: QPoint) -> None:
        if self.list.current is None:
            return
        menu = context_menu(self)
        menu.addActions(self.actions())
        menu.addSeparator()
        menu.addAction(self._context.actions["show on map"])
        menu.popup(self.list.viewport().mapToGlobal(place))

    def _invite(self) -> None:
        self._building.start(())
        actions = ((tr("Go to library"), self._leave),)
        self.empty.show_message("duplicates", *NOTHING[self.lists.current], actions)
        self._middle.setCurrentWidget(self.empty)
        self._asked = None  # no pair to apply it to
        self._stand()

    def _build(self) -> None:
        self.back.setToolTip(tr("Back to library (Esc)"))
        self.merge_all.setToolTip(
            tr(
                "Merge all pairs whose common fields differ only in case and punctuation. A "
                "single Undo reverts all merges."
            )
        )
        self.merge_all.hide()
        self.search.setToolTip(
            tr(
                "Compare all papers in the library with each other, as an import does with new "
                "papers. Pairs that you have already reviewed do not change."
            )
        )
        # Outer widgets first: setting a parent restyles a widget with all its children.
        self._middle = QStackedWidget(self)
        head = (self.back, self.lists, self.count, 0, self.merge_all, self.search)
        column(
            row(*head, margins=(16, 12, 16, 8), spacing=12),
            self.search_due,
            (self._middle, 1),
            parent=self,
            margins=0,
            spacing=0,
        )
        self._split = QSplitter(Qt.Orientation.Horizontal, self._middle)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.list)
        self._split.addWidget(self.panel)
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([320, 800])
        self._split.setContentsMargins(12, 0, 16, 12)
        for widget in (self.empty, self._split, self.merges):
            self._middle.addWidget(widget)

    def _paint_icons(self, theme: Theme) -> None:
        self.back.setIcon(icon("back", theme.accent))

    def _connect(self) -> None:
        self.back.clicked.connect(self._leave)
        self.lists.selected.connect(lambda _: self._choose_list())
        self.merge_all.clicked.connect(self.merge_agreeing)
        self.search.clicked.connect(self.find_duplicates)
        self.search_due.button.clicked.connect(self.find_duplicates)
        self._jobs.finished.connect(self._end_search)
        self.list.selected.connect(self._show_pair)
        self.merges.split_requested.connect(self._split_merge)
        self.list.side_requested.connect(self.panel.take_all)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        self.panel.merge.clicked.connect(self.merge)
        self.panel.keep.clicked.connect(self.mark_not_duplicates)
        self.panel.versions.clicked.connect(self.mark_as_versions)
        for part in (self.merges, self.panel):
            part.paper_requested.connect(
                lambda paper: self._context.navigate.show_papers([paper], tr("From Duplicates"))
            )


class _SearchDueLine(QWidget):
    """Offers a search of a library that was filled by an earlier version, or whose search was
    interrupted."""

    def __init__(self) -> None:
        super().__init__()
        label = QLabel(
            tr("SciRead has not checked the whole library for duplicates yet."), wordWrap=True
        )
        self.button = QPushButton(tr("Find duplicates"))
        row((label, 1), self.button, parent=self, margins=(16, 0, 16, 8), spacing=12)
        self.hide()

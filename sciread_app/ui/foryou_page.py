"""The page of what is new for somebody: what is followed, what came for it, and one paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from sciread_app.domain.paper import Changes, PaperId
from sciread_app.domain.recommend import Subject, SubjectKind, Wishes
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.details import DetailsPanel, DetailsSource
from sciread_app.ui.empty import EmptyState
from sciread_app.ui.focus import holds_focus
from sciread_app.ui.foryou_empty import NOBODY, Do, Nothing, nothing_in
from sciread_app.ui.foryou_head import WHERE, ForYouHead
from sciread_app.ui.foryou_list import PickList, ReasonModel
from sciread_app.ui.foryou_subjects import SubjectList
from sciread_app.ui.foryou_values import ForYou, Part, Suggestions
from sciread_app.ui.jobs import Jobs, Lane, Problem
from sciread_app.ui.page import Page
from sciread_app.ui.theme import Appearance
from sciread_app.ui.values import Listing

SLOW_MS = 250  # after which the page says that it is looking
LATER = "read later"


class ForYouPage(Page):
    keep_wanted = Signal(object, str)  # papers, and the collection that they shall be put into
    tag_wanted = Signal(object, str)  # papers, and the tag
    said = Signal(str, object)  # what was done, as a sentence without full stop, and its way back
    place_wanted = Signal(str)  # the key of another page
    similar_wanted = Signal(object)  # papers
    menu_opened = Signal(object)  # QMenu for the chosen papers, before it is seen
    search_wanted = Signal(str)  # a query
    problem = Signal(object)  # Problem, of ours
    edited = Signal()  # there is something to take back
    suggested = Signal(object)  # Suggestions, when they are on the page

    def __init__(
        self, foryou: ForYou, details: DetailsSource, jobs: Jobs, appearance: Appearance
    ) -> None:
        super().__init__()
        self._foryou = foryou
        self._jobs = jobs
        self.found: Suggestions | None = None
        self._dirty = True  # something has changed since it was looked at
        self.subjects = SubjectList(appearance)
        self.head = ForYouHead(appearance)
        self.model = ReasonModel(foryou, jobs, self)
        self.list = PickList(self.model, appearance)
        self.list.setAccessibleName(tr("What is new"))
        self.details = DetailsPanel(details, jobs, appearance)
        self.empty = EmptyState(appearance)
        self.nobody = EmptyState(appearance)
        self._build()
        self._connect()
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(self._say_looking)
        self.head.show_part(Part.new)
        self.head.allow(False, False)

    # What the window asks of a page.

    def refresh(self) -> None:
        if self._dirty:
            self._dirty = False
            self._jobs.run(
                tr("Looking what you follow"),
                lambda task: self._foryou.subjects(),
                self._show_subjects,
                lane=Lane.light,
                instead_of="foryou subjects",
            )

    def take_focus(self) -> None:
        if self._whole.currentWidget() is self.nobody:
            self.nobody.buttons()[0].setFocus()
        else:
            (self.list if self.model.rowCount() else self.subjects).setFocus()

    def panes(self) -> Sequence[QWidget]:
        return (self.subjects, self.list, self.details)

    def chosen(self) -> Sequence[PaperId]:
        return self.list.chosen()

    def library_changed(self, changes: Changes) -> None:
        if changes.papers or changes.vectors or changes.space:
            self._dirty = True
            self.model.forget()
            self.details.refresh()
            if self.isVisible():
                self.refresh()

    def window_closes(self) -> None:
        self.details.keep_drafts()

    # Verbs, from buttons, keys and menus.

    def keep(self, papers: Sequence[PaperId] = ()) -> None:
        """These papers, else the chosen ones, are what is meant: into the collection with them."""
        subject, papers = self.subjects.current(), papers or self.list.chosen()
        if not subject or not papers:
            return
        if self.head.part is Part.waved:
            self.take_back(papers)
            return
        self._take_away(papers)
        if subject.kind is SubjectKind.collection:
            self.keep_wanted.emit(papers, subject.name)
        else:
            self._do(tr("Remembering"), lambda: self._foryou.like(subject, papers))
            said = trn(
                "More like {n:,} paper for “{name}”",
                "More like {n:,} papers for “{name}”",
                len(papers),
                name=subject.name,
            )
            self.said.emit(said, self._way_back(subject, papers))

    def wave_away(self, papers: Sequence[PaperId] = ()) -> None:
        """These papers, else the chosen ones, are not what is meant."""
        subject, papers = self.subjects.current(), papers or self.list.chosen()
        if subject and papers and self.head.part is not Part.waved:
            self._take_away(papers)
            self._do(tr("Remembering"), lambda: self._foryou.wave_away(subject, papers))
            said = trn("Not for you: {n:,} paper", "Not for you: {n:,} papers", len(papers))
            self.said.emit(said, self._way_back(subject, papers))

    def take_back(self, papers: Sequence[PaperId] = ()) -> None:
        """Have papers that were waved away recommended again."""
        subject, papers = self.subjects.current(), papers or self.list.chosen()
        if subject and papers and self.head.part is Part.waved:
            self._take_away(papers)
            self._way_back(subject, papers)()

    def read_later(self) -> None:
        if papers := self.list.chosen():
            self.tag_wanted.emit(papers, LATER)

    def mark_seen(self) -> None:
        """All that is new was seen, until the last of it."""
        subject, found = self.subjects.current(), self.found
        if subject and found and found.part(Part.new):
            before = found.wishes.seen
            self._do(tr("Remembering"), lambda: self._foryou.seen(subject, found.newest))

            def back() -> None:
                self._do(tr("Undoing"), lambda: self._foryou.seen(subject, before))

            count = len(found.part(Part.new))
            self.said.emit(trn("Seen: {n:,} paper", "Seen: {n:,} papers", count), back)

    def show_part(self, part: Part) -> None:
        self.head.show_part(part)
        self._show_list()
        self.list.go_to(0)

    def follow(self, key: str) -> None:
        """Show what is new for the subject with this key."""
        self.subjects.choose(key)

    # Looking.

    def _show_subjects(self, subjects: Sequence[Subject]) -> None:
        page, held = 1 if subjects else 0, holds_focus(self)
        if page != self._whole.currentIndex():
            self._whole.setCurrentIndex(page)
            if held:  # whoever works by keys is still here
                self.take_focus()
        before = self.subjects.current()
        self.subjects.show_subjects(subjects)
        if before and self.subjects.current() == before:
            self._ask()  # nobody has chosen another, which would have asked
        self._count(list(subjects))

    def _choose(self, subject: Subject) -> None:
        self.head.show_subject(subject.name)
        self.head.show_part(Part.new)
        if self.found and self.found.subject.key != subject.key:
            self._show(Suggestions(subject))
            self._say_looking()
        self._ask()

    def _ask(self) -> None:
        subject, where = self.subjects.current(), self.head.where
        if subject is None:
            return

        def work(task: Task) -> Suggestions:
            return self._foryou.suggest(subject, where.among, where.days, task)

        self._slow.start()
        self._jobs.run(
            tr("Looking what is new"),
            work,
            self._show,
            on_failed=self._explain,
            lane=Lane.light,
            instead_of="foryou",
        )

    def _show(self, found: Suggestions) -> None:
        self._slow.stop()
        first = self.found is None or self.found.subject.key != found.subject.key
        self.found = found
        self.head.show_suggestions(found)
        if self.head.where is WHERE[0]:
            self.subjects.show_count(found.subject.key, len(found.part(Part.new)))
        self._show_list(to_top=first)
        self.suggested.emit(found)

    def _show_list(self, to_top: bool = True) -> None:
        found, row = self.found, self.list.currentIndex().row()
        if found is None:
            return
        ids = tuple(found.part(self.head.part))
        self.list.show_reasons(Listing(ids, len(ids), found.evidence), found.reasons)
        if to_top:
            self.list.scrollToTop()
        self._lists.setCurrentIndex(1 if ids else 0)
        if ids:
            self.list.go_to(min(max(row, 0), len(ids) - 1) if not to_top else 0)
        else:
            self.details.show_paper(None)
            self._say(self.empty, nothing_in(found, self.head.part))
        self._allow()

    def _take_away(self, papers: Sequence[PaperId]) -> None:
        """At once out of the list, which will be looked up anew; the next one is chosen."""
        listing, gone = self.model.listing, set(papers)
        row = min((self.model.row_of(paper) or 0 for paper in papers), default=0)
        kept = tuple(paper for paper in listing.ids if paper not in gone)
        reasons = self.found.reasons if self.found else {}
        self.list.show_reasons(Listing(kept, len(kept), listing.evidence), reasons)
        self.list.go_to(min(row, len(kept) - 1))
        self.list.setFocus()

    def _way_back(self, subject: Subject, papers: Sequence[PaperId]) -> Callable[[], None]:
        return lambda: self._do(tr("Undoing"), lambda: self._foryou.take_back(subject, papers))

    def _do(self, title: str, act: Callable[[], object]) -> None:
        """Off this thread; then the list has learnt it."""
        self._jobs.run(title, lambda task: act(), lambda _: self._learnt(), lane=Lane.light)

    def _learnt(self) -> None:
        self._ask()
        self.edited.emit()

    def _wish(self, wishes: Wishes) -> None:
        subject = self.subjects.current()
        if subject is None:
            return
        self._jobs.run(
            tr("Remembering"),
            lambda task: self._foryou.wish(subject, wishes),
            lambda _: self._learnt(),
            on_failed=self._explain,
            lane=Lane.light,
        )

    def _count(self, left: list[Subject]) -> None:
        """How much is new for each, one after the other, so that nothing else has to wait."""
        if not left:
            return
        subject, rest = left[0], left[1:]

        def show(count: int) -> None:
            self.subjects.show_count(subject.key, count)
            self._count(rest)

        self._jobs.run(
            tr("Counting what is new"),
            lambda task: self._foryou.count_new(subject, task),
            show,
            on_failed=lambda _: self._count(rest),  # it is explained to who looks at it
            lane=Lane.light,
            instead_of="foryou counts",
        )

    # What stands where papers would be.

    def _explain(self, problem: Problem) -> None:
        self._slow.stop()
        if problem.report:
            self.problem.emit(problem)
        self.head.explain(problem)
        if not self.model.rowCount():
            self.empty.say("similar", tr("This cannot be looked up"), problem.message)

    def _say_looking(self) -> None:
        if not self.model.rowCount():
            self.empty.say("wait", tr("Looking what is new…"))
            self._lists.setCurrentIndex(0)

    def _say(self, empty: EmptyState, nothing: Nothing) -> None:
        do: dict[Do, Callable[[], object]] = {
            Do.papers: lambda: self.place_wanted.emit("search"),
            Do.fetch: lambda: self.place_wanted.emit("intake"),
            Do.everywhere: self._look_everywhere,
            Do.far: lambda: self.show_part(Part.far),
            Do.seen: lambda: self.show_part(Part.seen),
            Do.words: self.head.must.setFocus,
        }
        picture, title, text, steps = nothing
        empty.say(picture, title, text, tuple((name, do[step]) for name, step in steps))

    def _look_everywhere(self) -> None:
        self.head.among.choose(len(WHERE) - 1)
        self._ask()

    def _pick(self, paper: PaperId | None) -> None:
        if paper is not None:
            self.details.show_paper(paper, self.model.known(paper), "", self.model.listing)

    def _allow(self) -> None:
        self.head.allow(self.list.chosen_count() > 0, self.model.rowCount() > 0)

    def _menu(self, place: QPoint) -> None:
        chosen = self.list.chosen()
        if not chosen:
            return
        menu = QMenu(self)
        if self.head.part is Part.waved:
            menu.addAction(tr("Take back"), lambda: self.take_back(chosen))
        else:
            menu.addAction(tr("More like this") + "\t+", lambda: self.keep(chosen))
            menu.addAction(tr("Not for me") + "\t−", lambda: self.wave_away(chosen))
        menu.addAction(tr("Read later") + "\tL", self.read_later)
        menu.addSeparator()
        menu.addAction(tr("Similar papers"), lambda: self.similar_wanted.emit(chosen))
        self.menu_opened.emit(menu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.list.viewport().mapToGlobal(place))

    def _build(self) -> None:
        # From the outside in: a widget that is given a parent is styled anew with all it holds.
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 12, 16, 10)
        self._whole = QStackedWidget()
        whole.addWidget(self._whole)
        self._say(self.nobody, NOBODY)
        self._whole.addWidget(self.nobody)
        split = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False, handleWidth=10)
        self._whole.addWidget(split)
        middle = QWidget()
        for part, stretch in ((self.subjects, 0), (middle, 5), (self.details, 4)):
            split.addWidget(part)
            split.setStretchFactor(split.count() - 1, stretch)
        split.setSizes([210, 560, 420])
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.head)
        self._lists = QStackedWidget()
        column.addWidget(self._lists, 1)
        self._lists.addWidget(self.empty)
        self._lists.addWidget(self.list)
        stops = [self.subjects, *self.head.stops(), self.list]
        for one, next_one in pairwise(stops):
            QWidget.setTabOrder(one, next_one)

    def _connect(self) -> None:
        self.subjects.chosen.connect(self._choose)
        self.subjects.entered_list.connect(self.take_focus)
        head: Any = self.head
        head.where_chosen.connect(self._ask)
        head.part_chosen.connect(self.show_part)
        head.wishes_changed.connect(self._wish)
        head.keep_wanted.connect(lambda: self.keep())
        head.wave_wanted.connect(lambda: self.wave_away())
        head.later_wanted.connect(self.read_later)
        head.back_wanted.connect(lambda: self.take_back())
        head.seen_wanted.connect(self.mark_seen)
        self.list.picked.connect(self._pick)
        self.list.chosen_changed.connect(self._allow)
        self.list.liked.connect(self.keep)
        self.list.disliked.connect(self.wave_away)
        self.list.later.connect(lambda _: self.read_later())
        self.list.entered.connect(self.details.focus_text)
        self.list.left.connect(self.subjects.setFocus)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        self.details.left.connect(self.list.setFocus)
        self.details.similar_wanted.connect(self.similar_wanted)
        self.details.search_wanted.connect(self.search_wanted)
        self.details.paper_wanted.connect(self.details.show_paper)
        self.details.step_wanted.connect(
            lambda step: self.list.go_to(self.list.currentIndex().row() + step)
        )
        self.details.read_changed.connect(self.model.replace)

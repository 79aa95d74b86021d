"""The recommendations page: followed topics, new papers for each, and details of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSplitter, QStackedWidget, QWidget

from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.domain.recommend import FollowedTopic, TopicKind, TopicPreferences
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.formatting import shortened
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.page import Page
from sciread_app.ui.paper.details_panel import DetailsPanel
from sciread_app.ui.paper_list.paper_list import CardSource
from sciread_app.ui.recommendations.empty_states import (
    ALL_UNFOLLOWED,
    NO_TOPICS,
    EmptyAction,
    EmptyMessage,
    nothing_in,
)
from sciread_app.ui.recommendations.header import WHERE, RecommendationsHeader
from sciread_app.ui.recommendations.recommendation_list import ReasonModel, RecommendationList
from sciread_app.ui.recommendations.topic_list import HEADINGS, TopicList
from sciread_app.ui.recommendations.view_models import (
    RecommendationTab,
    TopicRecommendations,
)
from sciread_app.ui.style.theme import styled
from sciread_app.ui.view_models import ResultList
from sciread_app.ui.widgets.focus import holds_focus
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.messages.empty_state import EmptyState
from sciread_app.ui.widgets.rounded_popup import context_menu, rounded

if TYPE_CHECKING:
    from sciread_app.ui.paper.gateway import PaperGateway
    from sciread_app.ui.recommendations.gateway import RecommendationsGateway

SLOW_MS = 250  # after which the page shows that it is loading
LATER = "read later"
COUNTED_DAYS = 30
LEAST_WITH_TOPICS = 860  # pixels: the width of a page with the list of topics
NAME_SHOWN = 50  # characters of a topic in a menu


class RecommendationsPage(Page):
    """Lists the followed topics, and the papers recommended for the selected one with the reasons.
    Feedback is saved in the background, can be undone, and changes the recommendations at once."""

    def __init__(
        self,
        services: RecommendationsGateway,
        cards: CardSource,
        about: PaperGateway,
        context: AppContext,
    ) -> None:
        super().__init__(context.pages)
        jobs, appearance = context.jobs, context.appearance
        self._about = about
        self._services = services
        self._jobs = jobs
        self._context = context
        self._topics = context.topics
        self.found: TopicRecommendations | None = None
        self.subjects = TopicList(context.topics, appearance)
        self.new_query = styled(QPushButton(tr("Follow a query…")), "link")
        self.new_query.setToolTip(tr("Follow new papers from arXiv, PubMed, and other sources"))
        self.head = RecommendationsHeader(appearance)
        self.model = ReasonModel(cards, jobs, self)
        self.list = RecommendationList(self.model, appearance)
        self.list.setAccessibleName(tr("Recommended papers"))
        self.empty = EmptyState(appearance)
        self.no_topics = EmptyState(appearance)
        self._why_no_topics = NO_TOPICS
        self._build()
        self._connect()
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(self._show_searching)
        self.head.show_part(RecommendationTab.new)
        self.head.allow(False, False)

    @cached_property
    def details(self) -> DetailsPanel:
        """The details of the selected paper. They take as long to build as the rest of the page,
        and are first needed when the topics are loaded."""
        details = DetailsPanel(self._about, self._context, self._split)
        self._split.setStretchFactor(2, 4)
        self._split.setSizes([210, 560, 420])
        self._connect_details(details)
        return details

    # Interface of a page

    def build_rest(self) -> None:
        _ = self.details

    def refresh(self) -> None:
        self._topics.load()

    def take_focus(self) -> None:
        if self._whole.currentWidget() is self.no_topics:
            self.no_topics.buttons()[0].setFocus()
        elif self.model.rowCount():
            self.list.setFocus()
        else:
            self._focus_topics()

    def panes(self) -> Sequence[QWidget]:
        return (self.subjects, self.head, self.list, self.details)

    def unavailable_reason(self, action: str) -> str:
        subject = self.subjects.current()
        if subject is None:
            return tr("No topic is selected")
        is_query = subject.kind is TopicKind.query
        if action == "keep" and is_query:
            return tr("Available for collections and saved searches")
        return tr("Available for queries") if action == "refresh query" and not is_query else ""

    def selected(self) -> Sequence[PaperId]:
        return self.list.selected()

    def library_changed(self, changes: LibraryChanges) -> None:
        if changes.papers or changes.vectors or changes.space:
            self.model.forget()
            if self._has_details():
                self.details.refresh()
            if self.isVisible():
                self.refresh()

    def window_closes(self) -> bool:
        return not self._has_details() or self.details.keep_drafts()

    def _has_details(self) -> bool:
        return "details" in vars(self)

    # Actions

    def keep(self, papers: Sequence[PaperId] = ()) -> None:
        """Mark these papers, else the selected ones, as relevant and add them to the collection."""
        subject, papers = self.subjects.current(), papers or self.list.selected()
        if not subject or not papers or self.unavailable_reason("keep"):
            return
        if self.head.part is RecommendationTab.dismissed:
            self.take_back(papers)
            return
        self._take_away(papers)
        if subject.kind is TopicKind.collection:
            self._context.edits.submit(
                tr("Adding papers to a collection"),
                lambda editor: editor.collect(papers, subject.name),
            )
        else:
            text = trn(
                "Liked {n:,} paper for “{name}”",
                "Liked {n:,} papers for “{name}”",
                len(papers),
                name=subject.name,
            )
            back = self._way_back(subject, papers)
            self._save(lambda: self._services.like(subject, papers), text, back)

    def dismiss(self, papers: Sequence[PaperId] = ()) -> None:
        """Dismiss these papers, else the selected ones."""
        subject, papers = self.subjects.current(), papers or self.list.selected()
        if subject and papers and self.head.part is not RecommendationTab.dismissed:
            self._take_away(papers)
            text = trn("Dismissed {n:,} paper", "Dismissed {n:,} papers", len(papers))
            back = self._way_back(subject, papers)
            self._save(lambda: self._services.dismiss(subject, papers), text, back)

    def take_back(self, papers: Sequence[PaperId] = ()) -> None:
        """Undo the dismissal of papers."""
        subject, papers = self.subjects.current(), papers or self.list.selected()
        if subject and papers and self.head.part is RecommendationTab.dismissed:
            self._take_away(papers)
            self._way_back(subject, papers)()

    def read_later(self) -> None:
        if papers := self.list.selected():
            self._context.edits.submit(
                tr("Tagging papers"), lambda editor: editor.tag(papers, LATER)
            )

    def mark_seen(self) -> None:
        """Mark all new papers up to the latest as seen."""
        subject, found = self.subjects.current(), self.found
        if subject and found and found.part(RecommendationTab.new):
            before = found.preferences.seen

            def back() -> None:
                self._do(tr("Undoing"), lambda: self._services.seen(subject, before))

            count = len(found.part(RecommendationTab.new))
            text = trn("Marked {n:,} paper as seen", "Marked {n:,} papers as seen", count)
            self._save(lambda: self._services.seen(subject, found.newest), text, back)

    def show_part(self, part: RecommendationTab) -> None:
        self.head.show_part(part)
        self._show_list()
        self.list.go_to(0)

    def follow(self, key: str) -> None:
        """Show the recommendations for the topic with this key."""
        self.subjects.choose(key)

    def refresh_query(self) -> None:
        """Fetch the new papers of the selected query."""
        subject = self.subjects.current()
        if subject and not self.unavailable_reason("refresh query"):
            self._context.navigate.refresh_query(subject.number)

    def show_in_library(self) -> None:
        """Show all papers of the selected topic on the search page."""
        subject, navigate = self.subjects.current(), self._context.navigate
        if subject and subject.kind is TopicKind.query:
            self._jobs.run(
                tr("Loading the papers of a query"),
                lambda task: self._services.fetched(subject),
                lambda papers: navigate.show_papers(papers, subject.name),
                replaces="papers of topic",
            )
        elif subject:
            navigate.search_for(subject.query)

    def unfollow(self) -> None:
        """Leave the selected topic out of this page; it can be followed again."""
        if subject := self.subjects.current():
            self._topics.unfollow(subject)
            text = tr("Unfollowed “{name}”", name=subject.name)
            self._context.toast.show_message(text, lambda: self._topics.follow(subject))

    # Loading

    def _show_topics(self) -> None:
        if not self.isVisible():
            return  # `refresh` lists them again when the page is shown
        subjects = self._topics.topics
        reason = ALL_UNFOLLOWED if self._topics.unfollowed else NO_TOPICS
        if reason is not self._why_no_topics:  # else its buttons would lose the focus
            self._why_no_topics = reason
            self._show_message(self.no_topics, reason)
        page, held = 1 if subjects else 0, holds_focus(self)
        if page != self._whole.currentIndex():
            self._whole.setCurrentIndex(page)
            if held:  # the list has the keyboard focus
                self.take_focus()
        before = self.subjects.current()
        self.head.show_scope(self._topics.scope)
        self.subjects.refresh()
        if before and self.subjects.current() == before:
            self._ask()  # the selection has not changed, which would have loaded the topic
        self.actions_changed.emit()

    def _choose(self, subject: FollowedTopic) -> None:
        self.head.show_subject(subject)
        self.head.show_part(RecommendationTab.new)
        if self.found and self.found.subject.key != subject.key:
            self._show(TopicRecommendations(subject))
            self._show_searching()
        self._ask()
        self.actions_changed.emit()

    def _ask(self) -> None:
        subject, where = self.subjects.current(), self.head.where
        if subject is None:
            return

        def work(task: Task) -> TopicRecommendations:
            return self._services.suggest(subject, where.among, where.days, task)

        self._slow.start()
        self._jobs.run(
            tr("Loading recommendations"),
            work,
            self._show,
            on_failed=self._explain,
            replaces="recommendations",
        )

    def _show(self, found: TopicRecommendations) -> None:
        self._slow.stop()
        first = self.found is None or self.found.subject.key != found.subject.key
        self.found = found
        self.head.show_suggestions(found)
        where, new = self.head.where, found.part(RecommendationTab.new)
        if where.days == COUNTED_DAYS and (found.is_query or where.among is self._topics.scope):
            self._topics.show_new(found.subject.key, frozenset(new))
        self._show_list(to_top=first)

    def _show_list(self, to_top: bool = True) -> None:
        found, row = self.found, self.list.currentIndex().row()
        if found is None:
            return
        ids = tuple(found.part(self.head.part))
        listing = ResultList(ids, len(ids), found.evidence, remarks=found.words)
        self.list.show_reasons(listing, found.reasons)
        if to_top:
            self.list.scrollToTop()
        self._lists.setCurrentIndex(1 if ids else 0)
        if ids:
            self.list.go_to(min(max(row, 0), len(ids) - 1) if not to_top else 0)
        else:
            self.details.show_paper(None)
            self._show_message(self.empty, nothing_in(found, self.head.part))
        self._allow()

    def _take_away(self, papers: Sequence[PaperId]) -> None:
        """Remove papers from the list at once, select the next one, and reload the list later."""
        listing, gone = self.model.listing, set(papers)
        row = min((self.model.row_of(paper) or 0 for paper in papers), default=0)
        kept = tuple(paper for paper in listing.ids if paper not in gone)
        reasons = self.found.reasons if self.found else {}
        self.list.show_reasons(replace(listing, ids=kept, total=len(kept)), reasons)
        self.list.go_to(min(row, len(kept) - 1))
        self.list.setFocus()

    def _way_back(self, subject: FollowedTopic, papers: Sequence[PaperId]) -> Callable[[], None]:
        return lambda: self._do(tr("Undoing"), lambda: self._services.take_back(subject, papers))

    def _save(self, act: Callable[[], object], text: str, back: Callable[[], None]) -> None:
        """Save feedback, then say so with an offer to undo it by `back`."""
        show = self._context.toast.show_message
        self._do(tr("Saving feedback"), act, lambda: show(text, back))

    def _do(
        self,
        title: str,
        act: Callable[[], object],
        done: Callable[[], object] = lambda: None,
    ) -> None:
        """Run an edit on a worker thread, then reload. If it fails, its papers are listed again."""

        def end(_: object) -> None:
            self._learnt()
            done()

        def failed(problem: JobError) -> None:
            self._context.messages.show_problem(problem)
            self._ask()

        self._jobs.run(
            title,
            lambda task: act(),
            end,
            on_failed=failed,
        )

    def _learnt(self) -> None:
        self._ask()
        self._context.events.edited.emit()

    def _set_preferences(self, preferences: TopicPreferences) -> None:
        subject = self.subjects.current()
        if subject is None:
            return
        self._jobs.run(
            tr("Saving preferences"),
            lambda task: self._services.set_preferences(subject, preferences),
            lambda _: self._learnt(),
            on_failed=self._explain,
        )

    # Empty states

    def _explain(self, problem: JobError) -> None:
        self._slow.stop()
        if problem.report:
            self._context.messages.show_problem(problem)
        self.head.explain(problem)
        if not self.model.rowCount():
            self.empty.show_message(
                "similar", tr("Could not load recommendations"), problem.message
            )

    def _show_searching(self) -> None:
        if not self.model.rowCount():
            self.empty.show_message("wait", tr("Loading recommendations…"))
            self._lists.setCurrentIndex(0)

    def _show_message(self, empty: EmptyState, nothing: EmptyMessage) -> None:
        navigate = self._context.navigate
        do: dict[EmptyAction, Callable[[], object]] = {
            EmptyAction.papers: lambda: navigate.go_to("search"),
            EmptyAction.everywhere: self._look_everywhere,
            EmptyAction.far: lambda: self.show_part(RecommendationTab.far),
            EmptyAction.seen: lambda: self.show_part(RecommendationTab.seen),
            EmptyAction.words: self.head.must.setFocus,
            EmptyAction.new_query: navigate.new_query,
            EmptyAction.refresh: self.refresh_query,
            EmptyAction.follow_all: self._follow_all,
        }
        picture, title, text, steps = nothing
        empty.show_message(picture, title, text, tuple((name, do[step]) for name, step in steps))

    def _look_everywhere(self) -> None:
        self.head.among.choose(len(WHERE) - 1)
        self._ask()

    def _follow_all(self) -> None:
        for topic in self._topics.unfollowed:
            self._topics.follow(topic)

    def _focus_topics(self) -> None:
        """Move the focus to the list of topics, or to the menu that replaces it."""
        (self.head.among if self._side.isHidden() else self.subjects).setFocus()

    # Menus and layout

    def _topic_menu(self, place: QPoint) -> None:
        menu, subject = context_menu(self), self.subjects.current()
        if subject:
            if subject.kind is TopicKind.query:
                menu.addAction(tr("Check now"), self.refresh_query)
            menu.addAction(tr("Show in library"), self.show_in_library)
            menu.addAction(tr("Unfollow"), self.unfollow)
            menu.addSeparator()
        menu.addAction(tr("Follow a query…"), self._context.navigate.new_query)
        if self._topics.unfollowed:
            again = rounded(menu.addMenu(tr("Follow again")))
            for topic in self._topics.unfollowed:
                again.addAction(topic.name.replace("&", "&&"), partial(self._topics.follow, topic))
        menu.popup(place)

    def _offer_topics(self) -> None:
        """Offer the topics in the menu of scopes if there is no room for their list."""
        others: list[QAction] = []
        if self._side.isHidden():
            current, menu, kind = self.subjects.current(), self.head.among.menu(), None
            for topic in self._topics.topics:
                if topic.kind is not kind:
                    kind = topic.kind
                    others.append(QAction(HEADINGS[kind], menu, enabled=False))
                count = self._topics.count_of(topic.key)
                name = shortened(topic.name, NAME_SHOWN).replace("&", "&&")
                action = QAction(f"{name}\t{count:,}" if count else name, menu, checkable=True)
                action.setChecked(topic == current)
                action.triggered.connect(partial(self.subjects.choose, topic.key))
                others.append(action)
            new_query = QAction(tr("Follow a query…"), menu)
            new_query.triggered.connect(lambda: self._context.navigate.new_query())
            line = QAction(menu)
            line.setSeparator(True)
            others += [new_query, line]
        self.head.among.set_others(others)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the list of topics in a narrow window, where the menu of scopes offers them."""
        super().resizeEvent(event)
        held = holds_focus(self._side)
        self._side.setVisible(self.width() >= LEAST_WITH_TOPICS)
        self.head.among.setToolTip(tr("Topic and scope") if self._side.isHidden() else "")
        if held and self._side.isHidden():
            self._focus_topics()

    def _pick(self, paper: PaperId | None) -> None:
        if paper is not None:
            self.details.show_paper(paper, self.model.known(paper), listing=self.model.listing)

    def _allow(self) -> None:
        self.head.allow(self.list.selected_count() > 0, self.model.rowCount() > 0)

    def _menu(self, place: QPoint) -> None:
        chosen = self.list.selected()
        if not chosen:
            return
        menu = context_menu(self)
        if self.head.part is RecommendationTab.dismissed:
            menu.addAction(tr("Undo dismissal"), lambda: self.take_back(chosen))
        else:
            if not self.unavailable_reason("keep"):
                menu.addAction(tr("More like this") + "\t+", lambda: self.keep(chosen))
            menu.addAction(tr("Dismiss") + "\t−", lambda: self.dismiss(chosen))
        menu.addAction(tr("Read later") + "\tL", self.read_later)
        menu.addSeparator()
        navigate = self._context.navigate
        menu.addAction(tr("Similar papers"), lambda: navigate.show_similar(chosen))
        menu.addAction(self._context.actions["show on map"])
        menu.popup(self.list.viewport().mapToGlobal(place))

    def _build(self) -> None:
        # Outer widgets first: setting a parent restyles a widget with all its children.
        self._whole = QStackedWidget(self)
        column(self._whole, parent=self, margins=(16, 12, 16, 10))
        self._show_message(self.no_topics, self._why_no_topics)
        self._whole.addWidget(self.no_topics)
        self._split = QSplitter(
            Qt.Orientation.Horizontal, self._whole, childrenCollapsible=False, handleWidth=10
        )
        self._whole.addWidget(self._split)
        self._side, middle = QWidget(), QWidget()
        for part, stretch in ((self._side, 0), (middle, 5)):
            self._split.addWidget(part)
            self._split.setStretchFactor(self._split.count() - 1, stretch)
        left = Qt.AlignmentFlag.AlignLeft
        column((self.subjects, 1), (self.new_query, 0, left), parent=self._side, margins=0)
        self._lists = QStackedWidget()
        column(self.head, (self._lists, 1), parent=middle, margins=0, spacing=8)
        self._lists.addWidget(self.empty)
        self._lists.addWidget(self.list)
        tab_stops = [self.subjects, self.new_query, *self.head.tab_stops(), self.list]
        for one, next_one in pairwise(tab_stops):
            QWidget.setTabOrder(one, next_one)

    def _connect(self) -> None:
        self.subjects.selected.connect(self._choose)
        self.subjects.entered_list.connect(self.take_focus)
        self.subjects.menu_requested.connect(self._topic_menu)
        self._topics.listed.connect(self._show_topics)
        head, navigate = self.head, self._context.navigate
        self.new_query.clicked.connect(lambda: navigate.new_query())
        head.among.selected.connect(self._ask)
        head.among.menu().aboutToShow.connect(self._offer_topics)
        head.part_selected.connect(self.show_part)
        head.preferences_changed.connect(self._set_preferences)
        head.keep.clicked.connect(lambda: self.keep())
        head.dismiss.clicked.connect(lambda: self.dismiss())
        head.later.clicked.connect(self.read_later)
        head.back.clicked.connect(lambda: self.take_back())
        head.seen.clicked.connect(self.mark_seen)
        self.list.current_changed.connect(self._pick)
        self.list.selection_changed.connect(self._allow)
        self.list.marked_relevant.connect(self.keep)
        self.list.marked_irrelevant.connect(self.dismiss)
        self.list.later_requested.connect(lambda _: self.read_later())
        self.list.activated.connect(lambda: self.details.focus_text())
        self.list.escaped.connect(self._focus_topics)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)

    def _connect_details(self, details: DetailsPanel) -> None:
        navigate = self._context.navigate
        details.escaped.connect(self.list.setFocus)
        details.similar_requested.connect(navigate.show_similar)
        details.search_requested.connect(navigate.search_for)
        details.paper_requested.connect(details.show_paper)
        details.step_requested.connect(
            lambda step: self.list.go_to(self.list.currentIndex().row() + step)
        )
        details.read_changed.connect(self.model.replace)

"""The empty list: why there are no results, and the look-up of a paper that is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from sciread_app.domain.identifiers import pasted_identifier
from sciread_app.domain.paper import Identifier
from sciread_app.domain.query.ast import TRASH
from sciread_app.language import tr
from sciread_app.ui.jobs.runner import JobError, JobQueue, JobRunner
from sciread_app.ui.query_state import ResultView
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.widgets.messages.empty_state import Actions, EmptyState

if TYPE_CHECKING:
    from sciread_app.ui.paper.gateway import PaperGateway


class EmptyList(EmptyState):
    """Explains why the list is empty. Offers to look up a paper by its identifier, if one was
    searched for, and runs the lookup."""

    loaded = Signal()  # a paper was added to the library

    def __init__(self, about: PaperGateway, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__(appearance)
        self._about = about
        self._jobs = jobs
        self._wanted: Identifier | None = None  # the identifier that was not found

    def show_view(self, view: ResultView, actions: Actions) -> None:
        self._wanted = name = missing(view)
        if name is None:
            self.show_message(*empty_texts(view), actions)
        else:
            text = tr("SciRead can look up the paper online and add it to your library.")
            look_up = (tr("Look up and add"), lambda: self._look_up(name))
            self.show_message("search", _title(name), text, (look_up, *actions))

    def _look_up(self, name: Identifier) -> None:
        self.show_message("search", _title(name), tr("Looking up the paper…"))

        def failed(problem: JobError) -> None:
            if name == self._wanted:
                again = (tr("Retry"), lambda: self._look_up(name))
                self.show_message("search", _title(name), problem.text, (again,))

        self._jobs.run(
            tr("Looking up {name}", name=name.value),
            lambda task: self._about.fetch(f"{name.kind}:{name.value}", task),
            lambda paper: self.loaded.emit(),
            on_failed=failed,
            queue=JobQueue.network,
        )


def missing(view: ResultView) -> Identifier | None:
    """The typed identifier, if the whole library was searched for it."""
    request = view.request
    if view.title or request.scope or request.filters or request.like:
        return None
    return pasted_identifier(request.typed)


def contains_note(view: ResultView) -> bool:
    """Whether the empty list says what the note of the results says."""
    return not view.listing.ids and bool(view.listing.weaker or missing(view))


def _title(name: Identifier) -> str:
    return tr("{name} is not in your library", name=name.value)


_HINTS = tr(
    "Try fewer or different keywords, or switch to Meaning, which also finds papers that use "
    "other words. All keywords must match. Enter -word to exclude a word, or photo* to match "
    "words that begin with photo."
)


def empty_texts(view: ResultView) -> tuple[str, str, str]:
    """Why the list is empty: a picture, a title, and a suggestion."""
    request = view.request
    if view.title:
        return "papers", tr("These papers are no longer in the library"), ""
    if view.listing.weaker:
        return "search", tr("No close matches"), view.listing.note or _HINTS
    if request.like and not request.typed:
        return (
            "similar",
            tr("No similar papers"),
            tr("Similar papers appear when indexing is finished."),
        )
    if request.of_trash and not request.typed:
        return (
            TRASH,
            tr("The Trash is empty"),
            tr(
                "Papers that you move to the Trash are kept here until you restore or "
                "permanently delete them."
            ),
        )
    if not request.typed and request.scope and not request.filters:
        return (
            "papers",
            tr("No papers here yet"),
            tr(
                "Select papers in another list and drag them onto a collection or tag in "
                "the sidebar."
            ),
        )
    return "search", tr("No results"), _HINTS

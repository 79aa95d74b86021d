"""The empty list: why there are no results, and the look-up of a paper that is missing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sciread_app.domain.metadata.identifiers import pasted_identifier
from sciread_app.domain.paper import Identifier, LibraryChanges
from sciread_app.domain.query.ast import TRASH
from sciread_app.language import tr
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.formatting import shortened
from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.query_state import ResultView
from sciread_app.ui.widgets.messages.empty_state import Actions, EmptyState

if TYPE_CHECKING:
    from sciread_app.ui.paper.gateway import PaperGateway

TITLE_WORDS, MOST_WORDS = 4, 60  # of a text that may be a title
LONGEST_TITLE = 80  # characters
_OPERATORS = re.compile(r"""["“”*()]|\w:\S|(?:^|\s)-\w|\b(?:OR|AND|NOT)\b""")


class EmptyList(EmptyState):
    """Explains why the list is empty. Offers to look up a paper by its identifier or its title, if
    one was searched for, and runs the lookup."""

    def __init__(self, about: PaperGateway, context: AppContext) -> None:
        super().__init__(context.appearance)
        self._about = about
        self._jobs, self._events = context.jobs, context.events
        self._wanted = ""  # the identifier or title that was not found

    def show_view(self, view: ResultView, actions: Actions) -> None:
        """Explain why this view is empty, with `actions` after the offer to look up a paper, if
        there is one."""
        name, title = missing(view), missing_title(view)
        wanted = self._wanted = f"{name.kind}:{name.value}" if name else title
        if not wanted:
            self.show_message(*empty_texts(view), actions)
            return
        heading = _title(name.value) if name else _title(f"“{shortened(title, LONGEST_TITLE)}”")
        text = tr(
            "SciRead can look up the paper online and add it to your library. The services are "
            "Crossref, DataCite, OpenAlex, arXiv, PubMed, and Open Library."
        )
        look_up = (tr("Look up and add"), lambda: self._look_up(wanted, heading))
        self.show_message("search", heading, text, (look_up, *actions))

    def _look_up(self, wanted: str, heading: str) -> None:
        self.show_message("search", heading, tr("Looking up the paper…"))

        def explain(why: str) -> None:
            if wanted == self._wanted:
                again = (tr("Retry"), lambda: self._look_up(wanted, heading))
                self.show_message("search", heading, why, (again,))

        self._jobs.run(
            tr("Looking up {name}", name=wanted),
            lambda task: self._about.fetch(wanted, task),
            lambda _: self._events.papers_added.emit(LibraryChanges(papers=True)),
            on_failed=lambda problem: explain(problem.text),
            queue=JobQueue.network,
        )


def missing(view: ResultView) -> Identifier | None:
    """The typed identifier, if the whole library was searched for it."""
    return pasted_identifier(view.request.typed) if _is_of_library(view) else None


def missing_title(view: ResultView) -> str:
    """The typed text if it may be a whole title, which the whole library was searched for; else an
    empty string."""
    text = " ".join(view.request.typed.split())
    is_title = TITLE_WORDS <= len(text.split()) <= MOST_WORDS and not _OPERATORS.search(text)
    return text if is_title and _is_of_library(view) else ""


def _is_of_library(view: ResultView) -> bool:
    request = view.request
    return not (view.invalid or view.title or request.scope or request.filters or request.like)


def contains_note(view: ResultView) -> bool:
    """Whether the text of the empty list already contains the note of the results."""
    empty = not (view.listing.ids or view.title or view.invalid)
    return empty and bool(view.listing.weaker or missing(view) or not view.request.ranked)


def _title(name: str) -> str:
    return tr("{name} is not in your library", name=name)


_HINTS = tr(
    "Try fewer or different keywords, or switch to Meaning, which also finds papers that use "
    "other words. All keywords must match. Enter -word to exclude a word, or photo* to match "
    "words that begin with photo."
)


_NO_MATCH = tr("No paper matches all of these conditions. Remove one, or check its spelling.")


def empty_texts(view: ResultView) -> tuple[str, str, str]:
    """Why the list is empty: a picture, a title, and a suggestion."""
    request = view.request
    if view.invalid:
        return "search", tr("Invalid query"), ""
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
    if not request.ranked:
        return "filter", tr("No results"), view.listing.note or _NO_MATCH
    return "search", tr("No results"), _HINTS

"""An identifier that was searched for and is not in the library: look it up and add the paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from sciread_app.domain.identifiers import pasted_identifier
from sciread_app.domain.paper import Identifier, PaperId
from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import JobError, JobQueue, JobRunner
from sciread_app.ui.query_state import ResultView
from sciread_app.ui.widgets.messages.empty_state import EmptyState

_CAN_BE_ASKED_FOR = ("doi", "arxiv", "pmid", "pmcid")


class PaperLookup(Protocol):
    def fetch(self, name: Identifier, task: Task) -> PaperId: ...


class MissingPaper(QObject):
    """Offers, in the empty list, to look up a paper by its identifier, and runs the lookup."""

    loaded = Signal()

    def __init__(self, fetcher: PaperLookup, jobs: JobRunner, empty: EmptyState) -> None:
        super().__init__(empty)
        self._fetcher = fetcher
        self._jobs = jobs
        self._empty = empty
        self._wanted: Identifier | None = None  # the identifier that was not found

    def show(self, view: ResultView, others: tuple[tuple[str, Callable[[], object]], ...]) -> bool:
        """Offer to look up the typed identifier, followed by the actions `others`. Returns False if
        the text is no identifier."""
        self._wanted = missing(view)
        if (name := self._wanted) is None:
            return False
        can_ask = name.kind in _CAN_BE_ASKED_FOR
        look_up = ((tr("Look up and add"), lambda: self._look_up(name)),) if can_ask else ()
        text = tr("Add its PDF, or a BibTeX, RIS or PubMed file that holds it.")
        if can_ask:
            text = tr("It can be looked up online and added to your library.")
        self._empty.show_message("search", _title(name), text, (*look_up, *others))
        return True

    def _look_up(self, name: Identifier) -> None:
        self._empty.show_message("search", _title(name), tr("Looking it up…"))

        def failed(problem: JobError) -> None:
            if name == self._wanted:
                again = (tr("Try again"), lambda: self._look_up(name))
                text = f"{problem.message} {problem.hint}".strip()
                self._empty.show_message("search", _title(name), text, (again,))

        self._jobs.run(
            tr("Looking up {name}", name=name.value),
            lambda task: self._fetcher.fetch(name, task),
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


def _title(name: Identifier) -> str:
    return tr("{name} is not in your library", name=name.value)

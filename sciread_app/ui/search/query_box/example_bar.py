"""The example papers that steer the results, as chips above the list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Signal

from sciread_app.domain.paper import PaperId
from sciread_app.language import tr
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.paper_list.paper_list import CardSource
from sciread_app.ui.query_state import SearchRequest
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.view_models import Card
from sciread_app.ui.widgets.chip_row import ChipLabel, ChipRow

EVERYTHING = "everything"


class ExampleBar(ChipRow):
    """Chips for the positive and negative examples. Titles that are not in the list are looked
    up."""

    changed = Signal(object, object)  # like, unlike: tuples of PaperId

    def __init__(
        self,
        source: CardSource,
        known: Callable[[PaperId], Card | None],
        jobs: JobRunner,
        appearance: Appearance,
    ) -> None:
        super().__init__(tr("Example papers"), appearance)
        self._source = source
        self._known = known
        self._jobs = jobs
        self._titles: dict[PaperId, str] = {}
        self._like: Sequence[PaperId] = ()
        self._unlike: Sequence[PaperId] = ()
        self.removed.connect(self._remove)

    def show_request(self, request: SearchRequest) -> None:
        """Show the examples of a request; unknown titles are added once they have been looked
        up."""
        self._like, self._unlike = request.like, request.unlike
        papers = [*self._like, *self._unlike]
        for paper in papers:
            if card := self._known(paper):
                self._titles[paper] = card.paper.title
        self._show()
        if unknown := [paper for paper in papers if paper not in self._titles]:
            self._jobs.run(
                tr("Looking up titles"),
                lambda task: {c.paper.id: c.paper.title for c in self._source.cards(unknown)},
                self._learn,
            )

    def _learn(self, titles: Mapping[PaperId | None, str]) -> None:
        self._titles |= {paper: title for paper, title in titles.items() if paper is not None}
        self._show()

    def _show(self) -> None:
        groups = [
            (tr("Like"), self._labels(self._like)),
            (tr("Not like"), self._labels(self._unlike)),
        ]
        if len(self._like) + len(self._unlike) > 1:
            groups.append(("", [ChipLabel(EVERYTHING, tr("Clear all"))]))
        self.show_groups(groups)

    def _labels(self, papers: Sequence[PaperId]) -> list[ChipLabel]:
        return [ChipLabel(paper, self._titles.get(paper) or tr("Paper")) for paper in papers]

    def _remove(self, key: object) -> None:
        if key == EVERYTHING:
            self.changed.emit((), ())
            return
        like = tuple(paper for paper in self._like if paper != key)
        unlike = tuple(paper for paper in self._unlike if paper != key)
        self.changed.emit(like, unlike)

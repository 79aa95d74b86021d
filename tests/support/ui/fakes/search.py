"""A fake of search, without a database and a model."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from sciread_app.domain.paper import Order, Paper, PaperId
from sciread_app.domain.query.parser import Query
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.domain.search_hit import SearchHit
from sciread_app.tasks import Task
from sciread_app.ui.view_models import ResultList
from tests.support.generate.papers import paper
from tests.support.ui.fakes.activation import FakeActivation
from tests.support.ui.fakes.library import FakeEditor


class FakeSearch:
    """Hold `count` papers that are created on request; searches are recorded in `asked`."""

    def __init__(self, count: int = 100, papers: Sequence[Paper] = ()) -> None:
        self.papers = {n: p for n, p in enumerate(papers, start=1)}
        self.count = len(papers) or count
        self.calls: list[str] = []
        self.orders: list[Order] = []
        self.encoded = 0
        self.hold: dict[str, threading.Event] = {}  # query: the event that its search waits for
        self.weak: set[int] = set()  # papers that match queries weakly only
        self.editor = FakeEditor(self.count)
        self.activation = FakeActivation()

    def paper(self, id: int) -> Paper:
        known = self.papers.get(id) or paper(
            f"Paper {id}", authors="Curie, Marie; Noether, Emmy", abstract=f"About {id}.",
            venue="Annalen", published="1915", fields=("math.AG",), doi=f"10.1000/{id}",
        )  # fmt: skip
        return Paper(**{name: getattr(known, name) for name in Paper.__slots__} | {"id": id})

    def without_trash(self, papers: Sequence[PaperId]) -> list[PaperId]:
        return [paper for paper in papers if paper not in self.editor.trashed]

    def find(
        self, query: Query, mode: SearchMode, task: Task, order: Order = Order.relevance
    ) -> ResultList:
        """Ignore scopes, and leave out examples."""
        self.calls.append(query.text)
        self.orders.append(order)
        if event := self.hold.get(query.text):
            event.wait(60)
        if not query.text:
            return ResultList(range(self.count, 0, -1), self.count)
        words = [term.text for term in query.terms]
        ids = [
            n
            for n in (range(self.count, 0, -1) if query.like else range(1, self.count + 1))
            if n not in (*query.like, *query.unlike)
            and (not query.identifier or query.identifier in self.paper(n).identifiers)
            and all(w in (self.paper(n).title + self.paper(n).abstract).casefold() for w in words)
        ]
        evidence = {
            n: SearchHit(
                PaperId(n),
                0.0,
                rank,
                rank + 1,
                0.6,
                max(50.0, 100 - 0.02 * 2.2**rank),
                weak=n in self.weak,
            )
            for rank, n in enumerate(ids, start=1)
        }
        weaker = [n for n in ids if n in self.weak]
        ids = [n for n in ids if n not in self.weak]
        note = "" if self.encoded else "Keyword results only: the model is loading"
        return ResultList(tuple(ids), len(ids), evidence, tuple(words), note, weaker)

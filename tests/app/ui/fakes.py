"""A library for the window that needs no database and no model."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from sciread_app.domain.facets import Count, Facets
from sciread_app.domain.order import Order
from sciread_app.domain.paper import Paper, PaperId, Skipped
from sciread_app.domain.query import parse
from sciread_app.errors import BadQuery
from sciread_app.tasks import Task
from sciread_app.ui.palette_offer import Goal
from sciread_app.ui.values import Card, Evidence, Ledger, Likeness, Listing, Mode, Status
from tests.app.ui.fake_about import FakeAbout
from tests.app.ui.fake_care import FakeCare
from tests.app.ui.fake_dashboard import FakeDashboard
from tests.app.ui.fake_duplicates import FakeReviewer
from tests.app.ui.fake_exchange import FakeExchange
from tests.app.ui.fake_foryou import FakeForYou
from tests.app.ui.fake_intake import FakeIntake
from tests.app.ui.fake_map import FakeMaps
from tests.app.ui.fake_models import FakeModels
from tests.app.ui.fake_organise import FakeOrganise
from tests.app.ui.fake_others import FakeOthers
from tests.app.ui.fake_reader import FakeReading
from tests.app.ui.fake_swaps import FakeSwaps
from tests.app.ui.fake_training import FakeTeacher
from tests.make import paper


class FakeDesk:
    """Holds `count` papers that exist only when asked for; each verb notes what was asked."""

    def __init__(self, count: int = 100, papers: Sequence[Paper] = ()) -> None:
        self.papers = {n: p for n, p in enumerate(papers, start=1)}
        self.count = len(papers) or count
        self.asked: list[str] = []
        self.orders: list[Order] = []
        self.counted: list[str] = []
        self.loaded: list[int] = []
        self.imported: list[list[Path]] = []
        self.encoded = 0
        self.hold: dict[str, threading.Event] = {}  # query: answer when this is set
        self.go_on_importing = threading.Event()
        self.go_on_importing.set()
        self.go_on_encoding = threading.Event()
        self.go_on_encoding.set()
        self.failures: list[Skipped] = []
        self.intake = FakeIntake()
        self.care = FakeCare()
        self.exchange = FakeExchange()
        self.reading = FakeReading()
        self.organise = FakeOrganise(self.count)
        self.others = FakeOthers(self)
        self.duplicates = FakeReviewer()
        self.about = FakeAbout(self)
        self.map = FakeMaps(self.count)
        self.foryou = FakeForYou(self.cards)
        self.weak: set[int] = set()  # papers that answer no query
        self.swaps = FakeSwaps()
        self.models = FakeModels(self)
        self.training = FakeTeacher()
        self.dashboard = FakeDashboard(self.count)

    def paper(self, id: int) -> Paper:
        known = self.papers.get(id) or paper(
            f"Paper {id}", authors="Curie, Marie; Noether, Emmy", abstract=f"About {id}.",
            venue="Annalen", published="1915", fields=("math.AG",), doi=f"10.1000/{id}",
        )  # fmt: skip
        return Paper(**{name: getattr(known, name) for name in Paper.__slots__} | {"id": id})

    def find(self, query: str, mode: Mode, task: Task, order: Order = Order.relevance) -> Listing:
        """Scopes limit nothing here; examples are left out."""
        self.asked.append(query)
        self.orders.append(order)
        if event := self.hold.get(query):
            event.wait(60)
        if query.startswith("wrong"):
            raise BadQuery("There is no field “wrong:”.", "Use author: or year: instead.")
        asked = parse(query)
        words = [term.text for term in asked.terms]
        ids = [
            n
            for n in (range(self.count, 0, -1) if asked.like else range(1, self.count + 1))
            if n not in (*asked.like, *asked.unlike)
            and (not asked.identifier or asked.identifier in self.paper(n).identifiers)
            and all(w in (self.paper(n).title + self.paper(n).abstract).casefold() for w in words)
        ]
        evidence = {
            n: Evidence(rank, rank + 1, 0.6, max(50.0, 100 - 0.02 * 2.2**rank), weak=n in self.weak)
            for rank, n in enumerate(ids, start=1)
        }
        weaker = [n for n in ids if n in self.weak]
        ids = [n for n in ids if n not in self.weak]
        note = "" if self.encoded else "Searching by words only: the model is starting"
        return Listing(tuple(ids), len(ids), evidence, tuple(words), note, weaker)

    def names(self, field: str, written: str, task: Task) -> list[Count]:
        names = {"author": ("Marie Curie", "Pierre Curie"), "tag": ("to read", "maths")}
        return [
            Count(name, 7) for name in names.get(field, ()) if written.casefold() in name.casefold()
        ]

    def likeness(self, source: Sequence[Path] | str, task: Task) -> Likeness:
        """A pasted entry is not in the library, the second file is."""
        if isinstance(source, str):
            return Likeness("On Bees", (), "On Bees that fly")
        if source[0].name == "empty.bib":
            raise BadQuery("No paper was found in empty.bib.", "Drop a PDF.")
        return Likeness("Paper 2 and 1 more", (PaperId(2),), "On Wasps")

    def facets(self, query: str, mode: Mode, task: Task) -> Facets:
        """Made up, but for what a query asks for first."""
        self.counted.append(query)
        years = tuple((year, year - 1998) for year in range(1999, 2021))
        values = {
            "cat": (Count("cs.CL", 30), Count("math.AG", 12), Count("Oncology", 3)),
            "venue": (Count("Nature & Science", 9),),
            "author": (Count("Marie Curie", 7), Count("Emmy Noether", 5)),
            "in": (Count("thesis/methods", 4),),
            "tag": (Count("to read", 2),),
        }
        return Facets(self.count, years, 40, 60, values)

    def similar(self, like: Sequence[PaperId], unlike: Sequence[PaperId], task: Task) -> Listing:
        self.asked.append(f"similar {list(like)} {list(unlike)}")
        ids = [n for n in range(self.count, 0, -1) if n not in (*like, *unlike)][:20]
        evidence = {
            n: Evidence(None, rank, 0.7, max(50.0, 100 - 0.02 * 1.6**rank))
            for rank, n in enumerate(ids, start=1)
        }
        return Listing(tuple(ids), len(ids), evidence)

    def browse(self, order: Order, task: Task) -> Listing:
        self.asked.append(f"browse {order.value}")
        return Listing(range(self.count, 0, -1), self.count)

    def cards(self, ids: Sequence[int]) -> list[Card]:
        self.loaded += ids
        tags, stars = self.organise.tags, self.organise.stars
        return [
            Card(
                self.paper(n),
                n in self.organise.read,
                tuple(name for name, tagged in tags.items() if n in tagged),
                stars.get(n, 0),
            )
            for n in ids
        ]

    def add(self, paths: Sequence[Path], task: Task) -> Ledger:
        self.imported.append(list(paths))
        for done in range(100):
            task.step(done, 100, "papers.bib")
            if done == 40:
                while not self.go_on_importing.wait(0.01):
                    task.check()
        self.count += 3
        return Ledger(5 + len(self.failures), 3, 2, self.failures, seconds=1.5)

    def add_sample(self, task: Task) -> Ledger:
        return self.add([Path("sample_library.bib")], task)

    def catch_up(self, task: Task) -> int:
        self.encoded += 1
        self.go_on_encoding.wait(60)
        return 3

    def status(self) -> Status:
        return Status(self.count, 0 if self.encoded else self.count, by_meaning=True)

    def goals(self) -> list[Goal]:
        return [Goal("Collection", "thesis", "in:thesis"), Goal("Tag", "to read", 'tag:"to read"')]

    def wake(self, task: Task) -> None:
        self.awake = True

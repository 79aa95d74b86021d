"""Papers of a real library matched by each condition of the query language."""

from __future__ import annotations

import time

import numpy as np
import pytest

from sciread_app.domain.paper import Order
from sciread_app.domain.query.parser import parse
from sciread_app.formats.pdf.problems import BROKEN
from sciread_app.storage.filter_sql import selections
from sciread_app.storage.organisation.attachments import Attachment
from tests.support.generate.papers import paper

MONTH = 30 * 86_400


@pytest.fixture
def found(library):
    """Return a function giving the titles of papers that meet a query's conditions, by id."""
    first, second, _ = library.put(
        [
            paper("Radium", authors="Curie, Marie", venue="Nature", published="1903"),
            paper("Cells", authors="Curie, Marie Ann", venue="Nature Physics", published="2015"),
            paper("Gone", extra={"withdrawn": "By the author."}, published="2016"),
        ]
    ).ids  # fmt: skip
    library.tags.add([first], 'the "good" ones')
    library.tags.add([second], "maths")
    library.collections.add([second], "thesis/methods")
    with library._db.writing() as db:
        db.exec_driver_sql("UPDATE papers SET rating = 4 WHERE id = ?", (first,))
        then = time.time() - MONTH
        db.exec_driver_sql("UPDATE papers SET added = ? WHERE id = ?", (then, second))

    def titles(query: str) -> list[str]:
        ids = library.matching(parse(query).conditions)
        return [p.title for p in library.get(ids.tolist())]

    return titles


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("rating:4..", ["Radium"]),
        ("rating:..3", []),
        ("rating:0", ["Cells", "Gone"]),
        ("-rating:0", ["Radium"]),
        ("is:retracted", ["Gone"]),
        ("-is:retracted", ["Radium", "Cells"]),
        ("is:unfiled", ["Radium", "Gone"]),
        ("has:tags", ["Radium", "Cells"]),
        ("has:highlights", []),
        ("has:problems", ["Gone"]),  # no authors
        ("-has:problems", ["Radium", "Cells"]),
        ("added:7d", ["Radium", "Gone"]),
        ("-added:7d", ["Cells"]),
        ("added:..2020", []),
        ("venue:nature", ["Radium", "Cells"]),
        ("venue:=Nature", ["Radium"]),
        ("venue:=Nature OR venue:physics", ["Radium", "Cells"]),
        ('author:"Marie Curie"', ["Radium", "Cells"]),
        ('author:="marie curie"', ["Radium"]),
        ('-author:="Marie Curie"', ["Cells", "Gone"]),
        ('tag:"the good ones" OR tag:MATHS', ["Radium", "Cells"]),
        ("in:thesis year:2015", ["Cells"]),
    ],
)
def test_condition_matches_its_papers(found, query, wanted):
    assert found(query) == wanted


def test_tree_counts_the_papers_with_problems_outside_the_trash(found, library):
    whole = paper("Isotopes", authors="Soddy, F.", published="1913")
    undated = paper("Bees", authors="Frisch, K.")
    untitled = paper("", authors="Curie, Irène", published="1934")
    damaged, bees, _ = library.put([whole, undated, untitled]).ids
    assert found("has:problems") == ["Gone", "Bees", ""]
    library.attachments.put([(Attachment(damaged, "/papers/isotopes.pdf", "aa", 5, 0, BROKEN), "")])
    assert found("has:problems") == ["Gone", "Isotopes", "Bees", ""]
    assert library.organisation.tree().problems == 4
    library.trash([bees])
    assert found("has:problems") == ["Gone", "Isotopes", ""]
    assert library.organisation.tree().problems == 3


def test_papers_without_abstract_and_doi_are_counted_outside_the_trash(library):
    before = library.organisation.tree()
    one = paper("One", abstract="Text.", doi="10.1000/1")
    ids = library.put([one, paper("Two", abstract=""), paper("Three", abstract="")]).ids
    library.trash(ids[2:])
    after = library.organisation.tree()
    assert after.without_abstract == before.without_abstract + 1
    assert after.without_doi == before.without_doi + 1


def test_papers_in_trash_are_found_only_when_requested(found, library):
    library.trash([1, 3])
    assert found("year:..2016") == ["Cells"]
    assert found("in:trash") == ["Radium", "Gone"]
    assert found("in:trash year:2016") == ["Gone"]
    assert found("in:trash rating:4..") == ["Radium"]
    assert found("-in:trash") == ["Cells"]


@pytest.mark.parametrize(
    ("order", "titles"),
    [
        (Order.added, ["Gone", "Radium", "Cells"]),
        (Order.year, ["Gone", "Cells", "Radium"]),
        (Order.oldest, ["Radium", "Cells", "Gone"]),
        (Order.title, ["Cells", "Gone", "Radium"]),
        (Order.author, ["Cells", "Radium", "Gone"]),
        (Order.venue, ["Radium", "Cells", "Gone"]),
        (Order.rating, ["Radium", "Gone", "Cells"]),
        (Order.unread, ["Gone", "Cells", "Radium"]),
    ],
)
@pytest.mark.parametrize("many", [0, 20_000])
def test_papers_are_sorted_in_every_order(found, library, monkeypatch, order, titles, many):
    monkeypatch.setattr("sciread_app.storage.library._MANY", many)
    library.reading_state.mark_read([1])
    ids = library.ordered(np.array([1, 2, 3]), order)
    assert [p.title for p in library.get(ids.tolist())] == titles
    library.trash([2])
    assert library.ordered(np.array([1, 2, 3]), order).tolist() == ids.tolist()


def test_rare_conditions_use_an_index(library):
    with library._db.reading() as db:
        for query, index in (
            ("is:retracted", "papers_withdrawn"),
            ("rating:4..", "papers_rated"),
            ("venue:=Nature", "papers_venue"),
            ("added:7d", "papers_added"),
        ):
            (one,) = selections(parse(query).conditions)
            plan = db.exec_driver_sql(f"EXPLAIN QUERY PLAN {one.sql}", one.values).all()
            assert index in str(plan), plan

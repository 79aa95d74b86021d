"""Facet counts of a result list, over a real library."""

from __future__ import annotations

import numpy as np
import pytest

from sciread_app.domain.query.builder import fragment
from sciread_app.domain.query.parser import parse
from sciread_app.services.search.facets import FacetService
from tests.support.generate.papers import paper


@pytest.fixture
def papers(library) -> list[int]:
    ids = library.put(
        [
            paper(
                "Radium", authors="Curie, Marie; Curie, Pierre", venue="Nature", published="1903",
                fields=("physics", "chemistry"), files=("/x/radium.pdf",),
            ),
            paper("Polonium", authors="Curie, Marie", venue="nature", published="1903",
                  fields=("physics",)),
            paper("Symmetry", authors="Noether, Emmy", venue="Annalen", published="1918"),
            paper("Gone", authors="Noether, Emmy", venue="Annalen", published="1920"),
        ]
    ).ids  # fmt: skip
    library.tags.add(ids[:2], "to read")
    library.collections.add(ids[:1], "thesis/methods")
    library.collections.add(ids[:2], "thesis")
    library.reading_state.mark_read(ids[2:3])
    library.trash(ids[3:])
    return ids[:3]


def test_facets_count_every_filter_most_frequent_first(library, papers):
    facets = FacetService(library).of(np.array(papers))
    assert (facets.papers, facets.pdf, facets.unread) == (3, 1, 2)
    assert facets.years == ((1903, 2), (1918, 1))
    assert facets.values["cat"] == (("physics", 2), ("chemistry", 1))
    assert facets.values["author"][0] == ("Marie Curie", 2)
    assert set(facets.values["author"][1:]) == {("Pierre Curie", 1), ("Emmy Noether", 1)}
    assert [n for _, n in facets.values["venue"]] == [2, 1]
    assert facets.values["tag"] == (("to read", 2),)
    assert facets.values["in"] == (("thesis", 2), ("thesis/methods", 1))


def test_facets_count_only_papers_in_the_list(library, papers):
    counts = FacetService(library)
    facets = counts.of(np.array(papers[2:]))
    assert facets.values["author"] == (("Emmy Noether", 1),)
    assert (facets.years, facets.unread, facets.values["tag"]) == (((1918, 1),), 0, ())
    assert counts.of(np.empty(0, np.int64)).values["author"] == ()


def test_facet_count_equals_matches_of_its_filter(library, papers):
    facets = FacetService(library).of(np.array(papers))
    for field, counts in facets.values.items():
        for name, count in counts:
            query = parse(fragment(field, [name]))
            assert len(library.matching(query.conditions)) == count, (field, name)


def test_facets_are_recounted_after_library_changes(library, papers):
    counts = FacetService(library)
    assert counts.of(np.array(papers)).unread == 2
    library.reading_state.mark_read(papers)
    library.tags.add(papers, "new")
    facets = counts.of(np.array(papers))
    assert facets.unread == 0 and facets.values["tag"][0] == ("new", 3)


@pytest.mark.parametrize(
    ("field", "written", "names"),
    [
        ("author", "cur", [("Marie Curie", 2), ("Pierre Curie", 1)]),
        ("author", "Marie C", []),  # one letter is the prefix of too many names
        ("author", "marie cu", [("Marie Curie", 2)]),
        ("author", "x%", []),
        ("venue", "NAT", [("Nature", 2)]),
        ("cat", "chem", [("chemistry", 1)]),
        ("tag", "read", [("to read", 2)]),
        ("in", "meth", [("thesis/methods", 1)]),
        ("year", "19", [("1918", 1), ("1903", 2)]),
        ("year", "03", []),
    ],
)
def test_facet_names_are_found_by_prefix(library, papers, field, written, names):
    found = library.facets.names(field, written, 5)
    assert [(name.lower(), count) for name, count in found] == [
        (name.lower(), count) for name, count in names
    ]


def test_facets_of_empty_library_are_empty(library):
    facets = FacetService(library).of(np.empty(0, np.int64))
    assert facets.years == () and not any(facets.values.values())

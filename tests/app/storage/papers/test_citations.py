"""Citations are stored by identifier and resolve to the papers of the library."""

from __future__ import annotations

import time

from sciread_app.domain.citations import CitationEnd, Counts
from sciread_app.domain.metadata.identifiers import identifier
from sciread_app.domain.paper import PaperId
from tests.support.generate.papers import paper


def doi(name):
    return identifier("doi", f"10.1000/{name}")


def pmid(number):
    return identifier("pmid", str(number))


def put(library, *papers):
    return library.put(papers).ids


def test_references_and_citing_papers_are_found(library):
    [a, b] = put(library, paper("On bees", doi="10.1000/a"), paper("On wasps", doi="10.1000/b"))
    library.citations.put([(doi("a"), doi("b")), (doi("a"), doi("far"))], "test")
    assert library.citations.references_of(a) == [
        CitationEnd(doi("b"), b),
        CitationEnd(doi("far"), None),
    ]
    assert library.citations.citing(b) == [CitationEnd(doi("a"), a)]
    assert library.citations.citing(a) == []


def test_citation_counts_once_under_any_identifiers(library):
    [a, b] = put(
        library,
        paper("On bees", doi="10.1000/a", pmid="1"),
        paper("On wasps", doi="10.1000/b", pmid="2"),
    )
    pairs = [(doi("a"), doi("b")), (pmid(1), pmid(2)), (doi("a"), pmid(2)), (doi("a"), doi("b"))]
    library.citations.put(pairs, "test")
    library.citations.put(pairs, "another")
    assert [one.paper for one in library.citations.references_of(a)] == [b]
    assert library.citations.counts([a, b]) == {a: Counts(1, 0), b: Counts(0, 1)}


def test_paper_added_later_is_found_by_earlier_citations(library):
    [a] = put(library, paper("On bees", doi="10.1000/a"))
    library.citations.put([(doi("a"), pmid(2))], "test")
    assert library.citations.references_of(a) == [CitationEnd(pmid(2), None)]
    [b] = put(library, paper("On wasps", doi="10.1000/b", pmid="2"))
    assert library.citations.references_of(a) == [CitationEnd(pmid(2), b)]


def test_paper_in_trash_is_not_resolved(library):
    [a, b] = put(library, paper("On bees", doi="10.1000/a"), paper("On wasps", doi="10.1000/b"))
    library.citations.put([(doi("a"), doi("b"))], "test")
    library.trash([b])
    assert library.citations.references_of(a) == [CitationEnd(doi("b"), None)]


def test_paper_does_not_cite_itself_under_another_identifier(library):
    [a] = put(library, paper("On bees", doi="10.1000/a", arxiv="2101.00027"))
    library.citations.put([(doi("a"), identifier("arxiv", "2101.00027"))], "test")
    assert library.citations.references_of(a) == library.citations.citing(a) == []
    assert library.citations.counts([a]) == {a: Counts(0, 0)}


def test_counts_are_correct_for_each_of_many_papers(library):
    ids = put(library, *(paper(f"On bees, volume {n}", doi=f"10.1000/{n}") for n in range(40)))
    library.citations.put([(doi(n), doi(m)) for n in range(40) for m in range(n)], "test")
    counts = library.citations.counts(ids)
    assert [counts[id] for id in ids] == [Counts(n, 39 - n) for n in range(40)]


def test_known_identifiers_are_those_of_the_library(library):
    put(library, paper("On bees", doi="10.1000/a", pmid="1"))
    names = [doi("a"), doi("b"), pmid(1), pmid(2)]
    assert library.citations.known_identifiers(names) == {doi("a"), pmid(1)}


def test_papers_to_look_up_have_identifiers_and_were_not_asked(library):
    [a, b, c, _nameless, gone] = put(
        library,
        paper("On bees", doi="10.1000/a"),
        paper("On wasps", pmid="2"),
        paper("On hornets", arxiv="2101.00027"),
        paper("On ants", citekey="ants"),
        paper("On flies", doi="10.1000/gone"),
    )
    library.trash([gone])
    assert library.citations.papers_to_look_up("one").tolist() == [a, b, c]
    library.citations.put([], "one", queried=[(a, "one"), (b, "two")])
    assert library.citations.papers_to_look_up("one").tolist() == [b, c]
    assert library.citations.papers_to_look_up("two").tolist() == [a, c]


def test_papers_are_looked_up_again_after_a_while(library):
    [a] = put(library, paper("On bees", doi="10.1000/a"))
    before = time.time() - 1
    library.citations.put([], "one", queried=[(a, "one")])
    assert library.citations.papers_to_look_up("one", before).tolist() == []
    assert library.citations.papers_to_look_up("one", time.time() + 1).tolist() == [a]
    library.citations.put([], "one", queried=[(a, "one")])
    assert library.citations.papers_to_look_up("one", before).tolist() == []


def test_deleted_paper_is_not_recorded_as_asked(library):
    library.citations.put([(doi("a"), doi("b"))], "one", queried=[(PaperId(7), "one")])
    assert library.problems() == []

"""What is followed, what was said of recommendations, and what came when."""

from __future__ import annotations

from sciread_app.domain.fetches import SourceQuery
from sciread_app.domain.recommend import Wishes
from tests.make import paper


def fetch(library, *papers, source="arxiv", text="bees"):
    """Have a fetch bring papers; returns their ids."""
    number = library.fetches.keep(SourceQuery(source, text))
    ledger = library.ledger.open("arXiv", fetch=number)
    stored = library.put(papers, ledger=ledger)
    library.ledger.close(ledger)
    return stored.ids


def test_a_collection_counts_what_those_below_it_hold_each_paper_once(library):
    a, b, c = library.put([paper("A"), paper("B"), paper("C")]).ids
    library.shelves.collect([a, b], "thesis")
    library.shelves.collect([b, c], "thesis/methods")
    library.save_search("Bees", "bees")
    thesis, methods, bees = library.opinions.subjects()
    assert (thesis.name, thesis.papers) == ("thesis", 3)
    assert (methods.name, methods.papers) == ("thesis/methods", 2)
    assert (bees.key, bees.name, bees.query) == ("search:1", "Bees", "bees")
    assert sorted(library.opinions.members(thesis.number)) == [a, b, c]
    library.trash([a])
    assert sorted(library.opinions.members(thesis.number)) == [b, c]


def test_only_what_a_fetch_added_was_fetched(library):
    (old,) = library.put([paper("From a file")]).ids
    new = fetch(library, paper("Bees", arxiv="2101.00001"), paper("Ants", arxiv="2101.00002"))
    assert library.opinions.fetched(0).ids.tolist() == new
    assert library.opinions.added(0).ids.tolist() == [old, *new]
    assert library.opinions.fetched(library.opinions.fetched(0).came[0] + 1).ids.tolist() == []
    library.trash(new[:1])
    assert library.opinions.fetched(0).ids.tolist() == new[1:]


def test_the_last_fetch_is_known_by_its_source(library):
    assert library.opinions.last_fetch() is None
    fetch(library, paper("A", arxiv="2101.00001"))
    fetch(library, paper("B", pmid="1"), source="pubmed")
    last = library.opinions.last_fetch()
    assert last and (last.source, last.fetches) == ("pubmed", 2)


def test_the_last_word_on_a_paper_counts_and_can_be_taken_back(library):
    a, b = library.put([paper("A"), paper("B")]).ids
    opinions = library.opinions
    opinions.say("search:1", [a, b], liked=False)
    opinions.say("search:1", [a], liked=True)
    liked, waved = opinions.of("search:1")
    assert (list(liked), list(waved)) == ([a], [b])
    assert opinions.of("search:2") == ({}, {})
    opinions.take_back("search:1", [b])
    assert opinions.of("search:1")[1] == {}


def test_wishes_are_kept_by_subject(library):
    wishes = Wishes("author:curie", "review", 14.0, 5.0)
    library.opinions.wish("collection:1", Wishes())
    library.opinions.wish("collection:1", wishes)
    assert library.opinions.wishes() == {"collection:1": wishes}

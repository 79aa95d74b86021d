"""Subjects of recommendations, feedback on papers, and times of arrival."""

from __future__ import annotations

from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.recommend import TopicPreferences
from tests.support.generate.papers import paper


def fetch(library, *papers, source="arxiv", text="bees"):
    """Store papers as if fetched; return their ids."""
    number = library.fetches.keep(SourceQuery(source, text))
    import_id = library.import_log.open("arXiv", fetch=number)
    stored = library.put(papers, import_id=import_id)
    library.import_log.close(import_id)
    return stored.ids


def test_collection_counts_papers_of_subcollections_once(library):
    a, b, c = library.put([paper("A"), paper("B"), paper("C")]).ids
    library.collections.add([a, b], "thesis")
    library.collections.add([b, c], "thesis/methods")
    library.saved_searches.save("Bees", "bees")
    thesis, methods, bees = library.feedback.subjects()
    assert (thesis.name, thesis.papers) == ("thesis", 3)
    assert (methods.name, methods.papers) == ("thesis/methods", 2)
    assert (bees.key, bees.name, bees.query) == ("search:1", "Bees", "bees")
    assert sorted(library.feedback.members(thesis.number)) == [a, b, c]
    library.trash([a])
    assert sorted(library.feedback.members(thesis.number)) == [b, c]


def test_only_papers_added_by_a_fetch_are_fetched(library):
    (old,) = library.put([paper("From a file")]).ids
    new = fetch(library, paper("Bees", arxiv="2101.00001"), paper("Ants", arxiv="2101.00002"))
    assert library.feedback.fetched(0).ids.tolist() == new
    assert library.feedback.added(0).ids.tolist() == [old, *new]
    assert library.feedback.fetched(library.feedback.fetched(0).came[0] + 1).ids.tolist() == []
    library.trash(new[:1])
    assert library.feedback.fetched(0).ids.tolist() == new[1:]


def test_last_fetch_is_known_by_source(library):
    assert library.feedback.last_fetch() is None
    fetch(library, paper("A", arxiv="2101.00001"))
    fetch(library, paper("B", pmid="1"), source="pubmed")
    last = library.feedback.last_fetch()
    assert last and (last.source, last.fetches) == ("pubmed", 2)


def test_last_feedback_on_a_paper_counts_and_can_be_removed(library):
    a, b = library.put([paper("A"), paper("B")]).ids
    opinions = library.feedback
    opinions.set("search:1", [a, b], liked=False)
    opinions.set("search:1", [a], liked=True)
    liked, waved = opinions.of("search:1")
    assert (list(liked), list(waved)) == ([a], [b])
    assert opinions.of("search:2") == ({}, {})
    opinions.remove("search:1", [b])
    assert opinions.of("search:1")[1] == {}


def test_preferences_are_stored_by_subject(library):
    wishes = TopicPreferences("author:curie", "review", 14.0, 5.0)
    library.feedback.set_preferences("collection:1", TopicPreferences())
    library.feedback.set_preferences("collection:1", wishes)
    assert library.feedback.preferences() == {"collection:1": wishes}


def test_queries_with_the_same_text_have_different_names(library):
    for number, (source, text) in enumerate(
        [("arxiv", "bees"), ("pubmed", "Bees"), ("pubmed", "ants")]
    ):
        fetch(library, paper(str(number), arxiv=f"2101.0000{number}"), source=source, text=text)
    names = [subject.name for subject in library.feedback.subjects()]
    assert names[0] == "ants" and len(set(names)) == 3
    for name in names:
        assert library.feedback.subject(name).name == name

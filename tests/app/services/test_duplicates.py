"""Papers that may be one are put before a person, who merges them, or says that they are not."""

from __future__ import annotations

import pytest

from sciread_app.domain.duplicates import Likeness, agree, better, compare
from sciread_app.domain.paper import Author
from sciread_app.errors import LibraryError
from sciread_app.services.duplicates import Duplicates
from sciread_app.services.organise import Organise
from tests.make import paper


@pytest.fixture
def organise(library):
    return Organise(library)


@pytest.fixture
def duplicates(library, organise):
    return Duplicates(library, organise)


def test_pairs_are_shown_with_all_that_hangs_on_them(library, duplicates, organise):
    number = library.ledger.open("refs.bib")
    library.put([paper("Editorial", authors="Curie, M.", published="2001")], ledger=number)
    library.put([paper("Editorial", authors="Curie, M.; Joliot, F.", published="2002")])
    organise.tag([1], "red")
    [pair] = duplicates.pairs()
    assert (pair.a, pair.b, pair.title, pair.agree) == (1, 2, "Editorial", False)
    a, b = duplicates.sides(pair)
    assert (a.came, a.tags, b.came, b.tags) == (("refs.bib",), ("red",), (), ())
    assert library.shelves.overview().duplicates == 1


def test_what_is_in_the_trash_is_not_put_before_anybody(library, duplicates, organise):
    library.put([paper("Editorial", authors="Curie, M.", published="2001")])
    library.put([paper("Editorial", authors="Curie, M.; Joliot, F.", published="2002")])
    organise.trash([2])
    assert duplicates.pairs() == [] and library.shelves.overview().duplicates == 0


def test_values_are_compared_as_a_person_would():
    a = paper("On Bees", authors="Curie, Marie", published="2001", venue="Nature", abstract="One.")
    b = paper("On bees!", authors="CURIE, MARIE", published="2001-05", abstract="Another.")
    found = compare(a, b)
    assert found["title"] is found["authors"] is found["published"] is Likeness.alike
    assert found["venue"] is Likeness.one_only and found["abstract"] is Likeness.different
    assert found["kind"] is Likeness.same


@pytest.mark.parametrize(
    ("second", "same"),
    [
        ({}, True),
        ({"title": "ON BEES?"}, True),
        ({"venue": "", "abstract": ""}, True),
        ({"title": "On wasps"}, False),
        ({"published": "2002"}, False),
        ({"doi": "10.1000/other"}, False),
        ({"abstract": "Another."}, False),
        ({"authors": "Joliot, Irène"}, False),
        ({"kind": "book"}, True),
    ],
)
def test_papers_agree_if_nothing_they_say_differs(second, same):
    first = {"title": "On bees", "authors": "Curie, Marie", "published": "2001"}
    more = {"doi": "10.1000/bees", "venue": "Nature", "abstract": "One."}
    assert agree(paper(**first, **more), paper(**(first | more | second))) is same


def test_the_published_paper_is_better_than_the_preprint_and_more_than_less():
    preprint = paper("On bees", arxiv="2101.00001", abstract="Long.", authors="Curie, M.")
    article = paper("On bees", doi="10.1000/bees", kind="article-journal")
    assert better(article, preprint) and not better(preprint, article)
    assert better(paper("On bees", abstract="x"), paper("On bees"))


def test_all_that_agree_are_merged_at_once_and_taken_back_at_once(library, duplicates, organise):
    title = "The social life of honey bees in winter"
    library.put([paper(title, authors="Curie, Marie", published="2001", abstract="Long.")])
    library.put([paper(title.upper(), published="2001-05", venue="Nature")])
    library.put([paper(title + ".", published="2001", keywords=("bees",))])
    library.put([paper("News", authors="A, B", published="2001")])
    library.put([paper("News", authors="A, B; C, D", published="2001")])
    pairs = duplicates.pairs()
    assert {(pair.a, pair.b): pair.agree for pair in pairs}[1, 2]
    edit = duplicates.merge_agreeing()
    assert edit and edit.what == "Merged 3 papers into 1"
    [merged] = library.get([1, 2, 3])
    assert (merged.title, merged.venue, merged.keywords) == (title, "Nature", ("bees",))
    assert [(pair.a, pair.b) for pair in duplicates.pairs()] == [(4, 5)]
    assert duplicates.merge_agreeing() is None
    organise.undo()
    assert library.count() == 5 and duplicates.pairs() == pairs and library.text_index_fits()


def test_a_merged_paper_has_all_that_both_had(library, organise):
    library.put([paper("Bees", authors="Curie, M.", files=("/a.pdf",), citekey="bees")])
    library.put([paper("Wasps", doi="10.1000/wasps", files=("/b.pdf",), abstract="Stings.")])
    organise.tag([2], "red")
    organise.collect([2], "insects")
    organise.rate([2], 4)
    organise.add_note(2, "zebra")
    organise.merge(1, [2], title="Bees and wasps")
    [merged] = library.get([1, 2])
    assert (merged.title, merged.abstract) == ("Bees and wasps", "Stings.")
    assert merged.files == ("/a.pdf", "/b.pdf") and merged.identifier("doi") == "10.1000/wasps"
    marks = library.shelves.marks([1])[1]
    assert (marks.tags, marks.collections, marks.rating) == (("red",), ("insects",), 4)
    assert [id for id, _ in library.by_words("zebra", 5)] == [1]
    library.put([paper("Wasps", doi="10.1000/wasps", venue="Nature")])  # read again: it is known
    assert library.count() == 1 and library.get([1])[0].title == "Bees and wasps"


def test_chosen_papers_become_the_one_that_says_most(library, organise):
    library.put([paper("Bees"), paper("Bees in motion", doi="10.1000/bees"), paper("Wasps")])
    assert organise.make_one([1, 2, 3]).what == "Merged 3 papers"
    [merged] = library.get([1, 2, 3])
    assert (merged.id, merged.title) == (2, "Bees in motion")
    with pytest.raises(LibraryError, match="alone"):
        organise.make_one([2])


def test_versions_stay_together_when_one_is_merged_into_another_paper(library, organise):
    library.put([paper("On the motion of bees", authors="Curie, M.", arxiv="2101.00001")])
    library.put([paper("On the motion of bees", authors="Curie, M.", kind="article-journal",
                       doi="10.1000/bees"), paper("Bees in motion")])  # fmt: skip
    assert library.versions(1) == [2]
    organise.merge(3, [2])
    assert library.versions(1) == [3]
    organise.undo()
    assert library.versions(1) == [2] and library.versions(3) == []


def test_two_papers_can_be_kept_apart_or_made_one_work(library, duplicates, organise):
    library.put([paper("Editorial", authors="A, B", published="2001")])
    library.put([paper("Editorial", authors="A, B; C, D", published="2002")])
    [pair] = duplicates.pairs()
    organise.same_work(pair.a, pair.b)
    assert duplicates.pairs() == [] and [p.b for p in duplicates.versions()] == [2]
    assert library.works([1, 2]) == {1: 1, 2: 1}
    organise.keep_both(pair.a, pair.b)
    assert duplicates.versions() == [] and library.works([1, 2]) == {1: 1, 2: 2}
    organise.undo()
    organise.undo()
    assert duplicates.pairs() == [pair]


def test_what_an_import_has_merged_wrongly_is_taken_apart(library, organise):
    first = paper("A common title of two papers", authors="Curie, Marie", published="2001",
                  doi="10.1000/one", venue="Nature")  # fmt: skip
    library.put([first])
    second = paper("A common title of two papers", authors="Curie, Marie", published="2001",
                   pmid="77", abstract="Another paper.", files=("/b.pdf",))  # fmt: skip
    assert library.put([second]).merged == 1
    organise.tag([1], "red")
    organise.split(1)
    made = max(library.ids())
    one, other = library.get([1, made])
    assert (one.identifier("doi"), one.identifier("pmid"), one.abstract) == ("10.1000/one", "", "")
    assert (other.identifier("pmid"), other.abstract, other.files) == (
        "77", "Another paper.", ("/b.pdf",)
    )  # fmt: skip
    assert one.files == () and library.shelves.marks([made])[made].tags == ("red",)
    assert library.text_index_fits()
    assert library.put([first, second]).ids == [1, made]  # each knows its own again
    organise.undo()
    assert library.count() == 1 and library.get([1])[0].identifier("pmid") == "77"


def test_what_was_merged_by_hand_is_taken_apart(library, organise):
    library.put(
        [paper("Bees", authors="Curie, M.", published="2001"), paper("Wasps", doi="10.1/a2")]
    )
    organise.merge(1, [2])
    organise.split(1)
    made = max(library.ids())
    assert [p.title for p in library.get([1, made])] == ["Bees", "Wasps"]
    assert library.get([1])[0].identifiers == ()


def test_a_paper_that_is_one_record_cannot_be_taken_apart(library, organise):
    library.put([paper("Bees")])
    with pytest.raises(LibraryError, match="nothing to take apart"):
        organise.split(1)


def test_what_was_set_by_hand_counts_in_a_merge(library, organise):
    library.put([paper("Bees", abstract="x"), paper("Wasps")])
    organise.edit([2], title="My wasps", authors=(Author("Curie", "Marie"),))
    organise.merge(1, [2])
    [merged] = library.get([1])
    assert (merged.title, merged.abstract) == ("My wasps", "x") and merged.authors[0].given

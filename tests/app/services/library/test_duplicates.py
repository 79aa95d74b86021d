"""Possible duplicates are listed, then merged by the user or marked as different."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from sciread_app.domain.matching.field_comparison import FieldAgreement, agree, better, compare
from sciread_app.domain.matching.record_keys import MatchVerdict
from sciread_app.domain.paper import Author, Identifier
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.services.library import duplicates as duplicating
from sciread_app.services.library.duplicates import Duplicates
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.papers import paper


@pytest.fixture
def editor(library):
    return LibraryEditor(library)


@pytest.fixture
def duplicates(library, editor):
    return Duplicates(library, editor)


def test_duplicate_pairs_show_imports_and_tags(library, duplicates, editor):
    number = library.import_log.open("refs.bib")
    library.put([paper("Editorial", authors="Curie, M.", published="2001")], import_id=number)
    library.put([paper("Editorial", authors="Curie, M.; Joliot, F.", published="2002")])
    editor.tag([1], "red")
    [pair] = duplicates.pairs()
    assert (pair.a, pair.b, pair.title, pair.agree) == (1, 2, "Editorial", False)
    a, b = duplicates.sides(pair)
    assert (a.came, a.tags, b.came, b.tags) == (("refs.bib",), ("red",), (), ())
    assert library.organisation.tree().duplicates == 1


def test_papers_in_trash_are_not_duplicates(library, duplicates, editor):
    library.put([paper("Editorial", authors="Curie, M.", published="2001")])
    library.put([paper("Editorial", authors="Curie, M.; Joliot, F.", published="2002")])
    editor.trash([2])
    assert duplicates.pairs() == [] and library.organisation.tree().duplicates == 0


def test_compare_ignores_case_punctuation_and_precision():
    a = paper("On Bees", authors="Curie, Marie", published="2001", venue="Nature", abstract="One.")
    b = paper("On bees!", authors="CURIE, MARIE", published="2001-05", abstract="Another.")
    found = compare(a, b)
    assert found["title"] is found["authors"] is found["published"] is FieldAgreement.alike
    assert (
        found["venue"] is FieldAgreement.one_only and found["abstract"] is FieldAgreement.different
    )
    assert found["kind"] is FieldAgreement.same


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
def test_papers_agree_unless_a_field_differs(second, same):
    first = {"title": "On bees", "authors": "Curie, Marie", "published": "2001"}
    more = {"doi": "10.1000/bees", "venue": "Nature", "abstract": "One."}
    assert agree(paper(**first, **more), paper(**(first | more | second))) is same


def test_better_prefers_published_and_more_complete_paper():
    preprint = paper("On bees", arxiv="2101.00001", abstract="Long.", authors="Curie, M.")
    article = paper("On bees", doi="10.1000/bees", kind="article-journal")
    assert better(article, preprint) and not better(preprint, article)
    assert better(paper("On bees", abstract="x"), paper("On bees"))


def test_merge_agreeing_merges_all_as_one_undoable_edit(library, duplicates, editor):
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
    editor.undo()
    assert (
        library.count() == 5 and duplicates.pairs() == pairs and library.is_text_index_consistent()
    )


def test_merged_paper_has_data_of_both(library, editor):
    library.put([paper("Bees", authors="Curie, M.", files=("/a.pdf",), citekey="bees")])
    library.put([paper("Wasps", doi="10.1000/wasps", files=("/b.pdf",), abstract="Stings.")])
    editor.tag([2], "red")
    editor.collect([2], "insects")
    editor.rate([2], 4)
    editor.add_note(2, "zebra")
    editor.merge(1, [2], title="Bees and wasps")
    [merged] = library.get([1, 2])
    assert (merged.title, merged.abstract) == ("Bees and wasps", "Stings.")
    assert merged.files == ("/a.pdf", "/b.pdf") and merged.identifier("doi") == "10.1000/wasps"
    marks = library.organisation.of([1])[1]
    assert (marks.tags, marks.collections, marks.rating) == (("red",), ("insects",), 4)
    assert [id for id, _ in library.search_text("zebra", 5)] == [1]
    library.put(
        [paper("Wasps", doi="10.1000/wasps", venue="Nature")]
    )  # imported again: it is recognised
    assert library.count() == 1 and library.get([1])[0].title == "Bees and wasps"


def test_merge_into_best_keeps_most_complete_paper(library, editor):
    library.put([paper("Bees"), paper("Bees in motion", doi="10.1000/bees"), paper("Wasps")])
    assert editor.merge_into_best([1, 2, 3]).what == "Merged 3 papers"
    [merged] = library.get([1, 2, 3])
    assert (merged.id, merged.title) == (2, "Bees in motion")
    with pytest.raises(LibraryError, match="single paper"):
        editor.merge_into_best([2])


def test_versions_follow_a_merge_and_its_undo(library, editor):
    library.put([paper("On the motion of bees", authors="Curie, M.", arxiv="2101.00001")])
    library.put([paper("On the motion of bees", authors="Curie, M.", kind="article-journal",
                       doi="10.1000/bees"), paper("Bees in motion")])  # fmt: skip
    assert library.versions(1) == [2]
    editor.merge(3, [2])
    assert library.versions(1) == [3]
    editor.undo()
    assert library.versions(1) == [2] and library.versions(3) == []


def test_pair_can_be_marked_as_different_or_as_versions(library, duplicates, editor):
    library.put([paper("Editorial", authors="A, B", published="2001")])
    library.put([paper("Editorial", authors="A, B; C, D", published="2002")])
    [pair] = duplicates.pairs()
    editor.mark_as_versions(pair.a, pair.b)
    assert duplicates.pairs() == [] and [p.b for p in duplicates.versions()] == [2]
    assert library.works([1, 2]) == {1: 1, 2: 1}
    editor.mark_not_duplicates(pair.a, pair.b)
    assert duplicates.versions() == [] and library.works([1, 2]) == {1: 1, 2: 2}
    editor.undo()
    editor.undo()
    assert duplicates.pairs() == [pair]


def test_split_undoes_a_wrong_merge_of_an_import(library, editor):
    first = paper("A common title of two papers", authors="Curie, Marie", published="2001",
                  doi="10.1000/one", venue="Nature")  # fmt: skip
    library.put([first])
    second = paper("A common title of two papers", authors="Curie, Marie", published="2001",
                   pmid="77", abstract="Another paper.", files=("/b.pdf",))  # fmt: skip
    assert library.put([second]).merged == 1
    editor.tag([1], "red")
    editor.split(1)
    made = max(library.ids())
    one, other = library.get([1, made])
    assert (one.identifier("doi"), one.identifier("pmid"), one.abstract) == ("10.1000/one", "", "")
    assert (other.identifier("pmid"), other.abstract, other.files) == (
        "77", "Another paper.", ("/b.pdf",)
    )  # fmt: skip
    assert one.files == () and library.organisation.of([made])[made].tags == ("red",)
    assert library.is_text_index_consistent()
    assert library.put([first, second]).ids == [1, made]  # each record finds its own paper again
    editor.undo()
    assert library.count() == 1 and library.get([1])[0].identifier("pmid") == "77"


def test_split_undoes_a_merge_by_hand(library, editor):
    library.put(
        [paper("Bees", authors="Curie, M.", published="2001"), paper("Wasps", doi="10.1/a2")]
    )
    editor.merge(1, [2])
    editor.split(1)
    made = max(library.ids())
    assert [p.title for p in library.get([1, made])] == ["Bees", "Wasps"]
    assert library.get([1])[0].identifiers == ()


def test_split_of_single_record_paper_is_refused(library, editor):
    library.put([paper("Bees")])
    with pytest.raises(LibraryError, match="cannot be split"):
        editor.split(1)


def test_merge_keeps_values_edited_by_hand(library, editor):
    library.put([paper("Bees", abstract="x"), paper("Wasps")])
    editor.edit([2], title="My wasps", authors=(Author("Curie", "Marie"),))
    editor.merge(1, [2])
    [merged] = library.get([1])
    assert (merged.title, merged.abstract) == ("My wasps", "x") and merged.authors[0].given


def unnoticed_pairs(library):
    """Three possible duplicates as an earlier version would have left them: not noticed."""
    titles = ["The life of honey bees in Ghent", "The flight of wasps", "The language of ants"]
    library.put([paper(title, authors="Curie, M.", published="2001") for title in titles])
    again = [paper(title, authors="Curie, M.; Joliot, F.", published="2002") for title in titles]
    library.put(again)
    found = [(one.a, one.b) for one in library.duplicates.of(MatchVerdict.maybe)]
    with closing(sqlite3.connect(library.path)) as db, db:
        db.execute("DELETE FROM relations")
    assert len(found) == 3 and library.duplicates.of(MatchVerdict.maybe) == []
    return found


def pairs_of(duplicates):
    return sorted((pair.a, pair.b) for pair in duplicates.pairs())


def test_duplicate_search_finds_pairs_of_earlier_versions(library, duplicates, editor):
    pairs = unnoticed_pairs(library)
    editor.mark_not_duplicates(*pairs[0])
    editor.trash([pairs[1][1]])
    assert duplicates.search() == 1
    assert pairs_of(duplicates) == [pairs[2]] and not duplicates.is_search_due()
    assert duplicates.search() == 0  # pairs that the user decided are not listed again
    editor.untrash([pairs[1][1]])
    assert duplicates.search() == 1 and pairs_of(duplicates) == pairs[1:]


def test_cancelled_duplicate_search_resumes(library, editor, monkeypatch):
    monkeypatch.setattr(duplicating, "_AT_ONCE", 2)
    pairs, messages = unnoticed_pairs(library), []
    task = Task(lambda done, total, note: (messages.append((done, total)), task.cancel()))
    with pytest.raises(Cancelled):
        Duplicates(library, editor).search(task)
        task.raise_if_cancelled()
    with closing(Library(library.path)) as again:
        duplicates = Duplicates(again, LibraryEditor(again))
        assert duplicates.is_search_due()
        duplicates.search(Task(lambda done, total, note: messages.append((done, total))))
        assert pairs_of(duplicates) == pairs and not duplicates.is_search_due()
    assert [done for done, _ in messages] == sorted({done for done, _ in messages})


def test_duplicate_search_suggests_pairs_an_import_would_merge(library, duplicates):
    a, b = library.put([paper("Bees", doi="10.1000/bees"), paper("Wasps", doi="10.1000/w")]).ids
    library.edit(b, identifiers=(Identifier("doi", "10.1000/bees"),), title="Bees")
    assert duplicates.search() == 1
    assert pairs_of(duplicates) == [(a, b)] and library.count() == 2

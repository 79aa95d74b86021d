"""Every merge, by an import or by hand, is listed and can be undone."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, event

from sciread_app.domain.matching.record_keys import MatchVerdict, record
from sciread_app.domain.paper import Author, Identifier
from sciread_app.errors import LibraryError
from sciread_app.services.library.duplicates import Duplicates
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.storage.library import Library
from tests.support.generate.papers import paper

TITLE = "The social life of honey bees in winter"
A = paper(
    TITLE,
    authors="Curie, Marie",
    published="2001",
    venue="Nature",
    doi="10.1000/bees",
    extra={"volume": "3", "pages": "580-2"},
    keywords=("bees",),
    files=("/a.pdf",),
)
B = paper(
    TITLE.upper(),
    authors="Curie, M.; Joliot, F.",
    published="2001-05",
    abstract="Of bees.",
    pmid="77",
    kind="article-journal",
    extra={"pages": "580", "number": "4"},
    keywords=("winter",),
    files=("/b.pdf",),
)


@pytest.fixture
def editor(library):
    return LibraryEditor(library)


@contextmanager
def record_statements(statements):
    """Append the statements executed by a library opened within, each once for all its rows."""

    def add(*given):
        statements.append(given[2])

    event.listen(Engine, "before_cursor_execute", add)
    yield
    event.remove(Engine, "before_cursor_execute", add)


def bare(papers):
    return [replace(one, id=None) for one in papers]


def everything(library):
    return library.get(sorted(library.ids().tolist()))


def import_papers(library, *papers, name="/home/me/refs.bib"):
    return library.put(papers, import_id=library.import_log.open(name)).ids


def test_undo_after_import_undoes_its_merges(library, editor):
    others = [paper(f"A study of the bees of {place} in spring", doi=f"10.1000/{place}")
              for place in ("Ghent", "Liège", "Namur")]  # fmt: skip
    import_papers(library, A, *others)
    editor.tag([1], "red")
    more = [replace(one, abstract="More.") for one in others[:2]]
    assert import_papers(library, B, *more) == [1, 2, 3]
    last = library.edits.last()
    assert "3" in last.what and "refs.bib" in last.what
    editor.undo()
    assert library.count() == 7 and library.is_text_index_consistent()
    assert bare(library.get([1, 2, 3, 4])) == [A, *others]
    # In the order of the list: the last merge is undone first.
    assert bare(library.get([7, 6, 5])) == [B, *more]
    assert library.organisation.of([1])[1].tags == ("red",)
    assert import_papers(library, B, *more) == [
        7,
        6,
        5,
    ]  # they match their papers, and stay separate
    assert library.count() == 7 and library.duplicates.of(MatchVerdict.maybe) == []
    editor.undo()
    assert library.organisation.of([1])[1].tags == ()


def test_undone_merges_can_be_redone(library, editor):
    import_papers(library, A)
    import_papers(library, B)
    merged = library.get([1])
    editor.undo()
    assert library.count() == 2
    editor.redo()
    assert everything(library) == merged and library.is_text_index_consistent()
    assert len(library.duplicates.merges()) == 1
    editor.undo()
    assert bare(everything(library)) == [A, B]


def test_undo_of_import_needs_constant_number_of_statements(library):
    counts = []
    for number in (3, 30):
        some = [paper(f"The {n}th of {number} bees", doi=f"10.1000/{number}.{n}")
                for n in range(number)]  # fmt: skip
        import_papers(library, *some)
        import_papers(library, *(replace(one, abstract="More.") for one in some))
        statements = []
        with record_statements(statements), closing(Library(library.path)) as again:
            LibraryEditor(again).undo()
        counts.append(len(statements))
    assert library.count() == 66 and counts[0] == counts[1]


def test_import_without_merges_is_not_undoable(library, editor):
    import_papers(library, A)
    import_papers(library, A)  # identical record: nothing was merged
    assert library.edits.last() is None and editor.undo() is None


def test_merges_within_one_file_can_be_undone(library, editor):
    assert import_papers(library, A, B) == [1, 1]
    editor.undo()
    assert bare(library.get([1, 2])) == [A, B]


def test_merges_are_listed_with_reason_and_import(library, editor):
    import_papers(library, A)
    import_papers(library, B)
    editor.split(1)
    assert Duplicates(library, editor).merges() == []
    editor.undo()
    [merge] = Duplicates(library, editor).merges()
    assert (merge.paper, merge.title, merge.other) == (1, TITLE, TITLE.upper())
    assert merge.came == "/home/me/refs.bib" and merge.reason


def test_single_merge_of_several_can_be_undone(library, editor):
    third = paper(TITLE, authors="Curie, M.", published="2001", pmcid="PMC9", venue="Nature")
    import_papers(library, A, B, third)
    last, first = Duplicates(library, editor).merges()
    editor.split(1, first.id)
    left, made = everything(library)
    assert bare([made]) == [B]
    assert left.identifier("pmcid") and not left.identifier("pmid") and left.abstract == ""
    editor.split(1, last.id)
    assert bare(library.get([1])) == [A]
    with pytest.raises(LibraryError):
        editor.split(1)


def test_records_with_same_identifier_can_be_split(library, editor):
    wrong = paper(TITLE, doi="10.1000/bees", abstract="Of wasps.")
    import_papers(library, A, wrong)
    assert library.count() == 1
    editor.split(1)
    assert bare(everything(library)) == [A, wrong]


def test_merges_survive_a_restart(library, editor, tmp_path):
    import_papers(library, A)
    import_papers(library, B)
    library.copy_to(tmp_path / "again.sqlite3")
    again = Library(tmp_path / "again.sqlite3")
    assert len(again.duplicates.merges()) == 1
    LibraryEditor(again).undo()
    assert bare(everything(again)) == [A, B]
    again.close()


def test_split_restores_organisation_of_each_paper(library, editor):
    library.put([A, paper("Wasps", doi="10.1000/wasps", citekey="wasps", files=("/w.pdf",))])
    editor.tag([1], "red")
    editor.tag([2], "blue")
    editor.collect([2], "insects")
    editor.rate([2], 4)
    editor.mark_read([2])
    first, second = editor.add_note(1, "zebra"), editor.add_note(2, "lion")
    added = library.organisation.of([2])[2].added
    editor.edit([2], title="My wasps")
    before = library.get([1, 2])
    editor.merge(1, [2], title="Bees and wasps")
    editor.tag([1], "green")
    editor.split(1)
    made = int(max(library.ids()))
    left, right = library.get([1, made])
    assert replace(right, id=None) == replace(before[1], id=None)
    assert replace(left, title=TITLE) == before[0] and left.title == "Bees and wasps"
    marks = library.organisation.of([1, made])
    assert set(marks[1].tags) == {"red", "green"} and marks[1].collections == ()
    assert set(marks[made].tags) == {"blue", "green"} and marks[made].collections == ("insects",)
    assert (marks[1].rating, marks[1].read) == (0, False)
    assert (marks[made].rating, marks[made].read, marks[made].added) == (4, True, added)
    assert [note.id for note in library.notes.of(1)] == [first]
    assert [note.id for note in library.notes.of(made)] == [second]
    assert library.manually_edited_fields(made) == {"title"} and library.is_text_index_consistent()


def test_split_leaves_a_note_with_a_reused_id_where_it_is(library, editor):
    library.put([A, paper("Wasps", doi="10.1000/wasps"), paper("Ants", doi="10.1000/ants")])
    moving = [editor.add_note(2, "lion"), editor.add_note(2, "tiger")]
    editor.merge(1, [2])
    for note in moving:
        library.notes.change(note, "")
    assert [library.notes.add(3, "zebra"), library.notes.add(1, "zebu")] == moving
    editor.split(1)
    assert [note.text for note in library.notes.of(3)] == ["zebra"]
    assert [note.text for note in library.notes.of(1)] == ["zebu"]
    assert library.is_text_index_consistent()


def test_split_leaves_a_tag_that_replaces_a_deleted_one(library, editor):
    library.put([A, paper("Wasps", doi="10.1000/wasps")])
    library.tags.add([2], "insects")
    editor.merge(1, [2])
    library.tags.delete("insects")
    library.tags.add([1], "social")
    editor.split(1)
    assert library.organisation.of([1])[1].tags == ("social",)


def test_split_leaves_a_paper_in_a_collection_with_a_reused_id(library, editor):
    library.put([A, paper("Wasps", doi="10.1000/wasps")])
    library.collections.add([2], "insects")
    editor.merge(1, [2])
    library.collections.delete("insects")
    library.collections.add([1], "social")
    editor.split(1)
    assert library.organisation.of([1])[1].collections == ("social",)


def likes(library, *subjects):
    """Return the sets of liked and disliked papers of each subject."""
    return [tuple(map(set, library.feedback.of(subject))) for subject in subjects]


def test_split_restores_feedback_of_each_paper(library, editor):
    library.put([A, paper("Wasps", doi="10.1000/wasps"), paper("Ants", doi="10.1000/ants")])
    say = library.feedback.set
    say("search:1", [1], liked=True)
    say("search:1", [2, 3], liked=False)
    say("search:2", [2], liked=True)
    say("search:3", [3], liked=False)
    subjects = [f"search:{n}" for n in (1, 2, 3)]
    before = likes(library, *subjects)
    editor.merge(1, [2, 3])
    assert likes(library, *subjects) == [({1}, set()), ({1}, set()), (set(), {1})]
    editor.split(1)
    assert likes(library, *subjects) == before
    editor.undo()
    last, first = library.duplicates.merges()
    editor.split(1, first.id)
    editor.split(1, last.id)
    assert likes(library, *subjects) == before


def test_feedback_given_after_merge_applies_to_both_papers(library, editor):
    library.put([A, paper("Wasps", doi="10.1000/wasps")])
    say = library.feedback.set
    say("search:1", [2], liked=True)
    say("search:2", [2], liked=True)
    editor.merge(1, [2])
    say("search:1", [1], liked=False)
    library.feedback.remove("search:2", [1])
    say("search:3", [1], liked=True)
    editor.split(1)
    found = likes(library, "search:1", "search:2", "search:3")
    assert found == [(set(), {1, 2}), (set(), set()), ({1, 2}, set())]


def test_split_restores_old_id_of_paper_merged_by_hand(library, editor):
    library.put([paper("Wasps", doi="10.1000/wasps"), A, paper("Ants", doi="10.1000/ants")])
    before = library.get([1, 2, 3])
    editor.merge(2, [1])
    editor.merge(3, [2])
    library.put([paper("Crickets", doi="10.1000/crickets")])
    editor.split(3)
    editor.split(2)
    assert library.get([1, 2, 3]) == before and library.is_text_index_consistent()
    editor.undo()
    editor.undo()
    editor.redo()
    editor.redo()
    assert library.get([1, 2, 3]) == before and library.is_text_index_consistent()


def test_paper_merged_twice_is_restored_by_split(library, editor):
    import_papers(library, A)
    import_papers(library, B)
    whole = library.get([1])
    library.put([paper("Wasps", doi="10.1000/wasps")])
    editor.merge(2, [1])
    editor.split(2)
    assert library.get([1]) == whole
    editor.split(1)
    assert bare(library.get([1, int(max(library.ids()))])) == [A, B]


def test_split_restores_versions(library, editor):
    preprint = paper(TITLE, authors="Curie, M.", arxiv="2101.00001", source="arxiv")
    library.put([preprint, A])
    assert library.versions(1) == [2]
    library.put([paper("Wasps", doi="10.1000/wasps")])
    editor.merge(3, [2])
    editor.split(3)
    assert library.versions(1) == [2] and library.versions(3) == []


words = st.text("abcäß 1", max_size=8)
records = st.builds(
    lambda title, abstract, given, day, venue, keywords, files, extra, names: paper(
        title,
        doi="10.1000/one",
        identifiers=tuple(Identifier("pmcid", f"PMC{n}") for n in sorted(names)),
        abstract=abstract,
        authors=(Author("Curie", given),),
        published=day,
        venue=venue,
        keywords=tuple(dict.fromkeys(keywords)),
        files=tuple(f"/{name}.pdf" for name in dict.fromkeys(files)),
        extra=extra,
    ),
    st.sampled_from([TITLE, TITLE.upper(), TITLE + "."]),
    words,
    words,
    st.sampled_from(["", "2001", "2001-05"]),
    st.sampled_from(["", "Nature"]),
    st.lists(st.sampled_from("abc"), max_size=3),
    st.lists(st.sampled_from("abc"), max_size=3),
    st.dictionaries(st.sampled_from(["volume", "note", "url"]), st.sampled_from("abc")),
    st.sets(st.integers(1, 3), max_size=2),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(records, min_size=2, max_size=4), st.booleans())
def test_split_restores_merged_records_for_any_input(tmp_path_factory, some, at_once):
    library = Library(tmp_path_factory.mktemp("split") / "library.sqlite3")
    some = [one for n, one in enumerate(some) if one not in some[:n]]
    for batch in [some] if at_once else [[one] for one in some]:
        import_papers(library, *batch)
    if library.count() < len(some):
        LibraryEditor(library).split(1)
    found = bare(everything(library))
    assert sorted(found, key=record) == sorted(some, key=record)
    assert library.is_text_index_consistent()
    import_papers(library, *some)
    assert library.count() == len(some)
    library.close()

"""Undo and redo restore every value of the library exactly."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sciread_app.domain.paper import Author, Identifier, Skipped
from sciread_app.domain.query.parser import Condition
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.services.library import editor as organising
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.storage import fulltext
from sciread_app.storage.history import undo
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.attachments import Attachment
from sciread_app.tasks import Task
from tests.support.generate.papers import paper

# Columns that an edit does not change, or that are derived from the rest.
_NOT_COMPARED = ("edits", "edited_rows", "sqlite_sequence", "vectors")


@pytest.fixture
def library(library: Library) -> Iterator[Library]:
    """At the end of each test, check that no row refers to a missing one."""
    yield library
    assert library.problems() == []


@pytest.fixture
def organise(library: Library) -> LibraryEditor:
    return LibraryEditor(library)


def undoable(organise: LibraryEditor) -> str:
    edit = organise.undoable()
    return edit.what if edit else ""


def redoable(organise: LibraryEditor) -> str:
    edit = organise.redoable()
    return edit.what if edit else ""


def content(library: Library) -> dict[str, list[Any]]:
    """All rows of all tables, without the times of the last change of records."""
    with closing(sqlite3.connect(library.path)) as db:
        names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'fulltext%'"
        tables = [name for (name,) in db.execute(names) if name not in _NOT_COMPARED]
        found = {}
        for table in tables:
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            result = [name for name in columns if (table, name) != ("papers", "changed")]
            listed = ", ".join(f'"{name}"' for name in result)
            found[table] = sorted(db.execute(f"SELECT {listed} FROM {table}"), key=repr)
        return found


def fill(library: Library) -> None:
    """Eight papers with all that can belong to papers; three of them are versions or possible
    duplicates."""
    library.put(
        [
            paper("On the motion of bees", authors="Curie, Marie", arxiv="2101.00001"),
            paper(
                "On the Motion of Bees",
                authors="Curie, Marie",
                doi="10.1000/bees",
                kind="article-journal",
                abstract="Bees move.",
            ),
            paper("Editorial", authors="A, B", published="2001", fields=("math.AG", "cs.CL")),
            paper("Editorial", authors="A, B; C, D", published="2002", extra={"volume": "1"}),
            paper("Wasps", files=("/papers/wasps.pdf",), citekey="wasps"),
            paper("Ants and wasps", files=("/papers/wasps.pdf", "/papers/ants.pdf")),
            paper("", abstract="No title at all."),
            paper("Crickets", keywords=("song", "night"), published="1999-05"),
        ],
        import_id=library.import_log.open("made"),
        skips=[Skipped("made", "x", "for no reason")],
    )
    wasps = Attachment(5, "/papers/wasps.pdf", "ab" * 32, 3, 1.5)
    library.attachments.put([(wasps, "polonium glows")])
    columns = "paper, sha256, path, page, boxes, text, colour, note, added, changed"
    with closing(sqlite3.connect(library.path)) as db, db:
        for id in (2, 5):
            boxes = (id, "ab" * 32, "/a.pdf", 0, "[]", "seen", "yellow", "", 1.1, 2.2)
            db.execute(f"INSERT INTO highlights ({columns}) VALUES (?,?,?,?,?,?,?,?,?,?)", boxes)
            db.execute("INSERT INTO opinions VALUES ('in:thesis', ?, 1, 1.25)", (id,))
            db.execute("INSERT INTO citekeys VALUES (?, ?)", (id, f"key{id}"))
    library.tags.add([1, 5], "red")
    library.collections.add([1, 2, 5], "thesis/one")


_ids = st.lists(st.integers(1, 8), min_size=1, max_size=4, unique=True)
_tags = st.sampled_from(["red", "blue", "RED"])
_paths = st.sampled_from(["thesis", "thesis/one", "thesis/two", "other", "other/one"])
_pairs = st.tuples(st.integers(1, 8), st.integers(1, 8)).filter(lambda pair: pair[0] != pair[1])
_names = st.sampled_from(["bees", "wasps"])
_fields = st.fixed_dictionaries(
    {},
    optional={
        "title": st.sampled_from(["Zebras", "On bees"]),
        "published": st.sampled_from(["", "2020", "2021-02-03"]),
        "venue": st.just("Nature"),
        "authors": st.just((Author("Noether", "Emmy"), Author("Curie", "Marie"))),
        "fields": st.just(("hep-th",)),
        "identifiers": st.just((Identifier("pmid", "123"),)),
        "keywords": st.just(("zebra",)),
        "extra": st.just({"number": "7"}),
    },
).filter(bool)
_verbs = st.one_of(
    st.tuples(st.just("tag"), _ids, _tags),
    st.tuples(st.just("untag"), _ids, _tags),
    st.tuples(st.just("rename_tag"), _tags, _tags),
    st.tuples(st.just("set_tag_colour"), _tags, st.just("#ff0000")),
    st.tuples(st.just("remove_tag"), _tags),
    st.tuples(st.just("collect"), _ids, _paths),
    st.tuples(st.just("uncollect"), _ids, _paths),
    st.tuples(st.just("create_collection"), _paths),
    st.tuples(st.just("move_collection"), _paths, _paths),
    st.tuples(st.just("remove_collection"), _paths),
    st.tuples(st.just("mark_read"), _ids, st.booleans()),
    st.tuples(st.just("rate"), _ids, st.integers(0, 5)),
    st.tuples(st.just("trash"), _ids),
    st.tuples(st.just("untrash"), _ids),
    st.tuples(st.just("add_note"), st.integers(1, 8), st.just("zebra crossing")),
    st.tuples(st.just("change_note"), st.integers(1, 3), st.sampled_from(["", "okapi"])),
    st.tuples(st.just("save_search"), _names, _names),
    st.tuples(st.just("rename_search"), _names, _names),
    st.tuples(st.just("remove_search"), _names),
    st.tuples(st.just("mark_not_duplicates"), _pairs),
    st.tuples(st.just("mark_as_versions"), _pairs),
    st.tuples(st.just("split"), st.integers(1, 8)),
    st.tuples(st.just("merge"), _pairs, st.sampled_from([{}, {"title": "Bees and wasps"}])),
    st.tuples(st.just("edit"), _ids, _fields),
)


def do(organise: LibraryEditor, verb: str, *arguments: Any) -> None:
    """Some verbs are refused: their object no longer exists, or the edit is impossible."""
    fields: dict[str, Any] = {}
    if verb in ("mark_not_duplicates", "mark_as_versions"):
        arguments = arguments[0]
    if verb == "merge":
        (keep, other), fields = arguments
        arguments = (keep, [other])
    if verb == "edit":
        ids, fields = arguments
        arguments = (ids,)
    with suppress(LibraryError):
        getattr(organise, verb)(*arguments, **fields)


@pytest.fixture(scope="module")
def filled(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "library.sqlite3"
    library = Library(path)
    fill(library)
    library.close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("edited") / "library.sqlite3"


# Shrinking a failing example would take minutes and add nothing.
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


@settings(max_examples=20, phases=_PHASES, suppress_health_check=[HealthCheck.too_slow])
@given(verbs=st.lists(_verbs, min_size=1, max_size=7))
def test_undo_and_redo_restore_every_value_for_any_edits(filled, place, verbs):
    for old in place.parent.iterdir():
        old.unlink()
    shutil.copy(filled, place)
    library = Library(place)
    try:
        organise = LibraryEditor(library)
        states = [content(library)]
        for verb in verbs:
            do(organise, *verb)
            if undoable(organise) and content(library) != states[-1]:
                states.append(content(library))
        while organise.undo():
            pass
        assert content(library) == states[0] and library.is_text_index_consistent()
        while organise.redo():
            pass
        assert content(library) == states[-1] and library.is_text_index_consistent()
        for state in reversed(states[:-1]):
            assert organise.undo()
            assert content(library) == state
        assert organise.undo() is None
        assert library.problems() == []
    finally:
        library.close()


def words(library: Library, expression: str) -> list[int]:
    return [id for id, _ in library.search_text(expression, 10)]


def test_undo_describes_the_edit_in_words(library, organise):
    library.put([paper("A"), paper("B")])
    assert (undoable(organise), redoable(organise)) == ("", "")
    organise.tag([1, 2], "to read")
    assert undoable(organise) == "Added tag “to read” to 2 papers"
    edit = organise.undo()
    assert edit and edit.what == redoable(organise) == "Added tag “to read” to 2 papers"
    assert organise.undo() is None


def test_edit_names_its_paper_unless_it_changed_several(library, organise):
    library.put([paper("Bees"), paper("Wasps")])
    organise.rate([2], 4)
    assert organise.undoable().title == "Wasps"
    assert organise.undo().title == organise.redoable().title == "Wasps"
    organise.tag([1, 2], "to read")
    assert organise.undoable().title == ""
    organise.create_collection("thesis")
    assert organise.undoable().title == ""


def test_moved_collection_with_same_parent_is_called_renamed(library, organise):
    organise.create_collection("thesis/methods")
    assert organise.move_collection("thesis/methods", "thesis/results").what == (
        "Renamed collection “thesis/methods” to “thesis/results”"
    )
    assert organise.move_collection("thesis/results", "results").what.startswith("Moved")
    assert organise.move_collection("results", "findings").what.startswith("Renamed")


def test_edits_survive_a_restart(library, organise):
    library.put([paper("A")])
    organise.rate([1], 4)
    again = Library(library.path)
    assert LibraryEditor(again).undo()
    assert library.organisation.of([1])[1].rating == 0
    again.close()


def test_rename_to_existing_name_is_called_a_merge(library, organise):
    library.put([paper("A"), paper("B")])
    organise.collect([1], "bees")
    organise.collect([2], "wasps")
    organise.tag([1], "old")
    organise.tag([2], "new")
    merged = organise.move_collection("wasps", " bees ")
    assert merged and merged.what.startswith("Merged")
    assert library.collections.paths() == ["bees"]
    assert organise.undo() and library.collections.paths() == ["bees", "wasps"]
    renamed = organise.move_collection("wasps", "ants")
    assert renamed and renamed.what.startswith("Renamed")
    merged = organise.rename_tag("old", " new")
    assert merged and merged.what.startswith("Merged")
    assert organise.undo() and library.tags.names() == ["new", "old"]
    renamed = organise.rename_tag("old", "older")
    assert renamed and renamed.what.startswith("Renamed")
    assert organise.move_collection("bees", "bees") is None  # nothing to do


def test_edit_without_effect_is_not_recorded(library, organise):
    library.put([paper("A")])
    organise.tag([1], "red")
    organise.undo()
    assert organise.mark_read([1], read=False) is None and organise.untag([1], "blue") is None
    assert redoable(organise) == "Added tag “red” to 1 paper"


def test_new_edit_clears_redo(library, organise):
    library.put([paper("A")])
    organise.tag([1], "red")
    organise.undo()
    organise.rate([1], 2)
    assert organise.redo() is None


def test_failed_edit_leaves_nothing_behind(library, organise):
    library.put([paper("A")])
    with pytest.raises(LibraryError, match="itself"):
        organise.create_collection("a/b")
        organise.move_collection("a", "a/b/c")
    assert library.collections.paths() == ["a", "a/b"]
    assert undoable(organise) == "Created collection “a/b”"
    organise.rate([1], 3)  # and the next one is recorded as usual
    assert undoable(organise) == "Rated 1 paper 3 stars"


def test_only_last_edits_are_kept(library, organise, monkeypatch):
    monkeypatch.setattr(undo, "_LAST", 3)
    library.put([paper("A")])
    for stars in (1, 2, 3, 4, 5):
        organise.rate([1], stars)
    assert [bool(organise.undo()) for _ in range(4)] == [True, True, True, False]
    assert library.organisation.of([1])[1].rating == 2


def test_undo_of_split_ignores_citation_key_assigned_meanwhile(library, organise):
    """As an exported collection assigns one to each new paper."""
    first, second = library.put([paper("Bees", doi="10.1/a"), paper("Wasps", doi="10.1/b")]).ids
    organise.merge(first, [second])
    key = library.citekeys.pin([first])
    organise.split(first)
    library.citekeys.pin(library.ids())
    assert organise.undo() and library.count() == 1
    assert organise.undo() and library.count() == 2
    library.citekeys.pin(library.ids())
    assert organise.redo() and library.count() == 1
    assert library.citekeys.pin([first]) == key


def test_last_edit_is_kept_at_any_size(library, organise, monkeypatch):
    monkeypatch.setattr(undo, "_ROWS", 3)
    library.put([paper("A"), paper("B"), paper("C"), paper("D")])
    organise.rate([1], 1)
    organise.mark_read([1, 2, 3, 4])
    assert organise.undo() and organise.undo() is None


def test_import_between_edits_is_neither_broken_nor_undone(library, organise):
    library.put([paper("Bees", source="arxiv", source_id="1", arxiv="2101.00001")])
    organise.edit([1], title="Zebras")
    organise.tag([1], "red")
    newer = paper("Bees", source="arxiv", source_id="1", arxiv="2101.00001", abstract="Okapis.")
    library.put([newer, paper("Wasps")])
    organise.undo()
    organise.undo()
    [bees] = library.get([1])
    assert (bees.title, bees.abstract, library.count()) == ("Bees", "Okapis.", 2)
    assert words(library, "bees okapis") == [1] and words(library, "zebras") == []
    assert library.is_text_index_consistent()
    assert len(library.missing_vectors("s")[0]) == 2  # the stored hash is that of the current text


def test_conflicting_change_is_named_and_undo_changes_nothing(library, organise):
    library.put([paper("Bees"), paper("Wasps")])
    organise.edit([1, 2], venue="Nature")
    library.edit(2, venue="Science")  # a change that is not recorded as an edit
    before = content(library)
    with pytest.raises(LibraryError, match="“Wasps” has changed since then") as refused:
        organise.undo()
    assert refused.value.hint == "Nothing was changed."
    assert content(library) == before and library.is_text_index_consistent()
    assert undoable(organise) == "Changed the venue of 2 papers"


@pytest.mark.parametrize(
    ("forged", "named"),
    [
        ("UPDATE edited_rows SET \"column\" = 'venue = title, kind'", "papers.venue = title, kind"),
        ("UPDATE edited_rows SET \"table\" = 'sqlite_master'", "sqlite_master"),
        (
            'UPDATE edited_rows SET "column" = NULL, after = NULL,'
            ' before = \'{"id": 9, "title) SELECT 1, 2 --": 1}\'',
            "papers.title) SELECT 1, 2 --",
        ),
    ],
)
def test_forged_column_names_never_reach_sql(library, organise, forged, named):
    library.put([paper("Bees", venue="Science"), paper("Wasps", venue="Science")])
    organise.edit([1, 2], venue="Nature")
    with closing(sqlite3.connect(library.path)) as db, db:
        db.execute(forged)
    before = content(library)
    with pytest.raises(LibraryError) as refused:
        organise.undo()
    assert "“Changed the venue of 2 papers” cannot be undone" in str(refused.value)
    assert f"“{named}”" in str(refused.value) and refused.value.hint == "Nothing was changed."
    assert content(library) == before and library.is_text_index_consistent()


def test_undo_keeps_papers_collected_since_then(library, organise):
    library.put([paper("Bees")])
    organise.create_collection("thesis")
    library.collections.add([1], "thesis")  # a change that is not recorded as an edit
    with pytest.raises(LibraryError, match="has changed since then"):
        organise.undo()
    assert library.organisation.of([1])[1].collections == ("thesis",)


def test_undo_of_trash_skips_paper_restored_by_import(library, organise):
    library.put([paper("Bees"), paper("Wasps")])
    organise.trash([1, 2])
    library.put([paper("Bees")])
    organise.undo()
    assert library.count() == 2 and library.is_text_index_consistent()


def test_undo_skips_permanently_deleted_papers(library, organise):
    library.put([paper("Bees"), paper("Wasps")])
    organise.tag([1, 2], "red")
    organise.untag([1, 2], "red")
    organise.trash([1])
    assert organise.empty_trash() == 1 and library.get([1]) == []
    organise.undo()
    organise.undo()
    assert library.organisation.of([1, 2])[2].tags == ("red",)


def test_undo_restores_row_ids(library, organise):
    library.put([paper("Bees"), paper("Wasps")])
    organise.add_note(2, "zebra")
    before = content(library)["notes"]
    organise.merge(1, [2])
    organise.undo()
    organise.change_note(1, "")
    organise.undo()
    assert content(library)["notes"] == before


def test_saved_searches_follow_renamed_tags_and_collections(library, organise):
    library.put([paper("A")])
    organise.tag([1], "old")
    organise.collect([1], "thesis/one")
    organise.save_search("mine", "tag:old in:thesis")
    organise.rename_tag("old", "new one")
    organise.move_collection("thesis", "work")
    assert library.saved_searches.queries() == {"mine": 'tag:"new one" in:work'}
    organise.undo()
    organise.undo()
    assert library.saved_searches.queries() == {"mine": "tag:old in:thesis"}


def test_merged_collection_keeps_its_feedback_through_undo(library, organise):
    library.put([paper("A"), paper("B")])
    for path in ("one", "two"):
        organise.collect([1], path)
    [one, two] = [subject.key for subject in library.feedback.subjects()]
    library.feedback.set(one, [2], liked=True)
    before = content(library)
    organise.move_collection("one", "two")
    assert library.feedback.of(two)[0].keys() == {2}
    organise.undo()
    organise.remove_collection("one")
    assert content(library)["opinions"] == []
    organise.undo()
    assert content(library) == before


def test_edit_of_many_papers_is_one_edit(library, organise, monkeypatch):
    monkeypatch.setattr(fulltext, "_FEW", 500)  # so many that the text index is rebuilt
    library.put([paper(f"Paper {n}", source="x", source_id=str(n)) for n in range(1_000)])
    ids = range(1, 1_001)
    organise.collect(ids, "all")
    organise.edit(ids, venue="Nature", authors=(Author("Curie", "Marie"),))
    organise.trash(ids)
    organise.undo()
    assert len(words(library, "nature")) == 10
    organise.undo()
    assert words(library, "curie") == [] and library.is_text_index_consistent()
    organise.undo()
    assert library.collections.paths() == []


@pytest.fixture
def ten(library, monkeypatch) -> range:
    """Ten papers, edited four at a time."""
    monkeypatch.setattr(organising, "_AT_ONCE", 4)
    monkeypatch.setattr(organising, "_LET_IN", 0)
    library.put([paper(f"Paper {n}", source="x", source_id=str(n)) for n in range(10)])
    return range(1, 11)


def test_other_writers_are_not_blocked_by_edit_of_many_papers(library, organise, ten):
    with closing(sqlite3.connect(library.path, timeout=0)) as other:

        def write(done: int, total: int, note: str) -> None:
            with other:
                other.execute("UPDATE papers SET rating = rating + 1 WHERE id = 10")

        edit = organise.edit(ten, Task(write), venue="Nature")
    assert library.organisation.of([10])[10].rating == 3
    assert words(library, "nature") == list(ten) and library.is_text_index_consistent()
    assert organise.undo() == edit and undoable(organise) == ""
    assert words(library, "nature") == [] and library.is_text_index_consistent()
    organise.redo()
    assert words(library, "nature") == list(ten)


def test_cancelled_edit_of_many_papers_can_be_undone(library, organise, ten):
    task = Task(lambda done, total, note: task.cancel() if done == 4 else None)
    with pytest.raises(Cancelled):
        organise.edit(ten, task, venue="Nature")
    assert words(library, "nature") == list(range(1, 9))
    organise.undo()
    assert words(library, "nature") == [] and undoable(organise) == ""


def test_undo_during_an_edit_stops_it(library, organise, ten):
    task = Task(lambda done, total, note: organise.undo() if done == 4 else None)
    with pytest.raises(LibraryError, match="undone before it finished"):
        organise.edit(ten, task, venue="Nature")
    assert words(library, "nature") == []


def test_removal_of_sample_papers_is_undone_as_one_edit(tmp_path):
    library = Library(tmp_path / "sample.sqlite3")
    library.put([paper(f"Paper {n}") for n in range(3)])
    library.collections.add([1, 2], "Sample library")
    editor = LibraryEditor(library)
    editor.remove_sample("Sample library")
    assert library.ids().tolist() == [3] and library.collections.paths() == []
    editor.undo()
    assert sorted(library.ids().tolist()) == [1, 2, 3]
    assert library.matching([Condition("in", "Sample library")]).tolist() == [1, 2]
    library.close()

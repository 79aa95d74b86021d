"""The edit dialogs: all fields of one record, or some fields of several."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from sciread_app.domain.metadata import editable_fields
from sciread_app.domain.metadata.editable_fields import InvalidFieldValue, changed, written
from sciread_app.domain.paper import Author
from sciread_app.ui.library.edit_dialog import ADD, REMOVE, BulkEditDialog, EditDialog
from tests.support.generate.papers import paper
from tests.support.ui.fakes.gateway import FakeGateway

CURIE = paper(
    "On Radium", authors="Curie, Marie; Joliot, Irène", doi="10.1000/1", arxiv="2101.00027",
    published="1911", venue="Annalen", keywords=("radium", "polonium"), citekey="curie1911",
    extra={"volume": "12"}, kind="article-journal", abstract="It glows.",
)  # fmt: skip
NAMES = st.text("abcXYZéß", min_size=1, max_size=6).map(str.capitalize)


@pytest.fixture
def dialogs(qtbot, show_window):
    """Return a function that opens the edit dialog for some rows and returns it."""
    gateway = FakeGateway(20)
    gateway.editor.tags = {"to read": {20}}
    window = show_window(gateway)

    def edit(rows, kind):
        qtbot.waitUntil(lambda: bool(window.library_controller.work.library_tree.tags))
        window.page.result_list.go_to(rows[0])
        window.page.result_list.choose([window.page.model.paper_at(row) for row in rows])
        window.activateWindow()
        window.page.result_list.setFocus()
        qtbot.keyClick(window.page.result_list, Qt.Key.Key_E)
        qtbot.waitUntil(lambda: any(d.isVisible() for d in window.findChildren(kind)))
        return next(d for d in window.findChildren(kind) if d.isVisible())

    edit.editor = gateway.editor
    edit.window = window
    return edit


def test_edit_dialog_saves_changed_fields(qtbot, dialogs):
    dialog = dialogs([0], EditDialog)
    assert dialog.fields["title"].text() == "Paper 20"
    assert dialog.fields["authors"].text() == "Curie, Marie\nNoether, Emmy"
    dialog.fields["title"].setText("Another title")
    dialog.fields["authors"].setText("Curie, Marie\nHilbert, David")
    qtbot.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: 20 in dialogs.editor.fields)
    assert dialogs.editor.fields[20] == {
        "title": "Another title",
        "authors": (Author("Curie", "Marie"), Author("Hilbert", "David")),
    }


def test_manually_edited_fields_are_marked(qtbot, dialogs):
    dialogs.editor.fields[20] = {"venue": "Annalen", "identifiers": ()}
    dialog = dialogs([0], EditDialog)
    assert set(dialog.marks) == {"venue", "doi", "arxiv", "pmid", "pmcid", "isbn"}


def test_invalid_value_is_reported_and_not_saved(dialogs):
    dialog = dialogs([0], EditDialog)
    dialog.fields["published"].setText("last summer")
    dialog.save()
    assert dialog.isVisible() and "is not a valid date" in dialog.wrong.text()
    assert dialogs.editor.calls == []
    dialog.reject()
    assert dialog.isVisible() and "unsaved changes" in dialog.wrong.text()
    dialog.reject()
    assert not dialog.isVisible() and dialogs.editor.calls == []


@pytest.mark.parametrize(("field", "change"), [("venue", "Science"), ("kind", "book")])
def test_text_typed_after_the_warning_is_not_discarded_without_another(dialogs, field, change):
    dialog = dialogs([0], EditDialog)
    dialog.fields["abstract"].setText("Long work.")
    dialog.reject()
    dialog.fields[field].setText(change)
    assert not dialog.wrong.isVisible()
    dialog.reject()
    assert dialog.isVisible() and dialog.wrong.isVisible()
    dialog.reject()
    assert not dialog.isVisible()


def test_error_shown_after_the_warning_replaces_it(dialogs):
    dialog = dialogs([0], EditDialog)
    dialog.fields["published"].setText("last summer")
    dialog.reject()
    dialog.save()
    dialog.reject()
    assert dialog.isVisible()


def test_bulk_edit_is_one_undo_step(qtbot, dialogs):
    dialog = dialogs([0, 1, 2], BulkEditDialog)
    assert dialog.windowTitle() == "Edit 3 papers"
    qtbot.keyClicks(dialog.fields["venue"], "Nature")
    dialog.fields["published"].setText("1999")  # not typed, so not ticked
    qtbot.keyClicks(dialog.fields[ADD], "new")
    qtbot.keyClicks(dialog.fields[REMOVE], "to read")
    dialog.save()
    qtbot.waitUntil(lambda: len(dialogs.editor.calls) == 3)
    assert dialogs.editor.fields == {n: {"venue": "Nature"} for n in (18, 19, 20)}
    assert dialogs.editor.tags == {"to read": set(), "new": {18, 19, 20}}
    notice = dialogs.window.library_controller.notice
    qtbot.waitUntil(lambda: notice.text.text() == "Edited 3 papers.")
    notice.undo_button.click()
    qtbot.waitUntil(lambda: dialogs.editor.calls == [])


def test_unchanged_record_is_not_saved():
    assert changed(CURIE, written(CURIE)) == {}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("published", "2017/06", "2017-06"),
        ("keywords", "radium; light ;", ("radium", "light")),
        ("extra", "Volume: 13\npages: 1: 2", {"volume": "13", "pages": "1: 2"}),
        ("venue", "", ""),
        ("kind", "book", "book"),
    ],
)
def test_fields_are_parsed_as_written(name, text, value):
    assert changed(CURIE, written(CURIE) | {name: text}) == {name: value}


def test_changed_identifier_replaces_only_its_own_kind():
    texts = written(CURIE) | {"doi": "https://doi.org/10.5555/NEW", "arxiv": ""}
    values = dict(changed(CURIE, texts)["identifiers"])
    assert values == {"doi": "10.5555/new", "citekey": "curie1911"}


@pytest.mark.parametrize(("name", "text"), [("doi", "none"), ("extra", "12"), ("published", "99")])
def test_invalid_field_value_is_rejected(name, text):
    with pytest.raises(InvalidFieldValue):
        changed(CURIE, written(CURIE) | {name: text})


PLACE = paper("A", doi="10.1000/x1", extra={"doi": "10.1000/X1", "volume": "2"})


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ({"doi": "10.1000/X2"}, {"doi": "10.1000/X2", "volume": "2"}),
        ({"doi": "10.1000/2"}, {"volume": "2"}),
        ({"doi": ""}, {"volume": "2"}),
        ({"extra": "volume: 3"}, {"doi": "10.1000/X1", "volume": "3"}),
    ],
)
def test_case_of_a_doi_is_edited_with_the_doi(typed, values):
    texts = written(PLACE)
    assert texts["doi"] == "10.1000/X1" and texts["extra"] == "volume: 2"
    assert changed(PLACE, texts | typed)["extra"] == values


TRUNCATED = paper("A", authors="Lee, Ann", extra={"and-others": "true", "volume": "2"})


def test_truncated_list_of_authors_ends_with_and_others():
    texts = written(TRUNCATED)
    assert texts["authors"].splitlines() == ["Lee, Ann", "and others"]
    assert "others" not in texts["extra"]
    assert changed(TRUNCATED, texts) == {}


@pytest.mark.parametrize(
    ("typed", "families", "truncated"),
    [
        ({"authors": "Lee, Ann\nothers"}, ["Lee"], True),
        ({"authors": "Lee, Ann\nNg, Bo\nand others"}, ["Lee", "Ng"], True),
        ({"authors": "Lee, Ann\nNg, Bo"}, ["Lee", "Ng"], False),
        ({"extra": "volume: 3"}, ["Lee"], True),
    ],
)
@pytest.mark.parametrize("extra", [{}, {"and-others": "true"}])
def test_others_at_the_end_of_the_authors_is_no_person(typed, families, truncated, extra):
    before = paper("A", authors="Lee, Ann", extra=extra)
    after = replace(before, **changed(before, written(before) | typed))
    assert [author.family for author in after.authors] == families
    assert after.has_more_authors == (truncated if "authors" in typed else bool(extra))


@pytest.mark.parametrize(
    ("line", "author"),
    [
        ("Curie, Marie", Author("Curie", "Marie")),
        ("Marie Skłodowska Curie", Author("Curie", "Marie Skłodowska")),
        ("Ludwig van der Berg", Author("Berg", "Ludwig", "van der")),
        ("van der Berg, Jr., Jan", Author("Berg", "Jan", "van der", "Jr.")),
        ("{LHCb collaboration}", Author("LHCb collaboration", literal=True)),
        ("Plato", Author("Plato")),
        ("de, Jan", Author("de", "Jan")),
    ],
)
def test_author_is_parsed_from_a_line(line, author):
    assert editable_fields.read_authors(f"  {line}\n\n", ()) == (author,)


@given(
    st.builds(
        Author,
        NAMES,
        NAMES | st.just(""),
        st.sampled_from(["", "van", "von der"]),
        st.just(""),
        st.just(False),
    )
)
def test_formatted_author_is_parsed_back(author):
    if author.given:
        assert editable_fields.read_authors(editable_fields.written_authors([author]), ()) == (
            author,
        )
    assert editable_fields.read_authors(editable_fields.written_authors([author]), [author]) == (
        author,
    )

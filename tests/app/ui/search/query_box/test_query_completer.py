"""Completion and the help for the search syntax while the user types in the search box."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QTreeWidget

from sciread_app.domain.query.ast import CHOICES
from sciread_app.domain.query.fields import ALIASES, FIELD_SYNTAX, FIELDS, FIXED_VALUES, SYNTAX
from sciread_app.domain.query.parser import parse
from sciread_app.paths import Home
from sciread_app.ui.search.query_box.query_completer import (
    LIBRARY_FIELDS,
    PartialWord,
    fields_for,
    partial_word,
    suggest_values,
)
from sciread_app.ui.shell.gateway import WindowGateway
from sciread_app.workspace import Workspace
from tests.support.generate.papers import paper
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.heartbeat import FairHeartbeat

Key = Qt.Key
LARGE, STALL_MS = 20_000, 50
DOCS = Path(__file__).parents[5] / "docs" / "search.md"


@pytest.fixture
def page(show_page):
    page = show_page(FakeGateway(20))
    page.window().activateWindow()
    page.search_box.take_focus()
    return page


def press(qtbot, page, *keys):
    """Press keys where the window system would deliver them."""
    for key in keys:
        qtbot.keyClick(QApplication.activePopupWidget() or page.search_box.edit, key)


def type_in(qtbot, page, text):
    page.search_box.edit.clear()
    qtbot.keyClicks(page.search_box.edit, text)


def syntax_rows():
    """Return the table of the syntax help that is open."""
    return QApplication.activePopupWidget().findChild(QTreeWidget)


def test_every_field_has_one_row_of_syntax():
    assert set(FIELD_SYNTAX) == set(FIELDS) - {"text"}
    assert {field: set(FIXED_VALUES[field]) for field in CHOICES} == {
        field: set(values) for field, values in CHOICES.items()
    }


@pytest.mark.parametrize("row", SYNTAX, ids=lambda row: row.query)
def test_syntax_row_is_a_valid_query_and_documented(row):
    query = parse(row.query)
    assert query.conditions or query.terms or query.named_like
    assert row.start.strip() in row.query
    assert f"| `{row.query}` | {row.meaning} |" in DOCS.read_text("utf-8")
    for field, value in re.findall(r"\b([a-z]+):([^\s,;]+)", row.meaning):
        assert parse(f"{field}:{value}").conditions


@pytest.mark.parametrize("field", FIXED_VALUES)
def test_fixed_values_are_valid(field):
    for value in FIXED_VALUES[field]:
        assert parse(f"{field}:{value}").conditions


@pytest.mark.parametrize(
    ("written", "fields"),
    [
        ("au", ["author"]),
        ("ti", ["title"]),
        ("tit", ["title"]),
        ("jour", ["journal"]),
        ("coll", ["collection"]),
        ("cat", []),  # complete: the next key is the colon
        ("ra", ["rating"]),
        ("zz", []),
    ],
)
def test_field_names_are_found_by_prefix(written, fields):
    found = fields_for(written)
    assert [name for name in found if name not in ALIASES or name in fields] == fields


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("author:cur", PartialWord("author", "cur", 0)),
        ("Author:cur", PartialWord("author", "cur", 0)),
        ('x -tag:"to re', PartialWord("tag", "to re", 2, True)),
        ("journal:=na", PartialWord("venue", "na", 0)),
        ("in:", PartialWord("in", "", 0)),
        ("is:un", PartialWord("is", "un", 0)),
        ("bees au", PartialWord("", "au", 5)),
        ("-ti", PartialWord("", "ti", 0, True)),
        ("year:20", PartialWord("year", "20", 0)),
        ("author:curie ", None),
        ("coauthor:cur", None),
        ("title:bos", None),
        ("Au", None),
        ("a", None),
    ],
)
def test_word_at_the_cursor_is_recognised(typed, expected):
    assert partial_word(typed, len(typed)) == expected


def test_completed_value_replaces_the_whole_value():
    for typed, rest in (("author:cu", "rie bees"), ('author:"Ma', '" bees')):
        half = partial_word(typed, len(typed)) if '"' in rest else partial_word(typed + "r", 10)
        assert half is not None
        [found] = suggest_values(typed + rest, len(typed), half, [("Marie Curie", "2")])
        assert found.text == 'author:="Marie Curie" bees'
        assert found.text[found.cursor :] == "bees"


def test_names_are_completed_by_keyboard(qtbot, page):
    type_in(qtbot, page, "rays author:cur")
    qtbot.waitUntil(lambda: page.search_box.offered == ["Marie Curie   7", "Pierre Curie   7"])
    press(qtbot, page, Key.Key_Down, Key.Key_Return)
    assert page.search_box.edit.text() == 'rays author:="Marie Curie" '
    qtbot.waitUntil(lambda: page.view.query == 'rays author:="Marie Curie"')
    qtbot.keyClicks(page.search_box.edit, 'tag:"to')
    qtbot.waitUntil(lambda: page.search_box.offered == ["to read   7"])
    qtbot.keyClick(page.search_box.edit, Key.Key_Backspace)
    qtbot.keyClick(page.search_box.edit, Key.Key_Space)
    qtbot.waitUntil(lambda: page.search_box.offered == [])


def test_tab_completes_the_field_and_then_its_value(qtbot, page):
    type_in(qtbot, page, "bees -ta")
    assert [text.split()[0] for text in page.search_box.offered] == ["tag:"]
    press(qtbot, page, Key.Key_Tab)
    assert page.search_box.edit.text() == "bees -tag:"
    qtbot.waitUntil(lambda: page.search_box.offered == ["to read   7", "maths   7"])
    press(qtbot, page, Key.Key_Tab)
    assert page.search_box.edit.text() == 'bees -tag:"to read" '
    assert page.focusWidget() is page.search_box.edit and page.search_box.offered == []


def test_fixed_values_are_offered_with_their_meaning(qtbot, page):
    type_in(qtbot, page, "is:un")
    assert [text.split()[0] for text in page.search_box.offered] == ["unread", "unfiled"]
    press(qtbot, page, Key.Key_Down, Key.Key_Down, Key.Key_Return)
    assert page.search_box.edit.text() == "is:unfiled "


def test_escape_closes_suggestions_and_keeps_the_text(qtbot, page):
    type_in(qtbot, page, "is:")
    assert page.search_box.offered
    press(qtbot, page, Key.Key_Escape)
    assert page.search_box.offered == [] and page.search_box.edit.text() == "is:"
    press(qtbot, page, Key.Key_Escape)
    assert page.search_box.edit.text() == ""


def test_enter_without_a_selection_searches_for_the_text(qtbot, page):
    type_in(qtbot, page, "paper ti")
    assert page.search_box.offered
    press(qtbot, page, Key.Key_Return)
    qtbot.waitUntil(lambda: page.view.query == "paper ti")
    assert page.search_box.offered == []


def test_field_without_a_value_is_no_error_while_typing(qtbot, page):
    type_in(qtbot, page, "paper in:")
    qtbot.wait(300)  # longer than the pause after which a search starts
    assert page.search_box.wrong.isHidden()
    press(qtbot, page, Key.Key_Return)
    qtbot.waitUntil(lambda: not page.search_box.wrong.isHidden())


@pytest.mark.parametrize("key", [Key.Key_F1, Key.Key_Question])
def test_help_key_in_the_empty_box_shows_the_syntax(qtbot, page, key):
    press(qtbot, page, key)
    rows = syntax_rows()
    assert rows.topLevelItemCount() == len(SYNTAX)
    assert page.search_box.edit.text() == ""
    press(qtbot, page, Key.Key_Escape)
    assert QApplication.activePopupWidget() is None


def test_syntax_help_cuts_no_row_in_a_wide_window(page):
    page.window().resize(1400, 900)
    page.search_box.show_syntax()
    rows = syntax_rows()
    assert rows.sizeHintForColumn(1) <= rows.columnWidth(1)
    assert rows.columnWidth(0) + rows.columnWidth(1) <= rows.viewport().width()


def test_question_mark_in_place_of_selected_text_shows_the_syntax(qtbot, page):
    type_in(qtbot, page, "curie")
    page.search_box.edit.selectAll()
    press(qtbot, page, Key.Key_Question)
    assert syntax_rows().topLevelItemCount() == len(SYNTAX)
    assert page.search_box.edit.text() == "curie"


def test_question_mark_after_text_is_typed(qtbot, page):
    type_in(qtbot, page, "why")
    press(qtbot, page, Key.Key_Question)
    assert page.search_box.edit.text() == "why?"


def test_clicked_row_of_the_syntax_is_inserted_and_completed(qtbot, page):
    type_in(qtbot, page, "paper")
    page.search_box.show_syntax()
    rows = syntax_rows()
    item = rows.findItems('tag:"to read"', Qt.MatchFlag.MatchExactly)[0]
    rows.scrollToItem(item)
    place = rows.visualItemRect(item).center()
    qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: page.search_box.edit.text() == "paper tag:")
    qtbot.waitUntil(lambda: page.search_box.offered == ["to read   7", "maths   7"])


def test_row_of_the_syntax_is_inserted_by_keyboard(qtbot, page):
    page.search_box.show_syntax()
    rows = syntax_rows()
    qtbot.keyClick(rows, Key.Key_End)
    qtbot.keyClick(rows, Key.Key_Return)
    qtbot.waitUntil(lambda: page.search_box.edit.text() == SYNTAX[-1].start)


def test_every_completed_field_has_values():
    assert not set(LIBRARY_FIELDS) & set(FIXED_VALUES)
    assert set(FIELD_SYNTAX) >= {*LIBRARY_FIELDS, *FIXED_VALUES}


def many_papers(count):
    """Return papers with a third as many authors, and a hundred venues, tags and years."""
    for n in range(count):
        yield paper(
            f"Bee {n}",
            authors=f"Curie{n % (count // 3)}, Marie; Noether, Emmy",
            venue=f"Annals of Bees {n % 100}",
            published=str(1925 + n % 100),
            fields=(f"bees.{n % 50}",),
        )


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_typing_in_a_library_of_20000_papers_does_not_stall(qtbot, show_page, jobs, tmp_path):
    workspace = Workspace(Home(tmp_path))
    library = workspace.library
    ids = library.put(list(many_papers(LARGE))).ids
    for n in range(100):
        library.tags.add(ids[n::100], f"tag {n}")
    page = show_page(WindowGateway(workspace))
    box = page.search_box
    qtbot.waitUntil(lambda: not jobs.running())
    heart = FairHeartbeat()
    heart.start()
    for text, shown in (
        ("author:cur", "Marie Curie"),
        ("journal:ann", "Annals of Bees"),
        ("tag:ta", "tag "),
        ("year:19", "1999"),
        ("cat:be", "bees."),
    ):
        box.show_text("")
        for letter in text:
            beats = heart.beats
            qtbot.keyClick(QApplication.activePopupWidget() or box.edit, letter)
            qtbot.waitUntil(lambda beats=beats: heart.beats > beats)
        qtbot.waitUntil(lambda shown=shown: any(one.startswith(shown) for one in box.offered))
        press(qtbot, page, Key.Key_Escape)
    longest = heart.stop()
    workspace.close()
    print(f"longest gap {longest:.0f} ms")
    assert longest < STALL_MS

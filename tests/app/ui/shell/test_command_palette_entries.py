"""What is meant by a few letters."""

from __future__ import annotations

import pytest

from sciread_app.ui.shell.command_palette_entries import (
    SHOWN,
    PaletteEntries,
    PaletteEntry,
    is_sure,
    searched,
    used,
)

TITLES = (
    "Add files…",
    "Add a folder…",
    "Mark read or unread",
    "Similar papers",
    "Go to Search",
    "Collection: thesis/methods",
    "Tag: café",
    "Research notes",
)


def entries(*titles):
    return PaletteEntries([PaletteEntry(title, title, "Command", lambda: None) for title in titles])


def found(typed, recent=(), titles=TITLES):
    return [entry.title for entry in entries(*titles).find(typed, recent)]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("add fo", "Add a folder…"),  # words, each begun
        ("mark", "Mark read or unread"),
        ("sea", "Go to Search"),  # the beginning of a word before the middle of one
        ("methods", "Collection: thesis/methods"),
        ("cafe", "Tag: café"),  # without the accent
        ("mro", "Mark read or unread"),  # by its first letters
        ("SIMILAR", "Similar papers"),
    ],
)
def test_a_few_letters_say_what_is_meant(typed, first):
    assert found(typed)[0] == first


def test_what_begins_so_comes_before_what_was_used_lately_and_that_before_the_rest():
    titles = ("The add-on", "Add files", "Add a note")
    assert found("add", recent=["The add-on"], titles=titles)[0] == "Add files"
    assert found("add", recent=["Add a note"], titles=titles)[0] == "Add a note"


def test_without_a_word_what_was_used_last_comes_first():
    assert found("", recent=["Similar papers", "Tag: café"])[:3] == [
        "Similar papers",
        "Tag: café",
        "Add files…",
    ]


def test_what_nothing_is_like_finds_nothing():
    assert found("xylophone") == [] == entries(*TITLES).alike("xylophone")


def test_a_slip_of_the_finger_is_forgiven():
    assert [entry.title for entry in entries(*TITLES).alike("simlar papers")] == ["Similar papers"]
    assert entries(*TITLES).alike("si") == []


def test_of_ten_thousand_no_more_are_listed_than_anybody_reads():
    many = entries(*(f"Collection: group {n % 100}/part {n}" for n in range(10_000)))
    assert len(many) == 10_000
    assert len(many.find("part")) == len(many.find("")) == SHOWN
    assert many.find("part 9999")[0].title == "Collection: group 99/part 9999"


def test_only_what_a_word_begins_with_is_taken_for_sure():
    (entry,) = entries("Mark read or unread").find("mark")
    assert is_sure(entry, "unr") and not is_sure(entry, "ark")


def test_what_is_used_again_moves_to_the_front():
    assert used(["a", "b", "c"], "c") == ["c", "a", "b"]
    assert used(["a", "b"], "c", keep=2) == ["c", "a"]


def test_a_query_grows_in_its_place_while_it_is_typed():
    searches = []
    for query in ("gr", "graph ", "graph neural", "bees"):
        searches = searched(searches, query)
    assert searches == ["bees", "graph neural"]
    assert searched(searches, "  ") == searches

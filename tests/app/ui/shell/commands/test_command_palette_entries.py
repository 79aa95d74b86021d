"""Ranking of the entries of the command palette."""

from __future__ import annotations

import pytest

from sciread_app.ui.page import PaletteEntry
from sciread_app.ui.shell.commands.command_palette_entries import (
    SHOWN,
    PaletteEntries,
    is_sure,
    searched,
    used,
)

TITLES = (
    "Import files…",
    "Import folder…",
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
        ("import fo", "Import folder…"),  # beginnings of words
        ("mark", "Mark read or unread"),
        ("sea", "Go to Search"),  # the beginning of a word before its middle
        ("methods", "Collection: thesis/methods"),
        ("cafe", "Tag: café"),  # without the accent
        ("mro", "Mark read or unread"),  # first letters of words
        ("SIMILAR", "Similar papers"),
    ],
)
def test_find_ranks_the_best_match_first(typed, first):
    assert found(typed)[0] == first


def test_find_ranks_beginnings_before_recent_entries_before_others():
    titles = ("The add-on", "Add files", "Add a note")
    assert found("add", recent=["The add-on"], titles=titles)[0] == "Add files"
    assert found("add", recent=["Add a note"], titles=titles)[0] == "Add a note"


def test_find_without_text_lists_recent_entries_first():
    assert found("", recent=["Similar papers", "Tag: café"])[:3] == [
        "Similar papers",
        "Tag: café",
        "Import files…",
    ]


def test_unknown_text_finds_nothing():
    assert found("xylophone") == [] == entries(*TITLES).alike("xylophone")


def test_alike_finds_misspelt_titles():
    assert [entry.title for entry in entries(*TITLES).alike("simlar papers")] == ["Similar papers"]
    assert entries(*TITLES).alike("si") == []


def test_find_limits_the_number_of_entries():
    many = entries(*(f"Collection: group {n % 100}/part {n}" for n in range(10_000)))
    assert len(many) == 10_000
    assert len(many.find("part")) == len(many.find("")) == SHOWN
    assert many.find("part 9999")[0].title == "Collection: group 99/part 9999"


def test_is_sure_requires_the_beginning_of_a_word():
    (entry,) = entries("Mark read or unread").find("mark")
    assert is_sure(entry, "unr") and not is_sure(entry, "ark")


def test_used_moves_an_entry_to_the_front():
    assert used(["a", "b", "c"], "c") == ["c", "a", "b"]
    assert used(["a", "b"], "c", keep=2) == ["c", "a"]


def test_searched_replaces_the_beginning_of_a_query():
    searches = []
    for query in ("gr", "graph ", "graph neural", "bees"):
        searches = searched(searches, query)
    assert searches == ["bees", "graph neural"]
    assert searched(searches, "  ") == searches

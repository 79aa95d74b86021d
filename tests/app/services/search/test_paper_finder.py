"""Finding of papers by the beginnings of their words, in a real library."""

from __future__ import annotations

import pytest

from sciread_app.domain.annotations.annotations import ReadingPosition
from sciread_app.services.search.paper_finder import MOST, find_papers
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.attachments import Attachment
from sciread_app.tasks import Task
from tests.support.generate.papers import paper


@pytest.fixture
def library(library: Library) -> Library:
    library.put(
        [
            paper("Optimization of hives", authors="Müller, Anna", published="2019-03"),
            paper("Learning to dance", authors="Frisch, Karl von", published="2019"),
            paper("Bees and machine learning", authors="Lee, Jo", published="2020"),
            paper("Über die Sprache der Bienen", authors="Frisch, Karl von", published="1923"),
            paper("On wasps", abstract="Bees are hunted.", authors="Doe, Jane", published="2021"),
        ]
    )
    return library


def titles(library: Library, typed: str) -> list[str]:
    return [found.paper.title for found in find_papers(library, typed, Task())]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("opt", ["Optimization of hives"]),
        ("optimizati", ["Optimization of hives"]),
        ("HIVES muller", ["Optimization of hives"]),
        ("mueller", ["Optimization of hives"]),
        ("uber", ["Über die Sprache der Bienen"]),
        ("lea frisch", ["Learning to dance"]),
        ("frisch 1923", ["Über die Sprache der Bienen"]),
        ("lee 2020", ["Bees and machine learning"]),
        ("machine bees", ["Bees and machine learning"]),
        ("b", ["Bees and machine learning", "Über die Sprache der Bienen"]),
        ("hunted", []),
        ("earning", []),
        ('"*', ["On wasps", "Über die Sprache der Bienen"]),
    ],
)
def test_words_of_title_authors_and_year_find_papers(library, typed, expected):
    assert titles(library, typed)[: len(expected) or None] == expected


def test_title_that_begins_with_the_text_is_first(library):
    assert titles(library, "lear") == ["Learning to dance", "Bees and machine learning"]


def test_year_alone_finds_its_papers(library):
    assert set(titles(library, "2019")) == {"Optimization of hives", "Learning to dance"}


def test_papers_in_the_trash_are_not_found(library):
    library.trash([5])
    assert "On wasps" not in titles(library, "") + titles(library, "wasps")


def test_without_words_papers_read_last_come_first(library, tmp_path):
    file = tmp_path / "dance.pdf"
    file.write_bytes(b"%PDF")
    files = [(2, file, "a"), (1, tmp_path / "gone.pdf", "b")]
    library.attachments.put([(Attachment(id, str(path), sha), "") for id, path, sha in files])
    for sha in ("a", "b"):
        library.annotations.remember(sha, ReadingPosition(1.5))
    found = find_papers(library, "", Task())
    assert [one.paper.id for one in found] == [1, 2, 5, 4, 3]
    assert [one.file for one in found[:2]] == [None, file]
    assert titles(library, "2019")[0] == "Optimization of hives"


def test_number_of_found_papers_is_limited(library):
    library.put([paper(f"Ants, volume {n}") for n in range(MOST + 5)])
    assert len(titles(library, "ants")) == len(titles(library, "")) == MOST

"""Files that are read and marked, with a real library and real PDFs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sciread_app.domain.annotations.annotations import Colour, Highlight, ReadingPlace
from sciread_app.errors import SciReadError
from sciread_app.services.library.annotations import (
    AnnotationService,
    CannotShow,
    FailureReason,
    OpenFile,
)
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.attachments import Attachment
from sciread_app.tasks import Task
from tests.support.make import paper
from tests.support.make_book import make_book
from tests.support.make_pdf import At


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    library = Library(tmp_path / "library.sqlite3")
    library.put([paper("Bees"), paper("Wasps")])
    yield library
    library.close()


@pytest.fixture
def reading(library: Library) -> Iterator[AnnotationService]:
    reading = AnnotationService(library)
    yield reading
    reading.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bees.pdf"


def written(path: Path, *texts: str) -> Path:
    path.write_bytes(make_book(pages=[[At(text, 12, 60, 700)] for text in texts]))
    return path


def opened(reading: AnnotationService, path: Path, id: int = 1) -> OpenFile:
    return reading.open(id, path, "", Task())


def marked(reading: AnnotationService, file: OpenFile, words: str, note: str = "") -> Highlight:
    found = file.search(words, Task()).found[0]
    where = (file.paper, file.shape.sha256, str(file.path), found.page, found.boxes)
    return reading.highlight([Highlight(*where, words, Colour.green, note)])[0]


def test_the_file_of_a_paper_that_the_library_does_not_hold_is_not_opened(reading, path):
    with pytest.raises(CannotShow) as caught:
        opened(reading, written(path, "Bees dance"), id=99)
    assert caught.value.why is FailureReason.removed


def test_highlights_are_kept_changed_and_removed_and_each_edit_is_taken_back(
    library, reading, path
):
    file = opened(reading, written(path, "Bees dance", "They fly home"))
    dance = marked(reading, file, "dance")
    assert reading.marked(file, Task()).here[0].text == "dance"
    reading.recolour(dance, Colour.pink)
    reading.annotate(dance, "Really?")
    (now,) = reading.marked(file, Task()).here
    assert (now.colour, now.note) == (Colour.pink, "Really?")
    assert now.boxes[0] == pytest.approx(dance.boxes[0], abs=0.01)
    reading.remove(dance)
    assert reading.marked(file, Task()).here == ()
    assert library.edits.last().what == "Removed the highlight “dance”"
    library.edits.undo()
    library.edits.undo()
    (back,) = reading.marked(file, Task()).here
    assert (back.colour, back.note) == (Colour.pink, "")
    library.edits.undo()
    library.edits.undo()
    assert reading.marked(file, Task()).here == ()


def test_in_a_new_version_highlights_follow_their_text_or_are_listed_as_lost(reading, path):
    file = opened(reading, written(path, "Bees dance", "They fly home"))
    marked(reading, file, "dance", "See below")
    marked(reading, file, "fly home")
    file.close()
    file = opened(reading, written(path, "A new page", "Bees and wasps dance", "The end"))
    now = reading.marked(file, Task())
    assert [(one.text, one.page, one.note) for one in now.here] == [("dance", 1, "See below")]
    assert [one.text for one in now.lost] == ["fly home"]
    assert now.moved == 1 and reading.marked(file, Task()).moved == 0
    file.close()
    file = opened(reading, written(path, "Bees dance", "They fly home"))
    assert {one.text for one in reading.marked(file, Task()).here} == {"dance", "fly home"}


def test_highlights_stay_with_their_file_when_a_paper_has_two(library, reading, tmp_path):
    draft = written(tmp_path / "draft.pdf", "Bees dance")
    article = written(tmp_path / "article.pdf", "Bees dance well")
    files = [opened(reading, path) for path in (draft, article)]
    library.attachments.put(
        [(Attachment(1, str(file.path), file.shape.sha256), "") for file in files]
    )
    marked(reading, files[0], "dance")
    other = reading.marked(files[1], Task())
    assert other.here == () and other.lost == ()
    assert len(reading.marked(files[0], Task()).here) == 1


def test_one_file_of_two_papers_keeps_the_highlights_of_each(reading, path):
    written(path, "Bees dance and wasps dance")
    bees, wasps = opened(reading, path, 1), opened(reading, path, 2)
    marked(reading, bees, "Bees")
    marked(reading, wasps, "wasps")
    assert [one.text for one in reading.marked(bees, Task()).here] == ["Bees"]
    assert [one.text for one in reading.marked(wasps, Task()).here] == ["wasps"]


def test_where_one_stopped_is_known_by_content_wherever_the_file_lies(reading, path, tmp_path):
    file = opened(reading, written(path, "Bees", "dance"))
    assert reading.place(file.shape.sha256) is None
    reading.remember(file.shape.sha256, ReadingPlace(1.5, "1.25", 3))
    reading.remember(file.shape.sha256, ReadingPlace(0.5, "page", 0))
    moved = path.rename(tmp_path / "elsewhere.pdf")
    again = opened(reading, moved)
    assert reading.place(again.shape.sha256) == ReadingPlace(0.5, "page", 0)


def test_what_is_chosen_over_pages_is_highlighted_as_one_edit(library, reading, path):
    file = opened(reading, written(path, "Bees dance", "Bees fly"))
    found = file.search("bees", Task()).found
    wanted = [
        Highlight(1, file.shape.sha256, str(path), one.page, one.boxes, "Bees") for one in found
    ]
    assert [one.id for one in reading.highlight(wanted)] == [1, 2]
    assert library.edits.last().what == "Highlighted “Bees Bees”"
    library.edits.undo()
    assert reading.marked(file, Task()).here == ()


def test_text_is_copied_over_pages_with_words_made_whole(reading, path):
    first = [At("Bees are multi-", 12, 60, 700), At("modal", 12, 60, 680)]
    between = [[At(f"number {n}", 12, 60, 700)] for n in range(10)]
    path.write_bytes(make_book(pages=[first, *between, [At("animals, all", 12, 60, 700)]]))
    file = opened(reading, path)
    words = file.text((0, 5), (11, 7), Task()).split()
    assert words[:2] == ["are", "multimodal"] and words[-3:] == ["number", "9", "animals"]
    assert words.count("number") == 10
    assert file.text((0, 0), (0, 4), Task()) == "Bees"


def test_notes_on_papers_are_saved_and_nothing_is_saved_of_papers_without(
    library, reading, path, tmp_path
):
    file = opened(reading, written(path, "Bees dance"))
    marked(reading, file, "dance", "How?")
    library.notes.add(2, "About wasps")
    target = tmp_path / "notes.md"
    reading.save_markdown([1, 2], target)
    text = target.read_text("utf-8")
    assert text.index("# Bees") < text.index("> dance") < text.index("How?")
    assert text.index("How?") < text.index("# Wasps") < text.index("About wasps")
    library.put([paper("Ants")])
    with pytest.raises(SciReadError, match="Nothing was marked"):
        reading.save_markdown([3], target)
    with pytest.raises(SciReadError, match="could not be written"):
        reading.save_markdown([1], tmp_path / "nowhere" / "notes.md")


def test_the_files_that_can_be_read_come_first_where_they_are_there(library, reading, tmp_path):
    there, gone = written(tmp_path / "b.pdf", "Bees"), tmp_path / "a.pdf"
    library.attachments.put(
        [(Attachment(1, str(name)), "") for name in (gone, there, tmp_path / "data.csv")]
    )
    assert reading.files(1) == [there, gone]

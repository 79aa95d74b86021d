"""The reader's files and highlights, with a real library and real PDFs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sciread_app.domain.annotations.annotations import Box, Colour, Highlight, ReadingPosition
from sciread_app.errors import SciReadError
from sciread_app.services.library.reader import (
    CannotShow,
    FailureReason,
    OpenFile,
    ReaderService,
)
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.attachments import Attachment
from sciread_app.tasks import Task
from tests.support.generate.book import make_book
from tests.support.generate.papers import paper
from tests.support.generate.pdf import At


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    library = Library(tmp_path / "library.sqlite3")
    library.put([paper("Bees"), paper("Wasps")])
    yield library
    library.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bees.pdf"


def written(path: Path, *texts: str) -> Path:
    path.write_bytes(make_book(pages=[[At(text, 12, 60, 700)] for text in texts]))
    return path


def opened(service: ReaderService, path: Path, id: int = 1) -> OpenFile:
    return service.open(id, path, "", Task())


def marked(service: ReaderService, file: OpenFile, words: str, note: str = "") -> Highlight:
    found = file.search(words, Task()).found[0]
    where = (file.paper, file.shape.sha256, str(file.path), found.page, found.boxes)
    return service.highlight([Highlight(*where, words, Colour.green, note)])[0]


def test_opening_file_of_unknown_paper_raises_cannot_show(service, path):
    with pytest.raises(CannotShow) as caught:
        opened(service, written(path, "Bees dance"), id=99)
    assert caught.value.reason is FailureReason.removed


def test_highlights_can_be_changed_removed_and_undone(library, service, path):
    file = opened(service, written(path, "Bees dance", "They fly home"))
    dance = marked(service, file, "dance")
    assert service.marked(file, Task()).here[0].text == "dance"
    service.recolour(dance, Colour.pink)
    service.annotate(dance, "Really?")
    (now,) = service.marked(file, Task()).here
    assert (now.colour, now.note) == (Colour.pink, "Really?")
    assert now.boxes[0] == pytest.approx(dance.boxes[0], abs=0.01)
    service.remove(dance)
    assert service.marked(file, Task()).here == ()
    assert library.edits.last().what == "Deleted the highlight “dance”"
    library.edits.undo()
    library.edits.undo()
    (back,) = service.marked(file, Task()).here
    assert (back.colour, back.note) == (Colour.pink, "")
    library.edits.undo()
    library.edits.undo()
    assert service.marked(file, Task()).here == ()


def test_highlights_follow_text_in_new_file_version_or_are_lost(service, path):
    file = opened(service, written(path, "Bees dance", "They fly home"))
    marked(service, file, "dance", "See below")
    marked(service, file, "fly home")
    file.close()
    file = opened(service, written(path, "A new page", "Bees and wasps dance", "The end"))
    now = service.marked(file, Task())
    assert [(one.text, one.page, one.note) for one in now.here] == [("dance", 1, "See below")]
    assert [one.text for one in now.lost] == ["fly home"]
    assert now.moved == 1 and service.marked(file, Task()).moved == 0
    file.close()
    file = opened(service, written(path, "Bees dance", "They fly home"))
    assert {one.text for one in service.marked(file, Task()).here} == {"dance", "fly home"}


def test_highlights_stay_with_their_file_of_a_paper_with_two(library, service, tmp_path):
    draft = written(tmp_path / "draft.pdf", "Bees dance")
    article = written(tmp_path / "article.pdf", "Bees dance well")
    files = [opened(service, path) for path in (draft, article)]
    library.attachments.put(
        [(Attachment(1, str(file.path), file.shape.sha256), "") for file in files]
    )
    marked(service, files[0], "dance")
    other = service.marked(files[1], Task())
    assert other.here == () and other.lost == ()
    assert len(service.marked(files[0], Task()).here) == 1


def test_one_file_of_two_papers_has_separate_highlights(service, path):
    written(path, "Bees dance and wasps dance")
    bees, wasps = opened(service, path, 1), opened(service, path, 2)
    marked(service, bees, "Bees")
    marked(service, wasps, "wasps")
    assert [one.text for one in service.marked(bees, Task()).here] == ["Bees"]
    assert [one.text for one in service.marked(wasps, Task()).here] == ["wasps"]


def test_papers_read_last_are_listed_latest_first(library, service, path, tmp_path):
    gone = tmp_path / "gone.pdf"
    written(path, "Bees dance")
    for id, file, sha in ((1, path, "a"), (1, gone, "c"), (2, gone, "b")):
        library.attachments.put([(Attachment(id, str(file), sha, pages=9), "")])
    for sha, page in (("c", 1.0), ("b", 7.2), ("a", 3.9)):
        service.remember(sha, ReadingPosition(page))
    bees, wasps = service.recently_read(10)
    assert (bees.paper.title, bees.path, bees.page, bees.pages) == ("Bees", path, 3, 9)
    assert (wasps.paper.title, wasps.path, wasps.page) == ("Wasps", gone, 7)
    assert not bees.missing and wasps.missing
    library.trash([2])
    assert [one.paper.id for one in service.recently_read(10)] == [1]


def test_reading_position_is_stored_by_file_content(service, path, tmp_path):
    file = opened(service, written(path, "Bees", "dance"))
    assert service.position(file.shape.sha256) is None
    service.remember(file.shape.sha256, ReadingPosition(1.5, "1.25", 3))
    service.remember(file.shape.sha256, ReadingPosition(0.5, "page", 0))
    moved = path.rename(tmp_path / "elsewhere.pdf")
    again = opened(service, moved)
    assert service.position(again.shape.sha256) == ReadingPosition(0.5, "page", 0)


def test_highlight_over_several_pages_is_one_edit(library, service, path):
    file = opened(service, written(path, "Bees dance", "Bees fly"))
    found = file.search("bees", Task()).found
    wanted = [
        Highlight(1, file.shape.sha256, str(path), one.page, one.boxes, "Bees") for one in found
    ]
    assert [one.id for one in service.highlight(wanted)] == [1, 2]
    assert library.edits.last().what == "Highlighted “Bees Bees”"
    library.edits.undo()
    assert service.marked(file, Task()).here == ()


def test_text_copied_across_pages_is_dehyphenated(service, path):
    first = [At("Bees are multi-", 12, 60, 700), At("modal", 12, 60, 680)]
    between = [[At(f"number {n}", 12, 60, 700)] for n in range(10)]
    path.write_bytes(make_book(pages=[first, *between, [At("animals, all", 12, 60, 700)]]))
    file = opened(service, path)
    words = file.text((0, 5), (11, 7), Task()).split()
    assert words[:2] == ["are", "multimodal"] and words[-3:] == ["number", "9", "animals"]
    assert words.count("number") == 10
    assert file.text((0, 0), (0, 4), Task()) == "Bees"


def test_markdown_export_leaves_out_papers_without_notes(library, service, path, tmp_path):
    file = opened(service, written(path, "Bees dance"))
    marked(service, file, "dance", "How?")
    library.notes.add(2, "About wasps")
    target = tmp_path / "notes.md"
    service.save_markdown([1, 2], target)
    text = target.read_text("utf-8")
    assert text.index("# Bees") < text.index("> dance") < text.index("How?")
    assert text.index("How?") < text.index("# Wasps") < text.index("About wasps")
    library.put([paper("Ants")])
    with pytest.raises(SciReadError, match="no highlights"):
        service.save_markdown([3], target)
    with pytest.raises(SciReadError, match=r"Could not write .*notes\.md"):
        service.save_markdown([1], tmp_path / "nowhere" / "notes.md")


def test_files_of_paper_are_readable_ones_existing_first(library, service, tmp_path):
    there, gone = written(tmp_path / "b.pdf", "Bees"), tmp_path / "a.pdf"
    library.attachments.put(
        [(Attachment(1, str(name)), "") for name in (gone, there, tmp_path / "data.csv")]
    )
    assert service.files(1) == [there, gone]


def area(service: ReaderService, file: OpenFile, page: int, box: Box) -> Highlight:
    where = (file.paper, file.shape.sha256, str(file.path), page)
    return service.highlight([Highlight(*where, (box,), "", Colour.blue)])[0]


def test_area_can_be_changed_removed_and_undone(library, service, path):
    file = opened(service, written(path, "Bees dance"))
    figure = area(service, file, 0, Box(100, 200, 300, 400))
    assert "page 1" in library.edits.last().what
    service.recolour(figure, Colour.pink)
    service.annotate(figure, "The comb")
    (now,) = service.marked(file, Task()).here
    assert now.is_area and (now.colour, now.note) == (Colour.pink, "The comb")
    service.resize(now, Box(100, 200, 350, 450))
    assert service.marked(file, Task()).here[0].boxes == (Box(100, 200, 350, 450),)
    library.edits.undo()
    service.remove(now)
    library.edits.undo()
    assert service.marked(file, Task()).here[0].boxes == (Box(100, 200, 300, 400),)


def test_area_stays_in_place_in_new_file_version_or_is_lost(service, path):
    file = opened(service, written(path, "Bees dance", "They fly home"))
    area(service, file, 0, Box(100, 200, 300, 400))
    area(service, file, 1, Box(100, 200, 300, 400))
    file.close()
    now = service.marked(opened(service, written(path, "Wasps dance")), Task())
    assert [(one.page, one.boxes[0].top) for one in now.here] == [(0, 200)]
    assert [one.page for one in now.lost] == [1]


def test_moved_file_opens_with_its_highlights(library, service, path, tmp_path):
    file = opened(service, written(path, "Bees dance"))
    library.attachments.put([(Attachment(1, str(path), file.shape.sha256), "")])
    marked(service, file, "dance")
    new = path.rename(tmp_path / "moved.pdf")
    library.attachments.move(str(path), str(new))
    again = opened(service, path)
    assert again.path == new and len(service.marked(again, Task()).here) == 1

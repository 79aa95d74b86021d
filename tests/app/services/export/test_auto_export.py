"""The .bib beside an article holds what its collection holds, under keys that never change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciread_app.errors import Cancelled, LibraryError
from sciread_app.formats.bibtex import reader as bibtex
from sciread_app.services.export.auto_export import AutoExportService
from sciread_app.services.export.export import Format
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.make import paper


@pytest.fixture
def kept(library: Library) -> AutoExportService:
    library.put([paper("Bees of the north", authors="Maeterlinck, Maurice", published="1901")])
    library.collections.add([1], "thesis/insects")
    return AutoExportService(library)


def keys(path: Path) -> list[str]:
    return [one.identifier("citekey") for one in bibtex.read(path)]


def test_the_file_follows_the_collection_and_those_below_it(kept, library, tmp_path):
    file = tmp_path / "thesis.bib"
    kept.enable("thesis", file, Format.bibtex, Task())
    assert keys(file) == ["maeterlinckBeesNorth1901"]
    assert kept.write(Task()) == []

    library.put([paper("Ants", authors="Wilson, Edward", published="1971")])
    library.collections.add([2], "thesis")
    (written,) = kept.write(Task())
    assert (written.collection, written.problem) == ("thesis", "")
    assert sorted(keys(file)) == ["maeterlinckBeesNorth1901", "wilsonAnts1971"]


def test_a_key_stays_when_the_title_changes_and_when_a_rival_comes(kept, library, tmp_path):
    file = tmp_path / "thesis.bib"
    kept.enable("thesis", file, Format.bibtex, Task())
    library.edit(1, title="Wasps")
    library.put(
        [paper("Bees of the North", authors="Maeterlinck, Maria", published="1901", doi="10.1/x")]
    )
    library.collections.add([2], "thesis")
    kept.write(Task())
    assert keys(file) == ["maeterlinckBeesNorth1901", "maeterlinckBeesNorth1901a"]


def test_a_file_that_somebody_changed_is_left_alone_until_it_is_kept_anew(kept, library, tmp_path):
    file = tmp_path / "thesis.bib"
    kept.enable("thesis", file, Format.bibtex, Task())
    file.write_text("% mine\n" + file.read_text("utf-8"), "utf-8")
    library.edit(1, title="Wasps")
    (left,) = kept.write(Task())
    assert "changed it" in left.problem and file.read_text("utf-8").startswith("% mine")
    assert kept.files() == [left]

    kept.enable("thesis", file, Format.bibtex, Task(), may_replace=True)
    assert "Wasps" in file.read_text("utf-8") and kept.files()[0].problem == ""
    assert (tmp_path / "thesis.bib.old").read_text("utf-8").startswith("% mine")


def test_nothing_that_somebody_wrote_is_lost_however_often_it_is_kept_anew(kept, tmp_path):
    file = tmp_path / "thesis.bib"
    for text in ("% first", "% second"):
        file.write_text(text, "utf-8")
        for _ in range(2):
            kept.enable("thesis", file, Format.bibtex, Task(), may_replace=True)
    aside = {path.name: path.read_text("utf-8") for path in tmp_path.glob("*.old*")}
    assert aside == {"thesis.bib.old": "% first", "thesis.bib.old2": "% second"}


def test_a_link_stays_a_link_and_what_it_leads_to_is_written(kept, tmp_path):
    real, link = tmp_path / "cloud" / "refs.bib", tmp_path / "thesis.bib"
    real.parent.mkdir()
    real.write_text("")
    real.chmod(0o640)
    link.symlink_to(real)
    kept.enable("thesis", link, Format.bibtex, Task(), may_replace=True)
    assert link.is_symlink() and keys(real) == ["maeterlinckBeesNorth1901"]
    assert real.stat().st_mode & 0o777 == 0o640


def test_what_was_written_before_it_was_stopped_is_known_as_ours(kept, library, tmp_path):
    library.collections.add([1], "talk")
    for name in ("talk", "thesis"):
        kept.enable(name, tmp_path / f"{name}.bib", Format.bibtex, Task())
    library.edit(1, title="Wasps")
    first = tmp_path / f"{kept.files()[0].collection}.bib"
    before = first.read_bytes()
    stopped = Task(lambda *_: stopped.cancel() if first.read_bytes() != before else None)
    with pytest.raises(Cancelled):
        kept.write(stopped)
    library.edit(1, title="Ants")
    assert [file.problem for file in kept.write(Task())] == ["", ""]


def test_what_somebody_writes_in_the_last_moment_stays(kept, library, tmp_path, monkeypatch):
    file = tmp_path / "thesis.bib"
    kept.enable("thesis", file, Format.bibtex, Task())
    library.edit(1, title="Wasps")
    real = os.fsync

    def fsync(number: int) -> None:
        real(number)
        file.write_text("% mine", "utf-8")

    monkeypatch.setattr(os, "fsync", fsync)
    (left,) = kept.write(Task())
    assert "Somebody has changed it" in left.problem and file.read_text("utf-8") == "% mine"


def test_one_file_is_not_kept_for_two_collections(kept, tmp_path):
    file = tmp_path / "thesis.bib"
    kept.enable("thesis", file, Format.bibtex, Task())
    with pytest.raises(LibraryError, match="“thesis”"):
        kept.enable("thesis/insects", file, Format.bibtex, Task(), may_replace=True)
    assert [one.collection for one in kept.files()] == ["thesis"]


def test_what_cannot_be_written_leaves_all_as_it_was(kept, tmp_path):
    kept.enable("thesis", tmp_path / "thesis.bib", Format.bibtex, Task())
    before = kept.files()
    with pytest.raises(LibraryError, match="cannot be written"):
        kept.enable("thesis", tmp_path / "nowhere" / "thesis.bib", Format.bibtex, Task())
    assert kept.files() == before


def test_a_file_of_somebody_elses_is_not_replaced_unasked(kept, tmp_path):
    file = tmp_path / "thesis.bib"
    file.write_text("@book{mine}", "utf-8")
    with pytest.raises(LibraryError, match=r"thesis\.bib already"):
        kept.enable("thesis", file, Format.bibtex, Task())
    assert file.read_text("utf-8") == "@book{mine}" and kept.files() == []


def test_a_file_that_cannot_be_written_says_so_and_is_written_later(kept, library, tmp_path):
    folder = tmp_path / "away"
    folder.mkdir()
    file = folder / "thesis.bib"
    kept.enable("thesis", file, Format.bibtex, Task())
    library.edit(1, title="Wasps")
    file.unlink()
    folder.rmdir()
    (failed,) = kept.write(Task())
    assert "cannot be written" in failed.problem
    folder.mkdir()
    (written,) = kept.write(Task())
    assert written.problem == "" and "Wasps" in file.read_text("utf-8")


def test_a_collection_that_is_removed_and_brought_back_is_still_kept(kept, library, tmp_path):
    organise = LibraryEditor(library)
    kept.enable("thesis", tmp_path / "thesis.bib", Format.bibtex, Task())
    organise.remove_collection("thesis")
    assert kept.write(Task()) == [] and (tmp_path / "thesis.bib").exists()
    organise.undo()
    assert [file.collection for file in kept.files()] == ["thesis"]


def test_what_is_not_kept_cannot_be_stopped(kept, tmp_path):
    with pytest.raises(LibraryError, match="no collection"):
        kept.enable("nowhere", tmp_path / "x.bib", Format.bibtex, Task())
    with pytest.raises(LibraryError, match="not kept"):
        kept.disable("thesis")
    kept.enable("thesis", tmp_path / "x.bib", Format.bibtex, Task())
    kept.disable("thesis")
    assert kept.files() == []


TITLES = st.sampled_from(["Bees", "bees", "Ants", "", "The bees of all"])
KEYS = st.sampled_from(["", "key", "KEY", "bees", "beesa"])


@settings(max_examples=25)
@given(st.lists(st.tuples(TITLES, KEYS), max_size=12), st.data())
def test_no_two_papers_have_one_key_and_no_key_ever_changes(tmp_path_factory, drawn, data):
    folder = tmp_path_factory.mktemp("keys")
    library = Library(folder / "library.sqlite3")
    try:
        records = [
            paper(title, citekey=key, doi=f"10.1/{n}") for n, (title, key) in enumerate(drawn)
        ]
        ids = library.put(records).ids
        some = data.draw(st.sets(st.sampled_from(ids))) if ids else set()
        before = library.citekeys.pin(some)
        after = library.citekeys.pin(ids)
        assert {id: after[id] for id in some} == before
        assert len({key.lower() for key in after.values()}) == len(set(ids))
    finally:
        library.close()

"""The .bib file next to an article mirrors its collection, with citation keys that never change."""

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
from tests.support.generate.papers import paper


@pytest.fixture
def exports(library: Library) -> AutoExportService:
    library.put([paper("Bees of the north", authors="Maeterlinck, Maurice", published="1901")])
    library.collections.add([1], "thesis/insects")
    return AutoExportService(library)


def keys(path: Path) -> list[str]:
    return [one.identifier("citekey") for one in bibtex.read(path)]


def test_export_follows_collection_and_subcollections(exports, library, tmp_path):
    file = tmp_path / "thesis.bib"
    exports.enable("thesis", file, Format.bibtex, Task())
    assert keys(file) == ["maeterlinckBeesNorth1901"]
    assert exports.write(Task()) == []

    library.put([paper("Ants", authors="Wilson, Edward", published="1971")])
    library.collections.add([2], "thesis")
    (written,) = exports.write(Task())
    assert (written.collection, written.problem) == ("thesis", "")
    assert sorted(keys(file)) == ["maeterlinckBeesNorth1901", "wilsonAnts1971"]


@pytest.mark.parametrize("name", ['so-called "bees"', "Trash", "bees", "~ * (bees)"])
def test_export_contains_exactly_its_collection(exports, library, tmp_path, name):
    library.put([paper("Ants", authors="Wilson, Edward", published="1971"), paper("Flies")])
    library.collections.add([2], name)
    library.collections.add([3], "Bees")
    library.trash([3])
    library.collections.add([1], "BEES")
    file = tmp_path / "bees.bib"
    exports.enable(name, file, Format.bibtex, Task())
    assert keys(file) == ["wilsonAnts1971"]


def test_citation_key_stays_after_title_change_and_key_conflict(exports, library, tmp_path):
    file = tmp_path / "thesis.bib"
    exports.enable("thesis", file, Format.bibtex, Task())
    library.edit(1, title="Wasps")
    library.put(
        [paper("Bees of the North", authors="Maeterlinck, Maria", published="1901", doi="10.1/x")]
    )
    library.collections.add([2], "thesis")
    exports.write(Task())
    assert keys(file) == ["maeterlinckBeesNorth1901", "maeterlinckBeesNorth1901a"]


def test_externally_changed_file_is_kept_until_enabled_again(exports, library, tmp_path):
    file = tmp_path / "thesis.bib"
    exports.enable("thesis", file, Format.bibtex, Task())
    file.write_text("% mine\n" + file.read_text("utf-8"), "utf-8")
    library.edit(1, title="Wasps")
    (left,) = exports.write(Task())
    assert "changed the file" in left.problem and file.read_text("utf-8").startswith("% mine")
    assert exports.files() == [left]

    exports.enable("thesis", file, Format.bibtex, Task(), may_replace=True)
    assert "Wasps" in file.read_text("utf-8") and exports.files()[0].problem == ""
    assert (tmp_path / "thesis.bib.old").read_text("utf-8").startswith("% mine")


def test_replaced_files_are_always_backed_up(exports, tmp_path):
    file = tmp_path / "thesis.bib"
    for text in ("% first", "% second"):
        file.write_text(text, "utf-8")
        for _ in range(2):
            exports.enable("thesis", file, Format.bibtex, Task(), may_replace=True)
    aside = {path.name: path.read_text("utf-8") for path in tmp_path.glob("*.old*")}
    assert aside == {"thesis.bib.old": "% first", "thesis.bib.old2": "% second"}


def test_export_through_symlink_writes_its_target(exports, tmp_path):
    real, link = tmp_path / "cloud" / "refs.bib", tmp_path / "thesis.bib"
    real.parent.mkdir()
    real.write_text("")
    real.chmod(0o640)
    link.symlink_to(real)
    exports.enable("thesis", link, Format.bibtex, Task(), may_replace=True)
    assert link.is_symlink() and keys(real) == ["maeterlinckBeesNorth1901"]
    assert real.stat().st_mode & 0o777 == 0o640


def test_interrupted_export_recognises_its_own_files(exports, library, tmp_path):
    library.collections.add([1], "talk")
    for name in ("talk", "thesis"):
        exports.enable(name, tmp_path / f"{name}.bib", Format.bibtex, Task())
    library.edit(1, title="Wasps")
    first = tmp_path / f"{exports.files()[0].collection}.bib"
    before = first.read_bytes()
    stopped = Task(lambda *_: stopped.cancel() if first.read_bytes() != before else None)
    with pytest.raises(Cancelled):
        exports.write(stopped)
    library.edit(1, title="Ants")
    assert [file.problem for file in exports.write(Task())] == ["", ""]


def test_change_made_during_writing_is_not_overwritten(exports, library, tmp_path, monkeypatch):
    file = tmp_path / "thesis.bib"
    exports.enable("thesis", file, Format.bibtex, Task())
    library.edit(1, title="Wasps")
    real = os.fsync

    def fsync(number: int) -> None:
        real(number)
        file.write_text("% mine", "utf-8")

    monkeypatch.setattr(os, "fsync", fsync)
    (left,) = exports.write(Task())
    assert "changed the file" in left.problem and file.read_text("utf-8") == "% mine"


def test_one_file_serves_only_one_collection(exports, tmp_path):
    file = tmp_path / "thesis.bib"
    exports.enable("thesis", file, Format.bibtex, Task())
    with pytest.raises(LibraryError, match="“thesis”"):
        exports.enable("thesis/insects", file, Format.bibtex, Task(), may_replace=True)
    assert [one.collection for one in exports.files()] == ["thesis"]


def test_failed_enable_changes_nothing(exports, tmp_path):
    exports.enable("thesis", tmp_path / "thesis.bib", Format.bibtex, Task())
    before = exports.files()
    with pytest.raises(LibraryError, match=r"Could not write .*thesis\.bib"):
        exports.enable("thesis", tmp_path / "nowhere" / "thesis.bib", Format.bibtex, Task())
    assert exports.files() == before


def test_existing_file_is_not_replaced_without_permission(exports, tmp_path):
    file = tmp_path / "thesis.bib"
    file.write_text("@book{mine}", "utf-8")
    with pytest.raises(LibraryError, match=r"thesis\.bib already exists"):
        exports.enable("thesis", file, Format.bibtex, Task())
    assert file.read_text("utf-8") == "@book{mine}" and exports.files() == []


def test_failed_export_reports_problem_and_retries(exports, library, tmp_path):
    folder = tmp_path / "away"
    folder.mkdir()
    file = folder / "thesis.bib"
    exports.enable("thesis", file, Format.bibtex, Task())
    library.edit(1, title="Wasps")
    file.unlink()
    folder.rmdir()
    (failed,) = exports.write(Task())
    assert "Could not write" in failed.problem
    folder.mkdir()
    (written,) = exports.write(Task())
    assert written.problem == "" and "Wasps" in file.read_text("utf-8")


def test_restored_collection_is_exported_again(exports, library, tmp_path):
    editor = LibraryEditor(library)
    exports.enable("thesis", tmp_path / "thesis.bib", Format.bibtex, Task())
    editor.remove_collection("thesis")
    assert exports.write(Task()) == [] and (tmp_path / "thesis.bib").exists()
    editor.undo()
    assert [file.collection for file in exports.files()] == ["thesis"]


def test_disable_requires_an_enabled_export(exports, tmp_path):
    with pytest.raises(LibraryError, match="does not exist"):
        exports.enable("nowhere", tmp_path / "x.bib", Format.bibtex, Task())
    with pytest.raises(LibraryError, match="not exported automatically"):
        exports.disable("thesis")
    exports.enable("thesis", tmp_path / "x.bib", Format.bibtex, Task())
    exports.disable("thesis")
    assert exports.files() == []


TITLES = st.sampled_from(["Bees", "bees", "Ants", "", "The bees of all"])
KEYS = st.sampled_from(["", "key", "KEY", "bees", "beesa"])


@settings(max_examples=25)
@given(st.lists(st.tuples(TITLES, KEYS), max_size=12), st.data())
def test_citation_keys_are_unique_and_never_change(tmp_path_factory, drawn, data):
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

"""Moving a library: complete, and never without a valid copy."""

from __future__ import annotations

import errno

import pytest

from sciread_app.domain.paper import PaperId
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.paths import MOVED, Home, open_home
from sciread_app.services.library.note_drafts import NEW, Drafts
from sciread_app.services.maintenance import relocation
from sciread_app.services.maintenance.relocation import move
from sciread_app.storage.files.sqlite_backup import papers_in
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from trainer.contract.run import Recipe, Run


@pytest.fixture
def old(tmp_path) -> Home:
    home = open_home(tmp_path / "Dropbox" / "home")
    library = Library(home.library)
    library.put([paper("Bees"), paper("Wasps")])
    library.close()
    home.settings.write_text('theme = "dark"\n')
    (home.folder / "models" / "mine").mkdir(parents=True)
    (home.folder / "models" / "mine" / "package.json").write_text("{}")
    home.lookups.write_text("{}\n")
    home.styles.mkdir()
    (home.styles / "own.csl").write_text("<style/>")
    Drafts(home.folder / "drafts").save(PaperId(1), NEW, "half a sentence")
    return home


@pytest.fixture
def new(tmp_path) -> Home:
    return Home(tmp_path / "own" / "home")


def test_move_takes_everything_of_the_home(old, new):
    move(old, new, Task())
    assert papers_in(new.library) == 2
    assert new.settings.read_text() == 'theme = "dark"\n'
    assert (new.models / "mine" / "package.json").exists()
    assert (new.styles / "own.csl").exists() and new.lookups.read_text() == "{}\n"
    assert Drafts(new.folder / "drafts").of(PaperId(1)) == {NEW: "half a sentence"}
    assert open_home(old.folder) == new


def test_move_is_refused_during_training(old, new):
    run = Run.create(old.runs / "mine", Recipe.named("specter", old.corpora))
    with run.hold(), pytest.raises(LibraryError, match="mine is still running"):
        move(old, new, Task())
    assert not new.library.exists()
    move(old, new, Task())
    assert Run(new.runs / "mine").exists


def test_moved_library_keeps_old_file_under_another_name(old, new):
    move(old, new, Task())
    assert not old.library.exists()
    (kept,) = old.folder.glob("library.before-*.sqlite3")
    assert papers_in(kept) == 2


def test_move_onto_another_library_is_refused(old, new):
    new.folder.mkdir(parents=True)
    new.library.write_bytes(b"mine")
    with pytest.raises(LibraryError, match="already contains a library"):
        move(old, new, Task())
    assert new.library.read_bytes() == b"mine" and papers_in(old.library) == 2


def test_move_of_open_library_is_refused(old, new):
    library = Library(old.library)
    with pytest.raises(LibraryError, match="is open in another"):
        move(old, new, Task())
    library.close()
    assert not (old.folder / MOVED).exists()


def test_cancelled_or_damaged_move_leaves_library_in_place(old, new, monkeypatch):
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        move(old, new, task)
    monkeypatch.setattr(relocation, "is_sound", lambda path: False)
    with pytest.raises(LibraryError, match="is damaged"):
        move(old, new, Task())
    assert open_home(old.folder) == old and papers_in(old.library) == 2
    monkeypatch.undo()
    move(old, new, Task())
    assert papers_in(new.library) == 2


def test_move_to_unwritable_folder_is_refused(old, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LibraryError, match="Could not move"):
        move(old, Home(tmp_path / "file" / "home"), Task())
    assert papers_in(old.library) == 2


def test_move_names_the_reason_why_a_folder_cannot_be_copied(old, new):
    (old.styles / "gone.csl").symlink_to("nowhere.csl")
    with pytest.raises(LibraryError, match="No such file"):
        move(old, new, Task())
    assert open_home(old.folder) == old and papers_in(old.library) == 2


def test_move_succeeds_if_the_old_library_cannot_be_renamed(old, new, monkeypatch):
    def refuse(self, target):
        raise PermissionError(errno.EACCES, "in use")

    monkeypatch.setattr(type(old.library), "rename", refuse)
    assert move(old, new, Task()) == new
    assert open_home(old.folder) == new and papers_in(new.library) == 2

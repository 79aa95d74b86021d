"""Location of the library: risks of a folder, moved homes, portable homes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sciread_app import paths
from sciread_app.errors import LibraryError
from sciread_app.paths import (
    MOVED,
    PORTABLE_FOLDER,
    Home,
    find_home,
    local_home,
    network_kind,
    open_home,
)

linux = pytest.mark.skipif(sys.platform == "win32", reason="paths of Windows are other ones")


@pytest.mark.parametrize(
    ("folder", "expected"),
    [("Dropbox/papers", "Dropbox"), ("OneDrive - Lab/x", "OneDrive")],
)
def test_synchronised_folder_is_a_risk(tmp_path, folder, expected):
    assert expected in Home(tmp_path / folder).risk


@linux
@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/ada/papers", ""),
        ("/home/ada/share/papers", "cifs"),
        ("/home/ada/share/local/papers", ""),  # mounted within it
        ("/home/ada/shared", ""),
        ("/net/my papers/x", "nfs4"),
        ("/mnt/box", "sshfs"),
    ],
)
def test_network_folder_is_a_risk(monkeypatch, folder, kind):
    mounts = [
        ("/", "ext4"),
        ("/home/ada/share", "cifs"),
        ("/home/ada/share/local", "ext4"),
        ("/net/my papers", "nfs4"),
        ("/mnt/box", "fuse.sshfs"),
    ]
    monkeypatch.setattr(paths, "_mounts", lambda: mounts)
    assert network_kind(paths.Path(folder)) == kind
    assert (kind in Home(paths.Path(folder)).risk) if kind else not Home(paths.Path(folder)).risk


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_mounts_of_this_system_are_parsed():
    assert any(place == "/" for place, _ in paths._mounts())
    assert paths._without_octals(r"/net/my\040papers") == "/net/my papers"


def test_mounts_of_macos_are_parsed(monkeypatch):
    result = "//me@nas/lab on /Volumes/lab (smbfs, nodev)\n/dev/disk1 on / (apfs, local)\n"
    monkeypatch.setattr(paths.sys, "platform", "darwin")
    monkeypatch.setattr(
        paths.subprocess, "run", lambda *a, **k: type("Done", (), {"stdout": result})
    )
    assert paths._mounts() == [("/Volumes/lab", "smbfs"), ("/", "apfs")]


def test_moved_home_is_followed(tmp_path):
    old, new = Home(tmp_path / "old"), Home(tmp_path / "new")
    for home in (old, new):
        home.folder.mkdir()
        home.library.write_bytes(b"")
    (old.folder / MOVED).write_text(f"{new.folder}\n")
    assert open_home(old.folder) == new


@pytest.mark.parametrize("there", ["/nowhere/at/all", "", "\0"])
def test_missing_moved_library_is_not_created_again(tmp_path, there):
    (tmp_path / MOVED).write_text(there)
    with pytest.raises(LibraryError) as raised:
        open_home(tmp_path)
    assert MOVED in raised.value.hint


def test_local_home_avoids_existing_library(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "_usual", lambda: str(tmp_path / "SciRead"))
    assert local_home().folder == tmp_path / "SciRead"
    (tmp_path / "SciRead").mkdir()
    (tmp_path / "SciRead" / "library.sqlite3").write_bytes(b"")
    assert local_home().folder == tmp_path / "SciRead 2"


@pytest.fixture
def program(tmp_path, monkeypatch) -> paths.Path:
    """A frozen program; the default folder is elsewhere."""
    monkeypatch.delenv("SCIREAD_HOME", raising=False)
    monkeypatch.delenv("APPIMAGE", raising=False)
    monkeypatch.setattr(paths, "_usual", lambda: str(tmp_path / "usual"))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    program = tmp_path / "stick" / "SciRead" / "sciread"
    program.parent.mkdir(parents=True)
    monkeypatch.setattr(sys, "executable", str(program))
    return program


@pytest.mark.parametrize("place", ["SciRead", "."])
def test_folder_beside_the_program_is_its_home(program, tmp_path, place):
    assert open_home().folder == tmp_path / "usual"
    beside = tmp_path / "stick" / place / PORTABLE_FOLDER
    beside.mkdir()
    assert open_home().folder == beside.resolve()


def test_relative_home_becomes_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCIREAD_HOME", "mine")
    assert find_home().folder == tmp_path / "mine"
    assert find_home(Path("papers")).folder == tmp_path / "papers"


def test_explicit_home_overrides_the_one_beside_the_program(program, tmp_path, monkeypatch):
    (program.parent / PORTABLE_FOLDER).mkdir()
    assert open_home(tmp_path / "named").folder == tmp_path / "named"
    monkeypatch.setenv("SCIREAD_HOME", str(tmp_path / "set"))
    assert open_home().folder == tmp_path / "set"


def test_home_beside_bundle_or_app_image_is_found(program, tmp_path, monkeypatch):
    (tmp_path / "disk" / PORTABLE_FOLDER).mkdir(parents=True)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "disk/SciRead.app/Contents/MacOS/x"))
    assert open_home().folder == tmp_path / "disk" / PORTABLE_FOLDER
    (tmp_path / "images" / PORTABLE_FOLDER).mkdir(parents=True)
    monkeypatch.setenv("APPIMAGE", str(tmp_path / "images" / "SciRead.AppImage"))
    assert open_home().folder == tmp_path / "images" / PORTABLE_FOLDER


def test_program_that_is_not_frozen_has_no_portable_home(program, monkeypatch, tmp_path):
    (program.parent / PORTABLE_FOLDER).mkdir()
    monkeypatch.delattr(sys, "frozen")
    assert open_home().folder == tmp_path / "usual"


def test_sample_home_shares_settings_and_models_of_its_owner(tmp_path):
    own = Home(tmp_path)
    assert not own.sample.is_sample  # there is no library around it
    own.library.touch()
    sample = own.sample
    assert sample.is_sample and sample.owner == own and own.owner == own and not own.is_sample
    shared = (sample.settings, sample.models, sample.styles)
    assert shared == (own.settings, own.models, own.styles)
    assert sample.library.parent == sample.indexes.parent == sample.folder != own.folder

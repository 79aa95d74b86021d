"""The import from Zotero on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from sciread_app.errors import SourceError
from sciread_app.services.ingest.zotero.importer import ZoteroImporter
from tests.support.generate.zotero import GROUP, ZoteroFolderBuilder


@pytest.fixture(autouse=True)
def user(tmp_path, monkeypatch) -> Path:
    """A home folder without Zotero."""
    user = tmp_path / "ada"
    user.mkdir()
    monkeypatch.setattr(Path, "home", lambda: user)
    monkeypatch.delenv("SCIREAD_ZOTERO_URL", raising=False)
    return user


def make_zotero(folder: Path, title: str) -> None:
    zotero = ZoteroFolderBuilder(folder)
    zotero.item("AAAA1111", title)
    zotero.item("AAAA2222", f"{title}, of a group", library=GROUP)
    zotero.db.close()


def test_zotero_imports_the_only_data_folder(shell, user):
    make_zotero(user / "Zotero", "On the life of ants")
    assert shell.json("zotero")["added"] == 2
    assert shell.json("zotero")["added"] == 0


def test_zotero_lists_several_data_folders_and_imports_the_selected_one(shell, user, tmp_path):
    make_zotero(user / "Zotero", "On the life of ants")
    other = tmp_path / "work"
    make_zotero(other, "On the life of wasps")
    profile = user / ".zotero" / "zotero"
    profile.mkdir(parents=True)
    (profile / "profiles.ini").write_text("[Profile0]\nName=work\nIsRelative=1\nPath=w\n")
    (profile / "w").mkdir()
    (profile / "w" / "prefs.js").write_text(
        'user_pref("extensions.zotero.useDataDir", true);\n'
        f'user_pref("extensions.zotero.dataDir", "{other}");\n'
    )
    listed = shell.json("zotero", "--list")["folders"]
    assert {(one["folder"], one["profile"]) for one in listed} == {
        (str(user / "Zotero"), ""),
        (str(other), "work"),
    }
    shell.run("zotero", code=2)
    assert shell.json("zotero", "--folder", str(other), "--no-groups")["added"] == 1
    assert shell.json("find", "wasps")["total"] == 1


def test_zotero_that_is_neither_installed_nor_running_is_reported(shell, monkeypatch):
    def refuse(*_):
        raise SourceError("Could not reach Zotero.")

    monkeypatch.setattr(ZoteroImporter, "import_all", refuse)
    assert "--folder" in shell.run("zotero", code=1).output


def test_folder_without_a_zotero_database_is_an_error(shell, tmp_path):
    assert "zotero.sqlite" in shell.json("zotero", "--folder", str(tmp_path), code=1)["hint"]

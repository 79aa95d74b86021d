"""A damaged library is salvaged into a new home, completely or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date

import pytest
from typer.testing import CliRunner

from sciread_app import cli, workspace
from sciread_app.errors import Cancelled, LibraryDamaged, LibraryError
from sciread_app.paths import Home, open_home
from sciread_app.services.maintenance.backup_rotation import Backups
from sciread_app.services.maintenance.salvage import LOSSES_FILE, salvage_home
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.storage import fulltext
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support import damage
from tests.support.generate.papers import paper
from tests.support.models.fake_encoder import FakeEncoder

pytestmark = pytest.mark.usefixtures("forked_python")

PAPERS = 300


@pytest.fixture
def home(tmp_path, monkeypatch) -> Home:
    """A damaged library of papers with vectors, settings and a backup."""
    monkeypatch.setattr(workspace, "EncoderProcess", lambda package: FakeEncoder())
    home = open_home(tmp_path / "home")
    library = Library(home.library)
    library.put([paper(f"Bees {n}", doi=f"10.1000/{n}", abstract="Buzz") for n in range(PAPERS)])
    space = EmbeddingIndex(library, FakeEncoder(), home.indexes)
    space.encode_missing()
    space.close()
    Backups(home).create_daily(library, date(2026, 11, 21), Task())
    library.close()
    home.settings.write_text('theme = "dark"\n', "utf-8")
    home.styles.mkdir()
    (home.styles / "own.csl").write_text("<style/>", "utf-8")
    damage.overwrite(home.library, damage.root(home.library, "papers"))
    with pytest.raises(LibraryDamaged):
        Library(home.library)
    return home


def run(home, *words, code=0):
    done = CliRunner().invoke(cli.app, [*words, "--home", str(home), "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def test_salvaged_home_passes_the_check_with_all_its_data(home, tmp_path):
    before, new = home.library.read_bytes(), tmp_path / "new"
    output = run(home.folder, "doctor", "--salvage", str(new))
    assert output["recovered"]["papers"] == PAPERS and not output["lost"]
    assert all(finding["ok"] for finding in run(new, "doctor"))
    status = run(new, "status")
    assert (status["papers"], status["found_by_meaning"]) == (PAPERS, PAPERS)
    assert (new / "settings.toml").read_text("utf-8") == 'theme = "dark"\n'
    assert (new / "styles" / "own.csl").read_text("utf-8") == "<style/>"
    assert f"{PAPERS} papers" in (new / LOSSES_FILE).read_text("utf-8")
    assert home.library.read_bytes() == before


def test_salvage_reports_progress_of_the_text_index(home, tmp_path, monkeypatch):
    monkeypatch.setattr(fulltext, "_FEW", 100)
    reports: list[tuple[int, int, str]] = []
    salvage_home(home, tmp_path / "new", Task(lambda *report: reports.append(report)))
    indexing = [report[:2] for report in reports if report[2] == "Building the text index"]
    assert indexing == [(0, PAPERS), (100, PAPERS), (200, PAPERS)]
    library = Library(tmp_path / "new" / home.library.name)
    assert library.is_text_index_consistent() and len(library.search_text("bees", 400)) == PAPERS
    library.close()


def test_doctor_of_damaged_library_names_last_sound_backup(home):
    findings = {one["about"]: one for one in run(home.folder, "doctor", code=1)}
    assert not findings["library"]["ok"]
    assert "restore 2026-11-21" in findings["backups"]["detail"]
    assert "--salvage" in findings["salvage"]["detail"]
    damage.flip(Backups(home).find("2026-11-21"))
    findings = {one["about"]: one for one in run(home.folder, "doctor", code=1)}
    assert not findings["backups"]["ok"] and "2026-11-21" not in findings["backups"]["detail"]


def test_salvage_into_existing_folder_is_refused(home, tmp_path):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "mine.txt").write_text("mine", "utf-8")
    with pytest.raises(LibraryError, match="already exists"):
        salvage_home(home, tmp_path / "new", Task())
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["mine.txt"]


def test_cancelled_or_killed_salvage_leaves_no_partial_home(home, tmp_path):
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        salvage_home(home, tmp_path / "new", task)
    assert not list(tmp_path.glob("new*"))
    code = (
        "import os, sys; from pathlib import Path; from sciread_app.paths import Home;"
        "from sciread_app.services.maintenance import salvage; from sciread_app.tasks import Task;"
        "salvage._copy_beside = lambda *_: os._exit(9);"
        "salvage.salvage_home(Home(Path(sys.argv[1])), Path(sys.argv[2]), Task())"
    )
    words = [sys.executable, "-c", code, str(home.folder), str(tmp_path / "new")]
    assert subprocess.run(words, check=False).returncode == 9
    assert not (tmp_path / "new").exists()
    salvage_home(home, tmp_path / "new", Task())
    assert [path.name for path in tmp_path.glob("new*")] == ["new"]


def test_file_that_cannot_be_copied_is_listed_as_missing(home, tmp_path, monkeypatch):
    real = __import__("shutil").copy2

    def copy(source, target):
        if source.suffix == ".vectors":
            raise OSError(5, "Input/output error")
        return real(source, target)

    monkeypatch.setattr("sciread_app.services.maintenance.salvage.shutil.copy2", copy)
    report = salvage_home(home, tmp_path / "new", Task())
    (missing,) = report.missing_files
    assert missing.endswith(".vectors: Input/output error") and not report.complete
    assert any(".vectors" in line for line in report.lines())


def test_doctor_detects_text_changed_by_bit_rot(tmp_path, monkeypatch):
    monkeypatch.setattr(workspace, "EncoderProcess", lambda package: FakeEncoder())
    home = open_home(tmp_path / "home")
    library = Library(home.library)
    library.put([paper("Bees", abstract="They dance in the dark.")])
    library.close()
    content = home.library.read_bytes()
    home.library.write_bytes(content.replace(b"They dance in", b"They dence in"))
    findings = {one["about"]: one for one in run(home.folder, "doctor", code=1)}
    assert "1 Bees" in findings["texts"]["detail"]


def test_doctor_and_status_name_remaining_work_after_lost_vectors(tmp_path, monkeypatch):
    monkeypatch.setattr(workspace, "EncoderProcess", lambda package: FakeEncoder())
    home = open_home(tmp_path / "home")
    library = Library(home.library)
    library.put([paper(f"Bees {n}") for n in range(20)])
    library.close()
    assert run(home.folder, "encode")["left"] == 0
    (vectors,) = home.indexes.glob("*.vectors")
    whole = vectors.read_bytes()
    for content in (whole[: len(whole) // 2], None):
        vectors.unlink() if content is None else vectors.write_bytes(content)
        assert run(home.folder, "status")["found_by_meaning"] < 20
        findings = {one["about"]: one for one in run(home.folder, "doctor")}
        assert findings["vectors"]["mended"] and "sciread encode" in findings["vectors"]["detail"]
        again = {one["about"]: one for one in run(home.folder, "doctor")}
        assert "sciread encode" in again["vectors"]["detail"]
        assert run(home.folder, "encode")["left"] == 0
        done = {one["about"]: one for one in run(home.folder, "doctor")}
        assert "sciread encode" not in done["vectors"]["detail"]

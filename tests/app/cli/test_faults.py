"""Every command on a damaged or unwritable library prints an error message and no traceback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
from typer.main import get_command

from sciread_app import cli, workspace
from sciread_app.paths import Home, open_home
from sciread_app.services.maintenance.backup_rotation import Backups
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.services.subprocess import trainer
from sciread_app.sources.endpoints import OFFICIAL
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support import damage, run_commands
from tests.support.generate.papers import paper
from tests.support.models import fake_trainer
from tests.support.models.fake_encoder import FakeEncoder

pytestmark = pytest.mark.slow

NOBODY = 65534
# Commands that need no library: they restore one, or set the system's timer.
WITHOUT_LIBRARY = {"backups", "restore", "digest schedule"}
ASKS_A_PERSON = {"key"}  # and uses no library
# Commands that only read, and so have to work in a read-only place.
READING = {
    "find", "similar", "show", "export", "doctor", "status", "duplicates", "notes", "cite",
    "backups", "fetches", "recommend", "model list", "model show", "model scores", "model votes",
    "train list", "train check", "watch list",
    "watch run",  # no folder is watched
}  # fmt: skip
# Values by parameter name, unless a command needs something else.
GIVEN = {
    "papers": "1", "paths": "refs.bib", "query": "bees", "name": "thesis", "path": "thesis",
    "stars": "3", "model": "starter", "title": "New", "source": "refs.bib", "models": "starter",
    "recipe": "specter-small", "file": "out",
}  # fmt: skip
WORDS = {
    "add": ["refs.bib"],
    "fetch": ["arxiv", "all:bees"],
    "merge": ["1", "2"],
    "keep": ["thesis", "thesis.bib"],
    "recommend": ["thesis"],
    "restore": ["2026-11-21"],
    "edit": ["1", "title=New"],
    "trash": ["1"],
    "lookup": ["1"],
    "find-pdfs": ["1"],
    "move-pdfs": ["1"],
    "rename-pdfs": ["1"],
}


@cache
def verbs() -> dict[str, click.Command]:
    """All commands of the program by name."""

    def within(group: Any, before: str) -> Iterator[tuple[str, click.Command]]:
        for name, command in group.commands.items():
            if getattr(command, "invoke_without_command", False):
                yield f"{before}{name}", command
            if hasattr(command, "commands"):
                yield from within(command, f"{before}{name} ")
            else:
                yield f"{before}{name}", command

    return dict(within(get_command(cli.app), ""))


def words(name: str, folder: Path) -> list[str]:
    """A command with its required arguments; files are in `folder`."""
    command = verbs()[name]
    needed = [one for one in command.params if one.required and one.name]
    given = WORDS.get(name) or [GIVEN.get(str(one.name), "1") for one in needed]
    files = {"refs.bib", "thesis.bib", "out"}
    return [*name.split(), *(str(folder / word) if word in files else word for word in given)]


def run(home: Path, names: list[str], *flags: str, folder: Path | None = None,
        user: int | None = None, most: int | None = None) -> dict[str, Any]:  # fmt: skip
    """Run these commands; return their results by name. Assert that there is no traceback.

    Another user, or a limit of `most` bytes a file, needs a process, which takes seconds.
    """
    asked = {
        "home": str(home),
        "verbs": [
            [*words(name, folder or home.parent), *flags, *_file(name, flags, home.parent)]
            for name in names
        ],
        "most": most,
    }
    environment = {
        "SCIREAD_CACHE": str(home.parent / "cache"),
        **{f"SCIREAD_{one.key.upper()}_URL": "http://127.0.0.1:9" for one in OFFICIAL},
        **{f"SCIREAD_{one.key.upper()}_PAUSE": "0" for one in OFFICIAL},
    }
    if user is None and most is None:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            patch.setattr(workspace, "EncoderProcess", lambda package: FakeEncoder())
            patch.setattr(trainer, "trainer_command", fake_trainer.command)
            found = [run_commands.run(str(home), verb) for verb in asked["verbs"]]
    else:
        done = subprocess.run(
            [sys.executable, "-m", "tests.support.run_commands"],
            input=json.dumps(asked), capture_output=True, text=True, timeout=500, user=user,
            env=os.environ | environment | {"PYTHONPATH": os.pathsep.join(sys.path)}, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr and "Logging error" not in done.stderr, done.stderr
        found = json.loads(done.stdout)
    results = dict(zip(names, found, strict=True))
    faults = {name: one["fault"] for name, one in results.items() if one["fault"]}
    assert not faults, "\n".join(faults.values())
    for name, one in results.items():
        assert "Traceback" not in one["stderr"], (name, one["stderr"])
        assert "Logging error" not in one["stderr"], (name, one["stderr"])
    return results


def _file(name: str, flags: tuple[str, ...], folder: Path) -> list[str]:
    """The file that `export` needs with --json."""
    return ["--output", str(folder / "out.bib")] if name == "export" and "--json" in flags else []


def fill(folder: Path) -> Home:
    """A home with papers, vectors for all but one, a collection and a daily backup."""
    home = open_home(folder)
    (folder.parent / "refs.bib").write_text(
        "@article{new, title = {New bees}, author = {Curie, Marie}, year = 1898}"
    )
    library = Library(home.library)
    papers = [
        paper(
            f"Bees and wasps {n}",
            authors="Curie, Marie",
            abstract=f"They fly {n}.",
            doi=f"10.1000/{n}",
        )
        for n in range(200)
    ]
    library.put(papers)
    library.collections.add([1, 2, 3], "thesis")
    space = EmbeddingIndex(library, FakeEncoder(), home.indexes)
    space.encode_missing()
    space.close()
    library.put([paper("Ants", doi="10.1000/ants")])  # has no vector yet
    Backups(home).create_daily(library, date(2026, 11, 21), Task())
    library.close()
    return home


@pytest.fixture
def home(tmp_path) -> Home:
    return fill(tmp_path / "home")


NAMES = [name for name in verbs() if name not in ASKS_A_PERSON]
OF_LIBRARY = [name for name in NAMES if name not in WITHOUT_LIBRARY]


@pytest.mark.parametrize(
    "harm",
    [damage.flip, damage.cut, damage.empty, damage.not_sqlite, damage.drop_table],
    ids=["flipped", "cut", "empty", "not-sqlite", "no-table"],
)
@pytest.mark.parametrize("flags", [(), ("--json",)], ids=["text", "json"])
def test_every_command_reports_damaged_library_and_exits_with_1(home, harm, flags):
    harm(home.library)
    before = home.library.read_bytes()
    for name, done in run(home.folder, OF_LIBRARY, *flags).items():
        output = done["stdout"] + done["stderr"]
        assert done["code"] == 1, (name, output)
        if flags and name != "doctor":
            answer = json.loads(done["stdout"])
            assert "library" in answer["error"] and "restore" in answer["hint"], (name, answer)
        assert "restore" in output, (name, output)
    assert home.library.read_bytes() == before
    listed = run(home.folder, ["backups"], "--json")["backups"]
    assert [one["name"] for one in json.loads(listed["stdout"])] == ["2026-11-21"]
    assert run(home.folder, ["restore", "status"])["status"]["code"] == 0


def can_mount() -> bool:
    try:
        with mounted(1_000_000):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


def can_run(user: int) -> bool:
    """Whether that user can start this Python with its modules."""
    try:
        return subprocess.run([sys.executable, "-c", ""], user=user, check=False).returncode == 0
    except OSError:
        return False


@contextmanager
def mounted(size: int) -> Iterator[Path]:
    """A separate file system of this size in bytes."""
    folder = Path(tempfile.mkdtemp())
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
        check=True, capture_output=True,
    )  # fmt: skip
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


@contextmanager
def read_only(make: Callable[[Path], Home]) -> Iterator[tuple[Home, int | None]]:
    """A home that is read-only, and the user for whom it is."""
    if can_mount():
        with mounted(64_000_000) as folder:
            home = make(folder / "home")
            subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
            yield home, None
        return
    user = NOBODY if hasattr(os, "geteuid") and os.geteuid() == 0 else None
    if user is not None and not can_run(user):
        pytest.skip("needs a mount, or a Python that every user may run")
    folder = Path(tempfile.mkdtemp())
    try:
        home = make(folder / "home")
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        yield home, user
    finally:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
        shutil.rmtree(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="folders are made read-only in another way")
def test_read_only_home_allows_reading_commands_only(tmp_path):
    with read_only(fill) as (home, user):
        results = run(home.folder, NAMES, folder=home.folder.parent, user=user)
        answers = run(home.folder, NAMES, "--json", folder=home.folder.parent, user=user)
    for name, done in results.items():
        output = done["stdout"] + done["stderr"]
        if name in READING:
            assert done["code"] == 0, (name, output)
        elif name in ("undo", "redo"):  # there is nothing to undo
            assert done["code"] == 1 and output.strip(), (name, output)
        elif done["code"] != 0:
            assert done["code"] == 1 and done["stderr"].strip(), (name, output)
            assert "error" in json.loads(answers[name]["stdout"]), name
    assert "Bees and wasps" in results["find"]["stdout"]
    assert results["export"]["stdout"].count("@misc") == 201
    for name in ("add", "encode", "tag", "trash", "backup"):
        assert results[name]["code"] == 1, name


def test_read_only_home_shows_papers_in_write_ahead_log(tmp_path):
    def make(folder: Path) -> Home:
        home = fill(folder)
        code = (
            "import os, sys; from pathlib import Path;"
            "from tests.support.generate.papers import paper;"
            "from sciread_app.storage.library import Library;"
            "Library(Path(sys.argv[1])).put([paper('Late ants')]); os._exit(9)"
        )
        subprocess.run([sys.executable, "-c", code, str(home.library)], check=False)
        return home

    with read_only(make) as (home, user):
        found = run(home.folder, ["status"], "--json", folder=home.folder.parent, user=user)
        assert json.loads(found["status"]["stdout"])["papers"] == 202


@contextmanager
def full_disk() -> Iterator[tuple[Home, int | None]]:
    """A home on a full disk, or the maximum file size in bytes if no disk can be mounted."""
    if not can_mount():
        folder = Path(tempfile.mkdtemp())
        yield fill(folder / "home"), 1000
        shutil.rmtree(folder)
        return
    with mounted(48_000_000) as folder:
        home = fill(folder / "home")
        with suppress(OSError), (folder / "filler").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        yield home, None


@pytest.mark.skipif(sys.platform == "win32", reason="a disk is filled in another way")
def test_every_command_on_full_disk_works_or_gives_reason(tmp_path):
    with full_disk() as (home, most):
        names = [name for name in NAMES if name != "restore"]
        results = run(home.folder, names, folder=home.folder.parent, most=most)
    for name, done in results.items():
        assert done["code"] in (0, 1), (name, done)
        assert done["code"] == 0 or done["stderr"].strip(), name
    for name in ("add", "tag", "backup"):
        assert results[name]["code"] == 1, (name, results[name])

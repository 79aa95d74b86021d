"""Fixtures and settings shared by all tests."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.testing
from hypothesis import settings
from sqlalchemy import Engine

from sciread_app.storage.files import opening
from sciread_app.storage.library import Library
from sciread_app.storage.migrations import HEAD
from tests.support.fork_server import ForkServer
from trainer.contract import package
from trainer.contract.package import starter_package

# In CI the same examples are used each time; new random examples are for local runs.
settings.register_profile("steady", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("steady")

# Use neither the user's API keys nor a real keyring.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
for name in [name for name in os.environ if name.endswith("_API_KEY")]:
    del os.environ[name]


def ram_disk() -> Path | None:
    """Return a folder in memory that is large enough for the files of the tests, or None."""
    memory = Path("/dev/shm")
    if not memory.is_mount():
        return None
    found = os.statvfs(memory)
    scripts_run = not found.f_flag & os.ST_NOEXEC
    large = found.f_bavail * found.f_frsize >= 4 << 30  # containers often have 64 MB
    return memory if scripts_run and large else None


# On a disk, the thousands of fsync calls of libraries and runs take longer than some tests.
if "TMPDIR" not in os.environ and (memory := ram_disk()):
    os.environ["TMPDIR"] = tempfile.tempdir = str(memory)

# `make test` repeats failed tests once, with this set.
RETRY = "SCIREAD_TEST_RETRY"

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session", autouse=True)
def empty_library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty library, made by all migrations. Each new library of this process is a copy of it:
    half the tests make some, and the migrations take longer than most of them."""
    empty = tmp_path_factory.mktemp("empty") / "library.sqlite3"
    begin = opening.begin
    begin(empty, HEAD)

    def copy(path: Path, revision: int) -> None:
        if revision != HEAD:
            begin(path, revision)
        elif not path.exists():
            shutil.copyfile(empty, path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "begin", copy)
        yield empty


@pytest.fixture(scope="session", autouse=True)
def statements_compiled_once() -> Iterator[None]:
    """Compile each SQL statement once for all libraries of this process. SQLAlchemy compiles it for
    each of them, which takes a fifth of a test that reads and writes a few papers."""
    create = opening.create_engine
    dialect = create("sqlite://").dialect  # part of the key of a compiled statement
    compiled: dict[object, object] = {}

    def create_engine(*arguments: Any, **options: Any) -> Engine:
        made = create(*arguments, execution_options={"compiled_cache": compiled}, **options)
        made.dialect = dialect
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "create_engine", create_engine)
        yield


@pytest.fixture(scope="session", autouse=True)
def commands_built_once() -> Iterator[None]:
    """Build the commands of a program once, as the program does. `CliRunner` does so in each call,
    for half of its time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", cache(typer.testing._get_command))
        yield


@pytest.fixture(scope="session", autouse=True)
def starter_model_hashed_once() -> Iterator[None]:
    """Hash each file of the starter model once, as no test changes them. Every command that encodes
    a query opens the model, and its 90 MB take a quarter of a second."""
    folder, hash_of = starter_package(hashes=False).folder, package.file_hash
    known = cache(hash_of)

    def file_hash(path: Path) -> str:
        return known(path) if path.parent == folder else hash_of(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(package, "file_hash", file_hash)
        yield


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer | None]:
    """The process that forks for Python commands; None where this is not possible."""
    if sys.platform != "linux":
        yield None
        return
    server = ForkServer()
    yield server
    server.close()


@pytest.fixture(scope="module")
def forked_python(fork_server: ForkServer | None) -> Iterator[None]:
    """In this module, Python commands are forks and need no time for imports, except in tests with
    `fresh_python`."""
    with fork_server.replacing_popen() if fork_server else nullcontext():
        yield


@pytest.fixture
def fresh_python(forked_python: None, fork_server: ForkServer | None) -> Iterator[None]:
    """In this test, Python commands start as usual."""
    with fork_server.restoring_popen() if fork_server else nullcontext():
        yield


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    library = Library(tmp_path / "library.sqlite3")
    yield library
    library.close()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real papers and files beside some checkouts."""
    if not SHARED.is_dir():
        pytest.skip(f"the real papers and files are not there: {SHARED.name} beside the checkout")
    return SHARED


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In a process of `make test`, begin with the files of slow tests, and then with those of many
    tests: what comes last should be short, since the other process has nothing left to do."""
    if hasattr(config, "workerinput"):
        tests = Counter(item.path for item in items)
        slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
        items.sort(key=lambda item: (-slow[item.path], -tests[item.path]))


def pytest_collection_finish() -> None:
    """Keep the garbage collector off the half million objects of modules and tests: they live to
    the end, and every full collection would look at each of them, for a quarter of a second."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config: pytest.Config) -> None:
    """On a second try, list the tests that passed only now, after all other output."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get(RETRY) and reporter:
        for report in reporter.stats.get("passed", []):
            print(f"FLAKY {report.nodeid} passed only on the second try")

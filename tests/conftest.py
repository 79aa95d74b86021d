"""Fixtures and settings shared by all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from sciread_app.storage.library import Library

# In CI the same examples are used each time; new random examples are for local runs.
settings.register_profile("steady", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("steady")

# Use neither the user's API keys nor a real keyring.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
for name in [name for name in os.environ if name.endswith("_API_KEY")]:
    del os.environ[name]

# `make test` repeats failed tests once, with this set.
RETRY = "SCIREAD_TEST_RETRY"

SHARED = Path(__file__).resolve().parents[2] / "shared"


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


def pytest_unconfigure(config: pytest.Config) -> None:
    """On a second try, list the tests that passed only now, after all other output."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get(RETRY) and reporter:
        for report in reporter.stats.get("passed", []):
            print(f"FLAKY {report.nodeid} passed only on the second try")

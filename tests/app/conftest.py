"""Fixtures of the application's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from babel.messages import Catalog
from babel.messages.mofile import write_mo
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from sciread_app.language import DOMAIN, set_language


@pytest.fixture
def translations(tmp_path: Path) -> Iterator[Path]:
    """A folder with a German translation; the language is English again afterwards."""
    catalog = Catalog(locale="de")
    catalog.add("Nothing is like {title}.", "{title} gleicht keiner.")
    catalog.add("Read", "Lesen")
    catalog.add("Read", "Gelesen", context="papers")
    catalog.add("{month} {day}", "{day}. {month}")
    catalog.add("March", "März")
    catalog.add("Friday", "Freitag")
    catalog.add(("{n:,} paper", "{n:,} papers"), ("{n:,} Aufsatz", "{n:,} Aufsätze"))
    path = tmp_path / "de" / "LC_MESSAGES" / f"{DOMAIN}.mo"
    path.parent.mkdir(parents=True)
    with path.open("wb") as stream:
        write_mo(stream, catalog)
    yield tmp_path
    set_language([], tmp_path)


class MemoryKeyring(KeyringBackend):
    priority = 1

    def __init__(self):
        super().__init__()
        self.kept = {}

    def get_password(self, service, username):
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password

    def delete_password(self, service, username):
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError(username)


@pytest.fixture
def keyring_in_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryKeyring]:
    for service in ("NCBI", "SEMANTIC_SCHOLAR"):
        monkeypatch.delenv(f"{service}_API_KEY", raising=False)
        monkeypatch.delenv(f"SCIREAD_{service}_API_KEY", raising=False)
    before = keyring.get_keyring()
    keyring_in_memory = MemoryKeyring()
    keyring.set_keyring(keyring_in_memory)
    yield keyring_in_memory
    keyring.set_keyring(before)

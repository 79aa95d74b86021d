"""Fixtures of the application's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages import Catalog
from babel.messages.mofile import write_mo

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

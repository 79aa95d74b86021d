"""The program speaks a person's language, once somebody has translated it."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages import Catalog
from babel.messages.mofile import write_mo

from sciread_app import language
from sciread_app.language import DOMAIN, speak, tr, trn

SOURCES = Path(language.__file__).parent


@pytest.fixture
def folder(tmp_path) -> Iterator[Path]:
    catalog = Catalog(locale="de")
    catalog.add("Nothing is like {title}.", "{title} gleicht keiner.")
    catalog.add(("{n:,} paper", "{n:,} papers"), ("{n:,} Aufsatz", "{n:,} Aufsätze"))
    path = tmp_path / "de" / "LC_MESSAGES" / f"{DOMAIN}.mo"
    path.parent.mkdir(parents=True)
    with path.open("wb") as stream:
        write_mo(stream, catalog)
    yield tmp_path
    speak([], tmp_path)


def test_what_is_translated_is_said_in_that_language_and_the_rest_in_english(folder):
    assert speak(["xx", "de_AT", "en"], folder) == "de_AT"
    assert tr("Nothing is like {title}.", title="{Ähnlich}") == "{Ähnlich} gleicht keiner."
    assert [trn("{n:,} paper", "{n:,} papers", n) for n in (1, 2000)] == [
        "1 Aufsatz",
        "2,000 Aufsätze",
    ]
    assert tr("Search") == "Search"


def test_who_puts_english_first_gets_english(folder):
    assert speak(["en_GB", "de"], folder) == "en"
    assert trn("{n:,} paper", "{n:,} papers", 1) == "1 paper"


def calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted(SOURCES.rglob("*.py")):
        if path.name == "language.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("tr", "trn"):
                yield f"{path.relative_to(SOURCES)}:{node.lineno}", node


def test_no_text_hides_in_another():
    """Within an f-string it is found by nobody who collects texts."""
    hidden = [
        f"{path.relative_to(SOURCES)}:{node.lineno}"
        for path in sorted(SOURCES.rglob("*.py"))
        for text in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(text, ast.JoinedStr)
        for node in ast.walk(text)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("tr", "trn")
    ]
    assert not hidden, f"take these out of their f-strings: {hidden}"


def test_every_text_can_be_collected_and_gets_the_values_it_names():
    """gettext finds a text only where it stands as it is; a value that is missing is a crash."""
    wrong = []
    for where, call in calls():
        texts = call.args[: 2 if call.func.id == "trn" else 1]
        if not all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in texts):
            wrong.append(f"{where}: put values into the text by name: tr('{{n}} left', n=left)")
            continue
        given = {word.arg for word in call.keywords} | ({"n"} if call.func.id == "trn" else set())
        named = {
            name.split(".")[0].split("[")[0]
            for one in texts
            for _, name, _, _ in string.Formatter().parse(one.value)
            if name is not None
        }
        # A text without values is not formatted, so braces in it would be shown.
        if not named <= given or given - named - {"n"}:
            wrong.append(f"{where}: names {sorted(named)}, gets {sorted(given)}")
    assert not wrong, "\n".join(wrong)

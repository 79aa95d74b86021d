"""Translations of the user interface."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

from sciread_app import language
from sciread_app.language import (
    current_language,
    format_day,
    format_list,
    format_moment,
    format_weekday,
    set_language,
    tr,
    trc,
    trn,
)

SOURCES = Path(language.__file__).parent
MESSAGES = {"tr": 1, "tr_noop": 1, "trn": 2, "trc": 2}  # number of text arguments of each function


def test_translated_text_is_used_with_english_fallback(translations):
    assert set_language(["xx", "de_AT", "en"], translations) == "de_AT"
    assert tr("Nothing is like {title}.", title="{Ähnlich}") == "{Ähnlich} gleicht keiner."
    assert [trn("{n:,} paper", "{n:,} papers", n) for n in (1, 2000)] == [
        "1 Aufsatz",
        "2,000 Aufsätze",
    ]
    assert tr("Search") == "Search"
    assert current_language() == "de_AT"


def test_context_distinguishes_equal_english_words(translations):
    set_language(["de"], translations)
    assert (tr("Read"), trc("papers", "Read"), trc("marks", "Read")) == ("Lesen", "Gelesen", "Read")


def test_days_are_named_in_the_current_language(translations):
    day = date(2026, 3, 6)
    set_language(["de"], translations)
    assert (format_day(day, with_year=False), format_weekday(day)) == ("6. März", "Freitag")
    set_language(["en"], translations)
    assert (format_day(day), format_weekday(day)) == ("March 6, 2026", "Friday")
    assert format_moment(datetime(2026, 3, 6, 9, 5)) == "March 6, 2026, 09:05"


def test_list_has_a_conjunction_before_its_last_item():
    assert [format_list(items) for items in ("", "a", "ab", "abc")] == [
        *("", "a", "a and b", "a, b, and c"),
    ]


def test_preferred_english_is_used(translations):
    assert set_language(["en_GB", "de"], translations) == current_language() == "en"
    assert trn("{n:,} paper", "{n:,} papers", 1) == "1 paper"


def calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted(SOURCES.rglob("*.py")):
        if path.name == "language.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MESSAGES:
                yield f"{path.relative_to(SOURCES)}:{node.lineno}", node


def test_no_translatable_text_is_inside_an_f_string():
    """Tools that collect texts do not find it there."""
    hidden = [
        f"{path.relative_to(SOURCES)}:{node.lineno}"
        for path in sorted(SOURCES.rglob("*.py"))
        for text in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(text, ast.JoinedStr)
        for node in ast.walk(text)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MESSAGES
    ]
    assert not hidden, f"take these out of their f-strings: {hidden}"


def test_texts_of_the_command_line_are_not_f_strings():
    """Such a text would not be translated. Commands to run are the same in every language."""

    def words(text: ast.JoinedStr) -> str:
        shown = "".join(str(part.value) for part in text.values if isinstance(part, ast.Constant))
        return re.sub(r"\[.*?\]|^(sciread|--) ?.*|\.zip$", "", shown)

    hidden = [
        f"{path.name}:{text.lineno}"
        for path in sorted(SOURCES.glob("cli/*.py"))
        for text in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(text, ast.JoinedStr) and re.search(r"[A-Za-z]{2,}", words(text))
    ]
    assert not hidden, f"use tr or trn: {hidden}"


def test_no_translatable_text_is_a_class_name():
    """Such a text was changed by mistake when a class was renamed."""
    wrong = [
        f"{where}: {text.value}"
        for where, call in calls()
        for text in call.args[: MESSAGES[call.func.id]]
        if isinstance(text, ast.Constant) and re.fullmatch(r"([A-Z][a-z]+){2,}", text.value)
    ]
    assert not wrong


# Words of texts that nobody outside the team understood, terms of machine learning that a reader
# does not know, second words for one concept, and other than American spelling.
UNWANTED = re.compile(
    r"\b(anew|nobody|whoever|lest|hitherto|for good|mended?|chosen|goes on|look over|waved|"
    r"stands? (in|behind)|came in|alike|embeddings?|word pieces?|colours?|licences?|organise|"
    r"recognise|centre|cancelled|triples?|warm-up|synced)\b"
    r"|\} %|^(What|Who|Whose|Whoever|Whatever)\b[^?]*$",
    re.IGNORECASE,
)


def test_texts_use_plain_words():
    wrong = [
        f"{where}: {text.value}"
        for where, call in calls()
        for text in call.args[: MESSAGES[call.func.id]]
        if isinstance(text, ast.Constant)
        and UNWANTED.search(re.sub(r"\{.*?\}", "{}", text.value))  # without names of values
    ]
    assert not wrong, "\n".join(wrong)


def test_every_text_is_a_literal_and_gets_its_values():
    """gettext finds only literal texts, and a missing value is a crash."""
    wrong = []
    for where, call in calls():
        texts = call.args[: MESSAGES[call.func.id]]
        if not all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in texts):
            wrong.append(f"{where}: put values into the text by name: tr('{{n}} left', n=left)")
            continue
        if call.func.id == "tr_noop":  # its values are given later
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

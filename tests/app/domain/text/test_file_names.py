"""Names of PDFs made from a paper's fields."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.paper import Author, Paper
from sciread_app.domain.text.file_names import MAX_BYTES, file_stem, name_key, valid_stem

RULE = "{author} - {year} - {title}"
NAMES = ("Vaswani", "Shazeer", "Parmar")


def stem(title="Attention Is All You Need", authors=NAMES, year="2017", venue="", pattern=RULE):
    people = tuple(Author(name) for name in authors)
    return file_stem(Paper(title=title, authors=people, published=year, venue=venue), pattern)


@pytest.mark.parametrize(
    ("authors", "shown"),
    [
        (NAMES, "Vaswani et al. - 2017"),
        (NAMES[:2], "Vaswani and Shazeer - 2017"),
        (NAMES[:1], "Vaswani - 2017"),
        ((), "2017"),
    ],
)
def test_author_field_names_one_two_or_the_first_author(authors, shown):
    assert stem(authors=authors) == f"{shown} - Attention Is All You Need"


def test_author_field_names_the_first_of_a_truncated_list():
    paper = Paper(title="Bees", authors=(Author("Vaswani"),), extra={"and-others": "true"})
    assert file_stem(paper, "{author} - {title}") == "Vaswani et al. - Bees"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (RULE, "Vaswani et al. - Bees"),
        ("{author} ({year}) {title}", "Vaswani et al. Bees"),
        ("[{year}] {title}", "Bees"),
        ("{title} - {year}", "Bees"),
        ("{year}_{venue}_{title}", "Bees"),
        ("{year}", ""),
    ],
)
def test_field_without_a_value_takes_its_separator_with_it(pattern, expected):
    assert stem("Bees", year="", pattern=pattern) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("BERT: Pre-training?", "BERT Pre-training"),
        ("AC/DC\\power", "AC-DC-power"),
        ('<a> "b" | c*', "a b c"),
        ("a\nb\tc\u00a0d\u2028e", "a b c d e"),
        ("safe\u202efdp.exe\u200b\x07", "safefdp.exe"),
        ("../../etc/passwd", "etc-passwd"),
        (".hidden. ", "hidden"),
        ("CON", "CON_"),
        ("nul.txt", "nul.txt_"),
        ("LPT1", "LPT1_"),
        ("COM²", "COM²_"),
        ("Console", "Console"),
        ("e\u0301tude", "étude"),
        ("On $\\alpha$-decay", "On α-decay"),
        ("a\ud800b", "ab"),
    ],
)
def test_title_becomes_a_name_that_every_system_accepts(title, expected):
    assert stem(title, pattern="{title}") == expected


def test_long_title_ends_with_a_whole_word_unless_it_has_none():
    assert stem("Bees and flowers " * 20, pattern="{title}").endswith(("Bees", "and", "flowers"))
    assert len(stem("x" * 500, pattern="{title}")) == 100
    assert len(stem("蜜蜂" * 60, pattern="{author} {title}").encode()) > 100


texts = st.text(st.characters() | st.sampled_from(' ./\\:*?"<>|-\0\u0301\u202eéA'), max_size=300)


@given(texts, st.lists(texts, max_size=3), texts, texts, st.sampled_from(
    [RULE, "{author} ({year}) {title}", "{venue}_{title}", "x{year}", "con{year}", "{title}."]
))  # fmt: skip
def test_any_paper_gets_a_valid_name_or_none(title, authors, year, venue, pattern):
    name = stem(title, authors, year, venue, pattern)
    if not name:
        return
    assert not set(name) & set('/\\:*?"<>|')
    assert all(unicodedata.category(char)[0] != "C" for char in name)
    assert name == name.strip() and name[0] != "." and name[-1] not in ". "
    assert name == unicodedata.normalize("NFC", name)
    assert len(f"{name} (99).pdf".encode()) <= MAX_BYTES
    assert name.split(".")[0].rstrip().lower() not in {"con", "prn", "aux", "nul", "com1", "lpt9"}
    assert valid_stem(name) == name


def test_key_is_equal_for_names_that_differ_by_case_or_normalization():
    assert name_key("Étude.pdf") == name_key("e\u0301TUDE.PDF")
    assert name_key("Straße") == name_key("STRASSE")

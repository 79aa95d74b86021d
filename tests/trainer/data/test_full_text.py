"""Full texts become passages without what is no prose of the paper."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainer.data.full_text import passages

SENTENCE = "We measured the speed of sound in dry air at several temperatures with care."


def prose(sentences: int, start: int = 0) -> str:
    """Different sentences, a line each."""
    names = ("".join(chr(97 + int(digit)) for digit in str(start + n)) for n in range(sentences))
    return "\n".join(SENTENCE.replace("several", f"several {name}-like") for name in names)


def text_of(full_text: str) -> str:
    return " ".join(passage.text for passage in passages(full_text))


def test_passages_hold_all_sentences_in_order_and_end_with_one() -> None:
    text = prose(60)
    found = list(passages(text))
    assert len(found) > 3
    assert " ".join(passage.text for passage in found) == " ".join(text.split())
    assert all(200 <= len(passage.text) <= 1_000 for passage in found)
    assert all(passage.text.endswith(".") for passage in found)


def test_running_heads_and_page_numbers_are_cut() -> None:
    pages = [f"A. Author\nJournal of Sound {n}\n{prose(8, 8 * n)}\n{n}" for n in range(1, 6)]
    text = text_of("\n\n".join(pages))
    assert "A. Author" not in text and "Journal of Sound" not in text
    assert text == " ".join(prose(40, 8).split())


def test_line_that_two_pages_begin_with_is_kept() -> None:
    pages = [f"Table of sounds\n{prose(8, 8 * n)}" for n in range(2)]
    assert text_of("\n\n".join(pages)).count("Table of sounds") == 2


REFERENCES = "\n".join(
    f"[{n}] A. Smith, B. Jones, On the sound of air, volume {n},\nJournal of Sound, {1990 + n}."
    for n in range(1, 9)
)


@pytest.mark.parametrize(
    "heading",
    ["References", "REFERENCES", "R EFERENCES", "7. References", "Bibliography",
     "References and notes:", "Literaturverzeichnis", ""],
)  # fmt: skip
def test_references_are_cut_and_an_appendix_is_kept(heading: str) -> None:
    text = text_of(f"{prose(20)}\n{heading}\n{REFERENCES}\nAppendix\n{prose(20, 20)}")
    assert "Smith" not in text and "Journal of Sound" not in text
    assert text.endswith(prose(1, 39)) and "Appendix" in text


def test_word_references_in_the_text_cuts_nothing() -> None:
    text = text_of(f"{prose(4)}\nreferences\n{prose(12, 4)}\n[1] shows more.\n{prose(12, 16)}")
    assert "references" in text and text.endswith(prose(1, 27))


def test_text_begins_after_the_heading_of_the_introduction() -> None:
    front = "On Sound\nAda Smith\nUniversity of Sounds\nAbstract. Sound is fast."
    for heading in ("1 Introduction", "I. I NTRODUCTION", "Introduction"):
        assert text_of(f"{front}\n{heading}\n{prose(9)}") == " ".join(prose(9).split())
    assert "Ada Smith" in text_of(f"{front}\n{prose(9)}")


def test_tables_and_short_remains_are_left_out() -> None:
    table = "\n".join("0.123 4.567 8.910 1.112" for _ in range(60))
    assert list(passages(table)) == [] == list(passages("Too short.")) == list(passages(""))


def test_question_is_taken_out_of_the_passage_that_follows_it() -> None:
    question = "How does the speed of sound depend on the temperatures of dry air?"
    found = list(passages(f"{prose(9)}\n{question}\n{prose(9, 20)}"))
    (passage,) = [one for one in found if one.questions]
    assert passage.questions == (question,)
    assert passage.text.startswith(prose(1, 20))
    assert "?" not in "".join(one.text for one in found)


@pytest.mark.parametrize(
    "question",
    ["Why is this?", "Would anybody else have come up with it?",
     "Is " + "the speed of sound " * 12 + "high?"],
    ids=["short", "unrelated", "long"],
)  # fmt: skip
def test_question_that_says_little_alone_stays_in_its_passage(question: str) -> None:
    found = list(passages(f"{prose(3)}\n{question}\n{prose(3, 20)}"))
    assert [one.questions for one in found] == [()]
    assert question in found[0].text


def lines() -> Iterator[str]:
    yield from ("References", "[1] a", "[2] b, 1999", "1 Introduction", "", "7", "word " * 300)
    yield from ("Is it what we measured here, again?", "漢字" * 700, SENTENCE)


@given(st.lists(st.sampled_from(list(lines())) | st.text(max_size=40), max_size=40))
def test_any_text_gives_passages_of_limited_length(given_lines: list[str]) -> None:
    text = "\n".join(given_lines)
    for passage in passages(text):
        assert 200 <= len(passage.text) <= 1_000
        assert "\n" not in passage.text
        assert all(question in " ".join(text.split()) for question in passage.questions)

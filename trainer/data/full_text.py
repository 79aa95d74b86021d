"""Passages of full texts, as language models and pairs of questions and answers need them.

The text of a PDF has the running heads of its pages and a list of references. Both are cut where
they are recognized, as is all that comes before the introduction: names, addresses and the
abstract, which a corpus has anyway.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

# Characters of a passage, as the chunks of PhysBERT (Hellert et al., 2024), and the fewest.
_LONGEST, _SHORTEST = 1_000, 200
# The share of letters in prose; tables and formulas have fewer.
_LETTERS = 0.6
# Words of a question that can be understood alone.
_WORDS = range(6, 41)
# Letters of a word that a question must share with its passage.
_CONTENT = 5

# A line at the edge of this many pages is a running head, if it is not longer than a line.
_REPEATED, _LINE = 3, 120
# Lines at the edge of a page that are looked at, one after the other.
_EDGES = 2
# Characters in which an introduction begins.
_FRONT = 12_000
# Lines of one entry of a bibliography, at most: after as many without a year, the list has ended.
_ENTRY = 10

_NUMBER = r"(?:\d{1,2}|[ivx]{1,4})?\.?"
_INTRODUCTION = re.compile(rf"{_NUMBER}introduction\W*")
_REFERENCES = re.compile(
    rf"\W*{_NUMBER}(?:references(?:andnotes)?|bibliography|literaturecited|workscited|"
    r"referencesandfurtherreading|literaturverzeichnis|literatur|bibliographie|références)\W*"
)
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_STAMP = re.compile(r"arXiv:\S+ *(?:\[[\w.-]+\])? *\d{1,2} \w+ \d{4}$")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[\"“‘(]?[A-Z])")
_WORD = re.compile(r"[^\W\d_]+")


class Passage(NamedTuple):
    """A passage in one line, and the questions that were taken out of it."""

    text: str
    questions: tuple[str, ...] = ()


def passages(text: str) -> Iterator[Passage]:
    """Divide the full text of a paper into passages of at most 1,000 characters.

    Pages are separated by empty lines. Passages end with sentences; those with too few letters,
    such as tables, are left out. A sentence that ends in a question mark is taken out of its
    passage if it has 6 to 40 words and shares a longer one with it: the passage then answers or
    discusses it. A question begins a new passage once the current one is half full, since its
    answer usually follows.
    """
    sentences: list[str] = []
    for sentence in _sentences(" ".join(_main_lines(text))):
        size = sum(map(len, sentences)) + len(sentences)
        begins = sentence.endswith("?") and not (sentences and sentences[-1].endswith("?"))
        if size + len(sentence) > _LONGEST or (begins and 2 * size > _LONGEST):
            yield from _passage(sentences)
            sentences = []
        sentences.append(sentence)
    yield from _passage(sentences)


def _passage(sentences: Sequence[str]) -> Iterator[Passage]:
    asked = {one for one in sentences if one.endswith("?") and len(one.split()) in _WORDS}
    known = _content_words(" ".join(one for one in sentences if one not in asked))
    questions = [
        one for one in sentences if one in asked and not known.isdisjoint(_content_words(one))
    ]
    rest = " ".join(one for one in sentences if one not in questions)
    if len(rest) >= _SHORTEST and sum(map(str.isalpha, rest)) >= _LETTERS * len(rest):
        yield Passage(rest, tuple(questions))


def _content_words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text) if len(word) >= _CONTENT}


def _sentences(text: str) -> Iterator[str]:
    """Iterate over the sentences; one longer than a passage is divided between words."""
    for sentence in _SENTENCE_END.split(text):
        while len(sentence) > _LONGEST:
            end = sentence.rfind(" ", 1, _LONGEST) + 1 or _LONGEST
            yield sentence[:end].rstrip()
            sentence = sentence[end:]
        if sentence:
            yield sentence


def _main_lines(text: str) -> list[str]:
    """Return the lines of the text between the front matter and the references."""
    stripped = (line.strip() for line in text.split("\n"))
    pages: list[Sequence[str]] = [
        list(lines) for empty, lines in groupby(stripped, lambda line: not line) if not empty
    ]
    for _ in range(_EDGES):
        pages = _without_heads(pages)
    lines = [line for page in pages for line in page if not _STAMP.match(line)]
    return _without_references(lines[_first_line(lines) :])


def _without_heads(pages: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Remove the first and the last line of each page if other pages have it there, too, apart
    from numbers."""
    edges = Counter(
        edge for page in pages if page for edge in {_unnumbered(page[0]), _unnumbered(page[-1])}
    )
    heads = {edge for edge, n in edges.items() if n >= _REPEATED and len(edge) <= _LINE}
    found = []
    for page in pages:
        if page and _unnumbered(page[0]) in heads:
            page = page[1:]
        if page and _unnumbered(page[-1]) in heads:
            page = page[:-1]
        found.append(page)
    return found


def _unnumbered(line: str) -> str:
    return re.sub(r"\d+", "#", line)


def _first_line(lines: Sequence[str]) -> int:
    """Return the index of the line after the heading of the introduction; 0 if there is none."""
    size = 0
    for number, line in enumerate(lines):
        if _INTRODUCTION.fullmatch(_compact(line)):
            return number + 1
        size += len(line)
        if size > _FRONT:
            break
    return 0


def _without_references(lines: Sequence[str]) -> list[str]:
    """Remove each list of references: the lines from its beginning to its last year."""
    kept: list[str] = []
    number = 0
    while number < len(lines):
        end = number
        if _begins_references(lines[number : number + _ENTRY]):
            dated = number
            while dated < min(len(lines), end + _ENTRY + 1):
                if _YEAR.search(lines[dated]):
                    end = dated
                dated += 1
        if end > number:
            number = end + 1
        else:
            kept.append(lines[number])
            number += 1
    return kept


def _begins_references(lines: Sequence[str]) -> bool:
    """Whether the first of the lines is a heading of references, or the first entry of a list
    without one, as in physics."""
    if _REFERENCES.fullmatch(_compact(lines[0])):
        return True
    return lines[0].startswith("[1] ") and any(line.startswith("[2] ") for line in lines)


def _compact(line: str) -> str:
    """Return a short line without its spaces, which PDFs also have within words in small
    capitals."""
    return "".join(line.split()).lower() if len(line) < _LINE else ""

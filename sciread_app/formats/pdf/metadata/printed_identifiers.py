"""Detection of identifiers printed on a paper: arXiv's stamp, the journal's DOI."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from rapidfuzz import fuzz

from sciread_app.domain.metadata.identifiers import (
    DOI_IN_TEXT,
    arxiv_id,
    closed_up,
    doi_as_written,
    identifier,
)
from sciread_app.formats.pdf.metadata.text_cleanup import SOFT_HYPHEN, letters_of

_ID = r"(?:\d{4}\.\d{4,5}|[a-z]+(?:-[a-z]+)?(?:\.[A-Z]{2})?/\d{7})"
_CATEGORY = r"[a-z]+(?:-[a-z]+)?(?:\.[A-Za-z]{2,}(?:-[a-z]+)?)?"
_DATE = r"\d{1,2}[A-Z][a-z]{2}(?:19|20)\d\d"
# Without blanks, since a stamp along the margin is often extracted letter by letter.
_STAMP = re.compile(
    rf"arXiv:(?P<id>{_ID})(?P<version>v\d{{1,2}}?)?(?:\[(?P<category>{_CATEGORY})\])?(?P<date>{_DATE})"
)
_MARGIN = re.compile(
    rf"arXiv:(?P<id>{_ID})(?P<version>v\d{{1,2}})?(?:\[(?P<category>{_CATEGORY})\])?"
)
_OWN_LINE = re.compile(
    rf"^\W*(?:e-?print\s*:?\s*)?(?:https?://arxiv\.org/abs/|arXiv\s*:\s*)(?P<id>{_ID})"
    rf"(?P<version>\s*v\d{{1,2}})?(?:\s*\[{_CATEGORY}\])?\W*(?:{_DATE})?\W*$",
    re.M | re.I,
)
# Before 2007 authors often wrote the bare number into the corner of the first page.
_OLD_CORNER = re.compile(
    r"^\W*(?P<id>(?:astro-ph|cond-mat|gr-qc|hep-(?:ex|lat|ph|th)|math-ph|nucl-(?:ex|th)|quant-ph"
    r"|math|physics|nlin|cs|q-bio)(?:\.[A-Z]{2})?/\d{7})(?P<version>v\d{1,2})?\W*$",
    re.M,
)

# A DOI continues on the next line if the line ends within it.
_CUT_DOI = re.compile(r"(10\.\d{4,9}/(?:[^\s\"<>]*[-/_.:])?)[ \t]*\n[ \t]*(?=[\w(]*\d)", re.I)
_DOI_LABEL = re.compile(r"(?:https?\s*://)?(?:dx\.)?doi(?:\.org/|\s*:)?\s*|https?\s*://", re.I)
_ADDRESS = re.compile(r"\S+/$")
_REFERENCES = re.compile(
    r"^[\dIVX.\s]*(?:references|bibliography|literature(?:\s+cited)?|works\s+cited|referências"
    r"|références|literatur(?:verzeichnis)?|bibliograf[ií]a|bibliographie|referencias)\s*:?\s*$",
    re.I | re.M,
)
_OWN_CITATION = re.compile(
    r"cite\s+this|to\s+cite|how\s+to\s+cite|reference\s+format|citation\s*:|recommended\s+citation"
    r"|rxiv\s+preprint|preprint\s+doi|as\s+published|published\s+version|version\s+of\s+record|final\s+publication",
    re.I,
)
_OF_ANOTHER = re.compile(
    r"suppl(?:ement|\.)|data\s*sets?\b|(?:data|code)\s+(?:is|are|availab)|available\s+(?:at|from|in)"
    r"|software|zenodo|figshare|dryad|erratum|correction\s+to|corrigendum|comment\s+on|reply\s+to"
    r"|original\s+article|companion|related\s+article",
    re.I,
)
_ENTRY = re.compile(
    r"^\s*(?:\[\d{1,3}\]|\d{1,3}\.\s+[A-Z])"  # [12], or 12. Author
    r"|\((?:19|20)\d\d[a-z]?\)\.\s"  # Author (2020). Title
    r"|[”\"’']\s*,?\s*(?:in\s+)?[A-Z]",  # "Title", Journal
    re.M,
)
_LONGEST_LINE = 110  # characters of a page header or footer besides the DOI
_BEFORE = 400  # characters before a DOI that are searched for a citation of the paper itself
_ENTRY_BEFORE = 160  # the same for a citation of another paper, if the DOI is on its own line
_NEARLY_ALONE = 12  # characters on its line besides the DOI
_SENTENCE = 5  # lower-case words on its line, as no page header or footer has
_HEAD_LINES = 15  # in which authors write the number of their preprint


class Stamp(NamedTuple):
    arxiv: str
    category: str  # empty if not in the stamp
    published: str  # ISO date of the first version, as exact as in the stamp
    evidence: str


def arxiv_stamp(page: str, across: Sequence[str]) -> Stamp | None:
    """The paper's own arXiv number on its first page, not one that it cites."""
    for text in (*across, "".join(across), page, "".join(reversed(across))):
        squeezed = "".join(text.split())
        for direction in (squeezed, squeezed[::-1]):
            if match := _STAMP.search(direction):
                return _stamp(match, "the arXiv stamp on the first page")
    for text in (*across, "".join(across)):
        squeezed = "".join(text.split())
        for direction in (squeezed, squeezed[::-1]):
            if match := _MARGIN.search(direction):
                return _stamp(match, "the arXiv number in the margin of the first page")
    head = "\n".join(page.splitlines()[:_HEAD_LINES])
    if match := _OWN_LINE.search(head) or _OLD_CORNER.search(head):
        return _stamp(match, "the arXiv number on a line of its own on the first page")
    return None


def stamp_of_text(text: str, evidence: str) -> Stamp | None:
    """The arXiv number that is the whole text, such as a download's file name."""
    found = identifier("arxiv", text) or identifier("doi", text)
    if found is None or found.kind != "arxiv":
        return None
    return Stamp(found.value, "", _first_month(found.value), evidence)


def _stamp(match: re.Match[str], evidence: str) -> Stamp | None:
    found = match.groupdict()
    number, version = arxiv_id("".join((found["id"] + (found["version"] or "")).split()))
    if not number:
        return None
    published = _first_month(number)
    date = found.get("date")
    if date and version in (None, 1):
        published = _iso(date) or published
    return Stamp(number, found.get("category") or "", published, evidence)


def _first_month(number: str) -> str:
    """The month of a number: 1706.03762 is of 2017-06, hep-th/9901001 of 1999-01."""
    digits = number.rpartition("/")[2]
    year, month = int(digits[:2]), digits[2:4]
    return f"{1900 + year if year > 90 else 2000 + year}-{month}"


def _iso(date: str) -> str:
    try:
        return datetime.strptime(date, "%d%b%Y").date().isoformat()
    except ValueError:
        return ""


def before_references(page: str) -> str:
    """The page up to its list of references."""
    heading = _REFERENCES.search(page)
    return page[: heading.start()] if heading else page


def printed_doi(pages: Iterable[str], titles: Sequence[str]) -> tuple[str, str]:
    """The DOI that the first pages give as the paper's own, and its source.

    `titles` are candidates of the paper's title, by which a citation before a DOI is recognized as
    the paper's own. Both are empty if no DOI is certain. The DOI is in the case that it has there.
    """
    for number, page in enumerate(pages, start=1):
        text = before_references(_CUT_DOI.sub(r"\1", closed_up(page.replace(SOFT_HYPHEN, "-"))))
        # A list of several DOIs is a list of other papers.
        plain: dict[str, tuple[str, str]] = {}
        for match in DOI_IN_TEXT.finditer(text):
            name = identifier("doi", match[0])
            if name is None or name.kind != "doi":
                continue
            how = _how_own(text, match, titles)
            written = doi_as_written((name,), match[0]).get("doi", name.value)
            if how == "named":
                return written, f"the DOI on page {number}, in a citation of this title"
            if how == "alone":
                where = f"the DOI at the head or foot of page {number}"
                plain.setdefault(name.value, (written, where))
        if len(plain) == 1 or (len(plain) == 2 and number == 1):
            return next(iter(plain.values()))
    return "", ""


def _how_own(text: str, match: re.Match[str], titles: Sequence[str]) -> str:
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    line = text[start : match.start()], text[match.end() : end if end >= 0 else len(text)]
    before = text[max(0, match.start() - _BEFORE) : match.start()]
    if any(_names(before, title) for title in titles):
        return "named"
    if _OF_ANOTHER.search(before[-100:]):
        return ""
    if _OWN_CITATION.search(before):
        return "alone"
    # The address that the DOI is part of is no text: www.pnas.org/cgi/doi/10.1073/...
    beside = _DOI_LABEL.sub("", f"{_ADDRESS.sub('', line[0])} {line[1]}").strip()
    # The last line of a page follows a body that may contain citations; a DOI within a line is
    # cited there.
    near = before if len(beside) >= _NEARLY_ALONE else before[-_ENTRY_BEFORE:]
    is_sentence = len(re.findall(r"\b[a-z]+\b", beside)) >= _SENTENCE
    if is_sentence or len(beside) > _LONGEST_LINE or _ENTRY.search(near):
        return ""
    return "alone"


def _names(before: str, title: str) -> bool:
    """Whether the text before a DOI is a citation of this title."""
    wanted = letters_of(title)
    if len(wanted) < 15 or not (_ENTRY.search(before) or _OWN_CITATION.search(before)):
        return False
    return fuzz.partial_ratio(wanted, letters_of(before)) >= 90

"""The year of publication that the first page prints.

A page names many years: of submission, of acceptance, of the works that it cites. Labeled dates
count wherever they are; the year of an issue or a conference only at the margins of the page and
above the abstract; other years not at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from sciread_app.formats.pdf.metadata.cover_sheet import is_cover
from sciread_app.formats.pdf.metadata.layout import PageLayout
from sciread_app.formats.pdf.metadata.printed_identifiers import before_references
from sciread_app.formats.pdf.metadata.rows import Row

_YEAR = r"(?P<year>(?:19[5-9]|20[0-4])\d)\b"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
# 21 March 2017, March 21, 2017, 03/2017, 2017
_DATE = (
    rf"(?:{_DAY}[\s.-]*)?(?:{_MONTH}[.,]?[\s-]*)?(?:{_DAY}\s*,\s*)?(?:\d{{1,2}}[./-]){{0,2}}{_YEAR}"
)
_PUBLISHED = (
    r"(?:published(?!\s+(?:by|in|for)\b)(?:\s+(?:online|electronically|on))*|publication\s+date"
    r"|date\s+of\s+publication|version\s+posted|advance\s+access\s+publication(?:\s+on)?"
    r"|available\s+online|date\s+published)"
)
_LABELLED = tuple(
    (how, re.compile(pattern, re.I))
    for how, pattern in (
        ("the date of publication", rf"\b{_PUBLISHED}\s*:?\s*{_DATE}"),
        ("the copyright", rf"(?:(?:©|copyright)(?:\D|\d(?!\d{{3}})){{0,60}}?|\(c\)\s*)\b{_YEAR}"),
    )
)
_AT_MARGIN = tuple(
    (how, re.compile(pattern))
    for how, pattern in (
        ("the issue", rf"\b(?i:vol(?:ume)?|no|issue|nr)\b\.?\s*\d+[^\n]{{0,50}}?\b{_YEAR}"),
        ("the issue", rf"\d\w?\s*,?\s*\(\s*(?:[A-Z][a-z]{{2,8}}\.?,?\s)?{_YEAR[:-2]}\s*\)"),
        ("the issue", rf"\(\s*{_YEAR[:-2]}\s*\)\s*\d+\s*[:,]?\s*\w?\d"),
        ("the issue", rf"\d\s*[-–]\s*\w?\d+\s*[,;]\s*{_YEAR}"),
        ("the issue", rf"\b{_YEAR}[,;]\s*\d+"),
        (
            "the conference",
            rf"(?i:conference|proceedings|symposium|workshop|congress|meeting)\b"
            rf"[^\n]{{0,110}}?\b{_YEAR}"
            rf"|\b[A-Z]{{3,}}\w*[\s'’-]?{_YEAR.replace('year', 'y')}",
        ),
    )
)  # fmt: skip
_IN_MARGIN = re.compile(rf"(?:{_DAY}\s+)?{_MONTH}[.,]?\s+(?:{_DAY},?\s+)?{_YEAR}", re.I)
_OTHER_DATE = re.compile(
    r"received|accepted|revised|submitted|download|accessed|draft|dated|created|modified|printed"
    r"|deposited|uploaded",
    re.I,
)
_SENTENCE = re.compile(r"\b(?:the|of|is|are|was|we|this|that|with|for|in|to|from|by|our)\b")
_ACCEPTED = re.compile(rf"\baccepted\b(?:\s+for\s+publication)?\D{{0,12}}?\s*:?\s*{_DATE}", re.I)
# Dates in the history of a paper, of which the last is at most the year of publication.
_HISTORY = re.compile(
    rf"\b(?:received|revised|resubmitted|submitted|accepted|posted|draft|version)\b\D{{0,20}}?{_DATE}",
    re.I,
)
# Thesis: "Rio de Janeiro, julho de 2007", "Paris, le 3 mars 2011".
_LOCAL_MONTH = (
    r"(?:januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet"
    r"|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto"
    r"|sept?iembre|octubre|noviembre|diciembre|janeiro|fevereiro|março|maio|junho|julho|setembro"
    r"|outubro|novembro|dezembro|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre"
    r"|dicembre)"
)
_PLACE_AND_DATE = re.compile(
    r"^[^\W\d][\w .'-]{2,30},\s*(?:(?:im|den|le|em|a|en)\s+)?(?:\d{1,2}\.?\s*(?:de\s+)?)?"
    rf"(?:{_LOCAL_MONTH}|{_MONTH})\.?,?\s+(?:del?\s+)?{_YEAR}\W*$",
    re.I,
)
_COMPLETED = re.compile(
    rf"\b(?:completed|date\s+of\s+(?:submission|defen[cs]e)|abgabe(?:datum)?)\s*:\s*{_DATE}", re.I
)
_OWN_LINE = re.compile(
    rf"^\W*(?:(?:{_DAY}\s+)?{_MONTH}\.?,?\s+(?:{_DAY},?\s+)?|\d{{1,2}}[./]\d{{1,2}}[./])?{_YEAR}\W*$",
    re.I,
)
_MOST_PROSE = 4  # common words in a line of a margin
_MARGIN = 0.13  # of the page's height, at its head and at its foot
_ABSTRACT = re.compile(r"^\W*(?:a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary|1\s+introduction)\b", re.I)
_REFERENCES = re.compile(r"^\W*(?:references|bibliography|literature)\b.{0,10}$", re.I)
_ENTRY = re.compile(r"^\[\d+\]|[“”\"]")  # of a list of references
_IN_DOI = re.compile(r"^10\.\d+/\D*\.((?:19[89]|20[0-4])\d)[.-]")


def printed_year(
    texts: Sequence[str], rows: Sequence[Sequence[Row]], layouts: Sequence[PageLayout],
    *, doi: str, created: str,
) -> tuple[str, str]:  # fmt: skip
    """The year of publication, and how it was found; both empty if none is certain.

    `created` is the day on which the file was made, "20170305". A date equal to it on the page was
    set by the word processor and is left out.
    """
    for text in texts[:2]:
        for how, pattern in _LABELLED:
            years = _years(pattern, before_references(text))
            # The online edition may be older than the issue, the copyright of a figure even more.
            if years and (len(years) == 1 or how == "the date of publication"):
                return max(years), f"{how} on the page"
    for text, page_rows, page in list(zip(texts, rows, layouts, strict=True))[:2]:
        margin = text if is_cover(text) else "\n".join(_margin(page_rows, page))
        for how, pattern in _AT_MARGIN:
            years = _years(pattern, margin)
            if len(years) == 1:
                return years.pop(), f"{how} on the page"
        dated = [line for line in margin.splitlines() if not _OTHER_DATE.search(line)]
        years = _years(_IN_MARGIN, "\n".join(line for line in dated if not _is_day(line, created)))
        if len(years) == 1:
            return years.pop(), "a date in the margin of the page"
    if match := _IN_DOI.match(doi):
        return match[1], "the DOI"
    if texts and len(years := _years(_ACCEPTED, texts[0])) == 1:
        return years.pop(), "the date of acceptance on the page"
    lines = [cell.text for row in rows[0] for cell in row.cells] if rows else []
    lines = [line for line in lines if not _is_day(line, created)]
    lines += [row.text for row in rows[0] if len(row.cells) > 1] if rows else []
    for pattern in (_COMPLETED, _OWN_LINE, _PLACE_AND_DATE):
        dates = {match["year"] for line in lines if (match := pattern.match(line))}
        if dates:
            break
    return (dates.pop(), "a date on a line of its own") if len(dates) == 1 else ("", "")


def likely_year(texts: Sequence[str], created: str) -> str:
    """The year in which a paper without a certain one was probably published: the last of its
    history on the first pages, or that in which the file was made; empty if there is neither."""
    years = {year for text in texts[:2] for year in _years(_HISTORY, before_references(text))}
    made = re.fullmatch(_YEAR, created[:4])
    return max(years, default=made[0] if made else "")


def _years(pattern: re.Pattern[str], text: str) -> set[str]:
    found = (next(filter(None, match.groupdict().values())) for match in pattern.finditer(text))
    return set(found)


def _margin(rows: Sequence[Row], page: PageLayout) -> list[str]:
    """The text at the head and foot of the page and above its abstract."""
    heading = next((row.top for row in rows if _ABSTRACT.match(row.text)), 0.0)
    head = max(_MARGIN * page.height, min(heading, 0.5 * page.height))
    foot = (1 - _MARGIN) * page.height
    references = next((row.top for row in rows if _REFERENCES.match(row.text)), page.height)
    return [
        cell.text
        for row in rows
        if row.top < head or (row.top > foot and (row is rows[-1] or row.top < references))
        for cell in row.cells
        if len(_SENTENCE.findall(cell.text)) < _MOST_PROSE and not _ENTRY.search(cell.text)
    ]


def _is_day(line: str, created: str) -> bool:
    """Whether a line is the day on which the file was made."""
    try:
        day = date.fromisoformat(f"{created[:4]}-{created[4:6]}-{created[6:8]}")
    except ValueError:
        return False
    return f"{day.year}" in line and f"{day:%B}" in line and f"{day.day}" in line

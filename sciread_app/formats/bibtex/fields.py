"""The types and fields of BibTeX and BibLaTeX; shared by reader and writer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sciread_app.formats.values import dates

# Item types to entry types. Styles without @dataset treat it as @misc.
TYPES = {
    "article": "misc",
    "article-journal": "article",
    "paper-conference": "inproceedings",
    "book": "book",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
    "dataset": "dataset",
    "software": "software",
    "patent": "patent",
    "webpage": "online",
    "manuscript": "unpublished",
}
_KINDS = {kind_type: kind for kind, kind_type in TYPES.items()} | {
    "conference": "paper-conference",
    "inbook": "chapter",
    "suppbook": "chapter",
    "bookinbook": "chapter",
    "suppcollection": "chapter",
    "inreference": "chapter",
    "mvbook": "book",
    "booklet": "book",
    "manual": "book",
    "collection": "book",
    "mvcollection": "book",
    "proceedings": "book",
    "mvproceedings": "book",
    "reference": "book",
    "mvreference": "book",
    "periodical": "book",
    "suppperiodical": "article-journal",
    "review": "article-journal",
    "thesis": "thesis",
    "mastersthesis": "thesis",
    "report": "report",
    "standard": "report",
    "electronic": "webpage",
    "www": "webpage",
}
DATE_FIELDS = ("date", "year", "month", "day")
IN_BOOKS = ("paper-conference", "chapter")  # Their venue is a booktitle, not a journal.

# Fields that hold addresses rather than text, which LaTeX does not interpret.
_VERBATIM = re.compile(
    r"(?:url|doi|ee|isbn|issn|eprint|file|pdf|biburl|bdsk-.*|evastar_pdf|local-url|.*url)(?:_2)*"
)
_UNESCAPED = re.compile(
    r"\{\\textbrace(left|right)\}|\{?\\text(?:under(score)|asciitil(de))\s*(?:\{\}|\})"
    r"|(?<!\\)\{?\\([_%&#$~^])(?:\{\})?(?<!\{\})\}?|\$([<>])\$|\$\\backslash\$"
)
_PLAIN_MONTH = re.compile(r"[^\W\d_]+\.?|\d{1,2}")


def is_verbatim(field: str) -> bool:
    return _VERBATIM.fullmatch(field) is not None


def verbatim(text: str) -> str:
    """An address without the escapes that some exporters add."""
    text = text.strip()
    if "\\" not in text and "{" not in text and "$" not in text:
        return text
    text = text.removeprefix("\\url")
    while text.startswith("{") and text.endswith("}") and not text.startswith("{\\"):
        text = text[1:-1].strip()
    return _UNESCAPED.sub(_sign, text)


def _sign(match: re.Match[str]) -> str:
    brace, underscore, tilde, sign, angle = match.groups()
    if brace:
        return "{" if brace == "left" else "}"
    return sign or angle or (underscore and "_") or (tilde and "~") or "\\"


def from_verbatim(text: str) -> str:
    """The inverse of `verbatim`: braces would end the field early."""
    if "{" not in text and "}" not in text:
        return text
    return re.sub(
        r"[{}]", lambda m: r"{\textbraceleft}" if m[0] == "{" else r"{\textbraceright}", text
    )


def kind_of(entry_type: str, venue: str, *, arxiv: bool, doi: bool) -> str:
    """The item type. A paper that is only on arXiv is a preprint, whatever its entry type."""
    kind = _KINDS.get(entry_type, "article")
    if arxiv and not doi and kind in ("article-journal", "webpage"):
        journal = venue.lower()
        if not journal or journal.startswith("arxiv") or journal == "corr":
            return "article"
    return kind


def date_fields(published: str) -> dict[str, str]:
    """Year, month (`jan`) and day of an ISO date."""
    parts = published.split("-") if published else []
    fields = dict(zip(("year", "month", "day"), parts, strict=False))
    if "month" in fields:
        fields["month"] = dates.MONTHS[int(fields["month"]) - 1]
    if "day" in fields:
        fields["day"] = str(int(fields["day"]))
    return fields


def published(fields: Mapping[str, str]) -> str:
    """The ISO date given by date, year, month and day."""
    if date := dates.parse(fields.get("date", "")):
        return date
    year = dates.parse(fields.get("year", ""))
    if len(year) != 4:
        return year
    month = fields.get("month", "")
    days = fields.get("day") or (month if _has_day(month) else "")
    day = re.search(r"(?<!\d)\d{1,2}(?!\d)", days)
    return dates.iso(int(year), dates.month_of(month), int(day[0]) if day else 0)


def _has_day(month: str) -> bool:
    """Whether a month includes a single day, as in `10 jan` but not in `jan 10-12`."""
    return bool(re.search(r"[^\W\d_]{3}", month)) and len(re.findall(r"\d+", month)) == 1


def unused_date_fields(fields: Mapping[str, str], date: str) -> dict[str, str]:
    """The date fields that contain more than `date`, or contradict it."""
    plain = date_fields(date)
    return {name: text for name, text in fields.items() if not _agrees(name, text, plain, date)}


def _agrees(name: str, text: str, plain: Mapping[str, str], date: str) -> bool:
    if name == "date":
        return text == date
    if name == "month":
        month = plain.get("month")
        if not month or not _PLAIN_MONTH.fullmatch(text):
            return False
        return dates.MONTHS[dates.month_of(text) - 1] == month
    return text.lstrip("0") == plain.get(name, "").lstrip("0")

"""arXiv's records, shared by all of its formats."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sciread_app.domain.metadata.identifiers import doi_as_written, identifiers
from sciread_app.domain.paper import Author, Paper
from sciread_app.formats.values import dates

_RFC_DATE = re.compile(r"(\d{1,2}) ([A-Za-z]{3})[a-z]* (\d{4})")
_WITHDRAWN = re.compile(
    r"(?:\b(?:has|have|had|is|was|be|been)\s+(?:now\s+)?(?:been\s+)?|^)withdrawn\b"
    r"|\bwithdrawn (?:by|due|because)\b",
    re.IGNORECASE,
)
# The end of a journal's name: its volume, year or pages. The year in "Proc. 2023 IEEE Conference"
# is part of the name, and so is the number of the "31st Symposium".
_AFTER_VENUE = re.compile(
    r"[\s,;:(\[]*(?:\b(?:vol(?:ume)?|no|issue|pp?)\b[.\s]*|\bv\.\s*)?\(?"
    r"(?<![A-Za-z]-)\d+(?!\d*(?:st|nd|rd|th|D)\b)(?!\d*\s+(?:\d+(?:st|nd|rd|th)\b|(?-i:[A-Z][A-Za-z]{2})))"
    r"(?=[\W_]|[A-Z]?\b|$).*$",
    re.IGNORECASE | re.DOTALL,
)
_BEFORE_VENUE = re.compile(r"^(?:in:?\s*(?=proc)|\d{4}\s+|\s+)+", re.IGNORECASE)
_LONGEST = 1_000  # longer than any reference; matching an endless text would take hours
_OPEN_BRACKET = re.compile(r"\s*[(\[][^()\[\]]*$")


def paper(
    base: str,
    title: str,
    abstract: str,
    *,
    authors: tuple[Author, ...],
    published: str,
    dois: str,
    fields: tuple[str, ...],
    extra: Mapping[str, str],
) -> Paper:
    """The paper with the arXiv id `base`.

    `dois` are separated by spaces. Its venue is that of `extra["journal_ref"]`, and a withdrawal in
    `extra["comment"]` or the abstract is added to `extra`.
    """
    notice = withdrawn(extra.get("comment", ""), abstract)
    given = {name: text for name, text in extra.items() if text}
    known = identifiers(("arxiv", base), *(("doi", doi) for doi in dois.split()))
    given |= doi_as_written(known, dois)
    return Paper(
        title=title,
        abstract=abstract,
        authors=authors,
        published=published,
        venue=venue_of(extra.get("journal_ref", "")),
        identifiers=known,
        fields=fields,
        extra=given | ({"withdrawn": notice} if notice else {}),
        source="arxiv",
        source_id=base,
    )


def withdrawn(comment: str, abstract: str) -> str:
    """The sentence in which arXiv or the authors withdraw this paper; mostly empty."""
    if "ithdrawn" in comment and _WITHDRAWN.search(comment):
        return comment
    # Only the start of an abstract is about the paper itself.
    if "ithdrawn" in abstract[:200] and _WITHDRAWN.search(abstract[:200]):
        return abstract[:200].partition(". ")[0]
    return ""


def venue_of(journal_ref: str) -> str:
    """ "Phys. Rev. D" from "Phys. Rev. D 76, 013009 (2007)"; a heuristic."""
    name = _AFTER_VENUE.sub("", _BEFORE_VENUE.sub("", journal_ref[:_LONGEST]))
    name = _OPEN_BRACKET.sub("", name).strip(" ,;:@")
    return name if any(map(str.isalpha, name)) else ""


def day_of(date: str) -> str:
    """The ISO date of "Mon, 2 Apr 2007 19:18:42 GMT"."""
    match = _RFC_DATE.search(date)
    return dates.iso(int(match[3]), dates.month_of(match[2]), int(match[1])) if match else ""

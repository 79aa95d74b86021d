"""What arXiv's fields mean, in whichever of its formats they come."""

from __future__ import annotations

import re

from sciread_app.formats import dates

_RFC_DATE = re.compile(r"(\d{1,2}) ([A-Za-z]{3})[a-z]* (\d{4})")
_WITHDRAWN = re.compile(
    r"(?:\b(?:has|have|had|is|was|be|been)\s+(?:now\s+)?(?:been\s+)?|^)withdrawn\b"
    r"|\bwithdrawn (?:by|due|because)\b",
    re.IGNORECASE,
)
# Where the name of a journal ends: at its volume, its year, its pages. The year in "Proc. 2023 IEEE
# Conference" is part of the name, and so is the number of the "31st Symposium".
_AFTER_VENUE = re.compile(
    r"[\s,;:(\[]*(?:\b(?:vol(?:ume)?|no|issue|pp?)\b[.\s]*|\bv\.\s*)?\(?"
    r"(?<![A-Za-z]-)\d+(?!\d*(?:st|nd|rd|th|D)\b)(?!\d*\s+(?:\d+(?:st|nd|rd|th)\b|(?-i:[A-Z][A-Za-z]{2})))"
    r"(?=[\W_]|[A-Z]?\b|$).*$",
    re.IGNORECASE | re.DOTALL,
)
_BEFORE_VENUE = re.compile(r"^(?:in:?\s*(?=proc)|\d{4}\s+|\s+)+", re.IGNORECASE)
_LONGEST = 1_000  # no reference is; what follows would take hours if it were endless
_OPEN_BRACKET = re.compile(r"\s*[(\[][^()\[\]]*$")


def withdrawn(comment: str, abstract: str) -> str:
    """The sentence by which arXiv or the authors withdraw this paper; mostly there is none."""
    if "ithdrawn" in comment and _WITHDRAWN.search(comment):
        return comment
    # Only at its start does an abstract speak of the paper itself.
    if "ithdrawn" in abstract[:200] and _WITHDRAWN.search(abstract[:200]):
        return abstract[:200].partition(". ")[0]
    return ""


def venue_of(journal_ref: str) -> str:
    """ "Phys. Rev. D" out of "Phys. Rev. D 76, 013009 (2007)"; as good as can be guessed."""
    name = _AFTER_VENUE.sub("", _BEFORE_VENUE.sub("", journal_ref[:_LONGEST]))
    name = _OPEN_BRACKET.sub("", name).strip(" ,;:@")
    return name if any(map(str.isalpha, name)) else ""


def day_of(date: str) -> str:
    """The ISO date in "Mon, 2 Apr 2007 19:18:42 GMT"."""
    match = _RFC_DATE.search(date)
    return dates.iso(int(match[3]), dates.month_of(match[2]), int(match[1])) if match else ""

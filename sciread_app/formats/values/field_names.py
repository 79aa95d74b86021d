"""Names of fields in formats that allow no blanks in them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_INVALID = re.compile(r"[^\w+.:-]+")
_FIRST = re.compile(r"[^\W\d]")


def named(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields by names that BibTeX and RIS can write: "conference location" becomes
    "conference-location". Values whose names become equal are joined."""
    found: dict[str, str] = {}
    for name, text in fields.items():
        valid = _INVALID.sub("-", name).strip("-")
        if not _FIRST.match(valid):  # BibTeX's names begin with no digit
            valid = f"x-{valid}"
        found[valid] = f"{found[valid]}; {text}" if valid in found else text
    return found

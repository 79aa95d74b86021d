"""Sentence segmentation of abstracts."""

from __future__ import annotations

import re

# A full stop after one of these, or after an initial, does not end a sentence.
_SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|cf|vs|resp|approx|Figs?|Eqs?|Refs?|Secs?|No|Dr)|\b[A-Z])\.$"
)
_GAP = re.compile(r"""[.!?]["')\]]*(\s+)(?=["'(\[]*[A-Z0-9$])|(\n\s*\n)""")


def sentences(text: str) -> list[str]:
    """The sentences of a text, unchanged."""
    found, start = [], 0
    for gap in _GAP.finditer(text):
        end, next_one = gap.span(gap.lastindex or 0)
        if not _SHORT.search(text, start, end):
            found.append(text[start:end])
            start = next_one
    found.append(text[start:])
    return [sentence.strip() for sentence in found if sentence.strip()]

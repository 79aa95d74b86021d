"""Where the sentences of an abstract begin and end."""

from __future__ import annotations

import re

# A full stop behind one of these, or behind an initial, ends no sentence.
_SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|cf|vs|resp|approx|Figs?|Eqs?|Refs?|Secs?|No|Dr)|\b[A-Z])\.$"
)
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9$])|\n\s*\n")


def sentences(text: str) -> list[str]:
    """The sentences of a text, each as it stands there."""
    found, start = [], 0
    for gap in _END.finditer(text):
        if not _SHORT.search(text, start, gap.start()):
            found.append(text[start : gap.start()])
            start = gap.end()
    found.append(text[start:])
    return [sentence.strip() for sentence in found if sentence.strip()]

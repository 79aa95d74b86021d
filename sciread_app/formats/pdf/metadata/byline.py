"""Test whether a list of authors is complete according to the first page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sciread_app.domain.paper import Author
from sciread_app.formats.pdf.metadata.text_cleanup import letters_of

_END = re.compile(r"\b(?:abstract|introduction|summary|keywords|index terms)\b", re.I)
_MOST = 3_000  # characters after which no author is expected
_PART = r"(?:[A-Z][\w'’-]+|[A-Z]\.(?:-?[A-Z]\.)*)"
# A further name in a list of names, with its numbers and marks.
_ANOTHER = re.compile(rf"[\s\d*†‡§¶,;&∗⋆]*(?:and\s+)?({_PART}(?:\s+{_PART}){{1,3}})")
_NAMES = rf"{_PART}(?:\s+{_PART}){{1,3}}"
# A line that is another name, or after which a name must follow.
_NAME_BEFORE = re.compile(rf"(?:.*(?:,|;|&|\band)|{_NAMES}[\s\d*†‡§¶,;∗⋆]*(?:and|&)?)\s*")
_PLACE = re.compile(
    r"universi|institut|depart|laborator|school|college|cent(?:er|re)|facult|academ|hospital|inc\b"
    r"|gmbh|research|group|national|street|road|member|fellow|collaboration",
    re.I,
)


def is_whole(authors: Sequence[Author], page: str, title: str) -> bool:
    """Whether the head of a first page names all these authors, and no other before or after
    them."""
    head = page[: end.start()] if (end := _END.search(page)) else page
    head = head[:_MOST]
    if any(not (author.given or author.literal) for author in authors):
        return False
    places = [_place(author, head) for author in authors]
    found = [place for place in places if place]
    if len(found) < len(authors) or head.count("@") > len(authors):
        return False
    before = head[: min(start for start, _ in found)]
    line = before.rpartition("\n")[2].strip() or before.strip().rpartition("\n")[2].strip()
    is_title = letters_of(line) in letters_of(title)
    if line and not is_title and _NAME_BEFORE.fullmatch(line) and not _PLACE.search(line):
        return False
    following = _ANOTHER.match(head[max(end for _, end in found) :])
    return following is None or bool(_PLACE.search(following[1]))


def _place(author: Author, head: str) -> tuple[int, int] | None:
    """The range of an author's name on the page, from the given name on if it is there."""
    initial = re.escape(author.given[:1])
    family = re.escape(author.family)
    found = re.search(rf"(?:\b{initial}[\w.'’ -]*?\s*)?\b{family}\b", head, re.I)
    return found.span() if found else None

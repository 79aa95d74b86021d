"""References that a link in the text leads to: "[12]" or "Smith et al., 2010" to its entry."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sciread_app.domain.annotations.annotations import Box, PagePosition
from sciread_app.domain.annotations.page_text import PageText, TextLine

MAX_LINES = 14
MAX_LABEL = 12  # characters of "12" or "Gre93"
_SHORTEST = 20  # characters of an entry
_INDENT = 4.0  # points, at least, of the lines after the first one of an entry
_WIDEST_INDENT = 60.0
_REACH = 40.0  # points from a link's target to the label of its entry
_GAP = 0.9  # heights of a line, at least, between two entries without labels

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LABELLED = re.compile(r"\s*\[(?P<label>[^\[\]\s]{1,12})\]")
_NUMBERED = re.compile(r"\s*(?P<label>\d{1,3})\.?\s+\D")
# Ends of a link's text that do not belong to the label: "[12]", "(Smith et al.,"
_AROUND = " \r\n\t[](){},;.:"


@dataclass(frozen=True)
class Reference:
    """An entry of a bibliography. `text` still has the line ends of the page."""

    text: str
    boxes: tuple[Box, ...]

    def holds(self, box: Box) -> bool:
        """Whether the middle of a box is in the entry."""
        x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        return any(one.holds(x, y) for one in self.boxes)


def link_text(letters: PageText, box: Box) -> str:
    """The text in the box of a link, without brackets and punctuation around it."""
    found, was_inside = [], False
    for number, letter in enumerate(letters.text):
        one = letters.box(number)
        middle = (one.left + one.right) / 2, (one.top + one.bottom) / 2
        # Many blanks are not drawn, and so have no place of their own.
        is_inside = was_inside if letter.isspace() else box.holds(*middle)
        if is_inside:
            found.append(" " if letter.isspace() else letter)
        was_inside = is_inside
    return "".join(found).strip(_AROUND)


def reference_at(
    letters: PageText, spot: PagePosition, link: str, bibliography: int | None
) -> Reference | None:
    """The entry at the target of a link with this text; None if the link is no citation.

    `letters` is the text of the target's page, on which the bibliography begins at the character
    `bibliography`: 0 if it began on an earlier page, None if it has no heading. Other links lead to
    sections, figures, equations and footnotes.
    """
    lines = letters.lines
    after = [number for number, line in enumerate(lines) if line.start >= (bibliography or 0)]
    label = re.split(r"[-–,]", link)[0].strip(_AROUND)
    if label and len(label) <= MAX_LABEL:
        shapes = [_LABELLED] if bibliography is None else [_LABELLED, _NUMBERED]
        for shape in shapes:
            first = _labelled(letters, lines, after, shape, label, spot)
            if first is not None:
                return _entry(letters, _until_label(letters, lines, first, shape), shape)
    years = _YEAR.findall(link)
    if not years and (bibliography is None or not re.match(r"[^\W\d]{2}", link)):
        return None
    first = _first_below(lines, after, spot)
    if first is None:
        return None
    found = _entry(letters, _until_outdent(lines, first), None)
    if found is None or not _fits(found.text, link, years):
        return None
    return found


def _fits(entry: str, link: str, years: Sequence[str]) -> bool:
    """Whether an entry is of the year or the first author that a link names."""
    if years:
        return years[0] in entry
    words = re.findall(r"[^\W\d_]{2,}", link)
    name = next((word for word in words if word[0].isupper()), words[0])  # "von Frisch"
    return bool(re.search(rf"\b{name}\b", entry, re.I) and _YEAR.search(entry))


def _labelled(
    letters: PageText,
    lines: Sequence[TextLine],
    among: Sequence[int],
    shape: re.Pattern[str],
    label: str,
    spot: PagePosition,
) -> int | None:
    """The line that begins with this label, the nearest to the target if there are several."""
    found = [
        number
        for number in among
        if (match := shape.match(_text(letters, lines[number]))) and match["label"] == label
    ]
    if spot.top:
        found = [n for n in found if abs(lines[n].box.top - spot.top) <= _REACH]
    return min(found, key=lambda n: _distance(lines[n].box, spot), default=None)


def _distance(box: Box, spot: PagePosition) -> float:
    return abs(box.top - spot.top) + abs(box.left - spot.left)


def _first_below(lines: Sequence[TextLine], among: Sequence[int], spot: PagePosition) -> int | None:
    """The first line below the target, in its column."""
    if not spot.top:
        return None
    below = [
        number
        for number in among
        if (lines[number].box.top + lines[number].box.bottom) / 2 > spot.top
        and lines[number].box.left >= spot.left - 20
    ]
    return min(below, key=lambda n: (lines[n].box.top, lines[n].box.left), default=None)


def _until_label(
    letters: PageText, lines: Sequence[TextLine], first: int, shape: re.Pattern[str]
) -> Sequence[TextLine]:
    """The lines up to the next label, also in the next column."""
    left = lines[first].box.left
    end = first + 1
    while end < min(len(lines), first + MAX_LINES):
        line = lines[end]
        # Numbers are aligned at the right: [9] begins further to the right than [10].
        is_outdented = line.box.left <= left + 2 * _INDENT
        same_column = abs(line.box.left - left) < 200
        if shape.match(_text(letters, line)) and (is_outdented or not same_column):
            break
        end += 1
    return lines[first:end]


def _until_outdent(lines: Sequence[TextLine], first: int) -> Sequence[TextLine]:
    """The lines up to the next one that is not indented, or is after a gap."""
    start = lines[first].box
    hanging = [
        line
        for line in lines
        if _INDENT < line.box.left - start.left < _WIDEST_INDENT
    ]  # fmt: skip
    end = first + 1
    while end < min(len(lines), first + MAX_LINES):
        before, box = lines[end - 1].box, lines[end].box
        height = start.bottom - start.top
        is_below = box.top > start.top - height
        if not is_below or box.top - before.bottom > _GAP * height:
            break
        if len(hanging) > 1 and box.left <= start.left + _INDENT:
            break
        end += 1
    return lines[first:end]


def _entry(
    letters: PageText, lines: Sequence[TextLine], shape: re.Pattern[str] | None
) -> Reference | None:
    while len(lines) > 1 and _text(letters, lines[-1]).strip().isdigit():  # number of the page
        lines = lines[:-1]
    text = "\n".join(_text(letters, line).strip() for line in lines)
    if shape and (match := shape.match(text)):
        text = text[match.end("label") :].lstrip("]. ")
    if len(text) < _SHORTEST:
        return None
    return Reference(text, tuple(line.box for line in lines))


def _text(letters: PageText, line: TextLine) -> str:
    return letters.text[line.start : line.end]

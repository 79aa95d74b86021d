"""Page layout: lines of text with their size, weight and position."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import NamedTuple

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage, PdfTextPage

from sciread_app.formats.pdf.metadata.text_cleanup import accented, clean

# A title is among the first few thousand characters; later ones only determine the body size.
MAX_CHARACTERS = 6_000
_BOLD_NAMES = ("bold", "black", "heavy", "medi", "demi", "cmbx", "sfbx")
_OWN_SIZE = 3.0  # points; smaller font sizes are not the visible size
RAISED, LOWERED, APART = "\ue000", "\ue001", "\ue003"  # of the private use area
_SMALL, _ABOVE = 0.86, 0.12  # of a raised letter, relative to the line's font size
_LINE_NUMBER = re.compile(r"\s*(\d{1,4})(?:\s+|$)")
_RAISED_NUMBER = re.compile(rf"^{RAISED}(\d+){LOWERED}")
_FEWEST_NUMBERS = 8
_LINE_GAP = 1.1  # relative to the font size: texts this far apart in height are two lines
_COLUMN_GAP = 4.0  # relative to the font size: texts this far apart on one line are separate
_WORD_GAP, _WIDE_GAP = 0.15, 0.85  # relative to the font size: the least space, and a wide one
_NARROW = 0.2  # the width of a narrow letter, likewise
_NEAR_ACCENT = 40  # characters beside an accent among which its letter is
_OFF_CENTER = 0.2  # relative to the font size: the most that an accent is beside its letter


@dataclass(frozen=True, slots=True)
class LayoutLine:
    """A line of text, in points: `size` is that of most letters; the position is relative to the
    page's top left. `marked` is the text with raised small letters, the marks of affiliations and
    footnotes, between RAISED and LOWERED, and with APART where words are far apart."""

    text: str
    size: float
    left: float
    right: float
    top: float
    bold: bool = False
    font: str = ""  # the name without the subset's prefix
    marked: str = ""


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The lines in the page's main direction, in file order, and the rotated texts."""

    height: float = 0.0
    lines: tuple[LayoutLine, ...] = ()
    across: tuple[str, ...] = ()

    @property
    def body_size(self) -> float:
        """The size of most letters of the page, in points; 0 for an empty page."""
        letters: Counter[float] = Counter()
        for line in self.lines:
            letters[round(line.size * 2) / 2] += len(line.text)
        return letters.most_common(1)[0][0] if letters else 0.0


class _Glyph(NamedTuple):
    character: str
    place: int  # index into the page's characters
    x: float
    y: float
    size: float
    turns: int  # the writing direction, in quarter turns counter-clockwise


def page_layout(page: PdfPage, text: PdfTextPage) -> PageLayout:
    """The layout of the first MAX_CHARACTERS of a page."""
    left, bottom, right, top = page.get_bbox()
    runs = list(_runs(_with_accents(list(_glyphs(text, (left, bottom, right, top))), text)))
    turns = Counter(glyphs[0].turns for glyphs in runs for _ in glyphs)
    if not turns:
        return PageLayout()
    main = turns.most_common(1)[0][0]
    lines, across = [], []
    for glyphs in runs:
        if glyphs[0].turns == main:
            lines += [_line(part, text) for part in _columns(glyphs)]
        else:
            across.append(clean("".join(glyph.character for glyph in glyphs)))
    height = right - left if main % 2 else top - bottom
    lines = _without_numbers([line for line in lines if line.text])
    return PageLayout(height, tuple(lines), tuple(across))


def _without_numbers(lines: list[LayoutLine]) -> list[LayoutLine]:
    """The lines of a manuscript without the numbers in its margin."""
    found = [_LINE_NUMBER.match(line.text) for line in lines]
    numbers = [int(match[1]) for match in found if match]
    rising = sum(a < b <= a + 5 for a, b in pairwise(numbers))
    if len(numbers) < max(_FEWEST_NUMBERS, 0.5 * len(lines)) or rising < 0.8 * len(numbers):
        return lines
    plain = [
        replace(
            line,
            text=line.text[match.end() :],
            marked=_LINE_NUMBER.sub("", _RAISED_NUMBER.sub(r"\1 ", line.marked)),
        )
        if match
        else line
        for line, match in zip(lines, found, strict=True)
    ]
    return [line for line in plain if line.text]


def _runs(glyphs: Iterable[_Glyph]) -> Iterator[list[_Glyph]]:
    """The glyphs of one line and one writing direction."""
    line: list[_Glyph] = []
    for glyph in glyphs:
        if glyph.character in "\r\n":
            yield from _by_direction(line)
            line = []
        else:
            line.append(glyph)
    yield from _by_direction(line)


def _by_direction(line: Iterable[_Glyph]) -> Iterator[list[_Glyph]]:
    for _, glyphs in groupby(line, key=lambda glyph: glyph.turns):
        yield list(glyphs)


def _glyphs(text: PdfTextPage, box: tuple[float, float, float, float]) -> Iterator[_Glyph]:
    """Every character, in coordinates relative to its own writing direction.

    A space or line break inserted by PDFium has the position of the previous character.
    """
    handle = text.raw
    x, y, matrix = ctypes.c_double(), ctypes.c_double(), pdfium.FS_MATRIX()
    right = down = size = 0.0
    turns = 0
    seen: tuple[float, float] | None = None
    for place in range(min(text.count_chars(), MAX_CHARACTERS)):
        code = pdfium.FPDFText_GetUnicode(handle, place)
        if code > 32 or not pdfium.FPDFText_IsGenerated(handle, place):
            pdfium.FPDFText_GetCharOrigin(handle, place, x, y)
            font_size = pdfium.FPDFText_GetFontSize(handle, place)
            # Letters of one height and size have one appearance, which saves half of the time;
            # except where a font of size 1 leaves the scaling to the matrix.
            if seen != (y.value, font_size) or font_size < _OWN_SIZE:
                seen = (y.value, font_size)
                pdfium.FPDFText_GetMatrix(handle, place, matrix)
                # The font's own size is often 1, and the matrix scales it.
                size = font_size * math.hypot(matrix.c, matrix.d)
                turns = round(math.atan2(matrix.b, matrix.a) / (math.pi / 2)) % 4
            right, down = _turned(x.value, y.value, turns, box)
        if 0 < code <= 0x10FFFF:
            yield _Glyph(chr(code), place, right, down, size, turns)


def _turned(
    x: float, y: float, turns: int, box: tuple[float, float, float, float]
) -> tuple[float, float]:
    """The coordinates after turning the page until the text is upright."""
    left, bottom, right, top = box
    if turns == 0:
        return x - left, top - y
    if turns == 1:
        return y - bottom, x - left
    if turns == 2:
        return right - x, y - bottom
    return top - y, right - x


def _with_accents(glyphs: list[_Glyph], text: PdfTextPage) -> list[_Glyph]:
    """The glyphs with every separate accent joined to the letter that it is printed above.

    TeX's old fonts have no accented letters, and PDFium returns some accents after the next words.
    """
    found = [i for i, glyph in enumerate(glyphs) if accented(glyph.character, "e")]
    for place in reversed(found):
        letter = _below_accent(glyphs, place)
        if letter is None:
            continue
        whole = accented(glyphs[place].character, glyphs[letter].character)
        glyphs[letter] = glyphs[letter]._replace(character=whole)
        first, last = place, place + 1
        while last < len(glyphs) and glyphs[last].character == " ":
            last += 1
        while first and glyphs[first - 1].character == " ":
            first -= 1
        # PDFium inserts spaces around an accent that is out of order.
        is_spaced = 0 < first < place or place + 1 < last < len(glyphs)
        is_apart = is_spaced and (
            last == len(glyphs) or first == 0 or _gap(glyphs[first - 1], glyphs[last], text)
        )
        glyphs[first:last] = [glyphs[place]._replace(character=" ")] if is_apart else []
    return glyphs


def _below_accent(glyphs: Sequence[_Glyph], place: int) -> int | None:
    """The index of the letter that an accent is centered above; None if there is none."""
    accent = glyphs[place]
    best: tuple[float, int] | None = None
    for i in range(max(0, place - _NEAR_ACCENT), min(len(glyphs), place + _NEAR_ACCENT)):
        glyph = glyphs[i]
        is_near = abs(glyph.y - accent.y) < 0.5 * accent.size and glyph.turns == accent.turns
        if is_near and accented(accent.character, glyph.character):
            following = (g.x for g in glyphs[i + 1 : i + 6] if not accented(g.character, "e"))
            width = min(next((x for x in following if x > glyph.x), math.inf) - glyph.x,
                        0.6 * glyph.size)  # fmt: skip
            off = abs(glyph.x + width / 2 - accent.x - 0.2 * accent.size)
            if best is None or off < best[0]:
                best = off, i
    return best[1] if best and best[0] < _OFF_CENTER * accent.size else None


def _gap(glyph: _Glyph, following: _Glyph, text: PdfTextPage, size: float = _WORD_GAP) -> bool:
    """Whether the space between two upright glyphs of a line is wider than this part of the font
    size."""
    if glyph.turns or following.turns or abs(glyph.y - following.y) > 0.5 * glyph.size:
        return False
    if following.x - glyph.x < (size + _NARROW) * glyph.size:
        return False
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    pdfium.FPDFText_GetCharBox(text.raw, glyph.place, left, right, bottom, top)
    end = right.value
    pdfium.FPDFText_GetCharBox(text.raw, following.place, left, right, bottom, top)
    return left.value - end > size * max(glyph.size, following.size)


def _columns(glyphs: list[_Glyph]) -> Iterator[list[_Glyph]]:
    """Split where the next glyph is in another column or on another line."""
    part: list[_Glyph] = []
    for glyph in glyphs:
        if part and (
            glyph.x - part[-1].x > _COLUMN_GAP * max(glyph.size, part[-1].size)
            or glyph.x < part[-1].x - 2 * glyph.size
            or abs(glyph.y - part[-1].y) > _LINE_GAP * max(glyph.size, part[-1].size)
        ):
            yield part
            part = []
        part.append(glyph)
    if part:
        yield part


def _line(glyphs: list[_Glyph], text: PdfTextPage) -> LayoutLine:
    letters = [glyph for glyph in glyphs if not glyph.character.isspace()] or glyphs
    words = [glyph for glyph in letters if glyph.character.isalpha()] or letters
    sizes = sorted(glyph.size for glyph in words)
    # The upper third: a title in small capitals is as large as its capitals, and the marks and
    # indices in a line do not make it smaller.
    size = sizes[len(sizes) * 2 // 3]
    large = [glyph for glyph in words if glyph.size >= size * _SMALL]
    top = sorted(glyph.y for glyph in letters)[len(letters) // 2]
    if any(glyph.size < size * _SMALL for glyph in letters):
        # Of the large letters only: a name of three letters may have four marks.
        heights = sorted(glyph.y for glyph in letters if glyph.size >= size * _SMALL)
        top = heights[len(heights) // 2]
    font = _font(text, large[len(large) // 2].place)
    return LayoutLine(
        clean("".join(glyph.character for glyph in glyphs)).strip(),
        size,
        min(glyph.x for glyph in letters),
        max(glyph.x for glyph in letters) + size / 2,
        top,
        # By the font's name: the weight guessed by PDFium takes TeX's italics for bold.
        any(mark in font.lower() for mark in _BOLD_NAMES),
        font,
        _marked(glyphs, size, top, text),
    )


def _font(text: PdfTextPage, index: int) -> str:
    name = ctypes.create_string_buffer(128)
    pdfium.FPDFText_GetFontInfo(text, index, name, len(name), ctypes.c_int())
    return name.value.decode("latin-1").rpartition("+")[2]


def _marked(glyphs: list[_Glyph], size: float, top: float, text: PdfTextPage) -> str:
    parts: list[str] = []
    raised = False
    previous: _Glyph | None = None
    for glyph in glyphs:
        if not glyph.character.isspace():
            is_word = parts[-1:] == [" "] and previous is not None and previous.character != "."
            if is_word and previous and _gap(previous, glyph, text, _WIDE_GAP):
                parts.append(APART)
            previous = glyph
            is_raised = glyph.size < _SMALL * size and top - glyph.y > _ABOVE * size
            if is_raised != raised:
                parts.append(RAISED if is_raised else LOWERED)
                raised = is_raised
        parts.append(glyph.character)
    if raised:
        parts.append(LOWERED)
    return clean("".join(parts)).strip()

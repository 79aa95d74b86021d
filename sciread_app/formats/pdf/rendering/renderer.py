"""PDFium rendering and text positions: only the rendering process imports this.

All coordinates are in points from the top left of the displayed page, whatever its own coordinates.
"""

from __future__ import annotations

import ctypes
import math
import re
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError, PdfPage, PdfTextPage

from sciread_app.domain.annotations.annotations import Box
from sciread_app.domain.annotations.page_text import PageText
from sciread_app.domain.text.folding import fold_accents
from sciread_app.formats.pdf.rendering import annotator

MAX_PAGES = 20_000
MAX_HEADINGS = 5_000
MAX_LETTERS = 200_000  # of one page
MAX_LINKS = 5_000  # of one page
_DEEPEST = 12  # nesting depth of headings
_KEPT_PAGES = 4  # open at a time: another part of a page can be drawn without reading it again
_LETTER_PAPER = (612.0, 792.0)  # for pages without a size
_LONGEST_EDGE = 20_000.0  # points
_EXACT = 100  # PDFium returns whole numbers: so many units are a point
_AROUND = 40  # characters shown before and after a match
_LONGEST_ADDRESS = 2_000
_DARKEST, _LIGHTEST = 30, 225  # of pages in dark mode
# Hyphens are ignored on both sides, so that a word is found whether or not a line end splits it.
_LEFT_OUT = "-\u00ad\u2010\u2011\u200b\u2060\ufeff\ufffe\u0002"


class Transform(NamedTuple):
    """The transform from a page's own coordinates to points from its top left."""

    xx: float
    xy: float
    x: float
    yx: float
    yy: float
    y: float

    def box(self, left: float, top: float, right: float, bottom: float) -> Box:
        corners = [self.point(left, top), self.point(right, bottom)]
        xs, ys = zip(*corners, strict=True)
        return Box(min(xs), min(ys), max(xs), max(ys))

    def point(self, x: float, y: float) -> tuple[float, float]:
        return self.xx * x + self.xy * y + self.x, self.yx * x + self.yy * y + self.y

    def own(self, x: float, y: float) -> tuple[float, float]:
        """The inverse of `point`."""
        scale = self.xx * self.yy - self.xy * self.yx
        x, y = x - self.x, y - self.y
        return (self.yy * x - self.xy * y) / scale, (self.xx * y - self.yx * x) / scale


class OpenPage:
    """A page with its text, which is read on first use."""

    def __init__(self, page: PdfPage) -> None:
        self.page = page
        self.transform = _transform(page)
        self._words: PdfTextPage | None = None
        self._text: str | None = None
        self._letters: PageText | None = None

    @property
    def words(self) -> PdfTextPage:
        if self._words is None:
            self._words = self.page.get_textpage()
        return self._words

    @property
    def text(self) -> str:
        """The text, indexed by PDFium's characters."""
        if self._text is None:
            count = min(self.words.count_chars(), MAX_LETTERS)
            code = pdfium.FPDFText_GetUnicode
            words = self.words.raw
            self._text = "".join([_letter(code(words, number)) for number in range(count)])
        return self._text

    @property
    def letters(self) -> PageText:
        if self._letters is None:
            self._letters = PageText(self.text, self.edges(range(len(self.text))))
        return self._letters

    def edges(self, indices: Iterable[int]) -> array[float]:
        """Four numbers per character, as in domain.annotations.page_text; zero for those not in
        `indices`."""
        edges = array("f", bytes(16 * len(self.text)))
        rect, box, words = pdfium.FS_RECTF(), pdfium.FPDFText_GetLooseCharBox, self.words.raw
        place = ctypes.byref(rect)
        xx, xy, x, yx, yy, y = self.transform
        for number in indices:
            # A page has thousands: no function is called for a character that is not needed.
            if box(words, number, place):
                left, top, right, bottom = rect.left, rect.top, rect.right, rect.bottom
                x1, y1 = xx * left + xy * top + x, yx * left + yy * top + y
                x2, y2 = xx * right + xy * bottom + x, yx * right + yy * bottom + y
                edges[4 * number] = x1 if x1 < x2 else x2
                edges[4 * number + 1] = y1 if y1 < y2 else y2
                edges[4 * number + 2] = x2 if x1 < x2 else x1
                edges[4 * number + 3] = y2 if y1 < y2 else y1
        return edges

    def close(self) -> None:
        if self._words is not None:
            self._words.close()
        self.page.close()


class PdfRenderer:
    """An open document. Raises PdfiumError where PDFium does, and IndexError for a missing page."""

    def __init__(self, data: bytes, password: str = "") -> None:
        self._document = PdfDocument(data, password=password or None)
        self._pages: OrderedDict[int, OpenPage] = OrderedDict()
        self._count = min(len(self._document), MAX_PAGES)
        self._saved = bytearray()

    def shape(self) -> dict[str, Any]:
        """The size of each page, and the outline."""
        return {
            "sizes": [self._size(page) for page in range(self._count)],
            "outline": list(self._outline()),
        }

    def draw(self, page: int, part: dict[str, Any]) -> bytearray:
        """A region of a page (see annotations.PageRegion), four bytes per pixel: blue, green, red,
        255."""
        width, height, turn = part["width"], part["height"], part["turn"] % 4
        pixels = bytearray(4 * width * height)
        buffer = (ctypes.c_ubyte * len(pixels)).from_buffer(pixels)
        bitmap = pdfium.FPDFBitmap_CreateEx(
            width, height, pdfium.FPDFBitmap_BGRx, buffer, 4 * width
        )
        if not bitmap:
            raise MemoryError
        try:
            pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
            size = self._size(page)
            across, down = (round(edge * part["scale"]) for edge in size)
            if turn % 2:
                across, down = down, across
            pdfium.FPDF_RenderPageBitmap(
                bitmap, self._open(page).page, -part["left"], -part["top"], across, down,
                turn, pdfium.FPDF_ANNOT,
            )  # fmt: skip
        finally:
            pdfium.FPDFBitmap_Destroy(bitmap)
        del buffer
        return _darkened(pixels) if part["dark"] else pixels

    def letters(self, page: int) -> PageText:
        return self._open(page).letters

    def links(self, page: int) -> list[dict[str, Any]]:
        open_page = self._open(page)
        made = list(self._link_annotations(open_page))
        return (made + list(_text_links(open_page)))[:MAX_LINKS]

    def text(self, page: int) -> str:
        """The text of the page without positions; "" for an unreadable page."""
        opened = None
        try:
            opened = OpenPage(self._document[page])
            return str(opened.words.get_text_range())
        except PdfiumError:
            return ""
        finally:
            if opened:
                opened.close()

    def find(self, page: int, words: str) -> list[dict[str, Any]]:
        """The places of these words on a page: offsets in its text, boxes, and the text around
        each."""
        # Most pages do not contain the words; their positions need not be read.
        if not _matches(self.text(page), words):
            return []
        opened = self._open(page)
        text, found = opened.text, _matches(opened.text, words)
        letters = PageText(text, opened.edges(chain(*(range(*place) for place in found))))
        return [
            {
                "page": page,
                "start": start,
                "end": end,
                "boxes": letters.boxes(start, end),
                "around": text[max(0, start - _AROUND) : end + _AROUND],
            }
            for start, end in found
        ]

    def annotate(self, page: int, annotations: list[dict[str, Any]]) -> bool:
        """Add annotations to a page; False if the protection of the file forbids them."""
        if not annotator.may_annotate(self._document):
            return False
        open_page = self._open(page)
        annotator.annotate(open_page.page, open_page.transform.own, annotations)
        return True

    def boxes(self, page: int, rects: list[list[float]]) -> list[Box]:
        """The boxes of rectangles in the page's own coordinates."""
        transform = self._open(page).transform
        return [transform.box(*rect) for rect in rects]

    def saved(self, start: int, length: int) -> tuple[int, bytearray]:
        """The size of a file with all annotations, and a part of it. Writes it if `start` is 0."""
        if not start:
            self._saved = annotator.saved(self._document)
        return len(self._saved), self._saved[start : start + length]

    def _open(self, page: int) -> OpenPage:
        if not 0 <= page < self._count:
            raise IndexError(page)
        if page not in self._pages:
            self._pages[page] = OpenPage(self._document[page])
            while len(self._pages) > _KEPT_PAGES:
                self._pages.popitem(last=False)[1].close()
        self._pages.move_to_end(page)
        return self._pages[page]

    def _size(self, page: int) -> tuple[float, float]:
        size = pdfium.FS_SIZEF()
        if not pdfium.FPDF_GetPageSizeByIndexF(self._document, page, size):
            return _LETTER_PAPER
        edges = (size.width, size.height)
        usual = all(math.isfinite(edge) and 1 <= edge <= _LONGEST_EDGE for edge in edges)
        return edges if usual else _LETTER_PAPER

    def _outline(self) -> Iterator[dict[str, Any]]:
        for number, heading in enumerate(self._document.get_toc(max_depth=_DEEPEST)):
            if number >= MAX_HEADINGS:
                return
            try:
                title, dest = heading.get_title(), heading.get_dest()
            except (PdfiumError, UnicodeDecodeError):
                continue
            spot = self._spot(dest.raw) if dest else None
            yield {"title": title, "level": heading.level, "spot": spot}

    def _link_annotations(self, open_page: OpenPage) -> Iterator[dict[str, Any]]:
        """The link annotations of the file."""
        position, link, rect = ctypes.c_int(0), pdfium.FPDF_LINK(), pdfium.FS_RECTF()
        for _ in range(MAX_LINKS):
            if not pdfium.FPDFLink_Enumerate(open_page.page, position, link):
                return
            if not pdfium.FPDFLink_GetAnnotRect(link, rect):
                continue
            box = open_page.transform.box(rect.left, rect.top, rect.right, rect.bottom)
            action = pdfium.FPDFLink_GetAction(link)
            dest = pdfium.FPDFLink_GetDest(self._document, link)
            if not dest and action:
                dest = pdfium.FPDFAction_GetDest(self._document, action)
            address = _address(self._document, action) if action else ""
            spot = self._spot(dest) if dest and not address else None
            if spot or address:
                yield {"box": box, "spot": spot, "address": address}

    def _spot(self, dest: Any) -> tuple[int, float, float] | None:
        page = pdfium.FPDFDest_GetDestPageIndex(self._document, dest)
        if not 0 <= page < self._count:
            return None
        flags = [ctypes.c_int() for _ in range(3)]
        x, y, zoom = (pdfium.FS_FLOAT() for _ in range(3))
        found_location = pdfium.FPDFDest_GetLocationInPage(dest, *flags, x, y, zoom)
        if not (found_location and flags[1].value):
            return page, 0.0, 0.0
        # A page's own coordinates mostly start at its bottom; opening it to be sure is too slow.
        top = self._size(page)[1] - y.value
        left = x.value if flags[0].value else 0.0
        return page, *(edge if math.isfinite(edge) and edge > 0 else 0.0 for edge in (top, left))


def _transform(page: PdfPage) -> Transform:
    width, height = page.get_size()
    across, down = round(width * _EXACT), round(height * _EXACT)

    def seen(x: float, y: float) -> tuple[float, float]:
        there_x, there_y = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDF_PageToDevice(page, 0, 0, across, down, 0, x, y, there_x, there_y)
        return there_x.value / _EXACT, there_y.value / _EXACT

    far = 1000.0  # points: rounding to whole numbers matters less over a long distance
    (x, y), (xx, yx), (xy, yy) = seen(0, 0), seen(far, 0), seen(0, far)
    return Transform((xx - x) / far, (xy - x) / far, x, (yx - y) / far, (yy - y) / far, y)


def _letter(code: int) -> str:
    if code == 2:
        return "\ufffe"  # PDFium's replacement of a hyphen that ends a line
    return "\ufffd" if code > 0x10FFFF or 0xD800 <= code < 0xE000 or not code else chr(code)


def _text_links(open_page: OpenPage) -> Iterator[dict[str, Any]]:
    """Addresses in the text."""
    found = pdfium.FPDFLink_LoadWebLinks(open_page.words)
    edges = [ctypes.c_double() for _ in range(4)]
    try:
        for number in range(min(pdfium.FPDFLink_CountWebLinks(found), MAX_LINKS)):
            length = pdfium.FPDFLink_GetURL(found, number, None, 0)
            if not 0 < length <= _LONGEST_ADDRESS:
                continue
            buffer = (ctypes.c_ushort * length)()
            pdfium.FPDFLink_GetURL(found, number, buffer, length)
            address = bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")
            for rect in range(pdfium.FPDFLink_CountRects(found, number)):
                if pdfium.FPDFLink_GetRect(found, number, rect, *edges):
                    box = open_page.transform.box(*(edge.value for edge in edges))
                    yield {"box": box, "spot": None, "address": address}
    finally:
        pdfium.FPDFLink_CloseWebLinks(found)


def _address(document: PdfDocument, action: Any) -> str:
    if pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
        return ""
    length = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
    if not 0 < length <= _LONGEST_ADDRESS:
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFAction_GetURIPath(document, action, buffer, length)
    return buffer.value.decode("utf-8", "replace")


def _darkened(pixels: bytearray) -> bytearray:
    """Brightness inverted and hues kept: red becomes light red, and the dark blue of links light
    blue. Paper is not quite black."""
    import numpy as np  # 0.1 s, only in dark mode

    colours = np.frombuffer(pixels, np.uint8).reshape(-1, 4)[:, :3]
    blue, green, red = (colours[:, channel].astype(np.uint16) for channel in range(3))
    # The eye sees blue as darker than green of the same value, though with its true weight of 19
    # links would hardly look blue.
    brightness = ((77 * red + 128 * green + 51 * blue) >> 8).astype(np.int16)
    moved = 255 - 2 * brightness  # of all three colors, so that the hue remains
    for channel in range(3):
        turned = np.clip(colours[:, channel] + moved, 0, 255)
        colours[:, channel] = _DARKEST + turned * (_LIGHTEST - _DARKEST) // 255
    return pixels


def _folded(text: str) -> tuple[str, list[int]]:
    """`text` in lower case without accents and hyphens, with single spaces, and the source index of
    each of its characters."""
    letters: list[str] = []
    places: list[int] = []
    after_space = True
    for place, letter in enumerate(text):
        fold = _fold(letter)
        if fold == " " and after_space:
            continue
        if fold:
            letters.append(fold)
            places.extend([place] * len(fold))
            after_space = fold == " "
    return "".join(letters), places


def _matches(text: str, words: str) -> list[tuple[int, int]]:
    """The (start, end) of each match, ignoring line breaks, accents and hyphenation."""
    indices = _folded(words)[0].strip()
    if not indices:
        return []
    whole, places = _folded(text)
    return [
        (places[match.start()], places[match.end() - 1] + 1)
        for match in re.finditer(re.escape(indices), whole)
    ]


@lru_cache(maxsize=4096)
def _fold(letter: str) -> str:
    if letter in _LEFT_OUT:
        return ""
    if letter.isspace():
        return " "
    return fold_accents(letter)

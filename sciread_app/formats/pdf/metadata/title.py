"""Detection of the title by layout: the large text in the upper part of the first page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from rapidfuzz import fuzz

from sciread_app.formats.pdf.metadata.byline.parser import marked_text, pieces_of
from sciread_app.formats.pdf.metadata.layout import LayoutLine, PageLayout
from sciread_app.formats.pdf.metadata.rows import Row, rows_of
from sciread_app.formats.pdf.metadata.text_cleanup import VERSION, letters_of, one_line

_UPPER_PART = 0.62  # of the page's height; a thesis has its title near the middle
_SIZE_OF_TITLES = 13.0  # points; affiliations are smaller
_LARGER = 1.12  # relative to the body size, to count as large
_SAME_SIZE = 0.09  # relative difference within one title
_DOUBLE = 2.3  # the same in a manuscript with double spacing, within one font
_LEADING = 1.75  # line distance relative to the font size within one title
_ABOVE_NAMES = 0.5  # prominence of a title just above a list of names
_LONGEST, _MOST_WORDS = 350, 45

# Text in large letters on first pages that is not the title.
_BANNER = re.compile(
    r"""^(?:arxiv\s*:|https?://|www\.|doi\b|issn|isbn|©|copyright|submitted|received|accepted
    |published|available\s+online|contents\s+lists|preprint\b|hal\s+id|see\s+discussions|vol(?:ume)?\b
    |journal\s+homepage|open\s+access|(?:running|short)\s+(?:head|title)|author\(?s|to\s+cite|replace\s+this|downloaded|figure\s+\d
    |table\s+\d|dear\b|page\s+\d|proceedings\s+of|lecture\s+notes|special\s+issue|version\b
    |presented\s+at|to\s+appear|in\s+partial\s+fulfil|manuscript\b.{0,40}$|(?:the\s+)?(?:journal|annals)\s+of\b
    |physics\s+letters\b|ieee\s+transactions|ieee\s+access|nature\s+\w+$|plos\s+\w+$|scientific\s+reports$
    |astronomy\s*(?:&|and)\s*astrophysics$|the\s+astrophysical\s+journal|nucleic\s+acids\s+research$
    |[A-Z]{2,8}-[A-Z]{2,4}-\d)
    |physical\s+review\b|\b(?:working|discussion)\s+papers?\b|\boriginal\s+(?:paper|article|research)$|@|\.(?:com|org|edu|net)\b|\bissn\b|all\s+rights\s+reserved""",
    re.I | re.X,
)
_INSTITUTION = re.compile(
    r"\b(?:universi(?:t(?!ies)|d|à)|institut|instituto|department|departament|département|departement|fakult"
    r"|facult|college|school\s+of|laborator|organi[sz]ation\s+for|academy\s+of|ministry|hochschule"
    r"|gradua[cç]|corporation|gmbh|inc\.)",
    re.I,
)
_HEADING = re.compile(
    r"""^[\dIVX.\s]*(?:abstract|a\ b\ s\ t\ r\ a\ c\ t|summary|introduction|contents
    |table\ of\ contents|references|bibliography|keywords?|acknowledge?ments?|appendix|preface
    |foreword|index|list\ of\ .*
    |(?:(?:original|research|review|regular|short|full|technical)\ )*
    (?:article|paper|report|note|letter|communication|review|research|thesis)s?(?:\ open\ access)?
    |letters?\ to\ the\ editor|editorial|erratum|corrigendum|retraction|commentary
    |(?:bachelor|master|diplom|doktor)(?:arbeit|'?s\ thesis|\ thesis)
    |(?:ph\.?\ ?d\.?|doctoral)\ (?:thesis|dissertation)|dissertation|dissertação.*|tese.*|thèse.*
    |habilitation.*|diplomarbeit|masterarbeit|white\ paper|working\ paper|poster|confidential|draft
    |untitled|title|open|article\ info|this\ page\ .*
    |.*\ intentionally\ (?:left\ )?blank\.?)\W*$""",
    re.I | re.X,
)
# Chinese has no spaces between words.
_HAN_TITLE = re.compile(r"[\u3400-\u9fff]{6}")
_HAN_OTHER = re.compile(
    r"摘\s*要|关键词|收稿|基金|第\s*\d+\s*[卷期]|大学|学院|研究所|实验室|中图分类|文章编号|学报"
)
_SECTION = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2})*\.?|[IVX]+\.)\s+[A-Z]")
_LABEL = re.compile(r"^(?:full\s+)?title\s*:\s*", re.I)
_MONTHS = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_DATE = re.compile(rf"^(?:\d{{1,2}}\S*\s+)?(?:{_MONTHS})\.?,?\s+[\d, ]+$|^[\d\s/.:-]+$", re.I)
# The mark of an affiliation or a footnote after a name, or initials before one.
_NAME_MARK = re.compile(
    r"[^\W\d_]\s?(?:\d(?:,\s?\d)*|[∗*†‡§¶])\s?(?:,|and\b)|\b[A-Z]\.\s?[A-Z]\w+,"
)
# The text after a journal's name in page headers and footers: 181 (2010), vol. 3, 2012, 13.
_ISSUE = r"\W{0,3}(?:\d{1,4}\s*\((?:19|20)\d\d\)|\(?(?:19|20)\d\d\)?\W\s*\d|vol(?:ume|\.))"
_FOOTNOTE_MARK = re.compile(r"\s*[∗*†‡§¶⋆✩☆]+$")


@dataclass(frozen=True, slots=True)
class _TextBlock:
    """Consecutive lines of the same appearance."""

    lines: tuple[LayoutLine, ...]

    @property
    def text(self) -> str:
        text = one_line("\n".join(line.text for line in self.lines))
        return _FOOTNOTE_MARK.sub("", VERSION.sub("", text))

    @property
    def first(self) -> LayoutLine:
        return self.lines[0]


def large_title(pages: Sequence[PageLayout]) -> str:
    """The text of the first page that stands out as a title does; empty if there is none."""
    page = first_with_text(pages)
    blocks = _blocks(page)
    banners = _banners(blocks, pages)
    large = [
        place
        for place, block in enumerate(blocks)
        if block.first.size >= _LARGER * page.body_size
        and _may_be_title(block.text)
        and place not in banners
        and not _is_list_of_names(block.first)
    ]
    if not large:
        return ""

    def likelihood(place: int) -> float:
        below = blocks[place + 1 : place + 3]
        is_above_names = any(_is_list_of_names(block.first) for block in below)
        return _prominence(blocks[place], page) + _ABOVE_NAMES * is_above_names

    best = max(large, key=likelihood)
    title = blocks[best].text
    if title.endswith((":", "–", "—")) and best + 1 in large:
        title = f"{title} {blocks[best + 1].text}"
    return title


def first_with_text(pages: Sequence[PageLayout]) -> PageLayout:
    """The first page, or the one after a cover that is a picture."""
    return next((page for page in pages if page.lines), PageLayout())


def plain_title(pages: Sequence[PageLayout]) -> str:
    """The first lines, if they are set apart as a heading; for pages in a single size."""
    page = first_with_text(pages)
    blocks = _blocks(page)
    if title := _above_names(blocks):
        return title
    place = next((i for i, block in enumerate(blocks) if _may_be_title(block.text)), None)
    if place is None:
        return ""
    block = blocks[place]
    below = blocks[place + 1].first.top if place + 1 < len(blocks) else page.height
    apart = below - block.lines[-1].top > _LEADING * block.first.size or block.first.bold
    return block.text if apart and len(block.lines) <= 4 and len(block.text) <= 200 else ""


def likely_title(pages: Sequence[PageLayout]) -> str:
    """The most prominent text that may be the title, for a page without a certain one; empty if
    there is none."""
    page = first_with_text(pages)
    blocks = [block for block in _blocks(page) if len(block.lines) <= 5]
    found = [block for block in blocks if _may_be_title(block.text) and len(block.text) <= 200]
    best = max(found, key=lambda block: _prominence(block, page), default=None)
    return _LABEL.sub("", best.text) if best else ""


def _above_names(blocks: Sequence[_TextBlock]) -> str:
    """The first block that may be a title and is followed by names."""
    for block, below in pairwise(blocks[:12]):
        is_title = _may_be_title(block.text) and not names_of(block.first)
        if is_title and len(block.lines) <= 5 and names_of(below.first):
            return _LABEL.sub("", block.text)
    return ""


def is_printed(title: str, pages: Sequence[PageLayout]) -> bool:
    """Whether the title is on one of these pages, on lines of its own."""
    wanted = letters_of(title)
    for page in pages:
        lines = [letters_of(cell.text) for row in rows_of(page) for cell in row.cells]
        runs = ("".join(lines[i : i + n]) for i in range(len(lines)) for n in range(1, 6))
        if any(fuzz.ratio(run, wanted, score_cutoff=88) for run in runs):
            return True
    return False


def _banners(blocks: Sequence[_TextBlock], pages: Sequence[PageLayout]) -> set[int]:
    """Indices of the blocks that name the journal: its homepage is near, or an issue of it."""
    lines = [line.text for page in pages for line in page.lines if len(line.text) <= 150]
    found = set()
    for place, block in enumerate(blocks):
        after = blocks[place + 1].text if place + 1 < len(blocks) else ""
        journal = re.compile(re.escape(block.text) + _ISSUE, re.I)
        is_above_homepage = re.match(r"journal\s+homepage|(?:https?://)?www\.", after, re.I)
        if is_above_homepage or any(journal.search(line) for line in lines):
            found.add(place)
    return found


def _prominence(block: _TextBlock, page: PageLayout) -> float:
    """The likelihood that a block is the title; larger is more likely."""
    words = len(block.text.split())
    return (
        block.first.size / page.body_size
        + 0.2 * block.first.bold
        - 0.4 * block.first.top / page.height
        - 0.3 * (words <= 2)
        - 0.1 * (words == 3)
    )


def _may_be_title(text: str) -> bool:
    letters = sum(character.isalpha() for character in text)
    if _HAN_TITLE.search(text):
        return not _HAN_OTHER.search(text) and len(text) <= 80
    return (
        letters >= 8
        and 2 <= len(text.split()) <= _MOST_WORDS
        and len(text) <= _LONGEST
        and letters >= 0.5 * len(text.replace(" ", ""))
        and not _BANNER.search(text)
        and not _HEADING.match(text)
        and not _DATE.match(text)
        and not _SECTION.match(text)
        and not (_INSTITUTION.search(text) and len(text.split()) <= 8)
    )


def _blocks(page: PageLayout) -> list[_TextBlock]:
    """The upper part of the page, split where size or weight change, or at a gap.

    Lines beside each other, as of a side bar, belong to different blocks.
    """
    blocks: list[list[LayoutLine]] = []
    rows = rows_of(page)
    leading = _DOUBLE if _is_double_spaced(rows) else _LEADING
    for row in rows:
        if row.top > _UPPER_PART * page.height:
            break
        for line in row.cells:
            above = next(
                (
                    block
                    for block in reversed(blocks)
                    if block[-1].left < line.right and block[-1].right > line.left
                ),
                None,
            )
            if above and _continues(above, line, leading):
                above.append(line)
            else:
                blocks.append([line])
    return [_TextBlock(tuple(block)) for block in blocks]


def _is_double_spaced(rows: Sequence[Row]) -> bool:
    gaps = [(b.top - a.top) / a.cells[0].size for a, b in pairwise(rows) if len(a.text) > 40]
    return bool(gaps) and median(gaps) > _LEADING


def _continues(block: Sequence[LayoutLine], line: LayoutLine, leading: float) -> bool:
    last = block[-1]
    is_far = line.top - last.top > _LEADING * last.size
    return (
        abs(line.size - block[0].size) <= _SAME_SIZE * block[0].size
        and line.bold == block[0].bold
        and 0 < line.top - last.top <= leading * last.size
        and not (is_far and (line.font != last.font or names_of(line)))
        and not (_NAME_MARK.search(line.text) and names_of(line))
        and not (_INSTITUTION.match(line.text) and line.size < _SIZE_OF_TITLES)
    )


def _is_list_of_names(line: LayoutLine) -> bool:
    pieces = pieces_of(marked_text(line.marked))
    return pieces.names > 1 and not pieces.others


def names_of(line: LayoutLine) -> bool:
    """Whether a line names people, as the one below a title does."""
    pieces = pieces_of(marked_text(line.marked))
    return pieces.names > 0 and pieces.names > pieces.others

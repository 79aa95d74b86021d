"""The byline: the cells of a page below its title that name the authors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sciread_app.domain.paper import Author
from sciread_app.formats.pdf.metadata.byline.lexicon import AFFILIATION
from sciread_app.formats.pdf.metadata.byline.line_kinds import (
    AUTHOR_LABEL,
    END,
    OTHER,
    SENTENCE,
    SUPERVISORS,
)
from sciread_app.formats.pdf.metadata.byline.names import SegmentKind, has_shape_of_name
from sciread_app.formats.pdf.metadata.byline.parser import (
    ADDITIONS,
    ET_AL,
    MARK,
    Pieces,
    authors_of,
    begins_with_mark,
    marked_text,
    pieces_of,
)
from sciread_app.formats.pdf.metadata.layout import LayoutLine, PageLayout
from sciread_app.formats.pdf.metadata.rows import Row

_BY = re.compile(r"\W*B[yY]:?\s+(?=[^\W\d_a-z])")
_THESIS = re.compile(
    r"\b(?:a\s+(?:dissertation|thesis)|in\s+partial\s+fulfil|for\s+the\s+degree|ph\.?d\.?\s+thesis"
    r"|master['’]?s\s+thesis|doctoral\s+(?:thesis|dissertation)|dissertation\s+(?:zur|submitted)"
    r"|(?:bachelor|master|diplom)arbeit|thèse|tesi[s]?\s+(?:doctoral|di)|abhandlung|habilitation)\b",
    re.I,
)
_SAME_SIZE, _SMALL_CAPITALS = 0.09, 0.27
_LINE_GAP = 1.8  # distance of two lines of one list, likewise
_BLOCK_GAP = 1.65  # distance of two blocks, relative to the font size
_PARAGRAPH = 4  # lines of the same look, all but one of which read like sentences
_SIDE_BAR = 0.9  # relative to the body size, below which a text left of the title is a side bar
# The group that the authors write for.
_ON_BEHALF = re.compile(
    r"(?:^|[,;]\s*(?:and\s+)?)(?:for|(?:on\s+)?behalf\s+of)(?:\s+the)?(?:\s+[A-Z].*|$)"
)
# A line that ends within the name of a group or a person.
_DANGLING = re.compile(
    r"[,;]\s*(?:and\s+)?(?:for|on(?:\s+behalf(?:\s+of)?)?)(?:\s+the)?$"
    r"|\s(?:van|von|der|den|de|del|della|dos|das|da|du|la|le|zu)$"
)
_MOST_AUTHORS = 400


@dataclass(frozen=True, slots=True)
class Byline:
    """The authors below a title. `doubt` says why they are not certain, empty if they are."""

    authors: tuple[Author, ...] = ()
    doubt: str = ""


class NameCell(Protocol):
    """A cell that may name authors."""

    @property
    def line(self) -> LayoutLine: ...
    @property
    def row(self) -> int: ...
    @property
    def text(self) -> str: ...  # with marks
    @property
    def pieces(self) -> Pieces: ...


_Cell = TypeVar("_Cell", bound=NameCell)


@dataclass(slots=True)
class _BylineCell:
    line: LayoutLine
    row: int
    text: str  # with marks
    pieces: Pieces
    is_affiliation: bool


def byline_below(rows: Sequence[Row], title: tuple[int, int], page: PageLayout) -> Byline:
    """The byline below the title in these rows of the page; empty if none is found."""
    cells = list(_cells(rows, title, page))
    seed = next((i for i, cell in enumerate(cells) if _may_start(cell)), None)
    if seed is None:
        return Byline()
    style = cells[seed].line
    is_marked = cells[seed].text.rstrip(" ,;").endswith(MARK)
    chosen: list[_BylineCell] = []
    for cell in cells[seed:]:
        is_end = bool(chosen) and (
            _is_end_of_name(chosen[-1], cell) or _is_rest_of_list(chosen[-1], cell)
        )
        if is_end or (not cell.is_affiliation and _same_style(cell.line, style)):
            chosen.append(cell)
        elif is_marked and _is_marked_list(cell) and _same_style(cell.line, style):
            cell.is_affiliation = False
            chosen.append(cell)
    is_distinct = not any(cell.is_affiliation and _same_style(cell.line, style) for cell in cells)
    sure_rows = {cell.row for cell in chosen if cell.pieces.names} | {cells[seed].row}
    # "Ann Lee, University of Oslo": a city below it is no name.
    with_places = cells[seed].pieces.cut_at
    authors: list[Author] = []
    doubt = ""
    is_thesis = any(_THESIS.search(row.text) for row in rows[:25])
    groups = groups_of(chosen)
    for number, group in enumerate(groups):
        if is_thesis and authors:
            break  # a thesis has one author, and names of places and people below
        pieces = pieces_of(joined(group), is_marked=is_marked)
        if pieces.cut_at and not with_places:
            continue
        is_in_place = (
            is_distinct
            or group[0].row in sure_rows
            or {group[0].row - 1, group[-1].row + 1} <= sure_rows
            or _is_head(group[0], cells)
            or _is_among_names(group[0], chosen, cells)
        )
        if not _names_authors(pieces, is_in_place=is_in_place):
            if number == 0 or pieces.names or (pieces.doubtful and not pieces.others):
                doubt = doubt or f"“{group[0].line.text[:60]}” is not clearly a list of names"
                authors += authors_of(pieces)  # a guess at best
            continue
        authors += authors_of(pieces)
        if ET_AL.search(joined(group)):
            doubt = doubt or "not all authors are named"
        if pieces.others:
            doubt = doubt or f"“{group[0].line.text[:60]}” contains more than names"
    unique = tuple(dict.fromkeys(authors))
    if len(unique) < len(authors):
        doubt = doubt or "a name occurs twice"
    return Byline(unique[:_MOST_AUTHORS], doubt if unique else "")


def _cells(rows: Sequence[Row], title: tuple[int, int], page: PageLayout) -> Iterator[_BylineCell]:
    """The cells between the title and the abstract, those beside a side bar left out."""
    first, last = title
    heads = [cell for row in rows[first : last + 1] for cell in row.cells]
    size = max(cell.size for cell in heads)
    heads = [cell for cell in heads if cell.size > 0.9 * size]
    left = min(cell.left for cell in heads)
    # Magazines have a summary above the names.
    last = next(
        (n - 1 for n in range(last + 1, len(rows))[: _PARAGRAPH * 4] if _is_by(rows[n])), last
    )
    prose = _prose(rows[last + 1 :])
    named: _BylineCell | None = None  # the last cell with names
    supervisors: LayoutLine | None = None  # the last line of those
    end = math.inf  # of the columns that may name authors
    for number in range(last + 1, len(rows)):
        for cell in rows[number].cells:
            if cell.right < left and cell.size < _SIDE_BAR * page.body_size:
                continue  # a side bar with editors and dates
            if cell.left >= end:
                continue
            if END.match(cell.text) or number - last - 1 >= prose:
                # An abstract beside a column of names.
                if named and number <= named.row + 1 and cell.left > named.line.right:
                    end = cell.left
                    continue
                return
            if SUPERVISORS.match(cell.text):
                if named:
                    return
                supervisors = cell
                continue
            is_label = AUTHOR_LABEL.match(cell.text)
            if supervisors and is_label and _is_below(supervisors, cell):
                supervisors = None
            if supervisors and _is_line_below(supervisors, cell):
                supervisors = cell
                continue
            if _is_sentence(cell):
                continue
            text = marked_text(cell.marked)
            pieces = pieces_of(text)
            is_affiliation = (
                begins_with_mark(cell.marked)
                or bool(OTHER.search(cell.text))
                or _is_affiliation(text, pieces)
            )
            found = _BylineCell(cell, number, text, pieces, is_affiliation)
            if _may_start(found):
                named = found
            yield found


def _is_line_below(above: LayoutLine, line: LayoutLine) -> bool:
    is_near = line.top - above.top <= _BLOCK_GAP * above.size
    return is_near and _is_below(above, line)


def _is_by(row: Row) -> bool:
    """Whether a row is "By" and names, nothing else."""
    text = marked_text(row.cells[0].marked)
    if not _BY.match(row.text):
        return False
    pieces = pieces_of(text)
    return pieces.names > 0 and not pieces.others


def _is_below(above: LayoutLine, line: LayoutLine) -> bool:
    return line.top > above.top and line.left < above.right and line.right > above.left


def _prose(rows: Sequence[Row]) -> int:
    """The index of the row at which a paragraph of text begins, as an abstract without heading;
    the number of rows if there is none."""
    for start, row in enumerate(rows):
        first = row.cells[0]
        lines = [row]
        for below in rows[start + 1 : start + _PARAGRAPH]:
            cell = below.cells[0]
            is_below = cell.top - lines[-1].top <= _BLOCK_GAP * first.size
            if not (
                is_below and abs(cell.left - first.left) < first.size and _is_like(cell, first)
            ):
                break
            lines.append(below)
        sentences = sum(_is_sentence(line.cells[0]) for line in lines)
        if len(lines) == _PARAGRAPH and sentences >= _PARAGRAPH - 1:
            return start
    return len(rows)


def _is_like(line: LayoutLine, other: LayoutLine) -> bool:
    return abs(line.size - other.size) <= _SAME_SIZE * other.size and line.bold == other.bold


def _is_sentence(line: LayoutLine) -> bool:
    text = _ON_BEHALF.sub("", line.text)
    if len(text.split()) < 6 or len(SENTENCE.findall(text)) < 2 or text[-1:] == ",":
        return False
    # "Ann Lee, School of Physics, University of Oslo" is none.
    return not pieces_of(marked_text(line.marked)).cut_at


def _is_affiliation(text: str, pieces: Pieces) -> bool:
    if not pieces.texts:
        return True
    if pieces.names and (pieces.cut_at or pieces.names >= 2 * pieces.others):
        return False
    others = sum(kind is SegmentKind.other for kind in pieces.kinds)
    return bool(AFFILIATION.search(text)) or others > pieces.names + pieces.doubtful


def _may_start(cell: _BylineCell) -> bool:
    pieces = cell.pieces
    if cell.is_affiliation:
        return False
    return pieces.names > 0 or (
        pieces.doubtful > 0 and pieces.doubtful >= len(pieces.texts) - pieces.others
        and not pieces.others
    )  # fmt: skip


def _same_style(line: LayoutLine, style: LayoutLine) -> bool:
    # Small capitals are set in two sizes, and either may be that of most letters.
    is_capitals = line.text.isupper() and style.text.isupper()
    tolerance = _SMALL_CAPITALS if is_capitals else _SAME_SIZE
    is_same_size = abs(line.size - style.size) <= tolerance * max(line.size, style.size)
    return (
        is_same_size
        and line.bold == style.bold
        and (line.font == style.font or line.marked != line.text or _family(line) == _family(style))
    )


def _family(line: LayoutLine) -> str:
    """The font's name without its size and style, except italics."""
    is_slanted = re.search(r"ital|obl|slant|-?it\b|cmti|sfti|ti\d|cmsl", line.font, re.I)
    return "italic" if is_slanted else "upright"


def groups_of(chosen: Sequence[_Cell]) -> list[list[_Cell]]:
    """Cells that form one list of names: a line that goes on in the next one."""
    groups: list[list[_Cell]] = []
    for cell in chosen:
        if groups and _goes_on(groups[-1][-1], cell):
            groups[-1].append(cell)
        else:
            groups.append([cell])
    return groups


def _is_next(last: NameCell, cell: NameCell) -> bool:
    """Whether a cell is in the line below, between which there may be lines of a side bar."""
    if cell.row - last.row <= 1:
        return True
    is_near = cell.line.top - last.line.top <= _LINE_GAP * last.line.size
    return is_near and abs(cell.line.left - last.line.left) < last.line.size


def _goes_on(last: NameCell, cell: NameCell) -> bool:
    if not last.text or not cell.text or not _is_next(last, cell):
        return False
    if last.text.endswith("-") or _DANGLING.search(last.text):
        return True
    if re.search(rf"(?:[,;&·•|]|\band)[\s{MARK}]*$", last.text, re.I):
        return True
    if re.match(rf"[{MARK}\s]*(?:[,;&·•|]|and\b|AND\b)", cell.text):
        return True
    if cell.row == last.row or last.text.endswith(MARK):
        return False
    if not last.pieces.kinds or not cell.pieces.kinds:
        return False
    people = [kind for kind in last.pieces.kinds if kind not in ADDITIONS]
    is_list = len(people) > 1
    # "Ann Lee¹, Ben Cho², Pedro", and "Gomes Neto³" below
    if is_list and last.text.count(MARK) >= len(people) - 1 and MARK in cell.text:
        return True
    is_broken = (
        last.pieces.kinds[-1] is SegmentKind.part or cell.pieces.kinds[0] is SegmentKind.part
    )
    return is_list and is_broken


def _is_marked_list(cell: _BylineCell) -> bool:
    """Whether a line is a list of what may be names, each with a mark."""
    return cell.text.endswith(MARK) and all(map(has_shape_of_name, cell.pieces.texts))


def _is_end_of_name(last: _BylineCell, cell: _BylineCell) -> bool:
    """Whether a line ends the name that the one above begins, and goes on with degrees only, which
    may be in italics; or the name of the group that the authors write for."""
    if cell.row == last.row + 1 and _DANGLING.search(last.text):
        return True
    if cell.row != last.row + 1 or len(last.pieces.kinds) < 2 or len(cell.pieces.kinds) < 2:
        return False
    first, *others = cell.pieces.kinds
    return first is SegmentKind.part and all(kind is SegmentKind.degree for kind in others)


def _is_rest_of_list(last: _BylineCell, cell: _BylineCell) -> bool:
    """Whether a line of another weight goes on with the names of the one above: in some journals
    only the family names are bold."""
    is_list = last.pieces.names > 1 and not cell.is_affiliation
    is_same_size = abs(cell.line.size - last.line.size) <= _SAME_SIZE * last.line.size
    is_next = cell.row == last.row + 1
    return is_list and is_same_size and is_next and _goes_on(last, cell)


def _is_among_names(
    cell: _BylineCell, chosen: Sequence[_BylineCell], cells: Sequence[_BylineCell]
) -> bool:
    """Whether a cell is in a block of lines with one name each, at least one of which is certain.

    `chosen` are those of the names' style, `cells` are all.
    """
    block = {id(cell): cell}
    first = last = cell
    for other in cells:
        if _is_line_below(last.line, other.line) and other.row == last.row + 1:
            last = block[id(other)] = other
    for other in reversed(cells):
        if _is_line_below(other.line, first.line) and other.row == first.row - 1:
            first = block[id(other)] = other
    names = {id(other) for other in chosen if len(other.pieces.kinds) == 1}
    return block.keys() <= names and any(other.pieces.names for other in block.values())


def joined(group: Sequence[NameCell]) -> str:
    """The text of cells that form one list of names."""
    text = ""
    for cell in group:
        if not text.endswith("-"):
            text += " "
        elif not (cell.text[:1].isupper() and cell.text[1:2].islower()):  # else as in Jean-Pierre
            text = text[:-1]
        text += cell.text
    return text.strip()


def _is_head(cell: _BylineCell, cells: Sequence[_BylineCell]) -> bool:
    """Whether a cell is the first line of a block: the line above it is further away than usual,
    or an e-mail address."""
    above = [
        other for other in cells
        if other.line.top < cell.line.top - 0.5 * cell.line.size
        and other.line.left < cell.line.right and other.line.right > cell.line.left
    ]  # fmt: skip
    if not above:
        return True
    nearest = max(above, key=lambda other: other.line.top)
    return not nearest.text or cell.line.top - nearest.line.top > _BLOCK_GAP * cell.line.size


def _names_authors(pieces: Pieces, *, is_in_place: bool) -> bool:
    """Whether a list is one of names; unknown words are, where a name is expected."""
    sure = pieces.names + pieces.doubtful
    if not sure or pieces.others > max(0, (sure - 1) // 3):
        return False
    return pieces.names > 0 or is_in_place

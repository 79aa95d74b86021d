"""Detection of the abstract by its heading on one of the first pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sciread_app.formats.pdf.metadata.layout import LayoutLine, PageLayout
from sciread_app.formats.pdf.metadata.text_cleanup import one_line

_WORDS = (
    r"abstract|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary"
    r"|zusammenfassung|résumé|resumen|resumo|riassunto"
)
# A heading on its own line, or before the text: "Abstract—We show", "Summary: We show".
_HEADING = re.compile(
    rf"^\W*(?:\d\.?\s+)?(?:{_WORDS})(?:\s*[—–:.\-]+\s*(?P<text>.*)|\s*)$"
    r"|^(?:Abstract|ABSTRACT)\s+(?P<after>[A-Z].{20,})$",
    re.I,
)
_END = re.compile(
    r"""^\W*(?:key\s?-?words?\b|index\s+terms|(?:\d{1,2}|I)?\.?\s*introduction\b|1\.?\s+[A-Z]\w+
    |I\.\s|pacs\b|ccs\s+concepts|acm\s+reference|msc\b|ams\s+subject|(?:mathematics\s+)?subject\s+class
    |categories\s+and|general\s+terms|jel\b|contents\b|table\s+of\s+contents|received\b|e-?mail
    |corresponding\s+author|nomenclature|abbreviations|(?:additional\s+)?citation\b|cite\s+this
    |preprint\s+submitted|arxiv:|doi\b|https?://(?:dx\.)?doi|©|copyright|palavras|mots[\s-]cl|schlüssel
    |palabras|plain\s+language|significance\b|graphical\s+abstract|highlights\b|article\s+info
    |manuscript\b|submitted\b|accepted\b|funding\b|reprinted\b|permission\s+to\s+make)""",
    re.I | re.X,
)
_PART = re.compile(
    r"^(?:background|context|motivation|objectives?|aims?|purpose|methods?|materials|design|setting"
    r"|results?|findings|conclusions?|interpretation|discussion|significance|availability)\b",
    re.I,
)
_SENTENCE_END = re.compile(r"[.!?…]\W*(?:\[?\d{0,3}\]?)$")
_SHORTEST, _LONGEST = 80, 6_000
_GAP = 1.9  # a gap that ends the abstract, relative to its line distance
_WIDEST = 2.8  # maximum line distance relative to the font size, as in a thesis
_SMALLER = 0.85  # relative to the abstract's font size: an index or a mark on a line of its own


def printed_abstract(pages: Iterable[PageLayout]) -> str:
    """The text under the first heading "Abstract"; empty if in doubt."""
    for page in pages:
        for position, line in enumerate(page.lines):
            if match := _HEADING.match(line.text):
                start = match["text"] or match["after"] or ""
                text = _text(start, line, page.lines[position + 1 :])
                if len(text) >= _SHORTEST and _SENTENCE_END.search(text):
                    return text
    return ""


def _text(start: str, heading: LayoutLine, lines: Sequence[LayoutLine]) -> str:
    """The text up to the next heading, a gap, or another font size."""
    parts = [start] if start else []
    last = heading
    size, step = heading.size if start else 0.0, 0.0
    for line in lines:
        if size and line.size < _SMALLER * size and len(line.text) <= 4:
            parts.append(line.text)
            continue
        if parts and _ends(line, last, size, step):
            break
        if not parts and _END.match(line.text):
            break
        distance = line.top - last.top
        if parts and distance > 0.5 * line.size:
            step = min(step or distance, distance)
        size = size or line.size
        parts.append(line.text)
        last = line
        if sum(map(len, parts)) > _LONGEST:
            return ""  # no end was found, so this is the paper and not its abstract
    return one_line("\n".join(parts))


def _ends(line: LayoutLine, last: LayoutLine, size: float, step: float) -> bool:
    if _END.match(line.text):
        return True
    if abs(line.size - size) > 0.12 * size and len(line.text) > 4:
        return True
    distance = line.top - last.top
    if distance < -2 * size:
        return True  # the line is higher: the next column
    widest = _GAP * max(step, size) if step else _WIDEST * size
    return distance > widest and not _PART.match(line.text)

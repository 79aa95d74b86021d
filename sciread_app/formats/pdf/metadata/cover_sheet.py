"""Cover sheets that repositories and publishers put before an article."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sciread_app.formats.pdf.metadata.layout import PageLayout
from sciread_app.formats.pdf.metadata.text_cleanup import letters_of
from sciread_app.formats.pdf.metadata.title import large_title

_COVER = re.compile(
    r"""see\s+discussions,\s+stats|jstor\s+is\s+a\s+not-for-profit|stable\s+url\s*:|hal\s+is\s+a\s+multi-?disciplinary
    |\bhal\s+id\s*:|citation\s+for\s+published\s+version|link\s+to\s+publication|this\s+article\s+was\s+downloaded\s+by
    |full\s+terms\s+(?:&|and)\s+conditions\s+of\s+access|this\s+is\s+a\s+repository\s+copy|version\s+of\s+attached\s+file
    |general\s+rights|take-?down\s+policy|document\s+version|research\s+online|open\s+research\s+online|dspace|eprints
    |this\s+is\s+(?:the|an)\s+author['’]?s?\s+(?:produced|accepted|version|manuscript)|please\s+share\s+how\s+this\s+access
    |sharing\s+is\s+encouraged|archive\s+ouverte|project\s+euclid|downloaded\s+from\s+.*repository|scholarworks|escholarship""",
    re.I | re.X,
)
_MOST_CHARACTERS = 4_500


def is_cover(text: str) -> bool:
    """Whether a page's text is that of a cover sheet."""
    return len(text) <= _MOST_CHARACTERS and bool(_COVER.search(text))


def article_pages(layouts: Sequence[PageLayout], texts: Sequence[str]) -> Sequence[PageLayout]:
    """The pages without a cover sheet, if the page after it has a title that the cover names."""
    for number in range(min(2, len(layouts) - 1)):
        if not is_cover(texts[number]):
            break
        title = letters_of(large_title(layouts[number + 1 :]))
        if len(title) > 10 and title in letters_of(texts[number]):
            return layouts[number + 1 :]
    return layouts

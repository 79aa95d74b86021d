"""The types and variables of CSL-JSON; shared by reader and writer."""

from __future__ import annotations

from sciread_app.domain.paper import KINDS

_KINDS = {kind: kind for kind in KINDS} | {
    "article-magazine": "article-journal",
    "article-newspaper": "article-journal",
    "review": "article-journal",
    "review-book": "article-journal",
    "speech": "paper-conference",
    "entry": "chapter",
    "entry-dictionary": "chapter",
    "entry-encyclopedia": "chapter",
    "classic": "book",
    "collection": "book",
    "periodical": "book",
    "standard": "report",
    "post": "webpage",
    "post-weblog": "webpage",
}
# Variables with a different name in BibTeX.
NAMES = {
    "issue": "number",
    "page": "pages",
    "publisher-place": "address",
    "genre": "type",
    "collection-title": "series",
    "container-title-short": "shortjournal",
    "journalAbbreviation": "shortjournal",
    "title-short": "shorttitle",
    "shortTitle": "shorttitle",
    "event-title": "eventtitle",
    "event": "eventtitle",
    "ISSN": "issn",
    "URL": "url",
    "accessed": "urldate",
    "call-number": "library",
    "annote": "annote",
}
# The inverse; of several variables with one name, the first.
VARIABLES = {name: variable for variable, name in reversed(NAMES.items())}
# Variables with the same name in `Paper.extra`.
_SAME = (
    "volume publisher language note edition annote archive archive_location archive-place "
    "chapter-number collection-number dimensions event-place jurisdiction medium number-of-pages "
    "number-of-volumes version original-title original-publisher references scale section source "
    "status supplement-number license part-number printing-number"
)
SAME = frozenset(_SAME.split())
_PEOPLE = (
    "editor translator container-author collection-editor composer director editorial-director "
    "illustrator interviewer original-author recipient reviewed-author contributor curator "
    "organizer compiler"
)
PEOPLE = frozenset(_PEOPLE.split())
DATES = frozenset(["accessed", "submitted", "original-date", "event-date", "available-date"])
# Item types whose number is their own, not that of an issue or of a volume in a series.
NUMBERED_KINDS = frozenset(
    ["report", "patent", "dataset", "software", "thesis", "manuscript", "webpage"]
)


def kind_of(csl_type: str) -> str:
    return _KINDS.get(csl_type, "article")

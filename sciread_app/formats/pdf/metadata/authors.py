"""Choice of a paper's authors among its byline and the file's metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import shorten

from sciread_app.domain.paper import Author
from sciread_app.formats.pdf import problems
from sciread_app.formats.pdf.metadata.byline.byline import Byline, byline_below
from sciread_app.formats.pdf.metadata.cover_sheet import is_cover
from sciread_app.formats.pdf.metadata.evidence import MetadataEvidence
from sciread_app.formats.pdf.metadata.layout import PageLayout
from sciread_app.formats.pdf.metadata.rows import Row, title_rows
from sciread_app.formats.pdf.metadata.text_cleanup import clean, letters_of
from sciread_app.formats.values.author_list import authors as names_in

_JUNK_AUTHOR = re.compile(
    r"^(?:anonymous|author|user|admin|administrator|unknown|owner|root|guest|owner|dell|hp|lenovo|asus"
    r"|acer|microsoft|windows|pc|student|office|editor|default|test|none|n/?a)\b|@|\d",
    re.I,
)
# The end of the part of the first page that names the authors.
_AFTER_AUTHORS = re.compile(r"\b(?:abstract|introduction|summary|keywords|index terms)\b", re.I)
_HEAD = 3_000  # characters of the first page in which authors are expected
_NAME_PART = r"(?:[A-Z][\w'’-]+|[A-Z]\.(?:-?[A-Z]\.)*)"
# A further name in a list of names, with its numbers and marks.
_ANOTHER = re.compile(rf"[\s\d*†‡§¶,;&∗⋆]*(?:and\s+)?({_NAME_PART}(?:\s+{_NAME_PART}){{1,3}})")
_FULL_NAME = rf"{_NAME_PART}(?:\s+{_NAME_PART}){{1,3}}"
# A line that is another name, or after which a name must follow.
_NAME_BEFORE = re.compile(rf"(?:.*(?:,|;|&|\band)|{_FULL_NAME}[\s\d*†‡§¶,;∗⋆]*(?:and|&)?)\s*")
_AFFILIATION = re.compile(
    r"universi|institut|depart|laborator|school|college|cent(?:er|re)|facult|academ|hospital|inc\b"
    r"|gmbh|research|group|national|street|road|member|fellow|collaboration",
    re.I,
)
_SOME = re.compile(r"\bauthors?,\s+including\b", re.I)
_XMP = "the file's XMP data"
_TAGGED = "the lines that read like authors' names to the line tagger"
_MOST_NAMED = 200  # characters of names in a remark


@dataclass(frozen=True, slots=True)
class AuthorChoice:
    """The authors, or a guess at them if they are not certain, and where they were found.

    `remark` names authors in the file's metadata that are not among them; mostly empty.
    """

    authors: tuple[Author, ...] = ()
    evidence: str = ""
    guess: tuple[Author, ...] = ()
    remark: str = ""


def selected_authors(
    evidence: MetadataEvidence, title: str, cited: Sequence[Author]
) -> AuthorChoice:
    """The authors of the paper with this title: those below it on the first page, or those in the
    file's metadata that the page confirms. `cited` are those of a citation of the paper on its
    pages, which confirms doubtful names or replaces them."""
    byline = _byline(evidence, title)
    embedded, where, remark, dropped = _embedded(evidence, title)
    printed = "the names below the title"
    if byline.authors and not byline.doubt and _names_all(byline.authors, embedded):
        is_told = dropped and not _names_all(byline.authors, dropped)
        return AuthorChoice(byline.authors, printed, remark=remark if is_told or embedded else "")
    if byline.doubt and cited and _families(byline.authors) == _families(cited):
        return AuthorChoice(byline.authors, f"{printed}, and a citation of the paper on its pages")
    if embedded:
        return AuthorChoice(embedded, where, remark=remark)
    if cited:
        return AuthorChoice(tuple(cited), "the citation of the paper on its pages")
    tagged = _tagged(evidence, title)
    if tagged.authors and not tagged.doubt and _names_all(tagged.authors, dropped):
        return AuthorChoice(tagged.authors, _TAGGED)
    uncertain = byline if byline.authors else tagged
    if uncertain.authors:
        doubt = uncertain.doubt or "other authors in the file's metadata"
        guessed = _remark(problems.AUTHORS_GUESSED, uncertain.authors)
        return AuthorChoice(guess=uncertain.authors, evidence=doubt, remark=guessed)
    return AuthorChoice(remark=remark)


def _byline(evidence: MetadataEvidence, title: str) -> Byline:
    """The byline on the first of the pages that prints the title above one, covers last."""
    doubtful = Byline()
    for page, rows, place in _titles(evidence, title):
        found = byline_below(rows, place, page)
        if found.authors and not found.doubt:
            return found
        doubtful = doubtful if doubtful.authors else found
    return doubtful


def _tagged(evidence: MetadataEvidence, title: str) -> Byline:
    """The byline that the line tagger finds on the first page with the title, covers last."""
    # Imports NumPy, which takes 0.1 s, and most pages do not need it.
    from sciread_app.formats.pdf.metadata.byline.tagger import tagged_byline

    for page, rows, place in _titles(evidence, title):
        return tagged_byline(rows, place, page)
    return Byline()


def _titles(
    evidence: MetadataEvidence, title: str
) -> Iterator[tuple[PageLayout, list[Row], tuple[int, int]]]:
    """The pages that print the title, their rows, and the first and the last row of the title."""
    pages = list(zip(evidence.layouts, evidence.rows, evidence.texts, strict=True))
    # A cover sheet may name some of the authors only.
    for page, rows, text in sorted(pages, key=lambda page: is_cover(page[2])):
        if _SOME.search(text) and is_cover(text):
            continue
        if place := title_rows(rows, title):
            yield page, rows, place


def _families(authors: Sequence[Author]) -> list[str]:
    return [letters_of(author.last_name) for author in authors]


def _names_all(authors: Sequence[Author], embedded: Sequence[Author]) -> bool:
    """Whether the embedded authors are among these; a typist beside them does not count."""
    names = {letters_of(author.last_name) for author in authors}
    names |= {letters_of(author.name) for author in authors}
    found = sum(
        letters_of(a.last_name) in names
        or letters_of(a.family) in names
        or letters_of(a.name) in names
        for a in embedded
    )
    return not embedded or found == len(embedded) or len(embedded) < 2


def _embedded(
    evidence: MetadataEvidence, title: str
) -> tuple[tuple[Author, ...], str, str, tuple[Author, ...]]:
    """The authors in the file's metadata, if the first page names exactly these; where they are; a
    remark; and a list of authors that is not used.

    A file's author is often the typist, or one of several; none is better than a few. So one name
    that is not used is not worth a remark, and a list is.
    """
    dropped: tuple[Author, ...] = ()
    words = letters_of("\n".join(evidence.texts[:1]))
    for text, trusted, where in (
        (evidence.xmp.values.get("dc:creator", []), evidence.xmp.by_publisher, _XMP),
        ([evidence.xmp.bibtex.get("author", "").replace(" and ", "; ")], True, _XMP),
        ([evidence.info.get("Author", "")], False, "the file's document information"),
    ):
        named = _names(text)
        found = tuple(author for author in named if _is_credible_author(author, len(named)))
        printed = sum(letters_of(author.family) in words for author in found)
        # An author field with three names is complete.
        many = len(found) > 2 and printed > len(found) / 2
        if found and (trusted or not words or many or _is_whole(found, evidence.texts[0], title)):
            cut = [author for author in named if author not in found]
            return found, where, _remark(problems.AUTHORS_CUT, cut), ()
        if len(found) > 1 and not dropped:
            dropped = found
    return (), "", _remark(problems.AUTHORS_DROPPED, dropped), dropped


def _is_whole(authors: Sequence[Author], page: str, title: str) -> bool:
    """Whether the head of a first page names all these authors, and no other before or after
    them."""
    head = page[: end.start()] if (end := _AFTER_AUTHORS.search(page)) else page
    head = head[:_HEAD]
    if any(not (author.given or author.literal) for author in authors):
        return False
    places = [_place(author, head) for author in authors]
    found = [place for place in places if place]
    if len(found) < len(authors) or head.count("@") > len(authors):
        return False
    before = head[: min(start for start, _ in found)]
    line = before.rpartition("\n")[2].strip() or before.strip().rpartition("\n")[2].strip()
    is_title = letters_of(line) in letters_of(title)
    if line and not is_title and _NAME_BEFORE.fullmatch(line) and not _AFFILIATION.search(line):
        return False
    following = _ANOTHER.match(head[max(end for _, end in found) :])
    return following is None or bool(_AFFILIATION.search(following[1]))


def _place(author: Author, head: str) -> tuple[int, int] | None:
    """The range of an author's name on the page, from the given name on if it is there."""
    initial = re.escape(author.given[:1])
    family = re.escape(author.family)
    found = re.search(rf"(?:\b{initial}[\w.'’ -]*?\s*)?\b{family}\b", head, re.I)
    return found.span() if found else None


def _remark(problem: str, authors: Sequence[Author]) -> str:
    names = "; ".join(author.name for author in authors)
    return problem.format(names=shorten(names, _MOST_NAMED, placeholder=" ...")) if names else ""


def _names(texts: Sequence[str]) -> tuple[Author, ...]:
    tidy = [clean(text).strip(" ;,") for text in texts]
    if any("[" in text for text in tidy):
        # Affiliations in brackets, which some writers split at their commas as if they were names.
        tidy = [re.sub(r"\s*\[[^\]]*\]\s*", ", ", ", ".join(tidy)).strip(" ,")]
    return tuple(names_in(tidy if len(tidy) > 1 else "".join(tidy)))


def _is_credible_author(author: Author, of: int) -> bool:
    """`of` is the number of names."""
    return (
        len(letters_of(author.family)) > 1
        and bool(author.given or author.literal or of > 1)
        and not _JUNK_AUTHOR.search(author.name)
    )

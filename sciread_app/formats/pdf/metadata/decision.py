"""Choice of a paper's metadata from all evidence in its PDF, with a record of the sources."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from rapidfuzz import fuzz

from sciread_app.domain.identifiers import DOI_IN_TEXT, closed_up, identifier, identifiers
from sciread_app.domain.paper import Author, Identifier, Paper
from sciread_app.formats.pdf import problems
from sciread_app.formats.pdf.content import title_of_name
from sciread_app.formats.pdf.metadata.abstract import printed_abstract
from sciread_app.formats.pdf.metadata.layout import PageLayout
from sciread_app.formats.pdf.metadata.printed_identifiers import (
    Stamp,
    arxiv_stamp,
    printed_doi,
    stamp_of_text,
)
from sciread_app.formats.pdf.metadata.text_cleanup import clean, letters_of, one_line
from sciread_app.formats.pdf.metadata.title import is_printed, large_title, plain_title
from sciread_app.formats.pdf.metadata.xmp import Xmp
from sciread_app.formats.values.author_list import authors as names_in

_JUNK_TITLE = re.compile(
    r"""^(?:microsoft\ (?:word|powerpoint|excel)\b|untitled|title\b.{0,3}$|no\ title
    |document\d*$|slide\ \d|presentation\d*$|powerpoint|print|template
    |(?:manuscript|paper|article|main)\W*\d*$
    |(?:pii|doi)\s*:|10\.\d{4,}/|https?://|arxiv\s*:|\W*$|[\d\s.,:_-]+$|layout\ 1|full\ page\ photo
    |.*\.(?:docx?|dvi|tex|pdf|ps|eps|indd|qxd|rtf|odt|fm|pptx?|p65|wpd|txt|ai|3d|xml|html?)$
    |\S*[_\\/]\S*$|(?:the\ )?title\ of\ (?:the|your)|blank\ pdf|pdf\ document|scan(?:ned)?\b|image\b
    |sample\ article|ieee\ paper|guidelines?\ for|instructions\ (?:for|to)\ authors
    |latex\ (?:article|te)|proceedings\ template|acm\ word\ template)""",
    re.I | re.X,
)
# Lines that publishers and templates print above a title, and run-together words.
_NO_TITLE = re.compile(
    r"draft\ version\b|.*\btypeset\ using\b|this\ (?:may\ be|is)\ (?:the|an)\ author['’]?s?\b"
    r"|(?:author['’]?s\ )?accepted\ manuscript\b|preprint\ submitted\ to\b"
    r"|(?-i:[A-Z][a-z]+[A-Z]\w*$)",
    re.I | re.X,
)
_JUNK_AUTHOR = re.compile(
    r"^(?:anonymous|author|user|admin|administrator|unknown|owner|root|guest|owner|dell|hp|lenovo|asus"
    r"|acer|microsoft|windows|pc|student|office|editor|default|test|none|n/?a)\b|@|\d",
    re.I,
)
_YEAR = re.compile(r"(?:©|\(c\)|copyright)\D{0,40}\b((?:19|20)\d\d)\b", re.I)
_ISO_DATE = re.compile(r"((?:19|20)\d\d)(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?(?!\d)")
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
_DISTINCT = 0.6  # relative to the larger title's length; a shorter embedded one is another text
_MOST_NAMED = 200  # characters of names in a remark

_KINDS = {
    "article": "article-journal",
    "journalarticle": "article-journal",
    "inproceedings": "paper-conference",
    "conference": "paper-conference",
    "book": "book",
    "inbook": "chapter",
    "incollection": "chapter",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "thesis": "thesis",
    "techreport": "report",
    "report": "report",
}
# BibTeX fields and their names in PRISM.
_EXTRA = {
    "volume": ("prism:volume",),
    "number": ("prism:number", "prism:issueidentifier"),
    "pages": ("prism:pagerange",),
    "issn": ("prism:issn",),
    "publisher": ("dc:publisher",),
    "url": ("prism:url",),
}
_KEPT = frozenset(
    (
        *("volume", "number", "pages", "issn", "publisher", "url", "note", "howpublished"),
        *("series", "edition", "address", "editor", "institution", "school", "organization"),
    )
)


@dataclass(frozen=True, slots=True)
class MetadataEvidence:
    """All evidence in a PDF, before evaluation."""

    name: str  # of the file, with suffix
    info: Mapping[str, str]  # the Info dictionary
    xmp: Xmp
    layouts: Sequence[PageLayout]  # of the first pages
    texts: Sequence[str]  # of the first pages, hyphens at line ends not yet joined


def paper_of(evidence: MetadataEvidence) -> tuple[Paper, str]:
    """The paper, with the sources of its title and identifiers in `extra["pdf_evidence"]`; and a
    remark if authors in the file's metadata are not among its authors, else an empty text."""
    title, how_title = _title(evidence)
    stamp = _stamp(evidence)
    doi, how_doi = _doi(evidence, title)
    abstract = printed_abstract(evidence.layouts) or _description(evidence.xmp)
    how = [f"title: {how_title}"]
    if stamp:
        how.append(f"arXiv number: {stamp.evidence}")
    if doi:
        how.append(f"DOI: {how_doi}")
    authors, remark = _authors(evidence, title)
    paper = Paper(
        title=title,
        abstract=abstract,
        authors=authors,
        kind=_kind(evidence.xmp),
        published=_published(evidence, stamp),
        venue=_venue(evidence.xmp),
        identifiers=_identifiers(stamp, doi, evidence.xmp),
        fields=(stamp.category,) if stamp and stamp.category else (),
        keywords=_keywords(evidence),
        extra=_extra(evidence.xmp) | {"pdf_evidence": "; ".join(how)},
        source="pdf",
    )
    return paper, remark


def _title(evidence: MetadataEvidence) -> tuple[str, str]:
    """The title, and a description of its source."""
    large = large_title(evidence.layouts)
    large = "" if _NO_TITLE.match(large) else large
    for title, where in _embedded_titles(evidence):
        if _is_part_of(title, large):
            continue  # "Vector Clocks" of a paper with a longer name
        if evidence.xmp.by_publisher and where == "the file's XMP data":
            return title, where
        if _similar(title, large) or is_printed(title, evidence.layouts):
            return title, f"{where}, and the same on the first pages"
        if not large:
            return title, where
    if large:
        return large, "the largest text of the first page"
    plain = plain_title(evidence.layouts)
    if plain and not _NO_TITLE.match(plain):
        return plain, "the first lines of the first page"
    return title_of_name(evidence.name), "the file's name"


def _embedded_titles(evidence: MetadataEvidence) -> list[tuple[str, str]]:
    found = [
        (
            evidence.xmp.first("dc:title") or evidence.xmp.bibtex.get("title", ""),
            "the file's XMP data",
        ),
        (evidence.info.get("Title", ""), "the file's document information"),
    ]
    tidy = [(one_line(clean(title)), where) for title, where in found]
    authors = {letters_of(evidence.info.get("Author", "")), ""}
    authors |= {letters_of(name) for name in evidence.xmp.values.get("dc:creator", ())}
    return [
        (title, where)
        for title, where in tidy
        if _is_credible(title, evidence.name) and letters_of(title) not in authors
    ]


def _is_credible(title: str, name: str) -> bool:
    letters = letters_of(title)
    stem = letters_of(Path(name).stem)
    return (
        len(letters) >= 6
        and len(title) <= 500
        and not _JUNK_TITLE.match(title)
        and not _NO_TITLE.match(title)
        and not (" " not in title and (len(title) < 12 or letters in stem))
    )


def _similar(a: str, b: str) -> bool:
    return bool(a and b) and fuzz.ratio(letters_of(a), letters_of(b)) >= 80


def _is_part_of(title: str, larger: str) -> bool:
    short, long = letters_of(title), letters_of(larger)
    return short in long and len(short) < _DISTINCT * len(long)


def _stamp(evidence: MetadataEvidence) -> Stamp | None:
    page = evidence.texts[0] if evidence.texts else ""
    across = evidence.layouts[0].across if evidence.layouts else ()
    if stamp := arxiv_stamp(page, across):
        return stamp
    for text in (
        *(evidence.info.get(key, "") for key in ("arXivID", "DOI")),
        *evidence.xmp.values.get("dc:identifier", ()),
    ):
        if stamp := stamp_of_text(text, "the file's own data"):
            return stamp
    # Browsers name the second download of a file "1706.03762 (1).pdf".
    name = re.sub(r"\s*\(\d+\)$", "", Path(evidence.name).stem)
    return stamp_of_text(name, "the file's name, which is an arXiv number")


def _doi(evidence: MetadataEvidence, title: str) -> tuple[str, str]:
    """The paper's DOI and its source: its pages, else its XMP or Info data."""
    embedded = _embedded_dois(evidence)
    words = "\n".join(evidence.texts[:2]).lower()
    for doi, where in embedded:
        if doi in words:
            return doi, f"{where}, and the same on the first pages"
    titles = [title, *(embedded_title for embedded_title, _ in _embedded_titles(evidence))]
    doi, how = printed_doi(evidence.texts[:2], titles)
    return (doi, how) if doi else embedded[0] if embedded else ("", "")


def _embedded_dois(evidence: MetadataEvidence) -> list[tuple[str, str]]:
    xmp = "the file's XMP data"
    info = "the file's document information"
    names = ("prism:doi", "pdfx:doi", "crossmark:doi", "dc:identifier", "prism:url")
    texts = [(value, xmp) for name in names for value in evidence.xmp.values.get(name, [])]
    texts.append((evidence.xmp.bibtex.get("doi", ""), xmp))
    keys = ("doi", "DOI", "WPS-ARTICLEDOI", "Subject", "Title", "Keywords")
    texts += [(evidence.info.get(key, ""), info) for key in keys]
    found = []
    for text, where in texts:
        match = DOI_IN_TEXT.search(closed_up(text))
        name = identifier("doi", match[0]) if match else None
        if name and name.kind == "doi":
            found.append((name.value, where))
    return found


def _identifiers(stamp: Stamp | None, doi: str, xmp: Xmp) -> tuple[Identifier, ...]:
    bibtex = xmp.bibtex
    return identifiers(
        ("arxiv", stamp.arxiv if stamp else ""),
        ("doi", doi),
        ("pmid", bibtex.get("pmid", "")),
        ("isbn", bibtex.get("isbn", "") or xmp.first("prism:isbn")),
        ("citekey", bibtex.get("bibtexkey", "") or bibtex.get("citationkey", "")),
    )


def _authors(evidence: MetadataEvidence, title: str) -> tuple[tuple[Author, ...], str]:
    """The authors in the file's metadata, if the first page names exactly these; and a remark.

    The author of a file is often the typist, or only one of several authors, and no authors are
    better than an incomplete list. A single name that is not used is therefore not remarked on; a
    list of names is.
    """
    dropped: tuple[Author, ...] = ()
    words = letters_of("\n".join(evidence.texts[:1]))
    for text, trusted in (
        (evidence.xmp.values.get("dc:creator", []), evidence.xmp.by_publisher),
        ([evidence.xmp.bibtex.get("author", "").replace(" and ", "; ")], True),
        ([evidence.info.get("Author", "")], False),
    ):
        named = _names(text)
        found = tuple(author for author in named if _is_credible_author(author, len(named)))
        printed = sum(letters_of(author.family) in words for author in found)
        # An author field with three names is complete.
        many = len(found) > 2 and printed > len(found) / 2
        if found and (trusted or not words or many or _is_whole(found, evidence.texts[0], title)):
            cut = [author for author in named if author not in found]
            return found, _remark(problems.AUTHORS_CUT, cut)
        if len(found) > 1 and not dropped:
            dropped = found
    return (), _remark(problems.AUTHORS_DROPPED, dropped)


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


def _kind(xmp: Xmp) -> str:
    item_type = (
        xmp.first("dc:type") or xmp.bibtex.get("entrytype", "") or xmp.bibtex.get("bibtextype", "")
    )
    kind = _KINDS.get(item_type.lower(), "")
    return kind or ("article-journal" if xmp.first("prism:publicationname") else "article")


def _venue(xmp: Xmp) -> str:
    bibtex = xmp.bibtex
    journal = bibtex.get("journal") or bibtex.get("journaltitle") or bibtex.get("booktitle")
    return clean(journal or xmp.first("prism:publicationname"))


def _published(evidence: MetadataEvidence, stamp: Stamp | None) -> str:
    """A date entered as the paper's; a file's own date is no evidence."""
    if stamp:
        return stamp.published
    bibtex, xmp = evidence.xmp.bibtex, evidence.xmp
    values = [
        xmp.first("prism:coverdate", "prism:publicationdate"),
        bibtex.get("date", "") or bibtex.get("year", ""),
        xmp.first("dc:date") if xmp.by_publisher else "",
    ]
    for text in values:
        if match := _ISO_DATE.match(text):
            return "-".join(filter(None, match.groups()))
    page = evidence.texts[0] if evidence.texts else ""
    years = set(_YEAR.findall(page))
    return years.pop() if len(years) == 1 else ""


def _description(xmp: Xmp) -> str:
    """The description in the file's metadata, if it is an abstract and not a journal's line."""
    text = one_line(clean(xmp.first("dc:description") or xmp.bibtex.get("abstract", "")))
    return text if xmp.bibtex or len(text) >= 200 else ""


def _keywords(evidence: MetadataEvidence) -> tuple[str, ...]:
    values = evidence.xmp.values.get("dc:subject") or [evidence.info.get("Keywords", "")]
    if len(values) == 1:
        values = re.split(r"\s*[;,]\s*", values[0])
    words = (one_line(clean(word)) for word in values)
    return tuple(dict.fromkeys(word for word in words if word and not DOI_IN_TEXT.search(word)))[
        :50
    ]


def _extra(xmp: Xmp) -> dict[str, str]:
    extra = {name: xmp.first(*places) for name, places in _EXTRA.items()}
    if first := xmp.first("prism:startingpage"):
        last = xmp.first("prism:endingpage")
        extra["pages"] = extra["pages"] or (f"{first}-{last}" if last else first)
    extra |= {name: value for name, value in xmp.bibtex.items() if name in _KEPT}
    return {name: clean(value) for name, value in extra.items() if value}

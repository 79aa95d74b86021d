"""Choice of a paper's metadata from all evidence in its PDF, with a record of the sources."""

from __future__ import annotations

import re
from pathlib import Path

from rapidfuzz import fuzz

from sciread_app.domain.metadata.guesses import author_guess, title_guess, year_guess
from sciread_app.domain.metadata.identifiers import (
    DOI_IN_TEXT,
    closed_up,
    doi_as_written,
    identifier,
    identifiers,
)
from sciread_app.domain.paper import Identifier, Paper
from sciread_app.formats.pdf.content import title_of_name
from sciread_app.formats.pdf.metadata.abstract import printed_abstract
from sciread_app.formats.pdf.metadata.authors import selected_authors
from sciread_app.formats.pdf.metadata.cover_sheet import article_pages
from sciread_app.formats.pdf.metadata.evidence import MetadataEvidence
from sciread_app.formats.pdf.metadata.own_citation import OwnCitation, own_citation
from sciread_app.formats.pdf.metadata.printed_identifiers import (
    Stamp,
    arxiv_stamp,
    printed_doi,
    stamp_of_text,
)
from sciread_app.formats.pdf.metadata.text_cleanup import clean, letters_of, one_line
from sciread_app.formats.pdf.metadata.title import (
    is_printed,
    large_title,
    likely_title,
    plain_title,
)
from sciread_app.formats.pdf.metadata.venue import printed_venue
from sciread_app.formats.pdf.metadata.xmp import Xmp
from sciread_app.formats.pdf.metadata.year import likely_year, printed_year

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
_BY_NAME = "the file's name"
_ISO_DATE = re.compile(r"((?:19|20)\d\d)(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?(?!\d)")
_DISTINCT = 0.6  # relative to the larger title's length; a shorter embedded one is another text
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


def paper_of(evidence: MetadataEvidence) -> tuple[Paper, str]:
    """The paper, with the sources of its title and identifiers in `extra["pdf_evidence"]`; and a
    remark if authors in the file's metadata are not among its authors, else an empty text."""
    title, how_title = _title(evidence)
    citation = own_citation(evidence.texts, title) or OwnCitation()
    stamp = _stamp(evidence)
    written_doi, how_doi = _doi(evidence, title)
    doi = written_doi.lower()
    abstract = printed_abstract(evidence.layouts) or _description(evidence.xmp)
    how = [f"title: {how_title}"]
    if stamp:
        how.append(f"arXiv number: {stamp.evidence}")
    if doi:
        how.append(f"DOI: {how_doi}")
    authors = selected_authors(evidence, title, citation.authors)
    if authors.evidence:
        how.append(f"{'authors' if authors.authors else 'no authors'}: {authors.evidence}")
    published, how_published = _published(evidence, stamp, citation, doi)
    if how_published:
        how.append(f"year: {how_published}")
    named = _identifiers(stamp, doi, evidence.xmp)
    extra = _extra(evidence.xmp) | {"pdf_evidence": "; ".join(how)}
    extra |= doi_as_written(named, written_doi)
    if authors.guess:
        extra |= author_guess(authors.guess)
    if how_title == _BY_NAME and (guess := _likely_title(evidence)):
        extra |= title_guess(guess, title)
    if not published and (year := likely_year(evidence.texts, _created(evidence))):
        extra |= year_guess(year)
    paper = Paper(
        title=title,
        abstract=abstract,
        authors=authors.authors,
        kind=_kind(evidence.xmp),
        published=published,
        venue=_venue(evidence.xmp) or citation.venue or printed_venue(evidence.texts, doi),
        identifiers=named,
        fields=(stamp.category,) if stamp and stamp.category else (),
        keywords=_keywords(evidence),
        extra=extra,
        source="pdf",
    )
    return paper, authors.remark


def _title(evidence: MetadataEvidence) -> tuple[str, str]:
    """The title, and a description of its source."""
    pages = article_pages(evidence.layouts, evidence.texts)
    large = large_title(pages)
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
    plain = plain_title(pages)
    if plain and not _NO_TITLE.match(plain):
        return plain, "the first lines of the first page"
    return title_of_name(evidence.name), _BY_NAME


def _likely_title(evidence: MetadataEvidence) -> str:
    guess = likely_title(article_pages(evidence.layouts, evidence.texts))
    return "" if _NO_TITLE.match(guess) else guess


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
    """The paper's DOI as written, and its source: its pages, else its XMP or Info data."""
    embedded = _embedded_dois(evidence)
    words = "\n".join(evidence.texts[:2]).lower()
    for doi, where in embedded:
        if doi.lower() in words:
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
            found.append((doi_as_written((name,), text).get("doi", name.value), where))
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


def _published(
    evidence: MetadataEvidence, stamp: Stamp | None, citation: OwnCitation, doi: str
) -> tuple[str, str]:
    """A date entered or printed as the paper's, and where it is; a file's own date is none."""
    if stamp:
        return stamp.published, stamp.evidence
    bibtex, xmp = evidence.xmp.bibtex, evidence.xmp
    values = [
        xmp.first("prism:coverdate", "prism:publicationdate"),
        bibtex.get("date", "") or bibtex.get("year", ""),
        xmp.first("dc:date") if xmp.by_publisher else "",
    ]
    created = _created(evidence)
    for text in values:
        # Packages of LaTeX write the day on which the file is made.
        is_made = bool(created) and re.sub(r"\D", "", text)[:8] == created[:8]
        if not is_made and (match := _ISO_DATE.match(text)):
            return "-".join(filter(None, match.groups())), "the file's XMP data"
    if citation.year:
        return citation.year, "the citation of the paper on its pages"
    return printed_year(
        evidence.texts, evidence.rows, evidence.layouts,
        doi=doi, created=created,
    )  # fmt: skip


def _created(evidence: MetadataEvidence) -> str:
    """The day on which the file was made, "20170305", with its time; empty if it does not say."""
    return evidence.info.get("CreationDate", "").removeprefix("D:")


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

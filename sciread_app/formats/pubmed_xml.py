"""PubMed's XML, as its web site, its API and its yearly baseline give it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from lxml import etree

from sciread_app.domain.identifiers import identifiers
from sciread_app.domain.paper import Author, Paper, Skipped
from sciread_app.formats import dates, medline
from sciread_app.formats.streams import open_bytes
from sciread_app.formats.xml_stream import BadXml, elements, text_of

SUFFIXES = (".xml",)

_ARTICLE, _BOOK, _CITATION = "PubmedArticle", "PubmedBookArticle", "MedlineCitation"
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and what was wrong with the records that hold none."""
    with open_bytes(path) as stream:
        yield from read_articles(stream, str(path))


def read_articles(stream: BinaryIO, name: str = "PubMed") -> Iterator[Paper | Skipped]:
    """The papers in an answer of PubMed; `name` is what Skipped calls it.

    Lists of deleted citations, with which the daily update files end, are passed over.
    """
    number = 0
    try:
        for element in elements(stream, _ARTICLE, _BOOK, _CITATION):
            number += 1
            paper = _book(element) if element.tag == _BOOK else _article(element)
            if paper.title or paper.abstract:
                yield paper
            else:
                why = "This record has neither a title nor an abstract."
                yield Skipped(name, paper.source_id or f"record {number}", why)
    except BadXml as error:
        yield Skipped(name, f"record {number + 1}", str(error))


def _article(element: etree._Element) -> Paper:
    """From a PubmedArticle, or from the MedlineCitation that stood alone in former times."""
    citation = element if element.tag == _CITATION else element.find(_CITATION)
    if citation is None:
        return Paper(title="", source="pubmed")
    article = citation.find("Article")
    if article is None:
        article = citation
    pmid = citation.findtext("PMID", "").strip()
    types = [text_of(kind) for kind in article.iterfind("PublicationTypeList/PublicationType")]
    abstract, notice = _abstract(citation, article)
    vernacular = text_of(article.find("VernacularTitle"))
    extra = (
        _journal(article)
        | _links(citation)
        | {
            "version": citation.find("PMID").get("Version", "") if pmid else "",
            "publication_types": "; ".join(types),
            "origtitle": medline.title_of(vernacular),
            "language": "; ".join(text_of(language) for language in article.iterfind("Language")),
            "pages": _pages(article),
            "copyright": notice,
            "affiliations": _affiliations(article.find("AuthorList")),
        }
    )
    ids = _ids(element, article)
    extra["pii"] = next((value for kind, value in ids if kind == "pii"), "")
    return Paper(
        title=medline.title_of(text_of(article.find("ArticleTitle"))) or extra["origtitle"],
        abstract=abstract,
        authors=_authors(article.find("AuthorList")),
        kind=medline.kind_of(types),
        published=_published(article),
        venue=text_of(article.find("Journal/Title")) or extra.get("shortjournal", ""),
        identifiers=identifiers(("pmid", pmid), *((k, v) for k, v in ids if k in ("doi", "pmcid"))),
        fields=medline.major_first(map(_heading, citation.iterfind("MeshHeadingList/MeshHeading"))),
        keywords=_keywords(citation),
        extra={key: text for key, text in extra.items() if text},
        source="pubmed",
        source_id=pmid,
    )


def _book(element: etree._Element) -> Paper:
    """A book, or a chapter of one, of the NCBI Bookshelf."""
    document = element.find("BookDocument")
    book = None if document is None else document.find("Book")
    if document is None or book is None:
        return Paper(title="", source="pubmed")
    pmid = document.findtext("PMID", "").strip()
    types = [text_of(kind) for kind in document.iterfind("PublicationType")]
    abstract, notice = _abstract(document, document)
    chapter = medline.title_of(text_of(document.find("ArticleTitle")))
    book_title = medline.title_of(text_of(book.find("BookTitle")))
    people = document.find("AuthorList") if chapter else None
    extra = {
        "booktitle": book_title if chapter else "",
        "publisher": text_of(book.find("Publisher/PublisherName")),
        "address": text_of(book.find("Publisher/PublisherLocation")),
        "series": text_of(book.find("CollectionTitle")),
        "edition": text_of(book.find("Edition")),
        "volume": text_of(book.find("Volume")),
        "language": "; ".join(text_of(language) for language in document.iterfind("Language")),
        "publication_types": "; ".join(types),
        "copyright": notice,
    }
    ids = _ids(element, document)
    isbns = [("isbn", text_of(isbn)) for isbn in book.iterfind("Isbn")]
    return Paper(
        title=chapter or book_title,
        abstract=abstract,
        authors=_authors(people if people is not None else book.find("AuthorList")),
        kind="chapter" if chapter else "book",
        published=_date(document.find("ContributionDate")) or _date(book.find("PubDate")),
        venue=extra["booktitle"],
        identifiers=identifiers(("pmid", pmid), *((k, v) for k, v in ids if k == "doi"), *isbns),
        keywords=_keywords(document),
        extra={key: text for key, text in extra.items() if text},
        source="pubmed",
        source_id=pmid,
    )


def _abstract(citation: etree._Element, article: etree._Element) -> tuple[str, str]:
    """The abstract, one line for each of its named sections, and the copyright notice."""
    found = article.find("Abstract")
    if found is None:
        found = citation.find("OtherAbstract")
    if found is None:
        return "", ""
    sections = []
    for part in found.iterfind("AbstractText"):
        text, label = text_of(part), part.get("Label", "")
        if text and label and label != "UNLABELLED":
            text = f"{label}: {text}"
        if text:
            sections.append(text)
    abstract, notice = medline.abstract_of("\n".join(sections))
    return abstract, text_of(found.find("CopyrightInformation")) or notice


def _authors(people: etree._Element | None) -> tuple[Author, ...]:
    found = []
    for person in () if people is None else people.iterfind("Author"):
        parts = {child.tag: child for child in person}
        if "LastName" in parts:
            given = parts.get("ForeName", parts.get("FirstName", parts.get("Initials")))
            family, suffix = text_of(parts["LastName"]), text_of(parts.get("Suffix"))
            found.append(medline.author(family, text_of(given), suffix))
        elif name := text_of(parts.get("CollectiveName")):
            found.append(Author(name, literal=True))
    return tuple(author for author in found if author.family)


def _affiliations(people: etree._Element | None) -> str:
    if people is None:
        return ""
    return "; ".join(dict.fromkeys(filter(None, map(text_of, people.iter("Affiliation")))))


def _journal(article: etree._Element) -> dict[str, str]:
    journal = article.find("Journal")
    if journal is None:
        return {}
    return {
        "shortjournal": text_of(journal.find("ISOAbbreviation")),
        "issn": text_of(journal.find("ISSN")),
        "volume": text_of(journal.find("JournalIssue/Volume")),
        "number": text_of(journal.find("JournalIssue/Issue")),
    }


def _pages(article: etree._Element) -> str:
    pages = article.find("Pagination")
    if pages is None:
        return ""
    if text := text_of(pages.find("MedlinePgn")):
        return medline.pages_of(text)
    return "-".join(filter(None, (text_of(pages.find(tag)) for tag in ("StartPage", "EndPage"))))


def _published(article: etree._Element) -> str:
    """The date of the issue, or the day of online publication where that says more."""
    issue = _date(article.find("Journal/JournalIssue/PubDate"))
    online = _date(article.find("ArticleDate"))
    return online if len(online) > len(issue) and online.startswith(issue) else issue


def _date(date: etree._Element | None) -> str:
    """`Year`, `Month` ("Sep", "09") and `Day`, or `MedlineDate` with all in one text."""
    if date is None:
        return ""
    return dates.parse("-".join((child.text or "").strip() for child in date))


def _ids(element: etree._Element, article: etree._Element) -> list[tuple[str, str]]:
    """(kind, value) of the paper itself: references have such lists as well."""
    found = [
        (child.get("EIdType", ""), text_of(child))
        for child in article.iterfind("ELocationID")
        if child.get("ValidYN") != "N"
    ]
    for data in ("PubmedData", "PubmedBookData"):
        for child in element.iterfind(f"{data}/ArticleIdList/ArticleId"):
            found.append((child.get("IdType", ""), text_of(child)))
    return [("pmcid" if kind == "pmc" else kind, value) for kind, value in found if value]


def _heading(heading: etree._Element) -> tuple[str, bool]:
    name = ""
    major = False
    for child in heading:
        major = major or child.get("MajorTopicYN") == "Y"
        name = name or text_of(child)
    return name, major


def _keywords(citation: etree._Element) -> tuple[str, ...]:
    words = (text_of(word) for word in citation.iterfind("KeywordList/Keyword"))
    return tuple(dict.fromkeys(word.rstrip(".;,") for word in words if word))


def _links(citation: etree._Element) -> dict[str, str]:
    """PMIDs of the papers that this one updates, retracts, comments and so on, by NLM's names.

    `UpdateOf`, which leads from an article to its preprint, becomes "update_of".
    """
    links: dict[str, list[str]] = {}
    for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections"):
        if pmid := link.findtext("PMID", "").strip():
            key = _CAPITAL.sub("_", link.get("RefType", "related")).lower()
            links.setdefault(key, []).append(pmid)
    return {key: " ".join(dict.fromkeys(pmids)) for key, pmids in links.items()}

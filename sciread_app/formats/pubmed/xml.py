"""PubMed's XML, as from its web site, its API and its yearly baseline."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from lxml import etree

from sciread_app.domain.metadata.identifiers import doi_as_written, identifier, identifiers
from sciread_app.domain.paper import Author, Paper, Skipped
from sciread_app.formats.files.streams import open_bytes
from sciread_app.formats.files.xml_stream import BadXml, document, elements, text_of
from sciread_app.formats.pubmed import fields as medline
from sciread_app.formats.values import dates
from sciread_app.language import tr, trn

NAME = "pubmed_xml"
SUFFIXES = (".xml",)

_ARTICLE, _BOOK, _CITATION = "PubmedArticle", "PubmedBookArticle", "MedlineCitation"
_DELETED = "DeleteCitation"
_SETS = ("PubmedArticleSet", "PubmedBookArticleSet")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MOST_NAMED = 100
_CITES = "Cites"
_NOTICES = ("ErratumIn", "ExpressionOfConcernIn", "RetractionIn")
_CITED_BY = {"pubmed": "pmid", "doi": "doi"}


class EFetchResponse(NamedTuple):
    """One response of PubMed's EFetch."""

    records: list[Paper | Skipped]
    error: str  # PubMed's error message about the query; mostly empty


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and the records that could not be read."""
    with open_bytes(path) as stream:
        yield from read_articles(stream, str(path))


def read_articles(stream: BinaryIO, name: str = "PubMed") -> Iterator[Paper | Skipped]:
    """The papers in a PubMed article set; `name` is the file name in Skipped."""
    number = 0
    try:
        for element in elements(stream, _ARTICLE, _BOOK, _CITATION, _DELETED):
            if element.tag == _DELETED:
                yield from _deleted(element, name)
            else:
                number += 1
                yield _record(element, name, number)
    except BadXml as error:
        yield Skipped(name, tr("Record {number}", number=number + 1), str(error))


def answer(body: bytes, name: str = "PubMed") -> EFetchResponse:
    """A whole response, parsed. Raises BadXml if it is malformed or not an article set."""
    root = document(body)
    if root.tag == "eFetchResult":
        return EFetchResponse([], text_of(root.find("ERROR")) or tr("The response is empty."))
    if root.tag not in _SETS:
        element = etree.QName(root).localname
        raise BadXml(
            tr(
                "The XML is not a set of PubMed records: its root element is <{element}>.",
                element=element,
            )
        )
    records = root.iterchildren(_ARTICLE, _BOOK)
    return EFetchResponse(
        [_record(element, name, n) for n, element in enumerate(records, start=1)], ""
    )


def _record(element: etree._Element, name: str, number: int) -> Paper | Skipped:
    paper = _book(element) if element.tag == _BOOK else _article(element)
    if paper.title or paper.abstract:
        return paper
    why = tr("This record has neither a title nor an abstract.")
    return Skipped(name, paper.source_id or tr("Record {number}", number=number), why)


def _deleted(element: etree._Element, name: str) -> Iterator[Skipped]:
    """The records deleted by PubMed, listed at the end of its daily update files.

    They are reported, and nothing else: most such records were second entries of one paper, or not
    in PubMed's field, which is no reason to delete a user's papers, notes and tags. A retracted
    paper is not deleted, but comes as a record that is marked so.
    """
    pmids = [text for pmid in element.iterfind("PMID") if (text := text_of(pmid))]
    if pmids:
        yield Skipped(name, tr("Deleted records"), _deletion_message(pmids))


def _deletion_message(pmids: Sequence[str]) -> str:
    named, more = ", ".join(pmids[:_MOST_NAMED]), len(pmids) - _MOST_NAMED
    if more <= 0:
        return tr(
            "PubMed has deleted these records; your copies stay in the library: {named}.",
            named=named,
        )
    return trn(
        "PubMed has deleted these records; your copies stay in the library: {named} "
        "and {n:,} more.",
        "PubMed has deleted these records; your copies stay in the library: {named} "
        "and {n:,} more.",
        more,
        named=named,
    )


def _article(element: etree._Element) -> Paper:
    """The paper of a PubmedArticle, or of a MedlineCitation on its own, as in older files."""
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
            "references": _references(element, citation),
        }
    )
    ids = _ids(element, article)
    extra["pii"] = next((value for kind, value in ids if kind == "pii"), "")
    known = identifiers(("pmid", pmid), *((k, v) for k, v in ids if k in ("doi", "pmcid")))
    extra |= doi_as_written(known, *(value for kind, value in ids if kind == "doi"))
    return Paper(
        title=medline.title_of(text_of(article.find("ArticleTitle"))) or extra["origtitle"],
        abstract=abstract,
        authors=_authors(article.find("AuthorList")),
        kind=medline.kind_of(types),
        published=_published(article),
        venue=text_of(article.find("Journal/Title")) or extra.get("shortjournal", ""),
        identifiers=known,
        fields=medline.major_first(map(_heading, citation.iterfind("MeshHeadingList/MeshHeading"))),
        keywords=_keywords(citation),
        extra={key: text for key, text in extra.items() if text},
        source="pubmed",
        source_id=pmid,
    )


def _book(element: etree._Element) -> Paper:
    """A book, or a chapter of one, of the NCBI Bookshelf."""
    entry = element.find("BookDocument")
    book = None if entry is None else entry.find("Book")
    if entry is None or book is None:
        return Paper(title="", source="pubmed")
    pmid = entry.findtext("PMID", "").strip()
    types = [text_of(kind) for kind in entry.iterfind("PublicationType")]
    abstract, notice = _abstract(entry, entry)
    chapter = medline.title_of(text_of(entry.find("ArticleTitle")))
    book_title = medline.title_of(text_of(book.find("BookTitle")))
    people = entry.find("AuthorList") if chapter else None
    extra = {
        "booktitle": book_title if chapter else "",
        "publisher": text_of(book.find("Publisher/PublisherName")),
        "address": text_of(book.find("Publisher/PublisherLocation")),
        "series": text_of(book.find("CollectionTitle")),
        "edition": text_of(book.find("Edition")),
        "volume": text_of(book.find("Volume")),
        "language": "; ".join(text_of(language) for language in entry.iterfind("Language")),
        "publication_types": "; ".join(types),
        "copyright": notice,
    }
    ids = _ids(element, entry)
    isbns = [("isbn", text_of(isbn)) for isbn in book.iterfind("Isbn")]
    return Paper(
        title=chapter or book_title,
        abstract=abstract,
        authors=_authors(people if people is not None else book.find("AuthorList")),
        kind="chapter" if chapter else "book",
        published=_date(entry.find("ContributionDate")) or _date(book.find("PubDate")),
        venue=extra["booktitle"],
        identifiers=identifiers(("pmid", pmid), *((k, v) for k, v in ids if k == "doi"), *isbns),
        keywords=_keywords(entry),
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
    """The date of the issue, or the day of online publication if that is more exact."""
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
    major = any(child.get("MajorTopicYN") == "Y" for child in heading)
    return text_of(heading[0]) if len(heading) else "", major


def _keywords(citation: etree._Element) -> tuple[str, ...]:
    words = (text_of(word) for word in citation.iterfind("KeywordList/Keyword"))
    return tuple(dict.fromkeys(word.rstrip(".;,") for word in words if word))


def _links(citation: etree._Element) -> dict[str, str]:
    """PMIDs of the papers that this one updates, retracts, comments and so on, by NLM's names.

    `UpdateOf`, which links an article to its preprint, becomes "update_of". A notice without PMID
    is given by its source reference.
    """
    links: dict[str, list[str]] = {}
    for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections"):
        kind = link.get("RefType", "Related")
        pmid = link.findtext("PMID", "").strip()
        if kind == _CITES or not (where := pmid or _printed(link, kind)):
            continue
        links.setdefault(_CAPITAL.sub("_", kind).lower(), []).append(where)
    return {key: " ".join(dict.fromkeys(places)) for key, places in links.items()}


def _printed(link: etree._Element, kind: str) -> str:
    # For links between versions of a paper, all readers expect PMIDs only.
    return text_of(link.find("RefSource")) if kind in _NOTICES else ""


def _references(element: etree._Element, citation: etree._Element) -> str:
    """The references in order: "pmid:123 doi:10.1000/x pmid:45", PMID before DOI."""
    cited = [
        ("pmid", link.findtext("PMID", ""))
        for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections")
        if link.get("RefType") == _CITES
    ]
    for references in element.iterfind("PubmedData/ReferenceList"):
        for child in references.iter("ArticleId"):
            if kind := _CITED_BY.get(child.get("IdType", "")):
                cited.append((kind, child.text or ""))
    return " ".join(dict.fromkeys(filter(None, (_cited(kind, text) for kind, text in cited))))


def _cited(kind: str, text: str) -> str:
    # Most are PMIDs in their normal form; some papers have thousands.
    if kind == "pmid" and text.isdecimal() and len(text) < 9 and text[0] != "0" and text.isascii():
        return f"pmid:{text}"
    found = identifier(kind, text)
    return ":".join(found) if found else ""

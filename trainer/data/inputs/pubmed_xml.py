"""PubMed XML, as provided by its web site, its API and its yearly baseline."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import BinaryIO

from lxml import etree

from trainer.data.corpus.records import InputRecord, RecordProblem
from trainer.data.inputs.source import Source
from trainer.data.inputs.values import year

_CITATION, _ARTICLE = "MedlineCitation", "PubmedArticle"
_NO_TITLE = ("not available", "in process citation")
_ENTITIES = (
    "The XML file defines its own entities, which is unsafe. The rest of the file was skipped."
)


def read(source: Source) -> Iterator[InputRecord | RecordProblem]:
    """Iterate over the articles in the file, and the problems of unreadable records."""
    number = 0
    with source.open() as stream:
        try:
            for element in _elements(stream):
                number += 1
                yield _article(element, f"record {number}")
        except etree.XMLSyntaxError as error:
            yield RecordProblem(f"record {number + 1}", f"The XML data is invalid: {error.msg}.")
        except _RefusedError as error:
            yield RecordProblem(f"record {number + 1}", str(error))


class _RefusedError(Exception):
    """The XML is potentially harmful."""


def _elements(stream: BinaryIO) -> Iterator[etree._Element]:
    """Iterate over complete article elements; each is cleared when the next one is parsed.

    Nothing is fetched and no entity is resolved; files that define any are refused.
    """
    parsing = etree.iterparse(
        # For a truncated compressed file `read` would lose the data decompressed so far.
        SimpleNamespace(read=getattr(stream, "read1", stream.read)),
        events=("end",),
        tag=(_ARTICLE, _CITATION),
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        huge_tree=False,
    )
    for _, element in parsing:
        parent = element.getparent()
        if parent is not None and parent.tag == _ARTICLE:
            continue  # It is part of an article, and read with that.
        dtd = element.getroottree().docinfo.internalDTD
        if dtd is not None and next(iter(dtd.iterentities()), None) is not None:
            raise _RefusedError(_ENTITIES)
        yield element
        element.clear()
        while parent is not None and element.getprevious() is not None:
            del parent[0]


def _article(element: etree._Element, entry: str) -> InputRecord | RecordProblem:
    citation = element if element.tag == _CITATION else element.find(_CITATION)
    article = None if citation is None else citation.find("Article")
    if citation is None or article is None:
        return RecordProblem(entry, "This record contains no article.")
    pmid = citation.findtext("PMID", "").strip()
    title = _title(article.find("ArticleTitle")) or _title(article.find("VernacularTitle"))
    abstract = " ".join(map(_section, article.iterfind("Abstract/AbstractText")))
    if not title and not abstract:
        return RecordProblem(pmid or entry, "This record has neither a title nor an abstract.")
    return InputRecord(
        id=f"pmid:{pmid}" if pmid else "",
        title=title,
        abstract=abstract,
        year=_year(article),
        venue=_text(article.find("Journal/Title"))
        or _text(article.find("Journal/ISOAbbreviation")),
        labels=tuple(map(_text, citation.iterfind("MeshHeadingList/MeshHeading/DescriptorName"))),
        cites=tuple(f"pmid:{cited}" for cited in _cited(element, citation)),
    )


def _title(element: etree._Element | None) -> str:
    """Return the title without the brackets of a translated one and without NLM's final full
    stop."""
    title = _text(element).removesuffix(".")
    if title.startswith("[") and title.endswith("]"):
        title = title[1:-1].removesuffix(".")
    return "" if title.lower() in _NO_TITLE else title


def _section(element: etree._Element) -> str:
    label = element.get("Label", "")
    named = label and label.upper() != "UNLABELLED"
    return f"{label}: {_text(element)}" if named else _text(element)


def _year(article: etree._Element) -> int:
    """Return the year of the journal issue, else that of the article."""
    issue = article.find("Journal/JournalIssue/PubDate")
    of_issue = "" if issue is None else issue.findtext("Year") or issue.findtext("MedlineDate")
    return year(of_issue, article.findtext("ArticleDate/Year"))


def _cited(element: etree._Element, citation: etree._Element) -> Iterator[str]:
    """Iterate over the PMIDs that the article cites."""
    for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections"):
        if link.get("RefType") == "Cites" and (pmid := link.findtext("PMID", "").strip()):
            yield pmid
    for references in element.iterfind("PubmedData/ReferenceList"):
        for child in references.iter("ArticleId"):
            if child.get("IdType") == "pubmed" and (pmid := _text(child)):
                yield pmid


def _text(element: etree._Element | None) -> str:
    """Return all text in an element, without markup, on one line."""
    return "" if element is None else " ".join("".join(element.itertext()).split())

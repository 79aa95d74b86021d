"""PubMed's XML, as its web site, its API and its yearly baseline give it."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import BinaryIO

from lxml import etree

from trainer.data.inputs.source import Source
from trainer.data.inputs.values import year
from trainer.data.record import Problem, Record

_CITATION, _ARTICLE = "MedlineCitation", "PubmedArticle"
_NO_TITLE = ("not available", "in process citation")
_ENTITIES = "The XML defines entities of its own, which can hide attacks; it was not read on."


def read(source: Source) -> Iterator[Record | Problem]:
    """Every article in the file, and what was wrong with the records that hold none."""
    number = 0
    with source.open() as stream:
        try:
            for element in _elements(stream):
                number += 1
                yield _article(element, f"record {number}")
        except etree.XMLSyntaxError as error:
            yield Problem(f"record {number + 1}", f"The XML is broken: {error.msg}.")
        except _RefusedError as error:
            yield Problem(f"record {number + 1}", str(error))


class _RefusedError(Exception):
    """The XML could do harm."""


def _elements(stream: BinaryIO) -> Iterator[etree._Element]:
    """Each article once it is complete; it is emptied when the next comes.

    Nothing is fetched and no entity is resolved; files that define any are refused.
    """
    parsing = etree.iterparse(
        # Of a packed file that breaks off, `read` would lose what it has got so far.
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
            continue  # It will come with the article that it is part of.
        dtd = element.getroottree().docinfo.internalDTD
        if dtd is not None and next(iter(dtd.iterentities()), None) is not None:
            raise _RefusedError(_ENTITIES)
        yield element
        element.clear()
        while parent is not None and element.getprevious() is not None:
            del parent[0]


def _article(element: etree._Element, entry: str) -> Record | Problem:
    citation = element if element.tag == _CITATION else element.find(_CITATION)
    article = None if citation is None else citation.find("Article")
    if citation is None or article is None:
        return Problem(entry, "This record holds no article.")
    pmid = citation.findtext("PMID", "").strip()
    title = _title(article.find("ArticleTitle")) or _title(article.find("VernacularTitle"))
    abstract = " ".join(map(_section, article.iterfind("Abstract/AbstractText")))
    if not title and not abstract:
        return Problem(pmid or entry, "This record has neither a title nor an abstract.")
    return Record(
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
    """Without the brackets of a translated title and the full stop that NLM ends titles with."""
    title = _text(element).removesuffix(".")
    if title.startswith("[") and title.endswith("]"):
        title = title[1:-1].removesuffix(".")
    return "" if title.lower() in _NO_TITLE else title


def _section(element: etree._Element) -> str:
    label = element.get("Label", "")
    named = label and label.upper() != "UNLABELLED"
    return f"{label}: {_text(element)}" if named else _text(element)


def _year(article: etree._Element) -> int:
    """When the journal's issue appeared, else when the article did."""
    issue = article.find("Journal/JournalIssue/PubDate")
    of_issue = "" if issue is None else issue.findtext("Year") or issue.findtext("MedlineDate")
    return year(of_issue, article.findtext("ArticleDate/Year"))


def _cited(element: etree._Element, citation: etree._Element) -> Iterator[str]:
    """PMIDs of what the article cites."""
    for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections"):
        if link.get("RefType") == "Cites" and (pmid := link.findtext("PMID", "").strip()):
            yield pmid
    for references in element.iterfind("PubmedData/ReferenceList"):
        for child in references.iter("ArticleId"):
            if child.get("IdType") == "pubmed" and (pmid := _text(child)):
                yield pmid


def _text(element: etree._Element | None) -> str:
    """All text in an element, its markup left out, on one line."""
    return "" if element is None else " ".join("".join(element.itertext()).split())

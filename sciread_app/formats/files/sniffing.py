"""Detection of bibliography formats from the first kilobytes of a file."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection

from sciread_app.formats.files.tables import columns
from sciread_app.language import tr

_RIS = re.compile(r"^\s*TY  ?- ?\w", re.MULTILINE)
_BIBTEX = re.compile(r"^\s*@\s*[A-Za-z]+\s*[{(]", re.MULTILINE)
_MEDLINE = re.compile(r"^PMID ?- ?\d", re.MULTILINE)
_ENDNOTE = re.compile(r"%[0AT] \S")
# Tagged, or the first row of the tab-delimited export.
_WEB_OF_SCIENCE = re.compile(
    r"FN [^\n]*\r?\nVR |PT [A-Z]\r?\n(?:[A-Z][A-Z0-9] |   )|(?:[A-Z][A-Z0-9]\t){5}"
)
_ENDNOTE_ROOTS = ("xml", "records")
_RECORD = re.compile(r"<(?:rec-number|ref-type|contributors|source-app)\b")
_ZOTERO = "http://www.zotero.org/namespaces/export#"
_PROLOG = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)", re.DOTALL)
_ROOT = re.compile(r"\s*<(?:[\w.-]+:)?([\w.-]+)")
_PUBMED_ROOTS = frozenset((
    "PubmedArticleSet", "PubmedArticle", "PubmedBookArticleSet", "PubmedBookArticle",
    "MedlineCitationSet", "MedlineCitation",
))  # fmt: skip
_SNAPSHOT = re.compile(r'"(?:authors_parsed|update_date)"\s*:')
_CSL = re.compile(
    r'"(?:issued|container-title|citation-key|items)"\s*:|"type"\s*:\s*"(?:article|paper|book|'
    r'chapter|thesis|report|entry|post|webpage|dataset|software|manuscript|speech|patent)[a-z-]*"'
)
_JSONL = re.compile(r'"(?:title|abstract|question)"\s*:')

# Descriptions of unsupported XML formats by root element.
_MARC = tr("SciRead cannot import MARC files. Export the papers as RIS or BibTeX instead.")
_FEED = tr("This news feed is not from arXiv. SciRead can import only arXiv feeds.")
_ROOTS = {
    "collection": _MARC,
    "record": _MARC,
    "searchRetrieveResponse": tr(
        "SciRead cannot import responses from library catalogs (SRU). Export the papers as RIS "
        "or BibTeX instead."
    ),
    "Sources": tr(
        "SciRead cannot import Microsoft Word bibliographies. Export the papers as RIS "
        "or BibTeX instead."
    ),
    "bibliography": tr(
        "SciRead cannot import DocBook bibliographies. Export the papers as RIS or BibTeX instead."
    ),
    "RDF": tr(
        "SciRead can import only RDF files from Zotero. Export the papers as RIS or BibTeX instead."
    ),
    "OAI-PMH": tr(
        "SciRead cannot import saved OAI-PMH responses. Use a response from arXiv's query API "
        "instead."
    ),
    "article": tr(
        "This file is the full text of an article (JATS), not a bibliography. Import "
        "the article's PDF instead."
    ),
    "pmc-articleset": tr(
        "This file is full text from PubMed Central, not a bibliography. Save the "
        "PubMed records as XML instead."
    ),
    "TEI": tr("This file is a TEI document, not a bibliography. Import the original PDF instead."),
    "feed": _FEED,
    "rss": _FEED,
    "html": tr(
        "This file is a web page, not a bibliography. Export the papers as RIS or BibTeX instead."
    ),
    "document-content": tr(
        "SciRead cannot import OpenOffice documents. Export the papers as RIS or BibTeX instead."
    ),
}
_NCBI_ANSWER = re.compile(r"e([A-Z]\w+)Result")
_TABLE = tr(
    "SciRead can import tables only from Zotero and Scopus (CSV) and Web of Science "
    "(tab-delimited). Export the papers as RIS or BibTeX instead."
)
_ENDNOTE_LIBRARY = tr(
    "SciRead cannot import EndNote libraries. Export the papers from EndNote as RIS instead."
)
_SUFFIXES = {
    ".enl": _ENDNOTE_LIBRARY,
    ".mrc": _MARC,
    ".marc": _MARC,
    ".csv": _TABLE,
    ".tsv": _TABLE,
}


def looks_like(name: str, head: bytes) -> bool:
    """Whether a file that starts with `head` has the format whose module has this `NAME`."""
    test = _TESTS.get(name)
    return test is not None and test(_text(head))


def refusal_by_name(suffix: str) -> str:
    """A sentence on a file that is not read because of its suffix."""
    if not suffix:
        return tr("The file name has no extension. Import the file by itself to try it.")
    return _SUFFIXES.get(suffix) or tr("Files of this type are not supported.")


def refusal(suffix: str, head: bytes) -> str:
    """A sentence on a file of an unsupported format: its format, and what to do about it."""
    text = _text(head)
    if text.startswith("<"):
        return _xml_refusal(_root(text), text)
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if text.startswith(("{", "[")):
        return tr(
            "This JSON file is not a bibliography. SciRead can import CSL-JSON, and JSON "
            "Lines with one paper per line."
        )
    return tr(
        "SciRead found no papers in this file. Supported formats are BibTeX, RIS, CSL-JSON, MODS, "
        "PDF, and the formats of PubMed, arXiv, EndNote, Web of Science, Scopus, and Zotero."
    )


def _xml_refusal(root: str, text: str) -> str:
    if root in _ROOTS:
        return _ROOTS[root]
    if match := _NCBI_ANSWER.fullmatch(root):
        return tr(
            "This file is a response from NCBI's {service} service and contains no records. "
            "Download the records as XML with EFetch.",
            service=f"E{match[1]}",
        )
    return tr(
        "This XML file with the root element <{element}> is not a known bibliography "
        "format. SciRead can import XML from PubMed, arXiv, EndNote, and library catalogs (MODS).",
        element=root,
    )


def _text(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", errors="replace").lstrip()
    return head.decode("utf-8-sig", errors="replace").lstrip()


def _root(text: str) -> str:
    """The root element's name without namespace; empty if this is not XML."""
    position = 0
    while match := _PROLOG.match(text, position):
        position = match.end()
    found = _ROOT.match(text, position)
    return found[1] if found else ""


def _is_text(text: str, pattern: re.Pattern[str]) -> bool:
    return not text.startswith(("<", "{", "[", "%PDF-")) and bool(pattern.search(text))


def _is_tagged(text: str) -> bool:
    """Whether this is EndNote's or Web of Science's format, whose abstracts may contain others."""
    return bool(_ENDNOTE.match(text) or _WEB_OF_SCIENCE.match(text))


def _is_table_with(text: str, names: Collection[str], alternatives: Collection[str] = ()) -> bool:
    """Whether the first row names these columns, and one of the alternatives."""
    header = set(columns(text)) if "\n" in text else set()
    return header.issuperset(names) and (not alternatives or not header.isdisjoint(alternatives))


def _first_line(text: str) -> str:
    """The first line, if it is JSON that is complete or continues after `text`."""
    line, newline, _ = text.partition("\n")
    whole = not newline or line.rstrip().endswith("}")
    return line if text.startswith("{") and whole else ""


def _is_snapshot(text: str) -> bool:
    return bool(_SNAPSHOT.search(_first_line(text)))


def _is_csl(text: str) -> bool:
    return text.startswith("[") or (text.startswith("{") and bool(_CSL.search(text)))


def _is_jsonl(text: str) -> bool:
    line = _first_line(text)
    return bool(_JSONL.search(line)) and not _SNAPSHOT.search(line) and not _CSL.search(line)


_TESTS: dict[str, Callable[[str], bool]] = {
    "bibtex": lambda text: _is_text(text, _BIBTEX) and not _is_tagged(text),
    "ris": lambda text: _is_text(text, _RIS) and not _is_tagged(text),
    "endnote_tagged": lambda text: bool(_ENDNOTE.match(text)),
    "web_of_science": lambda text: bool(_WEB_OF_SCIENCE.match(text)),
    "scopus": lambda text: _is_table_with(text, ("Authors", "Title"), ("Source title", "EID")),
    "zotero_csv": lambda text: _is_table_with(text, ("Key", "Item Type", "Title")),
    "endnote_xml": lambda text: _root(text) in _ENDNOTE_ROOTS and bool(_RECORD.search(text)),
    "mods": lambda text: _root(text) in ("mods", "modsCollection"),
    "zotero_rdf": lambda text: _root(text) == "RDF" and _ZOTERO in text,
    "nbib": lambda text: _is_text(text, _MEDLINE),
    "pdf": lambda text: "%PDF-" in text[:1024],
    "pubmed_xml": lambda text: text.startswith("<") and _root(text) in _PUBMED_ROOTS,
    "arxiv_atom": lambda text: _root(text) == "feed" and "arxiv.org" in text,
    "arxiv_snapshot": _is_snapshot,
    "csl_json": lambda text: _is_csl(text) and not _is_snapshot(text),
    "jsonl": _is_jsonl,
}

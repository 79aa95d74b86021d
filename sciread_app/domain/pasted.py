"""The one paper that is meant when an identifier or a link is pasted into the search box."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from sciread_app.domain.identifiers import closed_up, identifier
from sciread_app.domain.paper import Identifier

_LABEL = re.compile(r"^(doi|arxiv|pmid|pmcid|isbn(?:-1[03])?)\s*[:\s]\s*(?=\S)", re.I)
_SUBJECT = re.compile(r"\s+\[[A-Za-z.-]+\]$")  # arXiv:2101.00027v2 [cs.CL]
_LINK = re.compile(r"(?:https?://|www\.|(?:dx\.)?doi\.org/|(?:[a-z]+\.)*arxiv\.org/)", re.I)
# Publishers hang the page's own name behind the DOI.
_PAGE = re.compile(r"/(?:full|abstract|pdf|epub|meta|html|fulltext)$|\.pdf$", re.I)
_BARE = (
    ("arxiv", re.compile(r".+")),
    ("doi", re.compile(r"10\.\d{4,9}/\S+")),
    ("pmcid", re.compile(r"PMC\d+(?:\.\d+)?", re.I)),
    ("pmid", re.compile(r"\d{7,8}")),  # fewer digits are a number or a year
    ("isbn", re.compile(r"97[89][\d -]{10,}|[\dX-]{10,}", re.I)),
)


def pasted_identifier(text: str) -> Identifier | None:
    """What a DOI, an arXiv id, a PMID, a PMCID, an ISBN or a link of these stands for, else None.

    Nothing else may stand beside it: an identifier within a sentence is a part of the sentence.
    """
    text = closed_up(_SUBJECT.sub("", text.strip()))
    if label := _LABEL.match(text):
        return _labelled(label[1].lower(), text[label.end() :])
    if _LINK.match(text):
        return _linked(text)
    for kind, shape in _BARE:
        if shape.fullmatch(text) and (found := identifier(kind, text)):
            return found
    return None


def _labelled(kind: str, text: str) -> Identifier | None:
    kind = kind[:4] if kind.startswith("isbn") else kind
    return identifier(kind, text) if kind == "isbn" or " " not in text else None


def _linked(text: str) -> Identifier | None:
    if " " in text:
        return None
    try:
        link = urlsplit(text if "://" in text else f"https://{text}")
    except ValueError:
        return None
    host, path = link.netloc.lower(), unquote(link.path).rstrip("/")
    name = path.rsplit("/", 1)[-1]
    if host.endswith("arxiv.org"):
        return identifier("arxiv", f"arxiv.org{path}")
    if host.endswith("ncbi.nlm.nih.gov"):
        return identifier("pmcid" if name.upper().startswith("PMC") else "pmid", name)
    return identifier("doi", _PAGE.sub("", path))

"""The names that the world gives to papers, each in one normal form, so that equal means same."""

from __future__ import annotations

import re
from urllib.parse import unquote

from sciread_app.domain.paper import Identifier

IDENTIFIER_KINDS = ("doi", "arxiv", "pmid", "pmcid", "isbn", "citekey")

# A DOI in running text, which may stand in angle brackets or quotation marks.
DOI_IN_TEXT = re.compile(
    r"\b10\.\d{4,9}/(?:[^\s\"<>|]|<[^<>\s]{1,40}>(?=\d\.\d\.(?:CO|TX);))+", re.I
)
_DOI = re.compile(r"10\.\d{4,9}/\S+")
# DOIs made from SICI codes, such as 10.1659/0276-4741(2004)024[0141:SPOCMP]2.0.CO;2. Databases put
# blanks around the brackets, though no DOI has any.
_SICI = re.compile(
    r"(10\.\d{4,9}/\S*?\d{4}-\d{3}[\dX]\S*?)\s*(?:&lt;|[\[<])([^\[\]<>]{1,40}?)(?:&gt;|[\]>])"
    r"\s*(\d\.\s?\d\.\s?(?:CO|TX);\s?[\dX](?:-\w)?)",
    re.I,
)
_DOI_TAIL = " .,;:)]}>'\""
# What an address says beside the DOI in it: "?utm_source=x", "&rft.genre=article".
_DOI_QUESTION = re.compile(r"[?&][\w.]+=.*")
_DOI_VIEW = re.compile(r"/(?:e?pdf|full|abstract|fulltext|html|meta)(?:#.*)?$|#.*")
# DOIs that templates print until their author fills in a real one.
_PLACEHOLDER = re.compile(r"n{4}|x{4}|^10\.(?:475/123_4|1145/1122445\.1122456|1145/0+\.0+$|0000/)")
_ARXIV_NEW = re.compile(r"(\d{2}(?:0[1-9]|1[0-2])\.\d{4,5})(?:v(\d+))?")
_ARXIV_OLD = re.compile(r"([a-z]+(?:-[a-z]+)?)(?:\.[A-Za-z-]{2,})?/(\d{7})(?:v(\d+))?")
_ARXIV_DOI = "10.48550/arxiv."
_ARXIV_PREFIX = re.compile(
    r"^(?:https?://)?(?:[a-z]+\.)?arxiv\.org/(?:abs|pdf|html|format|e-print)/|^arxiv:\s*", re.I
)


def identifier(kind: str, text: str) -> Identifier | None:
    """The identifier written in `text`, in normal form; None if it is not one, or a placeholder.

    A DOI is lower case without resolver, an arXiv id has no version, an ISBN has 13 digits. The
    DOI that arXiv gives to a preprint comes back as the arXiv id it stands for, since the same
    paper's journal article has a DOI of its own (PRODUCT.md C).
    """
    text = text.strip()
    if kind == "doi":
        value = _doi(text)
        if value.startswith(_ARXIV_DOI):
            return identifier("arxiv", value.removeprefix(_ARXIV_DOI))
    elif kind == "arxiv":
        value = arxiv_id(text)[0]
    elif kind == "pmid":
        value = _digits(text, r"(?:pmid:?\s*)?0*([1-9]\d{0,8})")
    elif kind == "pmcid":
        digits = _digits(text, r"(?:pmcid:?\s*)?(?:pmc)?0*([1-9]\d{0,9})(?:\.\d+)?")
        value = f"PMC{digits}" if digits else ""
    elif kind == "isbn":
        value = _isbn13(text)
    elif kind == "citekey":
        value = text
    else:
        raise ValueError(f"no such kind of identifier: {kind}")
    return Identifier(kind, value) if value else None


def identifiers(*pairs: tuple[str, str]) -> tuple[Identifier, ...]:
    """Every identifier that stands in these (kind, text) pairs, each once, in this order."""
    found = (identifier(kind, text) for kind, text in pairs if text)
    return tuple(dict.fromkeys(i for i in found if i))


def arxiv_id(text: str) -> tuple[str, int | None]:
    """The arXiv id in `text` without its version, and the version; ("", None) if there is none."""
    text = _ARXIV_PREFIX.sub("", text.strip()).removesuffix(".pdf")
    if match := _ARXIV_NEW.fullmatch(text):
        return match[1], int(match[2]) if match[2] else None
    if match := _ARXIV_OLD.fullmatch(text):
        return f"{match[1]}/{match[2]}", int(match[3]) if match[3] else None
    return "", None


def closed_up(text: str) -> str:
    """The text with the blanks taken out of DOIs in it that have some."""
    if ".co;" not in text.lower() and ".tx;" not in text.lower():
        return text
    return _SICI.sub(_without_blanks, text)


def _without_blanks(match: re.Match[str]) -> str:
    return re.sub(r"\s+", "", match[0]).replace("&lt;", "<").replace("&gt;", ">")


def _doi(text: str) -> str:
    if "%" in text:
        text = unquote(text)
    text = closed_up(text)
    match = _DOI.search(text.lower())
    if not match:
        return ""
    doi = _DOI_QUESTION.sub("", match[0])
    if "://" in text and "doi.org" not in text.lower():
        doi = _DOI_VIEW.sub("", doi)  # a publisher's page: /doi/10.1002/x/pdf
    # A closing bracket belongs to the DOI when it was opened there: 10.1016/0370-2693(88)91418-2.
    while doi[-1] in _DOI_TAIL and (doi[-1] != ")" or doi.count("(") < doi.count(")")):
        doi = doi[:-1]
    return "" if _PLACEHOLDER.search(doi) or doi.endswith("/") else doi


def _digits(text: str, pattern: str) -> str:
    match = re.fullmatch(pattern, text, re.I)
    return match[1] if match else ""


def _isbn13(text: str) -> str:
    digits = re.sub(r"[\s\-‐-―]|^isbn(?:-1[03])?:?", "", text, flags=re.I).upper()
    if re.fullmatch(r"\d{9}[\dX]", digits):
        values = [10 if d == "X" else int(d) for d in digits]
        if sum(v * (10 - i) for i, v in enumerate(values)) % 11:
            return ""
        body = "978" + digits[:9]
        return body + _isbn_check(body)
    if re.fullmatch(r"97[89]\d{10}", digits) and digits[12] == _isbn_check(digits[:12]):
        return digits
    return ""


def _isbn_check(body: str) -> str:
    return str(-sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(body)) % 10)

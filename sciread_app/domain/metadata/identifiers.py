"""Identifiers of papers (DOI, arXiv, PMID, PMCID, ISBN): normal forms, recognition and links."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from sciread_app.domain.paper import Identifier, Paper

IDENTIFIER_KINDS = ("doi", "arxiv", "pmid", "pmcid", "isbn", "citekey")
# Display names of identifier kinds.
IDENTIFIER_NAMES = {
    "doi": "DOI",
    "arxiv": "arXiv",
    "pmid": "PubMed",
    "pmcid": "PMC",
    "isbn": "ISBN",
}
# Addresses that an identifier is appended to, the most persistent first.
RESOLVERS = {
    "doi": "https://doi.org/",
    "arxiv": "https://arxiv.org/abs/",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    "pmcid": "https://pmc.ncbi.nlm.nih.gov/articles/",
    "isbn": "https://openlibrary.org/isbn/",
}

# A DOI in running text, which may be in angle brackets or quotation marks.
DOI_IN_TEXT = re.compile(
    r"\b10\.\d{4,9}/(?:[^\s\"<>|⟨⟩〈〉«»]|<[^<>\s]{1,40}>(?=\d\.\d\.(?:CO|TX);))+", re.I
)
_DOI = re.compile(r"10\.\d{4,9}/\S+")
# DOIs made from SICI codes, such as 10.1659/0276-4741(2004)024[0141:SPOCMP]2.0.CO;2. Databases put
# blanks around the brackets, though no DOI has any. Each part is bounded, so that a long text that
# only begins like this is scanned in linear time.
_SICI = re.compile(
    r"(10\.\d{4,9}/\S{0,40}?\d{4}-\d{3}[\dX]\S{0,60}?)\s{0,9}(?:&lt;|[\[<])([^\[\]<>]{1,40}?)"
    r"(?:&gt;|[\]>])\s{0,9}(\d\.\s?\d\.\s?(?:CO|TX)\s{0,9};\s{0,9}[\dX](?:-\w)?)",
    re.I,
)
_SICI_END = re.compile(r"\.(?:co|tx)\s{0,9};", re.I)
_CUT_SICI = re.compile(r"\d\.\d\.(?:co|tx)$")  # without its last part: not the DOI of this paper
# A blank next to the slash. Prose may follow a slash too, so only a last word with a digit is
# joined.
_SLASH = re.compile(r"(10\.\d{4,9})(?:\s{1,9}/\s{0,9}|/\s{1,9})(?=\S{0,200}\d)(\S{1,200})\s*$")
# A blank after a separator. Only a last word that has separators and a digit of its own is joined,
# and no date: after a full stop, prose may follow.
_CUT_DOI = re.compile(
    r"(10\.\d{4,9}/\S{0,200}[._-])\s{1,9}"
    r"(?!(?:\d\d?\.\d\d?\.\d{4}|\d{4}-\d\d-\d\d)\.?\s*$)(?=\S{0,200}\d)"
    r"([a-z\d()]{1,40}(?:[._-][a-z\d()]{1,40}){1,9}\.?\s*)$",
    re.I,
)
_NO_NUMBER = re.compile(r"/[^\d.]+\.[^\d]+$")  # 10.1016/j.cell, cut off before its number
_DOI_TAIL = " .,;:)]}>'\""
# The query part of an address containing a DOI: "?utm_source=x", "&rft.genre=article".
_DOI_QUESTION = re.compile(r"[?&][\w.]+=.*")
_DOI_VIEW = re.compile(r"/(?:e?pdf|full|abstract|fulltext|html|meta)(?:#.*)?$|#.*")
# Placeholder DOIs that templates print until the author enters a real one.
_PLACEHOLDER = re.compile(r"n{4}|x{4}|^10\.(?:475/123_4|1145/1122445\.1122456|1145/0+\.0+$|0000/)")
_ARXIV_NEW = re.compile(r"(\d{2}(?:0[1-9]|1[0-2])\.\d{4,5})(?:v(\d{1,9}))?")
_ARXIV_OLD = re.compile(r"([a-z]+(?:-[a-z]+)?)(?:\.[A-Za-z-]{2,})?/(\d{7})(?:v(\d{1,9}))?")
_ARXIV_DOI = "10.48550/arxiv."
_ARXIV_PREFIX = re.compile(
    r"^(?:https?://)?(?:[a-z]+\.)?arxiv\.org/(?:abs|pdf|html|format|e-print)/|^arxiv:\s*", re.I
)
_LABEL = re.compile(r"^(doi|arxiv|pmid|pmcid|isbn(?:-1[03])?)\s*[:\s]\s*(?=\S)", re.I)
_SUBJECT = re.compile(r"\s+\[[A-Za-z.-]+\]$")  # arXiv:2101.00027v2 [cs.CL]
_LINK = re.compile(r"(?:https?://|www\.|(?:dx\.)?doi\.org/|(?:[a-z]+\.)*arxiv\.org/)", re.I)
# Publishers append the page's own name to the DOI.
_PAGE = re.compile(r"/(?:full|abstract|pdf|epub|meta|html|fulltext)$|\.pdf$", re.I)
# bioRxiv and medRxiv append the version, and the name of the page.
_PREPRINT_VERSION = re.compile(r"v\d{1,3}(?:\.[\w-]+)*$")
# The servers of NCBI and Europe PMC have genes, sequences and preprints too, by number.
_PMC_PAGE = re.compile(r"/(PMC\d+)", re.I)
_PUBMED_PAGE = re.compile(
    r"(?:^pubmed\.ncbi\.nlm\.nih\.gov|/pubmed|europepmc\.org/\w+/MED)/(\d+)(?:/|$)", re.I
)
_NATURE = re.compile(r"/articles/([a-z]*[\w.-]*\d[\w-]*)$")
_BARE = (
    ("arxiv", re.compile(r".+")),
    ("doi", re.compile(r"10\.\d{4,9}/\S+")),
    ("pmcid", re.compile(r"PMC\d+(?:\.\d+)?", re.I)),
    ("pmid", re.compile(r"\d{7,8}")),  # fewer digits are a number or a year
    ("isbn", re.compile(r"97[89][\d -]{10,}|[\dX-]{10,}", re.I)),
)


def identifier(kind: str, text: str) -> Identifier | None:
    """The identifier in `text`, in normal form; None if it is not one, or is a placeholder.

    A DOI is in lower case without resolver, an arXiv id has no version, an ISBN has 13 digits. The
    DOI that arXiv assigns to a preprint is returned as the arXiv id, since the journal article of
    the same paper has a DOI of its own.
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
    """The distinct identifiers of these (kind, text) pairs, in order."""
    found = (identifier(kind, text) for kind, text in pairs if text)
    return tuple(dict.fromkeys(i for i in found if i))


def doi_as_written(known: Iterable[Identifier], *texts: str) -> dict[str, str]:
    """The first DOI of `known` as it is in one of the texts that it was read from, for
    `Paper.extra`; empty if it is in lower case."""
    doi = next((value for kind, value in known if kind == "doi"), "")
    for text in filter(None, texts) if doi else ():
        for plain in (text, closed_up(unquote(text))):
            lower = plain.lower()
            # Some letters have another length in lower case.
            if (at := lower.find(doi)) >= 0 and len(lower) == len(plain):
                written = plain[at : at + len(doi)]
                return {"doi": written} if written != doi else {}
    return {}


def other_fields(paper: Paper) -> dict[str, str]:
    """The fields in `extra` that no other attribute has: all but the original case of a DOI."""
    fields = dict(paper.extra)
    if "doi" in fields and identifier("doi", fields["doi"]):
        del fields["doi"]
    return fields


def arxiv_id(text: str) -> tuple[str, int | None]:
    """The arXiv id in `text` without its version, and the version; ("", None) if there is none."""
    text = _ARXIV_PREFIX.sub("", text.strip()).removesuffix(".pdf")
    if match := _ARXIV_NEW.fullmatch(text):
        return match[1], int(match[2]) if match[2] else None
    if match := _ARXIV_OLD.fullmatch(text):
        return f"{match[1]}/{match[2]}", int(match[3]) if match[3] else None
    return "", None


def closed_up(text: str) -> str:
    """`text` with the blanks removed from DOIs that contain some."""
    text = _CUT_DOI.sub(r"\1\2", _SLASH.sub(r"\1/\2", text))
    return _SICI.sub(_without_blanks, text) if _SICI_END.search(text) else text


def pasted_identifier(text: str) -> Identifier | None:
    """The identifier of a DOI, arXiv id, PMID, PMCID, ISBN or a link to one of these, else None.

    The text must contain nothing else: an identifier within a sentence is part of the sentence.
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


def identifier_link(identifier: Identifier) -> tuple[str, str]:
    """The text and the address of a link; the address is empty for kinds without a resolver."""
    kind, value = identifier
    if kind not in RESOLVERS:
        return f"{kind} {value}", ""
    return f"{IDENTIFIER_NAMES[kind]} {value}", RESOLVERS[kind] + quote(value, safe="/.:;()-_")


def identifier_links(identifiers: Iterable[Identifier]) -> list[tuple[str, str]]:
    """The links (text, address) of all identifiers that have a resolver."""
    return [link for one in identifiers if (link := identifier_link(one))[1]]


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
    if host.endswith(("ncbi.nlm.nih.gov", "europepmc.org")):
        if article := _PMC_PAGE.search(path):
            return identifier("pmcid", article[1])
        article = _PUBMED_PAGE.search(host + path)
        return identifier("pmid", article[1]) if article else None
    if host.endswith(("biorxiv.org", "medrxiv.org")):
        path = _PREPRINT_VERSION.sub("", path)
    elif host.endswith("nature.com") and (article := _NATURE.search(path)):
        return identifier("doi", f"10.1038/{article[1]}")
    if host.endswith("openlibrary.org") and "/isbn/" in path:
        return identifier("isbn", name)
    # PLOS and others name the DOI in the query.
    values = [_PAGE.sub("", path), *(value for _, value in parse_qsl(link.query))]
    return next((found for value in values if (found := identifier("doi", value))), None)


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
    end = len(doi)
    while doi[end - 1] in _DOI_TAIL and (
        doi[end - 1] != ")" or doi.count("(", 0, end) < doi.count(")", 0, end)
    ):
        end -= 1
    doi, tail = doi[:end], doi[end:]
    if doi.endswith(("/", "-", "_")) or _PLACEHOLDER.search(doi) or _CUT_SICI.search(doi):
        return ""
    if tail.startswith(".") and _NO_NUMBER.search(doi):
        return ""
    return doi


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

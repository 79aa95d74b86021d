"""Responses of arXiv's OAI-PMH interface with records in its own format, arXivRaw."""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml import etree

from sciread_app.domain.metadata.identifiers import arxiv_id
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.formats.arxiv import fields as arxiv_record
from sciread_app.formats.files.xml_stream import BadXml, document
from sciread_app.formats.values.author_list import authors
from sciread_app.formats.values.markup import prose
from sciread_app.language import tr

_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_RAW = "{http://arxiv.org/OAI/arXivRaw/}"
_RECORD, _HEADER, _TOKEN = f"{_OAI}record", f"{_OAI}header", f"{_OAI}resumptionToken"
_VERSION = f"{_RAW}version"
# An affiliation in brackets after a name. A number refers to a list of affiliations elsewhere.
_AFFILIATION = re.compile(r"\(([^()]*[^\W\d_][^()]*)\)")
_KEPT = {
    "comments": "comment",
    "journal-ref": "journal_ref",
    "report-no": "number",
    "msc-class": "msc_class",
    "acm-class": "acm_class",
    "license": "license",
    "submitter": "submitter",
}


class Item(NamedTuple):
    """One record of a harvest."""

    record: Paper | Skipped
    datestamp: str  # the day of arXiv's last change of the record, ISO
    deleted: bool


class Harvest(NamedTuple):
    """One response of a harvest."""

    items: list[Item]
    token: str  # resumption token; empty at the end
    total: int  # -1 if the response does not contain it
    error: str  # OAI's code, such as "badResumptionToken"; mostly empty
    message: str


class _Version(NamedTuple):
    number: str
    day: str
    withdrawn: bool


def harvest(body: bytes, name: str = "arXiv") -> Harvest:
    """A whole response to ListRecords, parsed. Raises BadXml if it is malformed or not OAI-PMH."""
    root = document(body)
    if root.tag != f"{_OAI}OAI-PMH":
        element = etree.QName(root).localname
        raise BadXml(
            tr(
                "The XML is not an OAI-PMH response: its root element is <{element}>.",
                element=element,
            )
        )
    error = root.find(f"{_OAI}error")
    if error is not None:
        return Harvest([], "", -1, error.get("code", "unknown"), prose(error.text or ""))
    token = root.find(f"*/{_TOKEN}")
    total = "" if token is None else token.get("completeListSize", "")
    return Harvest(
        [_item(record, name) for record in root.iterfind(f"*/{_RECORD}")],
        "" if token is None else (token.text or "").strip(),
        int(total) if total.isdecimal() else -1,
        "",
        "",
    )


def _item(record: etree._Element, name: str) -> Item:
    header = record.find(_HEADER)
    if header is None:
        nameless = Skipped(name, tr("a record"), tr("This record has no header."))
        return Item(nameless, "", False)
    id = (header.findtext(f"{_OAI}identifier") or "").strip().removeprefix("oai:arXiv.org:")
    stamp = (header.findtext(f"{_OAI}datestamp") or "").strip()[:10]
    if header.get("status") == "deleted":
        return Item(Skipped(name, id, tr("arXiv has deleted this record.")), stamp, True)
    raw = record.find(f"{_OAI}metadata/{_RAW}arXivRaw")
    if raw is None:
        why = tr("This record has no metadata in the arXivRaw format.")
        return Item(Skipped(name, id, why), stamp, False)
    return Item(_paper(raw, id, name), stamp, False)


def _paper(raw: etree._Element, id: str, name: str) -> Paper | Skipped:
    texts, versions = _parts(raw)
    base, _ = arxiv_id(texts.get("id", "") or id)
    title, abstract = prose(texts.get("title", "")), prose(texts.get("abstract", ""))
    if not base or not title:
        why = tr("This record has no title.") if base else tr("This record has no arXiv ID.")
        return Skipped(name, base or id, why)
    return arxiv_record.paper(
        base,
        title,
        abstract,
        authors=authors(_AFFILIATION.sub("", texts.get("authors", ""))),
        published=versions[0].day if versions else "",
        dois=texts.get("doi", ""),
        fields=tuple(dict.fromkeys(texts.get("categories", "").split())),
        extra=_extra(texts, versions),
    )


def _parts(raw: etree._Element) -> tuple[dict[str, str], list[_Version]]:
    texts: dict[str, str] = {}
    versions = []
    for child in raw:
        if child.tag == _VERSION:
            versions.append(_version(child))
        elif child.text:
            texts.setdefault(child.tag.removeprefix(_RAW), child.text)
    return texts, versions


def _version(element: etree._Element) -> _Version:
    kind = element.findtext(f"{_RAW}source_type") or ""
    return _Version(
        element.get("version", "").removeprefix("v"),
        arxiv_record.day_of(element.findtext(f"{_RAW}date") or ""),
        "I" in kind,  # "ignore": arXiv's mark of a version without a paper
    )


def _extra(texts: dict[str, str], versions: list[_Version]) -> dict[str, str]:
    extra = {kept: prose(texts.get(tag, "")) for tag, kept in _KEPT.items()}
    extra["affiliations"] = _affiliations(texts.get("authors", ""))
    if versions:
        last = versions[-1]
        extra |= {"updated": last.day, "version": last.number}
        if last.withdrawn:
            extra["withdrawn"] = f"Version {last.number} has been withdrawn."
    return extra


def _affiliations(line: str) -> str:
    """The distinct affiliations of all authors: "CERN; Fermilab" of "Ann Lee (CERN), Bo Yu
    (Fermilab)"."""
    if "(" not in line:
        return ""
    found = (prose(part) for part in _AFFILIATION.findall(line))
    return "; ".join(dict.fromkeys(found))

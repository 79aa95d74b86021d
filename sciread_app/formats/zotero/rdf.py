"""Zotero's RDF, the only one of its file formats with collections, notes and attached files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import sha1
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lxml import etree

from sciread_app.domain.paper import FiledNote, Filing, Paper, Skipped
from sciread_app.formats.files.streams import open_bytes
from sciread_app.formats.files.xml_stream import BadXml, elements, text_of
from sciread_app.formats.zotero import items
from sciread_app.language import tr

NAME = "zotero_rdf"
SUFFIXES = (".rdf",)

NAMESPACES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "z": "http://www.zotero.org/namespaces/export#",
    "bib": "http://purl.org/net/biblio#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "prism": "http://prismstandard.org/namespaces/1.2/basic/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "vcard": "http://nwalsh.com/rdf/vCard#",
    "link": "http://purl.org/rss/1.0/modules/link/",
}
# The elements of items, of the journals that several share, and of what belongs to items.
_NODES = (
    "rdf:Description",
    *(
        f"bib:{name}"
        for name in (
            "Article", "Book", "BookSection", "ConferenceProceedings", "CourtReporter", "Data",
            "Document", "Illustration", "Image", "Interview", "Journal", "Legislation", "Letter",
            "Manuscript", "Memo", "MotionPicture", "Newspaper", "Patent", "Periodical",
            "Recording", "Report", "Thesis",
        )
    ),
    *(f"z:{name}" for name in ("Attachment", "Blog", "Collection", "Forum", "Website")),
)  # fmt: skip
# Where an item, or what it is part of, has the fields of Zotero's API.
_FIELDS = {
    "title": "dc:title", "date": "dc:date", "abstractNote": "dcterms:abstract",
    "pages": "bib:pages", "extra": "dc:description", "rights": "dc:rights",
    "accessDate": "dcterms:dateSubmitted", "edition": "prism:edition", "language": "z:language",
    "shortTitle": "z:shortTitle", "numPages": "z:numPages", "archive": "z:archive",
    "archiveLocation": "dc:coverage", "citationKey": "z:citationKey", "archiveID": "z:archiveID",
    "callNumber": "dc:subject/dcterms:LCC/rdf:value", "url": "dc:identifier/dcterms:URI/rdf:value",
    "publisher": "dc:publisher/foaf:Organization/foaf:name",
    "place": "dc:publisher/foaf:Organization/vcard:adr/vcard:Address/vcard:locality",
    "conferenceName": "bib:presentedAt/bib:Conference/dc:title", "version": "z:version",
    "numberOfVolumes": "prism:numberOfVolumes", "key": "z:key",
}  # fmt: skip
_OF_CONTAINER = {
    "publicationTitle": "dc:title", "journalAbbreviation": "dcterms:alternative",
    "volume": "prism:volume",
}  # fmt: skip
_TYPE_FIELDS = {"thesis": "thesisType", "report": "reportType"}
_NUMBERED = frozenset(("journalArticle", "magazineArticle", "newspaperArticle"))
_NUMBERS = ("DOI", "ISBN", "ISSN")


def _qualified(name: str) -> str:
    prefix, _, local = name.partition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}"


_TAGS = tuple(map(_qualified, _NODES))
_ABOUT, _RESOURCE = _qualified("rdf:about"), _qualified("rdf:resource")
_SERIES = _qualified("bib:Series")
_NOT_ITEMS = frozenset(map(_qualified, ("z:Attachment", "z:Collection", "bib:Memo")))


@dataclass
class _Index:
    """The nodes that items refer to, by their names in the file."""

    files: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    linked: set[str] = field(default_factory=set)  # the files and notes of items
    containers: dict[str, etree._Element] = field(default_factory=dict)
    collections: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and the items that could not be read.

    The file is read twice, since what belongs to an item may come after it.
    """
    index = _index(path)
    folders = (path.absolute().parent,)
    number = 0
    try:
        with open_bytes(path) as stream:
            for element in elements(stream, *_TAGS):
                kind = _text(element, "z:itemType")
                if element.tag in _NOT_ITEMS or not kind or kind in items.CHILDREN:
                    continue
                number += 1
                yield _paper(element, kind, index, folders) or _without_title(element, path)
    except BadXml as error:
        yield Skipped(str(path), tr("Record {number}", number=number + 1), str(error))
    yield from _without_item(index, path)


def _without_item(index: _Index, path: Path) -> Iterator[Skipped]:
    for name in [*index.files, *index.notes]:
        if name not in index.linked:
            why = tr("This file belongs to no item. Import the file itself.")
            if name in index.notes:
                why = tr("This note belongs to no item and was not imported.")
            yield Skipped(str(path), index.files.get(name, name), why)


def _index(path: Path) -> _Index:
    index = _Index()
    names: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    shared: Counter[str] = Counter()
    try:
        with open_bytes(path) as stream:
            for element in elements(stream, *_TAGS):
                about = element.get(_ABOUT, "")
                if element.tag == _qualified("z:Collection"):
                    names[about] = _text(element, "dc:title").replace("/", "-")
                    parts[about] = _resources(element, "dcterms:hasPart")
                elif element.tag == _qualified("bib:Memo"):
                    index.notes[about] = _text(element, "rdf:value")
                elif element.tag == _qualified("z:Attachment"):
                    if file := next(iter(_resources(element, "z:path", "rdf:resource")), ""):
                        index.files[about] = unquote(file)
                elif not _text(element, "z:itemType"):
                    # A copy stays when the rest of the file is released.
                    index.containers[about] = deepcopy(element)
                index.linked.update(_resources(element, "link:link", "dcterms:isReferencedBy"))
                shared.update(_resources(element, ".//dcterms:isPartOf"))
    except BadXml:
        pass  # reported when items are read
    for name, container in index.containers.items():
        if shared[name] > 1:
            _remove_dois(container)
    within = {part: outer for outer, some in parts.items() for part in some if part in names}
    for collection, some in parts.items():
        path_name = _path_of(collection, names, within)
        for part in some:
            if part not in names:
                index.collections[part].append(path_name)
    return index


def _path_of(collection: str, names: dict[str, str], within: dict[str, str]) -> str:
    """The names of a collection and those around it: "Outer/Inner"."""
    found: list[str] = []
    passed: set[str] = set()
    at = collection
    while at and at not in passed:
        passed.add(at)
        found.append(names[at] or tr("Unnamed"))
        at = within.get(at, "")
    return "/".join(reversed(found))


def _remove_dois(container: etree._Element) -> None:
    """Remove the DOI, which Zotero writes there, where it cannot be that of each article."""
    for child in _find(container, "dc:identifier"):
        if text_of(child).startswith("DOI "):
            container.remove(child)


def _paper(
    element: etree._Element, kind: str, index: _Index, folders: tuple[Path, ...]
) -> Paper | None:
    data: dict[str, Any] = {"itemType": kind}
    container, series = _containers(element, index)
    for name, place in _FIELDS.items():
        data[name] = _text(element, place)
    for name, place in _OF_CONTAINER.items():
        own = "" if name == "publicationTitle" else _text(element, place)
        data[name] = own or (_text(container, place) if container is not None else "")
    both = [one for one in (element, container) if one is not None]
    number = next(filter(None, (_text(one, "prism:number") for one in both)), "")
    data["issue" if kind in _NUMBERED else "number"] = number
    data |= _numbers(both)
    if series is not None:
        data["series"] = _text(series, "dc:title")
        data["seriesNumber"] = _text(series, "dc:identifier")
    data[_TYPE_FIELDS.get(kind, "type")] = _text(element, "z:type") or _text(element, "dc:type")
    data["creators"] = list(_creators(element))
    automatic = [_text(one, "rdf:value") for one in _find(element, "dc:subject/z:AutomaticTag")]
    data["tags"] = [{"tag": tag, "type": 1} for tag in automatic]
    linked = [index.files[name] for name in _resources(element, "link:link") if name in index.files]
    data["attachments"] = [{"path": file} for file in linked]
    found = items.paper(data, folders=folders)
    return found and items.filed(found, _filing(element, index))


def _containers(
    element: etree._Element, index: _Index
) -> tuple[etree._Element | None, etree._Element | None]:
    """The journal or book that contains an item, and the series; None if there is none."""
    container = series = None
    level = [element]
    for _ in range(3):  # a section, its newspaper, a series
        inner = [part for one in level for part in _parts(one, index)]
        for part in inner:
            if part.tag == _SERIES:
                series = series if series is not None else part
            elif container is None and _text(part, "dc:title"):
                container = part
        level = inner
    return container, series


def _parts(element: etree._Element, index: _Index) -> Iterator[etree._Element]:
    for link in _find(element, "dcterms:isPartOf"):
        if (name := link.get(_RESOURCE)) in index.containers:
            yield index.containers[name]
        yield from link


def _numbers(places: list[etree._Element]) -> dict[str, str]:
    """DOI, ISBN and ISSN, which begin with their names: "DOI 10.1/x"."""
    found: dict[str, str] = {}
    for place in places:
        for child in _find(place, "dc:identifier"):
            name, _, value = text_of(child).partition(" ")
            if name in _NUMBERS and value:
                found.setdefault(name, value)
    return found


def _creators(element: etree._Element) -> Iterator[dict[str, str]]:
    """The people of each role, which is the name of the element around them: "bib:authors"."""
    for child in element:
        if not isinstance(child.tag, str) or not (people := _find(child, "rdf:Seq/rdf:li/*")):
            continue
        role = etree.QName(child).localname.removesuffix("s")
        for person in people:
            family = _text(person, "foaf:surname")
            given = _text(person, "foaf:givenName") or _text(person, "foaf:givenname")
            if given:
                yield {"creatorType": role, "lastName": family, "firstName": given}
            elif name := family or _text(person, "foaf:name"):
                yield {"creatorType": role, "name": name}


def _filing(element: etree._Element, index: _Index) -> Filing:
    tags = (text_of(child) for child in _find(element, "dc:subject") if not len(child))
    notes = []
    for name in _resources(element, "dcterms:isReferencedBy"):
        if text := items.note_text({"note": index.notes.get(name, "")}):
            notes.append(FiledNote(text, sha1(text.encode()).hexdigest()))
    return Filing(
        tuple(dict.fromkeys(filter(None, tags))),
        tuple(dict.fromkeys(index.collections.get(element.get(_ABOUT, ""), ()))),
        tuple(notes),
    )


def _without_title(element: etree._Element, path: Path) -> Skipped:
    why = tr("The item has no title. Add a title in Zotero, then export and import it again.")
    return Skipped(str(path), element.get(_ABOUT, ""), why)


def _find(element: etree._Element, place: str) -> list[etree._Element]:
    return list(element.iterfind(place, NAMESPACES))


def _text(element: etree._Element, place: str) -> str:
    found = element.find(place, NAMESPACES)
    return "" if found is None else text_of(found)


def _resources(element: etree._Element, *places: str) -> list[str]:
    """The names that these elements refer to."""
    names = (link.get(_RESOURCE) for place in places for link in _find(element, place))
    return [name for name in names if name]

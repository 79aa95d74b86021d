"""XMP metadata of a PDF: Dublin Core, PRISM and JabRef."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

_MAX_PACKET = 1 << 20
_MAX_UNPACKED = 16 << 20

_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_DC = "http://purl.org/dc/elements/1.1/"
_METADATA = re.compile(rb"/Metadata\s+(\d{1,10})\s+(\d{1,5})\s+R")
_CATALOG = re.compile(rb"/Type\s*/Catalog")
_OBJECT_STREAM = re.compile(rb"/Type\s*/ObjStm.{0,400}?stream\r?\n", re.S)
_XML = re.compile(rb"<x:x[am]pmeta.*?</x:x[am]pmeta\s*>|<rdf:RDF.*?</rdf:RDF\s*>", re.S)
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Xmp:
    """Values by name without prefix and namespace, each a list in the packet's order."""

    values: dict[str, list[str]] = field(default_factory=dict)
    bibtex: dict[str, str] = field(default_factory=dict)  # written by JabRef, lower-case names

    def first(self, *names: str) -> str:
        """The first value of the first of these names that has one."""
        return next((v for name in names for v in self.values.get(name, []) if v), "")

    @property
    def by_publisher(self) -> bool:
        """Whether the metadata come from a publisher or reference manager rather than a word
        processor."""
        names = ("prism:doi", "prism:publicationname", "pdfx:doi", "crossmark:doi", "prism:url")
        return bool(self.bibtex) or any(self.values.get(name) for name in names)


def read_xmp(data: bytes) -> Xmp:
    """The packet of the whole document, not of one of its pictures; empty if there is none."""
    packet = _packet(data)
    if not packet or len(packet) > _MAX_PACKET:
        return Xmp()
    text = _NOT_IN_XML.sub("", packet.decode("utf-8", "replace"))
    try:
        root = fromstring(text, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        return Xmp()
    return _values(root)


def _packet(data: bytes) -> bytes:
    for number, generation in _references(data):
        if found := _XML.search(_stream(data, number, generation)):
            return found[0]
    # Without a readable catalog, a single packet is still certain to be the document's.
    first = _XML.search(data)
    return first[0] if first and not _XML.search(data, first.end()) else b""


def _references(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Objects that the catalog may reference as the document's metadata, the newest first."""
    if b"/Metadata" not in data:
        return
    for place in reversed(list(_CATALOG.finditer(data))):
        start = data.rfind(b" obj", 0, place.start())
        end = data.find(b"endobj", place.end())
        if match := _METADATA.search(data, max(start, 0), end if end >= 0 else len(data)):
            yield match[1], match[2]
    left = _MAX_UNPACKED
    for place in _OBJECT_STREAM.finditer(data):
        end = data.find(b"endstream", place.end())
        objects = _unpacked(data[place.end() : end], left)
        left -= len(objects)
        if left <= 0:
            return
        for catalog in _CATALOG.finditer(objects):
            # Objects here have no boundaries: the nearest name is the catalog's own.
            around = objects[max(0, catalog.start() - 500) : catalog.end() + 1500]
            if match := _METADATA.search(around):
                yield match[1], match[2]


def _stream(data: bytes, number: bytes, generation: bytes) -> bytes:
    """The newest version of a stream object, decompressed."""
    name = b"%s %s obj" % (number, generation)
    place = data.rfind(name)
    while place > 0 and data[place - 1 : place].isdigit():
        place = data.rfind(name, 0, place)
    start = data.find(b"stream", place)
    head = data[place:start]
    if min(place, start) < 0 or len(head) > 2000:
        return b""
    start += len(b"stream")
    start += 2 if data[start : start + 2] == b"\r\n" else 1
    end = data.find(b"endstream", start)
    body = data[start : end if end >= 0 else len(data)]
    return _unpacked(body, _MAX_PACKET) if b"/FlateDecode" in head else body[:_MAX_PACKET]


def _unpacked(data: bytes, limit: int) -> bytes:
    """At most `limit` bytes: a small stream may expand beyond any memory."""
    try:
        return zlib.decompressobj().decompress(data, limit)
    except zlib.error:
        return b""


def _values(root: Element) -> Xmp:
    found = Xmp()
    for description in root.iter(f"{_RDF}Description"):
        # A second title starts the record of another paper: of the parts of a proceedings volume.
        if "dc:title" in found.values and description.find(f"{{{_DC}}}title") is not None:
            break
        properties = [(name, [value]) for name, value in description.attrib.items()]
        properties += [(child.tag, _items(child)) for child in description]
        for tag, items in properties:
            _add(found, tag, [" ".join(item.split()) for item in items if item.strip()])
    return found


def _add(found: Xmp, tag: str, items: list[str]) -> None:
    namespace, _, name = tag.removeprefix("{").rpartition("}")
    if "bibtexmp" in namespace.lower():
        found.bibtex.setdefault(name.lower(), " and ".join(items))
        return
    if namespace == _DC and name == "relation":
        for item in items:
            if match := re.fullmatch(r"bibtex/([\w-]+)/(.+)", item, re.S):
                found.bibtex.setdefault(match[1].lower(), match[2])
        return
    prefix = next((p for p in ("prism", "pdfx", "crossmark") if p in namespace), "")
    prefix = "dc" if namespace == _DC else prefix
    if prefix and items:
        found.values.setdefault(f"{prefix}:{name.lower()}", items)


def _items(element: Element) -> list[str]:
    """The members of a list, or the text itself; the default of a text in several languages."""
    members = list(element.iter(f"{_RDF}li"))
    if not members:
        return [element.text or ""]
    language = "{http://www.w3.org/XML/1998/namespace}lang"
    default = [m for m in members if m.get(language) == "x-default" and (m.text or "").strip()]
    return [member.text or "" for member in default or members]

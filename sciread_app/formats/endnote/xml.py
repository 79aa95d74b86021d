"""EndNote's XML, which Zotero, Mendeley and others write as well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PureWindowsPath

from lxml import etree

from sciread_app.domain.paper import Paper, Skipped
from sciread_app.formats.endnote.types import complete
from sciread_app.formats.files.streams import open_bytes
from sciread_app.formats.files.xml_stream import BadXml, elements, text_of
from sciread_app.formats.ris import record
from sciread_app.formats.ris.record import Fields
from sciread_app.formats.values import file_links
from sciread_app.language import tr

NAME = "endnote_xml"
SUFFIXES = (".xml",)

# Where a record has what RIS gives under a tag.
_ELEMENTS = (
    ("AU", "contributors/authors/author"),
    ("A2", "contributors/secondary-authors/author"),
    ("A3", "contributors/tertiary-authors/author"),
    ("A4", "contributors/subsidiary-authors/author"),
    ("TA", "contributors/translated-authors/author"),
    ("TI", "titles/title"),
    ("T2", "titles/secondary-title"),
    ("T3", "titles/tertiary-title"),
    ("ST", "titles/short-title"),
    ("TT", "titles/translated-title"),
    ("J2", "titles/alt-title"),
    ("JF", "periodical/full-title"),
    ("JA", "periodical/abbr-1"),
    ("AB", "abstract"),
    ("KW", "keywords/keyword"),
    ("PY", "dates/year"),
    ("DA", "dates/pub-dates/date"),
    ("VL", "volume"),
    ("IS", "number"),
    ("SP", "pages"),
    ("NV", "num-vols"),
    ("SE", "section"),
    ("ET", "edition"),
    ("PB", "publisher"),
    ("CY", "pub-location"),
    ("SN", "isbn"),
    ("DO", "electronic-resource-num"),
    ("AN", "accession-num"),
    ("DB", "remote-database-name"),
    ("DP", "remote-database-provider"),
    ("CN", "call-num"),
    ("LB", "label"),
    ("CA", "caption"),
    ("LA", "language"),
    ("M3", "work-type"),
    ("OP", "orig-pub"),
    ("RP", "reprint-edition"),
    ("RI", "reviewed-item"),
    ("AD", "auth-address"),
    ("Y2", "access-date"),
    ("N1", "notes"),
    ("N1", "research-notes"),
    ("UR", "urls/related-urls/url"),
    ("UR", "urls/web-urls/url"),
    ("L1", "urls/pdf-urls/url"),
    *((f"C{n}", f"custom{n}") for n in range(1, 8)),
)
# Texts whose lines are no more than line breaks.
_ON_ONE_LINE = frozenset(("AU", "TI", "T2", "T3", "ST", "TT", "J2", "JF", "JA", "AB"))
# Addresses of files in EndNote's own folder, "Library.Data/PDF".
_INTERNAL = "internal-pdf://"


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and the records that could not be read."""
    number = 0
    try:
        with open_bytes(path) as stream:
            for number, element in enumerate(elements(stream, "record"), start=1):
                yield _paper(element, path) or _without_title(element, number, path)
    except BadXml as error:
        yield Skipped(str(path), tr("Record {number}", number=number + 1), str(error))


def _paper(element: etree._Element, path: Path) -> Paper | None:
    fields: Fields = {}
    for tag, place in _ELEMENTS:
        for child in element.iterfind(place):
            if text := text_of(child) if tag in _ON_ONE_LINE else _lines(child):
                fields.setdefault(tag, []).append(text)
    folder = path.absolute().parent
    library = element.find("database")
    data = [folder, *(_data_folders(library, folder) if library is not None else ())]
    if "L1" in fields:
        fields["L1"] = [link.removeprefix(_INTERNAL) for link in fields["L1"]]
    kind = element.find("ref-type")
    name, number = ("", "") if kind is None else (kind.get("name", ""), text_of(kind))
    paper = record.paper(complete(fields, name, number), data, "endnote")
    return paper and replace(paper, source_id=_id(element))


def _id(element: etree._Element) -> str:
    """The name of the record in its EndNote library, the same in each export."""
    key = element.find("foreign-keys/key")
    return "" if key is None else ":".join(filter(None, (key.get("db-id"), text_of(key))))


def _without_title(element: etree._Element, number: int, path: Path) -> Skipped:
    entry = text_of(element.find("rec-number")) or tr("Record {number}", number=number)
    why = tr("The record has no title. Add a title and import the file again.")
    return Skipped(str(path), entry, why)


def _data_folders(library: etree._Element, folder: Path) -> Iterator[Path]:
    """Where the files of an EndNote library can be: beside the XML file, or beside the library."""
    path = library.get("path") or library.get("name") or text_of(library)
    if stem := PureWindowsPath(path).stem:
        yield folder / f"{stem}.Data" / "PDF"
        if Path(path).is_absolute() and not file_links.is_network_share(path):
            yield Path(path).with_suffix(".Data") / "PDF"


def _lines(element: etree._Element) -> str:
    """The text with its line breaks, but without blank lines."""
    lines = "".join(element.itertext()).splitlines()
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))

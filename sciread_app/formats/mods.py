"""MODS, the XML of library catalogs and repositories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lxml import etree

from sciread_app.domain.paper import Paper, Skipped
from sciread_app.formats.files.streams import open_bytes
from sciread_app.formats.files.xml_stream import BadXml, elements, text_of
from sciread_app.formats.ris import record
from sciread_app.formats.ris.record import Fields
from sciread_app.language import tr

NAME = "mods"
SUFFIXES = (".mods", ".xml")

# MODS is often without its namespace: all names are compared without one.
_TAGS = ("mods", "{http://www.loc.gov/mods/v3}mods")
# Words in a genre and the RIS type that each indicates; the first that occurs decides.
_GENRES = (
    ("chapter", "CHAP"), ("book section", "CHAP"), ("bookitem", "CHAP"), ("inbook", "CHAP"),
    ("incollection", "CHAP"), ("conference", "CPAPER"), ("proceeding", "CPAPER"),
    ("thesis", "THES"), ("dissertation", "THES"), ("report", "RPRT"), ("techreport", "RPRT"),
    ("journal", "JOUR"), ("article", "JOUR"), ("preprint", "UNPB"), ("working paper", "UNPB"),
    ("book", "BOOK"), ("monograph", "BOOK"), ("patent", "PAT"), ("dataset", "DATA"),
    ("software", "COMP"), ("web site", "ELEC"), ("web page", "ELEC"), ("manuscript", "MANSCPT"),
)  # fmt: skip
_RESOURCES = {"software, multimedia": "COMP"}
_IDENTIFIERS = {"doi": "DO", "isbn": "BN", "issn": "SN", "issn-l": "SN", "citekey": "ID"}
# Roles of people, as MARC codes or words.
_ROLES = {
    "aut": "AU", "author": "AU", "cre": "AU", "creator": "AU", "dis": "AU", "edt": "A2",
    "editor": "A2", "editor of compilation": "A2", "edc": "A2", "pbd": "A2",
}  # fmt: skip
_DATES = ("dateIssued", "copyrightDate", "dateCreated", "dateOther")


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and the records that could not be read."""
    number = 0
    try:
        with open_bytes(path) as stream:
            for number, element in enumerate(elements(stream, *_TAGS), start=1):
                yield _paper(element) or _without_title(element, number, path)
    except BadXml as error:
        yield Skipped(str(path), tr("Record {number}", number=number + 1), str(error))


def _paper(element: etree._Element) -> Paper | None:
    host = next(_all(element, "relatedItem", "host"), None)
    fields: Fields = {"TI": [_title(element)], "TY": [_type(element, host)]}
    _take_people(element, fields)
    _take_origin(element, fields)
    _take_identifiers(element, fields)
    for tag, name in (("AB", "abstract"), ("N1", "note"), ("KW", "subject/topic")):
        fields[tag] = [text_of(one) for one in _all(element, name)]
    fields["LA"] = _languages(element)
    fields["UR"] = [text_of(one) for one in _all(element, "location/url")]
    fields["T3"] = [_title(one) for one in _all(element, "relatedItem", "series")]
    fields["M3"] = _thesis_type(element) if fields["TY"] == ["THES"] else []
    _take_part(element, fields)
    if host is not None:
        fields["T2"] = [_title(host)]
        _take_origin(host, fields)
        _take_identifiers(host, fields, within=True)
        _take_part(host, fields)
        _take_people(host, fields, within=True)
    if not fields.get("ID") and element.get("ID"):
        fields["ID"] = [element.get("ID", "")]
    paper = record.paper(_filled(fields), (), "mods")
    return paper and replace(paper, source_id=_first(element, "recordInfo/recordIdentifier"))


def _without_title(element: etree._Element, number: int, path: Path) -> Skipped:
    own_name = _first(element, "recordInfo/recordIdentifier") or element.get("ID")
    entry = own_name or tr("Record {number}", number=number)
    why = tr("The record has no title. Add a title and import the file again.")
    return Skipped(str(path), entry, why)


def _filled(fields: Fields) -> Fields:
    filled = {tag: [value for value in values if value] for tag, values in fields.items()}
    return {tag: values for tag, values in filled.items() if values}


def _all(element: etree._Element, place: str, type: str = "") -> Iterator[etree._Element]:
    """The elements at `place` in any namespace, or those with this type."""
    for found in element.iterfind("/".join(f"{{*}}{name}" for name in place.split("/"))):
        if not type or found.get("type") == type:
            yield found


def _first(element: etree._Element, place: str) -> str:
    return next(filter(None, map(text_of, _all(element, place))), "")


def _title(element: etree._Element) -> str:
    """The main title with its subtitle; of several, the one that is no variant."""
    titles = list(_all(element, "titleInfo"))
    main = next((one for one in titles if not one.get("type")), titles[0] if titles else None)
    if main is None:
        return ""
    title = " ".join(filter(None, (_first(main, "nonSort"), _first(main, "title"))))
    return ": ".join(filter(None, (title.rstrip(" :"), _first(main, "subTitle"))))


def _type(element: etree._Element, host: etree._Element | None) -> str:
    words = [text_of(one).lower() for one in _all(element, "genre")]
    for word, ris_type in _GENRES:
        if any(word in genre for genre in words):
            # A "book" within another is a part of it.
            return "CHAP" if ris_type == "BOOK" and host is not None else ris_type
    if resource := _RESOURCES.get(_first(element, "typeOfResource").lower()):
        return resource
    if host is not None:
        return "CHAP" if any(_all(host, "identifier", "isbn")) else "JOUR"
    monographic = _first(element, "originInfo/issuance") == "monographic"
    return "BOOK" if monographic or any(_all(element, "identifier", "isbn")) else "GEN"


def _thesis_type(element: etree._Element) -> list[str]:
    genres = [text_of(one) for one in _all(element, "genre")]
    return [genre for genre in genres if genre.lower() not in ("thesis", "theses")][:1]


def _take_people(element: etree._Element, fields: Fields, *, within: bool = False) -> None:
    """Names by role. Without a role, one is an author; `within` a host, all others are editors."""
    for name in _all(element, "name"):
        roles = [text_of(role).lower() for role in _all(name, "role/roleTerm")]
        tag = next((_ROLES[role] for role in roles if role in _ROLES), "" if roles else "AU")
        if within:
            tag = tag and "A2"
        elif name.get("type") == "conference":
            continue
        if tag and (text := _name(name)):
            fields.setdefault(tag, []).append(text)


def _name(name: etree._Element) -> str:
    """ "Family, Given, Jr", an organization with a comma at the end."""
    parts: dict[str, list[str]] = {}
    for part in _all(name, "namePart"):
        parts.setdefault(part.get("type", ""), []).append(text_of(part))
    family, given = " ".join(parts.get("family", ())), " ".join(parts.get("given", ()))
    whole = ", ".join(parts.get("", ()))
    if name.get("type") == "corporate":
        return f"{(whole or family).rstrip(',')}," if whole or family else ""
    if not family:
        return whole or given
    suffix = next((text for text in parts.get("termsOfAddress", ()) if len(text) < 5), "")
    return ", ".join(filter(None, (family, given, suffix)))


def _take_origin(element: etree._Element, fields: Fields) -> None:
    for origin in _all(element, "originInfo"):
        places = [one for one in _all(origin, "place/placeTerm") if one.get("type") != "code"]
        for tag, values in (
            ("PB", map(text_of, _all(origin, "publisher"))),
            ("CY", map(text_of, places)),
            ("ET", map(text_of, _all(origin, "edition"))),
            ("PY", _date(origin)),
        ):
            if not fields.get(tag):
                fields[tag] = list(filter(None, values))[:1]


def _date(origin: etree._Element) -> list[str]:
    """The date that is marked as the key date, else the date of publication."""
    dates = [one for name in _DATES for one in _all(origin, name) if one.get("point") != "end"]
    dates.sort(key=lambda one: one.get("keyDate") != "yes")
    return [text for text in map(text_of, dates) if text]


def _take_identifiers(element: etree._Element, fields: Fields, *, within: bool = False) -> None:
    """Identifiers by type; `within` a host, only those that the whole gives to its parts."""
    for one in _all(element, "identifier"):
        kind, text = (one.get("type") or "").lower(), text_of(one)
        if one.get("invalid") == "yes" or not text:
            continue
        if tag := _IDENTIFIERS.get(kind):
            if not within or tag in ("SN", "BN"):
                fields.setdefault(tag, []).append(text)
        elif within:
            continue
        elif kind in ("pmid", "pubmed", "medline"):
            fields.setdefault("U1", []).append(f"{text}[pmid]")
        elif kind in ("pmc", "pmcid"):
            fields.setdefault("U2", []).append(f"{text}[pmcid]")
        elif kind == "arxiv":
            fields.setdefault("U3", []).append(f"arXiv:{text.split(':')[-1]}")
        elif kind in ("uri", "url", "hdl", "handle"):
            fields.setdefault("UR", []).append(text)


def _languages(element: etree._Element) -> list[str]:
    """Each language once, although most records give both its code and its name."""
    return [_first(one, "languageTerm") for one in _all(element, "language")]


def _take_part(element: etree._Element, fields: Fields) -> None:
    """Volume, issue, pages and date of the part of a host that holds the paper."""
    for part in _all(element, "part"):
        for detail in _all(part, "detail"):
            tag = {"volume": "VL", "issue": "IS", "number": "IS"}.get(detail.get("type", ""))
            if tag and not fields.get(tag):
                fields[tag] = [_first(detail, "number") or _first(detail, "caption")]
        for extent in _all(part, "extent"):
            if extent.get("unit", "page") in ("page", "pages", "p") and not fields.get("SP"):
                ends = [_first(extent, "start"), _first(extent, "end")]
                fields["SP"] = [
                    "-".join(dict.fromkeys(filter(None, ends))) or _first(extent, "list")
                ]
        if not fields.get("PY"):
            fields["PY"] = [_first(part, "date")]

"""Reader of CSL-JSON, the format of citation processors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from sciread_app.domain.metadata.identifiers import (
    IDENTIFIER_KINDS,
    doi_as_written,
    identifier,
    identifiers,
)
from sciread_app.domain.paper import Author, Identifier, Paper, Skipped, is_truncation_mark
from sciread_app.formats.csl.fields import NAMES, PEOPLE, kind_of
from sciread_app.formats.csl.writer import write
from sciread_app.formats.csl.zotero_fields import to_csl
from sciread_app.formats.files.encoding import open_text
from sciread_app.formats.values import dates, file_links, names
from sciread_app.formats.values import keywords as keyword_list
from sciread_app.formats.values.institutions import from_publisher
from sciread_app.formats.values.markup import plain
from sciread_app.language import tr

__all__ = ["SUFFIXES", "from_item", "read", "write"]

NAME = "csl_json"
SUFFIXES = (".json", ".csljson")

_BLOCK = 1 << 18
_LONGEST_NUMBER = 1000
_BETWEEN = re.compile(r"[\s,]*")
_NOTED = re.compile(r"^\s*(PMID|PMCID|DOI|arXiv)\s*:\s*(\S+)\s*$", re.I | re.M)

Item = dict[str, Any]


def read(path: Path) -> Iterator[Paper | Skipped]:
    """The papers of a file in order; the file holds a list of items or a single one.

    Items are read one by one, so that a truncated file yields those before the end.
    """
    folders = (path.absolute().parent,)
    number = 0
    with open_text(path) as stream:
        try:
            for number, item in enumerate(_items(stream), start=1):
                yield _paper_or_skipped(item, number, path, folders)
        except json.JSONDecodeError as error:
            why = tr(
                "item {number} is not valid JSON ({why}). The rest of the file was not read.",
                number=number + 1,
                why=error.msg,
            )
            yield Skipped(str(path), "", why)
        except RecursionError:
            why = tr(
                "item {number} is nested too deeply. The rest of the file was not read.",
                number=number + 1,
            )
            yield Skipped(str(path), "", why)


def from_item(item: Any, folders: tuple[Path, ...] = ()) -> Paper | None:
    """The paper of one CSL-JSON item, with the files that exist in `folders`; None if the item is
    not a paper."""
    found = _paper_or_skipped(item, 1, Path(), folders)
    return found if isinstance(found, Paper) else None


def _items(stream: TextIO) -> Iterator[Any]:
    decoder = json.JSONDecoder(parse_int=_integer)
    buffer = stream.read(_BLOCK).lstrip()
    if not buffer.startswith("["):
        yield from _within(decoder.decode(buffer + stream.read()))
        return
    position, size = 1, _BLOCK
    while True:
        between = _BETWEEN.match(buffer, position)
        position = between.end() if between else position
        if buffer.startswith("]", position):
            return
        try:
            item, position = decoder.raw_decode(buffer, position)
        except json.JSONDecodeError:
            # Truncated by the block's end, or malformed: only what follows can tell.
            more = stream.read(size)
            if not more:
                raise
            buffer, position, size = buffer[position:] + more, 0, size * 2
        else:
            size = _BLOCK
            yield item


def _integer(digits: str) -> int | str:
    """The number; its text if it is longer than Python parses."""
    return int(digits) if len(digits) < _LONGEST_NUMBER else digits


def _within(whole: Any) -> list[Any]:
    """The items of a file that is not a list: Zotero's web API and pandoc wrap it in an object."""
    if isinstance(whole, dict):
        for name in ("items", "references"):
            if isinstance(whole.get(name), list):
                return list(whole[name])
    return [whole]


def _paper_or_skipped(
    item: Any, number: int, path: Path, folders: tuple[Path, ...]
) -> Paper | Skipped:
    if isinstance(item, dict) and "itemType" in item:  # Better BibTeX's JSON, and Zotero's own
        item = to_csl(item)
    if not isinstance(item, dict) or not ({"id", "type", "title"} & item.keys()):
        why = tr("item {number} is not CSL-JSON: it has no id, type, or title.", number=number)
        return Skipped(str(path), "", why)
    title = plain(_text(item.get("title")) or _text(item.get("title-short")))
    if not title:
        why = tr(
            "item {number} has no title. Add a title and import the file again.", number=number
        )
        return Skipped(str(path), _text(item.get("id")), why)
    return _paper({n: v for n, v in item.items() if v or v == 0}, title, folders)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):  # Crossref's API has lists of one element.
        return _text(value[0]) if value else ""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _paper(item: Item, title: str, folders: tuple[Path, ...]) -> Paper:
    """Takes the known fields out of `item`; the rest is kept in `extra`."""
    custom = item.pop("custom", {})
    custom = dict(custom) if isinstance(custom, dict) else {"custom": custom}
    csl_type = _text(item.pop("type", ""))
    kind = kind_of(csl_type)
    item.pop("title", None)
    issued = item.pop("issued", None)
    published = _date(issued)
    source_id, known = _identify(item, custom)
    areas = custom.pop("fields", ())
    files, missing = _files(custom.pop("files", ()), folders)
    authors, others = _without_others(tuple(_authors(item.pop("author", ()))))
    abstract, venue = (plain(_text(item.pop(n, ""))) for n in ("abstract", "container-title"))
    keywords = keyword_list.split(plain(_keywords(item.pop("keyword", ""))))
    publisher = _text(item.pop("publisher", ""))
    extra = _extra(item) | {n: _kept(v) for n, v in custom.items()}
    extra |= _rest_of_date(issued, published)
    extra |= from_publisher(kind, publisher, extra)
    if others:
        extra["and-others"] = "true"
    if missing:
        extra["file"] = missing
    if csl_type and csl_type != kind:
        extra["csltype"] = csl_type
    return Paper(
        title=title,
        abstract=abstract,
        authors=authors,
        kind=kind,
        published=published,
        venue=venue,
        identifiers=known,
        fields=tuple(_text(area) for area in areas) if isinstance(areas, list) else (),
        keywords=keywords,
        extra={name: text for name, text in extra.items() if text},
        files=files,
        source="csl-json",
        source_id=source_id,
    )


def _authors(value: Any) -> Iterator[Author]:
    for name in value if isinstance(value, list) else [value]:
        if isinstance(name, str) and name.strip():
            yield names.from_plain(name)
        elif isinstance(name, dict) and (author := _author(name)).family:
            yield author


def _without_others(authors: tuple[Author, ...]) -> tuple[tuple[Author, ...], bool]:
    """The authors, and whether the list ends with `others`, as in pandoc and Zotero."""
    cut = bool(authors) and is_truncation_mark(authors[-1].name)
    return (authors[:-1] if cut else authors), cut


def _author(name: Item) -> Author:
    if literal := _text(name.get("literal")) or _text(name.get("name")):
        return Author(literal, literal=True)
    particles = [_text(name.get(n)) for n in ("dropping-particle", "non-dropping-particle")]
    family, given = _text(name.get("family")), _text(name.get("given"))
    particle = " ".join(filter(None, particles))
    if not family:
        return Author(given, "", particle)
    return Author(family, given, particle, _text(name.get("suffix")))


def _date(value: Any) -> str:
    """The ISO date of a date variable; the first of a range."""
    if not isinstance(value, dict):
        return dates.parse(_text(value))
    parts = value.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list):
        texts = [text for part in parts[0][:3] if (text := _text(part)).isdecimal()]
        numbers = [int(text[:_LONGEST_NUMBER]) for text in texts]
        if numbers and 0 < numbers[0] < 10_000:
            return dates.iso(*numbers)
    return next(
        (
            date
            for name in ("raw", "literal", "string")
            if (date := dates.parse(_text(value.get(name))))
        ),
        "",
    )


def _rest_of_date(issued: Any, published: str) -> dict[str, str]:
    """The part of a date not in its ISO form: the end of a range, or words such as `in press`."""
    if not isinstance(issued, dict):
        return {}
    parts = issued.get("date-parts")
    if isinstance(parts, list) and len(parts) > 1:
        end = _date({"date-parts": parts[1:]})
        return {"date": f"{published}/{end}"} if end else {}
    words = _text(issued.get("literal")) or _text(issued.get("raw"))
    return {"year": words} if words and not published else {}


def _identify(item: Item, custom: Item) -> tuple[str, tuple[Identifier, ...]]:
    """The item's id and its identifiers, removed from `item`."""
    source_id = _text(item.pop("id", ""))
    key = _text(item.pop("citation-key", ""))
    if not key and not source_id.isdecimal() and "://" not in source_id:
        key = source_id
    pairs = []
    note = _text(item.get("note"))
    addresses = (_text(item.get("DOI")), note)
    for kind, name in (("doi", "DOI"), ("pmid", "PMID"), ("pmcid", "PMCID"), ("arxiv", "number")):
        if identifier(kind, text := _text(item.get(name))):
            pairs.append((kind, text))
            del item[name]
    isbns = re.split(r"[\s,;]+(?=[\dX-]{10})", _text(item.get("ISBN")))
    if all(identifier("isbn", isbn) for isbn in isbns):
        pairs += [("isbn", isbn) for isbn in isbns]
        del item["ISBN"]
    pairs += [(kind.lower(), text) for kind, text in _NOTED.findall(note)]
    if note:
        item["note"] = _NOTED.sub(
            lambda match: "" if identifier(match[1].lower(), match[2]) else match[0], note
        ).strip()
    pairs.append(("arxiv", _text(custom.pop("arxiv", ""))))
    further = custom.pop("identifiers", ())
    named = map(_named, further if isinstance(further, list) else ())
    pairs += [(kind, text) for kind, text in named if kind in IDENTIFIER_KINDS]
    found = identifiers(*pairs, ("citekey", key))
    custom |= doi_as_written(found, *addresses)
    if item.get("publisher") == "arXiv" and any(kind == "arxiv" for kind, _ in found):
        del item["publisher"]
    return source_id, found


def _named(text: Any) -> tuple[str, str]:
    """Kind and value of "pmid:123"."""
    kind, _, value = _text(text).partition(":")
    return kind, value


def _keywords(value: Any) -> str:
    return "; ".join(map(_text, value)) if isinstance(value, list) else _text(value)


def _files(value: Any, folders: tuple[Path, ...]) -> tuple[tuple[str, ...], str]:
    """The existing files, and the other paths, of a `file` field."""
    paths = [path for path in value if isinstance(path, str)] if isinstance(value, list) else []
    found = {path: file_links.existing(path, folders) for path in paths}
    missing = [path for path, file in found.items() if not file]
    return tuple(dict.fromkeys(filter(None, found.values()))), file_links.to_field(missing, "")


def _extra(item: Item) -> dict[str, str]:
    extra = {}
    for variable, value in item.items():
        if variable in PEOPLE:
            text = " and ".join(names.to_plain(author).rstrip(",") for author in _authors(value))
        elif isinstance(value, dict) and "date-parts" in value:
            text = _date(value)
        else:
            text = _kept(value)
        name = NAMES.get(variable, variable.lower())
        extra[f"{name}_2" if name in extra else name] = text
    return extra


def _kept(value: Any) -> str:
    """A value as text; values other than text and numbers keep their JSON."""
    if isinstance(value, dict | list | bool) and value != []:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return _text(value)

"""Zotero items, as returned by its local API; its files are converted to the same form."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from sciread_app.domain.annotations.annotations import Colour
from sciread_app.domain.paper import FiledPaper, Filing, Identifier, Paper
from sciread_app.formats.csl import reader as csl_json
from sciread_app.formats.csl.zotero_fields import to_csl
from sciread_app.formats.values import file_links

Item = Mapping[str, Any]

SOURCE = "zotero"
# Item types of children, and of items that are no papers.
CHILDREN = ("attachment", "note", "annotation")

_MOST_PAGES = 1_000_000  # of a PDF; a higher number is damage
_MARKS = ("highlight", "underline", "note", "image", "text")
# Zotero's eight colors.
_COLOURS = {
    "#ffd400": Colour.yellow, "#f19837": Colour.yellow, "#aaaaaa": Colour.yellow,
    "#5fb236": Colour.green, "#2ea8e5": Colour.blue, "#a28ae5": Colour.purple,
    "#ff6666": Colour.pink, "#e56eee": Colour.pink,
}  # fmt: skip

_TAG = re.compile(r"<[^<>]*>")
_ENDS_LINE = re.compile(r"</(?:p|div|li|h\d|blockquote)>|<br\s*/?>", re.I)


class ZoteroAnnotation(NamedTuple):
    """An annotation on a page, from 0. `rects` are in the page's own coordinates; without `text`,
    it marks an area. Times are in seconds since 1970."""

    key: str
    page: int
    rects: tuple[tuple[float, ...], ...]
    text: str
    comment: str
    colour: Colour
    added: float
    changed: float


def paper(data: Item, files: Iterable[str] = (), folders: tuple[Path, ...] = ()) -> Paper | None:
    """The paper of an item, with the existing ones of `files` and of its own attachments, whose
    paths begin at `folders`; None if it is not a paper."""
    if data.get("itemType") in CHILDREN:
        return None
    found = csl_json.from_item(to_csl(data), folders)
    if found is None:
        return None
    key = str(data.get("key") or data.get("itemKey") or "")
    automatic = tuple(_texts(data.get("tags"), automatic=True))
    there = (file_links.existing(file, (Path(),)) for file in files)
    names = [name for name in found.identifiers if name != Identifier("citekey", key)]
    return replace(
        found,
        identifiers=tuple(names),
        keywords=tuple(dict.fromkeys(automatic)),
        files=tuple(dict.fromkeys((*found.files, *filter(None, there)))),
        source=SOURCE,
        source_id=key,
    )


def tags(data: Item) -> list[str]:
    """The user's tags; automatic ones are keywords."""
    return list(_texts(data.get("tags"), automatic=False))


def collections(data: Item) -> list[str]:
    """The keys of the item's collections."""
    keys = data.get("collections")
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []


def related(data: Item) -> list[str]:
    """The keys of the items that the user has related to this one."""
    relations = data.get("relations")
    found = relations.get("dc:relation") if isinstance(relations, dict) else None
    addresses = [found] if isinstance(found, str) else found
    if not isinstance(addresses, list):
        return []
    # http://zotero.org/users/12345/items/ABCD2345
    return [one.rsplit("/", 1)[-1] for one in addresses if isinstance(one, str)]


def filed(found: Paper, filing: Filing) -> Paper:
    """The paper with its filing, if there is any."""
    if not any(filing):
        return found
    return FiledPaper(**{f.name: getattr(found, f.name) for f in fields(found)}, filing=filing)


def note_text(data: Item) -> str:
    """A Zotero note, which is HTML, as plain text with its paragraphs."""
    text = _ENDS_LINE.sub("\n", str(data.get("note") or ""))
    lines = (line.strip() for line in html.unescape(_TAG.sub("", text)).splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def added(data: Item) -> float:
    """The time at which the item was added, in seconds since 1970; 0 if unknown."""
    return _time(data.get("dateAdded"))


def marks(data: Item) -> list[ZoteroAnnotation]:
    """The marks that an annotation makes in a PDF: one, or two if its text goes on on the next
    page. Drawings are left out, as are annotations of web pages and e-books."""
    if data.get("annotationType") not in _MARKS:
        return []
    try:
        position = json.loads(str(data.get("annotationPosition")))
        page = int(position["pageIndex"])
        pages = [(page, position["rects"]), (page + 1, position.get("nextPageRects") or [])]
        rects = [(page, tuple(tuple(map(float, rect)) for rect in some)) for page, some in pages]
    except (ValueError, OverflowError, TypeError, KeyError, AttributeError, RecursionError):
        return []
    is_text = data["annotationType"] in ("highlight", "underline")
    text = " ".join(str(data.get("annotationText") or "").split()) if is_text else ""
    comment = note_text({"note": data.get("annotationComment")})
    colour = _COLOURS.get(str(data.get("annotationColor")).lower(), Colour.yellow)
    changed = _time(data.get("dateModified"))
    return [
        ZoteroAnnotation(
            str(data.get("key")), page, some, text, comment, colour, added(data), changed
        )
        for page, some in rects
        if 0 <= page < _MOST_PAGES and some and all(map(_is_rect, some))
    ]


def _is_rect(numbers: Sequence[float]) -> bool:
    return len(numbers) == 4 and all(map(math.isfinite, numbers))


def _time(value: Any) -> float:
    try:
        return datetime.fromisoformat(str(value)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def file_of(data: Item, links: Item) -> str:
    """The path of an attachment's file; empty if it is not on this computer."""
    enclosure = links.get("enclosure") if isinstance(links, dict) else None
    url = str(enclosure.get("href") or "") if isinstance(enclosure, dict) else ""
    if url.startswith("file:"):
        return file_links.path_of_url(url)
    path = str(data.get("path") or data.get("localPath") or "")
    return path if Path(path).is_absolute() else ""


def _texts(tags: Any, *, automatic: bool) -> Iterable[str]:
    for tag in tags if isinstance(tags, list) else ():
        if isinstance(tag, dict) and (tag.get("type") == 1) is automatic:
            yield str(tag.get("tag") or "").strip()

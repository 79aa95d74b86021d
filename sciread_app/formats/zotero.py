"""Items of Zotero, as its local interface and Better BibTeX's own JSON give them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sciread_app.domain.paper import Identifier, Paper
from sciread_app.formats import csl_json, file_links

Item = Mapping[str, Any]

SOURCE = "zotero"
# What hangs on items, or stands for no paper.
CHILDREN = ("attachment", "note", "annotation")

_TYPES = {
    "journalArticle": "article-journal",
    "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper",
    "conferencePaper": "paper-conference",
    "presentation": "speech",
    "book": "book",
    "bookSection": "chapter",
    "encyclopediaArticle": "entry-encyclopedia",
    "dictionaryEntry": "entry-dictionary",
    "thesis": "thesis",
    "report": "report",
    "standard": "standard",
    "dataset": "dataset",
    "computerProgram": "software",
    "patent": "patent",
    "webpage": "webpage",
    "blogPost": "post-weblog",
    "forumPost": "post",
    "manuscript": "manuscript",
}
# Where it appeared: what Zotero calls so many names is one thing to us.
_VENUES = (
    "publicationTitle", "bookTitle", "proceedingsTitle", "encyclopediaTitle", "dictionaryTitle",
    "websiteTitle", "blogTitle", "forumTitle",
)  # fmt: skip
_FIELDS = {
    "abstractNote": "abstract",
    "DOI": "DOI",
    "ISBN": "ISBN",
    "ISSN": "ISSN",
    "url": "URL",
    "volume": "volume",
    "issue": "issue",
    "pages": "page",
    "edition": "edition",
    "series": "collection-title",
    "seriesNumber": "collection-number",
    "publisher": "publisher",
    "university": "publisher",
    "institution": "publisher",
    "repository": "publisher",
    "place": "publisher-place",
    "language": "language",
    "journalAbbreviation": "journalAbbreviation",
    "shortTitle": "shortTitle",
    "conferenceName": "event-title",
    "archive": "archive",
    "archiveLocation": "archive_location",
    "callNumber": "call-number",
    "rights": "license",
    "numPages": "number-of-pages",
    "thesisType": "genre",
    "reportType": "genre",
    "reportNumber": "number",
    "accessDate": "accessed",
    "extra": "note",
    "citationKey": "citation-key",
}
_PEOPLE = {
    "author": "author", "presenter": "author", "programmer": "author", "inventor": "author",
    "editor": "editor", "seriesEditor": "collection-editor", "translator": "translator",
    "bookAuthor": "container-author", "contributor": "contributor",
    "reviewedAuthor": "reviewed-author",
}  # fmt: skip
_PINNED = re.compile(r"^\s*citation key\s*:\s*(\S+)\s*$", re.I | re.M)
_ARXIV = re.compile(r"^\s*arxiv:\s*(\S+)", re.I)
_TAG = re.compile(r"<[^<>]*>")
_ENDS_LINE = re.compile(r"</(?:p|div|li|h\d|blockquote)>|<br\s*/?>", re.I)


def paper(data: Item, files: Iterable[str] = ()) -> Paper | None:
    """The paper that an item is about; None if it is none. Of the files, those that exist."""
    if data.get("itemType") in CHILDREN:
        return None
    found = csl_json.from_item(_csl(data))
    if found is None:
        return None
    key = str(data.get("key") or data.get("itemKey") or "")
    automatic = tuple(_texts(data.get("tags"), automatic=True))
    there = (file_links.existing(file, (Path(),)) for file in files)
    names = [name for name in found.identifiers if name != Identifier("citekey", key)]
    return replace(
        found,
        identifiers=tuple(names),
        keywords=tuple(dict.fromkeys([*found.keywords, *automatic])),
        files=tuple(dict.fromkeys(filter(None, there))),
        source=SOURCE,
        source_id=key,
    )


def tags(data: Item) -> list[str]:
    """The tags that somebody gave; those that came with the record are keywords."""
    return list(_texts(data.get("tags"), automatic=False))


def note_text(data: Item) -> str:
    """A note of Zotero's, which is HTML, as plain text with its paragraphs."""
    text = _ENDS_LINE.sub("\n", str(data.get("note") or ""))
    lines = (line.strip() for line in html.unescape(_TAG.sub("", text)).splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def file_of(data: Item, links: Item) -> str:
    """The path of an attachment's file; empty if it has none on this computer."""
    enclosure = links.get("enclosure")
    url = str(enclosure.get("href") or "") if isinstance(enclosure, dict) else ""
    if url.startswith("file:"):
        return file_links.path_of_url(url)
    path = str(data.get("path") or data.get("localPath") or "")
    return path if Path(path).is_absolute() else ""


def _csl(data: Item) -> dict[str, Any]:
    item: dict[str, Any] = {
        ours: data[theirs] for theirs, ours in _FIELDS.items() if data.get(theirs)
    }
    item["id"] = str(data.get("key") or data.get("itemKey") or "")
    item["type"] = _TYPES.get(str(data.get("itemType")), "article")
    item["title"] = data.get("title") or data.get("caseName") or data.get("subject") or ""
    item["issued"] = {"raw": data["date"]} if data.get("date") else None
    item["container-title"] = next((data[name] for name in _VENUES if data.get(name)), "")
    for person in data.get("creators") or ():
        if isinstance(person, dict):
            role = _PEOPLE.get(str(person.get("creatorType")), "contributor")
            item.setdefault(role, []).append(_name(person))
    note = str(item.get("note") or "")
    if not item.get("citation-key") and (pinned := _PINNED.search(note)):
        item["citation-key"] = pinned[1]
    item["note"] = _PINNED.sub("", note).strip()
    if arxiv := _ARXIV.match(str(data.get("archiveID") or "")):
        item["custom"] = {"arxiv": arxiv[1]}
    return item


def _name(person: Item) -> dict[str, Any]:
    if person.get("name"):
        return {"literal": person["name"]}
    return {"family": person.get("lastName") or "", "given": person.get("firstName") or ""}


def _texts(tags: Any, *, automatic: bool) -> Iterable[str]:
    for tag in tags if isinstance(tags, list) else ():
        if isinstance(tag, dict) and (tag.get("type") == 1) is automatic:
            yield str(tag.get("tag") or "").strip()

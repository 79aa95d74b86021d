"""Zotero's item types and fields mapped to CSL-JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

Item = Mapping[str, Any]

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
# Zotero's many names of the container title.
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
    "number": "number",
    "reportNumber": "number",
    "patentNumber": "number",
    "numberOfVolumes": "number-of-volumes",
    "version": "version",
    "scale": "scale",
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
# Databases that Zotero's imports name as the archive, with the PMID as the place there.
_PUBMED = frozenset(("medline", "pubmed"))
_ARXIV = re.compile(r"^\s*arxiv:\s*(\S+)", re.I)


def to_csl(data: Item) -> dict[str, Any]:
    """The item with CSL-JSON names, and the files listed by Better BibTeX."""
    item: dict[str, Any] = {
        ours: data[theirs] for theirs, ours in _FIELDS.items() if data.get(theirs)
    }
    item["id"] = str(data.get("key") or data.get("itemKey") or "")
    item["type"] = _TYPES.get(str(data.get("itemType")), "article")
    item["title"] = data.get("title") or data.get("caseName") or data.get("subject") or ""
    item["issued"] = {"raw": data["date"]} if data.get("date") else None
    item["container-title"] = next((data[name] for name in _VENUES if data.get(name)), "")
    creators = data.get("creators")
    for person in creators if isinstance(creators, list) else ():
        if _is_object(person):
            role = _PEOPLE.get(str(person.get("creatorType")), "contributor")
            item.setdefault(role, []).append(_name(person))
    if str(item.get("archive") or "").lower() in _PUBMED:
        item["PMID"] = item.get("archive_location")
    note = str(item.get("note") or "")
    if not item.get("citation-key") and (pinned := _PINNED.search(note)):
        item["citation-key"] = pinned[1]
    item["note"] = _PINNED.sub("", note).strip()
    tags = data.get("tags")
    named = (tag.get("tag") for tag in tags if _is_object(tag)) if isinstance(tags, list) else ()
    item["keyword"] = "; ".join(name for name in named if isinstance(name, str))
    custom: dict[str, Any] = {}
    if arxiv := _ARXIV.match(str(data.get("archiveID") or "")):
        custom["arxiv"] = arxiv[1]
    elif "arxiv.org/" in str(data.get("url") or ""):
        custom["arxiv"] = data["url"]
    if isinstance(attached := data.get("attachments"), list):
        paths = (one.get("path") or one.get("localPath") for one in attached if _is_object(one))
        custom["files"] = [path for path in paths if isinstance(path, str)]
    return item | {"custom": custom}


def _name(person: Item) -> dict[str, Any]:
    if person.get("name"):
        return {"literal": person["name"]}
    return {"family": person.get("lastName") or "", "given": person.get("firstName") or ""}


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)

"""Zotero's export as a table (CSV)."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path
from typing import Any

from sciread_app.domain.paper import FiledNote, Filing, Paper, Skipped
from sciread_app.formats.files.tables import Row, rows
from sciread_app.formats.zotero import items
from sciread_app.language import tr

NAME = "zotero_csv"
SUFFIXES = (".csv",)

# Columns by the field of an item with the same meaning.
_FIELDS = {
    "Key": "key", "Item Type": "itemType", "Title": "title",
    "Publication Title": "publicationTitle",
    "ISBN": "ISBN", "ISSN": "ISSN", "DOI": "DOI", "Url": "url", "Abstract Note": "abstractNote",
    "Access Date": "accessDate", "Pages": "pages", "Num Pages": "numPages", "Issue": "issue",
    "Volume": "volume", "Number Of Volumes": "numberOfVolumes",
    "Journal Abbreviation": "journalAbbreviation", "Short Title": "shortTitle", "Series": "series",
    "Series Number": "seriesNumber", "Publisher": "publisher", "Place": "place",
    "Language": "language", "Rights": "rights", "Archive": "archive",
    "Archive Location": "archiveLocation", "Call Number": "callNumber", "Extra": "extra",
    "Number": "number", "Edition": "edition", "Conference Name": "conferenceName",
    "Version": "version", "Scale": "scale",
}  # fmt: skip
_CREATORS = {
    "Author": "author", "Editor": "editor", "Series Editor": "seriesEditor",
    "Translator": "translator", "Contributor": "contributor", "Book Author": "bookAuthor",
    "Reviewed Author": "reviewedAuthor",
}  # fmt: skip
_TYPE_FIELDS = {"thesis": "thesisType", "report": "reportType"}


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and the rows that could not be read."""
    folders = (path.absolute().parent,)
    for number, row in rows(path):
        if isinstance(row, Skipped):
            yield row
        else:
            yield _paper(row, folders) or _without_title(row, number, path)


def _paper(row: Row, folders: tuple[Path, ...]) -> Paper | None:
    found = items.paper(_item(row), folders=folders)
    text = items.note_text({"note": row.get("Notes", "")})
    key = sha1(text.encode("utf-8", "surrogatepass")).hexdigest()
    return found and items.filed(found, Filing(notes=(FiledNote(text, key),) if text else ()))


def _item(row: Row) -> dict[str, Any]:
    """The row as an item of Zotero's API. Its tags, which Zotero takes over from databases as the
    user's own, count as keywords."""
    data: dict[str, Any] = {field: row.get(column, "") for column, field in _FIELDS.items()}
    data["date"] = row.get("Date") or row.get("Publication Year", "")
    data[_TYPE_FIELDS.get(data["itemType"], "type")] = row.get("Type", "")
    data["creators"] = [
        creator for column, role in _CREATORS.items() for creator in _people(row, column, role)
    ]
    tags = [row.get(column, "").split(";") for column in ("Manual Tags", "Automatic Tags")]
    data["tags"] = [{"tag": tag.strip(), "type": 1} for some in tags for tag in some if tag.strip()]
    files = row.get("File Attachments", "").split("; ")
    data["attachments"] = [{"path": file.strip()} for file in files if file.strip()]
    return data


def _people(row: Row, column: str, role: str) -> Iterator[dict[str, str]]:
    """ "Lee, Ann; Roy, Cy; Bee Consortium"; names without a comma are whole."""
    for name in filter(None, map(str.strip, row.get(column, "").split(";"))):
        family, comma, given = name.partition(",")
        if comma:
            yield {"creatorType": role, "lastName": family.strip(), "firstName": given.strip()}
        else:
            yield {"creatorType": role, "name": name}


def _without_title(row: Row, number: int, path: Path) -> Skipped:
    entry = row.get("Key") or tr("Line {number}", number=number)
    why = tr("The item has no title. Add a title in Zotero, then export and import it again.")
    if row.get("Item Type") in items.CHILDREN:
        why = tr("This note or file belongs to no item and was not imported.")
    return Skipped(str(path), entry, why)

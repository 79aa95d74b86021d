"""Zotero's database, read from a copy, as the items of its API.

The user's file is only ever copied: opening it would lock it, and a running Zotero holds a lock
that no other program can share.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sciread_app.errors import SourceError
from sciread_app.language import tr
from sciread_app.tasks import Task

NAME = "zotero.sqlite"
_BESIDE = ("-journal", "-wal")  # what SQLite needs to complete or undo the last transaction
_OLDEST = 80  # the version of the tables as of Zotero 5
_TRIES = 5
_PAUSE = 1.0  # seconds between them
_PAGE = 500  # items at a time
_TABLES = {"attachment": "itemAttachments", "note": "itemNotes", "annotation": "itemAnnotations"}
# Types of annotations, by the numbers in the database.
_ANNOTATION_TYPES = {1: "highlight", 2: "note", 3: "image", 4: "ink", 5: "underline", 6: "text"}
# A date is stored in a form to sort by, followed by what was typed: "2019-05-00 May 2019".
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d) ?(.*)", re.S)

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ZoteroLibrary:
    """A library in a database. `group` is the name of the group that it belongs to; empty for the
    user's own."""

    id: int
    group: str = ""


class ZoteroDatabase:
    """The libraries of a data folder. Items and collections in the trash are left out, and so are
    feeds."""

    def __init__(self, db: sqlite3.Connection, storage: Path, base: Path | None) -> None:
        """`storage` is the folder of Zotero's own files; paths of linked ones may begin at
        `base`."""
        self._db = db
        self._storage = storage
        self._base = base
        self._tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}

    def libraries(self) -> list[ZoteroLibrary]:
        """The user's own library, and those of groups."""
        rows = self._db.execute(
            "SELECT l.libraryID, l.type, g.name FROM libraries AS l"
            " LEFT JOIN groups AS g USING (libraryID) ORDER BY l.type DESC, g.name"
        )
        return [
            ZoteroLibrary(id, (name or tr("Group")) if kind == "group" else "")
            for id, kind, name in rows
            if kind in ("user", "group")
        ]

    def collections(self, library: ZoteroLibrary) -> Iterator[dict[str, Data]]:
        rows = self._db.execute(
            "SELECT c.key, c.collectionName, p.key FROM collections AS c"
            " LEFT JOIN collections AS p ON p.collectionID = c.parentCollectionID"
            f" WHERE c.libraryID = ? {self._kept_collections('c')}",
            (library.id,),
        )
        for key, name, parent in rows:
            yield {"data": {"key": key, "name": name, "parentCollection": parent or False}}

    def items(self, library: ZoteroLibrary) -> Iterator[list[dict[str, Data]]]:
        """Pages of papers, and of files and notes without one; the oldest first."""
        rows = self._db.execute(
            "SELECT i.itemID FROM items AS i LEFT JOIN itemAttachments AS a USING (itemID)"
            " LEFT JOIN itemNotes AS n USING (itemID) JOIN itemTypes AS t USING (itemTypeID)"
            " WHERE i.libraryID = ? AND a.parentItemID IS NULL AND n.parentItemID IS NULL"
            " AND t.typeName != 'annotation'"
            " AND i.itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY i.itemID",
            (library.id,),
        ).fetchall()
        for start in range(0, len(rows), _PAGE):
            yield self._read([id for (id,) in rows[start : start + _PAGE]])

    def children(self, library: ZoteroLibrary, kind: str) -> Iterator[dict[str, Data]]:
        """The files or notes of items, or the annotations of files: `kind` is "attachment", "note"
        or "annotation". Annotations that Zotero found in a PDF are left out: they are part of it.
        """
        table = _TABLES[kind]
        if table not in self._tables:  # of annotations, before Zotero 6
            return
        own = "AND NOT own.isExternal" if kind == "annotation" else ""
        rows = self._db.execute(
            f"SELECT itemID FROM items JOIN {table} AS own USING (itemID)"
            f" WHERE libraryID = ? AND own.parentItemID IS NOT NULL {own}"
            " AND itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY itemID",
            (library.id,),
        ).fetchall()
        for start in range(0, len(rows), _PAGE):
            yield from self._read([id for (id,) in rows[start : start + _PAGE]])

    def _read(self, ids: Sequence[int]) -> list[dict[str, Data]]:
        found: dict[int, Data] = {id: {} for id in ids}
        for id, key, kind, added, changed in self._of(
            ids,
            "SELECT i.itemID, i.key, t.typeName, i.dateAdded, i.dateModified FROM items AS i"
            " JOIN itemTypes AS t USING (itemTypeID) WHERE i.itemID IN ({ids})",
        ):
            times = {"dateAdded": _time(added), "dateModified": _time(changed)}
            found[id] = {"key": key, "itemType": kind, **times}
        for id, name, value in self._of(
            ids,
            "SELECT d.itemID, f.fieldName, v.value FROM itemData AS d JOIN fields AS f"
            " USING (fieldID) JOIN itemDataValues AS v USING (valueID) WHERE d.itemID IN ({ids})",
        ):
            found[id][name] = _date(str(value)) if name == "date" else str(value)
        for id, role, given, family, mode in self._of(
            ids,
            "SELECT i.itemID, t.creatorType, c.firstName, c.lastName, c.fieldMode"
            " FROM itemCreators AS i JOIN creators AS c USING (creatorID)"
            " JOIN creatorTypes AS t USING (creatorTypeID)"
            " WHERE i.itemID IN ({ids}) ORDER BY i.itemID, i.orderIndex",
        ):
            person = {"name": family} if mode == 1 else {"firstName": given, "lastName": family}
            found[id].setdefault("creators", []).append({"creatorType": role, **person})
        for id, name, kind in self._of(
            ids,
            "SELECT i.itemID, t.name, i.type FROM itemTags AS i JOIN tags AS t USING (tagID)"
            " WHERE i.itemID IN ({ids}) ORDER BY i.itemID, t.name",
        ):
            found[id].setdefault("tags", []).append({"tag": name, "type": kind})
        for id, key in self._of(
            ids,
            "SELECT i.itemID, c.key FROM collectionItems AS i JOIN collections AS c"
            " USING (collectionID) WHERE i.itemID IN ({ids})"
            f" {self._kept_collections('c')} ORDER BY i.itemID, c.collectionName",
        ):
            found[id].setdefault("collections", []).append(key)
        self._read_children(ids, found)
        self._read_relations(ids, found)
        return [{"data": data} for data in found.values() if data]

    def _read_children(self, ids: Sequence[int], found: dict[int, Data]) -> None:
        for id, parent, path in self._of(
            ids,
            "SELECT a.itemID, p.key, a.path FROM itemAttachments AS a"
            " LEFT JOIN items AS p ON p.itemID = a.parentItemID WHERE a.itemID IN ({ids})",
        ):
            found[id]["parentItem"] = parent
            found[id]["path"] = self._path(found[id]["key"], str(path or ""))
        for id, parent, text in self._of(
            ids,
            "SELECT n.itemID, p.key, n.note FROM itemNotes AS n"
            " LEFT JOIN items AS p ON p.itemID = n.parentItemID WHERE n.itemID IN ({ids})",
        ):
            if found[id]["itemType"] == "note":
                found[id]["parentItem"] = parent
                found[id]["note"] = text

        if "itemAnnotations" in self._tables:
            self._read_annotations(ids, found)

    def _read_annotations(self, ids: Sequence[int], found: dict[int, Data]) -> None:
        for id, parent, kind, text, comment, color, position in self._of(
            ids,
            "SELECT a.itemID, p.key, a.type, a.text, a.comment, a.color, a.position"
            " FROM itemAnnotations AS a JOIN items AS p ON p.itemID = a.parentItemID"
            " WHERE a.itemID IN ({ids})",
        ):
            found[id] |= {
                "parentItem": parent,
                "annotationType": _ANNOTATION_TYPES.get(kind, ""),
                "annotationText": text,
                "annotationComment": comment,
                "annotationColor": color,
                "annotationPosition": position,
            }

    def _read_relations(self, ids: Sequence[int], found: dict[int, Data]) -> None:
        related: dict[int, list[str]] = defaultdict(list)
        for id, other in self._of(
            ids,
            "SELECT r.itemID, r.object FROM itemRelations AS r JOIN relationPredicates AS p"
            " USING (predicateID) WHERE p.predicate = 'dc:relation' AND r.itemID IN ({ids})",
        ):
            related[id].append(str(other))
        for id, others in related.items():
            found[id]["relations"] = {"dc:relation": others}

    def _of(self, ids: Sequence[int], sql: str) -> list[Any]:
        return self._db.execute(sql.format(ids=", ".join(map(str, ids)))).fetchall()

    def _kept_collections(self, alias: str) -> str:
        if "deletedCollections" not in self._tables:  # of newer databases
            return ""
        deleted = "SELECT collectionID FROM deletedCollections"
        return f"AND {alias}.collectionID NOT IN ({deleted})"

    def _path(self, key: str, path: str) -> str:
        """The path of an attached file; empty if it has none, or begins at an unknown folder."""
        if path.startswith("storage:"):
            return str(self._storage / key / path.removeprefix("storage:"))
        if path.startswith("attachments:"):
            return str(self._base / path.removeprefix("attachments:")) if self._base else ""
        return path


@contextmanager
def opened(file: Path, base: Path | None, task: Task) -> Iterator[ZoteroDatabase]:
    """Read a copy of a database. Raises SourceError and Cancelled."""
    with ExitStack() as stack:
        try:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sciread-")))
            copy = _copy(file, folder, task)
            db = stack.enter_context(closing(sqlite3.connect(copy)))
            db.text_factory = lambda text: text.decode("utf-8", "replace")
            [version] = db.execute("SELECT version FROM version WHERE schema = 'userdata'")
            if version[0] < _OLDEST:
                raise SourceError(
                    tr("The database {file} is of a version before Zotero 5.", file=file),
                    tr("Open it with a current Zotero, which updates it."),
                )
            yield ZoteroDatabase(db, file.parent / "storage", base)
        except sqlite3.Error as error:
            raise SourceError(
                tr("Could not read the database {file}: {why}.", file=file, why=error),
                tr("Close Zotero and try again, or let Zotero check its database."),
            ) from error


def _copy(file: Path, folder: Path, task: Task) -> Path:
    """Copy a database that another program may be writing to."""
    copy = folder / NAME
    task.step(0, 0, tr("Copying the Zotero database"))
    for _ in range(_TRIES):
        before = _states(file)
        try:
            shutil.copyfile(file, copy)
            for end in _BESIDE:
                beside = copy.with_name(copy.name + end)
                beside.unlink(missing_ok=True)
                if (source := file.with_name(file.name + end)).exists():
                    shutil.copyfile(source, beside)
        except FileNotFoundError as error:
            if not file.exists():
                raise SourceError(
                    tr("There is no Zotero database in {folder}.", folder=file.parent),
                    tr("Select the folder that contains the file {file}.", file=NAME),
                ) from error
            continue  # a journal was deleted meanwhile
        except OSError as error:
            raise SourceError(
                tr("Could not copy the database {file}: {why}.", file=file, why=error.strerror),
                tr("Close Zotero and try again."),
            ) from error
        if _states(file) == before:
            return copy
        task.wait(_PAUSE, tr("Zotero is writing to its database"))
    raise SourceError(
        tr("Zotero is writing to its database {file}.", file=file),
        tr("Wait until it has finished, for instance its sync, and try again."),
    )


def _states(file: Path) -> list[tuple[int, int] | None]:
    """The size and time of a database and of the files beside it."""
    found: list[tuple[int, int] | None] = []
    for end in ("", *_BESIDE):
        try:
            state = file.with_name(file.name + end).stat()
            found.append((state.st_size, state.st_mtime_ns))
        except OSError:
            found.append(None)
    return found


def _time(stored: str) -> str:
    """A time in UTC, as in the API."""
    return f"{stored}Z".replace(" ", "T")


def _date(stored: str) -> str:
    match = _DATE.fullmatch(stored)
    if not match:
        return stored
    year, month, day, typed = match.groups()
    if year == "0000":
        return typed
    return "-".join(part for part in (year, month, day) if part != "00")

"""Small databases with the tables of Zotero 7."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

TABLES = """
CREATE TABLE version (schema TEXT PRIMARY KEY, version INT NOT NULL);
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT NOT NULL);
CREATE TABLE groups (groupID INTEGER PRIMARY KEY, libraryID INT NOT NULL UNIQUE, name TEXT);
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT);
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL,
    dateAdded TIMESTAMP NOT NULL DEFAULT '2024-05-06 07:08:09',
    dateModified TIMESTAMP NOT NULL DEFAULT '2024-06-07 08:09:10', libraryID INT NOT NULL,
    key TEXT NOT NULL, UNIQUE (libraryID, key));
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID, PRIMARY KEY (itemID, fieldID));
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT,
    fieldMode INT);
CREATE TABLE itemCreators (itemID INT, creatorID INT, creatorTypeID INT, orderIndex INT);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE itemTags (itemID INT, tagID INT, type INT NOT NULL, PRIMARY KEY (itemID, tagID));
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT NOT NULL,
    parentCollectionID INT, libraryID INT NOT NULL, key TEXT NOT NULL);
CREATE TABLE collectionItems (collectionID INT, itemID INT, orderIndex INT DEFAULT 0);
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT,
    contentType TEXT, path TEXT);
CREATE TABLE itemAnnotations (itemID INTEGER PRIMARY KEY, parentItemID INT NOT NULL,
    type INTEGER NOT NULL, authorName TEXT, text TEXT, comment TEXT, color TEXT, pageLabel TEXT,
    sortIndex TEXT NOT NULL, position TEXT NOT NULL, isExternal INT NOT NULL);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY);
CREATE TABLE deletedCollections (collectionID INTEGER PRIMARY KEY);
CREATE TABLE relationPredicates (predicateID INTEGER PRIMARY KEY, predicate TEXT UNIQUE);
CREATE TABLE itemRelations (itemID INT, predicateID INT, object TEXT);
INSERT INTO version VALUES ('userdata', 120);
INSERT INTO libraries VALUES (1, 'user'), (2, 'group'), (3, 'feed');
INSERT INTO groups VALUES (99, 2, 'Bee lab');
INSERT INTO relationPredicates VALUES (1, 'dc:relation'), (2, 'owl:sameAs');
"""
OWN, GROUP, FEED = 1, 2, 3  # the libraries


class ZoteroFolderBuilder:
    """Writes a data folder of Zotero. Items are named by their keys."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.file = folder / "zotero.sqlite"
        self.db = sqlite3.connect(self.file)
        self.db.executescript(TABLES)

    def item(
        self,
        key: str,
        title: str = "",
        *,
        kind: str = "journalArticle",
        library: int = OWN,
        creators: tuple[tuple[str, str], ...] = (),
        tags: tuple[str, ...] = (),
        automatic: tuple[str, ...] = (),
        **fields: str,
    ) -> int:
        """Add an item; a creator without a first name is an organization."""
        number = self._add("items", itemTypeID=self._kind(kind), libraryID=library, key=key)
        for name, value in ({"title": title} | fields).items():
            if value:
                field = self._named("fields", "fieldID", "fieldName", name)
                stored = self._named("itemDataValues", "valueID", "value", value)
                self._add("itemData", itemID=number, fieldID=field, valueID=stored)
        for place, (given, family) in enumerate(creators):
            person = self._add(
                "creators", firstName=given, lastName=family, fieldMode=0 if given else 1
            )
            role = self._named("creatorTypes", "creatorTypeID", "creatorType", "author")
            self._add(
                "itemCreators", itemID=number, creatorID=person, creatorTypeID=role,
                orderIndex=place,
            )  # fmt: skip
        for kind_of_tag, names in enumerate((tags, automatic)):
            for name in names:
                tag = self._named("tags", "tagID", "name", name)
                self._add("itemTags", itemID=number, tagID=tag, type=kind_of_tag)
        self.db.commit()
        return number

    def collection(
        self, key: str, name: str, *items: int, parent: int | None = None, library: int = OWN
    ) -> int:
        number = self._add(
            "collections", collectionName=name, parentCollectionID=parent, libraryID=library,
            key=key,
        )  # fmt: skip
        for item in items:
            self._add("collectionItems", collectionID=number, itemID=item)
        self.db.commit()
        return number

    def attach(
        self, key: str, path: str, parent: int | None, *, mode: int = 0, library: int = OWN
    ) -> int:
        """Add a file; one in Zotero's own folder has a path such as "storage:bees.pdf"."""
        number = self._add("items", itemTypeID=self._kind("attachment"), libraryID=library, key=key)
        self._add(
            "itemAttachments", itemID=number, parentItemID=parent, linkMode=mode,
            contentType="application/pdf", path=path,
        )  # fmt: skip
        self.db.commit()
        return number

    def note(self, key: str, text: str, parent: int | None) -> int:
        number = self._add("items", itemTypeID=self._kind("note"), libraryID=OWN, key=key)
        self._add("itemNotes", itemID=number, parentItemID=parent, note=text, title="")
        self.db.commit()
        return number

    def annotate(
        self, key: str, file: int, kind: int, *rects: tuple[float, ...], text: str = "",
        comment: str = "", color: str = "#ffd400", page: int = 0, external: bool = False,
        **position: Any,
    ) -> int:  # fmt: skip
        """Annotate a PDF. `kind` is 1 for a highlight, 2 a note, 3 an area, 4 ink, 5 an
        underline."""
        number = self._add("items", itemTypeID=self._kind("annotation"), libraryID=OWN, key=key)
        place = {"pageIndex": page, "rects": rects} | position
        self._add(
            "itemAnnotations", itemID=number, parentItemID=file, type=kind, text=text,
            comment=comment, color=color, sortIndex="00000|000000|00000",
            position=json.dumps(place), isExternal=external,
        )  # fmt: skip
        self.db.commit()
        return number

    def relate(self, item: int, key: str) -> None:
        address = f"http://zotero.org/users/local/abc/items/{key}"
        self._add("itemRelations", itemID=item, predicateID=1, object=address)
        self.db.commit()

    def trash(self, item: int) -> None:
        self._add("deletedItems", itemID=item)
        self.db.commit()

    def trash_collection(self, collection: int) -> None:
        self._add("deletedCollections", collectionID=collection)
        self.db.commit()

    def _kind(self, name: str) -> int:
        return self._named("itemTypes", "itemTypeID", "typeName", name)

    def _named(self, table: str, id: str, column: str, value: str) -> int:
        self.db.execute(
            f"INSERT INTO {table} ({column}) SELECT ? WHERE NOT EXISTS"
            f" (SELECT 1 FROM {table} WHERE {column} = ?)",
            (value, value),
        )
        found = self.db.execute(f"SELECT {id} FROM {table} WHERE {column} = ?", (value,))
        return int(found.fetchone()[0])

    def _add(self, table: str, **values: Any) -> int:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        put = self.db.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values())
        )
        assert put.lastrowid is not None
        return put.lastrowid

"""Open Library: records of books by ISBN, without an API key.

The Books API takes several ISBNs in one request, as Open Library asks of programs:
https://github.com/internetarchive/openlibrary/issues/11406. That it allows a client without a mail
address one request a second is reported by others. This, and the license of the records, is on
pages that could not be consulted: https://openlibrary.org/developers/api,
https://openlibrary.org/developers/licensing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sciread_app.domain.metadata.identifiers import identifiers
from sciread_app.domain.paper import Paper
from sciread_app.formats.values import dates, names
from sciread_app.formats.values.markup import plain
from sciread_app.language import tr
from sciread_app.sources.http.client import MIB, Client
from sciread_app.tasks import Task

KEY = "open_library"
TITLE = "Open Library"

BATCH = 50


def by_isbns(isbns: Sequence[str], client: Client, task: Task) -> list[Paper]:
    """The books with these ISBNs of 13 digits, at most BATCH, that Open Library knows. Raises
    SourceError."""
    if not isbns:
        return []
    complaint = tr("it is not a list of books")
    found = client.ask(
        KEY,
        "api/books",
        params=(
            ("bibkeys", ",".join(f"ISBN:{isbn}" for isbn in isbns)),
            ("format", "json"),
            ("jscmd", "data"),
        ),
        accept=("json", "javascript"),
        most=16 * MIB,
        task=task,
        parse=_records,
        check=lambda records: complaint if records is None else "",
    )
    books = (_book(isbn, found.get(f"ISBN:{isbn}")) for isbn in isbns)
    return [book for book in books if book]


def _records(body: bytes) -> dict[str, Any] | None:
    try:
        records = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return records if isinstance(records, dict) else None


def _book(isbn: str, record: Any) -> Paper | None:
    if not isinstance(record, dict) or not (title := plain(_text(record.get("title")))):
        return None
    if subtitle := plain(_text(record.get("subtitle"))):
        title = f"{title}: {subtitle}"
    extra = {
        "publisher": ", ".join(_names(record.get("publishers"))),
        "address": ", ".join(_names(record.get("publish_places"))),
    }
    authors = tuple(names.from_plain(name) for name in _names(record.get("authors")))
    return Paper(
        title=title,
        authors=authors,
        kind="book",
        published=dates.parse(_text(record.get("publish_date"))),
        identifiers=identifiers(("isbn", isbn)),
        extra={name: value for name, value in extra.items() if value},
        source=KEY,
        source_id=isbn,
    )


def _names(value: Any) -> Iterable[str]:
    entries: list[Mapping[str, Any]] = []
    if isinstance(value, list):
        entries = [one for one in value if isinstance(one, dict)]
    found = (plain(_text(one.get("name"))) for one in entries)
    return tuple(dict.fromkeys(filter(None, found)))


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""

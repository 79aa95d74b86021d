"""The local, read-only API of a running Zotero."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sciread_app.errors import SourceError
from sciread_app.language import tr
from sciread_app.sources.http.client import Client
from sciread_app.tasks import Task

KEY = "zotero"
PAGE = 100  # maximum number of items per response
HOW = tr(
    "Start Zotero and, in its settings under Advanced, allow other applications to "
    "communicate with Zotero."
)

Object = Mapping[str, Any]


def collections(client: Client, task: Task) -> Iterator[Object]:
    return _all(client, "collections", task)


def items(client: Client, task: Task) -> Iterator[list[Object]]:
    """Pages of the library's top-level items: papers, and files and notes without one."""
    return _pages(client, "items/top", {}, task)


def children(client: Client, kind: str, task: Task) -> Iterator[Object]:
    """All children of this kind: "attachment", "note" or "annotation"."""
    return _all(client, "items", task, itemType=kind)


def _all(client: Client, path: str, task: Task, **params: str) -> Iterator[Object]:
    for page in _pages(client, path, params, task):
        yield from page


def _pages(
    client: Client, path: str, params: Mapping[str, str], task: Task
) -> Iterator[list[Object]]:
    start = 0
    # The oldest first: items added in the meantime shift none that were not read yet.
    order = {"sort": "dateAdded", "direction": "asc"} if path.startswith("items") else {}
    while True:
        place = {"format": "json", "limit": str(PAGE), "start": str(start)}
        page = _ask(client, path, {**order, **params, **place}, task)
        yield [one for one in page if isinstance(one, dict) and isinstance(one.get("data"), dict)]
        start += PAGE
        if len(page) < PAGE:
            return


def _ask(client: Client, path: str, params: Mapping[str, str], task: Task) -> list[Any]:
    try:
        body = client.ask(
            KEY, path, params=tuple(params.items()), accept=("json",), task=task,
            fresh=True, keep=False, check=_missing_page_reason,
        )  # fmt: skip
    except SourceError as error:
        raise SourceError(error.message, HOW) from error
    found: list[Any] = json.loads(body)
    if b"\\ud" in body.lower():  # possibly half a character, which no database accepts
        found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    return found


def _missing_page_reason(body: bytes) -> str:
    try:
        return "" if isinstance(json.loads(body), list) else tr("it is not a list of items")
    except (ValueError, RecursionError):
        # Translators: “it” is the response of Zotero
        return tr("it is not valid JSON")

"""citeproc.js, which formats citations by CSL styles, in a QuickJS engine.

Styles are untrusted. The engine has no access to files or the network: it gets nothing but JSON,
and its time and memory are limited.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sciread_app.formats.csl.style import CslStyle, Node, read_locale
from sciread_app.paths import resource

if TYPE_CHECKING:
    from quickjs import Context

STEP = 10  # items between two reports of progress
# Seconds of processor time for one step. They include the work of all other threads.
LONGEST = 120
MOST_MEMORY = 1 << 29
STACK = 768 << 10  # bytes; Windows gives a thread 1 MB


class Processor:
    """A citation processor with one style. It must be used in the thread that created it.

    Raises `quickjs.JSException` if citeproc.js cannot use the style or an item.
    """

    def __init__(self, style: CslStyle, *, sorting: bool = True) -> None:
        """Without `sorting`, which a single item does not need, a citation takes half the time."""
        self._context = _new_context()
        given = {
            "style": style.root if sorting else _without_sorting(style.root),
            "language": style.language or None,
            "locales": locales_for(style.language),
        }
        self._call("begin", json.dumps(given))

    def take(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Set the items of CSL-JSON to cite; each has a unique `id`, a text."""
        self._call("take", json.dumps(items))

    def add(self, count: int) -> None:
        """Read the first `count` items."""
        self._call("add", count)

    def references(self) -> list[str] | None:
        """An HTML fragment for each reference, in the style's order.

        None if the style has no list of references.
        """
        entries: list[str] | None = json.loads(self._call("references"))
        return entries

    def citation(self, pages: str = "") -> str:
        """The in-text citation of all items, as an HTML fragment.

        `pages` are the cited pages, such as 5 or 5-6; empty to cite the items as a whole.
        """
        return str(json.loads(self._call("citation", pages)))

    def _call(self, function: str, *arguments: str | int) -> Any:
        return self._context.get(function)(*arguments)


def _new_context() -> Context:
    from quickjs import Context  # imported on first use

    context = Context()
    context.set_memory_limit(MOST_MEMORY)
    context.set_time_limit(LONGEST)
    context.set_max_stack_size(STACK)
    context.eval("var module = {exports: {}};")
    for name in ("citeproc.js", "engine.js"):
        context.eval(_source(name))
    return context


@cache
def _source(name: str) -> str:
    return resource(f"citeproc/{name}").read_text("utf-8")


def _without_sorting(root: Node) -> Node:
    """Remove the sort keys: most of a style, and not needed for a single item."""
    if root["name"] in ("citation", "bibliography"):
        kept = [child for child in root["children"] if _name(child) != "sort"]
        return {**root, "children": kept}
    if root["name"] != "style":
        return root
    return {**root, "children": [_without_sorting(child) for child in root["children"]]}


def _name(child: Node | str) -> str:
    return child["name"] if isinstance(child, dict) else ""


def locales_for(language: str) -> dict[str, Node]:
    """The locales by name that citeproc.js may request for a style of this language.

    American English is always included: it has every term.
    """
    base = language.partition("-")[0]
    usual = _dialects().get(base, "en-US")
    names = {"en-US": "en-US", base or "en": usual, language or "en-US": usual, usual: usual}
    if language and _locale_file(language).is_file():
        names[language] = language
    return {name: _locale(file) for name, file in names.items()}


@cache
def _dialects() -> dict[str, str]:
    """The default dialect of each language: `de` is `de-DE`."""
    file = resource("locales/locales.json")
    dialects: dict[str, str] = json.loads(file.read_text("utf-8"))["primary-dialects"]
    return dialects


@cache
def _locale(name: str) -> Node:
    return read_locale(_locale_file(name))


def _locale_file(name: str) -> Path:
    return resource(f"locales/locales-{Path(name).name}.xml")

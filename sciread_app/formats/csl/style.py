"""Citation styles and locales of the Citation Style Language (CSL 1.0.2): reading and checking."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from sciread_app.errors import StyleRefused
from sciread_app.language import tr

Node = dict[str, Any]  # an element in the form of citeproc.js: name, attrs, children

LARGEST = 2_000_000  # bytes; the largest published style has 400,000
DEEPEST = 100  # nesting depth of elements
_CSL = "{http://purl.org/net/xbiblio/csl}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_TEXTS = ("term", "single", "multiple")  # must have a text, possibly empty


@dataclass(frozen=True, slots=True)
class CslStyle:
    """A parsed style file.

    `id` is the URI that identifies it; `parent` is the id of the style that a dependent style takes
    its rules from, empty in any other. `root` is the whole file.
    """

    id: str
    title: str
    parent: str
    language: str
    has_bibliography: bool
    root: Node


def read_style(path: Path) -> CslStyle:
    """Read a .csl file. Raises StyleRefused if the file is damaged or not a style."""
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise StyleRefused(
            tr("Could not read the style {file}: {why}.", file=path, why=error.strerror)
        ) from error
    if len(data) > LARGEST:
        raise _refused(path, tr("the file is too large"))
    try:
        root = fromstring(data, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise _refused(path, tr("it is not valid XML ({why})", why=error)) from error
    if root.tag != f"{_CSL}style":
        raise _refused(path, tr("it contains no citation style"))
    if root.get("version", "1.0").partition(".")[0] != "1":
        raise _refused(path, tr("it uses the unsupported CSL version {n}", n=root.get("version")))
    return _style(root, path)


def _refused(path: Path, why: str) -> StyleRefused:
    return StyleRefused(
        tr("{file} is not a citation style that SciRead can use: {why}.", file=path, why=why),
        tr("Styles for over 10,000 journals: https://www.zotero.org/styles"),
    )


def _style(root: Element, path: Path) -> CslStyle:
    info = root.find(f"{_CSL}info")
    links = info.findall(f"{_CSL}link") if info is not None else []
    parents = [link.get("href", "") for link in links if link.get("rel") == "independent-parent"]
    if not parents and root.find(f"{_CSL}citation") is None:
        raise _refused(path, tr("it does not define how to format citations"))
    macros = {macro.get("name") for macro in root.findall(f"{_CSL}macro")}
    used = (element.get("macro") for element in root.iter())
    if missing := next((name for name in used if name and name not in macros), None):
        raise _refused(path, tr("the macro {name!r} is missing", name=missing))
    return CslStyle(
        id=_text(info, "id"),
        title=_text(info, "title") or path.stem,
        parent=parents[0] if parents else "",
        language=root.get("default-locale", ""),
        has_bibliography=root.find(f"{_CSL}bibliography") is not None,
        root=_node(root, path, 0),
    )


def _text(info: Element | None, name: str) -> str:
    found = info.findtext(f"{_CSL}{name}") if info is not None else None
    return " ".join((found or "").split())


def _node(element: Element, path: Path, depth: int) -> Node:
    if depth > DEEPEST:
        raise _refused(path, tr("its elements are nested too deeply"))
    name = element.tag.removeprefix(_CSL)
    children: list[Node | str] = [_node(child, path, depth + 1) for child in element]
    text = element.text or ""
    if name in _TEXTS and not children:
        children = [text]
    elif text.strip():
        children.insert(0, text)
    attributes = {key.replace(_XML, "xml:"): value for key, value in element.attrib.items()}
    return {"name": name, "attrs": attributes, "children": children}


def read_locale(path: Path) -> Node:
    """A bundled locale."""
    return _node(fromstring(path.read_bytes()), path, 0)

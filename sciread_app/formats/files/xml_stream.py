"""Streaming XML parser with protection against malicious files."""

from __future__ import annotations

import html
from collections.abc import Iterator
from functools import reduce
from types import SimpleNamespace
from typing import Any, BinaryIO

from lxml import etree

from sciread_app.language import tr

# Inline elements; all others separate their text from their neighbors.
_INLINE = frozenset((
    "i", "b", "u", "em", "strong", "italic", "bold", "sup", "sub", "inf", "sc", "tt", "span",
    "ext-link", "a", "xref", "named-content", "style",
))  # fmt: skip

# lxml options for untrusted input.
_SAFE_OPTIONS: dict[str, Any] = {
    "resolve_entities": False,
    "load_dtd": False,
    "no_network": True,
    "remove_comments": True,
    "remove_pis": True,
    "huge_tree": False,
}
_ENTITIES = tr(
    "The file was not read because its XML defines entities, which can be used for attacks."
)


class BadXml(Exception):
    """The XML is malformed or refused. The message is shown to the user."""


def elements(stream: BinaryIO, *tags: str) -> Iterator[etree._Element]:
    """Each element with one of these tags once it is complete; it is cleared when the next comes.

    Nothing is fetched and no entity is resolved. Raises BadXml for malformed XML, and for any that
    defines entities: no bibliography does, but files made to exhaust memory do.
    """
    # `read` would lose the data before the end of a truncated gzip file.
    pieces = SimpleNamespace(read=getattr(stream, "read1", stream.read))
    parsing = etree.iterparse(pieces, events=("end",), tag=tags, **_SAFE_OPTIONS)
    try:
        for _, element in parsing:
            if any(outer.tag in tags for outer in element.iterancestors()):
                continue  # It will come with that element.
            _refuse_entities(element)
            yield element
            _release(element)
    except etree.XMLSyntaxError as error:
        raise _broken(error) from error


def document(body: bytes) -> etree._Element:
    """The root of a whole document in memory. Raises BadXml as `elements` does."""
    if b"<!ENTITY" in body:
        raise BadXml(_ENTITIES)
    parser = etree.XMLParser(**_SAFE_OPTIONS)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise _broken(error) from error
    _refuse_entities(root)
    return root


def _broken(error: etree.XMLSyntaxError) -> BadXml:
    return BadXml(tr("The XML is not valid: {why}.", why=error.msg))


def text_of(element: etree._Element | None) -> str:
    """The text of an element on one line, its markup flattened: CO2, 10^-3, x^2/(y+1)."""
    if element is None:
        return ""
    text = element.text or "" if len(element) == 0 else "".join(_pieces(element))
    # A printable text has no blanks other than spaces. Testing is faster than splitting.
    return text.strip() if text.isprintable() and "  " not in text else " ".join(text.split())


def _refuse_entities(element: etree._Element) -> None:
    dtd = element.getroottree().docinfo.internalDTD
    if dtd is not None and next(iter(dtd.iterentities()), None) is not None:
        raise BadXml(_ENTITIES)


def _release(element: etree._Element) -> None:
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _pieces(element: etree._Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield from _piece(child, element)
        yield child.tail or ""


def _piece(child: etree._Element, parent: etree._Element) -> Iterator[str]:
    if not isinstance(child.tag, str):
        # HTML's character entities, in files whose DTD would define them.
        yield html.unescape(child.text or "") if child.tag is etree.Entity else ""
        return
    name = etree.QName(child).localname
    if name == "math":
        yield _formula(child)
    elif _is_raised(child, name) and _before(child, parent)[-1:].isdigit():
        yield "^"
        yield from _pieces(child)
    elif name in _INLINE:
        yield from _pieces(child)
    else:
        yield " "
        yield from _pieces(child)
        yield " "


def _is_raised(element: etree._Element, name: str) -> bool:
    # EndNote has styles with the face "superscript", or "italic superscript".
    return name == "sup" or (name == "style" and "superscript" in element.get("face", ""))


def _before(child: etree._Element, parent: etree._Element) -> str:
    previous = child.getprevious()
    if previous is None:
        return parent.text or ""
    return previous.tail or "".join(previous.itertext())


def _formula(element: etree._Element) -> str:
    """A MathML formula on one line."""
    parts = [_formula(child) for child in element if isinstance(child.tag, str)]
    if not parts:
        return "".join((element.text or "").split())
    name = etree.QName(element).localname
    if name in ("annotation", "annotation-xml"):
        return ""
    if name == "mfrac" and len(parts) == 2:
        return "/".join(_bracketed(part) for part in parts)
    if name == "msqrt":
        return f"√{_bracketed(''.join(parts))}"
    if name in _SCRIPTS and len(parts) > 1:
        return parts[0] + "".join(
            mark + _bracketed(part) for mark, part in zip(_SCRIPTS[name], parts[1:], strict=False)
        )
    if name == "mtable":
        return "; ".join(parts)
    return reduce(_beside, parts)


def _beside(left: str, right: str) -> str:
    """Two parts of a formula, separated where they would make one word: "sin x", but "5x"."""
    words = left[-1:].isalnum() and right[:1].isalnum() and max(len(left), len(right)) > 1
    return f"{left} {right}" if words else left + right


_SCRIPTS = {
    "msup": "^",
    "msub": "_",
    "msubsup": "_^",
    "mover": "^",
    "munder": "_",
    "munderover": "_^",
}


def _bracketed(part: str) -> str:
    return part if len(part) < 2 or part.isalnum() else f"({part})"

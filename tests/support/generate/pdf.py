"""Small PDFs for tests, written without a library."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple


class At(NamedTuple):
    """A text at a position on a page of 600 by 800 points, counted from the bottom left."""

    text: str
    size: float = 10
    x: float = 60
    y: float = 700
    upwards: bool = False
    bold: bool = False


BODY = "This sentence is here so that the page has a body of text in an ordinary size."


def body(top: float = 500, lines: int = 12) -> list[At]:
    return [At(BODY, 10, 60, top - 12 * i) for i in range(lines)]


def make_pdf(
    *pages: Sequence[At], info: dict[str, str] | None = None, xmp: str = "", packed: bool = False
) -> bytes:
    """`packed` keeps the XMP and the catalogue in compressed streams, as newer writers do."""
    objects: dict[int, bytes] = {}
    kids = []
    for number, page in enumerate(pages):
        kids.append(f"{10 + 2 * number} 0 R")
        objects[10 + 2 * number] = (
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R"
            b"/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>>>" % (11 + 2 * number)
        )
        objects[11 + 2 * number] = _stream(b"\n".join(_shown(text) for text in page))
    metadata = b"/Metadata 5 0 R" if xmp else b""
    catalog = b"<</Type/Catalog/Pages 2 0 R%s>>" % metadata
    objects[2] = f"<</Type/Pages/Count {len(pages)}/Kids[{' '.join(kids)}]>>".encode()
    objects[3] = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
    objects[4] = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>"
    if xmp:
        objects[5] = _stream(xmp.encode(), b"/Type/Metadata/Subtype/XML", packed=packed)
    if info:
        entries = "".join(f"/{key}({_escaped(value)})" for key, value in info.items())
        objects[6] = f"<<{entries}>>".encode("latin-1")
    if packed:
        objects[7] = _stream(b"1 0 " + catalog, b"/Type/ObjStm/N 1/First 4", packed=True)
    objects[1] = catalog
    return _file(objects, bool(info), hide=1 if packed else None)


def _file(objects: dict[int, bytes], info: bool, hide: int | None) -> bytes:
    """Write the file, with a cross-reference stream if object `hide` is in the object stream 7."""
    data = bytearray(b"%PDF-1.5\n")
    places = {}
    for number, content in objects.items():
        if number != hide:
            places[number] = len(data)
            data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    size = max(objects) + 2
    start = len(data)
    tail = b"/Size %d/Root 1 0 R%s" % (size, b"/Info 6 0 R" if info else b"")
    if hide is None:
        data += b"xref\n0 %d\n" % size
        for number in range(size):
            used = number in places
            data += b"%010d %05d %s \n" % (
                places.get(number, 0),
                0 if used else 65535,
                b"fn"[used : used + 1],
            )
        data += b"trailer\n<<%s>>\n" % tail
    else:
        rows = bytearray()
        for number in range(size):
            kind = 2 if number == hide else 1 if number in places else 0
            place = 7 if kind == 2 else start if number == size - 1 else places.get(number, 0)
            kind = 1 if number == size - 1 else kind
            rows += bytes([kind]) + place.to_bytes(4, "big") + b"\0"
        data += b"%d 0 obj\n" % (size - 1)
        data += _stream(bytes(rows), b"/Type/XRef/W[1 4 1]" + tail) + b"\nendobj\n"
    return bytes(data + b"startxref\n%d\n%%%%EOF\n" % start)


def _stream(content: bytes, entries: bytes = b"", *, packed: bool = False) -> bytes:
    if packed:
        content, entries = zlib.compress(content), entries + b"/Filter/FlateDecode"
    return b"<<%s/Length %d>>\nstream\n%s\nendstream" % (entries, len(content), content)


def _shown(text: At) -> bytes:
    font = "F2" if text.bold else "F1"
    turn = "0 1 -1 0" if text.upwards else "1 0 0 1"
    return (
        f"BT /{font} {text.size} Tf {turn} {text.x} {text.y} Tm ({_escaped(text.text)}) Tj ET"
    ).encode("cp1252")


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def xmp(properties: str) -> str:
    return (
        '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description '
        'rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/">'
        f'{properties}</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
    )


def dc_title(title: str) -> str:
    return f'<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>'

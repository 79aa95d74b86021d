"""PDFs of many pages for tests, with an outline, links and a password, built by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import cycle
from typing import NamedTuple

from tests.support.generate.pdf import At, _escaped, _file, _shown, _stream, body

WIDTH, HEIGHT = 600, 800
_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


class Jump(NamedTuple):
    """A link on page `on` in a rectangle (left, bottom, right, top) to a point of the page `to`;
    all from the bottom left."""

    on: int
    rect: tuple[float, float, float, float]
    to: int
    x: float
    y: float


def make_book(
    count: int = 3,
    *,
    pages: Sequence[Sequence[At]] = (),
    outline: Sequence[tuple[str, int]] = (),
    links: Sequence[tuple[int, str | int]] = (),
    jumps: Sequence[Jump] = (),
    turned: int = 0,
    crop: tuple[int, int, int, int] | None = None,
) -> bytes:
    """`outline`: titles and their pages; `links`: from a page to an address or another page, each
    at (60, 690) to (200, 710) from the bottom left. `crop`: the visible part of the pages."""
    cropped = f"/CropBox[{' '.join(map(str, crop))}]" if crop else ""
    pages = pages or [
        [At(f"Page number {n + 1}", 20, 60, 700), *body(660, 40)] for n in range(count)
    ]
    first = 1000
    objects: dict[int, bytes] = {1: b"", 2: b"", 3: _font("Helvetica"), 4: _font("Helvetica-Bold")}
    for number, page in enumerate(pages):
        made = [_link(to, first) for on, to in links if on == number]
        annots = " ".join(made + [_jump(one, first) for one in jumps if one.on == number])
        objects[first + 2 * number] = (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {WIDTH} {HEIGHT}]{cropped}/Rotate {turned}"
            f"/Contents {first + 2 * number + 1} 0 R/Annots[{annots}]"
            "/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>>>"
        ).encode()
        objects[first + 2 * number + 1] = _stream(b"\n".join(map(_shown, page)))
    kids = " ".join(f"{first + 2 * n} 0 R" for n in range(len(pages)))
    objects[2] = f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>".encode()
    objects[1] = b"<</Type/Catalog/Pages 2 0 R/Outlines 10 0 R>>"
    _add_outline(objects, outline, first)
    return _file(objects, info=False, hide=None)


def locked(text: str, password: str, owner: str = "", rights: int = -4) -> bytes:
    """A page with this text, encrypted with a password: RC4, 40 bits. Who does not know the
    password `owner` has these rights."""
    name = b"0123456789abcdef"
    lock = _rc4(hashlib.md5(_padded(owner or password)).digest()[:5], _padded(password))
    may = rights.to_bytes(4, "little", signed=True)
    key = hashlib.md5(_padded(password) + lock + may + name).digest()[:5]
    user = _rc4(key, _PAD)
    data = make_book(pages=[[At(text, 20, 60, 700)]])
    content = _shown(At(text, 20, 60, 700))
    salted = hashlib.md5(key + (1001).to_bytes(3, "little") + b"\0\0").digest()[:10]
    data = data.replace(content, _rc4(salted, content))
    encryption = (
        f"/Encrypt<</Filter/Standard/V 1/R 2/P {rights}/O<{lock.hex()}>/U<{user.hex()}>>>"
        f"/ID[<{name.hex()}><{name.hex()}>]"
    ).encode()
    return data.replace(b"/Root 1 0 R", b"/Root 1 0 R" + encryption)


def _font(name: str) -> bytes:
    return f"<</Type/Font/Subtype/Type1/BaseFont/{name}/Encoding/WinAnsiEncoding>>".encode()


def _link(to: str | int, first: int) -> str:
    if isinstance(to, int):
        action = f"/Dest[{first + 2 * to} 0 R/XYZ 0 700 0]"
    else:
        action = f"/A<</S/URI/URI({_escaped(to)})>>"
    return f"<</Type/Annot/Subtype/Link/Border[0 0 0]/Rect[60 690 200 710]{action}>>"


def _jump(jump: Jump, first: int) -> str:
    rect = " ".join(map(str, jump.rect))
    return (
        f"<</Type/Annot/Subtype/Link/Border[0 0 0]/Rect[{rect}]"
        f"/Dest[{first + 2 * jump.to} 0 R/XYZ {jump.x} {jump.y} null]>>"
    )


def _add_outline(objects: dict[int, bytes], outline: Sequence[tuple[str, int]], first: int) -> None:
    last = 10 + len(outline)
    objects[10] = (
        f"<</Type/Outlines/First 11 0 R/Last {last} 0 R>>".encode() if outline else b"<<>>"
    )
    for number, (title, page) in enumerate(outline, start=11):
        after = f"/Next {number + 1} 0 R" if number < last else ""
        objects[number] = (
            f"<</Title({_escaped(title)})/Parent 10 0 R{after}"
            f"/Dest[{first + 2 * page} 0 R/XYZ 0 {HEIGHT} 0]>>"
        ).encode()


def _padded(password: str) -> bytes:
    return (password.encode("latin-1") + _PAD)[:32]


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i, k in zip(range(256), cycle(key), strict=False):
        j = (j + state[i] + k) % 256
        state[i], state[j] = state[j], state[i]
    result, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        result.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(result)

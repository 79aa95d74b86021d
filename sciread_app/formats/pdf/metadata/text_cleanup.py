"""Cleanup of PDF text: ligatures, separate accents, hyphens at line ends."""

from __future__ import annotations

import re
import unicodedata

# The version that journals with open peer review print after a title.
VERSION = re.compile(r"\s*\[version\s\d.*$", re.I)
# PDFium's replacement of a hyphen that ends a line: it joins the lines and inserts this.
SOFT_HYPHEN = "\ufffe"

_PLAIN = {
    code: unicodedata.normalize("NFKC", chr(code))
    for codes in (range(0xFB00, 0xFB07), range(0x1D400, 0x1D800))  # ligatures, maths alphabets
    for code in codes
} | dict.fromkeys((0xAD, 0x200B, 0x2060, 0xFEFF))
# TeX's bitmap fonts say nothing of their letters: the codes of the ligatures in its encodings,
# except those that are line ends.
_PLAIN |= {0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl"}
# Adobe's small capitals in the private use area.
_PLAIN |= {0xF700 + code: chr(code) for code in (*range(0x61, 0x7B), *range(0xE0, 0xFF))}
_PLAIN |= {0x0B: "ff", 0x0E: "ffi", 0x0F: "ffl"}
# TeX's old fonts set an accent as a separate character before (sometimes after) its letter.
_ACCENTS = {
    "´": "\u0301", "`": "\u0300", "ˆ": "\u0302", "˜": "\u0303", "¨": "\u0308",
    "¸": "\u0327", "ˇ": "\u030c", "˚": "\u030a", "˝": "\u030b", "˙": "\u0307", "˘": "\u0306",
    "¯": "\u0304",
}  # fmt: skip
_ACCENTED = re.compile(rf"([{''.join(_ACCENTS)}]) ?([A-Za-zı])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufff9-\ufffd\uffff\ud800-\udfff]")
_HYPHENATED = re.compile(rf"\b(\w+)(?:{SOFT_HYPHEN}[ \t]*\n?|[-\u2010][ \t]*\n)[ \t]*(\w+)")
_WORD = re.compile(r"\w+(?:-\w+)*")


def clean(text: str) -> str:
    """`text` without control characters and lone surrogates; hyphens at line ends are kept for
    `join_hyphens`."""
    # Characters beyond the first 65,536 come from PDFium as surrogate pairs.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x02", SOFT_HYPHEN)
    text = text.translate(_PLAIN)
    return _ACCENTED.sub(_accented, _CONTROLS.sub("", text))


def accented(accent: str, letter: str) -> str:
    """The letter with an accent that is a separate character; empty if there is no such letter."""
    mark = _ACCENTS.get(accent)
    both = unicodedata.normalize("NFC", ("i" if letter == "ı" else letter) + mark) if mark else ""
    return both if len(both) == 1 else ""


def join_hyphens(text: str) -> str:
    """Join words split at a line end; a hyphen that belongs to the word is kept.

    The rest of the text decides: "multi-" + "modal" is "multimodal" if that occurs anywhere, else
    "multi-modal" if that does, else "multimodal".
    """
    known = {word.lower() for word in _WORD.findall(text)}

    def joined(match: re.Match[str]) -> str:
        first, second = match[1], match[2]
        whole, compound = first + second, f"{first}-{second}"
        if whole.lower() in known:
            return whole
        if compound.lower() in known or not (first[-1].islower() and second[0].islower()):
            return compound
        return whole

    return _HYPHENATED.sub(joined, text).replace(SOFT_HYPHEN, "-")


def one_line(text: str) -> str:
    return " ".join(join_hyphens(text).split())


def letters_of(text: str) -> str:
    """Letters and digits in lower case without accents, for comparing titles."""
    decomposed = unicodedata.normalize("NFKD", text.lower())
    return "".join(character for character in decomposed if character.isalnum())


def _accented(match: re.Match[str]) -> str:
    return accented(match[1], match[2]) or match[0]

"""Detection of text encodings."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import TextIO

WINDOWS = "cp1252"  # the error handler that decodes bytes which are not UTF-8 as Windows-1252
_HEAD = 4096
_HINT = re.compile(rb"^%?\s*Encoding:\s*([\w-]+)", re.I | re.M)
_BLOCK = 1 << 20
_SAMPLE = 1 << 16
CHINESE, JAPANESE, KOREAN = "gb18030", "euc_jis_2004", "cp949"
_COMMON = 0xB0, 0xD7  # first bytes of the 3,755 commonest characters of GB 2312
# Shares of a text's characters that must be in GB 2312, and common.
_MOST, _SOME = 0.8, 0.5
_KANA = re.compile("[ぁ-ヺー]")
# The commonest syllables of Korean titles and names, without those whose bytes are also UTF-8 of
# Western letters. They are 33 to 81 % of Korean text, and at most 11 % of Chinese or Japanese text
# that is decoded as Korean.
_SYLLABLES = re.compile(
    "[이의에을는한가다로를기지고사하은자인서대정도시리해어나구부연과성수아전주보학있일으적조제원국장동중"
    "상관유용여경계공방화분반비신영생발문교실안위그식심개회미만선물김박민현]"
)
_SHARES = {JAPANESE: (_KANA, 0.05), "cp932": (_KANA, 0.05), KOREAN: (_SYLLABLES, 0.2)}
# In Big5, first bytes of the 5,401 commoner characters, which are seldom alone.
_BIG5_COMMON = re.compile(r"[一-鿿]{2,}")
_BIG5_FIRST = 0xA4, 0xC6
# The encodings of scripts other than Latin that charset-normalizer tells apart. Those of Latin
# scripts differ in few letters: it takes French and Turkish for Polish.
_OF_OTHER_SCRIPTS = ("cp1251", "koi8_r", "cp1253", "cp1255", "cp1256")
_WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
# The share of words with high bytes that have no other letters. In Latin scripts it is about 0.02:
# "à", "été" and words between two characters of another kind.
_FOREIGN = 0.6


def open_text(path: Path) -> TextIO:
    """Open a text file for reading by line; no byte causes an error."""
    encoding = encoding_of(path)
    return path.open(encoding=encoding, errors=WINDOWS if encoding == "utf-8-sig" else "replace")


def encoding_of(path: Path) -> str:
    """The encoding of a file; "utf-8-sig" stands for UTF-8 mixed with Windows bytes.

    A byte order mark decides, then zero bytes indicate UTF-16. A header such as JabRef's `%
    Encoding: MacRoman` counts only where the file is not UTF-8, since such headers are often wrong.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if head[:400].count(0) * 3 > len(head[:400]):
        return "utf-16-be" if head[0] == 0 else "utf-16-le"
    if guessed := guessed_encoding(path):
        return guessed
    if (named := _declared(head)) and not _is_utf8(path):
        return named
    return "utf-8-sig"


def guessed_encoding(path: Path) -> str:
    """The encoding if the bytes of the file alone are evidence for it: CHINESE, JAPANESE, KOREAN,
    or one of another script than Latin; else "".

    The two bytes of a character of each may be any of the others, so the text that they decode to
    decides: Japanese contains kana, and Korean certain syllables, which the others seldom have.
    """
    with path.open("rb") as file:
        block = file.read(_BLOCK)
    if block.isascii() or _declared(block[:_HEAD]) or _starts_as_utf8(block):
        return ""
    for encoding, (expected, share) in _SHARES.items():
        signs = _signs(block, encoding)
        if len(signs) > 1 and len(expected.findall(signs)) >= share * len(signs):
            return encoding
    if _is_chinese(_signs(block, CHINESE)):
        return CHINESE
    if _is_big5(block):
        return "big5"
    return _of_other_script(block) if _is_foreign(block) else ""


def is_undeclared(path: Path) -> bool:
    """Whether a file is neither UTF-8 nor UTF-16 and names no encoding, so that it is read as
    Windows-1252 if `guessed_encoding` finds none."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return not _is_utf16(head) and not _HINT.search(head) and not _is_utf8(path)


def _is_utf16(head: bytes) -> bool:
    marked = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return marked or head[:400].count(0) * 3 > len(head[:400])


def _is_foreign(block: bytes) -> bool:
    """Whether most words with high bytes consist of them, as in scripts other than Latin, whose
    encodings have the letters of English beside their own."""
    words = [word for word in _WORD.findall(block) if len(word) > 2]
    whole = sum(not re.search(rb"[A-Za-z]", word) for word in words)
    return len(words) >= 3 and whole >= _FOREIGN * len(words)


def _of_other_script(block: bytes) -> str:
    from charset_normalizer import from_bytes  # takes 30 ms, for few files

    found = from_bytes(block[:_SAMPLE], cp_isolation=list(_OF_OTHER_SCRIPTS)).best()
    return found.encoding if found is not None else ""


def _signs(block: bytes, encoding: str) -> str:
    """The characters beyond ASCII; none if a byte is invalid."""
    try:  # the block may end within a character
        text = codecs.getincrementaldecoder(encoding)().decode(block)
    except UnicodeDecodeError:
        return ""
    return "".join(sign for sign in text if sign > "\x7f")


def _is_chinese(signs: str) -> bool:
    """Whether nearly all characters are in GB 2312, whose two bytes are both high, and most of them
    common ones.

    In a Western text a high byte is alone, or beside another small letter with an accent, which
    would be a rare character. Names may contain characters that only GBK has.
    """
    pairs = signs.encode("gb2312", "ignore")
    common = sum(_COMMON[0] <= first <= _COMMON[1] for first in pairs[::2])
    return len(pairs) >= 4 and len(pairs) >= 2 * _MOST * len(signs) and common >= _SOME * len(signs)


def _is_big5(block: bytes) -> bool:
    """Whether nearly all characters are common ones of Big5, beside others."""
    signs = _signs(block, "big5")
    pairs = signs.encode("big5", "ignore")
    common = sum(_BIG5_FIRST[0] <= first <= _BIG5_FIRST[1] for first in pairs[::2])
    if len(signs) < 4 or common < _MOST * len(signs):
        return False
    runs = _BIG5_COMMON.findall(block.decode("big5", "ignore"))
    return sum(map(len, runs)) >= _MOST * len(signs)


def _declared(head: bytes) -> str:
    """Python's name of the encoding declared by a header, if it differs from UTF-8."""
    hint = _HINT.search(head)
    try:
        found = codecs.lookup(hint[1].decode("ascii")).name if hint else ""
    except LookupError:
        return ""
    if found in ("gb2312", "gbk"):
        return CHINESE  # a superset of both
    return "" if found in ("utf-8", "ascii", "cp1252", "iso8859-1") or "utf" in found else found


def _starts_as_utf8(block: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(block)
    except UnicodeDecodeError:
        return False
    return True


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    """Decode invalid UTF-8 as Windows-1252, or Latin-1 for bytes without a character there.

    Byte by byte, so that one pasted line in a file of another encoding affects nothing else.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    found = error.object[error.start : error.end]
    return "".join(_WINDOWS[byte] for byte in found), error.end


_WINDOWS = [
    bytes([b]).decode("cp1252", "ignore") or bytes([b]).decode("latin-1") for b in range(256)
]
codecs.register_error(WINDOWS, _as_windows)

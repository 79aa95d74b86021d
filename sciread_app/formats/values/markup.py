"""Removal of web markup from text, and its escaping."""

from __future__ import annotations

import html
import re
from html.entities import html5

from sciread_app.formats.values import latex

# Without its semicolon an entity is recognized only where it cannot be a word: "lambda &gt 0".
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});|&(?:gt|lt)\b")
# Only tags that web pages and journals use: "<z>" and "<Q>" are mathematics.
_INLINE = r"i|b|u|em|strong|sup|sub|inf|sc|tt|scp|italic|bold|jats:(?:italic|bold|sup|sub|sc)"
_BLOCK = r"p|br|div|ul|ol|li|h\d|title|sec|span|jats:(?:p|title|sec|list|list-item)"
_MATHEMATICS = re.compile(r"\$[^$]*\$")
_POWER = re.compile(r"(?<=\d)<sup>", re.IGNORECASE)
_INLINE_TAG = re.compile(rf"</?(?:{_INLINE})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BLOCK_TAG = re.compile(rf"</?(?:{_BLOCK})(?:\s[^<>]*)?/?>", re.IGNORECASE)
# The Greek letters of ISO 8879, which HTML lacks but MEDLINE used.
_GREEK = {
    "agr": "α", "bgr": "β", "ggr": "γ", "dgr": "δ", "egr": "ε", "zgr": "ζ", "eegr": "η",
    "thgr": "θ", "igr": "ι", "kgr": "κ", "lgr": "λ", "mgr": "μ", "ngr": "ν", "xgr": "ξ",
    "ogr": "ο", "pgr": "π", "rgr": "ρ", "sgr": "σ", "tgr": "τ", "ugr": "υ", "phgr": "φ",
    "khgr": "χ", "psgr": "ψ", "ohgr": "ω", "Ggr": "Γ", "Dgr": "Δ", "THgr": "Θ", "Lgr": "Λ",
    "Xgr": "Ξ", "Pgr": "Π", "Sgr": "Σ", "PHgr": "Φ", "PSgr": "Ψ", "OHgr": "Ω",
}  # fmt: skip


def plain(text: str) -> str:
    """`text` on one line, without HTML tags and entities. Text that only resembles one is kept."""
    if "<" in text:
        text = _BLOCK_TAG.sub(" ", _INLINE_TAG.sub("", _POWER.sub("^", text)))
    if "&" in text:
        text = _ENTITY.sub(_character, text)
    # A printable text has no blanks other than spaces. Testing is faster than splitting.
    return text.strip() if text.isprintable() and "  " not in text else " ".join(text.split())


def prose(text: str) -> str:
    """Like `plain`, but LaTeX accents are decoded: "Schr\\"odinger"; formulas are kept."""
    text = plain(text)
    if "\\" not in text or "\\" not in _MATHEMATICS.sub("", text):
        return text
    # A tilde between blanks means "about"; it cannot be LaTeX's non-breaking space.
    return latex.decode(text.replace(" ~ ", " ∼ "))


def escaped(text: str) -> str:
    """HTML of a plain text on one line, for formats whose texts may contain HTML.

    It is the inverse of `plain`. Only a text that `plain` would change is escaped: "a<i>b" would
    lose what looks like a tag.
    """
    line = " ".join(text.split())
    return line if plain(line) == line else html.escape(line, quote=False)


def _character(match: re.Match[str]) -> str:
    entity = match[0]
    name = entity[1:].rstrip(";")
    if name.startswith("#"):
        character = html.unescape(entity)
        # A reference to a control character can only be a mistake.
        return character if character.isprintable() else " "
    return _GREEK.get(name) or html5.get(name + ";", entity)

"""Conversion of LaTeX in bibliographies to plain text and back; formulas stay LaTeX."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from html import unescape
from typing import Literal

from pylatexenc.latex2text import get_default_latex_context_db
from pylatexenc.latexencode import UnicodeToLatexEncoder

from sciread_app.domain.text import tex

Dialect = Literal["bibtex", "biblatex"]

# While groups are still needed, literal braces are represented by these private characters.
_OPEN, _CLOSE = "\ue07b", "\ue07d"
_GROUPING = ("{", "}", _OPEN, _CLOSE)
_SPECIAL = ("\\", "$", "~", "--", "``", "''", "&", *_GROUPING)
# Left over from text copied from web pages.
_ENTITY = re.compile(r"(?<!\\)&(?:#\d+|#x[0-9a-f]+|[a-z]\w{1,30});", re.I)

_MATH = re.compile(
    r"(?<!\\)(\$\$(?:\\.|[^$\\])+\$\$|\$(?:\\.|[^$\\])+\$|\\\((?:(?!\\\)).)+\\\)"
    rf"|{tex.UNDELIMITED})",
    re.S,
)
_MACRO = re.compile(
    r"""\\(?P<accent>["'`^~=.]|[cvuHkrdbt](?![A-Za-z]))\s*
          (?:\{(?P<group>(?:[^{}]|\{[^{}]*\})*)\}
            |(?P<base>\\(?:ae|AE|oe|OE|aa|AA|[ijoOlL])(?![A-Za-z])\s*(?:\{\})?|[^\s\\{}]))
      | \\(?P<script>textsuperscript|textsubscript)\s*\{(?P<raised>[^{}]*)\}
      | \\href\s*\{[^{}]*\}(?P<link>)
      | \\(?P<word>[A-Za-z]+)\*?(?:\s*\{\}|\s+)?
      | \\(?P<sign>.)""",
    re.X | re.S,
)
_COMBINING = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328",
    "r": "\u030a", "d": "\u0323", "b": "\u0331", "t": "\u0361",
}  # fmt: skip
_SIGNS = {"{": _OPEN, "}": _CLOSE, "\\": " ", "-": "", "/": "", "!": "", "@": "", "\n": " "} | {
    space: " " for space in " ,;:>\t"
}
_FONT_MACROS = (
    "emph textit textbf textsc textsl texttt textrm textsf textup textmd textnormal text mbox "
    "em it bf sc sl tt rm sf itshape bfseries scshape ttfamily sffamily rmfamily normalfont "
    "boldmath unboldmath url path ensuremath mathrm mathbf mathit mathsf mathtt mathcal mathbb "
    "uppercase MakeUppercase underline enquote protect relax noopsort texorpdfstring "
    "nobreak small large footnotesize"
)
_FONTS = frozenset(_FONT_MACROS.split())
_SUPERSCRIPT = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_SUBSCRIPT = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")


def _symbols() -> dict[str, str]:
    """Macros for a piece of text, from pylatexenc."""
    db = get_default_latex_context_db()
    categories = ("latex-base", "latex-approximations", "advanced-symbols")
    found = {
        spec.macroname: spec.simplify_repl
        for spec in db.iter_macro_specs(categories=list(categories))
        if isinstance(spec.simplify_repl, str) and "%" not in spec.simplify_repl
    }
    logos = {name: name for name in ("TeX", "LaTeX", "LaTeXe", "BibTeX")}
    return (
        found | logos | {"textbraceleft": _OPEN, "textbraceright": _CLOSE, "textasciicircum": "^"}
    )


_SYMBOLS = _symbols()


def decode(text: str) -> str:
    """The plain text of a BibTeX field, on one line."""
    return plain(grouped(text))


def grouped(text: str) -> str:
    """Like `decode`, but with the grouping braces."""
    if not _has(text, _SPECIAL):
        return text
    if "$" not in text and "\\" not in text:
        return _text(text)
    parts = _MATH.split(text)
    parts[::2] = map(_text, parts[::2])
    parts[1::2] = (math.replace("{", _OPEN).replace("}", _CLOSE) for math in parts[1::2])
    return "".join(parts)


def plain(text: str) -> str:
    """The result of `grouped` without its braces, on one line."""
    if _has(text, _GROUPING):
        text = text.replace("{", "").replace("}", "").replace(_OPEN, "{").replace(_CLOSE, "}")
    text = " ".join(text.split())
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _has(text: str, signs: tuple[str, ...]) -> bool:
    """Whether any of the signs is in the text: on long texts much faster than a pattern."""
    for sign in signs:  # noqa: SIM110 - any() costs as much again as the looking
        if sign in text:
            return True
    return False


def _text(text: str) -> str:
    if "~" in text:
        text = re.sub(r"(?<![\\/])~", " ", text)
    if "&" in text:
        text = _ENTITY.sub(lambda match: unescape(match[0]), text)
    if "--" in text:
        text = text.replace("---", "—").replace("--", "–")
    text = text.replace("``", "“").replace("''", "”")
    return _MACRO.sub(_macro, text) if "\\" in text else text


def _macro(match: re.Match[str]) -> str:
    if accent := match["accent"]:
        return _accented(accent, match["group"] or match["base"] or "")
    if word := match["word"]:
        if word in _FONTS:
            return ""
        return _SYMBOLS.get(word, match[0])
    if match["script"]:
        table = _SUPERSCRIPT if match["script"] == "textsuperscript" else _SUBSCRIPT
        raised = match["raised"]
        return raised.translate(table) if all(ord(c) in table for c in raised) else raised
    if sign := match["sign"]:
        return _SIGNS.get(sign, sign)
    return ""


@lru_cache(maxsize=1 << 12)
def _accented(accent: str, base: str) -> str:
    letters = _text(base).strip().strip("{}")
    if not letters:
        # Without a letter, the accent stands for the character itself: \~{} in addresses.
        return accent if accent in "~^" else ""
    first = {"ı": "i", "ȷ": "j"}.get(letters[0], letters[0])
    return unicodedata.normalize("NFC", first + _COMBINING[accent]) + letters[1:]


_ESCAPES = {
    "\\": r"{\textbackslash}", "{": r"{\textbraceleft}", "}": r"{\textbraceright}",
    "~": r"{\textasciitilde}", "^": r"{\textasciicircum}",
    "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
}  # fmt: skip
# Dollars enclose a formula by pandoc's rules: no blank inside at either end, no digit after.
_DOLLARS = re.compile(
    r"(?<!\\)(\$(?![\s$])(?:\\.|[^$\\])*(?<![\s\\])\$(?![\d$])|\\\((?:(?!\\\)).)+\\\)"
    rf"|{tex.UNDELIMITED})",
    re.S,
)
_TO_ESCAPE = re.compile(r"[\\{}~^&%$#_]|(?<=-)-|(?<=`)`|(?<=')'|[^\x00-\x7f]")
_to_latex = UnicodeToLatexEncoder(
    unknown_char_policy="keep",
    unknown_char_warning=False,
    replacement_latex_protection="braces-all",
)


def encode(text: str, dialect: Dialect = "bibtex", *, protect: bool = False) -> str:
    """The inverse of `decode`: ASCII as far as possible, UTF-8 for BibLaTeX.

    With `protect`, words with capitals after their first letter are put in braces, since styles
    would otherwise print DNA as dna.
    """
    parts = _DOLLARS.split(text)
    for i, part in enumerate(parts):
        if i % 2 and _balanced(part):
            continue
        parts[i] = _encode_text(part, dialect, protect)
    return "".join(parts)


def _balanced(text: str) -> bool:
    depth = 0
    for brace in re.findall(r"[{}]", text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0


def _encode_text(text: str, dialect: Dialect, protect: bool) -> str:
    def escape(match: re.Match[str]) -> str:
        return _escape(match[0], dialect)

    if not protect:
        return _TO_ESCAPE.sub(escape, text)
    pieces = re.split(r"([^\W_]+)", text)
    for i, piece in enumerate(pieces):
        encoded = _TO_ESCAPE.sub(escape, piece)
        has_capitals = i % 2 and any(letter.isupper() for letter in piece[1:])
        pieces[i] = f"{{{encoded}}}" if has_capitals else encoded
    return "".join(pieces)


@cache
def _escape(sign: str, dialect: Dialect) -> str:
    if sign in "-`'":
        return "{}" + sign  # Two of them would be another character.
    if escaped := _ESCAPES.get(sign):
        return escaped
    if dialect == "biblatex":
        return sign
    latex = _to_latex.unicode_to_latex(sign)
    # Only if it survives the round trip: a table may have a character in one direction only.
    return latex if decode(f"x{latex}x") == f"x{sign}x" else sign

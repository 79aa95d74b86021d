"""Normalization of spellings for the full-text index and its queries.

The text index stores `fold(text)`, so a change here needs a migration that rebuilds it, like 0006.
SQLite's tokenizer (`TOKENIZER` in storage/fulltext.py) does the rest: case, diacritics (é = e) and
endings, also in names of authors.

- TeX is removed: `CO$_2$` is CO2, as CO₂ is; `{\\cal S}` is S; `\\alpha` and α are alpha.
- ß = ss, ø = o, ł = l, æ = ae and so on, which have no diacritic that could be removed.
- ä, ö, ü, å and ø are found as ae, oe, ue, aa and oe as well.
- Chinese, Japanese and Korean have no reliable spaces: each character is a word, and a part of a
  text is found as a phrase.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

WORD = re.compile(r"[^\W_]+")

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_KATAKANA = "\u30a0-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_HIRAGANA = "\u3040-\u309f"
_IDEOGRAPHIC = f"{_HAN}{_HIRAGANA}{_KATAKANA}{_HANGUL}々〇"

# Letters that Unicode does not decompose into a base letter with a diacritic.
_LETTERS = {
    **{"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "TH"},
    **{"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D"},
    **{"ħ": "h", "Ħ": "H", "ŧ": "t", "Ŧ": "T", "ŋ": "n", "Ŋ": "N", "ı": "i", "İ": "I", "ĸ": "k"},
}
# Spellings of these letters in German and the Scandinavian languages where a keyboard lacks them.
_SPELT_OUT = {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"}
_SPELT_OUT |= {letter.upper(): two.title() for letter, two in _SPELT_OUT.items()}
_OTHER = _LETTERS | _SPELT_OUT
_FOREIGN = re.compile(f"[{''.join(_OTHER)}]")
_SPELT = re.compile(f"[{''.join(_SPELT_OUT)}]")
# The rest of a word and the next two. With a word that is spelled out, two words on each side are
# stored, so that phrases are found.
_AHEAD = re.compile(r"[^\W_]*(?:[\W_]+[^\W_]+){0,2}")

_GREEK_NAMES = """
    α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu
    ξ xi ο omicron π pi ρ rho σ sigma τ tau υ upsilon φ phi χ chi ψ psi ω omega
"""
_GREEK = dict(zip(_GREEK_NAMES.split()[::2], _GREEK_NAMES.split()[1::2], strict=True))
_GREEK |= {letter.upper(): name for letter, name in _GREEK.items()} | {"µ": "mu", "ϕ": "phi"}
_ACCENTS = dict(zip("\"'`^~=.uvHckr", "\u0308\u0301\u0300\u0302\u0303\u0304\u0307\u0306\u030c"
                    "\u030b\u0327\u0328\u030a", strict=True))  # fmt: skip
_TEX_LETTERS = {"ss": "ß", "aa": "å", "AA": "Å", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ"}
_TEX_LETTERS |= {"o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "i": "i", "j": "j"}

_ACCENT = r"""\\(?P<accent>["'`^~=.](?=\s*\{?\\?[A-Za-z])|[uvHckr](?=\s*\{\\?[A-Za-z]\}))
    \s*\{?\\?(?P<letter>[A-Za-z])(?:(?<=\\[ij])\s?)?\}?"""
_TEX = rf"""
    (?P<formula>\$[^$]{{1,300}}\$)
    | {_ACCENT}
    | \\(?P<name>ss|aa|AA|ae|AE|oe|OE|[oOlLij])(?![A-Za-z])(?:\{{\}}|\s)?
    | (?P<wrapper>\\(?:math[a-z]+|text[a-z]*|emph|rm|bf|it|sl|sc|tt|cal|operatorname|boldsymbol
        |bm|hat|bar|tilde|vec|overline|underline|left|right|[bB]igg?)(?![A-Za-z])\s*)
    | \\(?P<command>[A-Za-z]+)
    | (?P<markup>[${{}}\\]|[_^](?=\{{))
"""
_COMPATIBLE = "\u00b2\u00b3\u00b9\u2070-\u209c\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff"
_SPECIAL = re.compile(
    rf"""{_TEX}
    | (?P<ideograph>[{_IDEOGRAPHIC}])
    | (?P<compatible>[{_COMPATIBLE}])
    | (?<![Ͱ-Ͽἀ-῿])(?P<greek>[Α-Ωα-ωµϕ])(?![Ͱ-Ͽἀ-῿])
    | (?P<invisible>[\u00ad\u200b-\u200f\u2060\ufeff])
    """,
    re.VERBOSE,
)
# A quick test of where one may begin: not at a Latin letter, dash or quotation mark.
_CANDIDATE = re.compile(r"[^\x00-#%-\[\]`-z|~\x7f-\x9f\xc0-\u036f\u2010-\u205f]")
_SHIFT = re.compile(r"[_^]")
_TELLING_ASCII = re.compile(r"[$\\{}]")

# Prefixes of compounds written with and without a hyphen.
_PREFIXES = "anti|co|cross|hyper|intra|meta|micro|multi|nano|non|post|pre|pseudo|quasi|self|semi"
_PREFIXES += "|sub|super|ultra"
_COMPOUND = re.compile(rf"({_PREFIXES})-?([a-z]{{4,}})", re.IGNORECASE)
_TERM = re.compile(rf"(?:{_PREFIXES})[-\u2010\u2011][a-z]{{4,}}(?!\w)|[^\W_]+", re.IGNORECASE)

_RUNS = re.compile(rf"[{_HAN}々〇]+|[{_HIRAGANA}]+|[{_KATAKANA}]+|[{_HANGUL}]+|[^{_IDEOGRAPHIC}]+")
_LONGEST_RUN = 4  # characters that are searched as they stand; longer runs pair by pair
_UNSPACED = re.compile(f"[{_HAN}々〇{_HANGUL}]")
_PARTICLE = re.compile(rf"[{_HIRAGANA}]{{1,2}}")


class SourceSpan(NamedTuple):
    """A part of a plain text and its source range. Of equal length if nothing was replaced."""

    text: str
    start: int
    end: int


class Token(NamedTuple):
    """A word of a text without markup, and its position."""

    text: str
    start: int
    end: int


def fold(text: str) -> str:
    """`text` as the text index stores it."""
    plain = unmarked(text)
    if plain.isascii():
        return plain
    return "\n".join([_replaced(plain, _LETTERS), *_spelt_out(plain)])


def unmarked(text: str) -> str:
    """`text` without TeX, with signs that represent letters and digits replaced, and with spaces
    between Chinese, Japanese and Korean characters."""
    if text.isascii() and not _TELLING_ASCII.search(text):
        return text
    return "".join([piece[0] for piece in _pieces(text)])


def tokens(text: str) -> list[Token]:
    """The words of a text as the text index sees them, in order."""
    if text.isascii() and not _TELLING_ASCII.search(text):
        return [Token(match[0], *match.span()) for match in WORD.finditer(text)]
    plain, starts, ends = [], list[int](), list[int]()
    for piece in _pieces(text):
        plain.append(piece.text)
        if len(piece.text) == piece.end - piece.start:
            starts += range(piece.start, piece.end)
            ends += range(piece.start + 1, piece.end + 1)
        else:
            starts += [piece.start] * len(piece.text)
            ends += [piece.end] * len(piece.text)
    return [
        Token(match[0], starts[match.start()], ends[match.end() - 1])
        for match in WORD.finditer("".join(plain))
    ]


@lru_cache(maxsize=20_000)
def forms(word: str) -> tuple[str, ...]:
    """The forms of a word of `tokens` in lower case without diacritics: two where a letter can be
    spelled out, as in Müller, else one."""
    if word.isascii():
        return (word.lower(),)
    both = (_replaced(word, _LETTERS), _replaced(word, _OTHER))
    return tuple(dict.fromkeys(_without_diacritics(one) for one in both))


def spellings(text: str) -> tuple[tuple[str, ...], ...]:
    """The spellings of a word or a phrase, each as its words: as typed, with umlauts spelled out,
    and (of one word) joined or hyphenated."""
    words = tuple(token.text for token in tokens(text))
    ways = [words]
    if len(words) <= 2 and (compound := _COMPOUND.fullmatch("-".join(words))):
        ways += [(compound[1], compound[2]), (compound[1] + compound[2],)]
    both = [
        tuple(_replaced(word, letters) for word in way)
        for way in ways
        for letters in (_LETTERS, _OTHER)
    ]
    return tuple(dict.fromkeys(both))


def terms(text: str) -> list[str]:
    """The search terms of a text: its words, compounds such as non-linear as phrases, and Chinese,
    Japanese and Korean in pieces."""
    found = []
    for match in _TERM.finditer(without_markup(text)):
        word = WORD.findall(match[0])
        found += [" ".join(word)] if len(word) > 1 or match[0].isascii() else _parts(match[0])
    return found


def is_ideographic(text: str) -> bool:
    """Whether a text consists of Chinese, Japanese or Korean characters alone."""
    return bool(re.fullmatch(f"[{_IDEOGRAPHIC}]+", text))


def fold_accents(text: str) -> str:
    """`text` case-folded, in compatibility form, without combining marks."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


# For names in lists, which are sorted and filtered again and again.
fold_name = lru_cache(maxsize=50_000)(fold_accents)


def _replaced(text: str, letters: Mapping[str, str]) -> str:
    # str.translate takes fifteen times as long where most letters stay.
    return _FOREIGN.sub(lambda found: letters.get(found[0], found[0]), text)


def _spelt_out(plain: str) -> list[str]:
    """The words with a spelled-out letter, with some words around them."""
    backwards = plain[::-1]
    ranges: list[list[int]] = []
    for found in _SPELT.finditer(plain):
        start = len(plain) - _end_of_words(backwards, len(plain) - found.end())
        end = _end_of_words(plain, found.start())
        if ranges and not WORD.search(plain, ranges[-1][1], start):
            ranges[-1][1] = end
        else:
            ranges.append([start, end])
    return [_replaced(plain[start:end], _OTHER) for start, end in ranges]


def _end_of_words(text: str, at: int) -> int:
    ahead = _AHEAD.match(text, at)
    return ahead.end() if ahead else at


def _parts(word: str) -> list[str]:
    found = []
    for run in _RUNS.findall(word):
        if len(run) > _LONGEST_RUN and _UNSPACED.match(run):
            found += [run[n : n + 2] for n in range(len(run) - 1)]
        else:
            found.append(run)
    return [part for part in found if not _PARTICLE.fullmatch(part)] or found


def without_markup(text: str) -> str:
    """`text` without TeX, its ideographs unseparated."""
    if text.isascii() and not _TELLING_ASCII.search(text):
        return text
    return "".join(
        piece.text.strip() if is_ideographic(piece.text.strip()) else piece.text
        for piece in _pieces(text)
    )


def _pieces(text: str, offset: int = 0, *, formula: bool = False) -> list[SourceSpan]:
    # A list, as generators within generators take twice as long.
    pieces: list[SourceSpan] = []
    position = at = 0
    while candidate := _CANDIDATE.search(text, at):
        match = _SPECIAL.match(text, candidate.start())
        if match is None:
            at = candidate.end()
            continue
        start, end = match.span()
        _add_as_it_is(pieces, text, position, start, offset, formula)
        position = at = end
        if match["formula"]:
            pieces += _pieces(text[start + 1 : end - 1], offset + start + 1, formula=True)
        else:
            pieces.append(SourceSpan(_replacement(match), offset + start, offset + end))
    _add_as_it_is(pieces, text, position, len(text), offset, formula)
    return pieces


def _add_as_it_is(
    pieces: list[SourceSpan], text: str, start: int, end: int, offset: int, formula: bool
) -> None:
    for match in _SHIFT.finditer(text, start, end) if formula else ():
        if start < match.start():
            pieces.append(
                SourceSpan(text[start : match.start()], offset + start, offset + match.start())
            )
        start = match.end()
    if start < end:
        pieces.append(SourceSpan(text[start:end], offset + start, offset + end))


def _replacement(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind in ("ideograph", "command"):
        return f" {match[kind]} "
    if kind == "greek":
        return f" {_GREEK.get(match['greek'], match['greek'])} "
    if kind == "letter":
        return unicodedata.normalize("NFC", match["letter"] + _ACCENTS[match["accent"]])
    if kind == "name":
        return _TEX_LETTERS[match["name"]]
    if kind == "compatible":
        letter = unicodedata.normalize("NFKC", match["compatible"])  # 𝚨 is Α
        return f" {_GREEK[letter]} " if letter in _GREEK else letter
    return ""


def _without_diacritics(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.lower())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))

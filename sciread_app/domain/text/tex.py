"""Conversion of TeX in titles, abstracts and notes to Unicode for display. The stored text stays
TeX."""

from __future__ import annotations

import re
from functools import lru_cache

_SIGNS = """
    alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
    kappa κ varkappa ϰ lambda λ mu μ nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ
    upsilon υ phi φ varphi ϕ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ
    Upsilon Υ Phi Φ Psi Ψ Omega Ω infty ∞ times × div ÷ pm ± mp ∓ cdot · bullet • leq ≤ le ≤ geq ≥
    ge ≥ leqslant ≤ geqslant ≥ neq ≠ ne ≠ sim ∼ simeq ≃ approx ≈ cong ≅ equiv ≡ propto ∝ to →
    rightarrow → leftarrow ← leftrightarrow ↔ longrightarrow → Rightarrow ⇒ mapsto ↦
    Leftrightarrow ⇔ uparrow ↑ downarrow ↓ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃
    supseteq ⊇ cup ∪ cap ∩ setminus ∖ emptyset ∅ partial ∂ nabla ∇ sum ∑ prod ∏ coprod ∐ int ∫
    iint ∬ iiint ∭ oint ∮ ell ℓ
    hbar ℏ Re ℜ Im ℑ aleph ℵ otimes ⊗ oplus ⊕ ominus ⊖ dagger † ddagger ‡ ll ≪ gg ≫ ldots … dots …
    cdots ⋯ vdots ⋮ prime ′ circ ∘ langle ⟨ rangle ⟩ lbrace { rbrace } lvert | rvert | vert | mid |
    Vert ‖ | ‖ parallel ∥ forall ∀ exists ∃ neg ¬ wedge ∧ land ∧ vee ∨ lor ∨ star ⋆ ast ∗ perp ⊥
    lesssim ≲ gtrsim ≳ odot ⊙ deg ° degree ° rtimes ⋊ ltimes ⋉ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉
    prec ≺ succ ≻ vdash ⊢ models ⊨ top ⊤ bot ⊥ angle ∠ triangle △ square □ Box □ diamond ⋄ sharp ♯
    flat ♭ natural ♮ checkmark ✓ AA Å aa å ae æ AE Æ oe œ OE Œ o ø O Ø l ł L Ł ss ß i ı S § P ¶
    copyright © pounds £ R ℝ RR ℝ C ℂ CC ℂ Z ℤ ZZ ℤ Q ℚ QQ ℚ N ℕ NN ℕ
"""
_LETTERS: dict[str, str] = dict(zip(_SIGNS.split()[::2], _SIGNS.split()[1::2], strict=True))
_LETTERS |= {"quad": " ", "qquad": " "}
_ACCENTS = {
    "hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "overline": "\u0304",
    "tilde": "\u0303", "widetilde": "\u0303", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308",
    "check": "\u030c", "breve": "\u0306", "acute": "\u0301", "grave": "\u0300",
}  # fmt: skip
_OPERATORS = (
    "arccos arcsin arctan arg cos cosh cot coth csc det dim exp gcd hom inf ker lg lim liminf "
    "limsup ln log max min Pr sec sin sinh sup tan tanh mod bmod"
)
_NAMES = frozenset(_OPERATORS.split())
# Commands without effect on a line of text.
_STYLING = (
    "rm bf it sf sl tt em mit left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr "
    "displaystyle textstyle scriptstyle limits nolimits nonumber mathstrut mathrm mathbf mathit "
    "mathsf mathtt mathnormal boldsymbol bm pmb text textrm textit textbf textsf texttt textsc "
    "textsl textup textnormal mbox hbox operatorname emph ensuremath underline mathop mathrel "
    "mathbin mathord"
)
_IGNORED = frozenset(_STYLING.split())
_PROTECTED = "{}", "\ue07b\ue07d"  # literal braces, while others still group


def _alphabet(exceptions: dict[str, str], upper: int, lower: int = 0) -> dict[str, str]:
    """The alphabet of capitals, and of small letters if there are any, from these code points
    on."""
    made = {chr(65 + n): chr(upper + n) for n in range(26)}
    if lower:
        made |= {chr(97 + n): chr(lower + n) for n in range(26)}
    return made | exceptions


_BOARD = _alphabet(dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)), 0x1D538, 0x1D552)
_SCRIPT = _alphabet(dict(zip("BEFHILMR", "ℬℰℱℋℐℒℳℛ", strict=True)), 0x1D49C)
_FRAKTUR = _alphabet(dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)), 0x1D504, 0x1D51E)
_ALPHABETS = {
    "mathbb": _BOARD, "Bbb": _BOARD, "mathcal": _SCRIPT, "cal": _SCRIPT, "mathscr": _SCRIPT,
    "scr": _SCRIPT, "mathfrak": _FRAKTUR, "frak": _FRAKTUR,
}  # fmt: skip
_SWITCHES = frozenset(("cal", "scr", "frak", "Bbb"))  # apply to the end of their group
SUPERSCRIPTS = dict(zip("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ", strict=True))
_RAISED_SIGNS = {"*": "*", "∘": "°", "′": "′", "∗": "*", "†": "†", "⋆": "*"}
_LOWERED = dict(
    zip("0123456789+-−=()naeijklmopstuvxr", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₙₐₑᵢⱼₖₗₘₒₚₛₜᵤᵥₓᵣ", strict=True)
)

# As in pandoc, prices are not formulas: no space inside the dollars, and no digit after them. Both
# are allowed if TeX is inside, or the formula is a sign alone: B1422$+$231.
_FORMULA = re.compile(
    r"(?<!\\)\$\$([^$]{1,2000})\$\$"
    r"|(?<!\\)\$(?!\s)((?=[\^_]|[^$]*\\[A-Za-z]|[<>=+-]\$)(?:\\\$|[^$]){1,1000})(?<![\s\\])\$"
    r"|(?<!\\)\$(?!\s)((?:\\\$|[^$]){1,1000})(?<![\s\\])\$(?!\d)"
    r"|(?<!\\)\$ ?(?![\s\d])((?=[^$]*(?:\\[A-Za-z]|[\^_]))(?:\\\$|[^$\n]){1,1000}?)(?<!\\) ?\$"
    r"|\\\(((?:(?!\\\().){1,1000}?)\\\)|\\\[((?:(?!\\\[).){1,2000}?)\\\]",
    re.S,
)
_GROUP = r"\{(?:[^{}$]|\{(?:[^{}$]|\{[^{}$]*\})*+\})*+\}"
# A mathematical command with its arguments, which titles have without dollars: t \bar{t}.
UNDELIMITED = (
    rf"\\(?:{'|'.join(_ACCENTS)})(?![A-Za-z])\s*(?:{_GROUP}|[A-Za-z])"
    rf"|\\(?:sqrt(?:\[[^\[\]{{}}$]*\])?|operatorname){_GROUP}"
    rf"|\\(?:[dt]?frac|binom){_GROUP}{_GROUP}"
)
_UNDELIMITED = re.compile(UNDELIMITED)
# Markdown code: a fenced block, or a span between equal numbers of backticks.
_CODE = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*(?:\n.*?(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)|\Z)"
    r"|(?<![\\`])(?P<ticks>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=ticks)(?!`)",
    re.M | re.S,
)
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_]|\s+|.", re.S)
# The side of a fraction, or the argument of a root, that needs no brackets.
_SIMPLE = re.compile(r"√?\w+|[^\s\w]")
# With a space before it and none after: TeX needs a space there only to end the command's name.
_LOPSIDED = re.compile(r"(?<= )([→←⇒↦≤≥≠∼≃≈≡∝∈∉⊂≪≫≲≳×∪∩⊗⊕∧])(?=\S)")
# Outside formulas: a font's group, a font's argument, and commands on their own.
_OLD_FONT = re.compile(r"\{\\(cal|scr|frak|Bbb|bf|it|rm|em|sc|sl|sf|tt)\s+([^{}\\$]*)\}")
_FONT = re.compile(
    r"\\(math(?:cal|bb|frak|scr|rm|bf|it|sf|tt)|text(?:rm|bf|it|sf|tt|sc|sl|up)?|emph)\s*"
    r"\{([^{}$]*)\}"
)
_OLD_LETTER = re.compile(
    r"\\(cal|scr|frak|Bbb|mathcal|mathbb|mathfrak|mathscr)\s*([A-Z])(?![A-Za-z])"
)
# Between two spaces, or between two letters or digits; an option such as --help is left alone.
_DASH = re.compile(r"(?<=\s)---?(?=\s)|(?<=[^\W_])---?(?=[^\W_])")
_QUOTES = re.compile(r"(?<!`)``(?!`)([^`]{1,300}?)''")
_TEX = re.compile(r"[$\\]|``|--")
_WORD = re.compile(r"\\([A-Za-z]+)(\s*\{\})?")
_DEEPEST = 40


def readable(text: str) -> str:
    """`text` on one line, its formulas and TeX commands in Unicode.

    Anything without an equivalent in Unicode is unchanged. Only commands, dollars and braces of TeX
    are removed, never letters; prices such as $5 and $10 are not formulas.
    """
    if not _TEX.search(text):
        return " ".join(text.split())
    return _readable(text)


@lru_cache(maxsize=1 << 12)
def _readable(text: str) -> str:
    parts, done = [], 0
    text = " ".join(text.split())
    for match in _FORMULA.finditer(text):
        parts += [_commands(text[done : match.start()]), _formula(match)]
        done = match.end()
    return "".join((*parts, _commands(text[done:])))


def with_formulas(text: str) -> str:
    """Markdown with its formulas in Unicode; everything else, including code, is unchanged."""
    if "$" not in text and "\\" not in text:
        return text
    parts, done = [], 0
    for code in _CODE.finditer(text):
        parts += [_FORMULA.sub(_formula, text[done : code.start()]), code[0]]
        done = code.end()
    return "".join((*parts, _FORMULA.sub(_formula, text[done:])))


def _commands(text: str) -> str:
    """Quotes, dashes and commands outside formulas, as old abstracts have them."""
    text = _QUOTES.sub(r"“\1”", text)
    text = _DASH.sub(lambda match: "—" if len(match[0]) == 3 else "–", text)
    if "\\" not in text:
        return text
    text = _UNDELIMITED.sub(lambda match: _shown(match[0], match[0]), text)
    for pattern in (_OLD_FONT, _FONT, _OLD_LETTER):
        text = pattern.sub(_in_font, text)
    text = _WORD.sub(lambda m: _LETTERS.get(m[1], m[0]), text)
    return re.sub(r"\\([$%&#_])", r"\1", text)


def _in_font(match: re.Match[str]) -> str:
    alphabet = _ALPHABETS.get(match[1], {})
    return "".join(alphabet.get(letter, letter) for letter in match[2])


def _formula(match: re.Match[str]) -> str:
    inside = next(group for group in match.groups() if group is not None)
    return _shown(inside, match[0])


def _shown(formula: str, source: str) -> str:
    """A formula without dollars in Unicode, or its source if a line cannot represent it."""
    try:
        text = _Formula(formula).read()
    except _NotShown:
        return source
    line = _LOPSIDED.sub(r"\1 ", " ".join(text.split())) or text  # a space, or nothing
    return line.translate(str.maketrans(_PROTECTED[1], _PROTECTED[0]))


class _NotShown(Exception):
    """A construct that a line of text cannot represent, such as a matrix."""


class _Formula:
    """A formula, parsed token by token."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text)
        self._next = 0
        self._depth = 0

    def read(self) -> str:
        text = self._group("")
        if self._next < len(self._tokens):
            raise _NotShown  # an unmatched brace
        return text

    def _group(self, end: str) -> str:
        """Parse up to and including `end`, or up to the end of the formula if it is empty."""
        parts: list[str] = []
        alphabet: dict[str, str] = {}
        while self._peek() not in ("", "}"):
            token = self._peek()
            if token.startswith("\\") and token[1:] in _SWITCHES:
                self._next += 1
                self._skip_space()
                alphabet = _ALPHABETS[token[1:]]
                continue
            part = self._atom()
            parts.append("".join(alphabet.get(letter, letter) for letter in part))
        if end and self._peek() != end:
            raise _NotShown
        self._next += bool(end)
        return "".join(parts)

    def _peek(self) -> str:
        return self._tokens[self._next] if self._next < len(self._tokens) else ""

    def _skip_space(self) -> None:
        while self._peek().isspace():
            self._next += 1

    def _argument(self) -> str:
        self._skip_space()
        if self._peek() in ("", "}"):
            raise _NotShown
        return self._atom().strip()

    def _atom(self) -> str:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _NotShown
        text = self._read(self._peek())
        self._depth -= 1
        return text

    def _read(self, token: str) -> str:
        self._next += 1
        if token == "{":
            return self._group("}")
        if token in ("^", "_"):
            return self._shifted(token)
        if token.startswith("\\"):
            return self._command(token[1:])
        if token == "~":
            return " "
        if token == "'":
            return "′"
        return " " if token.isspace() else token

    def _shifted(self, sign: str) -> str:
        command = self._peek().startswith("\\")
        shifted = _shift(sign, self._argument())
        # A space that ends a command also ends the exponent: ∞ e is no exponent.
        return shifted + " " * (command and self._tokens[self._next - 1].isspace())

    def _command(self, name: str) -> str:
        if not name[:1].isalpha():
            return self._sign(name)
        if name in _ALPHABETS:
            alphabet = _ALPHABETS[name]
            return "".join(alphabet.get(letter, letter) for letter in self._argument())
        if name in ("frac", "dfrac", "tfrac"):
            return f"{_bracketed(self._argument())}/{_bracketed(self._argument())}"
        if name == "sqrt":
            return self._root()
        if name in _ACCENTS:
            body = self._argument()
            return body + _ACCENTS[name] if len(body) == 1 and body.isalpha() else body
        if name in _IGNORED or name in _LETTERS or name in _NAMES:
            return self._plain(name)
        raise _NotShown

    def _plain(self, name: str) -> str:
        if name in ("left", "right"):
            self._skip_space()
            self._next += self._peek() == "."
        if name in _NAMES:
            return f"{name} " if self._peek().isspace() else name
        self._skip_space()  # it only ends the command's name
        if name in _IGNORED:
            return ""
        return _LETTERS[name]

    def _sign(self, name: str) -> str:
        if name in ("{", "}"):
            return _PROTECTED[1]["{}".index(name)]
        if name in "$%&#_":
            return name
        if name in ("|",):
            return "‖"
        if name in ",;:> \\\n\t":
            return " "
        if name in "!-/":
            return ""
        raise _NotShown

    def _root(self) -> str:
        degree = ""
        if self._peek() == "[":
            self._next += 1
            while self._peek() not in ("]", ""):
                degree += self._atom()
            self._next += 1
        body = self._argument()
        root = {"": "√", "2": "√", "3": "∛", "4": "∜"}.get(degree)
        return f"{root or _shift('^', degree) + '√'}{_bracketed(body)}"


def _bracketed(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else f"({text})"


def _shift(sign: str, body: str) -> str:
    letters = SUPERSCRIPTS if sign == "^" else _LOWERED
    if body and all(letter in letters for letter in body):
        return "".join(letters[letter] for letter in body)
    if sign == "^" and body in _RAISED_SIGNS:
        return _RAISED_SIGNS[body]
    minus = body.replace("-", "−")
    return f"{sign}{minus}" if len(body) == 1 else f"{sign}({minus})"

"""TeX in titles, abstracts and notes as Unicode, for people to read."""

from __future__ import annotations

import re

_SIGNS = """
    alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
    kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi ϕ chi χ psi ψ
    omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
    infty ∞ times × pm ± mp ∓ cdot · leq ≤ le ≤ geq ≥ ge ≥ neq ≠ sim ∼ simeq ≃ approx ≈ equiv ≡
    propto ∝ to → rightarrow → leftarrow ← Rightarrow ⇒ mapsto ↦ in ∈ notin ∉ subset ⊂ cup ∪ cap ∩
    partial ∂ nabla ∇ sum ∑ prod ∏ int ∫ ell ℓ hbar ℏ otimes ⊗ oplus ⊕ dagger † ll ≪ gg ≫ ldots …
    dots … cdots ⋯ prime ′ circ ∘ langle ⟨ rangle ⟩ forall ∀ exists ∃ wedge ∧ star ⋆ ast ∗ perp ⊥
    lesssim ≲ gtrsim ≳ sqrt √ odot ⊙ deg ° rtimes ⋊
"""
_LETTERS = dict(zip(_SIGNS.split()[::2], _SIGNS.split()[1::2], strict=True))
_ALPHABETS = {
    "mathbb": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
    "mathcal": dict(zip("BEFHILMR", "ℬℰℱℋℐℒℳℛ", strict=True)),
}
_RAISED = dict(zip("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", strict=True))
_RAISED_SIGNS = {"∘": "°", "′": "′", "∗": "*", "†": "†", "⋆": "*"}
_LOWERED = dict(zip("0123456789+-naeijklmopstuvxr", "₀₁₂₃₄₅₆₇₈₉₊₋ₙₐₑᵢⱼₖₗₘₒₚₛₜᵤᵥₓᵣ", strict=True))

# As in pandoc: money is no formula.
_FORMULA = re.compile(r"\$(?!\s)([^$]{1,300})(?<!\s)\$(?!\d)")
_IN_ALPHABET = re.compile(r"\\(mathbb|mathcal)\s*\{?([A-Z])(?![A-Za-z])\}?")
_WRAPPER = re.compile(
    r"\\(?:math(?:rm|bf|it|sf|cal|bb|frak|scr)|text(?:rm|it|bf|sc)?|rm|bf|it|operatorname"
    r"|hat|bar|tilde|vec|overline|boldsymbol|bm|left|right|big|Big)(?![A-Za-z])\s*"
)
_COMMAND = re.compile(r"\\([A-Za-z]+)(?:\s+(?=[A-Za-z])|\s*)")
_SHIFTED = re.compile(r"([_^])(?:\{([^{}]*)\}|(\S))")
_SPACING = re.compile(r"\\[,;:!> ]|~")
# With air before it and none behind: TeX needs a space there only to end the command's name.
_LOPSIDED = re.compile(r"(?<= )([→←⇒↦≤≥≠∼≃≈≡∝∈∉⊂≪≫≲≳×∪∩⊗⊕∧])(?=\S)")


def readable(text: str) -> str:
    """`text` on one line, its simple formulas in Unicode; what is not simple stays as it is."""
    text = " ".join(text.split())
    if "$" not in text:
        return text
    return _FORMULA.sub(lambda match: _formula(match[1], match[0]), text)


def _formula(inside: str, whole: str) -> str:
    text = _IN_ALPHABET.sub(lambda match: _ALPHABETS[match[1]].get(match[2], match[2]), inside)
    text = _SPACING.sub(" ", _WRAPPER.sub("", text))
    text = _COMMAND.sub(lambda match: _LETTERS.get(match[1], match[0]), text)
    if "\\" in text:
        return whole  # something that a line of letters cannot show
    text = _LOPSIDED.sub(r"\1 ", text)
    return _SHIFTED.sub(_shift, text).replace("{", "").replace("}", "").strip()


def _shift(match: re.Match[str]) -> str:
    letters = _RAISED if match[1] == "^" else _LOWERED
    body = match[2] if match[2] is not None else match[3]
    if body and all(letter in letters for letter in body):
        return "".join(letters[letter] for letter in body)
    if match[1] == "^" and body in _RAISED_SIGNS:
        return _RAISED_SIGNS[body]
    return f"{match[1]}{body}" if len(body) == 1 else f"{match[1]}({body})"

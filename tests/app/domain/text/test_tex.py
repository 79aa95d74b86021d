"""TeX as readable Unicode where possible, without losing a letter."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.text.tex import readable, with_formulas


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"H$_2$O: on $\alpha$-decay", "H₂O: on α-decay"),
        (r"$\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}$", "∫₀^∞ e^(−x²) dx = √π/2"),
        (r"Li$_x$CoO$_2$ ($0 < x \leq 1$)", "LiₓCoO₂ (0 < x ≤ 1)"),
        (r"the {\cal S}-matrix", "the 𝒮-matrix"),
        ("a ``vector dominance'' fit -- it", "a “vector dominance” fit – it"),
        ("C--H bonds---all of them", "C–H bonds—all of them"),
        ("run it with --help for f''", "run it with --help for f''"),
        (r"in \cal C_λ", "in 𝒞_λ"),
        (r"${\cal L}_{\rm eff}$", "ℒ_(eff)"),
        (r"$T_c$ and $P^2$", "T_c and P²"),
        (r"over $\mathbb{R}^{2}$", "over ℝ²"),
        (r"$\mathfrak{g}$", "𝔤"),
        (r"$H_0 = 70\pm 2$ km s$^{-1}$", "H₀ = 70±2 km s⁻¹"),
        (r"$D^0\to K^-\pi^+$", "D⁰→K⁻π⁺"),
        (r"$B^0_s \to \mu^+\mu^-$ at $\sqrt{s} = 13$ TeV", "B⁰ₛ → μ⁺μ⁻ at √s = 13 TeV"),
        (r"$x = \pm 2$", "x = ±2"),
        (r"at 5$^\circ$", "at 5°"),
        (r"$N_{\rm eff}$", "N_(eff)"),
        (r"a $\frac{1}{2}$ b", "a 1/2 b"),
        (r"$\frac{a+b}{c}$", "(a+b)/c"),
        (r"$\sim$10 and $\bar{B}$", "∼10 and B̄"),
        (r"\(x^2\) and \[y_1\] and $$z$$", "x² and y₁ and z"),
        (r"$\{a, b\}$", "{a, b}"),
        (r"\Lambda-type and 5\% of it", "Λ-type and 5% of it"),
        (r"4s$^2$4p$^5$ and 4s$^2$4p$^4$4d", "4s²4p⁵ and 4s²4p⁴4d"),
        ("B1422$+$231, $>$20 mT", "B1422+231, >20 mT"),
        (r"the $ \beta $ ensembles and $ g_{2}(x)$", "the β ensembles and g₂(x)"),
        (r"0.1-10$\,$eV axions", "0.1-10 eV axions"),
        (r"subsets of $\R^n$ and $\C^2$", "subsets of ℝⁿ and ℂ²"),
        (r"$B\to K^*\ell\ell$", "B→K*ℓℓ"),
        (r"of t \bar{t} and t{\bar t}H", "of t t̄ and t{t̄}H"),
        (r"at \sqrt{s_{\mathrm{NN}}} = \frac{1}{2} TeV", "at √(s_(NN)) = 1/2 TeV"),
        (r"\binom{n}{k} and \barbell", r"\binom{n}{k} and \barbell"),
        # not a formula, or without a one-line equivalent
        ("costs $5 and $6 a month", "costs $5 and $6 a month"),
        ("between $5 and $10", "between $5 and $10"),
        ("US$-denominated debt of US$5", "US$-denominated debt of US$5"),
        ("A$ 5 or x_2 for A$ 6", "A$ 5 or x_2 for A$ 6"),
        (r"$\begin{matrix}a & b\end{matrix}$", r"$\begin{matrix}a & b\end{matrix}$"),
        (r"a $\unknown{x}$ b", r"a $\unknown{x}$ b"),
        ("a $x^{2$ b", "a $x^{2$ b"),
        (r"C:\new\temp", r"C:\new\temp"),
        ("no\n  formula", "no formula"),
        ("a_b and c^d", "a_b and c^d"),
        ("", ""),
    ],
)
def test_tex_becomes_unicode_where_possible(tex, text):
    assert readable(tex) == text


TOKENS = (
    *"abcxyzABCZ0129 $$$^_{}{}\\-+=.,<'~&%()[]",
    *(r"\alpha ", r"\cal ", r"\mathbb{", r"\frac{", r"\sqrt{", r"\rm ", r"\left(", r"\bar ",
      r"\int", r"\infty", r"\text{", r"\foo", r"\,", r"\$", r"\{", r"{\cal S}", r"\(", r"\)"),
)  # fmt: skip
COMMAND = re.compile(r"\\[A-Za-z]+")


def letters(text: str) -> Counter[str]:
    return Counter(re.findall(r"[A-Za-z0-9]", unicodedata.normalize("NFKD", text)))


def lost(text: str) -> Counter[str]:
    """Return letters outside commands that are not shown. An unknown command is shown unchanged."""
    return letters(COMMAND.sub("", text)) - letters(readable(text))


@given(st.lists(st.sampled_from(TOKENS), max_size=40).map("".join))
def test_no_letter_is_lost(text):
    assert not lost(text)


@given(st.text())
def test_any_text_is_converted_without_losing_letters(text):
    assert not lost(text)
    with_formulas(text)


@given(st.text(st.characters(exclude_characters="$\\")))
def test_text_without_tex_is_unchanged(text):
    assert readable(text) == " ".join(text.split())
    assert with_formulas(text) == text


def test_deeply_nested_braces_are_unchanged():
    deep = "$" + "{" * 300 + "x" + "}" * 300 + "$"
    assert readable(deep) == deep
    assert readable("$" + "^" * 900 + "x$")


@pytest.mark.parametrize(
    "code",
    [
        "`$x^2$`",
        "``a ` $x^2$``",
        "```tex\n$x^2$\n```",
        "~~~\n$x^2$\n\n$y^2$\n~~~",
        "```\n$x^2$",
        "`\\(x^2\\)` and\n`$\\alpha$`",
    ],
)
def test_code_in_notes_is_unchanged(code):
    assert with_formulas(code) == code
    assert with_formulas(f"$a^2$\n\n{code}") == f"a²\n\n{code}"


@pytest.mark.parametrize("text", ["a ` $x^2$", "\\`$x^2$`", "`` $x^2$ `", "` a\n\n$x^2$ `"])
def test_backticks_without_code_hide_no_formula(text):
    assert with_formulas(text) == text.replace("$x^2$", "x²")


def test_notes_keep_lines_and_markdown():
    note = "# On $x^2$\n\n* a\\*b and `code`\n* costs $5 and $10"
    assert with_formulas(note) == "# On x²\n\n* a\\*b and `code`\n* costs $5 and $10"

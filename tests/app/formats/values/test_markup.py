import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.formats.values.markup import escaped, plain, prose


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>One</p><p>two</p>", "One two"),
        ("CO<sub>2</sub>, K<inf>m</inf>, 10<sup>-3</sup>", "CO2, Km, 10^-3"),
        ("p &lt; 0.05 &amp; q&gt;1", "p < 0.05 & q>1"),
        ("with lambda &gt 0", "with lambda > 0"),
        ("5 &mgr;g of &beta;-x&#8217;s &#x2013;", "5 μg of β-x’s –"),
        ("AT&T; R&D, &c, &nosuch;", "AT&T; R&D, &c, &nosuch;"),
        ("<z> for a < b and <Q>", "<z> for a < b and <Q>"),
        ("a\n  b\u00a0c\t d", "a b c d"),
        ("<jats:title>Aim</jats:title><jats:p>To see</jats:p>", "Aim To see"),
    ],
)
def test_html_markup_is_removed(text, expected):
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Schr\\"odinger and P{\\\'o}lya at 50\\%', "Schrödinger and Pólya at 50%"),
        ("$x_{i}$ of M\\\"uller, $\\alpha \\~ b$", "$x_{i}$ of Müller, $\\alpha \\~ b$"),
        ("an exponent {\\bf nu} ~ 5/6", "an exponent nu ∼ 5/6"),
        ("a set {1, 2} of x_{i}", "a set {1, 2} of x_{i}"),
    ],
)  # fmt: skip
def test_latex_is_decoded_and_mathematics_unchanged(text, expected):
    assert prose(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p < 0.05 & q\n\nOther paragraph", "p < 0.05 & q Other paragraph"),
        ("a<i>b\nc & d", "a&lt;i&gt;b c &amp; d"),
    ],
)
def test_only_text_that_resembles_markup_is_escaped(text, expected):
    assert escaped(text) == expected
    assert plain(escaped(text)) == " ".join(text.split())


@given(st.text())
def test_any_text_gives_one_line(text):
    assert prose(text) == prose(text).strip()
    assert "\n" not in plain(text)

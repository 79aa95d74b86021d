import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sciread_app.formats.values.latex import decode, encode


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"Gustav Bostr\"{o}m", "Gustav Boström"),
        (r"{\"O}zge {\c{C}}etinkaya Aks{\i}n", "Özge Çetinkaya Aksın"),
        (r"\'{\i} \'\i{} {\'\i}", "í í í"),
        (r"H{\aa}kan S{\o}ren \O re Stra{\ss}e \L{}ukasz", "Håkan Søren Øre Straße Łukasz"),
        (r"\v{S}i\v cok \H{o} \k{a} \u{g} \.z \d{s}", "Šičok ő ą ğ ż ṣ"),
        (r"\'{\^e}", "ế"),
        (r"5\,\% of \$5 \& \#3 \_x", "5 % of $5 & #3 _x"),
        (r"{P}i {C}al\-culus ``quoted'' -- and --- so on", "Pi Calculus “quoted” – and — so on"),
        (r"A~tie, \textit{slanted} and {\em old}", "A tie, slanted and old"),
        (r"\textsuperscript{13}C H\textsubscript{2}O", "¹³C H₂O"),
        (r"95% sure & more", "95% sure & more"),
        (r"\url{http://x.org/~me}", "http://x.org/~me"),
        (r"Nutrition &amp; Metabolism", "Nutrition & Metabolism"),
        ("broken\n\t  over   lines", "broken over lines"),
        (r"\unknown{macro} stays", r"\unknownmacro stays"),
    ],
)
def test_latex_is_decoded_to_plain_text(latex, text):
    assert decode(latex) == text


@pytest.mark.parametrize(
    "math", [r"$\alpha_{i}^2$", r"$$\frac{a}{b}$$", r"\({}^{\mbox{k}}\)", r"$a\$b$"]
)
def test_mathematics_is_unchanged(math):
    assert decode(rf"On {{{math}}} and {{B}}{{\'e}}") == f"On {math} and Bé"
    assert decode(encode(f"On {math} & é")) == f"On {math} & é"


@pytest.mark.parametrize(
    "math",
    [r"t \bar{t}", r"\bar{\mathrm{t}}", r"\sqrt{s_{\mathrm{NN}}}", r"\frac{1}{2}", r"\vec {p}"],
)
def test_mathematical_command_without_dollars_keeps_its_braces(math):
    assert decode(rf"{{On}} \emph{{{math} in}} {{B}}{{\'e}}") == f"On {math} in Bé"
    assert decode(encode(f"On {math} & é")) == f"On {math} & é"
    assert math in encode(f"On {math} & é", protect=True)


def test_bibtex_is_encoded_in_ascii_and_biblatex_in_unicode():
    assert encode("Ångström & α") == r"{\r{A}}ngstr{\"o}m \& {\ensuremath{\alpha}}"
    assert encode("Ångström & α", "biblatex") == r"Ångström \& α"


def test_dollar_amounts_are_not_mathematics():
    assert encode("from $5 to $10") == r"from \$5 to \$10"


def test_capitals_within_words_are_protected_in_titles():
    assert encode("The DNA of iPhones in Rome", protect=True) == "The {DNA} of {iPhones} in Rome"


# Text as stored in a library: composed letters, one line, no control characters.
TEXT = st.text(
    st.one_of(
        st.sampled_from("\\{}$%&#_^~`'\"-<>@=,;: éßøÅαβ–—“”’日本aBcD01"),
        st.characters(exclude_categories=("Cs", "Cc", "Co", "Cn")),
    ),
    max_size=40,
).map(lambda text: unicodedata.normalize("NFC", " ".join(text.split())))


@given(TEXT, st.sampled_from(["bibtex", "biblatex"]), st.booleans())
@example("$a$$b$", "bibtex", False)
@example("----'''```", "bibtex", True)
@example(r"\$x$ {\(} \)", "bibtex", True)
@example("&lt;b&gt; $ {$", "biblatex", False)
def test_latex_round_trip_is_lossless(text, dialect, protect):
    assert decode(encode(text, dialect, protect=protect)) == text


@given(TEXT, st.sampled_from(["bibtex", "biblatex"]))
def test_encoded_text_never_closes_a_field(text, dialect):
    depth = 0
    for letter in encode(text, dialect):
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0
    assert depth == 0


@given(st.text(st.sampled_from("\\{}$'\"abc ~^`-=.cvuH%&;#1"), max_size=40))
def test_any_latex_can_be_decoded(text):
    assert isinstance(decode(text), str)

from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.text.sentences import sentences


def test_sentence_ends_where_a_new_one_begins():
    assert sentences("We do this. Does it work? Yes! (It does.)  We are 3.5 times faster.") == [
        "We do this.",
        "Does it work?",
        "Yes!",
        "(It does.)",
        "We are 3.5 times faster.",
    ]


def test_abbreviations_and_initials_do_not_end_a_sentence():
    text = "Smith et al. Measured it, e.g. In mice, see Fig. 3 by J. Doe. It holds."
    assert sentences(text) == [text.removesuffix(" It holds."), "It holds."]


@given(st.text(alphabet='aB. !?\n(")', max_size=80))
def test_sentences_lose_only_whitespace(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())

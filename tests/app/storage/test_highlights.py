from hypothesis import given
from hypothesis import strategies as st

from sciread_app.storage.highlights import highlights


def marked(expression, text):
    (spans,) = highlights(expression, [text])
    return [text[start:end] for start, end in spans]


def test_all_forms_of_a_word_are_marked():
    text = "Networks: a networked Network, naïve about net-working."
    assert marked('"networking"', text) == ["Networks", "networked", "Network"]


def test_accents_do_not_matter_and_phrases_are_marked_whole():
    assert marked('"naive bayes" OR "poincare"', "Naïve Bayes and naïve Poincaré") == [
        "Naïve Bayes",
        "Poincaré",
    ]


def test_each_text_has_its_own_marks():
    assert highlights('"b"', ["a", "b", "", "a b"]) == [[], [(0, 1)], [], [(2, 3)]]


def test_without_words_nothing_is_marked():
    assert highlights("", ["a"]) == [[]]


@given(st.lists(st.text(alphabet="ab \x02\x03\0é😀", max_size=20), max_size=4))
def test_marks_are_where_the_word_stands_whatever_else_does(texts):
    for text, spans in zip(texts, highlights('"ab"', texts), strict=True):
        # "abé" is "ab" too: without its accent, it has the same stem.
        assert all(text[start:end].startswith("ab") for start, end in spans)

from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.text.term_matching import distinct, holds_in_order, spans


def marked(text, *sought):
    return [text[start:end] for start, end in spans(text, sought)]


def test_all_forms_of_a_word_are_marked():
    text = "Networks: a networked Network, naïve about net-working."
    assert marked(text, "networking") == ["Networks", "networked", "Network"]
    assert marked("superconducting films", "superconductivity") == ["superconducting"]


def test_accents_do_not_matter_and_phrases_are_marked_whole():
    text = "Naïve Bayes and naïve Poincaré"
    assert marked(text, "naive bayes", "poincare") == ["Naïve Bayes", "Poincaré"]


def test_what_was_spelt_differently_is_marked():
    assert marked("Müller and Mueller and Muller", "mueller") == ["Müller", "Mueller"]
    assert marked("Müller and Mueller", "müller") == ["Müller", "Mueller"]
    assert marked("CO$_2$ and CO₂", "co2") == ["CO$_2", "CO₂"]
    assert marked("基于深度学习的综述", "学习", "综述") == ["学习", "综述"]
    assert marked("Non-abelian, nonabelian", "nonabelian") == ["Non-abelian", "nonabelian"]


def test_the_beginning_of_a_word_marks_the_whole_of_it():
    assert marked("Transformers transform", "transformer*") == ["Transformers"]
    assert marked("Dark matters", "dark mat*") == ["Dark matters"]


def test_without_words_nothing_is_marked():
    assert spans("a", []) == []


@given(st.text(alphabet="ab \x02\0é😀", max_size=20))
def test_marks_are_where_the_word_stands_whatever_else_does(text):
    # "abé" is "ab" too: without its accent, it has the same stem.
    assert all(text[start:end].startswith("ab") for start, end in spans(text, ["ab"]))


def test_a_word_is_given_once_in_a_form_that_is_a_word():
    assert distinct(["comput", "computation", "quantum", "computational"]) == [
        "computation",
        "quantum",
    ]


def test_words_stand_in_a_title_in_their_order_or_not():
    assert holds_in_order("Long Short-Term Memory", ["long", "short", "term"])
    assert holds_in_order("On the networks of neurons", ["network", "neuron"])
    assert not holds_in_order("Memory, long and short", ["long", "memory"])

from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.text.term_matching import distinct, holds_in_order, spans


def marked(text, *sought):
    return [text[start:end] for start, end in spans(text, sought)]


def test_all_forms_of_a_word_are_matched():
    text = "Networks: a networked Network, naïve about net-working."
    assert marked(text, "networking") == ["Networks", "networked", "Network"]
    assert marked("superconducting films", "superconductivity") == ["superconducting"]


def test_accents_are_ignored_and_phrases_matched_whole():
    text = "Naïve Bayes and naïve Poincaré"
    assert marked(text, "naive bayes", "poincare") == ["Naïve Bayes", "Poincaré"]


def test_other_spellings_are_matched():
    assert marked("Müller and Mueller and Muller", "mueller") == ["Müller", "Mueller"]
    assert marked("Müller and Mueller", "müller") == ["Müller", "Mueller"]
    assert marked("CO$_2$ and CO₂", "co2") == ["CO$_2", "CO₂"]
    assert marked("基于深度学习的综述", "学习", "综述") == ["学习", "综述"]
    assert marked("Non-abelian, nonabelian", "nonabelian") == ["Non-abelian", "nonabelian"]


def test_prefix_matches_whole_word():
    assert marked("Transformers transform", "transformer*") == ["Transformers"]
    assert marked("Dark matters", "dark mat*") == ["Dark matters"]


def test_no_terms_match_nothing():
    assert spans("a", []) == []


@given(st.text(alphabet="ab \x02\0é😀", max_size=20))
def test_match_positions_are_correct_in_any_text(text):
    # "abé" also matches "ab": without its accent it has the same stem.
    assert all(text[start:end].startswith("ab") for start, end in spans(text, ["ab"]))


def test_distinct_gives_each_stem_once_as_a_full_word():
    assert distinct(["comput", "computation", "quantum", "computational"]) == [
        "computation",
        "quantum",
    ]


def test_holds_in_order_checks_order_of_words():
    assert holds_in_order("Long Short-Term Memory", ["long", "short", "term"])
    assert holds_in_order("On the networks of neurons", ["network", "neuron"])
    assert not holds_in_order("Memory, long and short", ["long", "memory"])

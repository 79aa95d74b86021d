import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.query.ast import Condition, Term
from sciread_app.domain.query.parser import any_of, parse
from sciread_app.domain.text.folding import WORD, fold, spellings, terms, tokens, unmarked
from sciread_app.storage.fulltext import TOKENIZER


@pytest.fixture(scope="module")
def text_index():
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE papers USING fts5(title, authors, tokenize='{TOKENIZER}')")
    yield db
    db.close()


def is_found(text_index, column, text, expression):
    text_index.execute("DELETE FROM papers")
    text_index.execute(f"INSERT INTO papers ({column}) VALUES (?)", (fold(text),))
    found = text_index.execute("SELECT count(*) FROM papers WHERE papers MATCH ?", (expression,))
    return bool(found.fetchone()[0])


@pytest.mark.parametrize(
    ("title", "typed"),
    [
        ("Die Straße", "strasse"),
        ("Die Strasse", "straße"),
        ("Müller on bees", "muller"),
        ("Müller on bees", "mueller"),
        ("Müller on bees", "müller"),
        ("Mueller on bees", "müller"),
        ("The Schrödinger equation", "Schroedinger"),
        ("The Schroedinger equation", "Schrödinger"),
        ("The Schrödinger equation", '"schroedinger equation"'),
        (r"The Schr\"odinger equation", "schrödinger"),
        ("Øresund and Łódź", "oresund lodz"),
        ("Øresund", "oeresund"),
        ("Århus", "aarhus"),
        ("Æther, œuvre, ılık, Þór, Đorđe", '"aether oeuvre ilik thor dorde"'),
        ("CO$_2$ capture", "CO2"),
        ("CO₂ capture", "CO2"),
        ("CO2 capture", "CO$_2$"),
        (r"$^{13}$C and $\mathrm{H}_2\mathrm{O}$", '"13C and H2O"'),
        (r"{\cal S}-matrix", '"s matrix"'),
        (r"$\alpha$-decay", '"alpha decay"'),
        ("α-decay", '"alpha decay"'),
        ("ΛCDM", r"$\Lambda$CDM"),
        ("\U0001d6a8 and \U0001d6fc\U0001d6fd", '"alpha and alpha beta"'),  # mathematical letters
        ("α-decay", "\U0001d6a8-decay"),
        ("The ﬁrst soft\u00adhyphen", '"first softhyphen"'),
        ("基于深度学习的图像综述", "深度"),
        ("基于深度学习的图像综述", "学习"),
        ("基于深度学习的图像综述", "综述"),
        ("基于深度学习的图像综述", '"深度学习"'),
        ("基于深度学习的图像综述", "综*"),
        ("量子コンピュータの研究", "コンピュータ"),
        ("量子コンピュータの研究", "量子"),
        ("기계 학습을 이용한 연구", "학습"),
        ("Nonabelian groups", "non-abelian"),
        ("Non-abelian groups", "nonabelian"),
        ("Non-abelian groups", "abelian"),
    ],
)
def test_words_are_found_in_any_spelling(text_index, title, typed):
    assert is_found(text_index, "title", title, any_of(parse(typed).terms))


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("\U0001d6a8", " alpha "),  # bold Α
        ("\U0001d7c9", " pi "),  # a form of π, bold italic
        ("\U0001d6c1f", "∇f"),
        ("\U0001d400²ﬁ", "A2fi"),
        ("λόγος", "λόγος"),
    ],
)
def test_fold_of_mathematical_letter_is_that_of_the_plain_one(text, folded):
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("title", "typed"),
    [
        ("Poet and peasant", "pot"),
        ("Blue whales", "blu"),
        ("深圳学校", "深学"),
        ("度深", '"深度"'),
    ],
)
def test_different_words_are_not_found(text_index, title, typed):
    assert not is_found(text_index, "title", title, any_of(parse(typed).terms))


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("Weiß, Karl Müller", "author:weiss"),
        ("Karl Müller; Anna Groß", 'author:"Mueller, Karl"'),
        ("Karl Mueller", "author:müller"),
        ("Øyvind Łukasiewicz", "author:lukasiewicz"),
        ("Øyvind Łukasiewicz", 'author:"O. Lukasiewicz"'),
        ("小明 王", "author:王小明"),
    ],
)
def test_authors_are_found_in_any_spelling(text_index, name, typed):
    (condition,) = parse(typed).conditions
    assert is_found(text_index, "authors", name, condition.expression)


def test_ideographic_word_can_be_excluded(text_index):
    (condition,) = parse("-综述").conditions
    assert condition == Condition("text", "综述", True)
    assert is_found(text_index, "title", "学习综述", condition.expression)


def test_long_ideograph_runs_are_split_and_particles_dropped():
    assert terms("深度学习综述") == ["深度", "度学", "学习", "习综", "综述"]
    assert terms("量子コンピュータの研究") == ["量子", "コンピュータ", "研究"]


def test_hyphenated_compound_is_one_term():
    assert parse("non-linear state-of-the-art").terms == tuple(
        map(Term, ("non linear", "state", "art"))
    )
    assert set(spellings("non linear")) == {("non", "linear"), ("nonlinear",)}


def test_tokens_give_positions_in_text():
    text = r"H$_2$O by K\"ahler, 深度: α"
    assert [(token.text, text[token.start : token.end]) for token in tokens(text)] == [
        ("H2O", "H$_2$O"),
        ("by", "by"),
        ("Kähler", r"K\"ahler"),
        ("深", "深"),
        ("度", "度"),
        ("alpha", "α"),
    ]


# Characters with a meaning to the scanner, among others.
pieces = st.sampled_from([*r"$\{}_^", r"\alpha", r"\"o", r"\v{s}", "ü", "ß", "深", "²", "α", "ﬁ"])
anything = st.one_of(
    st.text(max_size=40), st.lists(st.one_of(pieces, st.text(max_size=3))).map("".join)
)


@given(anything)
def test_any_text_can_be_tokenised(text):
    found = tokens(text)
    assert [token.text for token in found] == WORD.findall(unmarked(text))
    edges = [edge for token in found for edge in (token.start, token.end)]
    assert all(0 <= token.start < token.end <= len(text) for token in found)
    assert edges == sorted(edges) or "$" in text or "ﬁ" in text or "²" in text or "\\" in text


@given(anything)
def test_folded_text_contains_every_word(text):
    folded = fold(text)
    assert all(word in folded for token in tokens(text) for word in spellings(token.text)[0])

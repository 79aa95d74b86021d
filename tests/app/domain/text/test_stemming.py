import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.text.stemming import stem

ENDINGS = (
    *("", "s", "es", "ies", "sses", "eed", "ed", "ing", "y", "ational", "tional", "izer", "logi"),
    *("bli", "ization", "alism", "iveness", "biliti", "icate", "ative", "ful", "ement", "ment"),
    *("ion", "sion", "ou", "iti", "e", "ll", "lle", "ss", "bly", "logy"),
)
letters = st.text(alphabet="aeioubcdlnrstwxyz", max_size=8)


@pytest.fixture(scope="module")
def tokenizer():
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")
    db.execute("CREATE VIRTUAL TABLE stems USING fts5vocab(texts, instance)")
    yield db
    db.close()


def sqlite_stems(db, words):
    db.execute("DELETE FROM texts")
    db.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", enumerate(words, 1))
    found = dict(db.execute("SELECT doc, term FROM stems"))
    return [found[n] for n in range(1, len(words) + 1)]


@given(st.lists(st.builds(str.__add__, letters, st.sampled_from(ENDINGS)).filter(bool)))
def test_stem_equals_that_of_text_index(tokenizer, words):
    assert [stem(word) for word in words] == sqlite_stems(tokenizer, words)

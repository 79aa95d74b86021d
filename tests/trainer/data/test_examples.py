import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generate.corpus import make_corpus
from tests.support.models.tiny_model import tiny_package
from trainer.data.corpus.corpus import Corpus
from trainer.data.examples import PaperExamples
from trainer.data.tokens import TextPart, Texts, TokenCache


@pytest.fixture(scope="module")
def texts(tmp_path_factory) -> Texts:
    folder = tmp_path_factory.mktemp("examples")
    papers = [{"questions": ("we study the graph",)} if number == 3 else {} for number in range(20)]
    corpus = make_corpus(folder / "corpus", papers)
    return Texts(TokenCache.open(corpus, tiny_package(folder / "tiny").folder), max_tokens=16)


def numbers_of(batch):
    """Return the token ids of each text of a batch."""
    return [text.tolist() for text in batch.texts.ids.split(list(batch.texts.lengths))]


ROWS = st.lists(st.tuples(*[st.integers(0, 19)] * 3), min_size=1, max_size=30)


@given(ROWS, st.data())
def test_batch_holds_each_text_once_with_places(texts, rows, data):
    parts = (TextPart.both, TextPart.title, TextPart.both)
    examples = PaperExamples.of(texts, np.array(rows), parts)
    numbers = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8)), np.int64)
    batch = examples.batch(numbers, numbers + 5, 0)

    asked = {(rows[n][column], part) for n in numbers for column, part in enumerate(parts)}
    assert len(batch.texts.lengths) == len(asked)
    found = numbers_of(batch)
    for number, places in zip(numbers, batch.places.tolist(), strict=True):
        for row, part, place in zip(rows[number], parts, places, strict=True):
            assert found[place] == texts.ids(row, part).tolist()
    assert batch.papers.tolist() == [list(rows[number]) for number in numbers]
    assert batch.positions.tolist() == (numbers + 5).tolist()
    assert batch.labels.tolist() == [-1] * len(numbers)


@given(ROWS)
def test_tokens_count_all_texts_of_an_example(texts, rows):
    parts = (TextPart.both, TextPart.title, TextPart.abstract)
    examples = PaperExamples.of(texts, np.array(rows), parts)
    expected = [
        sum(len(texts.ids(row, part)) for row, part in zip(named, parts, strict=True))
        for named in rows
    ]
    assert examples.tokens(np.arange(len(rows))).tolist() == expected


def test_epoch_order_is_a_permutation_by_seed_and_epoch(texts):
    examples = PaperExamples.of(texts, np.arange(18), (TextPart.both,), np.arange(18) % 4)
    first, again, second, other = (
        examples.order(seed, epoch, 4) for seed, epoch in ((1, 0), (1, 0), (1, 1), (2, 0))
    )
    assert sorted(first.tolist()) == list(range(18))
    assert first.tolist() == again.tolist()
    assert len({tuple(order.tolist()) for order in (first, second, other)}) == 3
    assert examples.batch(first[:4], np.arange(4), 0).labels.tolist() == (first[:4] % 4).tolist()


def test_question_is_addressed_by_its_own_row(texts):
    kinds = np.array(
        [[TextPart.question, TextPart.abstract], [TextPart.title, TextPart.title]], np.uint8
    )
    examples = PaperExamples(texts, np.array([[0, 3], [0, 3]], np.int32), kinds)
    batch = examples.batch(np.array([0, 1]), np.array([0, 1]), 0)
    question, abstract, first, second = (numbers_of(batch)[at] for at in batch.places.ravel())
    assert question == texts.ids(0, TextPart.question).tolist()
    assert abstract == texts.ids(3, TextPart.abstract).tolist()
    assert [first, second] == [texts.ids(row, TextPart.title).tolist() for row in (0, 3)]
    assert batch.papers.tolist() == [[-1, 3], [0, 3]]


COLUMNS = {
    "hf_specter_miread": {},
    "scirepeval_spaced": {"join": "sep_if_abstract"},
    "no_sep_embed_script": {"join": "space"},
    "multi2spe_3cls_sep": {"cls_tokens": 3},
    "multi2spe_embed_script_no_sep": {"join": "space", "cls_tokens": 3},
}


@pytest.mark.parametrize("column", COLUMNS)
def test_batch_has_the_reference_tokens(shared, tmp_path, column):
    case = json.loads((shared / "golden" / "input_format_tokens.json").read_text())
    given = case["inputs"]
    papers = [{"title": doc["title"], "abstract": doc["abstract"] or ""} for doc in given["docs"]]
    corpus: Corpus = make_corpus(tmp_path / "corpus", papers)
    package = tiny_package(tmp_path / "tiny", vocabulary=given["vocab"])
    cache = TokenCache.open(corpus, package.folder)
    texts = Texts(cache, max_tokens=given["max_length"], **COLUMNS[column])
    batch = PaperExamples.of(texts, np.arange(4), (TextPart.both,)).batch(
        np.arange(4), np.arange(4), 0
    )
    found = [numbers_of(batch)[place] for place in batch.places[:, 0]]
    assert found == [expected[column] for expected in case["expected"]]

from itertools import pairwise

import numpy as np
import pytest

from tests.support.generate.corpus import full_text, make_corpus
from tests.support.models.tiny_model import SPECIAL, WORDS, tiny_package
from trainer.contract.errors import TrainerError
from trainer.data.token_blocks import Blocks
from trainer.data.tokens import TokenCache

CLS, SEP, MASK = (SPECIAL.index(name) for name in ("[CLS]", "[SEP]", "[MASK]"))


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("blocks")
    papers = [{"abstract": ""} if number % 5 == 0 else {} for number in range(60)]
    corpus = make_corpus(folder / "corpus", papers)
    return TokenCache.open(corpus, tiny_package(folder / "tiny").folder)


def stream(blocks):
    return np.concatenate([blocks.ids(number)[1:-1] for number in range(len(blocks))]).tolist()


def papers_of(cache, rows):
    """Return the expected words of each paper."""
    found = []
    for row in rows:
        parts = (cache.titles[row].tolist(), cache.abstracts[row].tolist())
        found.append([word for part in parts if part for word in [*part, SEP]])
    return found


@pytest.mark.parametrize("length", [5, 16, 128, 5_000])
def test_blocks_hold_every_word_of_every_paper_once(cache, length):
    rows = np.arange(0, 60, 2)
    blocks = Blocks(cache, rows, length, 0.15, 1)
    expected = papers_of(cache, rows)
    words = stream(blocks)
    assert len(words) == sum(map(len, expected)) == blocks.records["word pieces"]
    assert (blocks.records["papers"], blocks.records["blocks"]) == (30, len(blocks))
    lengths = [len(blocks.ids(number)) for number in range(len(blocks))]
    assert set(lengths[:-1]) <= {length}
    assert blocks.tokens(np.arange(len(blocks))).tolist() == lengths
    for number in range(len(blocks)):
        assert (blocks.ids(number)[[0, -1]] == (CLS, SEP)).all()
    # In random order, each paper contiguous.
    order = [rows[paper] for paper in _order(words, expected)]
    assert sorted(order) == rows.tolist()
    assert order != rows.tolist()


def _order(words, papers):
    """Return the order in which these papers make up the words."""
    left, at, found = dict(enumerate(papers)), 0, []
    while at < len(words):
        number = next(n for n, paper in left.items() if words[at : at + len(paper)] == paper)
        at += len(left.pop(number))
        found.append(number)
    return found


def test_blocks_hold_full_texts_after_their_abstracts(tmp_path):
    papers = [{"full_text": full_text(n) if n % 2 else ""} for n in range(10)]
    corpus = make_corpus(tmp_path / "corpus", papers)
    cache = TokenCache.open(corpus, tiny_package(tmp_path / "tiny").folder)
    rows = np.arange(10)
    expected = papers_of(cache, rows)
    for row, first, stop in zip(rows, *corpus.passages_of(rows), strict=True):
        words = [word for number in range(first, stop) for word in cache.passages[number].tolist()]
        expected[row] += [*words, SEP] if words else []
    for length in (7, 64):
        blocks = Blocks(cache, rows, length, 0.15, 1)
        words = stream(blocks)
        assert sorted(_order(words, expected)) == rows.tolist()
        assert len(words) == sum(map(len, expected)) == blocks.records["word pieces"]
        assert blocks.records["full texts"] == len(np.unique(corpus.passage_papers)) > 2


def test_order_of_papers_depends_on_the_seed(cache):
    one, same, other = (stream(Blocks(cache, np.arange(60), 16, 0.15, seed)) for seed in (1, 1, 2))
    assert one == same != other


def test_batch_masks_words_and_knows_the_originals(cache):
    blocks = Blocks(cache, np.arange(60), 16, 0.5, 1)
    numbers = np.array([3, len(blocks) - 1, 0])
    batch = blocks.batch(numbers, np.arange(3), 9)
    plain = np.concatenate([blocks.ids(number) for number in numbers])
    selected = batch.texts.selected.numpy()
    assert batch.texts.lengths == tuple(blocks.tokens(numbers).tolist())
    assert batch.labels.tolist() == plain[selected].tolist()
    assert not np.isin(plain[selected], (CLS, SEP)).any()
    changed = np.flatnonzero(batch.texts.ids.numpy() != plain)
    assert set(changed) <= set(selected)
    assert (batch.texts.ids.numpy()[selected] == MASK).mean() > 0.5
    assert batch.texts.ids.max() < len(SPECIAL) + len(WORDS)
    assert batch.places.tolist() == [[0], [1], [2]]


def test_masks_depend_on_key_and_block_not_on_the_batch(cache):
    blocks = Blocks(cache, np.arange(60), 16, 0.5, 1)
    together = blocks.batch(np.arange(6), np.arange(6), 4).texts.ids.split(16)
    for number in range(6):
        alone = blocks.batch(np.array([number]), np.array([0]), 4).texts.ids
        assert alone.tolist() == together[number].tolist()
    other = blocks.batch(np.arange(6), np.arange(6), 5).texts.ids.split(16)
    assert all(a.tolist() != b.tolist() for a, b in zip(together, other, strict=True))


def test_every_block_comes_once_per_epoch(cache):
    blocks = Blocks(cache, np.arange(60), 16, 0.15, 1)
    orders = [blocks.order(1, epoch, 4).tolist() for epoch in range(3)]
    assert all(sorted(order) == list(range(len(blocks))) for order in orders)
    assert all(first != second for first, second in pairwise(orders))


def test_no_papers_give_no_blocks(cache):
    blocks = Blocks(cache, np.arange(0), 16, 0.15, 1)
    assert len(blocks) == 0
    assert len(blocks.batch(np.arange(0), np.arange(0), 1).texts.lengths) == 0


def test_tokenizer_without_mask_token_is_refused(cache, tmp_path):
    words = [*(name for name in SPECIAL if name != "[MASK]"), *WORDS]
    package = tiny_package(tmp_path / "tiny", vocabulary=words)
    with pytest.raises(TrainerError, match="no \\[MASK\\] token"):
        Blocks(TokenCache.open(cache.corpus, package.folder), np.arange(60), 16, 0.15, 1)

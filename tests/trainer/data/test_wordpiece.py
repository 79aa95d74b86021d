import pytest
from transformers import AutoTokenizer

from tests.support.generate.corpus import make_corpus
from trainer.contract.errors import TrainerError
from trainer.data.corpus.corpus import Split
from trainer.data.tokens import TokenCache, Vocabulary
from trainer.data.wordpiece import learn_word_pieces


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    papers = [
        {"title": "Neutrino oscillations", "abstract": f"Neutrinos of kind {number} oscillate."}
        for number in range(50)
    ]
    return make_corpus(tmp_path_factory.mktemp("words") / "corpus", papers)


def test_transformers_opens_a_trained_tokenizer(corpus, tmp_path):
    folder = learn_word_pieces(corpus, tmp_path / "words", size=200, cased=False)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert len(tokenizer) <= 200
    assert tokenizer.tokenize("Neutrino") == ["neutrino"]
    assert tokenizer.decode(tokenizer("neutrinos oscillate")["input_ids"]) == (
        "[CLS] neutrinos oscillate [SEP]"
    )
    assert tokenizer.mask_token_id is not None


def test_token_cache_works_with_a_trained_tokenizer(corpus, tmp_path):
    folder = learn_word_pieces(corpus, tmp_path / "words", size=200, cased=False)
    words = Vocabulary.of(folder)
    assert min(words.cls, words.sep, words.pad, words.mask) >= 0
    assert len(words.unused) == 9
    titles = TokenCache.open(corpus, folder).titles
    assert all(len(titles[row]) == 2 for row in range(50))


def test_cased_tokenizer_distinguishes_capitals(corpus, tmp_path):
    folder = learn_word_pieces(corpus, tmp_path / "words", size=200, cased=True)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert tokenizer.tokenize("Neutrinos") == ["Neutrinos"]


def test_same_corpus_gives_the_same_vocabulary(corpus, tmp_path):
    first, second = (
        learn_word_pieces(corpus, tmp_path / name, size=60, cased=False) / "tokenizer.json"
        for name in ("first", "second")
    )
    assert first.read_bytes() == second.read_bytes()


def test_vocabulary_uses_only_training_papers(tmp_path):
    named = [{"title": "plain words plain words"} for _ in range(40)]
    corpus = make_corpus(tmp_path / "probe", named)
    held_out = set(range(40)) - set(corpus.rows(Split.train).tolist())
    assert held_out
    for row in held_out:
        named[row] = {"title": "ξξξ ξξξ ξξξ", "abstract": "ξξξ ξξξ"}
    corpus = make_corpus(tmp_path / "corpus", named)
    folder = learn_word_pieces(corpus, tmp_path / "words", size=500, cased=False)
    assert not any("ξ" in word for word in AutoTokenizer.from_pretrained(folder).get_vocab())


def test_corpus_without_text_is_refused(tmp_path):
    corpus = make_corpus(tmp_path / "corpus", [{"title": "", "abstract": ""}] * 3)
    with pytest.raises(TrainerError, match="no text"):
        learn_word_pieces(corpus, tmp_path / "words", size=100, cased=False)


def test_vocabulary_has_words_of_full_texts(tmp_path):
    text = "Chromodynamics is known. " * 20
    papers = [{"title": f"Paper {n}", "full_text": f"{text} Part {n}."} for n in range(20)]
    corpus = make_corpus(tmp_path / "texts", papers)
    folder = learn_word_pieces(corpus, tmp_path / "words", size=400, cased=False)
    assert AutoTokenizer.from_pretrained(folder).tokenize("Chromodynamics") == ["chromodynamics"]

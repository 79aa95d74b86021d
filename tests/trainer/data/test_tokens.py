from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from tests.support.generate.corpus import make_corpus
from tests.support.models import tiny_model
from trainer.contract.errors import TrainerError
from trainer.contract.package import starter_package
from trainer.data import tokens
from trainer.data.corpus.corpus import Corpus
from trainer.data.tokens import TextPart, Texts, TokenCache, Vocabulary

# The settings behind each column of the reference file.
GOLDEN: dict[str, dict[str, Any]] = {
    "hf_specter_miread": {},
    "scirepeval_spaced": {"join": "sep_if_abstract"},
    "no_sep_embed_script": {"join": "space"},
    "multi2spe_3cls_sep": {"cls_tokens": 3},
    "multi2spe_embed_script_no_sep": {"cls_tokens": 3, "join": "space"},
}


def tokenizer_folder(folder: Path, words: list[str] | None = None) -> Path:
    words = words or [*tiny_model.SPECIAL, "[unused1]", "[unused2]", *tiny_model.WORDS]
    folder.mkdir(exist_ok=True)
    made = Tokenizer(models.WordPiece({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.add_special_tokens([word for word in words if word.startswith("[")])
    made.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return make_corpus(
        tmp_path / "corpus",
        [
            {"title": "deep graph", "abstract": "we study the network", "questions": ("the",)},
            {"title": "the papers", "abstract": ""},
            {"title": "", "abstract": "of"},
        ],
    )


@pytest.fixture
def cache(tmp_path: Path, corpus: Corpus) -> TokenCache:
    return TokenCache.open(corpus, tokenizer_folder(tmp_path / "tokenizer"))


@pytest.mark.parametrize("column", GOLDEN)
def test_papers_are_tokenized_like_in_the_published_programs(
    tmp_path: Path, shared: Path, column: str
) -> None:
    golden = json.loads((shared / "golden" / "input_format_tokens.json").read_text())
    folder = tokenizer_folder(tmp_path / "tokenizer", golden["inputs"]["vocab"])
    docs = [doc | {"abstract": doc["abstract"] or ""} for doc in golden["inputs"]["docs"]]
    cache = TokenCache.open(make_corpus(tmp_path / "corpus", docs), folder)
    texts = Texts(cache, max_tokens=golden["inputs"]["max_length"], **GOLDEN[column])
    expected = [row[column] for row in golden["expected"]]
    assert [texts.ids(row).tolist() for row in range(len(docs))] == expected
    rows = np.arange(len(docs))
    assert texts.lengths(rows, np.zeros_like(rows)).tolist() == list(map(len, expected))


def test_parts_of_a_paper_are_read_separately(cache: TokenCache) -> None:
    texts, words = Texts(cache), cache.vocabulary
    both, title, abstract, question = (texts.ids(0, part).tolist() for part in list(TextPart)[:4])
    assert title == [words.cls, *cache.titles[0], words.sep]
    assert abstract == [words.cls, *cache.abstracts[0], words.sep]
    assert question == [words.cls, *cache.questions[0], words.sep]
    assert both == [*title, *abstract[1:]]
    assert texts.ids(0).dtype == np.int32


@given(
    join=st.sampled_from(tokens.JOINS),
    max_tokens=st.integers(5, 12),
    cls_tokens=st.integers(1, 3),
    asked=st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.sampled_from([0, 1, 2]))),
)
def test_lengths_equal_those_of_the_texts(
    tmp_path_factory, join: str, max_tokens: int, cls_tokens: int, asked: list[tuple[int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("tokens")
    papers = [{"title": "the " * n, "abstract": "of " * (n * n % 7)} for n in (1, 4, 9)]
    cache = TokenCache.open(
        make_corpus(folder / "corpus", papers), tokenizer_folder(folder / "tokenizer")
    )
    texts = Texts(cache, join=join, max_tokens=max_tokens, cls_tokens=cls_tokens)
    pairs = np.array(asked, np.int64).reshape(-1, 2)
    found = [len(texts.ids(int(row), TextPart(part))) for row, part in pairs]
    assert texts.lengths(pairs[:, 0], pairs[:, 1]).tolist() == found
    assert all(length <= max_tokens for length in found)


def test_tokens_equal_those_of_the_whole_text(tmp_path: Path) -> None:
    package = starter_package()
    title, abstract = (
        "Schrödinger's  équation: a re-analysis",
        "We (re)study β-decay in 2,000 nuclei.",
    )
    corpus = make_corpus(tmp_path / "corpus", [{"title": title, "abstract": abstract}])
    whole = Tokenizer.from_file(str(package.folder / "tokenizer.json"))
    whole.no_padding()
    texts = Texts(TokenCache.open(corpus, package.folder))
    assert texts.ids(0).tolist() == whole.encode(f"{title}[SEP]{abstract}").ids


def test_special_tokens_are_read_from_the_tokenizer_config(tmp_path: Path) -> None:
    folder = tokenizer_folder(tmp_path / "tokenizer", ["<pad>", "<s>", "</s>", "<mask>", "a"])
    (folder / "tokenizer_config.json").write_text(
        json.dumps(
            {
                "cls_token": "<s>",
                "sep_token": {"content": "</s>"},
                "pad_token": "<pad>",
                "mask_token": None,
            }
        )
    )
    assert Vocabulary.of(folder) == Vocabulary(size=5, cls=1, sep=2, pad=0, mask=-1, unused=())


def test_incomplete_tokenizer_is_refused(tmp_path: Path, corpus: Corpus, cache: TokenCache) -> None:
    with pytest.raises(TrainerError, match="no tokenizer"):
        TokenCache.open(corpus, tmp_path)
    with pytest.raises(TrainerError, match="no SEP token"):
        TokenCache.open(corpus, tokenizer_folder(tmp_path / "other", ["[PAD]", "[CLS]", "a"]))
    with pytest.raises(TrainerError, match="2 unused tokens, too few for 4"):
        Texts(cache, cls_tokens=4)
    with pytest.raises(TrainerError, match="not a known separator"):
        Texts(cache, join="comma")
    with pytest.raises(TrainerError, match="no text fits"):
        Texts(cache, max_tokens=4, cls_tokens=3)
    (tmp_path / "tokenizer" / "tokenizer.json").write_text("{}")
    with pytest.raises(TrainerError, match="damaged"):
        TokenCache.open(corpus, tmp_path / "tokenizer")


def refuse_to_make(*_: object) -> None:
    raise AssertionError("the texts are tokenized again")


def test_tokens_are_made_once(
    tmp_path: Path, corpus: Corpus, cache: TokenCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "_make", refuse_to_make)
    again = TokenCache.open(corpus, tmp_path / "tokenizer")
    assert np.array_equal(again.abstracts.indices, cache.abstracts.indices)
    other = tokenizer_folder(tmp_path / "other", [*tiny_model.SPECIAL, "other"])
    with pytest.raises(AssertionError):
        TokenCache.open(corpus, other)


@pytest.mark.parametrize("name", ["titles.uint16", "abstracts.starts.int64", "tokens.json"])
@pytest.mark.parametrize("how", ["cut", "changed", "deleted"])
def test_damaged_tokens_are_made_again(
    tmp_path: Path, corpus: Corpus, cache: TokenCache, name: str, how: str
) -> None:
    path = cache.folder / name
    data = path.read_bytes()
    path.unlink()
    if how != "deleted":
        path.write_bytes(data[:-1] if how == "cut" else bytes([data[0] ^ 1]) + data[1:])
    again = TokenCache.open(corpus, tmp_path / "tokenizer")
    assert path.read_bytes() == data
    assert Texts(again).ids(0).tolist() == [2, 7, 8, 3, 12, 13, 16, 15, 3]


def test_concurrent_requests_make_tokens_once(
    tmp_path: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, made = tokenizer_folder(tmp_path / "tokenizer"), []
    make = tokens._make
    monkeypatch.setattr(tokens, "_make", lambda *rest: (made.append(1), make(*rest)))
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: TokenCache.open(corpus, folder), range(4)))
    assert len(made) == 1
    assert {cache.folder for cache in found} == {found[0].folder}


def test_tokens_of_another_corpus_are_not_used(tmp_path: Path, cache: TokenCache) -> None:
    other = make_corpus(tmp_path / "other", [{"title": "the"}])
    (cache.folder.parent).rename(other.folder / "tokens")
    assert len(TokenCache.open(other, tmp_path / "tokenizer").titles) == 1


def test_missing_tokens_are_detected(cache: TokenCache) -> None:
    cache.check()
    (cache.folder / "titles.uint16").unlink()
    assert len(Texts(cache).ids(0))
    with pytest.raises(TrainerError, match="missing"):
        cache.check()


def test_unwritable_corpus_is_reported(
    tmp_path: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tokens, "_make", full)
    with pytest.raises(TrainerError, match="No space left") as refused:
        TokenCache.open(corpus, tokenizer_folder(tmp_path / "tokenizer"))
    assert "free disk space" in refused.value.hint


def test_large_vocabularies_use_wider_integers(tmp_path: Path) -> None:
    words = [*tiny_model.SPECIAL, *(f"w{number}" for number in range(1 << 16))]
    corpus = make_corpus(tmp_path / "corpus", [{"title": "w65535", "abstract": "w1"}])
    cache = TokenCache.open(corpus, tokenizer_folder(tmp_path / "tokenizer", words))
    assert cache.titles.indices.dtype == np.int32
    assert cache.titles[0].tolist() == [(1 << 16) + 4]

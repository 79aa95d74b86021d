"""Training of a WordPiece tokenizer on a corpus (Devlin et al., 2019), PhysBERT's first step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from trainer.contract.errors import TrainerError
from trainer.data.corpus.corpus import Corpus, Split

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# Reserved, so that Multi2SPE can use them later for its additional [CLS] tokens.
_UNUSED = tuple(f"[unused{number}]" for number in range(1, 10))
# Rarer letters become [UNK]: the letters of all scripts would leave no room for words.
_LETTERS = 1_000
_AT_ONCE = 1_000


def learn_word_pieces(corpus: Corpus, folder: Path, *, size: int, cased: bool) -> Path:
    """Learn at most `size` word pieces from the training split, and save the tokenizer to a folder.

    transformers opens the folder as a BERT tokenizer. The same corpus gives the same words in the
    same order. Raises TrainerError where there is no text.
    """
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=not cased)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    first = [*_SPECIAL, *_UNUSED]
    letters = _letters(corpus, tokenizer, min(_LETTERS, (size - len(first)) // 4))
    if not letters:
        raise TrainerError(
            f"The corpus {corpus.folder} contains no text for training a tokenizer.",
            "Set train_tokenizer=false, or prepare a corpus with titles or abstracts.",
        )
    # The library numbers continued letters in the order of its hash tables, which differs between
    # processes, and orders equally frequent words by these numbers. Numbered here, the letters
    # give the same tokenizer every time.
    first += [f"##{letter}" for letter in letters]
    trainer = trainers.WordPieceTrainer(
        vocab_size=size,
        min_frequency=2,
        initial_alphabet=letters,
        limit_alphabet=len(letters),
        special_tokens=first,
        show_progress=False,
    )
    tokenizer.train_from_iterator(_texts(corpus), trainer)
    words = tokenizer.get_vocab()
    from transformers import BertTokenizer  # so late, since importing it takes a second

    BertTokenizer(vocab=words, do_lower_case=not cased).save_pretrained(folder)
    return folder


def _letters(corpus: Corpus, tokenizer: Tokenizer, most: int) -> list[str]:
    """The most frequent letters of normalized text, in the order of their code points."""
    counts: Counter[str] = Counter()
    texts = _texts(corpus)
    while batch := "\n".join(islice(texts, _AT_ONCE)):
        counts.update(tokenizer.normalizer.normalize_str(batch))
    known = [letter for letter in counts if not letter.isspace()]
    return sorted(sorted(known, key=lambda letter: (-counts[letter], letter))[:most])


def _texts(corpus: Corpus) -> Iterator[str]:
    rows = corpus.rows(Split.train)
    for row, first, stop in zip(rows.tolist(), *corpus.passages_of(rows), strict=True):
        yield corpus.title(row)
        yield corpus.abstract(row)
        yield from (corpus.passages[number] for number in range(first, stop))

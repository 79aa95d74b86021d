"""Token cache: the word pieces of a corpus per tokenizer, and the input format of a model."""

from __future__ import annotations

import enum
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray
from tokenizers import Tokenizer

from trainer.contract.errors import TrainerError
from trainer.contract.files import sha256_of
from trainer.contract.package import special_tokens
from trainer.data.corpus.columns import Csr, ListWriter, TextColumn
from trainer.data.corpus.corpus import Corpus
from trainer.data.rng import random_integers

FORMAT = 1
JOINS = ("sep", "sep_if_abstract", "space")
_DESCRIPTION = "tokens.json"
_COLUMNS = ("titles", "abstracts", "questions")
# Of a corpus with full texts.
_PASSAGES = ("passages", "passage_questions")
_AT_ONCE = 2_048
# Portions of so many texts between two messages about the progress.
_NOTED = 50
# Least and most tokens of a sentence used alone: shorter ones say little.
_SENTENCE = (10, 60)


class TextPart(enum.IntEnum):
    """The text of a paper to use. For `question` the row is that of a question, not of a paper, and
    for `passage` and `passage_question` that of a passage or question of the full texts.

    `sentence` is one sentence of the abstract, and `rest` the title and the abstract without it.
    """

    both = 0
    title = 1
    abstract = 2
    question = 3
    sentence = 4
    rest = 5
    passage = 6
    passage_question = 7


@dataclass(frozen=True)
class Vocabulary:
    """The ids of a tokenizer's special tokens, and the size of its vocabulary.

    `mask` and `stop`, the full stop, are -1 if there is none. `unused` are [unused1], [unused2]
    ..., which Multi2SPE uses for its further CLS tokens.
    """

    size: int
    cls: int
    sep: int
    pad: int
    mask: int
    unused: tuple[int, ...]
    stop: int = -1

    @classmethod
    def of(cls, tokenizer_folder: Path) -> Vocabulary:
        """Read it from a folder with tokenizer.json. Raises TrainerError."""
        tokenizer = _tokenizer(tokenizer_folder)
        names = special_tokens(tokenizer_folder)
        known = {name: tokenizer.token_to_id(text) for name, text in names.items()}
        ids = {name: -1 if number is None else number for name, number in known.items()}
        for name in ("cls", "sep", "pad"):
            if ids[name] < 0:
                raise TrainerError(
                    f"The tokenizer in {tokenizer_folder} has no {name.upper()} token.",
                    "SciRead can only train BERT-like models.",
                )
        unused = (tokenizer.token_to_id(f"[unused{number}]") for number in range(1, 100))
        stop = tokenizer.token_to_id(".")
        return cls(
            size=tokenizer.get_vocab_size(),
            **ids,
            unused=tuple(number for number in unused if number is not None),
            stop=-1 if stop is None else stop,
        )


class Prompts(NamedTuple):
    """The tokens before the text of a paper and of a query; empty for none."""

    paper: tuple[int, ...] = ()
    query: tuple[int, ...] = ()

    @classmethod
    def of(cls, tokenizer_folder: Path, paper: str, query: str) -> Prompts:
        """Tokenize two prompts. Raises TrainerError if there is no tokenizer."""
        if not (paper or query):
            return cls()
        tokenizer = _tokenizer(tokenizer_folder)
        # A space at the end would be a token of its own for some tokenizers.
        return cls(
            *(
                tuple(tokenizer.encode(prompt.rstrip(), add_special_tokens=False).ids)
                for prompt in (paper, query)
            )
        )


class TokenCache:
    """The word pieces of all titles, abstracts, questions and passages of a corpus, without special
    tokens.

    They are in the corpus's folder, under tokens/, in a folder per tokenizer. Ids are uint16 if the
    vocabulary allows, else int32.
    """

    def __init__(self, folder: Path, corpus: Corpus, vocabulary: Vocabulary) -> None:
        dtype = _dtype(vocabulary.size)
        self.folder = folder
        self._sizes: dict[str, int] = _description(folder)["bytes"]
        self.corpus = corpus
        self.vocabulary = vocabulary
        self.titles, self.abstracts, self.questions = (
            Csr.open(folder, name, dtype) for name in _COLUMNS
        )
        self.passages = self.passage_questions = Csr.empty(dtype)
        if len(corpus.passages):
            self.passages, self.passage_questions = (
                Csr.open(folder, name, dtype) for name in _PASSAGES
            )

    @classmethod
    def open(
        cls,
        corpus: Corpus,
        tokenizer_folder: Path,
        note: Callable[[str], None] = lambda _: None,
    ) -> TokenCache:
        """Open the cache for this tokenizer, creating it first if need be.

        `tokenizer_folder` contains tokenizer.json. Of several processes that open it at once, one
        creates it and the others wait. Raises TrainerError.
        """
        vocabulary = Vocabulary.of(tokenizer_folder)
        digest = sha256_of(tokenizer_folder / "tokenizer.json")
        folder = corpus.folder / "tokens" / digest[:12]
        try:
            if not _is_whole(folder, corpus):
                folder.parent.mkdir(exist_ok=True)
                with FileLock(folder.with_suffix(".lock")):
                    if not _is_whole(folder, corpus):
                        _make(folder, corpus, tokenizer_folder, vocabulary, note)
        except OSError as error:
            raise TrainerError(
                f"The tokenized texts of {corpus.folder} could not be saved: {error.strerror}.",
                "They are saved in the corpus folder. Check the free disk space and the "
                "permissions.",
            ) from error
        return cls(folder, corpus, vocabulary)

    def check(self) -> None:
        """Raise TrainerError if a file of the cache or its corpus has been removed or changed."""
        self.corpus.check()
        if not _sizes_fit(self.folder, self._sizes):
            raise TrainerError(
                f"The tokenized texts in {self.folder} are missing or incomplete.",
                "Run the same command again to create them again.",
            )


class Texts:
    """Papers in the input format of a model, as token ids.

    `join` is the text between title and abstract: "sep" (always a [SEP], as MIReAD and SPECTER
    train), "sep_if_abstract" (none without an abstract, as SciRepEval) or "space" (nothing, as the
    published scripts that embed). Texts of more than `max_tokens`, including special tokens, are
    truncated at the end. `cls_tokens` of more than 1 add [unused1], [unused2] ... after [CLS].
    `prompts` are tokens before the text, of papers and of queries (`Prompts.of`); parts in
    `queries` get that of queries.
    """

    def __init__(
        self,
        cache: TokenCache,
        *,
        join: str = "sep",
        max_tokens: int = 512,
        cls_tokens: int = 1,
        prompts: Prompts | None = None,
        queries: Iterable[TextPart] = (),
    ) -> None:
        words = cache.vocabulary
        if join not in JOINS:
            raise TrainerError(
                f"{join!r} is not a known separator.", f"Available: {', '.join(JOINS)}."
            )
        if cls_tokens - 1 > len(words.unused):
            raise TrainerError(
                f"The tokenizer has {len(words.unused)} unused tokens, too few for {cls_tokens} "
                "[CLS] tokens.",
                "Use a vocabulary with the tokens [unused1], [unused2] and so on, such as that "
                "of BERT or SciBERT.",
            )
        self.prompts = prompts or Prompts()
        self.queries = tuple(sorted(queries))
        if max_tokens < cls_tokens + 2 + max(map(len, self.prompts)):
            raise TrainerError(
                f"With {max_tokens} tokens, no text fits.", "Set max_tokens to 128 or 512."
            )
        self.cache = cache
        self.join = join
        self.max_tokens = max_tokens
        self.cls_tokens = cls_tokens
        start = [words.cls, *words.unused[: cls_tokens - 1]]
        self._starts = [np.array([*start, *prompt], np.int32) for prompt in self.prompts]
        self._sep = np.array([words.sep], np.int32)
        self._stop = words.stop
        self._columns = {
            TextPart.title: cache.titles,
            TextPart.abstract: cache.abstracts,
            TextPart.question: cache.questions,
            TextPart.passage: cache.passages,
            TextPart.passage_question: cache.passage_questions,
        }

    def ids(self, row: int, part: TextPart = TextPart.both) -> NDArray[np.int32]:
        """Return the text's tokens, including special ones."""
        start = self._starts[part in self.queries]
        room = self.max_tokens - len(start) - 1
        return np.concatenate([start, self._body(row, part)[:room], self._sep])

    def lengths(
        self, rows: NDArray[np.integer[Any]], parts: NDArray[np.integer[Any]]
    ) -> NDArray[np.int64]:
        """Return the number of tokens of `ids` for each row and part; both of one shape."""
        rows, parts = np.broadcast_arrays(rows, parts)
        found = np.zeros(rows.shape, np.int64)
        for part in np.unique(parts):
            asked = parts == part
            whole = self._body_lengths(rows[asked], TextPart(part))
            special = len(self._starts[part in self.queries]) + 1
            found[asked] = np.minimum(whole + special, self.max_tokens)
        return found

    def papers(
        self, rows: NDArray[np.integer[Any]], parts: NDArray[np.integer[Any]]
    ) -> NDArray[np.int64]:
        """Return the row of the paper of each text, -1 for a question; both of one shape."""
        found = rows.astype(np.int64)
        found[(parts == TextPart.question) | (parts == TextPart.passage_question)] = -1
        passages = parts == TextPart.passage
        found[passages] = self.cache.corpus.passage_papers[rows[passages]]
        return found

    def sentence(self, row: int) -> tuple[int, int]:
        """Return where the `sentence` of the paper begins and ends in its abstract's tokens.

        It is a random one of moderate length, always the same for a row; (0, 0) if there is none
        or if nothing else would be left.
        """
        ends = np.flatnonzero(self.cache.abstracts[row] == self._stop) + 1
        lengths = np.diff(ends, prepend=0)
        fitting = np.flatnonzero((lengths >= _SENTENCE[0]) & (lengths <= _SENTENCE[1]))
        if len(ends) < 2 or not len(fitting):
            return 0, 0
        at = fitting[int(random_integers(len(fitting), "sentence", row))]
        return int(ends[at] - lengths[at]), int(ends[at])

    def _body(self, row: int, part: TextPart) -> NDArray[Any]:
        if part in self._columns:
            return self._columns[part][row]
        title, abstract = self.cache.titles[row], self.cache.abstracts[row]
        if part != TextPart.both:
            start, end = self.sentence(row)
            if part == TextPart.sentence:
                return abstract[start:end]
            abstract = np.delete(abstract, slice(start, end))
        if self.join == "space" or (self.join == "sep_if_abstract" and not len(abstract)):
            return np.concatenate([title, abstract])
        return np.concatenate([title, self._sep, abstract])

    def _body_lengths(self, rows: NDArray[Any], part: TextPart) -> NDArray[np.int64]:
        if part in self._columns:
            return _lengths(self._columns[part], rows)
        if part != TextPart.both:
            return np.array([len(self._body(row, part)) for row in rows.tolist()], np.int64)
        cache = self.cache
        titles, abstracts = _lengths(cache.titles, rows), _lengths(cache.abstracts, rows)
        if self.join == "space":
            return titles + abstracts
        separators = abstracts > 0 if self.join == "sep_if_abstract" else 1
        return titles + separators + abstracts


def _lengths(column: Csr, rows: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    lengths: NDArray[np.int64] = column.indptr[rows + 1] - column.indptr[rows]
    return lengths


def _dtype(vocabulary: int) -> str:
    return "uint16" if vocabulary <= 1 << 16 else "int32"


def _description(folder: Path) -> dict[str, Any]:
    described: dict[str, Any] = json.loads((folder / _DESCRIPTION).read_text(encoding="utf-8"))
    return described


def _is_whole(folder: Path, corpus: Corpus) -> bool:
    """Whether the folder's word pieces are complete, undamaged and of this corpus."""
    try:
        described = _description(folder)
        return (
            described["format"] == FORMAT
            and described["corpus_sha256"] == corpus.sha256
            and _sizes_fit(folder, described["bytes"])
            and all(sha256_of(folder / name) == h for name, h in described["sha256"].items())
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _sizes_fit(folder: Path, sizes: Mapping[str, int]) -> bool:
    try:
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except OSError:
        return False


def _make(
    folder: Path,
    corpus: Corpus,
    tokenizer_folder: Path,
    vocabulary: Vocabulary,
    note: Callable[[str], None],
) -> None:
    unfinished = folder.with_name(folder.name + ".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.mkdir()
    tokenizer = _tokenizer(tokenizer_folder)
    dtype = _dtype(vocabulary.size)
    for name in (*_COLUMNS, *(_PASSAGES if len(corpus.passages) else ())):
        texts: TextColumn = getattr(corpus, name)
        with ListWriter(unfinished, name, dtype) as writer:
            for done, encodings in enumerate(_encoded(tokenizer, texts)):
                if done % _NOTED == 0:
                    so_far = f": {done * _AT_ONCE:,} done" if done else ""
                    note(f"Tokenizing {len(texts):,} {name.replace('_', ' ')}{so_far}")
                ids = [encoding.ids for encoding in encodings]
                lengths = np.fromiter(map(len, ids), np.int64, len(ids))
                flat = np.fromiter(chain.from_iterable(ids), np.dtype(dtype), lengths.sum())
                writer.extend(flat, lengths)
    made = sorted(unfinished.iterdir())
    described = {
        "format": FORMAT,
        "corpus_sha256": corpus.sha256,
        "bytes": {path.name: path.stat().st_size for path in made},
        "sha256": {path.name: sha256_of(path) for path in made},
    }
    (unfinished / _DESCRIPTION).write_text(json.dumps(described, indent=2), encoding="utf-8")
    unfinished.rename(folder)


def _encoded(tokenizer: Tokenizer, texts: Sequence[str]) -> Iterator[list[Any]]:
    left = iter(texts)
    while batch := list(islice(left, _AT_ONCE)):
        yield tokenizer.encode_batch_fast(batch, add_special_tokens=False)


def _tokenizer(folder: Path) -> Tokenizer:
    path = folder / "tokenizer.json"
    if not path.is_file():
        raise TrainerError(
            f"{folder} contains no tokenizer.", "The folder must contain a tokenizer.json file."
        )
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise TrainerError(f"{path} is damaged: {error}.", "Copy the model again.") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer

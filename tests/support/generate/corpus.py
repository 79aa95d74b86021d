"""Small corpora for tests, made like those of `prepare`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from trainer.data.corpus.builder import Builder
from trainer.data.corpus.corpus import Corpus, Split, split_of
from trainer.data.corpus.records import InputRecord

# Words of tests/support/models/tiny_model.py, so that its tokenizer knows all of them.
_WORDS = ("deep", "graph", "learning", "paper", "we", "study", "neural", "network", "the", "of")


def make_corpus(
    folder: Path,
    papers: int | Sequence[Mapping[str, Any]] = 12,
    citations: Iterable[tuple[int, int]] = (),
    **settings: Any,
) -> Corpus:
    """Make a corpus of these papers, by row; `citations` are pairs of rows, citing and cited.

    A number makes so many papers. Given papers name only what the test is about, of the fields of a
    Record: id, title, abstract, year, venue, fields, labels, questions, cites ... Ids are p00000,
    p00001 ... unless given; rows are in the order of ids. `settings` go to Builder.finish.
    """
    given: Sequence[Mapping[str, Any]] = [{}] * papers if isinstance(papers, int) else papers
    records = [_record(number, values) for number, values in enumerate(given)]
    with Builder(folder) as builder:
        for record in records:
            builder.add(record)
        for citing, cited in citations:
            builder.cite(records[citing].id, [records[cited].id])
        return builder.finish(**settings)


def full_text(number: int, passages: int = 3) -> str:
    """Return a text of so many passages, each with a question, that differs by number."""
    return " ".join(
        f"Is the neural network {number} of study {at} deep? "
        + " ".join(f"{_text(number * 31 + at * 7 + n, 16).capitalize()}." for n in range(8))
        for at in range(passages)
    )


def _record(number: int, values: Mapping[str, Any]) -> InputRecord:
    made: dict[str, Any] = {
        "id": f"p{number:05}",
        "title": _text(number, 4),
        "abstract": _text(number * 7 + 3, 12 + number % 9),
        "year": 2000 + number % 20,
    }
    return InputRecord(**made | dict(values))


def _text(seed: int, length: int) -> str:
    """Words that differ from seed to seed: its digits in the base of the list."""
    return " ".join(
        _WORDS[(seed // len(_WORDS) ** (at % 4) + at * (seed + 1)) % len(_WORDS)]
        for at in range(length)
    )


def ids_of(count: int, split: Split = Split.test) -> list[str]:
    """Return ids that the hash assigns to this split."""
    found = (f"x{number:05}" for number in range(100_000))
    return [name for _, name in zip(range(count), (n for n in found if split_of(n) == split))]  # noqa: B905

"""The columns of full texts: passages of papers, and the questions taken out of them."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainer.data.corpus.columns import TextColumn, TextWriter, numbers, write_numbers, write_texts
from trainer.data.corpus.corpus import Split
from trainer.data.full_text import passages

_TEXTS = ("passages", "passage_questions")
# The paper of each passage, and the passage of each question.
_PAPERS, _PASSAGES = "passage_papers.int32", "question_passages.int32"


class PassageWriter:
    """Writes the passages of papers in the order of their arrival."""

    def __init__(self, folder: Path) -> None:
        self._passages, self._questions = (TextWriter(folder, name) for name in _TEXTS)
        self._papers = (folder / _PAPERS).open("wb", 1 << 20)
        self._of_questions = (folder / _PASSAGES).open("wb", 1 << 20)
        self._written = 0

    def add(self, arrival: int, full_text: str) -> None:
        """Write the passages of the paper that arrived as this number; none of an empty text."""
        for text, questions in passages(full_text):
            self._passages.write(text)
            self._papers.write(arrival.to_bytes(4, "little"))
            for question in questions:
                self._questions.write(question)
                self._of_questions.write(self._written.to_bytes(4, "little"))
            self._written += 1

    def close(self) -> None:
        for file in (self._passages, self._questions, self._papers, self._of_questions):
            file.close()


def write_passages(
    arrived: Path, folder: Path, winners: NDArray[np.int64], row_of: NDArray[np.int64]
) -> dict[str, Any] | None:
    """Write the passages of the papers, by row, into a corpus that has its titles and its split.

    `winners` has the number of the record that became the paper of each row, `row_of` the row of
    each record that arrived, -1 for none. A paper whose own record has no full text has the first
    one of its other records.

    Return the numbers of full texts read, kept and dropped, of passages and of questions; None,
    without columns, if there are none.
    """
    texts = TextColumn(arrived, "passages")
    papers = numbers(arrived / _PAPERS)
    records = np.unique(papers)
    records = records[row_of[records] >= 0]
    rows = row_of[records]
    order = np.lexsort((winners[rows] != records, rows))  # stable
    read, chosen = np.unique(rows[order], return_index=True)
    records = records[order][chosen]
    first, stop = np.searchsorted(papers, records), np.searchsorted(papers, records, side="right")
    begins, ends = texts.starts[first], texts.starts[stop]
    digests = [_digest(texts.utf8[a:b].tobytes()) for a, b in zip(begins, ends, strict=True)]
    why = _why_unused(folder, read, digests)
    kept = np.flatnonzero([not one for one in why])
    if not len(kept):
        return None
    number = np.full(len(papers), -1, np.int32)  # of each passage that arrived, -1 for none
    end = 0
    with TextWriter(folder, "passages") as writer:
        for place in kept.tolist():
            some = np.arange(first[place], stop[place])
            lengths = texts.starts[some + 1] - texts.starts[some]
            writer.extend(texts.utf8[begins[place] : ends[place]], lengths)
            number[some] = end + np.arange(len(some))
            end += len(some)
    counts = (stop - first)[kept]
    write_numbers(folder / _PAPERS, np.repeat(read[kept], counts))
    of_questions = number[numbers(arrived / _PASSAGES)]
    order = np.argsort(of_questions, kind="stable")[np.count_nonzero(of_questions < 0) :]
    questions = TextColumn(arrived, "passage_questions")
    write_texts(folder, "passage_questions", [questions[at] for at in order.tolist()])
    write_numbers(folder / _PASSAGES, of_questions[order])
    return {
        "read": len(read),
        "kept": len(kept),
        "dropped": dict(sorted(Counter(filter(None, why)).items())),
        "passages": end,
        "questions": len(order),
    }


def _why_unused(folder: Path, rows: NDArray[np.int64], digests: list[bytes]) -> list[str]:
    """Return why the full text of each row is not used; "" if it is.

    Nothing is learned from test papers, nor from a text that a paper held out has as well. A paper
    with the title of one held out may be another version of it.
    """
    titles, split = TextColumn(folder, "titles"), numbers(folder / "split.uint8")
    latest: dict[bytes, int] = {}  # the last part of the split with a title or text
    for row in np.flatnonzero(split != Split.train).tolist():
        key = _title_key(titles[row])
        latest[key] = max(latest.get(key, 0), int(split[row]))
    for row, digest in zip(rows.tolist(), digests, strict=True):
        latest[digest] = max(latest.get(digest, 0), int(split[row]))
    latest.pop(_title_key(""), None)
    found, used = [], set()
    for row, digest in zip(rows.tolist(), digests, strict=True):
        part, key = split[row], _title_key(titles[row])
        if part == Split.test:
            found.append("test paper")
        elif max(latest.get(key, 0), latest[digest]) > part:
            found.append("text or title of a paper held out")
        elif digest in used:
            found.append("text of another paper")
        else:
            found.append("")
            used.add(digest)
    return found


def _title_key(title: str) -> bytes:
    return _digest("".join(filter(str.isalnum, title.casefold())).encode())


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=12).digest()

"""The answers of metadata look-ups, kept in a file so that a stopped look-up resumes."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sciread_app.domain.matching.record_keys import from_record, record
from sciread_app.domain.paper import Paper, PaperId

log = logging.getLogger(__name__)

FRESH = 30 * 24 * 3600.0  # seconds for which an answer is used again
_ASKED_BY = ("doi", "arxiv", "pmid", "pmcid", "isbn")


@dataclass(frozen=True)
class LookupAnswer:
    """The records of a paper, the most trusted first, and those that may be its own."""

    paper: PaperId
    question: str
    at: float  # seconds since 1970
    records: tuple[Paper, ...] = ()
    candidates: tuple[Paper, ...] = ()


def question_of(paper: Paper) -> str:
    """The identifiers, or the title and first author, by which a paper is looked up.

    An answer is valid as long as they are the same.
    """
    names = sorted(f"{kind}:{value}" for kind, value in paper.identifiers if kind in _ASKED_BY)
    first = paper.authors[0].name if paper.authors else ""
    return "\n".join(names or (paper.title, first))


class LookupAnswers:
    """A file of JSON lines, of which only those that follow the last written one can be lost.

    Its user holds a lock.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def read(self, now: float | None = None) -> dict[PaperId, LookupAnswer]:
        """The last fresh answer for each paper. Damaged lines are left out."""
        answers: dict[PaperId, LookupAnswer] = {}
        oldest = (time.time() if now is None else now) - FRESH
        with suppress(FileNotFoundError), self._file.open(encoding="utf-8") as lines:
            for line in lines:
                if (answer := _parsed(line)) and answer.at >= oldest:
                    answers[answer.paper] = answer
        return answers

    def add(self, answers: Iterable[LookupAnswer]) -> None:
        """Append these answers, which are on the disk when this returns."""
        text = "".join(map(_line, answers))
        if not text:
            return
        with self._file.open("a", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())

    def replace(self, answers: Sequence[LookupAnswer]) -> None:
        """Keep only these answers."""
        if not answers and not self._file.exists():
            return
        new = self._file.with_suffix(".new")
        new.write_text("".join(map(_line, answers)), encoding="utf-8")
        new.replace(self._file)


def _line(answer: LookupAnswer) -> str:
    value = {
        "paper": answer.paper,
        "question": answer.question,
        "at": answer.at,
        "records": [record(one) for one in answer.records],
        "candidates": [record(one) for one in answer.candidates],
    }
    return json.dumps(value, ensure_ascii=True) + "\n"


def _parsed(line: str) -> LookupAnswer | None:
    try:
        value = json.loads(line)
        return LookupAnswer(
            PaperId(int(value["paper"])),
            str(value["question"]),
            float(value["at"]),
            tuple(map(from_record, value["records"])),
            tuple(map(from_record, value["candidates"])),
        )
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        log.info("left out a damaged answer of a look-up: %s", type(error).__name__)
        return None

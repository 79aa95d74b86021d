"""Papers that are not taken in: what they say is a query, to find what is like them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sciread_app import formats
from sciread_app.domain.fragments import QUOTES
from sciread_app.domain.paper import Paper, PaperId, Skipped
from sciread_app.errors import BadQuery
from sciread_app.formats.pdf import PdfReaders, problems
from sciread_app.language import tr, trn
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

# Papers of a file that are looked at, and words of a PDF without an abstract.
MOST = 10
_WORDS_OF_PDF = 250
# What the language of the search box would take for more than a word.
_SIGNS = str.maketrans(dict.fromkeys(QUOTES + "*()\0", " "))
_OPERATORS = re.compile(r"\b(?:AND|OR|NOT)\b|(?<!\S)-+|(?<=\w):(?=\S)")
_HINT = tr("Drop a PDF, or a BibTeX, RIS or PubMed file, or paste an entry of one.")


@dataclass(frozen=True)
class Likeness:
    """What to look for: papers of the library that were meant, and a text that has no operators
    of the query language. `title` says what it was made of."""

    title: str
    known: tuple[PaperId, ...] = ()
    text: str = ""


class Outside:
    """Reads, and changes nothing."""

    def __init__(self, library: Library, *, pdf_seconds: float = 30) -> None:
        self._library = library
        self._pdf_seconds = pdf_seconds

    def of_files(self, paths: Sequence[Path], task: Task) -> Likeness:
        """What these files are about. Raises BadQuery where no paper can be read."""
        papers: list[Paper] = []
        reasons: list[str] = []
        for path in paths:
            task.check()
            for found in islice(self._read(path), MOST):
                if isinstance(found, Paper):
                    papers.append(found)
                else:
                    reasons.append(found.why)
        if not papers:
            names = ", ".join(path.name for path in paths[:3])
            said = tr("No paper was found in {files}.", files=names)
            raise BadQuery(said, " ".join([*reasons[:1], _HINT]))
        return self._likeness(papers[:MOST])

    def of_text(self, text: str, task: Task) -> Likeness:
        """What a pasted BibTeX, RIS or PubMed entry is about. Raises BadQuery."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "pasted.txt"
            file.write_text(text, "utf-8", errors="replace")
            papers = [found for found in islice(self._read(file), MOST) if isinstance(found, Paper)]
        if not papers:
            raise BadQuery(tr("What was pasted holds no entry that can be read."), _HINT)
        return self._likeness(papers)

    def _read(self, path: Path) -> Iterator[Paper | Skipped]:
        if path.suffix.lower() != ".pdf":
            yield from formats.read_file(path)
            return
        with PdfReaders(1, seconds=self._pdf_seconds) as readers:
            for content in readers.read([path]):
                if content.problem and not content.text:
                    yield Skipped(str(path), "", problems.said(content.problem))
                elif content.paper.abstract:
                    yield content.paper
                else:
                    begin = " ".join(content.text.split()[:_WORDS_OF_PDF])
                    yield Paper(
                        title=content.paper.title,
                        abstract=begin,
                        identifiers=content.paper.identifiers,
                    )

    def _likeness(self, papers: Sequence[Paper]) -> Likeness:
        known: list[PaperId] = []
        unknown: list[Paper] = []
        for paper in papers:
            ids = [id for name in paper.identifiers for id in self._library.with_identifier(name)]
            known += ids[:1]
            unknown += [] if ids else [paper]
        title = papers[0].title
        if more := len(papers) - 1:
            title = trn("{title} and {n} more", "{title} and {n} more", more, title=title)
        text = " ".join(f"{paper.title} {paper.abstract}" for paper in unknown)
        return Likeness(title, tuple(dict.fromkeys(known)), plain(text))


def plain(text: str) -> str:
    """`text` without anything that the language of the search box understands as a sign."""
    text = " ".join(text.translate(_SIGNS).split())
    return _OPERATORS.sub(lambda match: match[0].lower() if match[0].isalpha() else " ", text)

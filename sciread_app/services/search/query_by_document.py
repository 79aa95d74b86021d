"""Queries made from papers outside the library, to find similar ones in it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sciread_app import formats
from sciread_app.domain.paper import Paper, PaperId, Skipped
from sciread_app.domain.query.builder import QUOTES
from sciread_app.errors import BadQuery
from sciread_app.formats.pdf import ExtractionPool, problems
from sciread_app.language import tr, trn
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

# Papers read from a file, and words used of a PDF without an abstract.
MOST = 10
_WORDS_OF_PDF = 250
# Characters and words that are operators of the query language.
_SIGNS = str.maketrans(dict.fromkeys(QUOTES + "*()\0", " "))
_OPERATORS = re.compile(r"\b(?:AND|OR|NOT)\b|(?<!\S)-+|(?<=\w):(?=\S)")
_HINT = tr("Drop a PDF, BibTeX, RIS, or PubMed file, or paste an entry from a file.")


@dataclass(frozen=True)
class QueryDocument:
    """A query made from documents: those found in the library, and the text of the others, free
    of query operators. `title` names the source."""

    title: str
    known: tuple[PaperId, ...] = ()
    text: str = ""


class QueryByDocument:
    """Makes queries from documents, without changing the library."""

    def __init__(self, library: Library, *, pdf_seconds: float = 30) -> None:
        self._library = library
        self._pdf_seconds = pdf_seconds

    def of_files(self, paths: Sequence[Path], task: Task) -> QueryDocument:
        """The query for these files. Raises BadQuery if no paper can be read from them."""
        papers: list[Paper] = []
        reasons: list[str] = []
        for path in paths:
            task.raise_if_cancelled()
            for found in islice(self._read(path), MOST):
                if isinstance(found, Paper):
                    papers.append(found)
                else:
                    reasons.append(found.reason)
        if not papers:
            names = ", ".join(path.name for path in paths[:3])
            message = tr("No papers were found in {files}.", files=names)
            raise BadQuery(message, " ".join([*reasons[:1], _HINT]))
        return self._likeness(papers[:MOST])

    def of_text(self, text: str, task: Task) -> QueryDocument:
        """The query for a pasted BibTeX, RIS or PubMed entry. Raises BadQuery."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "pasted.txt"
            file.write_text(text, "utf-8", errors="replace")
            papers = [found for found in islice(self._read(file), MOST) if isinstance(found, Paper)]
        if not papers:
            raise BadQuery(tr("The pasted text contains no readable entry."), _HINT)
        return self._likeness(papers)

    def _read(self, path: Path) -> Iterator[Paper | Skipped]:
        if path.suffix.lower() != ".pdf":
            yield from formats.read_file(path)
            return
        with ExtractionPool(1, seconds=self._pdf_seconds) as readers:
            for content in readers.read([path]):
                if content.problem and not content.text:
                    yield Skipped(str(path), "", problems.translated(content.problem))
                elif content.paper.abstract:
                    yield content.paper
                else:
                    begin = " ".join(content.text.split()[:_WORDS_OF_PDF])
                    yield Paper(
                        title=content.paper.title,
                        abstract=begin,
                        identifiers=content.paper.identifiers,
                    )

    def _likeness(self, papers: Sequence[Paper]) -> QueryDocument:
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
        return QueryDocument(title, tuple(dict.fromkeys(known)), plain(text))


def plain(text: str) -> str:
    """`text` without operators of the query language."""
    text = " ".join(text.translate(_SIGNS).split())
    return _OPERATORS.sub(lambda match: match[0].lower() if match[0].isalpha() else " ", text)

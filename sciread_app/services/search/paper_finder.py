"""Finding of papers by the beginnings of words of their title, authors and year."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from sciread_app.domain.paper import Order, Paper, PaperId
from sciread_app.domain.query.parser import Condition
from sciread_app.domain.text.folding import forms, tokens
from sciread_app.formats.pdf import SUFFIXES
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

MOST = 20  # papers found
_CANDIDATES = 200  # papers of the text index that are compared with the typed words
_SHORTEST_STEM = 3  # letters
_YEAR = 4  # digits


@dataclass(frozen=True, slots=True)
class FoundPaper:
    """A paper, and its first PDF that exists, if any."""

    paper: Paper
    file: Path | None = None


def find_papers(library: Library, typed: str, task: Task) -> list[FoundPaper]:
    """Return at most 20 papers of which each typed word begins a word of the title or the
    authors, or is the year; best first.

    Accents and the order of the words do not matter. Titles that begin with the typed text come
    first, then papers read recently. Without words, return the papers read last, then those added
    last.
    """
    words = [forms(token.text) for token in tokens(typed)]
    recent = [place.paper for place in library.annotations.recently_read(_CANDIDATES)]
    if words:
        ids = _matching(library, words, recent, task)
    else:
        added = library.ids(Order.added, MOST).tolist()
        ids = list(dict.fromkeys([*recent, *map(PaperId, added)]))
    papers = library.get(ids[:MOST])
    files = _files(library, ids[:MOST])
    return [FoundPaper(paper, files.get(paper.id)) for paper in papers if paper.id is not None]


def _matching(
    library: Library, words: Sequence[tuple[str, ...]], recent: Sequence[PaperId], task: Task
) -> list[PaperId]:
    if all(len(form) < _SHORTEST_STEM for word in words for form in word):
        candidates = library.newest_with_text(_expression(words), _CANDIDATES)
    else:
        candidates = [id for id, _ in library.search_text(_expression(words), _CANDIDATES)]
    for year in {word[0] for word in words if _is_year(word)}:
        others = [word for word in words if word[0] != year]
        of_year = [Condition("year", f"{year}..{year}")]
        if others:
            candidates += [
                id for id, _ in library.search_text(_expression(others), _CANDIDATES, of_year)
            ]
        else:
            newest = library.matching(of_year)[: -_CANDIDATES - 1 : -1]
            candidates += [PaperId(id) for id in newest.tolist()]
    task.raise_if_cancelled()
    places = {id: place for place, id in enumerate(recent)}
    ranked: list[tuple[bool, int, int, int, PaperId]] = []
    for paper in library.get(dict.fromkeys(candidates)):
        title = [forms(token.text) for token in tokens(paper.title)]
        names = [forms(token.text) for one in paper.authors for token in tokens(one.name)]
        all_forms = {*chain.from_iterable([*title, *names]), paper.published[:_YEAR]}
        if paper.id is not None and all(_begins(word, all_forms) for word in words):
            whole = sum(any(form in all_forms for form in word) for word in words)
            begins = len(title) >= len(words) and all(map(_begins, words, title))
            place = places.get(paper.id, len(recent))
            ranked.append((not begins, place, -whole, len(ranked), paper.id))
    return [id for *_, id in sorted(ranked)]


def _expression(words: Sequence[tuple[str, ...]]) -> str:
    """The FTS5 expression for a superset of the papers with these words, each in all its forms.

    The index has stems: a word that is still being typed, such as "optimizati", may be longer than
    the stem of the word that it begins, "optim". Hence every beginning of it is a stem to look for.
    """
    found = []
    for word in words:
        ways = [f'"{form}" *' for form in word]
        for form in word:
            ways += [f'"{form[:end]}"' for end in range(_SHORTEST_STEM, len(form))]
        found.append(f"({' OR '.join(ways)})")
    return f"{{title authors}} : ({' AND '.join(found)})"


def _begins(word: tuple[str, ...], known: Iterable[str]) -> bool:
    return any(one.startswith(word) for one in known)


def _is_year(word: tuple[str, ...]) -> bool:
    return len(word[0]) == _YEAR and word[0].isascii() and word[0].isdecimal()


def _files(library: Library, papers: Sequence[PaperId]) -> dict[PaperId, Path]:
    files: dict[PaperId, Path] = {}
    for attachment in library.attachments.of(papers):
        path = Path(attachment.path)
        if attachment.paper not in files and path.suffix.lower() in SUFFIXES and path.is_file():
            files[attachment.paper] = path
    return files

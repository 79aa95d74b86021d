"""Which papers of the library are meant by the names that people give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sciread_app.domain.identifiers import identifier, pasted_identifier
from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.builder import QUOTES
from sciread_app.domain.query.parser import Condition, Query
from sciread_app.errors import BadQuery
from sciread_app.language import tr
from sciread_app.storage.library import Library


def paper_named(library: Library, name: str) -> PaperId | None:
    """The paper with this number, DOI, arXiv id, PMID, PMCID, ISBN or citation key. Case counts in
    a citation key only where several papers have keys that differ by nothing else."""
    if name.isdecimal() and len(name) < 19 and library.get([int(name)]):
        return PaperId(int(name))
    for wanted in (pasted_identifier(name), identifier("citekey", name), identifier("pmid", name)):
        if wanted and (found := library.with_identifier(wanted)):
            return found[0]
    alike = library.with_citekey_like(name)
    return alike[0] if len(alike) == 1 else None


def with_examples(library: Library, query: Query) -> Query:
    """The query with the numbers of all papers that it names as examples.

    Raises BadQuery if one of them is not in the library.
    """
    named = (*query.named_like, *query.named_unlike)
    if not (query.like or query.unlike or named):
        return query
    given = [*query.like, *query.unlike]
    there = {paper.id for paper in library.get(given)}
    for paper in given:
        if paper not in there:
            raise _no_paper(str(paper))
    return replace(
        query,
        like=(*query.like, *_papers(library, query.named_like)),
        unlike=(*query.unlike, *_papers(library, query.named_unlike)),
        named_like=(),
        named_unlike=(),
    )


def unknown_names(library: Library, conditions: Iterable[Condition]) -> str:
    """Which tags and collections a query asks for that do not exist, as a sentence; else empty."""
    said = []
    for condition in conditions:
        if condition.field == "tag":
            known = {_plain(tag) for tag in library.tags.names()}
            said += [
                tr("There is no tag “{name}”.", name=name)
                for name in condition.alternatives
                if _plain(name) not in known
            ]
        elif condition.field == "in" and not condition.of_trash:
            known = {_plain(path) for path in library.collections.paths()}
            said += [
                tr("There is no collection “{name}”.", name=name)
                for name in condition.alternatives
                if _plain(name.strip("/")) not in known
            ]
    return " ".join(dict.fromkeys(said))


def _papers(library: Library, names: Sequence[str]) -> list[PaperId]:
    found = []
    for name in names:
        paper = paper_named(library, name)
        if paper is None:
            raise _no_paper(name)
        found.append(paper)
    return found


def _no_paper(name: str) -> BadQuery:
    return BadQuery(
        tr("There is no paper {name} in the library.", name=name),
        tr(
            "Put a number, DOI, arXiv id, PMID or citation key behind “like:”. To search for the "
            'words, write "like {name}".',
            name=name,
        ),
    )


def _plain(name: str) -> str:
    """A name as the search box can hold it, without regard to case."""
    for sign in QUOTES:
        name = name.replace(sign, " ")
    return " ".join(name.split()).casefold()

"""Resolution of paper names (ids, identifiers, citation keys) and of the names in queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sciread_app.domain.metadata.identifiers import identifier, pasted_identifier
from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.builder import QUOTES
from sciread_app.domain.query.parser import Condition, Query
from sciread_app.errors import BadQuery
from sciread_app.language import tr
from sciread_app.storage.library import Library


def paper_named(library: Library, name: str) -> PaperId | None:
    """Return the paper with this id, DOI, arXiv id, PMID, PMCID, ISBN or citation key; None if
    there is none.

    Citation keys are compared without regard to case, unless several papers have keys that differ
    only in case.
    """
    if name.isdecimal() and len(name) < 19 and library.get([int(name)]):
        return PaperId(int(name))
    for wanted in (pasted_identifier(name), identifier("citekey", name), identifier("pmid", name)):
        if wanted and (found := library.with_identifier(wanted)):
            return found[0]
    alike = library.with_citekey_like(name)
    return alike[0] if len(alike) == 1 else None


def with_examples(library: Library, query: Query) -> Query:
    """Return the query with the ids of all papers that it names as examples.

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
    """Name the tags and collections in the conditions that do not exist, in sentences; return an
    empty string if all exist."""
    sentences = []
    for condition in conditions:
        if condition.field == "tag":
            known = {_plain(tag) for tag in library.tags.names()}
            sentences += [
                tr("The tag “{name}” does not exist.", name=name)
                for name in condition.alternatives
                if _plain(name) not in known
            ]
        elif condition.field == "in" and not condition.of_trash:
            known = {_plain(path) for path in library.collections.paths()}
            sentences += [
                tr("The collection “{name}” does not exist.", name=name)
                for name in condition.alternatives
                if _plain(name.strip("/")) not in known
            ]
    return " ".join(dict.fromkeys(sentences))


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
        tr("The paper {name} is not in the library.", name=name),
        tr(
            "After “like:”, enter a paper number, DOI, arXiv ID, PMID, or citation key. To "
            'search for the words, enter "like {name}".',
            name=name,
        ),
    )


def _plain(name: str) -> str:
    """Return a name without quotation marks, in folded case, for comparison."""
    for sign in QUOTES:
        name = name.replace(sign, " ")
    return " ".join(name.split()).casefold()

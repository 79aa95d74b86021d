"""The papers that the library cites most and does not have."""

from __future__ import annotations

import pytest

from sciread_app.domain.citations import Mention
from sciread_app.domain.paper import Identifier, PaperId
from sciread_app.services.ingest.lookup.identifier_import import IdentifierImport
from sciread_app.services.ingest.lookup.missing_papers import MissingPapers
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.servers.semantic_scholar_server import SemanticScholarServer


def doi(number):
    return Identifier("doi", f"10.5555/paper.{number}")


@pytest.fixture
def scholar():
    with SemanticScholarServer(60) as server:
        yield server


@pytest.fixture
def missing(library, scholar, tmp_path):
    quick = RetryPolicy(tries=1, first=0.01, longest=0.05)
    with Client(tmp_path / "cache", scholar.endpoints, retry_policy=quick) as client:
        yield MissingPapers(library, client, IdentifierImport(library, client))


def fill(library, *citations, count=4):
    """Papers 1 to `count`, with these citations."""
    library.put([paper(f"Paper {n}", doi=doi(n).value) for n in range(1, count + 1)])
    library.citations.put([(doi(citing), doi(cited)) for citing, cited in citations], "s2")


def test_papers_cited_by_most_are_first_with_their_titles(library, missing):
    fill(library, (1, 20), (2, 20), (1, 30), (2, 30), (3, 30), (1, 40))
    library.citations.store_mentions([Mention(doi(30), "Thirty", "A. Author")])
    found = missing.most_cited()
    assert [(one.name, one.citing) for one in found] == [(doi(30), 3), (doi(20), 2)]
    assert found[0].mention.title == "Thirty" and found[1].mention is None
    assert missing.most_cited(1) == found[:1]


def test_papers_of_the_library_and_of_the_trash_are_not_missing(library, missing):
    fill(library, (1, 3), (2, 3), (1, 4), (2, 4))
    LibraryEditor(library).trash([PaperId(4)])
    assert missing.most_cited() == []


def test_citations_of_papers_in_the_trash_do_not_count(library, missing):
    fill(library, (1, 20), (2, 20))
    LibraryEditor(library).trash([PaperId(2)])
    assert missing.most_cited() == []


def test_two_sources_of_one_citation_count_once(library, missing):
    fill(library, (1, 20), (2, 20))
    library.citations.put([(doi(1), doi(20))], "pubmed")
    assert [one.citing for one in missing.most_cited()] == [2]


def test_titles_are_requested_once(library, missing, scholar):
    fill(library, (1, 20), (2, 20))
    assert missing.look_up_titles(Task())[0].mention.title == "Title of paper 20"
    asked = len(scholar.requests)
    missing.look_up_titles(Task())
    assert len(scholar.requests) == asked

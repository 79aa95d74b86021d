"""Adding papers by identifiers, addresses and titles."""

from __future__ import annotations

import pytest

from sciread_app.services.ingest.lookup.identifier_import import (
    EntryState,
    IdentifierImport,
    split_texts,
)
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.servers import faults
from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.eutils_server import EutilsServer
from tests.support.servers.pubmed_papers import FIRST_PMCID, FIRST_PMID
from tests.support.servers.works_server import Work, WorksServer, numbered

QUICK = RetryPolicy(tries=2, first=0.01, longest=0.05)


@pytest.fixture
def works():
    with WorksServer(map(numbered, range(100))) as server:
        yield server


@pytest.fixture
def adding(library, works, tmp_path):
    with ArxivServer(50) as arxiv, EutilsServer(50) as pubmed:
        known = works.endpoints | arxiv.endpoints | pubmed.endpoints
        with Client(tmp_path / "cache", known, retry_policy=QUICK) as client:
            adding = IdentifierImport(library, client)
            adding.arxiv = arxiv
            yield adding


def find(adding, *texts):
    return adding.find(texts, Task())


def states(entries):
    return [entry.state for entry in entries]


def test_each_kind_of_identifier_is_found(adding, works):
    works.add(
        Work("", "A treatise on light", isbn="9780306406157"),
        numbered(900, registry="datacite"),
        Work("10.1101/2020.01.30.927871", "A preprint of bees", venue=""),
    )
    texts = (
        numbered(1).doi,
        f"https://doi.org/{numbered(900).doi}",
        next(iter(adding.arxiv.papers)),
        f"PMID: {FIRST_PMID}",
        f"PMC{FIRST_PMCID + 1}",
        "ISBN 978-0-306-40615-7",
        "https://www.biorxiv.org/content/10.1101/2020.01.30.927871v3.full",
        f"Curie, M. (1951). A study. Annals of Works 7. https://doi.org/{numbered(2).doi}.",
    )
    found = find(adding, *texts)
    assert states(found) == [EntryState.found] * len(texts)
    assert found[0].paper.title == numbered(1).title
    assert found[3].paper.identifier("pmid") == str(FIRST_PMID)
    assert found[-1].paper.title == numbered(2).title


def test_nothing_is_added_before_the_user_chooses(adding, library):
    find(adding, numbered(1).doi)
    assert library.count() == 0


def test_paper_in_the_library_costs_no_request(adding, library, works):
    library.put([paper("Known", doi=numbered(1).doi), paper(numbered(2).title, authors="Curie")])
    found = find(adding, numbered(1).doi, numbered(2).title)
    assert states(found) == [EntryState.in_library] * 2
    assert found[0].paper.title == "Known" and found[1].paper.id
    assert not works.requests


def test_record_that_the_library_has_under_another_identifier_is_recognized(adding, library):
    library.put([paper("Known", doi=f"10.5555/med.{FIRST_PMID}")])
    [found] = find(adding, str(FIRST_PMID))
    assert found.state == EntryState.in_library


def test_unknown_identifier_is_not_found(adding):
    found = find(
        adding, "10.5555/nobody", "arXiv:2501.00001", "99999999", "PMC1", "978-3-16-148410-0"
    )
    assert states(found) == [EntryState.not_found] * 5
    assert all(entry.reason for entry in found)


def test_exact_title_is_found(adding):
    [found] = find(adding, numbered(3).title.upper())
    assert found.paper.identifier("doi") == numbered(3).doi


def test_title_of_several_papers_offers_them(adding, works):
    works.add(numbered(901, title=numbered(4).title, year=1980))
    [found] = find(adding, numbered(4).title)
    assert found.state == EntryState.offered
    assert {one.source_id for one in found.candidates} == {numbered(4).doi, "10.5555/work.901"}


def test_similar_title_is_offered(adding):
    [found] = find(adding, numbered(5).title.replace("radiation", "radiations"))
    assert found.state == EntryState.offered
    assert found.candidates[0].source_id == numbered(5).doi


@pytest.mark.parametrize("text", ["graph", "two words", "x" * 5_000, "10.1000"])
def test_text_that_names_nothing_is_not_sent(adding, works, text):
    [found] = find(adding, text)
    assert found.state == EntryState.not_found and not works.requests


def test_unknown_title_is_not_found(adding):
    [found] = find(adding, "Nobody has written about this topic")
    assert found.state == EntryState.not_found


def test_page_with_doi_is_looked_up_at_its_registry(adding, works):
    address = works.page_of("article", citation_title="A wrong title", citation_doi=numbered(6).doi)
    [found] = find(adding, address)
    assert found.paper.title == numbered(6).title


def test_page_without_identifier_gives_its_own_record(adding, works):
    address = works.page_of(
        "forum", citation_title="Bees that learn", citation_author=["Ada Lovelace"]
    )
    [found] = find(adding, address)
    assert (found.state, found.paper.title) == (EntryState.found, "Bees that learn")
    assert found.paper.extra["url"] == address


def test_page_of_semantic_scholar_is_found(adding, works):
    sha = "0123456789abcdef0123456789abcdef01234567"
    works.shas[sha] = numbered(7).doi
    [found] = find(adding, f"https://www.semanticscholar.org/paper/Some-Title-Lovelace/{sha}")
    assert found.paper.title == numbered(7).title


def test_page_that_is_refused_names_no_paper_and_affects_no_other_entry(adding, works):
    bad, good = find(adding, f"{works.url}page/missing", numbered(8).doi)
    assert bad.state == EntryState.not_found and bad.reason
    assert good.state == EntryState.found


def test_invalid_address_affects_no_other_entry(adding):
    bad, good = find(adding, "https://exa..mple/x", numbered(8).doi)
    assert bad.state == EntryState.failed and "exa..mple" in bad.reason
    assert good.state == EntryState.found


@pytest.mark.parametrize("kind", ["chapter", "paper-conference", "article-journal"])
def test_book_of_which_the_library_has_a_part_is_found(adding, library, works, kind):
    works.add(Work("", "A treatise on light", isbn="9780306406157"))
    library.put([paper("A part of it", kind=kind, doi="10.5555/part", isbn="9780306406157")])
    [found] = find(adding, "9780306406157")
    assert (found.state, found.paper.title) == (EntryState.found, "A treatise on light")
    adding.add([found.paper], "a book")
    assert library.count() == 2
    assert states(find(adding, "9780306406157")) == [EntryState.in_library]


def test_each_failed_entry_names_the_source_that_it_needs(adding, works):
    works.fail(faults.status(503), times=99, when=lambda asked: "semantic" not in asked.path)
    doi, isbn = find(adding, numbered(1).doi, "9780306406157")
    assert doi.state == isbn.state == EntryState.failed
    assert "Crossref" in doi.reason and "Open Library" in isbn.reason


def test_failed_source_is_an_error_of_its_entries_only(adding, works):
    works.fail(faults.status(503), times=99, when=lambda asked: "crossref" in asked.path)
    doi, arxiv = find(adding, numbered(1).doi, next(iter(adding.arxiv.papers)))
    assert doi.state == EntryState.failed and "Crossref" in doi.reason
    assert arxiv.state == EntryState.found


def test_identifiers_are_asked_for_in_batches(adding, works):
    assert all(one.state == EntryState.found for one in find(adding, *map(doi_of, range(50))))
    assert len(works.requests) == 1


def doi_of(number):
    return numbered(number).doi


def test_papers_are_added_as_one_import(adding, library):
    results = list(adding.add_all([doi_of(1), doi_of(2), "nothing"], Task()))
    assert [bool(id) for _, id in results] == [True, True, False]
    [made] = library.import_log.imports()
    assert (made.added, library.count()) == (2, 2)


def test_paper_named_twice_is_added_once(adding, library):
    results = list(adding.add_all([doi_of(1), numbered(1).title], Task()))
    assert [entry.state for entry, _ in results] == [EntryState.found, EntryState.in_library]
    assert library.count() == 1


def test_text_is_split_into_entries():
    text = "10.1000/1, 10.1000/2\n\n- A title with several words\n1706.03762\n10.1000/1 1706.03762"
    assert split_texts(text) == [
        "10.1000/1", "10.1000/2", "A title with several words", "1706.03762"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("2101.00027,\n2102.00001,", ["2101.00027", "2102.00001"]),
        ("12345678;", ["12345678"]),
        ("PMID: 12345678,", ["PMID: 12345678"]),
        ("2101.00027,2102.00001; 10.1000/1", ["2101.00027", "2102.00001", "10.1000/1"]),
        ("10.1002/x<1661::AID>3.0.CO;2-2,", ["10.1002/x<1661::AID>3.0.CO;2-2"]),
        ("10.1000/a,b", ["10.1000/a,b"]),
        ("Bees, wasps, and ants;", ["Bees, wasps, and ants;"]),
        ("2101.00027 , 2102.00001\n;", ["2101.00027", "2102.00001"]),
    ],
)
def test_separators_after_identifiers_are_left_out(text, entries):
    assert split_texts(text) == entries

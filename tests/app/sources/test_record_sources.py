"""Records of DataCite, Open Library, Semantic Scholar and web pages."""

from __future__ import annotations

import json

import pytest

from sciread_app.domain.paper import Author, Identifier
from sciread_app.errors import SourceError
from sciread_app.sources import datacite, open_library, semantic_scholar, web_page
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.tasks import Task
from tests.support.servers import faults
from tests.support.servers.local import Answer, LocalServer
from tests.support.servers.works_server import Work, WorksServer

DATASET = {
    "doi": "10.5281/ZENODO.42",
    "titles": [{"title": "Bees in <i>spring</i>"}],
    "creators": [
        {"name": "Frisch, Karl", "familyName": "Frisch", "givenName": "Karl"},
        {"name": "Bee Group", "nameType": "Organizational"},
        {"name": "Curie, Marie"},
    ],
    "publicationYear": 2021,
    "dates": [{"date": "2021-04-03", "dateType": "Issued"}],
    "publisher": {"name": "Zenodo"},
    "types": {"resourceTypeGeneral": "Dataset"},
    "descriptions": [{"description": "Counts.", "descriptionType": "Abstract"}],
    "subjects": [{"subject": "bees"}],
    "version": "1.2",
}  # fmt: skip


@pytest.fixture
def works():
    with WorksServer() as works:
        yield works


@pytest.fixture
def client(works, tmp_path):
    quick = RetryPolicy(tries=2, first=0.01, longest=0.05)
    with Client(tmp_path / "cache", works.endpoints, retry_policy=quick) as client:
        yield client


def answer_of(works, record):
    works.respond = lambda asked: Answer(
        json.dumps({"data": [{"attributes": record}]}).encode(), "application/json"
    )


def test_datacite_record_becomes_paper(works, client):
    answer_of(works, DATASET)
    [paper] = datacite.by_dois(["10.5281/zenodo.42"], client, Task())
    assert (paper.title, paper.kind, paper.published) == ("Bees in spring", "dataset", "2021-04-03")
    assert paper.authors == (
        Author("Frisch", "Karl"), Author("Bee Group", literal=True), Author("Curie", "Marie")
    )  # fmt: skip
    assert (paper.abstract, paper.keywords) == ("Counts.", ("bees",))
    assert paper.extra == {"publisher": "Zenodo", "version": "1.2", "doi": "10.5281/ZENODO.42"}
    assert paper.written_doi == "10.5281/ZENODO.42"


@pytest.mark.parametrize(
    ("given", "date"),
    [
        ([], ""),
        ([{"date": "2020-05", "dateType": "Created"}], "2020-05"),
        ([{"date": "unknown", "dateType": "Issued"}], ""),
    ],
)
def test_datacite_record_without_year_has_the_best_date_given(works, client, given, date):
    answer_of(works, DATASET | {"publicationYear": None, "dates": given})
    [paper] = datacite.by_dois(["10.5281/zenodo.42"], client, Task())
    assert paper.published == date


@pytest.mark.parametrize(
    "hostile",
    [
        {"titles": "Bees"}, {"titles": []}, {"doi": 7}, {"doi": "10.1/other"},
        {"creators": [1, {"name": None}], "dates": [{"date": 7}], "titles": [None]},
    ],
)  # fmt: skip
def test_invalid_datacite_record_is_left_out(works, client, hostile):
    answer_of(works, DATASET | hostile)
    assert datacite.by_dois(["10.5281/zenodo.42"], client, Task()) == []


def test_books_are_asked_for_in_one_request(works, client):
    isbns = ["9780306406157", "9783161484100"]
    works.add(*(Work("", f"Book {isbn}", isbn=isbn) for isbn in isbns))
    books = open_library.by_isbns([*isbns, "9780000000002"], client, Task())
    assert [book.identifier("isbn") for book in books] == isbns
    assert books[0].published == "2015-03" and books[0].authors == (Author("Curie", "Marie"),)
    assert len(works.requests) == 1


def test_page_at_semantic_scholar_has_identifiers(works, client):
    works.shas["a" * 40] = "10.1000/1"
    assert semantic_scholar.identifiers_of("a" * 40, client, Task()) == (
        Identifier("doi", "10.1000/1"),
    )
    assert semantic_scholar.identifiers_of("b" * 40, client, Task()) == ()


def test_page_of_publisher_has_identifier_and_record(works, client):
    address = works.page_of(
        "article",
        citation_title="Bees &amp; wasps",
        citation_author=["Frisch, Karl", "Marie Curie"],
        citation_doi="10.1000/BEES",
        citation_journal_title="Bee World",
        citation_publication_date="2020/05/01",
        citation_firstpage="3",
        citation_lastpage="9",
    )
    paper = web_page.paper_at(f"{address}#abstract", client, Task())
    assert paper.identifiers == (Identifier("doi", "10.1000/bees"),)
    assert paper.authors == (Author("Frisch", "Karl"), Author("Curie", "Marie"))
    assert (paper.venue, paper.published, paper.extra["pages"]) == (
        "Bee World",
        "2020-05-01",
        "3-9",
    )


def test_page_without_tags_describes_no_paper(works, client):
    assert web_page.paper_at(works.page_of("other"), client, Task()) is None


@pytest.mark.parametrize(
    "page",
    [
        b"<meta name=citation_title content=" + b"x" * 1_000_000,
        b"<" * 100_000,
        b"\xff\xfe<meta name='citation_doi' content='javascript:alert(1)'>",
        b"<meta name='citation_title'><meta content='x'>" * 10_000,
    ],
)
def test_hostile_page_describes_no_paper(works, client, page):
    address = works.page_of("evil")
    works.fail(faults.replaced(page))
    assert web_page.paper_at(address, client, Task()) is None


@pytest.mark.parametrize(
    "fault",
    [faults.wrong_type("application/pdf"), faults.status(403), faults.huge(), faults.gzip_bomb()],
)
def test_page_that_is_no_page_is_an_error(works, client, fault):
    works.fail(fault, times=9)
    with pytest.raises(SourceError):
        web_page.paper_at(works.page_of("article"), client, Task())


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ("", "utf-8"),
        ('<meta charset="iso-8859-1">', "utf-8"),  # wrong
        ("", "iso-8859-1"),
        ('<meta charset="iso-8859-1">', "iso-8859-1"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', "koi8-r"),
        ('<meta charset="idna">', "iso-8859-1"),
        ('<meta charset="hex">', "iso-8859-1"),
    ],
)
def test_page_is_read_in_its_encoding(works, client, head, encoding):
    title = "Пчёлы" if encoding == "koi8-r" else "Étude über Bienen"
    page = f'<html><head>{head}<meta name="citation_title" content="{title}"></head></html>'
    works.respond = lambda asked: Answer(page.encode(encoding), "text/html")
    assert web_page.paper_at(f"{works.url}page/a", client, Task()).title == title


def test_page_that_redirects_to_another_server_is_an_error(works, client):
    with LocalServer(lambda asked: Answer(b"<html></html>", "text/html")) as other:
        works.fail(faults.redirected(other.url))
        with pytest.raises(SourceError):
            web_page.paper_at(works.page_of("article"), client, Task())
        assert not other.requests


@pytest.mark.parametrize("address", ["file:///etc/passwd", "https://me:pw@example.org/", "ftp://x"])
def test_address_that_is_not_of_a_web_page_is_an_error(client, address):
    with pytest.raises(SourceError):
        web_page.paper_at(address, client, Task())

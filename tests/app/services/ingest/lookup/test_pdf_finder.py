"""Open-access PDFs: found, checked, named, attached; against servers with faults."""

from __future__ import annotations

import json
import socket
from unittest import mock

import pytest

from sciread_app.domain.paper import PaperId
from sciread_app.errors import Cancelled
from sciread_app.services.ingest.lookup.pdf_finder import PdfFinder
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.sources import open_access
from sciread_app.sources.endpoints import Endpoint
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.generate.pdf import At, body, make_pdf
from tests.support.servers import faults
from tests.support.servers.local import Answer, LocalServer

TITLE = "The flight of honey bees in strong wind"
DOI = "10.5555/bees"


def pdf_of(title):
    return make_pdf([At(title, 18, y=740), At("Ada Lovelace", 11, y=700), *body()])


class OpenAccess(LocalServer):
    """arXiv, the OA service, Unpaywall and OpenAlex; the PDFs by the paths of their addresses."""

    def __init__(self):
        super().__init__()
        self.files = {}
        self.others = ()
        self.pmc = self.unpaywall = self.openalex = None

    def respond(self, asked):
        if asked.path in self.files:
            return Answer(self.files[asked.path], "application/pdf")
        if asked.path == "/oa.fcgi" and self.pmc:
            link = f'<link format="pdf" href="{self.url}{self.pmc}"/>'
            record = f'<record id="PMC7" license="CC BY">{link}</record>'
            return Answer(f"<OA><records>{record}</records></OA>".encode())
        if asked.path.startswith("/oa.fcgi"):
            return Answer(b'<OA><error code="idIsNotOpenAccess">no</error></OA>')
        if asked.path.startswith("/unpaywall/") and self.unpaywall:
            place = {"url_for_pdf": f"{self.url}{self.unpaywall}", "license": "cc-by-nc"}
            return json_answer({"best_oa_location": place, "oa_locations": [place, None, 3]})
        if asked.path.startswith("/openalex/") and self.openalex:
            place = {"pdf_url": f"{self.url}{self.openalex}", "is_oa": True, "license": None}
            closed = {"pdf_url": f"{self.url}closed.pdf", "is_oa": False}
            return json_answer({"best_oa_location": place, "locations": [closed, place]})
        return Answer(b"{}", "application/json", 404)

    @property
    def endpoints(self):
        paths = {
            "arxiv_pdf": "pdf/", "pmc_oa": "oa.fcgi", "unpaywall": "unpaywall/",
            "openalex": "openalex/",
        }  # fmt: skip
        known = {
            key: Endpoint(key, key, f"{self.url}{path}", 0.0, key) for key, path in paths.items()
        }
        return known | {"open_access": Endpoint("open_access", "Publisher", "", 0.0, "pdf")}


def json_answer(value):
    return Answer(json.dumps(value).encode(), "application/json")


@pytest.fixture
def server():
    """Its address counts as public, and so do those of the servers in `others`."""
    public, leads_home = open_access.is_public, open_access._leads_home
    with (
        OpenAccess() as server,
        mock.patch.object(
            open_access,
            "is_public",
            lambda url: url.startswith((server.url, *server.others)) or public(url),
        ),
        mock.patch.object(
            open_access, "_leads_home", lambda host: host != "127.0.0.1" and leads_home(host)
        ),
    ):
        yield server


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "pdfs"
    folder.mkdir()
    return folder


@pytest.fixture
def finder(library, server, folder, tmp_path):
    quick = RetryPolicy(tries=2, first=0.01, longest=0.05)
    with Client(
        tmp_path / "cache", server.endpoints, contact="me@example.org", retry_policy=quick
    ) as client:
        yield PdfFinder(library, client, folder, "{author} - {year} - {title}")


def put(library, **values):
    library.put([paper(TITLE, authors="Lovelace, Ada", published="2021", **values)])


def test_pdf_of_arxiv_is_named_attached_and_searchable(library, server, finder, folder):
    put(library, arxiv="2101.00001")
    server.files["/pdf/2101.00001"] = pdf_of(TITLE)
    (found,) = finder.find([PaperId(1)], Task()).found
    assert found.path == folder / f"Lovelace - 2021 - {TITLE}.pdf"
    assert found.path.read_bytes() == pdf_of(TITLE)
    (attachment,) = library.attachments.of([1])
    assert (attachment.path, attachment.pages) == (str(found.path), 1)
    assert [path.name for path in folder.iterdir()] == [found.path.name]
    (folder / "other").touch()
    assert found.path.stat().st_mode == (folder / "other").stat().st_mode


@pytest.mark.parametrize(
    ("service", "license"),
    [("pmc", "CC BY"), ("unpaywall", "cc-by-nc"), ("openalex", "")],
)
def test_pdf_that_a_service_lists_is_filed_with_its_license(
    library, server, finder, service, license
):
    put(library, doi=DOI, pmcid="PMC7")
    setattr(server, service, "files/bees.pdf")
    server.files["/files/bees.pdf"] = pdf_of(TITLE)
    (found,) = finder.find([PaperId(1)], Task()).found
    assert found.license == license
    assert library.get([1])[0].extra.get("license", "") == license


class Meanwhile(Task):
    """Calls `act` when the first paper is begun."""

    def __init__(self, act):
        super().__init__()
        self._act = act

    def step(self, *progress):
        act, self._act = self._act, lambda: None
        act()
        super().step(*progress)


def test_license_is_added_to_values_set_during_the_search(library, server, finder):
    put(library, doi=DOI)
    server.unpaywall = "bees.pdf"
    server.files["/bees.pdf"] = pdf_of(TITLE)
    finder.find([PaperId(1)], Meanwhile(lambda: library.edit(1, extra={"volume": "7"})))
    assert dict(library.get([1])[0].extra) == {"volume": "7", "license": "cc-by-nc"}


def test_paper_deleted_during_the_search_is_a_failure_without_a_file(
    library, server, finder, folder
):
    put(library, arxiv="2101.00001")
    library.put([paper("The dance of honey bees in the rain", arxiv="2101.00002")])
    for number, title in ((1, TITLE), (2, "The dance of honey bees in the rain")):
        server.files[f"/pdf/2101.0000{number}"] = pdf_of(title)

    def delete():
        library.trash([1])
        library.delete_permanently([1])

    report = finder.find([PaperId(1), PaperId(2)], Meanwhile(delete))
    assert [found.paper for found in report.found] == [2] and len(report.failures) == 1
    assert len(list(folder.iterdir())) == 1


def test_other_paper_is_refused_and_the_next_place_tried(library, server, finder, folder):
    put(library, doi=DOI, arxiv="2101.00001")
    server.files["/pdf/2101.00001"] = pdf_of("Something quite different about ants")
    server.openalex = "bees.pdf"
    server.files["/bees.pdf"] = pdf_of(TITLE)
    (found,) = finder.find([PaperId(1)], Task()).found
    assert found.source == "OpenAlex"
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize(
    "fault",
    [
        faults.too_many(),
        faults.unavailable(),
        faults.dropped(),
        faults.truncated(),
        faults.wrong_type(),
        faults.replaced(b"<html>Log in</html>"),
        faults.redirected("http://localhost:9/"),
        faults.gzip_bomb(),
    ],
    ids=["429", "503", "dropped", "cut", "page", "no pdf", "redirect", "bomb"],
)
def test_bad_file_leaves_nothing_and_its_reason_is_listed(library, server, finder, folder, fault):
    put(library, arxiv="2101.00001")
    server.files["/pdf/2101.00001"] = pdf_of(TITLE)
    server.fail(fault, times=9)
    report = finder.find([PaperId(1)], Task())
    assert not report.found and list(folder.iterdir()) == []
    (failure,) = report.failures
    assert failure.entry == TITLE and failure.reason
    assert library.attachments.of([1]) == []


def test_page_instead_of_a_pdf_is_not_requested_again(library, server, finder):
    put(library, arxiv="2101.00001")
    server.fail(faults.replaced(b"<html>Log in</html>"), times=9)
    finder.find([PaperId(1)], Task())
    assert len(server.requests) == 1


def test_server_that_fails_for_papers_in_a_row_is_not_asked_for_others(library, server, finder):
    library.put([paper(f"On the flight of bee {n}", arxiv=f"2101.0000{n}") for n in range(1, 6)])
    server.fail(faults.unavailable(), times=99)
    report = finder.find([PaperId(n) for n in range(1, 6)], Task())
    assert len({asked.path for asked in server.requests}) == 2
    assert [bool(one.reason) for one in report.failures] == [True] * 5


def moved(server, to, times=1):
    server.fail(faults.redirected(to), times, when=lambda asked: asked.path == "/bees.pdf")


def test_redirect_to_another_public_server_is_followed(library, server, finder):
    put(library, doi=DOI)
    server.openalex = "bees.pdf"
    with LocalServer(lambda asked: Answer(pdf_of(TITLE), "application/pdf")) as publisher:
        server.others = (publisher.url,)
        moved(server, f"{publisher.url}file")
        (found,) = finder.find([PaperId(1)], Task()).found
    assert found.path.read_bytes() == pdf_of(TITLE)
    assert [asked.path for asked in publisher.requests] == ["/file"]


@pytest.mark.parametrize(
    "address",
    ["http://example.org/a.pdf", "https://192.168.0.1/a.pdf", "https://localhost/", "ftp://a.org/"],
)
def test_redirect_that_is_not_to_the_public_web_is_refused(library, server, finder, address):
    put(library, doi=DOI)
    server.openalex = "bees.pdf"
    moved(server, address, times=9)
    (failure,) = finder.find([PaperId(1)], Task()).failures
    assert "redirects to" in failure.reason or "closed the connection" in failure.reason


def test_name_that_leads_to_a_private_address_is_not_asked(library, server, finder):
    put(library, doi=DOI)
    server.openalex = "bees.pdf"
    moved(server, "https://papers.example.org/a.pdf", times=9)
    place = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.7", 0))
    known = socket.getaddrinfo

    def resolve(host, *more, **named):
        return [place] if host == "papers.example.org" else known(host, *more, **named)

    with mock.patch.object(socket, "getaddrinfo", resolve):
        (failure,) = finder.find([PaperId(1)], Task()).failures
    assert "https://papers.example.org" in failure.reason


def test_redirects_are_followed_a_few_times_only(library, server, finder):
    put(library, doi=DOI)
    server.openalex = "bees.pdf"
    with LocalServer(lambda asked: Answer(b"")) as publisher:
        server.others = (publisher.url,)
        publisher.fail(faults.redirected(f"{server.url}bees.pdf"), times=99)
        moved(server, publisher.url, times=99)
        (failure,) = finder.find([PaperId(1)], Task()).failures
        assert failure.reason and len(publisher.requests) < 10


def test_service_that_fails_does_not_hide_the_next_one(library, server, finder):
    put(library, doi=DOI)
    server.unpaywall = server.openalex = "bees.pdf"
    server.files["/bees.pdf"] = pdf_of(TITLE)
    server.fail(faults.unavailable(), times=9, when=lambda asked: "unpaywall" in asked.path)
    (found,) = finder.find([PaperId(1)], Task()).found
    assert found.source == "OpenAlex"


def test_paper_with_a_pdf_is_not_looked_up(library, server, finder):
    put(library, arxiv="2101.00001")
    server.files["/pdf/2101.00001"] = pdf_of(TITLE)
    finder.find([PaperId(1)], Task())
    asked = len(server.requests)
    assert finder.find([PaperId(1)], Task()).had == 1
    assert len(server.requests) == asked


def test_taken_name_gets_a_number(library, server, finder, folder):
    put(library, arxiv="2101.00001")
    (folder / f"Lovelace - 2021 - {TITLE}.pdf").write_text("mine")
    server.files["/pdf/2101.00001"] = pdf_of(TITLE)
    (found,) = finder.find([PaperId(1)], Task()).found
    assert found.path.name == f"Lovelace - 2021 - {TITLE} (2).pdf"
    assert (folder / f"Lovelace - 2021 - {TITLE}.pdf").read_text() == "mine"


def test_found_pdf_is_detached_by_undo_and_stays_on_disk(library, server, finder):
    put(library, arxiv="2101.00001")
    server.files["/pdf/2101.00001"] = pdf_of(TITLE)
    (found,) = finder.find([PaperId(1)], Task()).found
    LibraryEditor(library).undo()
    assert library.attachments.of([1]) == [] and found.path.exists()


def test_search_can_be_cancelled(library, server, finder, folder):
    put(library, arxiv="2101.00001")
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        finder.find([PaperId(1)], task)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("https://example.org/a.pdf", True),
        ("http://example.org/a.pdf", False),
        ("https://127.0.0.1/a.pdf", False),
        ("https://[::1]/a.pdf", False),
        ("https://localhost/a.pdf", False),
        ("https://printer.local/a.pdf", False),
        ("https://me@example.org/a.pdf", False),
        ("https://example.org:99999/a.pdf", False),
        ("file:///etc/passwd", False),
        ("https://[x", False),
    ],
)
def test_only_addresses_of_the_public_web_are_used(address, public):
    assert open_access.is_public(address) is public

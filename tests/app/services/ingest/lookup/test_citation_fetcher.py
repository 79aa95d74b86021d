"""Citations are fetched for every paper from a source that knows it, and requested once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest

from sciread_app.domain.citations import Counts
from sciread_app.domain.metadata.identifiers import identifier
from sciread_app.errors import Cancelled
from sciread_app.services.ingest.lookup import citation_fetcher
from sciread_app.services.ingest.lookup.citation_fetcher import CitationFetcher
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.servers import faults
from tests.support.servers.elink import ElinkServer, ids_of
from tests.support.servers.semantic_scholar_server import SemanticScholarServer

pytestmark = pytest.mark.usefixtures("forked_python")

ROOT = Path(__file__).resolve().parents[5]


@pytest.fixture
def scholar():
    with SemanticScholarServer(60) as server:
        yield server


@pytest.fixture
def pubmed():
    with ElinkServer({}) as server:
        yield server


@pytest.fixture
def client(tmp_path, scholar, pubmed):
    quick = RetryPolicy(tries=2, first=0.01, longest=0.05)
    folder = tmp_path / "cache"
    with Client(folder, scholar.endpoints | pubmed.endpoints, retry_policy=quick) as client:
        yield client


@pytest.fixture
def fetch(library, client):
    def fetch(among=None, report=lambda done, total, note: None):
        return CitationFetcher(library, client).fetch(Task(report), among)

    return fetch


def numbered_paper(number, **names):
    return paper(f"Paper number {number} about bees", **(names or {"doi": doi(number).value}))


def put(library, *papers):
    return library.put(papers).ids


def doi(number):
    return identifier("doi", f"10.5555/paper.{number}")


def requested_ids(scholar):
    return [id for request in scholar.requests for id in json.loads(request.body)["ids"]]


def by_pmid(pubmed):
    return [id for request in pubmed.requests for [id] in ids_of(request)]


def test_citations_of_all_papers_are_fetched(library, fetch):
    ids = put(library, *map(numbered_paper, range(10, 50)))
    report = fetch()
    assert (report.looked_up, report.unknown, report.unanswered, report.failed) == (40, 0, 0, [])
    assert (report.references, report.citations) == (160, 160)
    assert library.citations.counts(ids) == dict.fromkeys(ids, Counts(4, 4))
    twelve = library.citations.references_of(ids[2])
    assert [one.paper for one in twelve] == [ids[0], ids[1], None, None]


def test_second_fetch_requests_only_new_papers(library, fetch, scholar):
    put(library, *map(numbered_paper, range(10)))
    fetch()
    before = len(scholar.requests)
    assert fetch().looked_up == 0 and len(scholar.requests) == before
    put(library, numbered_paper(20))
    assert fetch().looked_up == 1
    assert set(requested_ids(scholar)[-2:]) == {"DOI:10.5555/paper.20"}


def test_stale_citations_are_requested_again(library, fetch, monkeypatch):
    put(library, numbered_paper(1))
    fetch()
    later = time.time() + citation_fetcher.STALE + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert fetch().looked_up == 1


def test_fetch_among_papers_requests_only_those(library, fetch, scholar):
    ids = put(library, *map(numbered_paper, range(10)))
    assert fetch(among=[ids[3], ids[4]]).looked_up == 2
    assert set(requested_ids(scholar)) == {"DOI:10.5555/paper.3", "DOI:10.5555/paper.4"}


def test_papers_without_identifier_or_in_trash_are_skipped(library, fetch, scholar):
    _, gone = put(library, paper("On ants", citekey="ants"), numbered_paper(3))
    library.trash([gone])
    assert fetch().looked_up == 0 and not scholar.requests


def test_citing_paper_is_stored_under_identifier_of_library(library, fetch):
    mine, other = put(library, numbered_paper(14), numbered_paper(15, arxiv="1001.00015"))
    fetch(among=[mine])
    assert [one.paper for one in library.citations.citing(mine)] == [other, None, None, None]
    assert library.citations.citing(mine)[0].identifier == identifier("arxiv", "1001.00015")


def test_pubmed_is_asked_for_papers_unknown_to_semantic_scholar(library, fetch, pubmed):
    pubmed.links = {"71": ["72"], "73": ["71"]}
    [a, b] = put(
        library, numbered_paper(71, pmid="71"), numbered_paper(72, doi="10.1000/nowhere", pmid="72")
    )
    put(library, numbered_paper(3))
    report = fetch()
    assert (report.looked_up, report.unknown) == (3, 0)
    assert by_pmid(pubmed) == ["71", "72"]
    assert library.citations.counts([a, b]) == {a: Counts(1, 1), b: Counts(0, 1)}
    assert fetch().looked_up == 0


def test_papers_unknown_to_all_sources_are_counted_and_requested_once(
    library, fetch, scholar, pubmed
):
    put(
        library,
        numbered_paper(1, pmid="99"),
        numbered_paper(2, doi="10.1000/nowhere"),
        numbered_paper(3),
    )
    report = fetch()
    assert (report.looked_up, report.unknown) == (3, 2)
    seen = len(scholar.requests), len(pubmed.requests)
    assert fetch().looked_up == 0
    assert (len(scholar.requests), len(pubmed.requests)) == seen


def test_references_withheld_by_publisher_come_from_pubmed(library, fetch, scholar, pubmed):
    scholar.withheld = {10, 30}
    pubmed.links = {"10000010": ["5"]}
    ten, thirty = put(library, numbered_paper(10, pmid="10000010"), numbered_paper(30))
    report = fetch()
    counts = library.citations.counts([ten, thirty])
    assert counts == {ten: Counts(1, 4), thirty: Counts(0, 4)}
    assert (report.looked_up, report.unknown) == (2, 0)
    assert any("references for 1 paper " in remark for remark in report.remarks)


def test_references_of_own_record_are_used_if_no_source_has_them(library, fetch, scholar, pubmed):
    scholar.withheld = {10}
    listed = {"references": "pmid:5 doi:10.1000/x url:nothing pmid:? pmid:5"}
    [ten, eleven] = put(
        library,
        paper("Paper ten", doi=doi(10).value, pmid="10000010", extra=listed),
        paper("Paper eleven", doi=doi(11).value, extra=listed),
    )
    report = fetch()
    assert [one.identifier for one in library.citations.references_of(ten)] == [
        identifier("doi", "10.1000/x"),
        identifier("pmid", "5"),
    ]
    assert library.citations.counts([eleven])[eleven].references == 4
    assert report.references == 6 and not report.remarks and not pubmed.requests


def test_pubmed_answers_while_semantic_scholar_is_down(library, fetch, scholar, pubmed):
    pubmed.links = {"10000010": ["5"]}
    scholar.fail(faults.unavailable(), times=100)
    ten, eleven = put(
        library, numbered_paper(10, doi="10.5555/paper.10", pmid="10000010"), numbered_paper(11)
    )
    report = fetch()
    assert (report.looked_up, report.unanswered) == (1, 1)
    [failure] = report.failed
    assert failure.file == "Semantic Scholar" and failure.entry == "1 paper"
    assert library.citations.counts([ten, eleven])[ten] == Counts(1, 0)


def test_unanswered_papers_are_requested_when_source_is_back(library, fetch, scholar):
    scholar.fail(faults.unavailable(), times=2)
    ids = put(library, numbered_paper(10), numbered_paper(11))
    assert fetch().unanswered == 2
    assert fetch().looked_up == 2
    assert library.citations.counts(ids) == dict.fromkeys(ids, Counts(4, 4))


def test_replacement_of_semantic_scholar_by_pubmed_is_remarked(library, fetch, scholar, pubmed):
    scholar.fail(faults.unavailable(), times=100)
    put(library, numbered_paper(10, pmid="10000010"))
    report = fetch()
    assert not report.failed
    assert any("Semantic Scholar" in text and "PubMed" in text for text in report.remarks)


def test_failing_source_is_not_asked_again_in_same_run(library, fetch, scholar, monkeypatch):
    monkeypatch.setattr(citation_fetcher, "BATCH", 5)
    scholar.fail(faults.unavailable(), times=100)
    put(library, *map(numbered_paper, range(20)))
    report = fetch()
    assert report.unanswered == 20 and len(scholar.requests) == 2


def test_papers_unanswered_by_pubmed_are_requested_again(library, fetch, pubmed):
    pubmed.fail(faults.unavailable(), times=2)
    put(library, numbered_paper(1, pmid="99"))
    report = fetch()
    assert report.unanswered == 1 and report.failed[0].file == "PubMed"
    assert fetch().unknown == 1


def test_invalid_answer_for_one_paper_fails_only_that_paper(library, fetch, scholar):
    put(library, *map(numbered_paper, (3, 4, 5)))
    good = {"externalIds": {}, "references": [], "citations": []}
    scholar.fail(
        faults.replaced(json.dumps([good, 7, good]).encode()),
        when=lambda looked_up: "citations" in looked_up.params["fields"],
    )
    report = fetch()
    assert (report.looked_up, report.unanswered) == (2, 1)
    assert report.failed[0].entry == "doi:10.5555/paper.4"


def test_papers_sharing_an_identifier_are_requested_once(library, fetch, scholar):
    put(library, numbered_paper(3), paper("Quite another title of the same book", doi=doi(3).value))
    assert library.count() == 2
    assert fetch().looked_up == 2 and len(requested_ids(scholar)) == 2
    assert fetch().looked_up == 0


def test_truncated_citations_are_remarked(library, fetch, scholar):
    scholar.celebrated = {3: 12_000}
    [three] = put(library, numbered_paper(3))
    report = fetch()
    assert report.citations == 9_999
    assert any("10.5555/paper.3" in text and "12,004" in text for text in report.remarks)
    assert library.citations.counts([three])[three].citations == 9_999


def test_progress_names_sources_and_reaches_total(library, fetch):
    put(library, numbered_paper(1, pmid="99"), *map(numbered_paper, range(10, 20)))
    steps = []
    fetch(report=lambda *step: steps.append(step))
    assert {note for _, _, note in steps} == {"Querying Semantic Scholar", "Querying PubMed"}
    assert steps[-1][:2] == (11, 11)
    assert [done for done, _, _ in steps] == sorted(done for done, _, _ in steps)


def test_cancelled_citation_fetch_keeps_finished_batches(library, client, scholar, monkeypatch):
    monkeypatch.setattr(citation_fetcher, "BATCH", 5)
    put(library, *map(numbered_paper, range(10, 30)))
    task = Task(lambda done, total, note: done >= 10 and task.cancel())
    with pytest.raises(Cancelled):
        CitationFetcher(library, client).fetch(task)
    assert len(library.citations.papers_to_look_up("semantic_scholar")) == 10
    assert CitationFetcher(library, client).fetch(Task()).looked_up == 10
    assert len(requested_ids(scholar)) == 40


def test_killed_citation_fetch_resumes_and_completes(tmp_path, library):
    program = """
import sys
from pathlib import Path
from sciread_app.services.ingest.lookup import citation_fetcher as citing
from sciread_app.sources.endpoints import Endpoint
from sciread_app.sources.http.client import Client
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
citing.BATCH = 20
url = sys.argv[3]
endpoint = Endpoint("semantic_scholar", "Semantic Scholar", url, 0.0, "semantic_scholar")
library = Library(Path(sys.argv[1]))
with Client(Path(sys.argv[2]), {"semantic_scholar": endpoint}) as client:
    citing.CitationFetcher(library, client).fetch(Task(lambda done, *_: print(done, flush=True)))
"""
    ids = put(library, *map(numbered_paper, range(400)))
    with SemanticScholarServer(400) as scholar:
        url = scholar.endpoints["semantic_scholar"].url
        arguments = [str(library.path), str(tmp_path / "cache"), url]
        for steps in (3, 9, None):
            run = subprocess.Popen(
                [sys.executable, "-c", program, *arguments],
                stdout=subprocess.PIPE,
                cwd=ROOT,
                text=True,
            )
            assert run.stdout
            if steps:
                list(islice(run.stdout, steps))
                run.send_signal(signal.SIGKILL)
            run.communicate()
            assert run.returncode == (-signal.SIGKILL if steps else 0)
        expected = scholar.citations()
    assert len(library.citations.papers_to_look_up("semantic_scholar")) == 0
    found = {
        (ids.index(one.paper), number)
        for number, id in enumerate(ids)
        for one in library.citations.citing(id)
    }
    assert found == expected

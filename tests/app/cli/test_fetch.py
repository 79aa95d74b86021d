"""Fetch commands: output, exit codes, and messages when a source is down."""

from __future__ import annotations

import json
from datetime import date

import pytest
from typer.testing import CliRunner

from sciread_app import cli
from sciread_app.storage.library import Library
from tests.support.servers import faults
from tests.support.servers.eutils_server import EutilsServer
from tests.support.servers.semantic_scholar_server import SemanticScholarServer


@pytest.fixture
def pubmed(monkeypatch, tmp_path):
    with EutilsServer(600) as server:
        monkeypatch.setenv("SCIREAD_EUTILS_URL", server.url)
        monkeypatch.setenv("SCIREAD_EUTILS_PAUSE", "0")
        monkeypatch.setenv("SCIREAD_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("SCIREAD_HOME", str(tmp_path / "home"))
        yield server


def run(*arguments: str, code: int = 0):
    result = CliRunner().invoke(cli.app, arguments)
    assert result.exit_code == code, result.output
    return result


def answer(*arguments: str, code: int = 0):
    return json.loads(run(*arguments, "--json", code=code).stdout)


def test_look_counts_results_without_storing_a_fetch(pubmed):
    looked = answer("fetch", "pubmed", "sepsis", "--preview")
    assert looked["total"] == len(pubmed.pmids("sepsis")) and looked["papers"]
    assert answer("fetches") == []


def test_fetch_is_listed_with_counts(pubmed):
    run("fetch", "pubmed", "sepsis")
    (listed,) = answer("fetches")
    count = len(pubmed.pmids("sepsis"))
    assert (listed["state"], listed["papers"], listed["added"]) == ("done", count, count)
    assert listed["query"]["text"] == "sepsis" and "sepsis" in run("fetches").stdout


def test_failed_fetch_explains_how_to_resume(pubmed):
    pubmed.fail(faults.redirected("http://localhost:9/"), when=lambda asked: "efetch" in asked.path)
    failed = answer("fetch", "pubmed", "all", code=1)
    assert "PubMed" in failed["error"] and "--resume 1" in failed["hint"]
    assert "failed" in run("fetches").stdout
    status = answer("status")
    assert status["last_fetch"]["problem"] and status["last_import"] is None
    done = answer("fetch", "--resume", "1")["fetches"][0]["fetch"]
    assert (done["state"], done["read"]) == ("done", 600)


def test_refresh_reports_new_and_retracted_papers(pubmed):
    run("fetch", "pubmed", "all")
    pubmed.count += 3
    pubmed.retracted = {599}
    pubmed.revised = dict.fromkeys(range(599, 603), date.today())
    output = run("refresh").stdout
    assert "4 read = 3 added + 1 merged" in output and "retracted: 1" in output
    again = answer("refresh", "1")["fetches"][0]
    assert (again["fetch"]["read"], again["fetch"]["merged"], again["news"]) == (4, 4, [])


def test_failed_refresh_does_not_stop_others(pubmed):
    run("fetch", "pubmed", "sepsis")
    run("fetch", "pubmed", "asthma")
    pubmed.fail(faults.status(400), when=lambda asked: "sepsis" in asked.params.get("term", ""))
    output = answer("refresh", code=1)
    assert [one["id"] for one in output["failed"]] == [1]
    assert [one["fetch"]["id"] for one in output["fetches"]] == [2]


def test_fetch_citations_counts_stored_papers(pubmed, monkeypatch):
    with SemanticScholarServer(0) as scholar:
        url = scholar.endpoints["semantic_scholar"].url
        monkeypatch.setenv("SCIREAD_SEMANTIC_SCHOLAR_URL", url)
        monkeypatch.setenv("SCIREAD_SEMANTIC_SCHOLAR_PAUSE", "0")
        run("fetch", "pubmed", "sepsis", "--max", "3")
        named = answer("show", "1")[0]["identifiers"]
        pmid = next(i.removeprefix("pmid:") for i in named if i.startswith("pmid:"))
        pubmed.links = {pmid: ["111", "222"], "333": [pmid]}
        assert answer("fetch", "citations")["looked_up"] == 3
    (paper,) = answer("show", pmid)
    assert (paper["references"], paper["cited_by"]) == (2, 1)
    assert "cited by" in run("show", pmid).stdout


def test_missing_lists_and_adds_most_cited_papers_outside_the_library(pubmed, monkeypatch):
    first, second, third, wanted, rare = sorted(pubmed.pmids())[:5]
    with SemanticScholarServer(0) as scholar:
        url = scholar.endpoints["semantic_scholar"].url
        monkeypatch.setenv("SCIREAD_SEMANTIC_SCHOLAR_URL", url)
        monkeypatch.setenv("SCIREAD_SEMANTIC_SCHOLAR_PAUSE", "0")
        run("fetch", "pubmed", f"{first}:{third}[uid] AND all")
        pubmed.links = {first: [wanted, rare], second: [wanted, third], third: [wanted, first]}
        run("fetch", "citations")
        (found,) = answer("missing")["missing"]
        assert (found["identifier"], found["cited_by"]) == (f"pmid:{wanted}", 3)
        assert f"pmid:{wanted}" in run("missing").stdout
        assert len(answer("missing", "--add")["added"]) == 1
        assert answer("missing")["missing"] == []
    assert answer("show", wanted)[0]["title"]


def test_invalid_fetch_is_a_usage_error(pubmed):
    assert "cellar" in run("fetch", "cellar", "wine", code=2).output
    assert "source and a query" in run("fetch", code=2).output
    assert "Query 7 does not exist" in run("fetch", "--resume", "7", code=1).output


def test_forgotten_fetch_keeps_its_papers(pubmed, tmp_path):
    run("fetch", "pubmed", "sepsis")
    assert answer("fetches", "--forget", "1") == []
    library = Library(tmp_path / "home" / "library.sqlite3")
    assert library.count() == len(pubmed.pmids("sepsis"))
    library.close()


def test_unknown_key_service_is_named(pubmed):
    assert "nature" in run("key", "nature", code=2).output

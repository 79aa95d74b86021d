"""`sciread lookup`, and `sciread add` by identifier, against local servers."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sciread_app import cli
from tests.support.servers import faults
from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.eutils_server import EutilsServer
from tests.support.servers.pubmed_papers import FIRST_PMCID, FIRST_PMID
from tests.support.servers.works_server import Work, WorksServer, numbered


@pytest.fixture
def works(tmp_path, monkeypatch):
    with (
        WorksServer(map(numbered, range(60))) as works,
        ArxivServer(40) as arxiv,
        EutilsServer(40) as pubmed,
    ):
        works.arxiv_ids = list(arxiv.papers)
        environ = works.environ | {
            "SCIREAD_CACHE": str(tmp_path / "cache"),
            "SCIREAD_ARXIV_URL": f"{arxiv.url}api/query",
            "SCIREAD_ARXIV_PAUSE": "0",
            "SCIREAD_EUTILS_URL": pubmed.url,
            "SCIREAD_EUTILS_PAUSE": "0",
        }
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        yield works


@pytest.fixture
def listed(shell, tmp_path):
    """Add papers to the library, from BibTeX with titles and DOIs only."""

    def add(*numbers, **more):
        entries = []
        for number in numbers:
            work = numbered(number)
            fields = {"title": work.title, "doi": work.doi} | more
            body = ", ".join(f"{name} = {{{value}}}" for name, value in fields.items())
            entries.append(f"@article{{k{number}, {body}}}")
        (tmp_path / "works.bib").write_text("\n".join(entries))
        shell.run("add", str(tmp_path / "works.bib"))

    return add


def test_hundred_mixed_identifiers_are_added_and_each_is_reported(shell, works, tmp_path):
    works.add(
        *(numbered(n, registry="datacite") for n in range(60, 70)),
        *(Work("", f"A treatise on number {n}", isbn=isbn) for n, isbn in enumerate(ISBNS)),
        numbered(80, title=numbered(30).title, year=1960),
    )
    pages = [
        works.page_of(f"p{n}", citation_title=numbered(n).title, citation_doi=numbered(n).doi)
        for n in range(25, 30)
    ]
    texts = [
        *(numbered(n).doi for n in range(10)),
        *(f"https://doi.org/{numbered(n).doi}" for n in range(10, 20)),
        *(numbered(n).title for n in range(20, 25)),
        *pages,
        *(numbered(n).doi for n in range(60, 70)),
        *(f"arXiv:{id}" for id in works.arxiv_ids[:15]),
        *(f"https://arxiv.org/pdf/{id}" for id in works.arxiv_ids[15:20]),
        *(str(FIRST_PMID + n) for n in range(10)),
        *(f"PMC{FIRST_PMCID + n}" for n in range(10, 20)),
        *ISBNS,
        "10.1000/radium",  # in the library, see BIB
        *(numbered(n).title.upper() for n in range(5)),  # named before
        numbered(30).title,  # of two papers
        "A title that nobody has ever written",
        *(f"10.5555/unknown.{n}" for n in range(6)),
        f"{works.url}page/none",
    ]  # fmt: skip
    assert len(texts) == 100
    file = tmp_path / "texts.txt"
    file.write_text("\n".join(texts))
    before = shell.json("status")["papers"]
    entries = shell.json("add", "--list", str(file), code=1)["entries"]
    assert [entry["text"] for entry in entries] == texts
    states = [entry["state"] for entry in entries]
    counts = {state: states.count(state) for state in set(states)}
    assert shell.json("status")["papers"] == before + counts["added"]
    assert counts == EXPECTED
    again = shell.json("add", "--list", str(file), code=1)["entries"]
    assert "added" not in {entry["state"] for entry in again}


ISBNS = ("9780306406157", "9783161484100", "9780262035613", "9780262533058", "9780201896831")
EXPECTED = {"added": 85, "in library": 6, "offered": 1, "not found": 8}


def test_identifiers_are_read_from_standard_input(shell, works):
    text = f"{numbered(1).doi}\n\n{numbered(2).doi} {works.arxiv_ids[0]}\n"
    arguments = ["add", "-", "--json", "--home", str(shell.home)]
    result = CliRunner().invoke(cli.app, arguments, input=text)
    assert [one["state"] for one in json.loads(result.stdout)["entries"]] == ["added"] * 3


def test_list_in_an_older_encoding_is_read(shell, works, tmp_path):
    (tmp_path / "list.txt").write_bytes(f"Müller\n{numbered(1).doi}\n".encode("latin-1"))
    entries = shell.json("add", "--list", str(tmp_path / "list.txt"), code=1)["entries"]
    assert [one["text"] for one in entries] == ["Müller", numbered(1).doi]
    assert entries[1]["state"] == "added"


def test_file_and_identifier_are_added_together(shell, works, tmp_path):
    (tmp_path / "more.bib").write_text("@book{b, title = {Another book}}")
    answer = shell.json("add", str(tmp_path / "more.bib"), numbered(1).doi)
    assert (answer["added"], answer["entries"][0]["state"]) == (1, "added")


def test_word_that_is_no_file_is_not_sent(shell, works):
    shell.run("add", "mistyped.bib", code=1)
    assert not works.requests


def test_added_papers_are_shown_with_their_states(shell, works):
    output = shell.run("add", numbered(1).doi, "10.5555/nobody", code=1).output
    assert "added" in output and "not found" in output


def test_lookup_shows_changes_and_makes_none(shell, works, listed):
    listed(1)
    answer = shell.json("lookup", numbered(1).doi)
    [suggestion] = answer["suggestions"]
    fields = {change["field"]: change for change in suggestion["changes"]}
    assert fields["abstract"]["new"] == numbered(1).abstract and fields["abstract"]["fills"]
    assert not fields["abstract"]["applied"] and answer["edit"] is None
    assert shell.json("show", numbered(1).doi)[0]["abstract"] == ""


def test_lookup_names_the_papers_that_were_not_found(shell, works, listed):
    listed(1, 99)  # the services have 60
    answer = shell.json("lookup", numbered(1).doi, numbered(99).doi)
    [lost] = shell.json("show", numbered(99).doi)
    assert (answer["unknown"], answer["not_found"]) == (1, [lost["id"]])
    assert lost["title"] in shell.run("lookup", numbered(99).doi).stdout


def test_lookup_fills_what_is_missing_and_is_undone_at_once(shell, works, listed):
    listed(*range(10))
    answer = shell.json("lookup", "--missing", "abstract", "--apply")
    assert answer["edit"] and len(answer["suggestions"]) >= 10
    assert all(one["abstract"] for one in shell.json("show", *(numbered(n).doi for n in range(10))))
    shell.run("undo")
    assert not any(
        one["abstract"] for one in shell.json("show", *(numbered(n).doi for n in range(10)))
    )


def test_lookup_replaces_only_the_fields_that_are_named(shell, works, listed):
    listed(1, year="1999", journal="Wrong Journal")
    shell.json("lookup", numbered(1).doi, "--apply", "--replace", "year")
    [shown] = shell.json("show", numbered(1).doi)
    assert (shown["year"], shown["venue"]) == (1951, "Wrong Journal")


def test_lookup_keeps_edited_fields(shell, works, listed):
    listed(1)
    shell.run("edit", numbered(1).doi, "venue=Mine")
    shell.json("lookup", numbered(1).doi, "--apply", "--replace", "venue")
    assert shell.json("show", numbered(1).doi)[0]["venue"] == "Mine"


def test_lookup_of_one_field_is_undone(shell, works, listed):
    listed(1, journal="Old Journal")
    shell.json("lookup", numbered(1).doi, "--apply", "--replace", "venue")
    asked = len(works.requests)
    answer = shell.json("lookup", numbered(1).doi, "--undo", "venue", "--undo", "date")
    assert answer["edit"] and set(answer["undone"][0]["fields"]) == {"venue", "published"}
    [shown] = shell.json("show", numbered(1).doi)
    assert (shown["venue"], shown["published"]) == ("Old Journal", "")
    assert shown["abstract"] == numbered(1).abstract
    assert "venue" not in {one["field"] for one in shown["looked_up"]}
    assert len(works.requests) == asked
    shell.run("undo")
    assert shell.json("show", numbered(1).doi)[0]["venue"] == "Annals of Works"


def test_lookup_that_was_never_made_is_not_undone(shell, works, listed):
    listed(1, journal="Old Journal")
    assert shell.json("lookup", numbered(1).doi, "--undo", "venue")["edit"] is None
    assert shell.json("show", numbered(1).doi)[0]["venue"] == "Old Journal"


def test_candidate_is_used_if_it_is_named(shell, works, tmp_path):
    (tmp_path / "c.bib").write_text(f"@article{{c, title = {{{numbered(3).title}}}}}")
    shell.run("add", str(tmp_path / "c.bib"))
    assert shell.json("lookup", "c")["suggestions"][0]["candidates"][0]["year"] == 1953
    shell.json("lookup", "c", "--apply", "--candidate", "1")
    assert f"doi:{numbered(3).doi}" in shell.json("show", "c")[0]["identifiers"]
    shell.run("undo")
    assert f"doi:{numbered(3).doi}" not in shell.json("show", "c")[0]["identifiers"]


def test_service_that_fails_is_named(shell, works, listed):
    listed(1)
    works.fail(faults.status(401), times=99, when=lambda asked: "crossref" in asked.path)
    answer = shell.json("lookup", numbered(1).doi, code=1)
    assert [one["source"] for one in answer["failures"]] == ["Crossref"]
    assert answer["unanswered"] == 1


@pytest.mark.parametrize(
    "arguments",
    [(), ("--missing", "taste"), ("--all", "--replace", "year"), ("--all", "--candidate", "1")],
)
def test_wrong_usage_of_lookup_sends_nothing(shell, works, arguments):
    shell.run("lookup", *arguments, code=2)
    assert not works.requests

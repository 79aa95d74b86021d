"""Import of the library of a Zotero that runs on this computer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sciread_app import cli
from sciread_app.domain.paper import Author, Identifier, PaperId
from sciread_app.errors import SourceError
from sciread_app.formats.zotero import items
from sciread_app.services.ingest.importer import Importer
from sciread_app.services.ingest.zotero.importer import ZoteroImporter
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.sources.endpoints import endpoints
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.sources.zotero import PAGE
from sciread_app.tasks import Task
from tests.support.servers.local import Answer, Asked, LocalServer

ARTICLE = {
    "key": "AAAA1111",
    "itemType": "journalArticle",
    "title": "On the <i>life</i> of bees",
    "creators": [
        {"creatorType": "author", "firstName": "Maurice", "lastName": "Maeterlinck"},
        {"creatorType": "author", "name": "Society of Bees"},
        {"creatorType": "editor", "firstName": "Ed", "lastName": "Itor"},
    ],
    "abstractNote": "Bees live.",
    "publicationTitle": "Annals of Bees",
    "date": "1901-05",
    "DOI": "10.1000/bees",
    "volume": "3",
    "issue": "2",
    "pages": "1-9",
    "extra": "Citation Key: maeterlinck1901\nPMID: 12345",
    "tags": [{"tag": "to read"}, {"tag": "Insecta", "type": 1}],
    "collections": ["CCCC2222"],
}
SHELVES = [
    {"key": "CCCC1111", "name": "Thesis", "parentCollection": False},
    {"key": "CCCC2222", "name": "Bees/Wasps", "parentCollection": "CCCC1111"},
]


class FakeZotero(LocalServer):
    """Answer like Zotero's local API: lists, a hundred at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.top = [ARTICLE]
        self.children: list[dict[str, object]] = []
        self.odd: set[int] = set()  # positions in `top` replaced by an invalid entry

    def respond(self, asked: Asked) -> Answer:
        found: list[dict[str, object]] = []
        if asked.path.endswith("/collections"):
            found = [{"data": one} for one in SHELVES]
        elif asked.path.endswith("/items/top"):
            found = [{"data": one} for one in self.top]
            found = [{} if n in self.odd else one for n, one in enumerate(found)]
        elif asked.path.endswith("/items"):
            kind = asked.params["itemType"]
            found = [one for one in self.children if one["data"]["itemType"] == kind]
        start, limit = int(asked.params["start"]), int(asked.params["limit"])
        return Answer(json.dumps(found[start : start + limit]).encode(), "application/json")


@pytest.fixture
def server() -> Iterator[FakeZotero]:
    with FakeZotero() as server:
        yield server


@pytest.fixture
def run_import(library, server, tmp_path):
    addresses = endpoints({"SCIREAD_ZOTERO_URL": f"{server.url}api/users/0/"}, None)
    with Client(tmp_path / "cache", addresses, retry_policy=RetryPolicy(tries=1)) as client:
        yield lambda: ZoteroImporter(library, Importer(library), lambda: client).import_all(Task())


def attach(server: FakeZotero, path: Path, parent: str = "AAAA1111") -> None:
    data = {"itemType": "attachment", "parentItem": parent, "linkMode": "imported_file"}
    server.children.append({"data": data, "links": {"enclosure": {"href": path.as_uri()}}})


def test_zotero_paper_is_imported_with_tags_notes_and_files(library, server, run_import, tmp_path):
    file = tmp_path / "bees of all.pdf"
    file.write_bytes(b"%PDF-1.4 broken")
    attach(server, file)
    note = {"itemType": "note", "parentItem": "AAAA1111", "note": "<p>Fine &amp; dandy</p><p>x</p>"}
    server.children.append({"data": note})
    report = run_import()
    assert (report.read, report.added, report.failed) == (1, 1, 0)
    (paper,) = library.get([1])
    assert paper.title == "On the life of bees" and paper.kind == "article-journal"
    assert paper.authors[0] == Author("Maeterlinck", "Maurice") and paper.authors[1].literal
    assert (paper.venue, paper.published) == ("Annals of Bees", "1901-05")
    assert set(paper.identifiers) == {
        Identifier("doi", "10.1000/bees"),
        Identifier("pmid", "12345"),
        Identifier("citekey", "maeterlinck1901"),
    }
    assert paper.extra["number"] == "2" and paper.extra["editor"] == "Itor, Ed"
    assert paper.keywords == ("Insecta",) and paper.files == (str(file),)
    marks = library.organisation.of([1])[1]
    assert marks.tags == ("to read",) and marks.collections == ("Thesis/Bees-Wasps",)
    assert [note.text for note in library.notes.of(1)] == ["Fine & dandy\nx"]


def test_second_zotero_import_adds_only_new_items(library, server, run_import):
    note = {"itemType": "note", "parentItem": "AAAA1111", "note": "<p>Once</p>"}
    server.children.append({"data": note})
    run_import()
    server.top.append({"key": "B", "itemType": "book", "title": "Ants", "collections": []})
    report = run_import()
    assert (report.added, report.merged) == (1, 1)
    assert len(library.notes.of(1)) == 1 and library.count() == 2


def dated_notes(*texts: str) -> list[dict[str, object]]:
    """Notes in Zotero's format, each created a minute after the previous one."""
    return [
        {
            "data": {
                "key": f"NNNN000{minute}",
                "itemType": "note",
                "parentItem": "AAAA1111",
                "note": f"<p>{text}</p>",
                "dateAdded": f"2024-05-01T10:0{minute}:00Z",
            }
        }
        for minute, text in enumerate(texts)
    ]


def test_note_edited_here_is_kept_and_not_imported_again(library, server, run_import):
    server.children = dated_notes("On bees", "On wasps", "On ants")
    run_import()
    notes = library.notes.of(1)
    assert [note.text for note in notes] == ["On bees", "On wasps", "On ants"]
    assert notes[0].added == datetime(2024, 5, 1, 10, tzinfo=UTC).timestamp()
    library.notes.change(notes[0].id, "On bees, and more")
    server.children = dated_notes("On bees", "On wasps, there", "On ants", "New")
    for _ in range(2):
        run_import()
        found = [note.text for note in library.notes.of(1)]
        assert found == ["On bees, and more", "On wasps, there", "On ants", "New"]


def test_removed_notes_and_tags_stay_removed_and_can_be_restored(library, server, run_import):
    server.children = dated_notes("On bees", "On wasps")
    run_import()
    editor = LibraryEditor(library)
    note = library.notes.of(1)[0]
    editor.change_note(note.id, "")
    editor.untag([1], "to read")
    editor.move_collection("Thesis", "PhD")
    editor.uncollect([1], "PhD/Bees-Wasps")
    for _ in range(2):
        run_import()
        assert [note.text for note in library.notes.of(1)] == ["On wasps"]
        marks = library.organisation.of([1])[1]
        assert (marks.tags, marks.collections) == ((), ())
        assert library.collections.paths() == ["PhD", "PhD/Bees-Wasps"]
    for _ in range(4):
        editor.undo()
    assert library.notes.of(1)[0] == note
    marks = library.organisation.of([1])[1]
    assert (marks.tags, marks.collections) == (("to read",), ("Thesis/Bees-Wasps",))
    server.top = [{**ARTICLE, "tags": [{"tag": "to read"}, {"tag": "later"}]}]
    run_import()
    assert library.organisation.of([1])[1].tags == ("later", "to read")
    assert len(library.notes.of(1)) == 2


def test_removed_tags_stay_removed_after_merge_and_split(library, server, run_import):
    server.top.append({"key": "B", "itemType": "book", "title": "Ants", "tags": [{"tag": "six"}]})
    run_import()
    editor = LibraryEditor(library)
    editor.untag([2], "six")
    editor.merge(PaperId(1), [PaperId(2)])
    run_import()
    assert library.organisation.of([1])[1].tags == ("to read",)
    editor.split(PaperId(1))
    run_import()
    assert all("six" not in one.tags for one in library.organisation.of(library.ids()).values())
    assert editor.undo() and editor.undo() and editor.undo()
    assert library.organisation.of([2])[2].tags == ("six",)


def test_large_zotero_library_is_imported_page_by_page(library, server, run_import):
    server.top = [
        {"key": f"K{n}", "itemType": "book", "title": f"Volume {n} of nothing in particular {n}"}
        for n in range(2 * PAGE + 7)
    ]
    report = run_import()
    assert report.added + report.merged == 2 * PAGE + 7 and library.count() == report.added


def test_invalid_entry_does_not_stop_zotero_import(library, server, run_import):
    server.top = [
        {"key": f"K{n}", "itemType": "book", "title": f"Volume {n} of nothing in particular {n}"}
        for n in range(PAGE + 7)
    ]
    server.odd = {3}
    assert run_import().read == PAGE + 6


def test_items_without_paper_are_reported_or_skipped(library, server, run_import):
    server.top = [
        {"key": "N", "itemType": "note", "note": "alone"},
        {"key": "X", "itemType": "book", "title": ""},
        {"key": "Y", "itemType": "book", "title": "Ants", "creators": ["odd"], "tags": "odd"},
        {"key": "Z", "itemType": "book", "title": "Odd", "creators": True, "collections": [{}, 1]},
        {"key": "H", "itemType": "book", "title": "Half\ud800", "tags": [{"tag": "\ud800"}]},
    ]
    server.children = [{"data": {"itemType": "attachment", "parentItem": "Y"}, "links": "odd"}]
    report = run_import()
    assert (report.added, report.failed) == (3, 1)
    assert report.skips[0].entry == "X" and "title" in report.skips[0].reason


def test_pdf_without_parent_item_becomes_a_paper(library, server, run_import, shared):
    pdf = next(iter(sorted((shared / "fixtures" / "pdf").glob("*.pdf"))))
    server.top = [{"key": "P", "itemType": "attachment", "path": str(pdf)}]
    report = run_import()
    assert (report.added, library.count()) == (1, 1)


def test_unreachable_zotero_raises_error_with_hint(library, server, run_import):
    server.fail(lambda answer: Answer(b"Local API is not enabled", "text/plain", 403))
    with pytest.raises(SourceError, match=r"Zotero .*not enabled") as refused:
        run_import()
    assert "Advanced" in refused.value.hint
    server.fail(lambda answer: Answer(b"<html>", "application/json"))
    with pytest.raises(SourceError, match="it is not valid JSON"):
        run_import()


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ({"itemType": "preprint", "archiveID": "arXiv:2101.00027"}, ("arxiv", "2101.00027")),
        ({"itemType": "book", "ISBN": "978-3-16-148410-0"}, ("isbn", "9783161484100")),
        ({"itemType": "thesis", "citationKey": "mine"}, ("citekey", "mine")),
    ],
)
def test_zotero_identifiers_are_parsed(data, wanted):
    found = items.paper({"key": "Z", "title": "T", **data})
    assert found is not None and tuple(found.identifiers) == (Identifier(*wanted),)


def test_zotero_command_imports_library(server, tmp_path, monkeypatch):
    monkeypatch.setenv("SCIREAD_ZOTERO_URL", f"{server.url}api/users/0/")
    monkeypatch.setenv("SCIREAD_CACHE", str(tmp_path / "cache"))
    home = ["--home", str(tmp_path / "home"), "--json"]
    answer = CliRunner().invoke(cli.app, ["zotero", *home])
    assert json.loads(answer.stdout)["added"] == 1 and answer.exit_code == 0
    server.top = [{"key": "X", "itemType": "book"}]
    answer = CliRunner().invoke(cli.app, ["zotero", *home])
    assert json.loads(answer.stdout)["failures"][0]["entry"] == "X" and answer.exit_code == 1

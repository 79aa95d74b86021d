"""The gateway of the intake page on a real library, with a fake source."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from sciread_app.domain.fetch import FetchPage, FetchState, Preview, QueryField, SourceQuery
from sciread_app.domain.metadata.paper_updates import UpdateKind
from sciread_app.domain.paper import Skipped
from sciread_app.errors import BadQuery
from sciread_app.paths import Home
from sciread_app.services.ingest.fetcher import Fetcher
from sciread_app.services.ingest.lookup.citation_fetcher import CitationFetchReport
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.tasks import Task
from sciread_app.ui.add_papers.gateway import AddPapersGateway
from sciread_app.workspace import Workspace
from tests.support.generate.papers import paper

BEES = SourceQuery("hive", "bees")


class Hive:
    """Yield the records that a test puts there."""

    KEY, TITLE, HELP = "hive", "The hive", "Write bees."
    FIELDS = (QueryField("Author", "au:{}", "Maja"),)
    OPERATORS = ()

    def __init__(self) -> None:
        self.records: list[Any] = [
            paper("Bees", arxiv="2101.00001", source="arxiv", extra={"version": "1"}),
            Skipped("page 1", "2101.00002", "It has no title."),
        ]

    def fetch(
        self, query: SourceQuery, cursor: str, client: object, task: Task
    ) -> Iterator[FetchPage]:
        if not cursor:
            yield FetchPage(self.records, "end", len(self.records))

    def preview(self, query: SourceQuery, client: object, task: Task) -> Preview:
        return Preview(2, self.records[:1])

    def check(self, query: SourceQuery) -> str:
        return "" if query.text == "bees" else "There are only bees here."

    def nothing_found_reason(self, now: object) -> str:
        return "Bees do not fly in winter."


@pytest.fixture
def hive() -> Hive:
    return Hive()


@pytest.fixture
def workspace(tmp_path, hive) -> Iterator[Workspace]:
    workspace = Workspace(Home(tmp_path))
    workspace.__dict__["fetcher"] = Fetcher(workspace.library, None, (hive,))
    yield workspace
    workspace.close()


@pytest.fixture
def intake(workspace) -> AddPapersGateway:
    return AddPapersGateway(workspace)


def test_sources_have_forms(intake):
    (form,) = intake.sources()
    assert (form.key, form.title, form.help) == ("hive", "The hive", "Write bees.")
    assert form.fields == Hive.FIELDS


def test_query_is_checked_and_previewed_without_fetching(intake, workspace):
    assert intake.check(BEES) == ""
    assert intake.check(replace(BEES, text="wasps")) == "There are only bees here."
    assert intake.preview(BEES, Task()).total == 2
    assert intake.fetches() == [] and workspace.library.count() == 0
    with pytest.raises(BadQuery):
        intake.keep(replace(BEES, text="wasps"))


def test_run_adds_papers_and_its_counts_add_up(intake):
    kept = intake.keep(BEES)
    results = intake.run(kept.id, Task())
    assert results.title == "The hive: bees"
    assert len(results.added) == 1 and not results.changes
    summary = results.summary
    assert summary.read == summary.added + summary.merged + summary.failed == 2
    assert summary.failures[0].entry == "2101.00002"
    assert [fetch.state for fetch in intake.fetches()] == [FetchState.done]
    assert intake.results(kept.id) == results


def test_second_run_reports_changes_or_the_reason_for_none(intake, hive):
    fetch = intake.keep(BEES).id
    intake.run(fetch, Task())
    hive.records = []
    assert intake.run(fetch, Task()).remark == "Bees do not fly in winter."
    hive.records = [paper("Bees", arxiv="2101.00001", source="arxiv", extra={"version": "3"})]
    (change,) = intake.run(fetch, Task()).changes
    assert (change.title, change.what, change.detail) == ("Bees", UpdateKind.version, "v3")


def test_empty_query_result_has_no_seasonal_remark(intake, hive):
    hive.records = []
    assert intake.run(intake.keep(BEES).id, Task()).remark == "No papers match the query."


def test_removed_fetch_keeps_its_papers(intake, workspace):
    fetch = intake.keep(BEES).id
    intake.run(fetch, Task())
    (before,) = intake.fetches()
    editor = LibraryEditor(workspace.library)
    editor.remove_query(fetch)
    assert intake.fetches() == [] and workspace.library.count() == 1
    editor.undo()
    assert intake.fetches() == [before] and before.papers == 1
    editor.redo()
    assert intake.fetches() == []


def test_removed_query_that_was_saved_again_stays_on_undo(intake, workspace):
    editor = LibraryEditor(workspace.library)
    editor.remove_query(intake.keep(BEES).id)
    again = intake.keep(BEES)
    editor.undo()
    assert intake.fetches() == [again]


def test_import_history_excludes_fetches(intake, workspace, tmp_path):
    intake.run(intake.keep(BEES).id, Task())
    file = tmp_path / "a.bib"
    file.write_text("@misc{a, title = {Wasps}}\n@misc{b, title = {No end\n", "utf-8")
    workspace.importer.add([file], Task())
    (past,) = intake.imports()
    assert past.what == str(file) and past.finished
    assert (past.read, past.added, past.failed) == (2, 1, 1)
    summary = intake.import_summary(past)
    assert [skipped.entry for skipped in summary.failures] == ["b"]
    assert [paper.title for paper in workspace.library.get(summary.papers)] == ["Wasps"]


def test_citation_report_is_in_sentences(intake, workspace):
    failed = [Skipped("Semantic Scholar", "3 papers", "It does not answer.")]
    fetched = CitationFetchReport(
        1200, 30, 9800, 4200, 3, failed, ["doi:10.1/x: its publisher keeps them."]
    )
    workspace.__dict__["citation_fetcher"] = SimpleNamespace(fetch=lambda task: fetched)
    report = intake.cite(Task())
    assert report.lines == [
        "1,200 papers looked up: 9,800 references and 4,200 citations.",
        "30 of them were not found in any source.",
        "3 papers could not be looked up; the next run tries the papers again.",
    ]
    assert report.failures == failed
    assert report.remarks == [Skipped("", "doi:10.1/x", "its publisher keeps them.")]
    workspace.__dict__["citation_fetcher"] = SimpleNamespace(
        fetch=lambda task: CitationFetchReport()
    )
    assert "already looked up" in intake.cite(Task()).lines[0]


def test_searching_loads_no_network_modules():
    program = (
        "import sys, sciread_app.ui.shell.gateway, sciread_app.ui.shell.main_window;"
        "loaded = {'httpx', 'keyring', 'sciread_app.sources'} & set(sys.modules);"
        "sys.exit(f'it loads {loaded}' if loaded else 0)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr

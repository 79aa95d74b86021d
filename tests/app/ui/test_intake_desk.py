"""A real library, and real fetching from a source made up here, behind the intake page."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from sciread_app.domain.fetches import Page, Preview, QueryField, SourceQuery, State
from sciread_app.domain.news import What
from sciread_app.domain.paper import Skipped
from sciread_app.errors import BadQuery
from sciread_app.paths import Home
from sciread_app.services.citing import Report
from sciread_app.services.fetching import Fetching
from sciread_app.tasks import Task
from sciread_app.ui.intake_desk import WorkspaceIntake
from sciread_app.workspace import Workspace
from tests.make import paper

BEES = SourceQuery("hive", "bees")


class Hive:
    """A source whose papers are what a test puts there."""

    KEY, TITLE, HELP = "hive", "The hive", "Write bees."
    FIELDS = (QueryField("Author", "au:{}", "Maja"),)

    def __init__(self) -> None:
        self.records: list[Any] = [
            paper("Bees", arxiv="2101.00001", source="arxiv", extra={"version": "1"}),
            Skipped("page 1", "2101.00002", "It has no title."),
        ]

    def fetch(self, query: SourceQuery, cursor: str, client: object, task: Task) -> Iterator[Page]:
        if not cursor:
            yield Page(self.records, "end", len(self.records))

    def preview(self, query: SourceQuery, client: object, task: Task) -> Preview:
        return Preview(2, self.records[:1])

    def check(self, query: SourceQuery) -> str:
        return "" if query.text == "bees" else "There are only bees here."

    def why_nothing(self, now: object) -> str:
        return "Bees do not fly in winter."


@pytest.fixture
def hive() -> Hive:
    return Hive()


@pytest.fixture
def workspace(tmp_path, hive) -> Iterator[Workspace]:
    workspace = Workspace(Home(tmp_path))
    workspace.__dict__["fetching"] = Fetching(workspace.library, None, (hive,))
    yield workspace
    workspace.close()


@pytest.fixture
def intake(workspace) -> WorkspaceIntake:
    return WorkspaceIntake(workspace)


def test_sources_are_offered_as_forms(intake):
    (form,) = intake.sources()
    assert (form.key, form.title, form.help) == ("hive", "The hive", "Write bees.")
    assert form.fields == Hive.FIELDS


def test_a_query_is_checked_and_looked_at_before_anything_is_fetched(intake, workspace):
    assert intake.check(BEES) == ""
    assert intake.check(replace(BEES, text="wasps")) == "There are only bees here."
    assert intake.preview(BEES, Task()).total == 2
    assert intake.fetches() == [] and workspace.library.count() == 0
    with pytest.raises(BadQuery):
        intake.keep(replace(BEES, text="wasps"))


def test_a_run_brings_papers_with_a_ledger_that_adds_up(intake):
    kept = intake.keep(BEES)
    brought = intake.run(kept.id, Task())
    assert brought.title == "The hive: bees"
    assert len(brought.added) == 1 and not brought.changes
    ledger = brought.ledger
    assert ledger.read == ledger.added + ledger.merged + ledger.failed == 2
    assert ledger.failures[0].entry == "2101.00002"
    assert [fetch.state for fetch in intake.fetches()] == [State.done]
    assert intake.brought(kept.id) == brought


def test_a_second_run_tells_what_has_changed_or_why_nothing_came(intake, hive):
    fetch = intake.keep(BEES).id
    intake.run(fetch, Task())
    hive.records = []
    assert intake.run(fetch, Task()).remark == "Bees do not fly in winter."
    hive.records = [paper("Bees", arxiv="2101.00001", source="arxiv", extra={"version": "3"})]
    (change,) = intake.run(fetch, Task()).changes
    assert (change.title, change.what, change.detail) == ("Bees", What.version, "v3")


def test_a_query_that_finds_nothing_is_not_excused_with_the_season(intake, hive):
    hive.records = []
    assert intake.run(intake.keep(BEES).id, Task()).remark == "The query finds no papers."


def test_a_fetch_that_is_forgotten_leaves_its_papers(intake, workspace):
    fetch = intake.keep(BEES).id
    intake.run(fetch, Task())
    intake.forget(fetch)
    assert intake.fetches() == [] and workspace.library.count() == 1


def test_the_history_of_files_holds_no_fetches(intake, workspace, tmp_path):
    intake.run(intake.keep(BEES).id, Task())
    file = tmp_path / "a.bib"
    file.write_text("@misc{a, title = {Wasps}}\n@misc{b, title = {No end\n", "utf-8")
    workspace.intake.add([file], Task())
    (past,) = intake.imports()
    assert past.what == str(file) and past.finished
    assert (past.read, past.added, past.failed) == (2, 1, 1)
    assert [skipped.entry for skipped in intake.import_ledger(past.id).failures] == ["b"]
    with pytest.raises(LookupError):
        intake.import_ledger(99)


def test_citations_are_told_in_sentences(intake, workspace):
    failed = [Skipped("Semantic Scholar", "3 papers", "It does not answer.")]
    report = Report(1200, 30, 9800, 4200, 3, failed, ["doi:10.1/x: its publisher keeps them."])
    workspace.__dict__["citing"] = SimpleNamespace(fetch=lambda task: report)
    told = intake.cite(Task())
    assert told.lines == [
        "1,200 papers asked for: 9,800 references and 4,200 citations.",
        "30 of them are known to no source.",
        "3 papers had no answer; the next time asks for them.",
    ]
    assert told.failures == failed
    assert told.remarks == [Skipped("", "doi:10.1/x", "its publisher keeps them.")]
    workspace.__dict__["citing"] = SimpleNamespace(fetch=lambda task: Report())
    assert "asked for already" in intake.cite(Task()).lines[0]


def test_a_window_that_only_searches_loads_nothing_of_the_network():
    program = (
        "import sys, sciread_app.ui.desk, sciread_app.ui.main_window;"
        "loaded = {'httpx', 'keyring', 'sciread_app.sources'} & set(sys.modules);"
        "sys.exit(f'it loads {loaded}' if loaded else 0)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr

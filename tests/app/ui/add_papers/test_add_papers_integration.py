"""Fetch papers from a server that answers as arXiv does into a real library, in the window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sciread_app.domain.fetch import FetchState
from sciread_app.settings import Settings, write_settings
from sciread_app.ui.shell.gateway import open_gateway
from sciread_app.ui.shell.main_window import MainWindow
from tests.support.models.tiny_model import tiny_package
from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.faults import too_many
from tests.support.ui.heartbeat import FairHeartbeat


@pytest.fixture
def arxiv(tmp_path, monkeypatch) -> Iterator[ArxivServer]:
    with ArxivServer(5_000) as server:
        for name, value in {
            "SCIREAD_CACHE": str(tmp_path / "cache"),
            "SCIREAD_ARXIV_URL": f"{server.url}api/query",
            "SCIREAD_ARXIV_OAI_URL": f"{server.url}oai",
            "SCIREAD_ARXIV_PAUSE": "0",
            "SCIREAD_ARXIV_OAI_PAUSE": "0",
        }.items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.fixture
def failures(jobs) -> list[str]:
    """Return the list to which the messages of failed jobs are added."""
    found: list[str] = []
    jobs.failed.connect(lambda job, problem: found.append(f"{job.title}: {problem}"))
    return found


@pytest.fixture
def window(failures, qtbot, jobs, new_window, tmp_path, arxiv) -> Iterator[MainWindow]:
    home = tmp_path / "home"
    (home / "models").mkdir(parents=True)
    tiny_package(home / "models" / "tiny")
    write_settings(home / "settings.toml", Settings(model="tiny"))
    window = new_window(home)
    gateway = open_gateway(home)
    window.open(gateway)
    qtbot.waitUntil(lambda: window.is_open)
    qtbot.waitUntil(lambda: not jobs.running(), timeout=250_000)
    yield window
    jobs.shut_down()
    gateway.close()


def noted(running):
    """The last note of a running fetch."""
    return running.progress.note if running else ""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_fetch_adds_papers_to_the_list(qtbot, window, jobs, arxiv, failures):
    window.new_query()
    page = window.other_page("intake")
    qtbot.waitUntil(page.form.isVisible)
    page.form.line.setText("cat:cs.CL")
    page.form.look()
    qtbot.waitUntil(page.preview.count.isVisible, timeout=250_000)
    expected = sum("cs.CL" in paper.categories for paper in arxiv.papers.values())
    assert page.preview.count.text() == f"{expected:,} papers"

    arxiv.fail(too_many(retry_after=2), 1)
    notes, heart = set(), FairHeartbeat()
    heart.start()
    page.work.fetch_changed.connect(lambda id: notes.add(noted(page.work.running(id))))
    page.form.fetch()
    qtbot.waitUntil(lambda: bool(page.list.cards) and not jobs.running(), timeout=250_000)
    (card,) = page.list.cards.values()
    assert card.fetch.state is FetchState.done
    assert card.fetch.read == card.fetch.added == expected
    assert any("429" in note and note.endswith(" s)") for note in notes)
    assert window.page.model.rowCount() == expected
    by_meaning = "all indexed"
    status_text = window._status_bar.status.text
    qtbot.waitUntil(lambda: bool(failures) or by_meaning in status_text(), timeout=250_000)
    assert not failures, "\n".join(failures)
    # Generous: it must catch work of seconds on the window's own thread.
    print(f"longest gap {heart.stop():.0f} ms")
    assert heart.longest_ms < 1_000

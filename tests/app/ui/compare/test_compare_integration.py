"""Comparison of two models, with blind votes, on a real library."""

from __future__ import annotations

import pytest

from sciread_app import workspace as workspaces
from sciread_app.domain.votes import Question
from sciread_app.paths import Home
from sciread_app.services.models.blind_votes import BlindVotes, VoteTally
from sciread_app.storage.library import Library
from sciread_app.ui.shell.gateway import WindowGateway
from sciread_app.workspace import Workspace
from tests.support.generate.papers import paper
from tests.support.models.fake_models import FakeModel
from tests.support.models.tiny_model import tiny_package

WORDS = ("bees", "wasps", "hornets", "ants", "flies", "moths")


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """Return the ids of the packages whose models were opened."""
    opened: list[str] = []

    def encoder(package):
        opened.append(package.id)
        model = FakeModel(package.id, lambda text: None)
        model.title = package.title
        return model

    monkeypatch.setattr(workspaces, "EncoderProcess", encoder)
    tiny_package(tmp_path / "models" / "ours", id="ours", title="Ours")
    return opened


@pytest.fixture
def workspace(tmp_path, opened):
    workspace = Workspace(Home(tmp_path))
    workspace.library.put([paper(f"On {word}", abstract=f"About {word}.") for word in WORDS])
    yield workspace
    workspace.close()


@pytest.fixture
def page(show_window, workspace):
    window = show_window(WindowGateway(workspace))
    window.go_to("compare")
    return window.other_page("compare")


def test_two_models_are_compared_voted_on_and_votes_taken_back(
    qtbot, jobs, page, workspace, tmp_path, opened
):
    panel = page.panel
    page.search_box.set_text("like:1")
    qtbot.waitUntil(panel.sides[1].read_button.isVisible)
    panel.sides[1].read_button.click()
    for side in panel.sides:
        qtbot.waitUntil(lambda side=side: side.model.rowCount() > 0)
    title = workspace.models.find("starter").title
    assert [side.title.text() for side in panel.sides] == [title, "Ours"]
    assert sorted(opened) == ["ours", "starter"]  # the active model is not opened a second time
    found = [list(side.model.listing.ids) for side in panel.sides]
    assert found[0] != found[1] and sorted(found[0]) == sorted(found[1])

    panel.chooser.blind.setChecked(True)
    page.search_box.set_text("like:2")
    qtbot.waitUntil(lambda: panel.trial.query == "like:2" and panel.can_vote)
    better = panel.trial.sides[0]
    panel.vote(0)
    qtbot.waitUntil(lambda: "Blind votes on 1 search:" in panel.ballot.text.text())
    name = title if better == "starter" else "Ours"
    assert f"voted for {name}" in panel.ballot.text.text()

    elsewhere = Library(tmp_path / "library.sqlite3")
    spaces = {model.name: model.space for model in workspace.models.all()}
    votes = BlindVotes(elsewhere, lambda: spaces)
    assert votes.between("ours", "starter").ahead == better
    votes.cast(Question("moths"), "ours", "starter", "")
    panel.take_back()  # the last one, whichever connection cast it
    qtbot.waitUntil(lambda: "“moths” was undone" in panel.ballot.text.text())
    panel.take_back()
    qtbot.waitUntil(lambda: votes.between("ours", "starter") == VoteTally("ours", "starter"))
    elsewhere.close()
    qtbot.waitUntil(lambda: not jobs.running())

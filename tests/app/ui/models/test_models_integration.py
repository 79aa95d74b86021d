"""The models page on a real library: add, rename, activate, remove and restore."""

from __future__ import annotations

import zipfile

import pytest

from sciread_app import workspace
from sciread_app.tasks import Task
from sciread_app.ui.shell.gateway import open_gateway
from tests.support.generate.papers import paper
from tests.support.models.fake_encoder import FakeEncoder
from tests.support.models.tiny_model import tiny_package
from trainer.contract.package import read_package


class TimedEncoder(FakeEncoder):
    """An encoder whose space is that of its package and that reports its speed."""

    def __init__(self, package) -> None:
        super().__init__(package.space)
        self.title = package.title
        self.on_timed = lambda texts, seconds: None

    def encode(self, texts, task=None, *, queries=False):
        vectors = super().encode(texts, task)
        if len(texts) > 1:
            self.on_timed(len(texts), 0.5)
        return vectors


@pytest.fixture
def gateway(tmp_path, monkeypatch):
    monkeypatch.setattr(workspace, "EncoderProcess", TimedEncoder)
    gateway = open_gateway(tmp_path)
    gateway.workspace.library.put([paper(f"On bees, part {n}") for n in range(200)])
    yield gateway
    gateway.close()


@pytest.fixture
def zipped_model(tmp_path):
    """Return the path of a zipped model package."""
    made = tiny_package(tmp_path / "given" / "bees", id="bees", title="Bees", method="specter")
    file = tmp_path / "bees.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for path in sorted(made.folder.rglob("*")):
            archive.write(path, path.relative_to(made.folder.parent))
    return file


def test_model_is_added_activated_removed_and_restored(
    qtbot, show_window, gateway, jobs, zipped_model, tmp_path
):
    window = show_window(gateway)
    window.go_to("models")
    page = window.other_page("models")
    qtbot.waitUntil(lambda: bool(page.list.rows) and not jobs.running())
    page.downloads.add(zipped_model)
    qtbot.waitUntil(lambda: page.list.current == "bees" and not jobs.running())
    card = page.card
    assert card.title.text() == "Bees" and "200 papers must be indexed" in card.ready.text()

    page.rename()
    card.line.setText("Of bees")
    card.line.returnPressed.emit()
    qtbot.waitUntil(lambda: card.title.text() == "Of bees" and not jobs.running())
    assert read_package(tmp_path / "models" / "bees").title == "Of bees"

    page.activate()
    qtbot.waitUntil(lambda: "In use" in card.ready.text() and not jobs.running())
    assert gateway.workspace.active_model.model == "bees"
    assert gateway.workspace.models.about("bees").model.speed > 0
    assert page.unavailable_reason("remove") == "This model is in use"

    page.go_back()
    qtbot.waitUntil(
        lambda: gateway.workspace.active_model.model == "starter" and not jobs.running()
    )
    page.load("bees")
    qtbot.waitUntil(lambda: page.unavailable_reason("remove") == "" and not jobs.running())
    page.remove()
    qtbot.waitUntil(lambda: len(gateway.workspace.models.trashed()) == 1 and not jobs.running())
    [removed] = gateway.workspace.models.trashed()
    page.load(removed.key)
    qtbot.waitUntil(lambda: page.card.removed is not None and not jobs.running())
    page.restore()
    qtbot.waitUntil(lambda: page.list.current == "bees" and not jobs.running())
    assert "Ready to use" in card.ready.text()


def test_model_removed_elsewhere_disappears_from_the_list(
    qtbot, show_window, gateway, jobs, zipped_model
):
    gateway.workspace.installer.add(zipped_model, Task())
    window = show_window(gateway)
    window.go_to("models")
    page = window.other_page("models")
    qtbot.waitUntil(lambda: len(page.list.rows) == 2 and not jobs.running())
    gateway.workspace.models.remove("bees")  # as another program would
    page.list.setCurrentIndex(page.list.model().index(1, 0))
    qtbot.waitUntil(lambda: page.list.rows[1].key == "" and not jobs.running())
    assert not window.messages.isVisible()

"""Screenshots of the models page: the starter alone, activation, damage, additions, trash."""

from __future__ import annotations

import json
from pathlib import Path

from sciread_app.services.models.installer import DownloadRequest
from sciread_app.services.models.registry import ModelState
from sciread_app.services.subprocess import trainer as trainer_process
from sciread_app.storage.organisation.active_model import ModelRef
from sciread_app.tasks import Task
from sciread_app.ui.models.hub_dialog import HubDialog
from sciread_app.ui.models.page import ModelsPage
from sciread_app.ui.shell.gateway import WindowGateway
from sciread_app.ui.shell.main_window import MainWindow
from tests.screenshots.scene import EVERYWHERE, Scene, let_pass, wait
from tests.support.models.tiny_model import tiny_package

CARD = """---
tags: ["scientific papers"]
---

# SPECTER on 20,000 papers

This model maps the title and abstract of a scientific paper to a vector, so that similar papers
have similar vectors.

## Limitations

Text beyond 512 tokens is ignored. Similarity indicates what papers are about, not whether they are
correct.
"""
SCORES = (
    ("ranking", "map", 0.8127, 0.7312, 512),
    ("ranking", "ndcg", 0.9021, 0.8554, 512),
    ("neighbours", "precision@10", 0.3418, 0.2873, 1980),
    ("svm", "macro_f1", 0.6204, 0.6311, 1980),
    ("health", "mean_cosine", 0.184, 0.092, 2000),
)
TRAINING = {
    "recipe": "specter-small",
    "settings": {"margin": 0.5, "epochs": 3.0},
    "seed": 1,
    "corpus": {"papers": 20_000, "sha256": "5f3a9c1e" * 8},
    "seconds": 754.0,
    "ended": "2026-11-22T14:03:00+00:00",
    "device": "NVIDIA H100 80GB HBM3",
    "versions": {"sciread": "0.1.0", "torch": "2.13.0", "transformers": "5.4.0"},
}


def _page(window: MainWindow) -> ModelsPage:
    page = window.other_page("models")
    assert isinstance(page, ModelsPage)
    return page


def install(window: MainWindow) -> None:
    """Install a trained model, a model of the hub, and an incomplete one."""
    models = window._home / "models"
    made = window._home / "made"
    ours = tiny_package(
        made / "ours", id="specter-starter-5f3a", title="SPECTER on 20,000 papers",
        method="specter", base="starter", licence="Apache-2.0",
        created="2026-11-22T14:03:00+00:00", trainer="sciread 0.1.0",
        corpus={"papers": 20_000, "sha256": "5f3a9c1e" * 8},
    )  # fmt: skip
    rows = [
        {
            "evaluation": e,
            "metric": m,
            "value": v,
            "before": b,
            "n": n,
            "split": "test",
            "real": e not in ("svm", "health"),
        }
        for e, m, v, b, n in SCORES
    ]
    (ours.folder / "metrics.json").write_text(json.dumps(rows), "utf-8")
    (ours.folder / "training.json").write_text(json.dumps(TRAINING), "utf-8")
    (ours.folder / "README.md").write_text(CARD, "utf-8")
    hub = tiny_package(
        made / "hub", title="allenai/specter2_base", method="specter2", pooling="cls",
        base="allenai/specter2_base@3447645e1def9117997203454fa4495937bfbd83",
        licence="apache-2.0",
    )  # fmt: skip
    broken = tiny_package(
        made / "broken", title="A title that goes on and on, as those of models do when every "
        "setting of their training must find a place in it",
    )  # fmt: skip
    models.mkdir(exist_ok=True)
    for package, name in ((ours, "specter-5f3a"), (hub, "allenai--specter2_base"), (broken, "old")):
        package.folder.rename(models / name)
    (models / "old" / "model.safetensors").write_bytes(b"cut off")


def show(window: MainWindow) -> None:
    install(window)
    window.go_to("models")
    _choose(window, "specter-5f3a")


def _choose(window: MainWindow, key: str) -> None:
    page = _page(window)
    page.load(key)
    wait(lambda: page.list.current == key and (page.card.removed or page.card.about))
    wait(lambda: not page.card.about or page.card.about.model.name == key)


def down(window: MainWindow) -> None:
    card = _page(window).card
    card._card.button.setChecked(True)
    wait(lambda: card.text.isVisible())
    let_pass(200)
    card._scroll.verticalScrollBar().setValue(10_000)


def answering(window: MainWindow) -> None:
    _choose(window, "starter")


def damaged(window: MainWindow) -> None:
    _choose(window, "old")


def reading(window: MainWindow) -> None:
    """Show the page as during an activation: a real one would end before the screenshot."""
    _choose(window, "allenai--specter2_base")
    page, gateway = _page(window), window.gateway
    assert isinstance(gateway, WindowGateway)
    active = gateway.workspace.library.active_model
    active.begin("allenai--specter2_base", ModelRef("starter", ""))
    page._activation.share, page._activation._progress = 0.43, (58, 136, "")
    _choose(window, "allenai--specter2_base")
    wait(lambda: page.card.about and page.card.about.model.state is ModelState.pending)
    active.cancel("allenai--specter2_base")


def refused(window: MainWindow) -> None:
    file = window._home / "specter-of-a-friend.zip"
    file.write_bytes(b"no zip at all")
    page = _page(window)
    page.downloads.add(file)
    wait(lambda: page.downloads.entries and page.downloads.entries[0].problem)


def fetching(window: MainWindow) -> None:
    def ask(arguments: list[str], home: Path, task: Task) -> dict[str, str]:
        while True:
            task.step(430, 1_000, "malteos/scincl: 190 of 440 MB")
            task.wait(0.05, "")

    page, asks = _page(window), trainer_process.ask
    trainer_process.ask = ask
    page.downloads.pull(DownloadRequest("malteos/scincl"))
    wait(lambda: any("190" in entry.far.text() for entry in page.downloads.entries))
    trainer_process.ask = asks


def hub(window: MainWindow) -> None:
    page = _page(window)
    for entry in page.downloads.entries:
        entry.cancel.click()
    page.ask_hub()


def trash(window: MainWindow) -> None:
    for dialog in window.findChildren(HubDialog):
        dialog.reject()
    page = _page(window)
    _choose(window, "old")
    page.remove()
    wait(lambda: page._trashed)
    _choose(window, page._trashed[0].key)


SCENES = (
    Scene("models-alone", lambda window: window.go_to("models"), EVERYWHERE),
    Scene("models", show, EVERYWHERE),
    Scene("models-card", down, (100, 200)),
    Scene("models-answering", answering),
    Scene("models-reading", reading, (100, 200)),
    Scene("models-damaged", damaged, (100, 200)),
    Scene("models-refused", refused, (100, 200)),
    Scene("models-fetching", fetching),
    Scene("models-hub", hub, EVERYWHERE),
    Scene("models-trash", trash),
)

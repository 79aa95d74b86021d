"""Screenshots of the comparison of two models: by name, blind, after a vote."""

from __future__ import annotations

from sciread_app.domain.votes import Question
from sciread_app.tasks import Task
from sciread_app.ui.search.compare_page import ComparePage
from sciread_app.ui.shell.gateway import WindowGateway
from sciread_app.ui.shell.main_window import MainWindow
from tests.screenshots.scene import EVERYWHERE, Scene, wait
from tests.support.models.tiny_model import WORDS, tiny_package

OURS = "specter-small"


def _page(window: MainWindow) -> ComparePage:
    window.go_to("compare")
    page = window.other_page("compare")
    assert isinstance(page, ComparePage)
    return page


def _alone(window: MainWindow) -> None:
    _page(window).search_box.set_text("learning to see")


def _unread(window: MainWindow) -> None:
    """Install a second model."""
    made = window._home / "made" / OURS
    made.parent.mkdir()
    words = [*"abcdefghijklmnopqrstuvwxyz", *(f"##{letter}" for letter in "abcdefghijklmnopqrst")]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *words]
    tiny_package(made, vocabulary=vocabulary, id=OURS, title="SPECTER on our library")
    (window._home / "models").mkdir(exist_ok=True)
    made.rename(window._home / "models" / OURS)
    _page(window).panel.look_again()


def _named(window: MainWindow) -> None:
    page, gateway = _page(window), window.gateway
    assert isinstance(gateway, WindowGateway)
    gateway.comparisons.encode(OURS, Task())
    for n in range(7):
        gateway.comparisons.vote(Question(f"{n}"), OURS, "starter", "starter" if n < 5 else OURS)
    page.panel.look_again()
    wait(lambda: page.panel.sides[1].model.rowCount())
    page.panel.sides[0].result_list.go_to(1)


def _nameless(window: MainWindow) -> None:
    page = _page(window)
    page.panel.chooser.blind.setChecked(True)
    page.search_box.set_text("translation")
    wait(lambda: page.panel.trial.query == "translation" and page.panel.can_vote)


def _voted(window: MainWindow) -> None:
    page = _page(window)
    page.panel.vote(0)
    wait(lambda: page.panel.trial.voted)


def _seen(window: MainWindow) -> None:
    page = _page(window)
    page.search_box.set_text("learning to see")
    wait(lambda: page.panel.trial.query == "learning to see" and page.panel.trial.known)


SCENES = (
    Scene("compare-alone", _alone, EVERYWHERE),
    Scene("compare-unread", _unread, EVERYWHERE),
    Scene("compare", _named, EVERYWHERE),
    Scene("compare-nameless", _nameless, EVERYWHERE),
    Scene("compare-voted", _voted, EVERYWHERE),
    Scene("compare-seen", _seen),
)

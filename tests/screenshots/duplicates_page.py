"""Screenshots of the duplicates page: pairs, versions, no duplicates."""

from __future__ import annotations

from sciread_app.domain.paper import LibraryChanges
from sciread_app.tasks import Task
from sciread_app.ui.duplicates.page import VERSIONS
from sciread_app.ui.shell.main_window import MainWindow
from tests.screenshots.scene import EVERYWHERE, Scene

PAIRS = """
@article{rosen, title = {Perceptrons and the theory of brain mechanisms}, author = {Rosenblatt, F.},
 year = 1961, journal = {Spartan Books}, abstract = {A machine that learns to tell patterns apart
 from examples is built of simple units. It is shown that it finds a solution if there is one.}}
@book{minsky, title = {Perceptrons and the Theory of Brain Mechanisms.}, year = 1961,
 doi = {10.21236/AD0256582}, abstract = {A machine which learns to tell patterns apart from examples
 is made of simple units. It is shown that it finds a solution where there is one.}}
@article{agree1, title = {A theory of the learnable, and of what is not}, year = 1984,
 author = {Valiant, Leslie}}
@article{agree2, title = {A Theory of the Learnable and of What Is Not.}, year = 1984}
@article{note1, title = {Editorial}, author = {Curie, Marie and Joliot, Irène}, year = 1934,
 journal = {Comptes rendus}}
@article{note2, title = {Editorial}, author = {Curie, M.}, year = 1935, keywords = {radium}}
@article{long1, title = {A title that goes on and on, as titles of consortium papers do when every
 partner must find a word of his own in it, and that no line can hold}, year = 2024,
 author = {Wissenschaftlich-Technische-Zusammenarbeitsgemeinschaft, Anna}}
@article{long2, title = {A title that goes on and on, as titles of consortium papers do when every
 partner must find a word of his own in it, and which no line can hold}, year = 2024}
"""


def fill(window: MainWindow) -> None:
    """Add possible duplicates one after the other, each from a file of its own."""
    for number, entry in enumerate(PAIRS.split("@")[1:]):
        file = window._home / f"pair{number}.bib"
        file.write_text(f"@{entry}", "utf-8")
        window.gateway.workspace.import_files([file], Task())
    window.events.library_changed.emit(LibraryChanges(papers=True))


def empty(window: MainWindow) -> None:
    window.go_to("duplicates")


def pair(window: MainWindow) -> None:
    fill(window)
    window.go_to("duplicates")


def long_titles(window: MainWindow) -> None:
    page = window.other_page("duplicates")
    rows = page.list.model()
    page.list.setCurrentIndex(rows.index(rows.rowCount() - 1, 0))
    page.take_focus()


def versions(window: MainWindow) -> None:
    window.other_page("duplicates").lists.tab_stops()[VERSIONS].click()


SCENES = (
    Scene("duplicates-none", empty),
    Scene("duplicates", pair, EVERYWHERE),
    Scene("duplicates-long", long_titles, EVERYWHERE),
    Scene("duplicates-versions", versions),
)

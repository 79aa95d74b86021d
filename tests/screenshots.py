"""Pictures of the window on the sample library: `make screenshots` puts them in screenshots/."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from sciread_app.ui.desk import open_desk
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.ledger import LedgerDialog
from sciread_app.ui.main_window import MainWindow
from sciread_app.ui.theme import Appearance, Choice
from tests import (
    screenshots_duplicates,
    screenshots_foryou,
    screenshots_map,
    screenshots_paper,
    screenshots_reader,
    screenshots_search,
    screenshots_shelf,
    screenshots_shell,
)
from tests.screenshots_intake import Sources, sources

QUIET_MS = 350
Room = Sequence[tuple[str, Choice, Callable[[MainWindow], None]]]
ODD_PAPERS = """
@article{long, title = {A title that goes on and on, as titles of consortium papers do when every
 partner must find a word of his own in it, and that no card can hold in two lines however wide the
 window may be drawn by somebody with a very large screen indeed}, author = {Wissenschaftlich-
 Technische{-}Zusammenarbeitsgemeinschaft, Anna and Garc{\\'\\i}a, Jos{\\'e}}, year = 2024,
 abstract = {Kurz.}}
@article{arabic, title = {الذكاء الاصطناعي في اكتشاف الأدوية}, author = {الخوارزمي, محمد},
 year = 2023, abstract = {تصف هذه الورقة كيف تساعد الشبكات العصبية في العثور على جزيئات جديدة.}}
@article{chinese, title = {基于图神经网络的分子性质预测研究}, author = {王, 小明}, year = 2022,
 journal = {计算机学报}, abstract = {本文提出一种新的图神经网络模型，用于预测分子的性质。}}
@article{formula, title = {Measurement of $B^0_s \\to \\mu^+\\mu^-$ decays at $\\sqrt{s} = 13$ TeV},
 author = {{LHCb collaboration}}, year = 2022, abstract = {A search with 9 fb$^{-1}$ of data.}}
@article{broken, title = {This entry never ends
"""


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as cache, sources(cache) as served:
        _take_all(folder, served)


def _take_all(folder: Path, served: Sources) -> None:
    app = QApplication([])
    large = "QT_SCALE_FACTOR" in os.environ
    for number, room in enumerate(_large(served) if large else _rooms(served)):
        _take(app, folder, room, empty=not large and number == 0)
    if not large:
        subprocess.run(
            [sys.executable, "-m", "tests.screenshots", str(folder)],
            env={**os.environ, "QT_SCALE_FACTOR": "2"},
            check=True,
        )


def _rooms(served: Sources) -> Sequence[Room]:
    """Each with a library of its own: what one does to it is not for the next to see."""
    return (
        (
            ("library", Choice.light, lambda window: None),
            ("search", Choice.light, _search),
            ("search-dark", Choice.dark, _search),
            ("similar", Choice.light, _similar),
            ("wrong-query", Choice.light, lambda window: _type(window, "year:soon")),
            ("nothing-found", Choice.dark, lambda window: _type(window, "tag:nowhere")),
            ("ledger", Choice.light, _import),
            ("odd-titles", Choice.light, lambda window: _type(window, "")),
            ("keys", Choice.dark, lambda window: window.show_keys()),
        ),
        (
            ("intake-empty", Choice.light, served.empty),
            ("intake-preview", Choice.light, served.look),
            ("intake-waiting", Choice.light, served.wait),
            ("intake-waiting-dark", Choice.dark, lambda window: None),
            ("intake-done", Choice.light, served.finish),
            ("intake-brought", Choice.light, served.brought),
            ("intake-files", Choice.light, served.files),
            ("intake-citations", Choice.dark, served.citations),
        ),
        screenshots_paper.PICTURES,
        screenshots_duplicates.PICTURES,
        screenshots_reader.PICTURES,
        screenshots_map.PICTURES,
        screenshots_search.PICTURES,
        screenshots_shelf.PICTURES,
        screenshots_foryou.PICTURES,
        screenshots_shell.PICTURES,
    )


def _large(served: Sources) -> Sequence[Room]:
    return (
        (("search-at-200-percent", Choice.light, _search),),
        (("intake-at-200-percent", Choice.light, served.look),),
        screenshots_paper.LARGE,
        screenshots_duplicates.AT_200_PERCENT,
        screenshots_reader.AT_200_PERCENT,
        screenshots_map.AT_200_PERCENT,
        screenshots_search.AT_200_PERCENT,
        screenshots_shelf.AT_200_PERCENT,
        screenshots_foryou.LARGE,
        screenshots_shell.AT_200_PERCENT,
    )


def _take(app: QApplication, folder: Path, pictures: Room, *, empty: bool) -> None:
    """Pictures of one window, each after what was done for the one before; with `empty`, of a
    library with nothing in it, too."""
    appearance, jobs = Appearance(app, Choice.light), Jobs()
    with tempfile.TemporaryDirectory() as home:
        window = MainWindow(Path(home), jobs, appearance)
        desk = open_desk(Path(home))
        window.show()
        window.open(desk)
        _settle(jobs)
        if empty:
            _save(window, folder / "empty.png")
        window.importing.add_sample()
        _settle(jobs)
        for name, choice, prepare in pictures:
            appearance.choose(choice)
            prepare(window)
            _settle(jobs)
            dialog = next((d for d in window.findChildren(QDialog) if d.isVisible()), None)
            dialog = dialog or QApplication.activePopupWidget()
            _save(dialog or window, folder / f"{name}.png")
            if dialog:
                dialog.close()
        window.close()
        jobs.shut_down()
        desk.close()


def _type(window: MainWindow, text: str) -> None:
    window.page.box.set_text(text)


def _search(window: MainWindow) -> None:
    _type(window, "teaching a computer to win at board games")


def _similar(window: MainWindow) -> None:
    window.page.similar_to_chosen()


def _import(window: MainWindow) -> None:
    file = window._home / "odd.bib"
    file.write_text(ODD_PAPERS, "utf-8")
    window.importing.add([file])


def _settle(jobs: Jobs) -> None:
    """Wait until nothing has been going on for a while but what waits for others."""
    while True:
        loop = QEventLoop()
        QTimer.singleShot(QUIET_MS, loop.quit)
        loop.exec()
        if not jobs.running(Lane.heavy) and not jobs.running(Lane.light):
            return


def _save(widget: QWidget, file: Path) -> None:
    widget.grab().save(str(file))
    kind = "dialog" if isinstance(widget, LedgerDialog | QDialog) else "window"
    print(f"{file}  ({kind}, {widget.width()} x {widget.height()})")


if __name__ == "__main__":
    main()

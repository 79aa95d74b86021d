"""Responsiveness of the reader with a long file: `python -m benchmarks.bench_reader [FILE.pdf]`.

Without a file, one of 500 dense pages is made. The goal is that no scrolling, zooming or searching
holds the window up for more than 50 ms. Only what the window's own thread does is counted: what
else the machine does would say nothing of the reader.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
from PySide6.QtWidgets import QApplication

from sciread_app.domain.annotations.annotations import PageRegion
from sciread_app.services.library.reader import ReaderService
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from sciread_app.ui.application import SWITCH_INTERVAL
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.reader.document_view import DocumentView
from sciread_app.ui.reader.page import ReaderPage
from sciread_app.ui.style.theme import Appearance, ThemeChoice
from tests.support.generate.book import make_book
from tests.support.generate.papers import paper
from tests.support.generate.pdf import At, body
from tests.support.ui.fakes.context import context_of
from tests.support.ui.heartbeat import FairHeartbeat

PAGES = 500
SIZE = (1300, 900)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else long_file(Path(folder))
        library = Library(Path(folder) / "library.sqlite3")
        (id,) = library.put([paper("A long book")]).ids
        reading = ReaderService(library)
        drawing(reading, id, path)
        reader(reading, id, path, Path(folder))
        reading.close()
        library.close()


def long_file(folder: Path) -> Path:
    """Two columns of small print on each page, some 6,000 letters."""
    page = [*body(760, 70), *(At(text.text, 5, 330, text.y) for text in body(760, 70))]
    pages = [[At(f"Chapter {n + 1}", 16, 60, 780), *page] for n in range(PAGES)]
    path = folder / "long.pdf"
    path.write_bytes(make_book(pages=pages, outline=[(f"Chapter {n}", n) for n in range(PAGES)]))
    return path


def drawing(reading: ReaderService, id: int, path: Path) -> None:
    """Time to draw one page, as seen by the window."""
    begun = time.perf_counter()
    file = reading.open(id, path, "", Task())
    print(f"open: {1000 * (time.perf_counter() - begun):.0f} ms, {len(file.shape.sizes)} pages")
    size = file.shape.sizes[0]
    for name, scale in (("thumbnail", 0.2), ("100 %", 96 / 72), ("200 % of the screen", 192 / 72)):
        width, height = (min(round(edge * scale), 1536) for edge in size)
        times = []
        for page in range(1, min(12, len(file.shape.sizes))):
            begun = time.perf_counter()
            file.draw(PageRegion(page, scale, 0, 0, 0, width, height), Task())
            times.append(1000 * (time.perf_counter() - begun))
        times.sort()
        print(f"{name}: {times[len(times) // 2]:.0f} ms a page, {width} x {height} pixels")
    begun = time.perf_counter()
    file.page_text(0, Task())
    print(f"letters and links of a page: {1000 * (time.perf_counter() - begun):.0f} ms")
    begun = time.perf_counter()
    found = file.search("sentence", Task())
    print(f"search: {len(found.found):,} places in {time.perf_counter() - begun:.1f} s")
    file.close()


def reader(reading: ReaderService, id: int, path: Path, folder: Path) -> None:
    app = QApplication([])
    before = psutil.Process().memory_info().rss
    sys.setswitchinterval(SWITCH_INTERVAL)  # as in the program
    jobs = JobRunner()
    page = ReaderPage(
        reading,
        None,
        context_of(jobs, Appearance(app, ThemeChoice.light), folder),
    )
    page.resize(*SIZE)
    page.show()
    begun = time.perf_counter()
    page.read(id, path)
    pass_time(app, lambda: page.book is not None)
    book = page.book
    assert book
    pass_time(app, lambda: is_sharp(book))
    print(f"the first page is sharp {time.perf_counter() - begun:.2f} s after it was asked for")
    pass_time(app, lambda: not jobs.running())
    gc.collect()
    gc.freeze()  # as the program does when the library is open
    for name, act in (
        ("scrolling through all pages", scroll),
        ("jumping about", jump),
        ("zooming", zoom),
        ("searching while scrolling", search),
        ("choosing text over the page", choose),
    ):
        watch(app, name, book, act)
    resident = (psutil.Process().memory_info().rss - before) / 1e6
    children = sum(one.memory_info().rss for one in psutil.Process().children()) / 1e6
    print(f"memory: {resident:.0f} MB more, and {children:.0f} MB in the process that draws")
    page.close_tab()
    jobs.shut_down()


Act = Callable[[QApplication, DocumentView], object]


def watch(app: QApplication, name: str, book: DocumentView, act: Act) -> None:
    heart = FairHeartbeat()
    heart.start()
    begun = time.perf_counter()
    act(app, book)
    longest = heart.stop()
    waited = time.perf_counter()
    pass_time(app, lambda: is_sharp(book))
    print(
        f"{name}: deaf for {longest:.0f} ms at most, {heart.share_over(50):.1%} of "
        f"{waited - begun:.1f} s in gaps over 50 ms (goal: none); sharp "
        f"{1000 * (time.perf_counter() - waited):.0f} ms after it ended"
    )


def scroll(app: QApplication, book: DocumentView) -> None:
    bar = book.view.verticalScrollBar()
    for step in range(300):
        bar.setValue(bar.maximum() * step // 300)
        tick(app)


def jump(app: QApplication, book: DocumentView) -> None:
    count = len(book.view.file.shape.sizes)
    for step in range(60):
        book.view.go_to_page(step * 137 % count)
        for _ in range(4):
            tick(app)


def zoom(app: QApplication, book: DocumentView) -> None:
    for step in range(80):
        book.view.zoom_by(1.05 if step % 40 < 20 else 1 / 1.05)
        tick(app)
    book.view.set_zoom("width")


def search(app: QApplication, book: DocumentView) -> None:
    book.start_find()
    book.finding.start("sentence")
    bar = book.view.verticalScrollBar()
    while book.finding.result is None:
        bar.setValue((bar.value() + 120) % max(bar.maximum(), 1))
        tick(app)


def choose(app: QApplication, book: DocumentView) -> None:
    from PySide6.QtCore import QPoint, Qt
    from PySide6.QtTest import QTest

    viewport = book.view.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=QPoint(120, 60))
    for step in range(120):
        QTest.mouseMove(viewport, QPoint(120 + 5 * step, 60 + 5 * step))
        tick(app)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=QPoint(720, 660))


def is_sharp(book: DocumentView) -> bool:
    view = book.view
    seen = view._seen()
    parts = view._parts(view.layout_.pages(seen.top(), seen.bottom()), seen)
    return all(view.pictures.picture(part) for part in parts)


def tick(app: QApplication) -> None:
    app.processEvents()
    time.sleep(0.008)
    app.processEvents()


def pass_time(app: QApplication, until: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not until() and time.monotonic() < end:
        app.processEvents()
        time.sleep(0.001)


if __name__ == "__main__":
    main()

"""Screenshots of one paper: with all details, with none, and on its own page."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QWidget

from sciread_app.domain.citations import Mention
from sciread_app.domain.paper import Identifier, LibraryChanges, PaperId
from sciread_app.domain.query.parser import parse
from sciread_app.services.library.note_drafts import NEW
from sciread_app.tasks import Task
from sciread_app.ui.paper.related_papers import REFERENCES
from sciread_app.ui.shell.main_window import MainWindow
from tests.screenshots.scene import EVERYWHERE, Scene
from tests.support.generate.pdf import At, body, make_pdf

NOTE = """## Summary
Attention *alone* is enough: no recurrence, no convolution. See **section 3.2**.

1. Scaled dot products
2. Several heads, side by side

- [x] try the code
- [ ] read the appendix
"""
DRAFT = "Compare with what Bahdanau wrote in 2014, and with the"
LATER_MS = 200  # after the paper is shown, before the screenshot


def full(window: MainWindow) -> None:
    """Show the paper on attention, with notes, files, tags and citations."""
    window.page.close_paper()
    gateway = window.gateway
    mode = window.page.search_box.mode
    paper = gateway.search.find(parse("attention is all you need"), mode, Task()).ids[0]
    if not gateway.about.details(PaperId(paper), parse(""), Task()).notes:
        _add_details(window, PaperId(paper))
        window.events.library_changed.emit(LibraryChanges(papers=True))
    window.page.search_box.set_text("attention is all you need")


def _add_details(window: MainWindow, paper: PaperId) -> None:
    gateway, editor = window.gateway, window.gateway.workspace.editor
    for name, colour in (("to read", "orange"), ("transformers", "blue")):
        editor.tag([paper], name)
        editor.set_tag_colour(name, colour)
    editor.collect([paper], "thesis/chapter 2")
    editor.rate([paper], 4)
    editor.add_note(paper, NOTE)
    for name in ("vaswani2017attention.pdf", "supplement, moved to another disk.pdf"):
        file = window._home / name
        file.write_bytes(make_pdf([At("Attention"), *body()], [At("More"), *body()]))
        gateway.about.attach(paper, file, Task())
    file.unlink()
    own = Identifier("arxiv", "1706.03762")
    outside = [Identifier("doi", f"10.5555/outside.{n}") for n in range(7)]
    known = gateway.workspace.library
    inside = [next(iter(one.identifiers)) for one in known.get(known.ids()[:3].tolist())]
    known.citations.put([(own, other) for other in (*inside, *outside)], "semantic_scholar")
    known.citations.store_mentions(
        Mention(name, f"A paper from elsewhere, the {n}th", "A. Author and 3 more", "Venue", "2014")
        for n, name in enumerate(outside[:4], start=1)
    )


def notes(window: MainWindow) -> None:
    """Show a second note being written."""
    panel = window.page.details
    panel.write_note()
    panel.parts.notes.views[NEW].box.setPlainText(DRAFT)
    _look_at(window, panel.parts.notes)


def references(window: MainWindow) -> None:
    panel = window.page.details
    panel.parts.around.go_to(REFERENCES)
    _look_at(window, panel.parts.around)


def page(window: MainWindow) -> None:
    window.page.open_paper()
    _look_at(window, window.page.details.parts.head)


def bare(window: MainWindow) -> None:
    """Show a paper without any additions."""
    window.page.close_paper()
    window.page.search_box.set_text("deep learning")


def _look_at(window: MainWindow, part: QWidget) -> None:
    area = window.page.details.parts.area

    def scroll() -> None:
        inside = area.widget()
        assert inside
        top = part.mapTo(inside, QPoint(0, 0)).y()
        area.verticalScrollBar().setValue(top - 40)

    QTimer.singleShot(LATER_MS, area, scroll)


SCENES = (
    Scene("paper", full, EVERYWHERE),
    Scene("paper-notes", notes, (100, 200)),
    Scene("paper-references", references),
    Scene("paper-page", page, EVERYWHERE),
    Scene("paper-bare", bare, EVERYWHERE),
)

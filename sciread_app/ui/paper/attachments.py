"""The files attached to a paper, and the actions on each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QResizeEvent
from PySide6.QtWidgets import (
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from sciread_app.domain.paper import PaperFile, PaperId
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.formatting import file_size
from sciread_app.ui.jobs.runner import JobError, JobRunner
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, styled
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, open_file
from sciread_app.ui.widgets.dialogs.file_manager import reveal
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.rounded_popup import rounded

if TYPE_CHECKING:
    from sciread_app.ui.paper.gateway import PaperGateway

# A bibliography may name any file as an attachment; programs are shown in their folder, never
# started.
SAFE_TO_OPEN = frozenset({".pdf", ".djvu", ".epub", ".ps", ".txt", ".md", ".html", ".htm"})
GAP = 4


class AttachmentList(QWidget):
    """Lists the files of a paper, and attaches, locates, opens or removes them. Removing a file
    from the paper leaves the file itself alone."""

    read_requested = Signal(object, object)  # PaperId, Path: in the built-in reader
    changed = Signal()
    failed = Signal(object)  # JobError

    def __init__(self, about: PaperGateway, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__()
        self._about = about
        self._jobs = jobs
        self._appearance = appearance
        self._paper: PaperId | None = None
        self._shown: Sequence[PaperFile] = ()
        self._rows: list[AttachmentRow] = []
        self.add = styled(QPushButton(tr("Attach file…")), "flush")
        self.add.clicked.connect(self.choose)
        add = (self.add, 0, Qt.AlignmentFlag.AlignLeft)
        self._column = column(add, parent=self, margins=0, spacing=2)
        appearance.follow(self._paint)

    def show_files(self, paper: PaperId | None, files: Sequence[PaperFile]) -> None:
        """Show the files of a paper; without a paper, none can be attached."""
        if (paper, files) == (self._paper, self._shown):
            return
        self._paper, self._shown = paper, files
        for old in self._rows:
            self._column.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._rows = [self._row(file) for file in files]
        for place, new in enumerate(self._rows):
            self._column.insertWidget(place, new)

    @property
    def rows(self) -> Sequence[AttachmentRow]:
        return self._rows

    def readable(self) -> Path | None:
        """The file that is read when none is specified."""
        found = (f.path for f in self._shown if not f.missing and _is_pdf(f.path))
        return next(found, None)

    def attach(self, path: Path) -> None:
        paper = self._paper
        if paper is not None:
            title = tr("Attaching {name}", name=path.name)
            self._run(title, lambda task: self._about.attach(paper, path, task))

    def locate(self, file: Path, place: Path) -> None:
        """Record that the missing `file` is now at `place`."""
        paper = self._paper
        if paper is not None:
            self._run(
                tr("Locating {name}", name=file.name),
                lambda task: self._about.locate(paper, file, place, task),
            )

    def detach(self, file: Path) -> None:
        paper = self._paper
        if paper is not None:
            self._run(tr("Removing an attachment"), lambda task: self._about.detach(paper, file))

    def _row(self, file: PaperFile) -> AttachmentRow:
        new = AttachmentRow(file)
        new.paint(self._appearance.theme)
        new.open_requested.connect(lambda: self._open(file.path))
        new.locate_requested.connect(lambda: self._choose_place(file.path))
        new.remove_requested.connect(lambda: self.detach(file.path))
        return new

    def _open(self, path: Path) -> None:
        if _is_pdf(path):
            self.read_requested.emit(self._paper, path)
        elif path.suffix.lower() in SAFE_TO_OPEN:
            open_outside(path)
        else:
            reveal(path)

    def choose(self) -> None:
        if self._paper is None:
            return
        if file := open_file(self, DialogPurpose.attachment, tr("Attach file")):
            self.attach(file)

    def _choose_place(self, path: Path) -> None:
        known = next((p for p in path.parents if p.is_dir()), Path.home())
        title = tr("Locate {name}", name=path.name)
        if file := open_file(self, DialogPurpose.attachment, title, folder=known):
            self.locate(path, file)

    def _run(self, title: str, work: Callable[[Task], None]) -> None:
        def failed(problem: JobError) -> None:
            self.failed.emit(problem)
            self.changed.emit()  # a part may have been done

        self._jobs.run(title, work, lambda _: self.changed.emit(), on_failed=failed)

    def _paint(self, theme: Theme) -> None:
        self.add.setIcon(icon("add", theme.accent))
        for shown in self._rows:
            shown.paint(theme)


class AttachmentRow(QWidget):
    """A file's name, which opens it, its size and pages, and a menu. A missing file can only be
    located or removed."""

    open_requested = Signal()
    locate_requested = Signal()
    remove_requested = Signal()

    def __init__(self, file: PaperFile) -> None:
        super().__init__()
        self.file = file
        name = file.path.name
        self.name = styled(QPushButton(), "flush")
        self.name.setToolTip(str(file.path))
        self.name.setAccessibleName(tr("Open {name}", name=name))
        self.name.setEnabled(not file.missing)
        self.name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.name.setMinimumWidth(40)
        self.name.clicked.connect(self.open_requested)
        self.facts = styled(QLabel(facts(file)), "wrong" if file.missing else "quiet")
        self.facts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.facts.setToolTip(file.problem)
        self.locate = QPushButton(tr("Locate…"))
        self.locate.setAccessibleName(tr("Locate {name}", name=name))
        self.locate.setVisible(file.missing)
        self.locate.clicked.connect(self.locate_requested)
        self.more = styled(QToolButton(), "link")
        self.more.setAccessibleName(tr("Actions for {name}", name=name))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setMenu(self._menu())
        parts = (self.name, (self.facts, 1), self.locate, self.more)
        row(*parts, parent=self, margins=0, spacing=GAP)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The name gets the width that the other widgets leave."""
        super().resizeEvent(event)
        others = [w for w in (self.facts, self.locate, self.more) if not w.isHidden()]
        taken = sum(widget.sizeHint().width() + GAP for widget in others)
        room = max(self.width() - taken - 2 * GAP, 40)
        name, letters = self.file.path.name, self.name.fontMetrics()
        shown = letters.elidedText(name, Qt.TextElideMode.ElideMiddle, room)
        self.name.setText(shown.replace("&", "&&"))

    def paint(self, theme: Theme) -> None:
        self.more.setIcon(icon("more", theme.quiet))

    def _menu(self) -> QMenu:
        menu, path = rounded(QMenu(self)), self.file.path
        if not self.file.missing:
            if _is_pdf(path):
                menu.addAction(tr("Open in Reader"), self.open_requested.emit)
            if path.suffix.lower() in SAFE_TO_OPEN:
                menu.addAction(tr("Open in another app"), lambda: open_outside(path))
            menu.addAction(tr("Show in folder"), lambda: reveal(path))
        menu.addAction(tr("Locate…"), self.locate_requested.emit)
        menu.addSeparator()
        menu.addAction(tr("Remove from paper"), self.remove_requested.emit)
        return menu


def facts(file: PaperFile) -> str:
    """Size and number of pages, or that the file is missing."""
    if file.missing:
        return tr("Missing")
    parts = [file_size(file.size)] if file.size else []
    if file.pages:
        parts.append(trn("{n:,} page", "{n:,} pages", file.pages))
    if file.problem:
        parts.append(tr("text not searchable"))
    return " · ".join(parts)


def _is_pdf(path: Path) -> bool:
    return path.suffix.lower() == ".pdf"


def open_outside(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(path))

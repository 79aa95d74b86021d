"""The page of an empty library: the ways to add the first papers, and the sample library."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from sciread_app.domain.paper import LibraryChanges
from sciread_app.language import tr
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import JobError, JobQueue
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Theme, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.text.labels import show_text

if TYPE_CHECKING:
    from sciread_app.ui.paper.gateway import PaperGateway

ICON = 24  # pixels
WIDTH = 560


class WelcomePage(QScrollArea):
    """Five choices below each other: four add papers, the last one opens the sample library."""

    def __init__(self, about: PaperGateway, context: AppContext) -> None:
        super().__init__(widgetResizable=True)
        self.setAccessibleName(tr("Welcome"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        navigate = context.navigate
        title = QLabel(tr("Welcome to SciRead"), alignment=Qt.AlignmentFlag.AlignCenter)
        title.setFont(scaled(self.font(), 1.6, QFont.Weight.DemiBold))
        text = styled(
            QLabel(
                tr("Add your first papers, or explore the sample library."),
                alignment=Qt.AlignmentFlag.AlignCenter,
                wordWrap=True,
            ),
            "quiet",
        )
        self.choices = [
            Choice(
                "papers",
                tr("Import from Zotero"),
                tr("Copies papers, files, collections, tags, and notes."),
                navigate.import_zotero,
            ),
            Choice(
                "collection",
                tr("Add a folder of PDFs"),
                tr("Finds all PDF files in a folder and its subfolders."),
                navigate.add_folder,
            ),
            Choice(
                "citations",
                tr("Add .bib or .ris files"),
                tr("Imports references that another program has exported."),
                navigate.add_files,
            ),
        ]
        self.lookup = LookupForm(about, context)
        sample = Choice(
            "similar",
            tr("Explore the sample library"),
            tr("More than 100 well-known papers, kept apart from your own library."),
            navigate.open_sample,
        )
        choices = [*self.choices, self.lookup, sample]
        self.choices.append(sample)
        middle = QWidget()
        middle.setMaximumWidth(WIDTH)
        head = column(title, text, margins=(0, 0, 0, 16), spacing=8)
        column(2, head, *choices, 3, parent=middle, margins=(4, 16, 4, 16), spacing=8)
        sheet = styled(QWidget(), "column")
        row(1, (middle, 100), 1, parent=sheet, margins=0)
        self.setWidget(sheet)
        context.appearance.follow(self._paint)

    def _paint(self, theme: Theme) -> None:
        paint_icons(self, theme)


class Choice(QPushButton):
    """A large button with an icon, a title and a line of text."""

    def __init__(self, icon: str, title: str, text: str, do: Callable[[], object]) -> None:
        super().__init__()
        self.setObjectName("method")
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        words = column(_heading(title), styled(QLabel(text, wordWrap=True), "quiet"), spacing=2)
        row(_Picture(icon), (words, 1), parent=self, margins=(16, 10, 16, 10), spacing=14)
        for label in self.findChildren(QLabel):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.clicked.connect(lambda: do())

    def sizeHint(self) -> QSize:
        return self._contents().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._contents().minimumSize()

    def heightForWidth(self, width: int) -> int:
        return self._contents().totalHeightForWidth(width)

    def _contents(self) -> QLayout:
        layout = self.layout()
        assert layout
        return layout


class LookupForm(QFrame):
    """Adds one paper by its identifier or its title, which is looked up online."""

    def __init__(self, about: PaperGateway, context: AppContext) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._about = about
        self._jobs, self._events = context.jobs, context.events
        title = tr("Add by DOI, arXiv ID, PMID, or title")
        self.line = styled(QLineEdit(), "field")
        self.line.setPlaceholderText(tr("10.1038/nature14539, 1706.03762, or a title"))
        self.line.setAccessibleName(title)
        self.button = QPushButton(tr("Add"))
        self.button.setEnabled(False)
        self.problem = styled(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "wrong")
        self.problem.hide()
        entry = row((self.line, 1), self.button, spacing=8)
        words = column(_heading(title), entry, self.problem, spacing=6)
        row(_Picture("search"), (words, 1), parent=self, margins=(15, 9, 15, 9), spacing=14)
        self.line.textChanged.connect(self._edited)
        self.line.returnPressed.connect(self.look_up)
        self.button.clicked.connect(self.look_up)

    def _edited(self, text: str) -> None:
        show_text(self.problem, "")
        self.button.setEnabled(bool(text.strip()))

    def look_up(self) -> None:
        """Look up what was entered and add it."""
        text = " ".join(self.line.text().split())
        if not text or not self.button.isEnabled():
            return
        self.button.setEnabled(False)
        self.button.setText(tr("Looking up…"))
        self._jobs.run(
            tr("Looking up {name}", name=text),
            lambda task: self._about.fetch(text, task),
            lambda _: self._added(),
            on_failed=self._failed,
            on_cancelled=self._ready,
            queue=JobQueue.network,
        )

    def _added(self) -> None:
        self._ready()
        self.line.clear()
        self._events.papers_added.emit(LibraryChanges(papers=True))

    def _failed(self, problem: JobError) -> None:
        self._ready()
        show_text(self.problem, problem.text)

    def _ready(self) -> None:
        self.button.setText(tr("Add"))
        self.button.setEnabled(True)


class _Picture(QLabel):
    """An icon, which `paint_icons` paints in the color of the theme."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.setFixedSize(ICON, ICON)


def paint_icons(inside: QWidget, theme: Theme) -> None:
    """Paint the icons of the choices in a widget."""
    for picture in inside.findChildren(_Picture):
        picture.setPixmap(icon(picture.name, theme.accent).pixmap(ICON, ICON))


def _heading(text: str) -> QLabel:
    label = QLabel(text, wordWrap=True)
    label.setFont(scaled(label.font(), 1.0, QFont.Weight.DemiBold))
    return label

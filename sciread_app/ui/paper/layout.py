"""The widgets of the details panel and their layout."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.paper.attachments import AttachmentList
from sciread_app.ui.paper.copy_button import CopyButton
from sciread_app.ui.paper.notes import Notes
from sciread_app.ui.paper.related_papers import RelatedPapers
from sciread_app.ui.paper.tag_chips import COLLECTION, TAG, TagChips
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.focus import follow_layout
from sciread_app.ui.widgets.layout.boxes import Margins, column, row
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout
from sciread_app.ui.widgets.star_rating import StarRating
from sciread_app.ui.widgets.text.markdown_view import AutoHeightText

if TYPE_CHECKING:
    from sciread_app.ui.paper.gateway import PaperGateway

LEAST = 340  # pixels: the minimum width of the contents
COLUMN = 700  # pixels: the longest line; longer ones are hard to read
TWO_COLUMNS = 840  # pixels that a page with related papers beside the text needs
GRAPH = 500  # pixels that a page with the graph needs
RELATED = 460  # pixels: the longest line of the related papers there
BETWEEN = 40  # pixels between the columns
BUTTON_GAP = 6  # pixels


class Parts(QWidget):
    """Buttons that stay at the top, and below them a column that scrolls."""

    def __init__(
        self, about: PaperGateway, jobs: JobRunner, appearance: Appearance, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.back = QPushButton(tr("Back to list"))
        self.back.setToolTip(tr("Esc"))
        self.back.hide()
        self.read_file = styled(QPushButton(tr("Read PDF")), "primary")
        self.read_file.setToolTip(tr("Open the PDF in the Reader"))
        self.similar = QPushButton()
        self.similar.setAccessibleName(tr("Similar papers"))
        self.similar.setToolTip(tr("Find similar papers (Ctrl+L)"))
        self.read = QPushButton()
        self._mark = ""  # the text of this button
        self.copy = CopyButton()
        self.selected = styled(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "quiet")
        self.selected.setMinimumWidth(1)
        self.selected.hide()
        self.warning_text = AutoHeightText(tr("Warning"))
        self.head = AutoHeightText(tr("Title and authors"))
        self.stars = StarRating(appearance)
        self.tags = TagChips(TAG, appearance)
        self.collections = TagChips(COLLECTION, appearance)
        self.body = AutoHeightText(tr("Abstract and details"))
        self.files = AttachmentList(about, jobs, appearance)
        self.notes = Notes(about, jobs)
        self.around = RelatedPapers(about, jobs, appearance)
        self.foot = styled(QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True), "faint")
        self.foot.setMinimumWidth(1)  # a long citation key must not cut off the rest
        self._page = False
        self._rest: list[QWidget] = [self.collections]
        self._build()
        for part in (self.notes, self.around):
            part.layout_changed.connect(partial(follow_layout, self))

    def show_as_page(self, page: bool) -> None:
        """Lay the parts out for a panel, or for a full page, where the related papers have a graph
        and stand beside the text if there is room."""
        self._page = page
        # On a page one reads and writes; beside the list, papers are sorted.
        self._text.removeWidget(self._notes)
        place = self._text.indexOf(self._marks) if page else self._text.indexOf(self._files) + 1
        self._text.insertWidget(place, self._notes)
        self._arrange()
        follow_layout(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
        self.fit_buttons()

    def show_read(self, read: bool, theme: Theme) -> None:
        """Offer to mark the paper as unread, or as read."""
        self._mark = tr("Mark as unread") if read else tr("Mark as read")
        self.read.setAccessibleName(self._mark)
        self.read.setToolTip(tr("{action} (R)", action=self._mark))
        self.read.setIcon(icon("unread" if read else "read", theme.text))
        self.fit_buttons()

    def fit_buttons(self) -> None:
        """Shorten the buttons as far as they need a second line otherwise."""
        similar = (tr("Similar papers"), tr("Similar"), "", "")
        for step, text in enumerate(similar):
            self.similar.setText(text)
            self.copy.set_short(step > 0)
            self.read.setText("" if step == len(similar) - 1 else self._mark)
            shown = [one.sizeHint().width() for one in self._in_line if not one.isHidden()]
            if sum(shown) + BUTTON_GAP * (len(shown) - 1) <= self._buttons.width():
                break
        self._flow.activate()

    def show_rest(self, whole: bool) -> None:
        """Show or hide the parts that are filled only after the lookup."""
        for widget in self._rest:
            widget.setVisible(whole)
        if not whole:
            self.read_file.hide()
            return
        # At least as wide as the contents need: only vertical scrolling is possible.
        inside, bar = self.area.widget(), self.area.verticalScrollBar()
        assert inside
        needed = inside.minimumSizeHint().width() + bar.sizeHint().width()
        self.area.setMinimumWidth(min(needed, LEAST))

    def warn(self, what: str, why: str) -> None:
        """Show a retraction above everything else; empty texts hide it."""
        self.warning.setVisible(bool(what))
        self.warning_title.setText(what)
        if what:
            self.warning_text.show_html(why)

    def paint(self, theme: Theme) -> None:
        self.back.setIcon(icon("back", theme.text))
        self.read_file.setIcon(icon("papers", theme.on_accent))
        self.similar.setIcon(icon("similar", theme.text))
        self.copy.paint(theme)
        self.notes.paint()

    def _align_buttons(self) -> None:
        """Keep the buttons above the text, which is centered beside the scroll bar."""
        bar, layout = self.area.verticalScrollBar(), self._above.layout()
        centered = self.width() > self._buttons.maximumWidth() and bar.maximum() > 0
        assert layout
        layout.setContentsMargins(0, 0, 8 + centered * bar.sizeHint().width(), 0)

    def _arrange(self) -> None:
        """Put the related papers beside the text, or below it."""
        self.around.show_graph(self._page and self.width() >= GRAPH)
        beside = self._page and self.width() >= TWO_COLUMNS
        direction = QBoxLayout.Direction
        self._columns.setDirection(direction.LeftToRight if beside else direction.TopToBottom)
        self._columns.setSpacing(BETWEEN if beside else 8)
        self._columns.setStretch(0, 3 if beside else 0)
        self._columns.setStretch(1, 2 if beside else 0)
        self._related.setMaximumWidth(RELATED if beside else COLUMN)
        for part in (self._buttons, self._inside):
            part.setMaximumWidth(COLUMN + BETWEEN + RELATED if beside else COLUMN)
        self._align_buttons()

    def _build(self) -> None:
        self._buttons = QWidget()
        self._flow = FlowLayout(BUTTON_GAP)
        self._buttons.setLayout(self._flow)
        self._in_line = (self.back, self.read_file, self.similar, self.read, self.copy)
        for button in self._in_line:
            self._flow.addWidget(button)
        self.area = QScrollArea(self, widgetResizable=True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._inside = QWidget()
        self.area.setWidget(_in_the_middle(self._inside, self.area.viewport()))
        self._columns = column(self._about_the_paper(), self._related_papers(), margins=0)
        column(self._columns, self.foot, 1, parent=self._inside, margins=0, spacing=8)
        self._above = _in_the_middle(self._buttons, self)
        self.area.verticalScrollBar().rangeChanged.connect(lambda *_: self._align_buttons())
        parts = (self.selected, self._above, (self.area, 1))
        column(*parts, parent=self, margins=(20, 16, 8, 12), spacing=14)
        self._arrange()

    def _about_the_paper(self) -> QWidget:
        self._files = _group(section(tr("Files")), self.files)
        self._notes = _group(section(tr("Notes")), self.notes)
        self._rest += [self._files, self._notes]
        text = QWidget()
        self._marks = _group(self.stars, self.tags, self.collections, margins=(0, 6, 0, 6))
        head = _group(self.head, margins=(0, 0, 0, 8))
        parts = (self._warning(), head, self.body, self._marks, self._files, self._notes, 1)
        self._text = column(*parts, parent=text, margins=0, spacing=8)
        return text

    def _related_papers(self) -> QWidget:
        self._related = _group(section(tr("Related papers")), self.around)
        self._rest.append(self._related)
        return self._related

    def _warning(self) -> QFrame:
        self.warning = styled(QFrame(), "banner")
        self.warning.setProperty("kind", "problem")
        self.warning_title = QLabel()
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        self.warning_title.setFont(bold)
        texts = (self.warning_title, self.warning_text)
        column(*texts, parent=self.warning, margins=(14, 10, 14, 10), spacing=3)
        return self.warning


def _group(*inside: QWidget, margins: Margins = 0) -> QWidget:
    group = QWidget()
    column(*inside, 1, parent=group, margins=margins, spacing=8)
    return group


def _in_the_middle(inside: QWidget, parent: QWidget) -> QWidget:
    """A column centered in the available width."""
    inside.setMaximumWidth(COLUMN)
    middle = styled(QWidget(parent), "column")
    row(1, (inside, 1000), 1, parent=middle, margins=(0, 0, 8, 0))
    return middle


def section(title: str) -> QLabel:
    label = styled(QLabel(title.upper()), "faint")
    label.setFont(scaled(label.font(), 0.88, QFont.Weight.DemiBold))
    label.setContentsMargins(0, 10, 0, 0)
    label.setAccessibleName(title)
    return label


def nothing_selected() -> QLabel:
    nothing = styled(QLabel(tr("Select a paper to see its details")), "faint")
    nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return nothing

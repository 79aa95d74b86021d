"""The details panel: one paper in full, why it was found, and the actions on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QRect, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QStackedLayout, QWidget

from sciread_app.domain.clipboard_formats import (
    Copied,
    CopyCitation,
    CopyWhat,
    Style,
    copy_groups,
    copy_what,
)
from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.domain.query.builder import fragment
from sciread_app.domain.query.parser import Query
from sciread_app.language import tr, trn
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.jobs.saved_state import SavedState
from sciread_app.ui.paper.copy_button import put_on_clipboard
from sciread_app.ui.paper.details_html import (
    ACCEPT,
    FIND,
    PAPER,
    UNDO,
    body_text,
    foot_text,
    head_text,
    warning,
)
from sciread_app.ui.paper.layout import Parts, nothing_selected
from sciread_app.ui.paper.related_papers import REFERENCES
from sciread_app.ui.paper.style_picker import StylePicker
from sciread_app.ui.style.theme import Theme
from sciread_app.ui.view_models import EMPTY_RESULTS, Card, Details, Names, ResultList
from sciread_app.ui.widgets.focus import follow_layout

if TYPE_CHECKING:
    from sciread_app.ui.paper.gateway import PaperGateway

NO_QUERY = Query("")
PAUSE_MS = 60  # before a lookup, so that holding j does not look up every paper on the way


def citation_style(settings: SavedState, styles: Sequence[Style], default: str) -> str:
    """The key of the default citation style; without one, of the style used last, or of the first
    one."""
    used = copy_what(str(settings.value("paper/copy_as")), styles)
    return default or (used.style if isinstance(used, CopyCitation) else styles[0].key)


class DetailsPanel(QFrame):
    """Shows a paper's metadata, marks, files, notes and related papers, beside the list or as a
    page.

    Marks, files and notes are changed here, in the background; edits that need the whole window are
    requested by signals. Links to other papers are remembered, so that `go_back` returns.
    """

    similar_requested = Signal(object)  # list of PaperId
    search_requested = Signal(str)
    paper_requested = Signal(object)  # PaperId
    step_requested = Signal(int)  # the number of rows to move in the list: 1 or -1
    read_changed = Signal(object)  # Card
    escaped = Signal()

    def __init__(
        self,
        about: PaperGateway,
        context: AppContext,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self._about = about
        self._context = context
        jobs, appearance = context.jobs, context.appearance
        self._jobs = jobs
        self._settings: SavedState | None = None
        self.details: Details | None = None
        self.open_paper: PaperId | None = None  # open beside the panel, in the reader
        self._paper: PaperId | None = None
        self._written: PaperId | None = None  # the paper that the text shows
        self._trail: list[PaperId] = []  # the papers from which links were followed
        self._followed: PaperId | None = None  # the paper that a link leads to
        self._late = False
        self._edits = 0  # counts edits; details looked up before the last one are out of date
        self._alone = False
        self._query = NO_QUERY
        self._listing = EMPTY_RESULTS
        self.parts = Parts(self._about, jobs, appearance, self)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(nothing_selected())
        self._pages.addWidget(self.parts)
        self._connect()
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._look_up_late)
        appearance.follow(self._paint)
        context.events.citation_style_selected.connect(self._show_format)
        self._show_format()
        self.show_paper(None)

    def remember(self, settings: SavedState) -> None:
        """Restore the last copy format from `settings`, and save it there when it changes."""
        self._settings = settings
        self._show_format()

    def show_paper(
        self,
        paper: PaperId | None,
        card: Card | None = None,
        query: Query = NO_QUERY,
        listing: ResultList = EMPTY_RESULTS,
    ) -> None:
        """Show what `card` contains at once, and the rest when it has been looked up."""
        same = paper == self._paper
        if not same and paper != self._followed:
            self._trail.clear()
        self._paper, self._query, self._listing = paper, query, listing
        if not same or paper is None:
            self.details = Details(card) if card else None
            self._write()
        if paper is not None:
            self._look_up_soon()

    def show_selected(self, count: int) -> None:
        """Say that these are the details of one of `count` selected papers."""
        self.parts.selected.setVisible(count > 1)
        self.parts.selected.setText(
            trn(
                "{n:,} paper is selected. These are the details of the current one.",
                "{n:,} papers are selected. These are the details of the current one.",
                count,
            )
        )

    def refresh(self) -> None:
        """Look up the paper again after a change of the library."""
        if self._paper is not None:
            self._look_up_soon()

    def show_as_page(self, page: bool) -> None:
        """Show the panel as a full page with a back button, or as a panel."""
        self._alone = page
        self.parts.show_as_page(page)
        self._write_buttons()
        self._look_around()

    def go_back(self) -> None:
        """Return to the paper whose link was followed, or else leave the page."""
        if self._trail:
            self._followed = self._trail.pop()
            self.paper_requested.emit(self._followed)
        else:
            self.escaped.emit()

    def _follow_link(self, paper: PaperId) -> None:
        """Follow a link to another paper; `go_back` returns."""
        if self._paper is not None:
            self._trail.append(self._paper)
        self._followed = paper
        self.paper_requested.emit(paper)

    def keep_drafts(self) -> bool:
        """Save unfinished notes as drafts, before the window closes. Return whether all are
        saved."""
        return self.parts.notes.keep()

    def toggle_read(self) -> None:
        if self.details is None or self._paper is None:
            return
        papers, read = [self._paper], not self.details.card.read
        self._change_card(self.details, read=read)
        self._write_buttons()
        self._do(tr("Marking as read"), lambda: self._about.editor.mark_read(papers, read))

    def rate(self, stars: int) -> None:
        if self.details is None or self._paper is None:
            return
        papers = [self._paper]
        self._change_card(self.details, rating=stars)
        self.parts.stars.show_rating(stars)
        self._do(tr("Rating a paper"), lambda: self._about.editor.rate(papers, stars))

    def write_note(self) -> None:
        self.parts.notes.write()

    def add_file(self) -> None:
        self.parts.files.choose()

    def fetch_citations(self) -> None:
        """Fetch the citations of the paper, and show that section."""
        self.parts.around.go_to(REFERENCES)
        self.parts.area.ensureWidgetVisible(self.parts.around)
        self.parts.around.ask()

    def read_file(self) -> None:
        """Open the paper's PDF in the built-in reader."""
        path = self.parts.files.readable()
        if path and self._paper is not None:
            self._context.navigate.read(self._paper, path)

    def copy(self, papers: Sequence[PaperId] = (), what: CopyWhat | None = None) -> None:
        """Copy `papers`, by default the one shown, in the format `what`, by default the default
        citation style, or the format used last if there is none."""
        papers = papers or ([self._paper] if self._paper is not None else [])
        what = what or self.parts.copy.what
        if not papers:
            return
        if not self._about.default_style:
            self._show_choice(what)
        if self._settings:
            self._settings.setValue("paper/copy_as", what.value)
        self.parts.copy.show_busy()
        self._jobs.run(
            tr("Copying a citation"),
            lambda task: self._about.copied(papers, what, task),
            self._copied,
            on_failed=self._not_copied,
            on_cancelled=self.parts.copy.show_format,
            replaces="copy",
        )

    def choose_style(self, papers: Sequence[PaperId] = ()) -> None:
        """Choose a citation style and copy `papers` in it, by default the one shown."""
        picker = StylePicker(self._about.styles, self._jobs, self.parts.copy.what, self)
        picker.selected.connect(lambda what: self.copy(papers, what))
        picker.open()

    def _show_format(self) -> None:
        """Show the format in which papers are copied by default."""
        kept = str(self._settings.value("paper/copy_as")) if self._settings else ""
        if what := copy_what(self._about.default_style or kept, self._about.styles.all()):
            self._show_choice(what)

    def _show_choice(self, what: CopyWhat) -> None:
        groups = copy_groups(self._about.styles.all())
        names = {known: name for group in groups for known, name in group}
        self.parts.copy.choose(what, names.get(what, what.value))

    def focus_text(self) -> None:
        self.parts.head.setFocus(Qt.FocusReason.TabFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.go_back()
        elif event.key() in (Qt.Key.Key_J, Qt.Key.Key_K) and not event.modifiers():
            self.step_requested.emit(1 if event.key() == Qt.Key.Key_J else -1)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._look_around()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look_around()

    def _look_up_soon(self) -> None:
        """Look the paper up at once, unless the selection is moving quickly through the list."""
        self._late = self._pause.isActive()
        self._pause.start()
        if not self._late:
            self._look_up()

    def _look_up_late(self) -> None:
        if self._late:
            self._look_up()

    def _look_up(self) -> None:
        paper, query, edits = self._paper, self._query, self._edits
        if paper is not None:
            self._jobs.run(
                tr("Loading paper"),
                lambda task: self._about.details(paper, query, task),
                lambda details: self._show(paper, details, edits),
                replaces=f"details {id(self)}",  # there are other panels, on other pages
            )

    def _show(self, paper: PaperId, details: Details | None, edits: int) -> None:
        if paper != self._paper or edits != self._edits:
            return
        if details is None:  # it was deleted meanwhile
            self.show_paper(None)
        else:
            self.details = details
            self._write()

    def _do(self, title: str, work: Callable[[], object]) -> None:
        """Run an edit of the paper in the background, then refresh: also if it fails, since its
        result may be shown already."""
        self._edits += 1

        def failed(problem: JobError) -> None:
            self._context.messages.show_problem(problem)
            self._edited()

        self._jobs.run(
            title,
            lambda task: work(),
            lambda _: self._edited(),
            on_failed=failed,
        )

    def _mark(self, method: str, name: str) -> None:
        """Call `method` of the editor, such as tag or uncollect, with the name."""
        if self._paper is not None:
            papers, act = [self._paper], getattr(self._about.editor, method)
            self._do(tr("Updating a paper"), lambda: act(papers, name))

    def _choose_from(self) -> None:
        def show(names: Names) -> None:
            self.parts.tags.show_known(names.tags)
            self.parts.collections.show_known(names.collections)

        self._jobs.run(tr("Looking up names"), lambda task: self._about.names(), show)

    def _not_copied(self, problem: JobError) -> None:
        self.parts.copy.show_done(tr("Could not copy"))
        self._context.messages.show_problem(problem)

    def _copied(self, copied: Copied) -> None:
        if not copied.text:
            self.parts.copy.show_done(tr("Nothing to copy"))
            return
        put_on_clipboard(copied)
        done = trn("Copied, {n} skipped", "Copied, {n} skipped", copied.without)
        self.parts.copy.show_done(done if copied.without else tr("Copied"))

    def _change_card(self, details: Details, **marks: Any) -> None:
        """Show another mark of the paper at once, here and in the list."""
        card = replace(details.card, **marks)
        self.details = replace(details, card=card)
        self.read_changed.emit(card)

    def _edited(self) -> None:
        self.refresh()
        self._context.events.library_changed.emit(LibraryChanges(papers=True))

    def _report_added(self) -> None:
        self._context.events.papers_added.emit(LibraryChanges(papers=True))

    def _write(self) -> None:
        if self.details is None:
            self._pages.setCurrentIndex(0)
            return
        self._pages.setCurrentIndex(1)
        self._write_buttons()
        # While the same paper stays shown, its text must not scroll back to the top.
        bar, same = self.parts.area.verticalScrollBar(), self._written == self._paper
        place = bar.value() if same else 0
        self._write_text(self.details)
        self._write_parts(self.details)
        bar.setValue(place)
        self._written = self._paper
        self._look_around()

    def _write_text(self, details: Details) -> None:
        theme, points = self._context.appearance.theme, self.font().pointSizeF()
        self.parts.warn(*warning(details))
        self.parts.head.show_html(head_text(details, self._listing, theme, points))
        self.parts.body.show_html(body_text(details, self._listing, theme, points))
        self.parts.body.setVisible(bool(self.parts.body.toPlainText()))
        self.parts.foot.setText(foot_text(details))

    def _write_parts(self, details: Details) -> None:
        parts = self.parts
        parts.stars.show_rating(details.card.rating)
        parts.tags.show_names(details.card.tags, details.card.tag_colours)
        parts.show_rest(details.whole)
        if details.whole:
            parts.collections.show_names(details.collections, {})
            parts.files.show_files(details.paper.id, details.files)
            readable = parts.files.readable() is not None
            parts.read_file.setVisible(readable and details.paper.id != self.open_paper)
            parts.notes.show_notes(details)
            parts.around.show_paper(details.paper)
            parts.fit_buttons()
            follow_layout(parts)

    def _write_buttons(self) -> None:
        read = self.details is not None and self.details.card.read
        self.parts.back.setVisible(self._alone or bool(self._trail))
        self.parts.back.setText(tr("Back") if self._trail else tr("Back to list"))
        self.parts.show_read(read, self._context.appearance.theme)

    def _look_around(self) -> None:
        """Load the related papers once they scroll into view."""
        around, view = self.parts.around, self.parts.area.viewport()
        if not (self.details and self.details.whole and around.isVisible()):
            return
        top = around.mapTo(view, QPoint(0, 0))
        if view.rect().intersects(QRect(top, around.size())):
            around.load()

    def _connect(self) -> None:
        parts = self.parts
        parts.back.clicked.connect(self.go_back)
        parts.read_file.clicked.connect(self.read_file)
        parts.similar.clicked.connect(lambda: self.similar_requested.emit([self._paper]))
        parts.read.clicked.connect(self.toggle_read)
        parts.copy.copy_requested.connect(lambda what: self.copy(what=what))
        parts.copy.other_requested.connect(self.choose_style)
        parts.stars.rated.connect(self.rate)
        for chips, field, add, remove in (
            (parts.tags, "tag", "tag", "untag"),
            (parts.collections, "in", "collect", "uncollect"),
        ):
            chips.selected.connect(
                lambda name, f=field: self.search_requested.emit(fragment(f, [name]))
            )
            chips.added.connect(lambda name, method=add: self._mark(method, name))
            chips.removed.connect(lambda name, method=remove: self._mark(method, name))
            chips.names_requested.connect(self._choose_from)
        for text in (parts.head, parts.body, parts.warning_text):
            text.anchorClicked.connect(self._follow)
        parts.files.read_requested.connect(self._context.navigate.read)
        parts.notes.escaped.connect(self.focus_text)
        parts.around.paper_requested.connect(self._follow_link)
        parts.around.papers_requested.connect(self._context.navigate.show_papers)
        parts.around.similar_requested.connect(lambda: self.similar_requested.emit([self._paper]))
        parts.around.loaded.connect(self._report_added)
        for changed in (parts.files.changed, parts.notes.changed):
            changed.connect(self._edited)
        for failed in (parts.files.failed, parts.notes.failed, parts.around.failed):
            failed.connect(self._context.messages.show_problem)
        bar = parts.area.verticalScrollBar()
        bar.valueChanged.connect(lambda _: self._look_around())
        bar.rangeChanged.connect(lambda *_: self._look_around())

    def _paint(self, theme: Theme) -> None:
        self.parts.paint(theme)
        self._write()

    def _follow(self, url: QUrl) -> None:
        what = url.scheme()
        argument = url.path(QUrl.ComponentFormattingOption.FullyDecoded)
        if what == FIND:
            self.search_requested.emit(argument)
        elif what == PAPER:
            self._follow_link(PaperId(int(argument)))
        elif (paper := self._paper) is None:
            return
        elif what == UNDO:
            undo = partial(self._about.undo_lookup, paper, argument)
            self._context.edits.submit(tr("Undoing a look-up"), lambda _: undo())
        elif what == ACCEPT:
            accept = partial(self._about.accept_guess, paper, argument)
            self._context.edits.submit(tr("Accepting a value"), lambda _: accept())

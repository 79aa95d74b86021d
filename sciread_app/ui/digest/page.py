"""The digest page: the papers of a digest by topic, and earlier digests by date."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QLabel, QPushButton, QStackedWidget, QWidget

from sciread_app.domain.digest import Digest
from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.language import format_moment, tr, trn
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.digest.digest_html import PAPER
from sciread_app.ui.digest.notifier import LAST
from sciread_app.ui.digest.view import DigestView
from sciread_app.ui.jobs.runner import JobError, JobQueue
from sciread_app.ui.page import Page
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.form_rows import ComboBox
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.messages.empty_state import Actions, EmptyState

if TYPE_CHECKING:
    from sciread_app.services.digest.digest_service import DigestResult, DigestService
    from sciread_app.storage.organisation.digests import StoredDigest

LISTED = 50  # digests that can be selected


class DigestPage(Page):
    """Shows the latest digest or an earlier one, previews the next, and creates one on request."""

    def __init__(self, digests: DigestService, context: AppContext) -> None:
        super().__init__(context.pages)
        self._digests = digests
        self._jobs = context.jobs
        self._context = context
        self._appearance = context.appearance
        self._stored: Sequence[StoredDigest] = ()
        self._previews = False  # the preview is shown or loading
        self._build()
        self._connect()

    # Interface of a page

    def refresh(self) -> None:
        """List the digests, and show the selected one, or the latest if there is a newer one."""
        self._previews = False
        self._reload()

    def _reload(self) -> None:
        """List the digests. A preview stays."""
        digests = self._digests
        self._jobs.run(
            tr("Loading digests"),
            lambda task: (digests.latest(LISTED), digests.has_topics()),
            lambda found: self._list(*found),
            replaces="digests",
        )

    def take_focus(self) -> None:
        if self._stack.currentWidget() is self.empty and self.empty.buttons():
            self.empty.buttons()[0].setFocus()
        elif not self.choice.isHidden():
            self.choice.setFocus()
        else:
            self.settings_button.setFocus()

    def panes(self) -> Sequence[QWidget]:
        return (self.choice, self.view)

    def library_changed(self, changes: LibraryChanges) -> None:
        if changes.papers and self.isVisible():
            self._reload()

    # Actions

    def preview(self) -> None:
        """Show what the next digest would list."""
        self._previews = True
        self._jobs.run(
            tr("Previewing the digest"),
            self._digests.preview,
            self._show_preview,
            on_failed=self._explain_preview,
            on_cancelled=self.refresh,
            replaces="digest",
        )

    def make(self) -> None:
        """Fetch new papers and create a digest now."""
        self._jobs.run(
            tr("Creating a digest"),
            lambda task: self._digests.make(task, fetch=True),
            self._made,
            queue=JobQueue.network,
            replaces="creating a digest",
        )

    def change_settings(self) -> None:
        from sciread_app.ui.digest.settings_dialog import DigestSettingsDialog

        dialog = DigestSettingsDialog(self._digests, self._jobs, self._topics_changed, self)
        dialog.finished.connect(dialog.deleteLater)
        dialog.show()

    def _topics_changed(self) -> None:
        self.refresh()
        self._context.events.edited.emit()

    def _list(self, stored: Sequence[StoredDigest], has_topics: bool) -> None:
        newest = self._stored[0].id if self._stored else 0
        before = self.choice.currentData()
        self._stored = stored
        self.choice.clear()
        for one in stored:
            self.choice.addItem(_named(one), one.id)
        self.choice.setVisible(bool(stored))
        for button in (self.preview_button, self.make_button):
            button.setEnabled(has_topics)
        if not stored and not self._previews:
            self._explain(has_topics)
        if not stored:
            return
        is_new = stored[0].id != newest
        self.choice.setCurrentIndex(0 if is_new else max(0, self.choice.findData(before)))
        if not self._previews:
            self._load()

    def _load(self) -> None:
        """Show the selected digest."""
        self._previews = False
        stored = self._stored[self.choice.currentIndex()]
        self._jobs.run(
            tr("Loading a digest"),
            lambda task: self._digests.get(stored),
            self._show,
            replaces="digest",
        )

    def _show(self, digest: Digest) -> None:
        self._show_note("")
        self._show_text(digest)

    def _show_preview(self, digest: Digest) -> None:
        self._show_note(tr("Preview of the next digest. The papers are not marked as listed."))
        self._show_text(digest)

    def _explain_preview(self, problem: JobError) -> None:
        self._context.messages.show_problem(problem)
        self.refresh()

    def _show_note(self, text: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def _show_text(self, digest: Digest) -> None:
        self.view.show_digest(digest)
        self._stack.setCurrentIndex(1)

    def _made(self, result: DigestResult) -> None:
        context = self._context
        if result.problems:
            context.messages.show_warning(
                tr("The digest may be incomplete."), " ".join(result.problems)
            )
        if result.digest.papers:
            context.open_settings().setValue(LAST, result.digest.id)  # so it is not reported again
            context.events.papers_added.emit(LibraryChanges(papers=True))
        else:
            context.toast.show_message(tr("No new papers since the last digest"))
        self.refresh()

    def _explain(self, has_topics: bool) -> None:
        """Say why there is no digest."""
        self._show_note("")
        actions: Actions
        if has_topics:
            text = tr("The next digest lists the new papers of your topics.")
            actions = ((tr("Preview"), self.preview), (tr("Create digest now"), self.make))
        else:
            text = tr(
                "A digest lists the new papers of collections, saved searches, and queries, daily "
                "or weekly. Select its topics first."
            )
            actions = ((tr("Select topics…"), self.change_settings),)
        self.empty.show_message("recent", tr("No digests yet"), text, actions)
        self._stack.setCurrentIndex(0)

    def _open(self, url: QUrl) -> None:
        if url.scheme() == PAPER:
            self._context.navigate.open_paper(PaperId(int(url.path())), tr("Paper from the digest"))

    def _build(self) -> None:
        self.choice = ComboBox()
        self.choice.setAccessibleName(tr("Digest"))
        self.choice.setMinimumWidth(220)
        self.preview_button = QPushButton(tr("Preview"))
        self.preview_button.setToolTip(tr("Show what the next digest would list"))
        self.make_button = QPushButton(tr("Create digest now"))
        self.make_button.setToolTip(tr("Fetch new papers and create a digest"))
        self.settings_button = QPushButton(tr("Settings…"))
        self.settings_button.setAccessibleName(tr("Digest settings"))
        for button in (self.preview_button, self.make_button):
            button.setEnabled(False)
        self.choice.hide()
        self.note = styled(QLabel(wordWrap=True), "quiet")
        self.note.hide()
        self.empty = EmptyState(self._appearance)
        self._stack = QStackedWidget()
        self.view = DigestView(self._appearance, self._stack)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.view)
        buttons = (self.preview_button, self.make_button, self.settings_button)
        top = row(self.choice, 1, *buttons, spacing=8)
        column(top, self.note, (self._stack, 1), parent=self, margins=(16, 12, 16, 10), spacing=10)

    def _connect(self) -> None:
        self.choice.activated.connect(lambda _: self._load())
        self.preview_button.clicked.connect(self.preview)
        self.make_button.clicked.connect(self.make)
        self.settings_button.clicked.connect(self.change_settings)
        self.view.link_clicked.connect(self._open)


def _named(stored: StoredDigest) -> str:
    """November 26, 2026, 08:00 · 5 papers"""
    moment = format_moment(datetime.fromtimestamp(stored.made))
    papers = trn("{n:,} paper", "{n:,} papers", stored.papers)
    return f"{moment} · {papers}"

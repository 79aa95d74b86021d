"""The library in the window: connects sidebar, list, menus and messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from sciread_app.domain.library_tree import LibraryTree
from sciread_app.domain.paper import Edit, LibraryChanges, PaperId, Skipped
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import Job, JobQueue
from sciread_app.ui.library.edit_queue import CompletedEdit, EditQueue, LongEdit, Step
from sciread_app.ui.library.metadata.look_up_bar import USUALLY_MISSING, LookUpBar
from sciread_app.ui.library.picker_popup import PickerItem, PickerPopup
from sciread_app.ui.library.selection_bar import PaperSelectionBar
from sciread_app.ui.library.tree.drag_and_drop import PaperDrag
from sciread_app.ui.library.tree.nodes import LibraryTreeNodes, NodeKind
from sciread_app.ui.library.tree.sidebar import Sidebar
from sciread_app.ui.paper_list.card_text import has_pdf
from sciread_app.ui.view_models import ImportSummary
from sciread_app.ui.widgets.dialogs.confirmation import confirm

if TYPE_CHECKING:
    from sciread_app.domain.metadata.changes import FieldChange
    from sciread_app.services.ingest.lookup.pdf_finder import PdfSearchReport
    from sciread_app.services.library.editor import LibraryEditor
    from sciread_app.services.library.pdf_folder import FilingReport
    from sciread_app.ui.library.export import ExportController
    from sciread_app.ui.library.metadata.dialog import Fields, MetadataDialog, SelectedChanges
    from sciread_app.ui.paper_list.paper_list import CardSource, PaperList, PaperModel
    from sciread_app.ui.query_state import ResultView, SearchRequest
    from sciread_app.ui.view_models import Card
    from sciread_app.workspace import Workspace

NAMED = 3  # skipped files that a message names
LOOKED_AT = 200  # selected papers of which the menu considers whether they have a PDF
KNOWN_OF = 500  # selected papers that are checked for read state and tags
TRASH = "in:trash"
PROBLEMS = "has:problems"
NONE_SELECTED = tr("Select papers in the list first")

_BeforeLookup = Mapping[str, tuple[str, str]]  # by field: the source, and the value before


def _skipped(count: int) -> str:
    return trn("{n:,} PDF was skipped.", "{n:,} PDFs were skipped.", count)


class ListPage(Protocol):
    """The page with the list of papers that edits apply to."""

    menu_opened: Any  # Signal(QMenu)
    view_shown: Any  # Signal(ResultView)
    view: ResultView
    result_list: PaperList
    model: PaperModel

    @property
    def results(self) -> QWidget:
        """The list, or what is shown in its place."""
        ...

    def focus_results(self) -> None: ...

    def place_of_current(self) -> QRect:
        """Where the current paper is on the screen."""
        ...

    @property
    def request(self) -> SearchRequest: ...

    def set_scope(self, fragment: str, label: str = "") -> None: ...

    def add_sidebar(self, sidebar: Sidebar) -> None: ...

    def add_above(self, bar: QWidget) -> None: ...

    def add_below(self, bar: QWidget) -> None: ...


class LibraryController(QObject):
    """Carries out edits of papers, wherever they are requested."""

    def __init__(
        self,
        context: AppContext,
        page: ListPage,
        workspace: Workspace,
        cards: CardSource,
        actions: Mapping[str, QAction],
        rate: QMenu,
        edits: EditQueue,
        exports: ExportController,
        window: QWidget,
    ) -> None:
        """`actions` by their names."""
        super().__init__(window)
        self._context = context
        self._window = window
        self._page = page
        self._workspace = workspace
        self._cards = cards
        self._actions, self._rate = actions, rate
        self.work = edits
        self._exports = exports
        self.sidebar = Sidebar(self.work, context.appearance)
        self.notice = context.toast
        self.bar = PaperSelectionBar(actions, rate, context.appearance)
        self.notice.avoid(self.bar)
        self.notice.avoid(context.messages)
        self._whole = LibraryTreeNodes(LibraryTree())  # the last tree that was not filtered
        self._drag = PaperDrag(self._page.result_list)
        page.add_sidebar(self.sidebar)
        page.add_below(self.bar)
        self._look_up_bar = LookUpBar()
        page.add_above(self._look_up_bar)
        self._connect()
        self.work.load()

    # Actions of the menus, the keyboard and the selection bar

    def choose_tag(self) -> None:
        """Ask for a tag to add to the selected papers, or to remove if all of them have it."""
        ids = self._selected()
        if ids:
            on = self._tags_of_all(ids)
            tags = self.work.library_tree.tags
            choices = [PickerItem(tag.name, tag.colour, tag.count, tag.name in on) for tag in tags]
            title = trn("Tag {n:,} paper", "Tag {n:,} papers", len(ids))

            def take(choice: PickerItem) -> None:
                """Add the tag to the papers, or remove it if every paper has it."""
                name = choice.name
                if choice.on:
                    self.work.submit(tr("Removing a tag"), lambda editor: editor.untag(ids, name))
                else:
                    self.work.submit(tr("Tagging papers"), lambda editor: editor.tag(ids, name))

            self._choose(title, choices, take)

    def choose_collection(self) -> None:
        """Ask for a collection to add the selected papers to."""
        ids = self._selected()
        if ids:
            choices = [
                PickerItem(one.path, None, one.count) for one in self.work.library_tree.collections
            ]
            title = trn(
                "Add {n:,} paper to a collection", "Add {n:,} papers to a collection", len(ids)
            )

            def take(choice: PickerItem) -> None:
                path = choice.name
                self.work.submit(
                    tr("Adding papers to a collection"),
                    lambda editor: editor.collect(ids, path),
                )

            self._choose(title, choices, take)

    def uncollect(self) -> None:
        path, ids = self._page_collection(), self._selected()
        if not path:
            self.notice.show_message(tr("Select a collection in the sidebar first"))
        elif ids:
            self.work.submit(
                tr("Removing papers from a collection"),
                lambda editor: editor.uncollect(ids, path),
            )

    def toggle_read(self) -> None:
        """Mark the selected papers as read, or as unread if all are read."""
        if ids := self._selected():
            cards = [self._page.model.known(paper) for paper in ids[:KNOWN_OF]]
            read = not all(card is not None and card.read for card in cards)
            self.work.submit(
                tr("Changing the read status"), lambda editor: editor.mark_read(ids, read)
            )

    def rate(self, stars: int) -> None:
        if ids := self._selected():
            self.work.submit(tr("Rating papers"), lambda editor: editor.rate(ids, stars))

    def trash(self) -> None:
        """Move the selected papers to the trash; those in the trash are deleted instead."""
        if self.in_trash:
            self.delete_permanently()
        elif ids := self._selected():
            self.work.submit(tr("Moving papers to Trash"), lambda editor: editor.trash(ids))

    def untrash(self) -> None:
        if ids := self._selected():
            self.work.submit(tr("Restoring papers from Trash"), lambda editor: editor.untrash(ids))

    def delete_permanently(self) -> None:
        if not self.in_trash:
            self.notice.show_message(tr("Only papers in the Trash can be deleted permanently"))
        elif ids := self._selected():
            self._ask_to_delete(len(ids), ids)

    def empty_trash(self) -> None:
        if count := self.work.library_tree.trash:
            self._ask_to_delete(count, None)
        else:
            self.notice.show_message(tr("The Trash is empty"))

    def edit(self) -> None:
        """Edit one paper in full, or common fields of several."""
        ids = self._selected()
        if len(ids) == 1:
            source, editor = self._cards, self._workspace.editor

            def load(task: Task) -> tuple[Sequence[Card], frozenset[str], _BeforeLookup]:
                from sciread_app.services.ingest.lookup.record_requests import source_title

                before = {
                    one.field: (source_title(one.source), one.old)
                    for one in editor.looked_up_fields(ids).get(ids[0], ())
                }
                return source.cards(ids), editor.manually_edited_fields(ids[0]), before

            self._context.jobs.run(tr("Loading paper"), load, lambda found: self._edit_one(*found))
        elif ids:
            from sciread_app.ui.library.edit_dialog import (
                BulkEditDialog,  # loaded on first use
            )

            tags = [tag.name for tag in self.work.library_tree.tags]

            def save(done: str, steps: Sequence[Step | LongEdit]) -> None:
                self.work.submit(tr("Editing papers"), *steps, done=done)

            BulkEditDialog(ids, tags, save, self._window).show()

    def export(self) -> None:
        if ids := self._selected():
            self._exports.export_papers(ids)

    def accept_guesses(self) -> None:
        """Take over the values that the PDFs of the selected papers may have."""
        if ids := self._selected():
            change = LongEdit(lambda editor, task: editor.accept_guesses(ids, task=task))
            self.work.submit(tr("Accepting uncertain values"), change)

    def merge(self) -> None:
        """Merge the selected papers into the best record of them."""
        chosen = self.selected()
        if len(chosen) < 2:
            self.notice.show_message(tr("Select at least two papers in the list first"))
        else:
            self.work.submit(tr("Merging papers"), lambda editor: editor.merge_into_best(chosen))

    def link_versions(self) -> None:
        """Link the two selected papers as versions of one work."""
        if len(chosen := self.selected()) != 2:
            self.notice.show_message(tr("Select two papers in the list first"))
        else:
            self.work.submit(
                tr("Linking papers as versions"), lambda editor: editor.mark_as_versions(*chosen)
            )

    def split(self) -> None:
        """Split the selected paper into those that were merged."""
        if len(chosen := self.selected()) != 1:
            self.notice.show_message(tr("Select one paper in the list first"))
        else:
            self.work.submit(tr("Splitting a paper"), lambda editor: editor.split(chosen[0]))

    def look_up(self) -> None:
        """Look up the metadata of the selected papers."""
        if ids := self._selected():
            self._open_look_up(ids)

    def look_up_missing(self, fields: Sequence[str] = USUALLY_MISSING) -> None:
        """Look up the metadata of the papers of the library that lack one of these fields."""
        self._open_look_up(None, fields)

    def _open_look_up(
        self, ids: Sequence[PaperId] | None, missing: Sequence[str] = ()
    ) -> MetadataDialog:
        from sciread_app.ui.library.metadata.dialog import MetadataDialog  # loaded on first use

        for dialog in self._window.findChildren(MetadataDialog):
            if dialog.isVisible() and dialog.papers == ids and dialog.missing == tuple(missing):
                dialog.raise_()
                dialog.activateWindow()
                return dialog
        workspace = self._workspace

        def apply(chosen: SelectedChanges, show: Callable[[SelectedChanges], object]) -> None:
            made: dict[PaperId, Sequence[FieldChange]] = {}

            def act(editor: LibraryEditor, task: Task) -> Edit | None:
                applied = workspace.metadata.apply(chosen, task)
                made.update(applied.changes)
                return applied.edit

            self.work.submit(tr("Filling in metadata"), LongEdit(act), then=lambda: show(made))

        def undo(fields: Fields) -> None:
            change = LongEdit(lambda editor, task: editor.undo_lookup(fields, task))
            self.work.submit(tr("Undoing look-ups"), change)

        def reopen(papers: Sequence[PaperId]) -> None:
            self._open_look_up(papers).look_up()

        jobs, window = self._context.jobs, self._window
        dialog = MetadataDialog(ids, missing, workspace, jobs, apply, undo, reopen, window)
        dialog.show()
        return dialog

    def find_pdfs(self) -> None:
        """Find open-access PDFs of the selected papers, and save them in the PDF folder."""
        workspace = self._workspace

        def find(task: Task) -> PdfSearchReport:
            workspace.require_own_library()
            return workspace.pdf_finder.find(ids, task)

        if ids := self._selected():
            self._file_pdfs(
                tr("Finding PDFs"),
                find,
                lambda count: trn("Found {n:,} PDF", "Found {n:,} PDFs", count),
                lambda count: trn(
                    "No PDF was found for {n:,} paper.", "No PDF was found for {n:,} papers.", count
                ),
                JobQueue.network,
            )

    def move_pdfs(self) -> None:
        """Move the PDFs of the selected papers to the PDF folder."""
        if ids := self._selected():
            self._file_pdfs(
                tr("Moving PDFs"),
                lambda task: self._workspace.pdf_folder.move(ids, task),
                lambda count: trn("Moved {n:,} PDF", "Moved {n:,} PDFs", count),
            )

    def rename_pdfs(self) -> None:
        """Rename the PDFs of the selected papers by the pattern of the settings."""
        if ids := self._selected():
            self._file_pdfs(
                tr("Renaming PDFs"),
                lambda task: self._workspace.pdf_folder.rename(ids, task),
                lambda count: trn("Renamed {n:,} PDF", "Renamed {n:,} PDFs", count),
            )

    def choose_all(self) -> None:
        self._page.result_list.selectAll()

    def add(self) -> None:
        """Create a collection, named in the sidebar."""
        self.sidebar.show()
        self.sidebar.add_collection()

    def toggle_sidebar(self) -> None:
        self.sidebar.setVisible(self.sidebar.isHidden())
        if self.sidebar.isHidden():
            self._page.focus_results()

    def go_to_sidebar(self) -> None:
        self.sidebar.show()
        self.sidebar.take_focus()

    @property
    def in_trash(self) -> bool:
        """Whether the list shows the trash."""
        return TRASH in self._page.view.request.query

    def _connect(self) -> None:
        page, sidebar = self._page, self.sidebar
        sidebar.scope_requested.connect(page.set_scope)
        sidebar.duplicates_requested.connect(self._show_duplicates)
        sidebar.export_requested.connect(self._exports.export_found)
        sidebar.auto_export_requested.connect(self._exports.enable_auto_export)
        sidebar.empty_trash_requested.connect(self.empty_trash)
        sidebar.look_up_requested.connect(self.look_up_missing)
        self._look_up_bar.look_up_requested.connect(lambda field: self.look_up_missing((field,)))
        self._look_up_bar.accept_requested.connect(self.accept_guesses)
        sidebar.tree.escaped.connect(page.focus_results)
        sidebar.tree.all_papers_selected.connect(self.choose_all)
        page.result_list.selection_changed.connect(self._show_bar)
        page.view_shown.connect(self._look_at_page)
        page.menu_opened.connect(self._fill_menu)
        self.bar.clear.clicked.connect(
            lambda: page.result_list.go_to(page.result_list.currentIndex().row())
        )
        self.work.loaded.connect(self._look_at_tree)
        self.work.changed.connect(self._context.events.library_changed)
        self.work.done.connect(self._report_edit)
        self.work.failed.connect(self._context.messages.show_problem)
        self._context.events.library_changed.connect(self._changed)

    def _changed(self, changes: LibraryChanges) -> None:
        if changes.papers:
            self.work.load()

    def _look_at_tree(self, tree: LibraryTreeNodes) -> None:
        """Show all papers if the collection or tag shown no longer exists, as after undo."""
        if not tree.filter_text:
            shown = _fragment(self._page.request)
            if self._whole.node_for(shown) and not tree.node_for(shown):
                self._page.set_scope("")
            self._whole = tree
        self._look_at_page(self._page.view)

    def _show_duplicates(self) -> None:
        """Open the page of duplicates; the sidebar again selects what the list shows."""
        self._context.navigate.go_to("duplicates")
        self.sidebar.show_scope(_fragment(self._page.request))

    def _look_at_page(self, view: ResultView) -> None:
        scope = _fragment(view.request)
        self.sidebar.show_scope(scope)
        self._look_up_bar.show_counts(scope, self.work.library_tree)
        self._show_bar()

    def _show_bar(self) -> None:
        self.bar.show_count(self._page.result_list.selected_count(), in_trash=self.in_trash)

    def _fill_menu(self, menu: QMenu) -> None:
        """Add the actions for the selected papers to the list's context menu."""
        actions = self._actions
        menu.addSeparator()
        if self.in_trash:
            names: tuple[str, ...] = ("untrash", "delete")
        else:
            inside = ("uncollect",) if self._page_collection() else ()
            doubted = ("accept guesses",) if _fragment(self._page.request) == PROBLEMS else ()
            edits = ("tag", "collect", *inside, "read", "edit", *doubted, "look up")
            names = (*edits, "export", *self._pdf_actions(), "trash")
        for name in names:
            menu.addAction(actions[name])
        if not self.in_trash:
            # Not `insertMenu`: this submenu would be deleted with the menu when that closes.
            menu.insertAction(actions["read"], self._rate.menuAction())

    def _pdf_actions(self) -> Sequence[str]:
        """Return the actions that apply to the PDFs of the selected papers. Papers whose cards are
        not loaded may have a PDF or lack one."""
        papers = self.selected()[:LOOKED_AT]
        cards = [self._page.model.known(paper) for paper in papers]
        lacking = any(card is None or not has_pdf(card) for card in cards)
        having = any(card is None or has_pdf(card) for card in cards)
        on_files = ("move pdfs", "rename pdfs") if having else ()
        return (*(("find pdfs",) if lacking else ()), *on_files)

    def _file_pdfs(
        self,
        title: str,
        work: Callable[[Task], FilingReport | PdfSearchReport],
        done: Callable[[int], str],
        missed: Callable[[int], str] = _skipped,
        queue: JobQueue = JobQueue.long,
    ) -> None:
        """Run `work` as a job, and report how many files were `done` and which were `missed`."""

        def report(filed: FilingReport | PdfSearchReport) -> None:
            self._report_edit(CompletedEdit(done(filed.done), filed.edits))
            if filed.failures:
                self._report_failures(missed(len(filed.failures)), filed.failures)

        def ended(other: Job) -> None:
            """Reload the papers, also if the job was stopped or has failed halfway."""
            if other is job:
                self._context.jobs.finished.disconnect(ended)
                self._context.events.library_changed.emit(LibraryChanges(papers=True))

        stop_note = tr("You can undo the changes made so far")
        job = self._context.jobs.run(title, work, report, queue=queue, stop_note=stop_note)
        job.retry = partial(self._file_pdfs, title, work, done, missed, queue)
        self._context.jobs.finished.connect(ended)

    def _report_failures(self, text: str, failures: Sequence[Skipped]) -> None:
        lines = [f"{Path(one.file).name or one.entry}: {one.reason}" for one in failures[:NAMED]]

        def show() -> None:
            from sciread_app.ui.add_papers.imports.report import SkippedFilesDialog

            SkippedFilesDialog(ImportSummary(0, 0, 0, failures), self._window).show()

        details = [(tr("Details"), show)] if len(failures) > NAMED else []
        self._context.messages.show_warning(text, "\n".join(lines), *details, passes=True)

    def _report_edit(self, done: CompletedEdit) -> None:
        edits, undone = done.edits, done.undone
        self.notice.show_message(
            done.what,
            (lambda: self.work.undo(edits)) if edits else None,
            (lambda: self.work.redo(undone)) if undone else None,
        )

    def selected(self) -> list[PaperId]:
        """The selected papers of the list."""
        return self._page.result_list.selected()

    def _selected(self) -> list[PaperId]:
        ids = self.selected()
        if not ids:
            self.notice.show_message(NONE_SELECTED)
        return ids

    def _page_collection(self) -> str:
        """The collection that the list shows, or an empty string."""
        nodes = self.sidebar.tree.selected()
        return nodes[0].key if len(nodes) == 1 and nodes[0].kind is NodeKind.collection else ""

    def _tags_of_all(self, ids: Sequence[PaperId]) -> set[str]:
        """Tags that all of these papers have, as far as their cards are loaded."""
        if len(ids) > KNOWN_OF:
            return set()
        cards = [self._page.model.known(paper) for paper in ids]
        if None in cards:
            return set()
        return set.intersection(*(set(card.tags) for card in cards if card))

    def _choose(
        self, title: str, choices: Sequence[PickerItem], take: Callable[[PickerItem], None]
    ) -> None:
        chooser = PickerPopup(title, choices, self._context.appearance, self._window)
        chooser.selected.connect(take)
        chooser.closed.connect(self._back_to_list)
        chooser.open_at(self._page.place_of_current())

    def _back_to_list(self) -> None:
        """Return the focus to the list or the map after a popup."""
        self._window.activateWindow()
        self._page.focus_results()

    def _edit_one(
        self, cards: Sequence[Card], by_hand: frozenset[str], before: _BeforeLookup
    ) -> None:
        from sciread_app.ui.library.edit_dialog import EditDialog

        def save(values: Mapping[str, Any]) -> None:
            ids = [card.paper.id for card in cards if card.paper.id is not None]
            self.work.submit(tr("Editing a paper"), lambda editor: editor.edit(ids, **values))

        for card in cards:
            paper = card.paper.id
            look_up = partial(self._open_look_up, [paper]) if paper else None
            EditDialog(card.paper, by_hand, save, self._window, look_up, before).show()

    def _ask_to_delete(self, count: int, ids: Sequence[PaperId] | None) -> None:
        """Delete these papers, or everything in the trash, once the user has agreed."""

        def delete() -> None:
            text = trn("Permanently deleted {n:,} paper", "Permanently deleted {n:,} papers", count)
            self.work.submit(
                tr("Deleting papers permanently"),
                lambda editor: (
                    editor.empty_trash() if ids is None else editor.delete_permanently(ids)
                ),
                done=text,
                lasting=True,
            )

        confirm(
            self._window,
            trn("Delete paper", "Delete papers", count),
            trn("Permanently delete {n:,} paper?", "Permanently delete {n:,} papers?", count),
            tr("You cannot undo this. Files on your disk are kept."),
            tr("Delete permanently"),
            delete,
        )


def _fragment(request: SearchRequest) -> str:
    """The scope of the request in the query language."""
    return " ".join(chip.fragment for chip in request.scope)

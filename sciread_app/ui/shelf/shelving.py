"""The shelf in the window: sidebar, list, menus and messages, tied together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, QSettings, Qt, Signal
from PySide6.QtWidgets import QMenu

from sciread_app.domain.paper import Changes, PaperId
from sciread_app.language import tr, trn
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.shelf.chooser import Choice, Chooser
from sciread_app.ui.shelf.chosen_bar import ChosenBar
from sciread_app.ui.shelf.nodes import Kind
from sciread_app.ui.shelf.notice import Notice
from sciread_app.ui.shelf.organiser import Organiser
from sciread_app.ui.shelf.paper_drag import PaperDrag
from sciread_app.ui.shelf.sidebar import Sidebar
from sciread_app.ui.shelf.verbs import PAPERS, STARS
from sciread_app.ui.shelf.work import Done, ShelfWork, Step

if TYPE_CHECKING:
    from sciread_app.ui.main_window import MainWindow
    from sciread_app.ui.request import View
    from sciread_app.ui.values import Card

KNOWN_OF = 500  # chosen papers, of which is looked at whether they are read and what they have
TRASH = "in:trash"
NONE_CHOSEN = tr("Choose papers in the list first")


class Shelving(QObject):
    """What a person does to papers comes here, from wherever it is asked for."""

    duplicates_wanted = Signal()
    export_wanted = Signal(object)  # ids
    scope_export_wanted = Signal(str, str)  # a fragment of the query language, and its name

    def __init__(self, window: MainWindow, organiser: Organiser, jobs: Jobs) -> None:
        super().__init__(window)
        ground = window.centralWidget()
        assert window.page and ground
        self._window = window
        self._page = window.page
        self._organiser = organiser
        self._jobs = jobs
        self.work: ShelfWork = ShelfWork(organiser, jobs)
        self.sidebar = Sidebar(self.work, window.appearance)
        self.notice = Notice(ground, window.appearance)
        self.bar = ChosenBar(window.menus.on_shelf, window.menus.rate, window.appearance)
        self.notice.keep_clear_of(self.bar)
        self.notice.keep_clear_of(window.banner)
        self._drag = PaperDrag(self._page.hits)
        self._page.parts.add_sidebar(self.sidebar)
        self._page.parts.add_below(self.bar)
        self._give_keys()
        self._connect()
        self.work.load()

    def restore(self, settings: QSettings) -> None:
        self.sidebar.restore(settings)

    def save(self, settings: QSettings) -> None:
        self.sidebar.save(settings)

    # What is asked for from the menus, by keys, and from the bar.

    def choose_tag(self) -> None:
        ids = self._chosen()
        if ids:
            on = self._tags_of_all(ids)
            tags = self.work.shelf.tags
            choices = [Choice(tag.name, tag.colour, tag.count, tag.name in on) for tag in tags]
            title = trn("Tag {n:,} paper", "Tag {n:,} papers", len(ids))
            self._choose(title, choices, lambda c: self._tag(ids, c))

    def choose_collection(self) -> None:
        ids = self._chosen()
        if ids:
            choices = [Choice(one.path, None, one.count) for one in self.work.shelf.collections]
            title = trn(
                "Put {n:,} paper into a collection", "Put {n:,} papers into a collection", len(ids)
            )
            self._choose(title, choices, lambda c: self._collect(ids, c))

    def uncollect(self) -> None:
        path, ids = self._page_collection(), self._chosen()
        if not path:
            self.notice.say(tr("Go to a collection in the sidebar first"))
        elif ids:
            self.work.do(tr("Took out"), lambda organise: organise.uncollect(ids, path))

    def toggle_read(self) -> None:
        """All are marked as read, unless they all are."""
        if ids := self._chosen():
            cards = [self._page.model.known(paper) for paper in ids[:KNOWN_OF]]
            read = not all(card is not None and card.read for card in cards)
            self.work.do(tr("Marked"), lambda organise: organise.mark_read(ids, read))

    def rate(self, stars: int) -> None:
        if ids := self._chosen():
            self.work.do(tr("Rated"), lambda organise: organise.rate(ids, stars))

    def trash(self) -> None:
        """From the trash there is only one way further."""
        if self.in_trash:
            self.delete_for_good()
        elif ids := self._chosen():
            self.work.do(tr("Moved to the trash"), lambda organise: organise.trash(ids))

    def untrash(self) -> None:
        if ids := self._chosen():
            self.work.do(tr("Brought back"), lambda organise: organise.untrash(ids))

    def delete_for_good(self) -> None:
        if not self.in_trash:
            self.notice.say(tr("Only what is in the trash can be deleted for good"))
        elif ids := self._chosen():
            self._ask_to_delete(len(ids), ids)

    def empty_trash(self) -> None:
        if count := self.work.shelf.trash:
            self._ask_to_delete(count, None)
        else:
            self.notice.say(tr("The trash is empty"))

    def edit(self) -> None:
        """All fields of one paper, or some of many."""
        ids = self._chosen()
        if len(ids) == 1:
            desk, organise = self._window.desk, self._organiser
            assert desk
            self._jobs.run(
                tr("Reading a paper"),
                lambda task: (desk.cards(ids), organise.set_by_hand(ids[0])),
                lambda found: self._edit_one(*found),
                lane=Lane.light,
            )
        elif ids:
            from sciread_app.ui.shelf.edit_many import EditManyDialog  # who edits waits for it

            tags = [tag.name for tag in self.work.shelf.tags]
            EditManyDialog(ids, tags, lambda what, do: self.work.do(what, *do), self._window).show()

    def export(self) -> None:
        if ids := self._chosen():
            self.export_wanted.emit(ids)

    def choose_all(self) -> None:
        self._page.hits.selectAll()

    def add(self) -> None:
        """A new collection, named in the sidebar."""
        self.sidebar.show()
        self.sidebar.add_collection()

    def toggle_sidebar(self) -> None:
        self.sidebar.setVisible(self.sidebar.isHidden())
        if self.sidebar.isHidden():
            self._page.hits.setFocus()

    def go_to_sidebar(self) -> None:
        self.sidebar.show()
        self.sidebar.take_focus()

    @property
    def in_trash(self) -> bool:
        """Whether the list shows what is in the trash."""
        return TRASH in self._page.view.request.query

    def _give_keys(self) -> None:
        """Letters and numbers are keys in the list alone: elsewhere they are typed."""
        for verb in (*PAPERS, *STARS):
            action = self._window.menus.on_shelf[verb.name]
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            self._page.hits.addAction(action)

    def _connect(self) -> None:
        window, page, sidebar = self._window, self._page, self.sidebar
        sidebar.scope_wanted.connect(page.set_scope)
        sidebar.duplicates_wanted.connect(self.duplicates_wanted)
        sidebar.export_wanted.connect(self.scope_export_wanted)
        sidebar.trash_asked.connect(self.empty_trash)
        sidebar.left.connect(page.hits.setFocus)
        page.hits.chosen_changed.connect(self._show_bar)
        page.shown.connect(self._look_at_page)
        page.menu_opened.connect(self._fill_menu)
        self.bar.cleared.connect(lambda: page.hits.go_to(page.hits.currentIndex().row()))
        self.work.came.connect(lambda _: self._look_at_page(page.view))
        self.work.changed.connect(window.library_changed)
        self.work.done.connect(self._tell)
        self.work.failed.connect(window.banner.show_problem)
        window.library_changed.connect(self._changed)

    def _changed(self, changes: Changes) -> None:
        if changes.papers:
            self.work.load()

    def _look_at_page(self, view: View) -> None:
        self.sidebar.show_scope(" ".join(chip.fragment for chip in view.request.scope))
        self._show_bar()

    def _show_bar(self) -> None:
        self.bar.show_count(self._page.hits.chosen_count(), in_trash=self.in_trash)

    def _fill_menu(self, menu: QMenu) -> None:
        """What can be done to the chosen papers, for the list's own menu."""
        actions = self._window.menus.on_shelf
        menu.addSeparator()
        if self.in_trash:
            names: tuple[str, ...] = ("untrash", "delete")
        else:
            inside = ("uncollect",) if self._page_collection() else ()
            names = ("tag", "collect", *inside, "read", "edit", "export", "trash")
        for name in names:
            menu.addAction(actions[name])
        if not self.in_trash:
            # Not `insertMenu`: the menu that is deleted when it closes would take this one along.
            menu.insertAction(actions["read"], self._window.menus.rate.menuAction())

    def _tell(self, done: Done) -> None:
        edits, undone = done.edits, done.undone
        self.notice.say(
            done.what,
            (lambda: self.work.undo(edits)) if edits else None,
            (lambda: self.work.redo(undone)) if undone else None,
        )

    def _chosen(self) -> list[PaperId]:
        ids = self._page.hits.chosen()
        if not ids:
            self.notice.say(NONE_CHOSEN)
        return ids

    def _page_collection(self) -> str:
        """The collection that the list shows, if it shows one."""
        nodes = self.sidebar.tree.chosen()
        return nodes[0].key if len(nodes) == 1 and nodes[0].kind is Kind.collection else ""

    def _tags_of_all(self, ids: Sequence[PaperId]) -> set[str]:
        """Tags that all of these papers have, as far as is known of them just now."""
        if len(ids) > KNOWN_OF:
            return set()
        cards = [self._page.model.known(paper) for paper in ids]
        if None in cards:
            return set()
        return set.intersection(*(set(card.tags) for card in cards if card))

    def _choose(
        self, title: str, choices: Sequence[Choice], take: Callable[[Choice], None]
    ) -> None:
        chooser = Chooser(title, choices, self._window.appearance, self._window)
        chooser.taken.connect(take)
        chooser.gone.connect(self._back_to_list)
        hits = self._page.hits
        chooser.open_at(hits.mapToGlobal(QPoint(24, hits.height() - 16)))

    def _back_to_list(self) -> None:
        """What was over the window has taken the keys with it."""
        self._window.activateWindow()
        self._page.hits.setFocus(Qt.FocusReason.PopupFocusReason)

    def _tag(self, ids: Sequence[PaperId], choice: Choice) -> None:
        """What all of them have already is taken off."""
        if choice.on:
            self.work.do(tr("Untagged"), lambda organise: organise.untag(ids, choice.name))
        else:
            self.work.do(tr("Tagged"), lambda organise: organise.tag(ids, choice.name))

    def _edit_one(self, cards: Sequence[Card], by_hand: frozenset[str]) -> None:
        from sciread_app.ui.shelf.edit_dialog import EditDialog

        def save(values: Mapping[str, Any]) -> None:
            ids = [card.paper.id for card in cards if card.paper.id is not None]
            self.work.do(tr("Changed"), lambda organise: organise.edit(ids, **values))

        for card in cards:
            EditDialog(card.paper, by_hand, save, self._window).show()

    def _collect(self, ids: Sequence[PaperId], choice: Choice) -> None:
        self.work.do(tr("Collected"), lambda organise: organise.collect(ids, choice.name))

    def _ask_to_delete(self, count: int, ids: Sequence[PaperId] | None) -> None:
        def delete() -> None:
            said = trn("Deleted {n:,} paper for good", "Deleted {n:,} papers for good", count)
            self.work.do(said, _deletion(ids), lasting=True)

        self._window.banner.show_warning(
            trn("Delete {n:,} paper for good?", "Delete {n:,} papers for good?", count),
            tr("This cannot be undone. Files on your disk stay where they are."),
            (tr("Delete for good"), delete),
            (tr("Keep"), lambda: None),
        )


def _deletion(ids: Sequence[PaperId] | None) -> Step:
    """Of these papers, or of all that is in the trash."""
    if ids is None:
        return lambda organise: _unmade(organise.empty_trash())
    return lambda organise: _unmade(organise.delete_for_good(ids))


def _unmade(count: int) -> None:
    """How many were deleted is no edit."""

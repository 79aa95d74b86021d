"""The page of models: which are here, what each is worth, and which one answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from sciread_app.domain.paper import Changes
from sciread_app.language import tr, trn
from sciread_app.services.model_arrivals import Wanted
from sciread_app.services.model_trash import Removed
from sciread_app.services.models import About, Model, State
from sciread_app.tasks import Task
from sciread_app.ui.backups_panel import size
from sciread_app.ui.jobs import Jobs, Lane, Problem
from sciread_app.ui.models.asking import (
    ask_for_folder,
    ask_for_zip,
    ask_to_delete,
    ask_where_to,
)
from sciread_app.ui.models.card import ModelCard
from sciread_app.ui.models.hub import HubDialog
from sciread_app.ui.models.incoming import ComingIn
from sciread_app.ui.models.rows import ModelList, rows_of
from sciread_app.ui.models.swap import Swapping
from sciread_app.ui.models.underway import Underway
from sciread_app.ui.models.values import Keeper, why_not
from sciread_app.ui.page import Page
from sciread_app.ui.theme import Appearance, styled

ALONE = tr(
    "One that knows your field finds more: fetch one that others have trained, or train one on "
    "your own papers."
)


class ModelsPage(Page):
    said = Signal(str, object)  # what was done, and how to take it back (or None)
    problem = Signal(object)  # Problem
    place_wanted = Signal(str)
    measure_wanted = Signal(str)  # the space of a model that is to be seen in the dashboard
    busy_changed = Signal(bool)
    shown = Signal()  # a card stands there

    def __init__(
        self, keeper: Keeper, swapping: Swapping, jobs: Jobs, appearance: Appearance
    ) -> None:
        super().__init__()
        self._keeper = keeper
        self._swapping = swapping
        self._jobs = jobs
        self._appearance = appearance
        self._models: Sequence[Model] = ()
        self._trashed: Sequence[Removed] = ()
        self._underway = Underway(swapping, jobs, self)
        self._build()
        self._connect()

    # What the window asks of a page.

    def refresh(self) -> None:
        self.load()

    def take_focus(self) -> None:
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def panes(self) -> Sequence[QWidget]:
        return (self.list, self.card)

    def library_changed(self, changes: Changes) -> None:
        if (changes.space or changes.vectors or changes.papers) and self.isVisible():
            self.load()

    # Verbs, from buttons, menus and keys.

    def activate(self) -> None:
        if (model := self.model) and not self.why_not("activate"):
            self._swapping.activate(model.name, model.title)

    def go_back(self) -> None:
        """Let the model answer again that did so before."""
        self._jobs.run(
            tr("Looking at models"),
            lambda task: self._keeper.earlier(),
            self._go_back_to,
            lane=Lane.light,
        )

    def add_folder(self) -> None:
        if source := ask_for_folder(tr("Add the model in this folder"), self):
            self.add(source)

    def add_zip(self) -> None:
        if source := ask_for_zip(self):
            self.add(source)

    def add_run(self) -> None:
        title = tr("Add the model of the training in this folder")
        if source := ask_for_folder(title, self):
            self.add(source)

    def add(self, source: Path) -> None:
        """Take in the model in a folder, a zip or a run."""
        self.incoming.add(source)

    def ask_hub(self, again: Wanted | None = None) -> None:
        dialog = HubDialog(self._appearance, self)
        if again:
            dialog.write(again)
        dialog.wanted.connect(self.incoming.pull)
        dialog.show()

    def measure(self) -> None:
        if (model := self.model) and not self.why_not("measure"):
            self.measure_wanted.emit(model.space)

    def export(self) -> None:
        if not (model := self.model) or self.why_not("export"):
            return
        if target := ask_where_to(f"{model.name}.zip", self):
            self._jobs.run(
                tr("Exporting {title}", title=model.title),
                lambda task: self._keeper.export(model.name, target, task),
                lambda file: self.said.emit(tr("Exported to {file}", file=file.name), None),
            )

    def rename(self) -> None:
        if not self.why_not("rename"):
            self.card.begin_rename()

    def remove(self) -> None:
        if (model := self.model) and not self.why_not("remove"):
            self._do(
                tr("Removing a model"), lambda task: self._keeper.remove(model.name), self._removed
            )

    def restore(self) -> None:
        if removed := self.card.removed:
            self._put_back(removed)

    def delete(self) -> None:
        if removed := self.card.removed:
            ask_to_delete(removed, lambda: self._delete(removed), self)

    def check(self) -> None:
        if (model := self.model) and not self.why_not("check"):
            self._do(
                tr("Looking at the files of a model"),
                lambda task: self._keeper.judge(model.name, task),
                self._checked,
            )

    @property
    def model(self) -> Model | None:
        """The one that is chosen."""
        return next((model for model in self._models if model.name == self.list.current), None)

    def why_not(self, verb: str) -> str:
        """Why something cannot be done to what is chosen; empty where it can."""
        return why_not(verb, self.model, self.card.removed, self._models)

    # Looking.

    def load(self, choose: str = "") -> None:
        """Look at what is here; `choose` names a model that is to be chosen then."""
        self._jobs.run(
            tr("Looking at models"),
            lambda task: (self._keeper.all(), self._keeper.trashed()),
            lambda found: self._show(*found, choose=choose),
            lane=Lane.light,
            instead_of="models",
        )

    def _show(self, models: Sequence[Model], trashed: Sequence[Removed], choose: str = "") -> None:
        self._models, self._trashed = [self._as_wanted(model) for model in models], trashed
        before = self.list.current
        self._show_rows(choose or before or self._answers())
        self.count.setText(_counted(models))
        alone = len(models) == 1 and not trashed
        self._alone.setVisible(alone)
        self.list.fit(len(self.list.rows) if alone else 0)
        if self.list.current == before:
            self._look_at(before)
        if unsure := [m for m in models if not (m.checked or m.problem)]:
            self._jobs.run(
                tr("Looking at the files of models"),
                lambda task: [self._keeper.check(model.name, task) for model in unsure],
                self._took_a_look,
                lane=Lane.light,
                instead_of="models checked",
            )

    def _as_wanted(self, model: Model) -> Model:
        """What was asked for here is on its way before the library says so."""
        wanted = self._swapping.wanted
        on_its_way = wanted and wanted.model == model.name and model.state is not State.answers
        return replace(model, state=State.pending) if on_its_way else model

    def _took_a_look(self, looked_at: Sequence[Model]) -> None:
        if any(model.problem for model in looked_at):
            self.load()

    def _show_rows(self, choose: str = "") -> None:
        self.list.show_rows(rows_of(self._models, self._trashed, self._underway.share), choose)

    def _answers(self) -> str:
        return next((m.name for m in self._models if m.state is State.answers), "")

    def _look_at(self, key: str) -> None:
        if removed := next((one for one in self._trashed if one.key == key), None):
            self.card.show_removed(removed)
            self.shown.emit()
        elif key:
            self._jobs.run(
                tr("Reading the card of a model"),
                lambda task: self._keeper.about(key),
                self._show_about,
                lane=Lane.light,
                instead_of="model card",
            )
        else:
            self.card.clear()

    def _show_about(self, about: About | None) -> None:
        if about is None:
            self.load()
            return
        if about.model.name != self.list.current:
            return
        used = next((model for model in self._models if model.state is State.answers), None)
        about = replace(about, model=self._as_wanted(about.model))
        base = about.model.base
        in_use = used is not None and used.name in (base, Path(base).name)
        self.card.show_about(about, used.title if used else "", base_in_use=in_use)
        self.card.show_progress(self._underway)
        self.shown.emit()

    def _came(self, model: Model) -> None:
        self.said.emit(tr("{title} is here", title=model.title), None)
        self.load(model.name)

    def _refused(self, problem: Problem) -> None:
        """Who looks elsewhere, or is to send a report, is told in the window's own place."""
        if problem.report or not self.isVisible():
            self.problem.emit(problem)

    def _go_back_to(self, name: str) -> None:
        if model := next((one for one in self._models if one.name == name), None):
            self._swapping.activate(model.name, model.title)

    # What is done to the chosen one.

    def _do(self, title: str, work: Callable[[Task], Any], done: Callable[[Any], None]) -> None:
        self._jobs.run(title, work, done, lane=Lane.light)

    def _rename(self, title: str) -> None:
        if model := self.model:
            self._do(
                tr("Renaming a model"),
                lambda task: self._keeper.rename(model.name, title),
                lambda renamed: self.load(renamed.name),
            )

    def _removed(self, removed: Removed) -> None:
        self.said.emit(
            tr("{title} is in the trash", title=removed.title), partial(self._put_back, removed)
        )
        self.load()

    def _put_back(self, removed: Removed) -> None:
        self._do(
            tr("Putting a model back"),
            lambda task: self._keeper.restore(removed.key),
            lambda model: self.load(model.name),
        )

    def _checked(self, model: Model) -> None:
        if not model.problem:
            self.said.emit(tr("{title} is whole", title=model.title), None)
        self.load()

    def _delete(self, removed: Removed) -> None:
        self._do(
            tr("Deleting a model"),
            lambda task: self._keeper.delete(removed.key),
            lambda _: self.load(),
        )

    def _show_far(self) -> None:
        self.card.show_progress(self._underway)
        self._show_rows()

    def _swap_moved(self) -> None:
        if self.isVisible():
            self.load()

    def _build(self) -> None:
        self.count = styled(QLabel(), "quiet")
        self.add_button = styled(QPushButton(tr("Add a model")), "primary")
        self.add_button.setMenu(self._menu())
        self.list = ModelList(self._appearance)
        self.card = ModelCard(self._appearance)
        self.incoming = ComingIn(self._keeper, self._jobs)
        self._alone = self._invitation()
        head = QHBoxLayout()
        head.setContentsMargins(20, 12, 16, 8)
        head.addWidget(self.count)
        head.addStretch()
        head.addWidget(self.add_button)
        left = QWidget()
        side = QVBoxLayout(left)
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(8)
        side.addWidget(self.incoming)
        side.addWidget(self.list, 1)
        side.addWidget(self._alone, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        split.addWidget(self.card)
        split.setStretchFactor(1, 1)
        split.setSizes([320, 820])
        split.setContentsMargins(12, 0, 16, 12)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(split, 1)

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        for text, do in (
            (tr("From the &hub…"), lambda: self.ask_hub()),
            (tr("From a &folder…"), self.add_folder),
            (tr("From a &zip file…"), self.add_zip),
            (tr("Of a &training that is done…"), self.add_run),
        ):
            menu.addAction(text, do)
        return menu

    def _invitation(self) -> QWidget:
        panel = styled(QWidget(), "column")
        said = styled(QLabel(ALONE, wordWrap=True), "quiet")
        hub = QPushButton(tr("Fetch one from the hub…"))
        hub.clicked.connect(lambda: self.ask_hub())
        column = QVBoxLayout(panel)
        column.setContentsMargins(12, 6, 12, 12)
        column.setSpacing(10)
        column.addWidget(said)
        train = QPushButton(tr("Train one…"))
        train.clicked.connect(lambda: self.place_wanted.emit("training"))
        for button in (hub, train):
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch()
        panel.hide()
        return panel

    def _connect(self) -> None:
        self.list.chosen.connect(self._look_at)
        self.list.entered.connect(self.card.take_focus)
        self.incoming.came.connect(self._came)
        self.incoming.refused.connect(self._refused)
        self.incoming.hub_wanted.connect(self.ask_hub)
        self.incoming.busy_changed.connect(self.busy_changed)
        card = self.card
        for signal, do in (
            (card.activate_wanted, self.activate),
            (card.check_wanted, self.check),
            (card.measure_wanted, self.measure),
            (card.export_wanted, self.export),
            (card.renamed, self._rename),
            (card.remove_wanted, self.remove),
            (card.restore_wanted, self.restore),
            (card.delete_wanted, self.delete),
            (card.hold_wanted, self._underway.hold),
            (card.cancel_wanted, self._underway.stop),
        ):
            signal.connect(do)
        self._underway.changed.connect(self._show_far)
        self._swapping.moved.connect(self._swap_moved)


def _counted(models: Sequence[Model]) -> str:
    said = trn("{n:,} model", "{n:,} models", len(models))
    return f"{said} · {size(sum(model.size for model in models))}"

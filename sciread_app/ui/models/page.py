"""The models page: installed models, their scores, and the active model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QLabel,
    QMenu,
    QPushButton,
    QSplitter,
    QWidget,
)

from sciread_app.domain.paper import LibraryChanges
from sciread_app.language import tr, trn
from sciread_app.services.models.installer import DownloadRequest, ModelInstaller
from sciread_app.services.models.registry import (
    InstalledModel,
    ModelDetails,
    ModelRegistry,
    ModelState,
)
from sciread_app.services.models.trash import RemovedModel
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.formatting import file_size
from sciread_app.ui.jobs.runner import JobError, JobQueue
from sciread_app.ui.models.card import ModelCard
from sciread_app.ui.models.downloads import ModelDownloads
from sciread_app.ui.models.hub_dialog import HubDialog
from sciread_app.ui.models.model_list import ModelList, rows_of
from sciread_app.ui.models.view_models import unavailable_reason
from sciread_app.ui.page import Page
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.dialogs.confirmation import confirm
from sciread_app.ui.widgets.dialogs.file_dialogs import (
    DialogPurpose,
    choose_folder,
    open_file,
    save_file,
)
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.rounded_popup import rounded

ALONE = tr(
    "A model for your field finds more relevant papers. Add a published model, "
    "or train a model on your own papers."
)


class ModelsPage(Page):
    """Lists the models, and shows the selected one with its actions. Models are added, activated
    and removed in the background, and the list is loaded again afterwards."""

    def __init__(
        self, models: ModelRegistry, installer: ModelInstaller, context: AppContext
    ) -> None:
        super().__init__(context.pages)
        self._registry = models
        self._installer = installer
        self._activation = context.activation
        self._context, self._jobs = context, context.jobs
        self._appearance = context.appearance
        self._models: Sequence[InstalledModel] = ()
        self._trashed: Sequence[RemovedModel] = ()
        self._build()
        self._connect()

    # Interface of a page

    def refresh(self) -> None:
        self.load()

    def take_focus(self) -> None:
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def panes(self) -> Sequence[QWidget]:
        return (self.list, self.card)

    def library_changed(self, changes: LibraryChanges) -> None:
        if (changes.space or changes.vectors or changes.papers) and self.isVisible():
            self.load()

    # Actions

    def activate(self) -> None:
        if (model := self.model) and not self.unavailable_reason("activate"):
            self._activation.activate(model.name, model.title)

    def go_back(self) -> None:
        """Activate the previously active model again."""
        self._jobs.run(
            tr("Loading models"), lambda task: self._registry.earlier(), self._go_back_to
        )

    def add_folder(self) -> None:
        if source := ask_for_folder(tr("Add a model from a folder"), self):
            self.downloads.add(source)

    def add_zip(self) -> None:
        if source := ask_for_zip(self):
            self.downloads.add(source)

    def add_run(self) -> None:
        title = tr("Add a model from a training run")
        if source := ask_for_folder(title, self):
            self.downloads.add(source)

    def ask_hub(self, again: DownloadRequest | None = None) -> None:
        dialog = HubDialog(self._appearance, self, self._models)
        if again:
            dialog.write(again)
        dialog.download_requested.connect(self.downloads.pull)
        dialog.show()

    def measure(self) -> None:
        if (model := self.model) and not self.unavailable_reason("measure"):
            self._context.navigate.evaluate_model(model.space)

    def export(self) -> None:
        if not (model := self.model) or self.unavailable_reason("export"):
            return
        if target := ask_where_to(f"{model.name}.zip", self):
            self._jobs.run(
                tr("Exporting {title}", title=model.title),
                lambda task: self._registry.export(model.name, target, task, may_replace=True),
                lambda file: self._show_message(tr("Exported to {file}", file=file.name)),
                queue=JobQueue.long,
            )

    def rename(self) -> None:
        if not self.unavailable_reason("rename"):
            self.card.begin_rename()

    def remove(self) -> None:
        if (model := self.model) and not self.unavailable_reason("remove"):
            self._run(
                tr("Moving a model to Trash"),
                lambda task: self._registry.remove(model.name),
                self._removed,
            )

    def restore(self) -> None:
        if removed := self.card.removed:
            self._put_back(removed)

    def delete(self) -> None:
        """Ask whether to delete the selected model of the trash permanently."""
        if removed := self.card.removed:
            ask_to_delete(
                removed,
                lambda: self._run(
                    tr("Deleting a model"),
                    lambda task: self._registry.delete(removed.key),
                    lambda _: self.load(),
                ),
                self,
            )

    def check(self) -> None:
        if (model := self.model) and not self.unavailable_reason("check"):
            self._run(
                tr("Verifying model files"),
                lambda task: self._registry.verify(model.name),
                self._checked,
            )

    @property
    def model(self) -> InstalledModel | None:
        """The selected model."""
        return next((model for model in self._models if model.name == self.list.current), None)

    def unavailable_reason(self, action: str) -> str:
        """Why an action on the selected model is unavailable; empty if it is available."""
        return unavailable_reason(action, self.model, self.card.removed, self._models)

    # Loading

    def load(self, choose: str = "") -> None:
        """Load the models; `choose` names one to select."""
        self._jobs.run(
            tr("Loading models"),
            lambda task: (self._registry.all(), self._registry.trashed()),
            lambda found: self._show(*found, choose=choose),
            replaces="models",
        )

    def _show(
        self, models: Sequence[InstalledModel], trashed: Sequence[RemovedModel], choose: str = ""
    ) -> None:
        """Show these models, and select `choose`, else what was selected, else the active one."""
        self._models, self._trashed = [self._with_request(model) for model in models], trashed
        before = self.list.current
        active = next((m.name for m in self._models if m.state is ModelState.active), "")
        self._show_rows(choose or before or active)
        count = trn("{n:,} model", "{n:,} models", len(models))
        self.count.setText(f"{count} · {file_size(sum(model.size for model in models))}")
        alone = len(models) == 1 and not trashed
        self._alone.setVisible(alone)
        self.list.fit(len(self.list.rows) if alone else 0)
        if self.list.current == before:
            self._show_card(before)
        if unchecked := [m for m in models if not (m.checked or m.problem)]:
            self._jobs.run(
                tr("Verifying model files"),
                lambda task: [self._registry.check(model.name, task) for model in unchecked],
                self._files_checked,
                replaces="models checked",
            )

    def _with_request(self, model: InstalledModel) -> InstalledModel:
        """The state with the pending request applied, before the library reports it."""
        request = self._activation.request
        pending = request and request.model == model.name and model.state is not ModelState.active
        return replace(model, state=ModelState.pending) if pending else model

    def _files_checked(self, models: Sequence[InstalledModel]) -> None:
        if any(model.problem for model in models):
            self.load()

    def _show_rows(self, choose: str = "") -> None:
        rows = rows_of(self._models, self._trashed, self._activation.share)
        self.list.show_rows(rows, choose)

    def _show_card(self, key: str) -> None:
        if removed := next((one for one in self._trashed if one.key == key), None):
            self.card.show_removed(removed)
            self._offer_actions()
            self.actions_changed.emit()
        elif key:
            self._jobs.run(
                tr("Loading model details"),
                lambda task: self._details(key),
                self._show_about,
                on_failed=self._not_shown,
                replaces="model card",
            )
        else:
            self.card.clear()

    def _not_shown(self, problem: JobError) -> None:
        self.list.forget_menu()
        self._context.messages.show_problem(problem)

    def _details(self, name: str) -> ModelDetails | None:
        """The details of a model; None if it has been removed."""
        here = any(model.name == name for model in self._registry.all())
        return self._registry.about(name) if here else None

    def _show_about(self, about: ModelDetails | None) -> None:
        if about is None:
            self.load()
            return
        if about.model.name != self.list.current:
            return
        used = next((model for model in self._models if model.state is ModelState.active), None)
        about = replace(about, model=self._with_request(about.model))
        base = about.model.base
        in_use = used is not None and used.name in (base, Path(base).name)
        self.card.show_about(about, used.title if used else "", base_in_use=in_use)
        self.card.show_progress(self._activation)
        self._offer_actions()
        self.actions_changed.emit()

    def _offer_actions(self) -> None:
        """Show the menu of the current model, if it was requested, once its card is shown."""
        shown = self.card.removed.key if self.card.removed else self.card.name
        if shown == self.list.current:
            self.list.show_menu(self.card.buttons)

    def _installed(self, model: InstalledModel) -> None:
        self._show_message(tr("{title} was added", title=model.title))
        self.load(model.name)

    def _refused(self, problem: JobError) -> None:
        """Report the error in the window if the page is hidden or a report can be sent."""
        if problem.report or not self.isVisible():
            self._context.messages.show_problem(problem)

    def _go_back_to(self, name: str) -> None:
        if model := next((one for one in self._models if one.name == name), None):
            self._activation.activate(model.name, model.title)

    # Actions on the selected model

    def _run(self, title: str, work: Callable[[Task], Any], done: Callable[[Any], None]) -> None:
        self._jobs.run(title, work, done)

    def _show_message(self, message: str) -> None:
        self._context.toast.show_message(message)

    def _rename(self, title: str) -> None:
        if model := self.model:
            self._run(
                tr("Renaming a model"),
                lambda task: self._registry.rename(model.name, title),
                lambda renamed: self.load(renamed.name),
            )

    def _removed(self, removed: RemovedModel) -> None:
        sentence = tr("Moved “{title}” to the Trash.", title=removed.title)
        undo = (tr("Restore"), partial(self._put_back, removed))
        self._context.messages.show_notice(sentence, "", undo, passes=True)
        self.load()

    def _put_back(self, removed: RemovedModel) -> None:
        self._run(
            tr("Restoring a model"),
            lambda task: self._registry.restore(removed.key),
            lambda model: self.load(model.name),
        )

    def _checked(self, model: InstalledModel) -> None:
        if not model.problem:
            self._show_message(tr("{title}: all files are intact", title=model.title))
        self.load()

    def _show_progress(self) -> None:
        self.card.show_progress(self._activation)
        self._show_rows()

    def _activation_moved(self) -> None:
        if self.isVisible():
            self.load()

    def _build(self) -> None:
        self.count = styled(QLabel(), "quiet")
        self.add_button = styled(QPushButton(tr("Add model")), "primary")
        self.add_button.setMenu(self._menu())
        self.add_button.setParent(self)  # first, and so before the list for Tab
        # Outer widgets first: a widget that gets its parent later is styled once more.
        split = QSplitter(Qt.Orientation.Horizontal, self, childrenCollapsible=False)
        left = QWidget(split)
        self.list = ModelList(self._appearance)
        self.downloads = ModelDownloads(self._installer, self._jobs)
        self._alone = self._invitation()
        column(self.downloads, (self.list, 1), (self._alone, 1), parent=left, margins=0, spacing=8)
        self.card = ModelCard(self._appearance, split)
        split.setStretchFactor(1, 1)
        split.setSizes([320, 820])
        split.setContentsMargins(12, 0, 16, 12)
        head = row(self.count, 0, self.add_button, margins=(20, 12, 16, 8))
        column(head, (split, 1), parent=self, margins=0, spacing=0)

    def _menu(self) -> QMenu:
        menu = rounded(QMenu(self))
        for text, do in (
            (tr("From &Hugging Face…"), lambda: self.ask_hub()),
            (tr("From a &folder…"), self.add_folder),
            (tr("From a &zip file…"), self.add_zip),
            (tr("From a finished &training run…"), self.add_run),
        ):
            menu.addAction(text, do)
        return menu

    def _invitation(self) -> QWidget:
        panel = styled(QWidget(), "column")
        label = styled(QLabel(ALONE, wordWrap=True), "quiet")
        hub = QPushButton(tr("Add a model from Hugging Face…"))
        hub.clicked.connect(lambda: self.ask_hub())
        train = QPushButton(tr("Train a model…"))
        train.clicked.connect(lambda: self._context.navigate.go_to("training"))
        left = Qt.AlignmentFlag.AlignLeft
        parts = (label, (hub, 0, left), (train, 0, left), 0)
        column(*parts, parent=panel, margins=(12, 6, 12, 12), spacing=10)
        panel.hide()
        return panel

    def _connect(self) -> None:
        self.list.selected.connect(self._show_card)
        self.list.activated.connect(lambda _: self.card.take_focus())
        self.list.menu_requested.connect(self._offer_actions)
        self.downloads.loaded.connect(self._installed)
        self.downloads.refused.connect(self._refused)
        self.downloads.hub_requested.connect(self.ask_hub)
        show_busy = partial(self._context.navigate.show_busy, "models")
        self.downloads.busy_changed.connect(show_busy)
        card = self.card
        for button, do in (
            (card.activate, self.activate),
            (card.check, self.check),
            (card.measure, self.measure),
            (card.export, self.export),
            (card.remove, self.remove),
            (card.restore, self.restore),
            (card.delete, self.delete),
            (card.pause, self._activation.toggle_pause),
            (card.cancel, self._activation.cancel),
        ):
            button.clicked.connect(do)
        card.renamed.connect(self._rename)
        self._activation.progressed.connect(self._show_progress)
        self._activation.state_changed.connect(self._activation_moved)


def ask_for_folder(title: str, parent: QWidget) -> Path | None:
    return choose_folder(parent, DialogPurpose.model_folder, title)


def ask_for_zip(parent: QWidget) -> Path | None:
    return open_file(parent, DialogPurpose.model, tr("Add a model from a zip file"), _kinds())


def ask_where_to(usual: str, parent: QWidget) -> Path | None:
    """Ask where to export a model, including whether to replace a file."""
    return save_file(parent, DialogPurpose.model, tr("Export model"), usual, _kinds())


def ask_to_delete(removed: RemovedModel, delete: Callable[[], object], parent: QWidget) -> None:
    """Call `delete` once the user has confirmed that a model may be deleted permanently. Does not
    wait."""
    consequence = tr(
        "Deleting the model frees {size} and removes its index of your papers. You "
        "cannot undo this.",
        size=file_size(removed.size),
    )
    confirm(
        parent,
        tr("Delete model"),
        tr("Permanently delete {title}?", title=removed.title),
        consequence,
        tr("Delete permanently"),
        delete,
    )


def _kinds() -> str:
    return tr("Models ({pattern})", pattern="*.zip")

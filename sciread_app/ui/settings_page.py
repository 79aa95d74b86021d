"""The settings page: what a person can choose, written down at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from sciread_app.language import tr, trn
from sciread_app.services.backups import Copy
from sciread_app.ui.backups_panel import BackupsPanel
from sciread_app.ui.file_dialogs import Purpose, choose_folder
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.page import Page
from sciread_app.ui.segments import Segments
from sciread_app.ui.settings_rows import Choices, KeyRow, Number, Row, Section
from sciread_app.ui.theme import Appearance, Choice, styled
from sciread_app.ui.values_care import Care, KeyPlace, Reopening

THEMES = (
    (Choice.system, tr("Like the system")),
    (Choice.light, tr("Light")),
    (Choice.dark, tr("Dark")),
)
SCALES = (100, 125, 150, 175, 200, 250, 300)
WIDTH = 760


class SettingsPage(Page):
    theme_wanted = Signal(object)  # Choice
    restart_wanted = Signal()
    reopen_wanted = Signal(object)  # Reopening

    def __init__(self, care: Care, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._care = care
        self._jobs = jobs
        self._appearance = appearance
        self._keys: list[KeyRow] = []
        self._build()
        self._connect()

    def refresh(self) -> None:
        settings = self._care.settings
        self.show_theme(self._appearance.choice)
        self.scale.setCurrentText(f"{settings.scale} %")
        self.workers.setValue(settings.pdf_workers)
        self.contact.setText(settings.contact)
        self.risk.setText(self._care.risk)
        self.risk.setVisible(bool(self._care.risk))
        self.backups.load()
        self._load_keys()

    def show_theme(self, choice: Choice) -> None:
        self.theme.choose([one for one, _ in THEMES].index(choice))

    def take_focus(self) -> None:
        self.theme.stops()[self.theme.current].setFocus(Qt.FocusReason.OtherFocusReason)

    def _change(self, row: Row, **changes: Any) -> None:
        try:
            self._care.change(**changes)
        except ValueError as wrong:
            # Translators: «This is no e-mail address.»
            row.say_wrong(tr("This {wrong}.", wrong=wrong))
        else:
            row.say_wrong("")

    def _choose_scale(self) -> None:
        scale = int(self.scale.currentText().removesuffix(" %"))
        if scale != self._care.settings.scale:
            self._change(self._scale_row, scale=scale)
            self.restart.show()

    def _choose_folder(self) -> None:
        title = tr("Move the library into this folder")
        if folder := choose_folder(self, Purpose.library, title):
            self._ask_to_move(folder)

    def _ask_to_move(self, folder: Path) -> None:
        self._ask(
            tr("Move Library"),
            tr("Move the library to {folder}?", folder=folder),
            tr("The window closes for as long as that takes. The old file is kept where it is."),
            tr("Move"),
            lambda: self._care.moving(folder),
        )

    def _ask_to_restore(self, copy: Copy) -> None:
        self._ask(
            tr("Restore Backup"),
            tr("Restore the backup of {made:%Y-%m-%d %H:%M}?", made=copy.made),
            _replaced_by(copy),
            tr("Restore"),
            lambda: self._care.restoring(copy),
        )

    def _ask(
        self, title: str, text: str, means: str, name: str, reopening: Callable[[], Reopening]
    ) -> None:
        """Ask in a dialog whether the window shall close for something, and then have it done."""
        box = QMessageBox(QMessageBox.Icon.Question, title, text, parent=self)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText(means)
        yes = box.addButton(name, QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole))
        yes.clicked.connect(lambda: self.reopen_wanted.emit(reopening()))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def _choose_backups(self) -> None:
        title = tr("Put backups into this folder")
        if folder := choose_folder(self, Purpose.backups, title):
            self._change(self._backups_row, backups=str(folder))
            self._show_backups_folder()
            self.backups.load()

    def _show_backups_folder(self) -> None:
        self._backups_row.help.setText(
            self._care.settings.backups or str(self._care.home / "backups")
        )

    def _load_keys(self) -> None:
        self._jobs.run(
            tr("Looking for keys"),
            lambda task: self._care.keys(),
            self._show_keys,
            lane=Lane.light,
            instead_of="keys",
        )

    def _show_keys(self, keys: Sequence[KeyPlace]) -> None:
        for row in self._keys:
            row.hide()
            row.deleteLater()
        self._keys = [KeyRow(key) for key in keys]
        before: QWidget = self.contact
        for row in self._keys:
            row.given.connect(self._keep_key)
            self._network.add(row)
            for stop in (row.line, row.keep, row.forget):
                self.setTabOrder(before, stop)
                before = stop

    def _keep_key(self, name: str, key: str) -> None:
        self._jobs.run(
            tr("Keeping a key"),
            lambda task: self._care.set_key(name, key),
            lambda _: self._load_keys(),
            lane=Lane.light,
        )

    def _build(self) -> None:
        self.theme = Segments(tr("Theme"), [(name, "") for _, name in THEMES])
        self.scale = Choices()
        self.scale.addItems([f"{scale} %" for scale in SCALES])
        self.restart = QPushButton(tr("Start again now"))
        self.restart.hide()
        self.workers = Number(1, 16)
        self.contact = styled(QLineEdit(), "field")
        self.contact.setMinimumWidth(220)
        self.contact.setPlaceholderText(tr("you@university.org"))
        self.open_folder, self.move_it = QPushButton(tr("Open")), QPushButton(tr("Move…"))
        self.open_folder.setAccessibleName(tr("Open the folder of the library"))
        self.move_it.setAccessibleName(tr("Move the library to another folder"))
        self.choose_backups = QPushButton(tr("Change…"))
        self.choose_backups.setAccessibleName(tr("Choose the folder of the backups"))
        self.risk = styled(QLabel(wordWrap=True), "notice")
        self.backups = BackupsPanel(self._care, self._jobs)
        column = QVBoxLayout()
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(14)
        for section in (self._looks(), self._library(), self._sources(), self._kept()):
            column.addWidget(section)
        column.addStretch()
        inner = styled(_Column(), "column")
        inner.setMaximumWidth(WIDTH)
        inner.setLayout(column)
        self.area = scroll = QScrollArea(
            widgetResizable=True, alignment=Qt.AlignmentFlag.AlignHCenter
        )
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inner)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)

    def _looks(self) -> Section:
        section = Section(tr("Appearance"))
        section.add(
            Row(tr("Theme"), tr("Light, dark, or whatever the system shows just now."), self.theme)
        )
        self._scale_row = Row(
            tr("Size of everything"), tr("From the next start on."), self.restart, self.scale
        )
        section.add(self._scale_row)
        return section

    def _library(self) -> Section:
        section = Section(tr("Library"))
        section.add(Row(tr("Folder"), str(self._care.home), self.open_folder, self.move_it))
        section.add(self.risk)
        self._workers_row = Row(
            tr("PDFs read at a time"),
            tr("More is faster, and leaves less for others."),
            self.workers,
        )
        section.add(self._workers_row)
        return section

    def _sources(self) -> Section:
        self._network = Section(tr("Papers from the network"))
        self._contact_row = Row(
            tr("Your e-mail address"),
            tr(
                "Sources are told it with each request, so that they can write before they block. "
                "Nobody else is."
            ),
            self.contact,
        )
        self._network.add(self._contact_row)
        return self._network

    def _kept(self) -> Section:
        section = Section(tr("Backups"))
        self._backups_row = Row(tr("Folder of the backups"), "", self.choose_backups)
        self._show_backups_folder()
        section.add(self._backups_row)
        section.add(self.backups)
        return section

    def _connect(self) -> None:
        self.theme.chosen.connect(lambda n: self.theme_wanted.emit(THEMES[n][0]))
        self.scale.activated.connect(lambda _: self._choose_scale())
        self.restart.clicked.connect(self.restart_wanted)
        self.workers.valueChanged.connect(lambda n: self._change(self._workers_row, pdf_workers=n))
        self.contact.editingFinished.connect(
            lambda: self._change(self._contact_row, contact=self.contact.text().strip())
        )
        self.open_folder.clicked.connect(
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._care.home)))
        )
        self.move_it.clicked.connect(self._choose_folder)
        self.choose_backups.clicked.connect(self._choose_backups)
        self.backups.restore_wanted.connect(self._ask_to_restore)


def _replaced_by(copy: Copy) -> str:
    """What restoring a backup means."""
    kept = tr("The present library is kept as another backup.")
    if copy.papers is None:
        return tr("It replaces the library.") + " " + kept
    replaced = trn(
        "It holds {n:,} paper and replaces the library.",
        "It holds {n:,} papers and replaces the library.",
        copy.papers,
    )
    return f"{replaced} {kept}"


class _Column(QWidget):
    """As high as its texts are at its width, which a scroll area does not ask for."""

    def event(self, event: QEvent) -> bool:
        layout = self.layout()
        if layout and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.setMinimumHeight(layout.totalHeightForWidth(self.width()))
        return super().event(event)

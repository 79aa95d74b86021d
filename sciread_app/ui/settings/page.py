"""The settings page. Changes are saved at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from sciread_app.domain import citekeys
from sciread_app.domain.paper import Author, Paper
from sciread_app.domain.text.file_names import file_stem
from sciread_app.language import format_moment, tr, trn
from sciread_app.services.export.citation_styles import CitationStyles
from sciread_app.services.maintenance.backup_rotation import BackupCopy
from sciread_app.settings import (
    CITEKEY_FIELDS,
    PDF_NAME_FIELDS,
    PROXY_EXAMPLE,
    citekey_problem,
    pdf_name_problem,
)
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.page import Page
from sciread_app.ui.settings.backups_panel import BackupsPanel
from sciread_app.ui.settings.operations import (
    ApiKeyStatus,
    cited,
    key_statuses,
    moving,
    restoring,
    services_used,
)
from sciread_app.ui.style.theme import ThemeChoice, styled
from sciread_app.ui.watched_folders.panel import WatchedFoldersPanel
from sciread_app.ui.widgets.build_queue import BuildQueue
from sciread_app.ui.widgets.dialogs.confirmation import confirm
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, choose_folder
from sciread_app.ui.widgets.focus import holds_focus
from sciread_app.ui.widgets.form_rows import ComboBox, FormRow, FormSection, SpinBox
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.layout.sections import ScrollContents
from sciread_app.ui.widgets.segmented_control import SegmentedControl
from sciread_app.ui.widgets.text.labels import plain_label, show_text

if TYPE_CHECKING:
    from sciread_app.workspace import Workspace

THEMES = (
    (ThemeChoice.system, tr("System")),
    (ThemeChoice.light, tr("Light")),
    (ThemeChoice.dark, tr("Dark")),
)
EXAMPLE = Paper(
    title="Attention Is All You Need",
    authors=(Author("Vaswani", "Ashish"), Author("Shazeer", "Noam"), Author("Parmar", "Niki")),
    published="2017-06-12",
    venue="Advances in Neural Information Processing Systems",
    kind="paper-conference",
)
NO_PDF_FOLDER = tr("Not set. PDFs stay where they are.")
PDF_IMPORTS = (
    ("leave", tr("Leave in place")),
    ("copy", tr("Copy to PDF folder")),
    ("move", tr("Move to PDF folder")),
)
PROXY_CHOICES = (
    # Translators: the proxy of the system
    ("system", tr("System")),
    # Translators: no proxy
    ("none", tr("None")),
    ("", tr("Manual")),
)
LIST_TEXT_SIZES = (80, 90, 100, 110, 120, 130, 140, 150, 160)
SCALES = (100, 125, 150, 175, 200, 250, 300)
WIDTH = 760
ROWS = 5  # added to the page together
KEY_PLACES = {
    "keyring": tr("Stored in the system keyring."),
    "environment": tr("Set by an environment variable."),
    "": tr("No key saved."),
}


class SettingsPage(Page):
    """Shows the settings in sections, which are added one after the other when the page is first
    shown. Invalid values are explained in their row and not saved."""

    def __init__(self, workspace: Workspace, context: AppContext) -> None:
        super().__init__(context.pages)
        self._workspace = workspace
        self._styles = CitationStyles(workspace.home.styles)
        self._jobs = context.jobs
        self._appearance = context.appearance
        self._events = context.events
        self._keys: list[ApiKeyRow] = []
        self._building = BuildQueue(self)
        self._left: list[Callable[[], object]] = []  # steps left until the page is first shown
        self.watched = WatchedFoldersPanel(workspace, context)
        self._build()
        self._connect(context)

    def refresh(self) -> None:
        """Show the saved settings, and load backups, watched folders and keys."""
        settings = self._workspace.settings
        self.show_theme(self._appearance.choice)
        self.scale.setCurrentText(f"{settings.scale}%")
        self._show_list_text(settings.list_text)
        self.workers.setValue(settings.pdf_workers)
        self._show_pdf_folder(settings.pdf_folder)
        self.pdf_import.setCurrentIndex(self.pdf_import.findData(settings.pdf_import))
        self.pdf_name.setText(settings.pdf_name)
        self._preview_pdf_name()
        self.contact.setText(settings.contact)
        self.citekey.setText(settings.citekey)
        self._preview_key()
        self._show_styles(settings.citation_style)
        self._show_proxy(settings.proxy)
        show_text(self.risk, self._workspace.risk)
        self.backups.load()
        self.watched.load()
        if self._left:  # styling all sections at once takes too long
            self._building.start([*self._left, self._load_keys])
            self._left = []
        elif not self._building.is_active:
            self._load_keys()

    def show_theme(self, choice: ThemeChoice) -> None:
        self.theme.choose([one for one, _ in THEMES].index(choice))

    def take_focus(self) -> None:
        self.theme.tab_stops()[self.theme.current].setFocus(Qt.FocusReason.OtherFocusReason)

    def show_backups(self) -> None:
        """Load the list of backups, and scroll to it."""
        self.backups.load(self._go_to_backups)

    def back_up(self) -> None:
        """Back up the library, and show the list of backups."""
        self.show_backups()
        self.backups.back_up()

    def _go_to_backups(self) -> None:
        self._building.finish()
        self.backups.take_focus()
        self._keep_backups_visible()

    def _keep_backups_visible(self) -> None:
        """Scroll to the backups while they have the focus; the page grows as they are loaded."""
        if holds_focus(self.backups):
            self.area.ensureWidgetVisible(self.backups.now)

    def _change(self, row: FormRow, **changes: Any) -> None:
        try:
            self._workspace.change(**changes)
        except ValueError as wrong:
            row.show_error(str(wrong))
        else:
            row.show_error("")

    def _choose_scale(self) -> None:
        scale = int(self.scale.currentText().removesuffix("%"))
        if scale != self._workspace.settings.scale:
            self._change(self._scale_row, scale=scale)
            self.restart.show()

    def _show_list_text(self, percent: int) -> None:
        if self.list_text.findData(percent) < 0:  # a size from the settings file
            self.list_text.addItem(f"{percent}%", percent)
        self.list_text.setCurrentIndex(self.list_text.findData(percent))

    def _choose_list_text(self) -> None:
        percent = self.list_text.currentData()
        self._change(self._list_text_row, list_text=percent)
        self._appearance.resize_list_text(percent)

    def _show_pdf_folder(self, folder: str) -> None:
        self._pdf_folder_row.help.setText(folder or NO_PDF_FOLDER)
        self.clear_pdf_folder.setVisible(bool(folder))
        self._pdf_import_row.setEnabled(bool(folder))

    def _choose_pdf_folder(self) -> None:
        title = tr("Select PDF folder")
        if folder := choose_folder(self, DialogPurpose.pdfs, title):
            self._set_pdf_folder(str(folder))

    def _set_pdf_folder(self, folder: str) -> None:
        self._change(self._pdf_folder_row, pdf_folder=folder)
        self._show_pdf_folder(self._workspace.settings.pdf_folder)

    def _clear_pdf_folder(self) -> None:
        self.choose_pdf_folder.setFocus()  # before the button hides
        self._set_pdf_folder("")

    def _preview_pdf_name(self) -> None:
        """Show the name of an example, or what is wrong with the pattern."""
        pattern = self.pdf_name.text()
        problem = pdf_name_problem(pattern)
        self._pdf_name_row.show_error(problem)
        shown = pattern and not problem
        name = f"{file_stem(EXAMPLE, pattern)}.pdf" if shown else ""
        show_text(self.pdf_name_example, tr("Example: {name}", name=name) if shown else "")

    def _enter_pdf_name(self) -> None:
        if not pdf_name_problem(self.pdf_name.text()):
            self._change(self._pdf_name_row, pdf_name=self.pdf_name.text())

    def _preview_key(self) -> None:
        """Show the key of an example, or the error in the pattern."""
        pattern = self.citekey.text()
        problem = citekey_problem(pattern)
        self._citekey_row.show_error(problem)
        key = "" if problem else citekeys.generated(EXAMPLE, pattern)
        show_text(self.key_example, tr("Example: {key}", key=key) if key else "")

    def _enter_pattern(self) -> None:
        if not citekey_problem(self.citekey.text()):
            self._change(self._citekey_row, citekey=self.citekey.text())

    def _show_styles(self, chosen: str) -> None:
        """List the installed styles; others may have been added since."""
        self.citation_style.clear()
        self.citation_style.addItem(tr("Last format used"), "")
        for style in self._styles.all():
            self.citation_style.addItem(style.title, style.key)
        self.citation_style.setCurrentIndex(max(0, self.citation_style.findData(chosen)))
        self._preview_style()

    def _choose_style(self) -> None:
        self._change(self._style_row, citation_style=self.citation_style.currentData())
        self._events.citation_style_selected.emit()
        self._preview_style()

    def _preview_style(self) -> None:
        """Show an example in the style, or why it cannot be used."""
        style = self.citation_style.currentData()
        self._style_row.show_error("")
        self.style_example.setText("")
        self.style_example.setVisible(bool(style))
        if not style:
            return
        self._jobs.run(
            tr("Formatting an example"),
            lambda task: cited(EXAMPLE, self._styles, style),
            self._show_style_example,
            on_failed=lambda problem: self._style_row.show_error(problem.text),
            replaces="citation example",
        )

    def _show_style_example(self, reference: str) -> None:
        self.style_example.setText(tr("Example: {citation}", citation=reference))

    def _show_proxy(self, proxy: str) -> None:
        known = [key for key, _ in PROXY_CHOICES]
        manual = proxy not in known
        self.proxy.setCurrentIndex(known.index("" if manual else proxy))
        self.proxy_address.setText(proxy if manual else "")
        self.proxy_address.setVisible(manual)
        self._proxy_row.show_error("")  # of an address that was not saved

    def _choose_proxy(self) -> None:
        """Save the choice; a manual proxy when its address is entered."""
        proxy, _ = PROXY_CHOICES[self.proxy.currentIndex()]
        self.proxy_address.setVisible(not proxy)
        self._proxy_row.show_error("")
        if proxy:
            self._change(self._proxy_row, proxy=proxy)
        else:
            self.proxy_address.setFocus()

    def _enter_proxy(self) -> None:
        if address := self.proxy_address.text().strip():
            self._change(self._proxy_row, proxy=address)

    def _choose_folder(self) -> None:
        title = tr("Move library to folder")
        if folder := choose_folder(self, DialogPurpose.library, title):
            self._ask_to_move(folder)

    def _ask_to_move(self, folder: Path) -> None:
        confirm(
            self,
            tr("Move library"),
            tr("Move the library to {folder}?", folder=folder),
            tr("The library is closed during the move. Its old file is kept."),
            tr("Move"),
            lambda: self._events.reopen_requested.emit(moving(self._workspace.home, folder)),
        )

    def _ask_to_restore(self, copy: BackupCopy) -> None:
        confirm(
            self,
            tr("Restore backup"),
            tr("Restore the backup of {made}?", made=format_moment(copy.created)),
            _replaced_by(copy),
            tr("Restore"),
            lambda: self._events.reopen_requested.emit(restoring(self._workspace.home, copy)),
        )

    def _choose_backups(self) -> None:
        title = tr("Select backup folder")
        if folder := choose_folder(self, DialogPurpose.backups, title):
            self._change(self._backups_row, backups=str(folder))
            self._show_backups_folder()
            self.backups.load()

    def _show_backups_folder(self) -> None:
        self._backups_row.help.setText(str(self._workspace.backups.folder))

    def _load_keys(self) -> None:
        self._jobs.run(
            tr("Loading API keys"),
            lambda task: key_statuses(self._workspace),
            self._show_keys,
            replaces="keys",
        )

    def _show_keys(self, keys: Sequence[ApiKeyStatus]) -> None:
        if [row.key for row in self._keys] == list(keys):
            return
        for row in self._keys:
            row.hide()
            row.deleteLater()
        self._keys = [ApiKeyRow(key) for key in keys]
        before: QWidget = self.proxy
        for row in self._keys:
            row.key_edited.connect(self._keep_key)
            self._network.add(row)
            for stop in (row.line, row.keep, row.forget):
                self.setTabOrder(before, stop)
                before = stop
            row.show()
        _lay_out_now()

    def _keep_key(self, name: str, key: str) -> None:
        self._jobs.run(
            tr("Saving an API key"),
            lambda task: self._workspace.set_key(name, key),
            lambda _: self._load_keys(),
        )

    def _build(self) -> None:
        self.theme = SegmentedControl(tr("Theme"), [(name, "") for _, name in THEMES])
        self.scale = ComboBox()
        self.scale.addItems([f"{scale}%" for scale in SCALES])
        self.list_text = ComboBox()
        for percent in LIST_TEXT_SIZES:
            self.list_text.addItem(f"{percent}%", percent)
        self.restart = QPushButton(tr("Restart now"))
        self.restart.hide()
        self.shortcuts = QPushButton(tr("Change…"))
        self.shortcuts.setAccessibleName(tr("Change keyboard shortcuts"))
        self.workers = SpinBox(1, 16)
        self.choose_pdf_folder = QPushButton(tr("Change…"))
        self.choose_pdf_folder.setAccessibleName(tr("Change PDF folder"))
        self.clear_pdf_folder = QPushButton(tr("Clear"))
        self.clear_pdf_folder.setAccessibleName(tr("Clear PDF folder"))
        self.pdf_import = ComboBox()
        for key, name in PDF_IMPORTS:
            self.pdf_import.addItem(name, key)
        self.pdf_name = styled(QLineEdit(placeholderText=tr("Keep file names")), "field")
        self.pdf_name.setMinimumWidth(220)
        self.pdf_name_example = styled(plain_label(), "quiet")
        self.citekey = styled(QLineEdit(), "field")
        self.citekey.setMinimumWidth(220)
        self.key_example = styled(plain_label(), "quiet")
        self.citation_style = ComboBox()
        self.citation_style.setMaximumWidth(320)
        self.style_example = styled(
            QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText), "quiet"
        )
        self.proxy = ComboBox()
        self.proxy.addItems([name for _, name in PROXY_CHOICES])
        self.proxy_address = styled(QLineEdit(placeholderText=PROXY_EXAMPLE), "field")
        self.proxy_address.setAccessibleName(tr("Proxy address"))
        self.proxy_address.setMinimumWidth(220)
        self.contact = styled(QLineEdit(placeholderText=tr("you@university.org")), "field")
        self.contact.setMinimumWidth(220)
        self.open_folder, self.move_it = QPushButton(tr("Open")), QPushButton(tr("Move…"))
        self.open_folder.setAccessibleName(tr("Open library folder"))
        self.move_it.setAccessibleName(tr("Move library to another folder"))
        self.choose_backups = QPushButton(tr("Change…"))
        self.choose_backups.setAccessibleName(tr("Change backup folder"))
        self.risk = styled(QLabel(wordWrap=True), "notice")
        self.backups = BackupsPanel(self._workspace, self._jobs)
        privacy, services = self._privacy()
        self._left = [
            *(
                partial(self._add_section, section)
                for section in (
                    self._library(),
                    self._pdfs(),
                    self._watching(),
                    self._citations(),
                    self._sources(),
                    privacy,
                )
            ),
            *(
                partial(self._add_rows, privacy, services[first : first + ROWS])
                for first in range(0, len(services), ROWS)
            ),
            partial(self._add_section, self._kept()),
        ]
        inner = ScrollContents()
        inner.setMaximumWidth(WIDTH)
        margins = (16, 12, 16, 16)
        self._sections = column(self._looks(), 0, parent=inner, margins=margins, spacing=14)
        self.area = scroll = QScrollArea(
            self, widgetResizable=True, alignment=Qt.AlignmentFlag.AlignHCenter
        )
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inner)
        column(scroll, parent=self, margins=0)

    def _add_section(self, section: FormSection) -> None:
        self._sections.insertWidget(self._sections.count() - 1, section)
        section.show()
        _lay_out_now()

    def _add_rows(self, section: FormSection, rows: Sequence[FormRow]) -> None:
        for row in rows:
            section.add(row)
            row.show()
        _lay_out_now()

    def _looks(self) -> FormSection:
        section = FormSection(tr("Appearance"))
        section.add(FormRow(tr("Theme"), tr("Light, dark, or match the system."), self.theme))
        self._scale_row = FormRow(
            tr("Interface size"), tr("Takes effect after a restart."), self.restart, self.scale
        )
        section.add(self._scale_row)
        self._list_text_row = FormRow(
            tr("Text size in lists"), tr("For lists and tables of papers."), self.list_text
        )
        section.add(self._list_text_row)
        section.add(
            FormRow(
                tr("Keyboard shortcuts"),
                tr("Find an action, and press the keys of its new shortcut."),
                self.shortcuts,
            )
        )
        return section

    def _library(self) -> FormSection:
        section = FormSection(tr("Library"))
        section.add(
            FormRow(tr("Folder"), str(self._workspace.home.folder), self.open_folder, self.move_it)
        )
        section.add(self.risk)
        return section

    def _pdfs(self) -> FormSection:
        section = FormSection(tr("PDF files"))
        self._pdf_folder_row = FormRow(
            tr("PDF folder"), "", self.clear_pdf_folder, self.choose_pdf_folder
        )
        section.add(self._pdf_folder_row)
        self._pdf_import_row = FormRow(
            tr("New PDFs"),
            tr("For PDFs that you add or attach. Those in Zotero's own folder stay there."),
            self.pdf_import,
        )
        section.add(self._pdf_import_row)
        self._pdf_name_row = FormRow(
            tr("File name pattern"),
            tr(
                "For PDFs that are copied, moved, or renamed, from {fields}. Empty: file names do "
                "not change.",
                fields=", ".join(f"{{{field}}}" for field in PDF_NAME_FIELDS),
            ),
            self.pdf_name,
        )
        section.add(self._pdf_name_row)
        section.add(self.pdf_name_example)
        self._workers_row = FormRow(
            tr("Parallel PDF imports"),
            tr("Higher values are faster but use more of your computer."),
            self.workers,
        )
        section.add(self._workers_row)
        return section

    def _watching(self) -> FormSection:
        section = FormSection(tr("Watched folders"))
        section.add(self.watched)
        return section

    def _citations(self) -> FormSection:
        section = FormSection(tr("Citations"))
        self._citekey_row = FormRow(
            tr("Citation key pattern"),
            tr(
                "For exported papers that have no citation key. Available fields: {fields}. "
                "Keys that were already exported do not change.",
                fields=", ".join(f"{{{field}}}" for field in CITEKEY_FIELDS),
            ),
            self.citekey,
        )
        section.add(self._citekey_row)
        section.add(self.key_example)
        self._style_row = FormRow(
            tr("Default citation style"),
            tr("For copied citations, and for bibliographies exported as HTML files."),
            self.citation_style,
        )
        section.add(self._style_row)
        section.add(self.style_example)
        return section

    def _sources(self) -> FormSection:
        self._network = FormSection(tr("Online sources"))
        self._contact_row = FormRow(
            tr("Your email address"),
            tr(
                "Sent to online sources with each request, so that they can contact you "
                "instead of blocking you. Not shared otherwise."
            ),
            self.contact,
        )
        self._network.add(self._contact_row)
        self._proxy_row = FormRow(
            tr("Proxy"),
            tr("For online sources and model downloads."),
            self.proxy_address,
            self.proxy,
        )
        self._network.add(self._proxy_row)
        return self._network

    def _privacy(self) -> tuple[FormSection, list[FormRow]]:
        """The section, and a row for each service, to be added to it."""
        section = FormSection(tr("Privacy"))
        section.add(
            plain_label(
                tr(
                    "Your papers, notes, and searches in the library stay on this computer. A "
                    "service receives data only when you use it, as listed here, together with "
                    "your IP address and the version of SciRead; a source of papers also "
                    "receives your email address and API key, if you entered them."
                )
            )
        )
        rows = []
        for service in services_used(self._workspace.settings):
            text = tr(
                "{occasion}.\nData: {data}. Server: {server}",
                occasion=service.occasion,
                data=service.sends,
                server=service.server,
            )
            rows.append(FormRow(service.title, text))
        return section, rows

    def _kept(self) -> FormSection:
        section = FormSection(tr("Backups"))
        self._backups_row = FormRow(tr("Backup folder"), "", self.choose_backups)
        self._show_backups_folder()
        section.add(self._backups_row)
        section.add(self.backups)
        return section

    def _connect(self, context: AppContext) -> None:
        self.theme.selected.connect(lambda n: context.navigate.choose_theme(THEMES[n][0]))
        self._events.theme_selected.connect(self.show_theme)  # in the menu, too
        self.scale.activated.connect(lambda _: self._choose_scale())
        self.list_text.activated.connect(lambda _: self._choose_list_text())
        self.restart.clicked.connect(self._events.restart_requested)
        self.shortcuts.clicked.connect(lambda: context.navigate.show_shortcuts())
        self.choose_pdf_folder.clicked.connect(self._choose_pdf_folder)
        self.clear_pdf_folder.clicked.connect(self._clear_pdf_folder)
        self.pdf_import.activated.connect(
            lambda _: self._change(self._pdf_import_row, pdf_import=self.pdf_import.currentData())
        )
        self.pdf_name.textChanged.connect(lambda _: self._preview_pdf_name())
        self.pdf_name.editingFinished.connect(self._enter_pdf_name)
        self.citekey.textChanged.connect(lambda _: self._preview_key())
        self.citekey.editingFinished.connect(self._enter_pattern)
        self.citation_style.activated.connect(lambda _: self._choose_style())
        self.proxy.activated.connect(lambda _: self._choose_proxy())
        self.proxy_address.editingFinished.connect(self._enter_proxy)
        self.workers.valueChanged.connect(lambda n: self._change(self._workers_row, pdf_workers=n))
        self.contact.editingFinished.connect(
            lambda: self._change(self._contact_row, contact=self.contact.text().strip())
        )
        self.open_folder.clicked.connect(
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._workspace.home.folder)))
        )
        self.move_it.clicked.connect(self._choose_folder)
        self.choose_backups.clicked.connect(self._choose_backups)
        self.backups.restore_requested.connect(self._ask_to_restore)
        bar = self.area.verticalScrollBar()
        bar.rangeChanged.connect(lambda *_: self._keep_backups_visible())


class ApiKeyRow(FormRow):
    """An API key, which can be entered but is never displayed."""

    key_edited = Signal(str, str)  # name, key; an empty key deletes the stored one

    def __init__(self, key: ApiKeyStatus) -> None:
        self.key = key
        self.line = styled(QLineEdit(echoMode=QLineEdit.EchoMode.Password), "field")
        title = tr("{source} API key", source=key.title)
        self.line.setAccessibleName(title)
        self.line.setPlaceholderText(tr("Paste API key"))
        self.line.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.keep = QPushButton(tr("Save"))
        self.forget = QPushButton(tr("Remove"))
        self.keep.setAccessibleName(tr("Save the {source} API key", source=key.title))
        self.forget.setAccessibleName(tr("Remove the {source} API key", source=key.title))
        super().__init__(
            title, f"{key.what} {KEY_PLACES[key.where]}", self.line, self.keep,
            self.forget,
        )  # fmt: skip
        self.keep.setEnabled(False)
        self.forget.setEnabled(key.where == "keyring")
        self.line.textChanged.connect(lambda text: self.keep.setEnabled(bool(text.strip())))
        self.line.returnPressed.connect(self._give)
        self.keep.clicked.connect(self._give)
        self.forget.clicked.connect(lambda: self.key_edited.emit(self.key.name, ""))

    def _give(self) -> None:
        if value := self.line.text().strip():
            self.line.clear()
            self.key_edited.emit(self.key.name, value)


def _lay_out_now() -> None:
    """Lay out what was added before anything is painted: else all rows would be squeezed for some
    time into the height that the page had before."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)


def _replaced_by(copy: BackupCopy) -> str:
    """The consequence of restoring this backup."""
    kept = tr("The current library is backed up first.")
    if copy.papers is None:
        return tr("The backup replaces your library.") + " " + kept
    replaced = trn(
        "The backup contains {n:,} paper and replaces your library.",
        "The backup contains {n:,} papers and replaces your library.",
        copy.papers,
    )
    return f"{replaced} {kept}"

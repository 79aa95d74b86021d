"""The dialog that requests a model from the hub."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.services.models.gallery import GALLERY
from sciread_app.services.models.installer import DownloadRequest
from sciread_app.services.models.registry import InstalledModel
from sciread_app.ui.models.model_list import ModelList, ModelRow
from sciread_app.ui.models.view_models import gallery_row
from sciread_app.ui.style.theme import Appearance, scaled, styled
from sciread_app.ui.widgets.form_rows import ComboBox
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.collapsible_section import CollapsibleSection

# By the trainer's names; the first keeps the model's own setting.
POOLINGS = {
    "": tr("Default of the model"),
    "cls": tr("[CLS] token"),
    "mean": tr("Mean of all tokens"),
    "mean_no_special": tr("Mean without special tokens"),
}
SAFE = tr(
    "Every file is verified, and no code from the model is run. Speeds are estimated from that of "
    "the starter model on this computer."
)
WIDTH, EDGE = 640, 20


class HubDialog(QDialog):
    """Asks for the name of a model on Hugging Face, or lets the user pick a published one, with
    pooling and revision as options. It only requests the download."""

    download_requested = Signal(object)  # DownloadRequest

    def __init__(
        self, appearance: Appearance, parent: QWidget, models: Sequence[InstalledModel] = ()
    ) -> None:
        """`models` are installed; the speed of the starter model is the base of estimates."""
        super().__init__(parent)
        self.setWindowTitle(tr("Add a model from Hugging Face"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.name = styled(QLineEdit(), "field")
        self.name.setPlaceholderText(tr("Name (owner/name) or address of the model page"))
        self.name.setAccessibleName(tr("Model name on huggingface.co"))
        self.known = ModelList(appearance)
        self.known.setAccessibleName(tr("Published models"))
        self.known.show_rows(
            [ModelRow(one.name, one.name, gallery_row(one, models)) for one in GALLERY]
        )
        self.known.setCurrentIndex(self.known.model().index(-1, 0))
        self.pooling = ComboBox()
        for name, title in POOLINGS.items():
            self.pooling.addItem(title, name)
        self.revision = styled(QLineEdit(), "field")
        self.revision.setPlaceholderText(tr("Branch, commit or refs/pr/3; default: main"))
        self.add = styled(QPushButton(tr("Add model"), default=True), "primary")
        self.leave = QPushButton(tr("Cancel"), autoDefault=False)
        self._lay_out(appearance, parent)
        self._connect()
        self._enable_add()

    def write(self, request: DownloadRequest) -> None:
        """Fill in an earlier request for editing."""
        self.name.setText(request.name)
        self.pooling.setCurrentIndex(max(0, self.pooling.findData(request.pooling)))
        self.revision.setText(request.revision)
        self.more.button.setChecked(True)

    def _choose(self, key: str) -> None:
        if key:
            self.name.setText(key)

    def _enable_add(self) -> None:
        self.add.setEnabled("/" in self.name.text().strip(" /"))

    def _request(self) -> None:
        if self.add.isEnabled():
            pooling = str(self.pooling.currentData())
            self.download_requested.emit(
                DownloadRequest(self.name.text().strip(), self.revision.text().strip(), pooling)
            )
            self.accept()

    def _lay_out(self, appearance: Appearance, parent: QWidget) -> None:
        title = QLabel(tr("Add a model from Hugging Face"))
        title.setFont(scaled(self.font(), 1.2, QFont.Weight.DemiBold))
        inside = QWidget()
        form = QFormLayout(inside)
        form.setContentsMargins(14, 0, 0, 0)
        form.setHorizontalSpacing(14)
        # Translators: how a model combines the numbers of all tokens of a text
        form.addRow(tr("Pooling"), self.pooling)
        # Translators: a version of a model
        form.addRow(tr("Revision"), self.revision)
        self.more = CollapsibleSection(tr("More"), inside, appearance)
        self.more.button.setFont(self.font())
        self.known.fit(len(GALLERY))
        self.known.setMinimumHeight(2 * self.known.sizeHintForRow(0))
        column(
            title,
            self.name,
            styled(QLabel(tr("Or select a published model:")), "quiet"),
            (self.known, 1),
            self.more,
            styled(QLabel(SAFE, wordWrap=True), "faint"),
            row(0, self.leave, self.add),
            parent=self,
            margins=(24, 20, 24, 18),
            spacing=12,
        )
        more = (len(GALLERY) - 2) * self.known.sizeHintForRow(0)
        high = self.minimumSizeHint().height() + more + EDGE
        self.resize(WIDTH, min(high, parent.window().height() - EDGE))

    def _connect(self) -> None:
        self.known.selected.connect(self._choose)
        self.known.activated.connect(self._request)
        self.name.textChanged.connect(lambda _: self._enable_add())
        self.add.clicked.connect(self._request)
        self.leave.clicked.connect(self.reject)

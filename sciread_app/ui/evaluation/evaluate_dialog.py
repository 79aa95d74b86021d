"""The dialog to start an evaluation: models, suite and data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from sciread_app.domain.training import TrainingData
from sciread_app.language import tr
from sciread_app.services.evaluation.evaluation_service import LOCAL, EvaluationCandidate
from sciread_app.ui.evaluation.view_models import EvaluationCorpus
from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, choose_folder
from sciread_app.ui.widgets.form_rows import ComboBox
from sciread_app.ui.widgets.layout.boxes import column, row
from trainer.contract.suites import CUSTOM, OWN, SUITES

WIDTH = 560
KINDS = {
    "model": "",
    "run": tr("training run"),
    "baseline": tr("baseline"),
}
HOW = tr(
    "Models are evaluated on the test split, which no training run on this computer uses. "
    "Finished results are reused, and a stopped evaluation resumes where it stopped."
)


class EvaluateDialog(QDialog):
    """Asks which models to evaluate, with which benchmark, and on which papers or files. Models and
    training runs are ticked at first, and of the baselines TF-IDF."""

    evaluation_requested = Signal(object, str, object)  # names, the suite, its data

    def __init__(
        self,
        candidates: Sequence[EvaluationCandidate],
        corpora: Sequence[EvaluationCorpus],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._candidates, self._corpora = candidates, corpora
        self.setWindowTitle(tr("Evaluate models"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.list = QListWidget()
        self.list.setObjectName("ticks")
        self.list.ensurePolished()  # else its rows would have the height of unstyled ones
        self.list.setAccessibleName(tr("Models to evaluate"))
        self.suites = ComboBox()
        self.suites.setAccessibleName(tr("Benchmark"))
        self.about = styled(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "quiet")
        self.data = ComboBox()
        self.data.setAccessibleName(tr("Papers to evaluate on"))
        self.folder = styled(QLineEdit(), "field")
        self.folder.setAccessibleName(tr("Data folder of the benchmark"))
        self.browse = QPushButton(tr("Select…"))
        self.go = styled(QPushButton(tr("Evaluate")), "primary")
        self._fill()
        self._build()
        self._connect()
        self._show_suite()

    def tick(self, names: Sequence[str]) -> None:
        """Tick exactly these models."""
        for item, candidate in self._items():
            ticked = candidate.key in names
            item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)

    @property
    def selected(self) -> list[str]:
        checked = Qt.CheckState.Checked
        return [one.key for item, one in self._items() if item.checkState() is checked]

    @property
    def suite(self) -> str:
        key = str(self.suites.currentData())
        return self.folder.text().strip() if key == OWN.key else key

    def _accept(self) -> None:
        local = self.suites.currentData() == LOCAL
        data: TrainingData | Path = (
            self._corpora[self.data.currentIndex()].data
            if local
            else Path(self.folder.text().strip())
        )
        self.evaluation_requested.emit(self.selected, self.suite, data)
        self.accept()

    def _items(self) -> list[tuple[QListWidgetItem, EvaluationCandidate]]:
        items = [self.list.item(row) for row in range(self.list.count())]
        return list(zip(items, self._candidates, strict=True))

    def _fill(self) -> None:
        for one in self._candidates:
            kind = KINDS.get(one.kind, "")
            item = QListWidgetItem(f"{one.title}   ({kind})" if kind else one.title)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            ticked = one.kind != "baseline" or one.key == "tf-idf"
            item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        for spec in SUITES:
            self.suites.addItem(spec.title, spec.key)
        self.suites.addItem(tr("Custom benchmark ({file})", file=CUSTOM), OWN.key)
        for corpus in self._corpora:
            self.data.addItem(corpus.name)

    def _show_suite(self) -> None:
        specs = {spec.key: spec for spec in (*SUITES, OWN)}
        spec = specs[str(self.suites.currentData())]
        local = spec.key == LOCAL
        self._where.setCurrentIndex(0 if local else 1)
        needs = "" if local else tr("Required files: {files}", files=spec.needs)
        self.about.setText("\n".join(filter(None, (spec.summary, needs))))
        place = tr("Folder or file of the benchmark") if spec is OWN else tr("Data folder")
        self.folder.setPlaceholderText(place)
        self._allow()

    def _allow(self) -> None:
        local = self.suites.currentData() == LOCAL
        data = bool(self._corpora) if local else bool(self.folder.text().strip())
        self.go.setEnabled(bool(self.selected) and data)

    def _browse(self) -> None:
        if folder := choose_folder(self, DialogPurpose.suite, tr("Data folder of the benchmark")):
            self.folder.setText(str(folder))

    def _connect(self) -> None:
        self.list.itemChanged.connect(lambda _: self._allow())
        self.suites.activated.connect(lambda _: self._show_suite())
        self.folder.textChanged.connect(lambda _: self._allow())
        self.browse.clicked.connect(self._browse)
        self.go.clicked.connect(self._accept)

    def _build(self) -> None:
        folder = QWidget()
        row((self.folder, 1), self.browse, parent=folder, margins=0)
        self._where = QStackedWidget()
        self._where.addWidget(self.data)
        self._where.addWidget(folder)
        self._where.setMaximumHeight(max(self.data.sizeHint().height(), 34))
        how = styled(QLabel(HOW, wordWrap=True), "faint")
        cancel = QPushButton(tr("Cancel"))
        cancel.clicked.connect(self.reject)
        column(
            *(_head(tr("Models")), (self.list, 1)),
            *(_head(tr("Benchmark")), self.suites, self.about),
            *(_head(tr("Data")), self._where, how),
            row(0, cancel, self.go, margins=(0, 6, 0, 0)),
            parent=self,
            margins=(20, 18, 20, 16),
            spacing=8,
        )
        self.go.setDefault(True)
        self.resize(WIDTH, 520)


def _head(text: str) -> QLabel:
    label = QLabel(text)
    label.setFont(scaled(label.font(), 1.0, QFont.Weight.DemiBold))
    return label

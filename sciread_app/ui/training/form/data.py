"""The part of the form with the training data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QLabel,
    QPushButton,
    QWidget,
)

from sciread_app.domain.training import TrainingData, TrainingDataKind
from sciread_app.language import tr, trn
from sciread_app.services.training.training_service import TrainingCheck
from sciread_app.ui.style.theme import styled
from sciread_app.ui.training.text import stats_tiles
from sciread_app.ui.training.view_models import CorpusChoice, TrainingChoices
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, choose_folder
from sciread_app.ui.widgets.form_rows import ComboBox as Box
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.stat_tiles import StatTiles
from sciread_app.ui.widgets.segmented_control import SegmentedControl
from sciread_app.ui.widgets.text.labels import ElidedLabel

KINDS = (
    TrainingDataKind.library,
    TrainingDataKind.collection,
    TrainingDataKind.files,
    TrainingDataKind.corpus,
)
_WITH_PDFS = (TrainingDataKind.library, TrainingDataKind.collection)
NO_COLLECTION = tr("No collections with papers yet.")
NO_CORPUS = tr("No saved datasets yet. Every training run saves its papers as a dataset.")
FILES = tr(
    "A folder with papers as JSON Lines, PubMed XML, or tables, or in the formats of SPECTER, "
    "SciDocs, and PhysBERT."
)
FULL_TEXT = tr(
    "Language models and pairs of questions then learn from the text of PDFs as well, without "
    "references. PDFs of test papers are not used."
)
LIBRARY_IS = tr("All papers in your library when the training run starts.")


class DataPart(QWidget):
    """Selects the papers to train on: the library, a collection, files, or the dataset of an
    earlier run; below are the counts of the selected papers."""

    changed = Signal()
    remove_requested = Signal(object)  # CorpusChoice of a saved dataset

    def __init__(self) -> None:
        super().__init__()
        self._folder = ""
        self._build()
        self.kind.selected.connect(self._choose_kind)
        self.collection.currentIndexChanged.connect(
            lambda _: self._emit_if_shown(TrainingDataKind.collection)
        )
        self.corpus.currentIndexChanged.connect(
            lambda _: self._emit_if_shown(TrainingDataKind.corpus)
        )
        self.full_text.toggled.connect(lambda _: self.changed.emit())
        self.browse.clicked.connect(self._browse)
        self.remove.clicked.connect(self._remove)

    @property
    def data(self) -> TrainingData | None:
        """The selected corpus; None if there is none."""
        kind = KINDS[self.kind.current]
        if kind is TrainingDataKind.library:
            return TrainingData(full_text=self.full_text.isChecked())
        if kind is TrainingDataKind.files:
            return TrainingData(kind, self._folder) if self._folder else None
        box = self.collection if kind is TrainingDataKind.collection else self.corpus
        found: CorpusChoice | None = box.currentData()
        if found and kind is TrainingDataKind.collection:
            return found.data._replace(full_text=self.full_text.isChecked())
        return found.data if found else None

    def show_choices(self, choices: TrainingChoices) -> None:
        """Show these choices, keeping the selection if it is still available."""
        _fill(self.collection, choices.collections)
        _fill(self.corpus, choices.corpora)
        self.collection.setEnabled(bool(choices.collections))
        self.corpus.setEnabled(bool(choices.corpora))
        self.remove.setEnabled(bool(choices.corpora))
        self._no_collection.setVisible(not choices.collections)
        self._no_corpus.setVisible(not choices.corpora)

    def choose(self, data: TrainingData) -> None:
        """Select this data, if it is among the choices, and report the change."""
        self.kind.choose(KINDS.index(data.kind))
        if data.kind is TrainingDataKind.files:
            self._folder = data.name
            self.folder.setText(data.name)
        self.full_text.setChecked(data.full_text)
        for box in (self.collection, self.corpus):
            for number in range(box.count()):
                if box.itemData(number).data == data._replace(full_text=False):
                    box.setCurrentIndex(number)
        self._choose_kind(self.kind.current)

    def show_stats(self, check: TrainingCheck | None) -> None:
        self.tiles.setVisible(check is not None)
        if check:
            self.tiles.show_tiles(stats_tiles(check.data.stats, check.data.estimated))

    def tab_stops(self) -> list[QWidget]:
        boxes = [self.collection, self.browse, self.corpus, self.remove]
        return [*self.kind.tab_stops(), *boxes, self.full_text]

    def _choose_kind(self, number: int) -> None:
        for place, controls in enumerate(self._rows):
            controls.setVisible(place == number)
        self.full_text.setVisible(KINDS[number] in _WITH_PDFS)
        self.changed.emit()

    def _emit_if_shown(self, kind: TrainingDataKind) -> None:
        if KINDS[self.kind.current] is kind:
            self.changed.emit()

    def _browse(self) -> None:
        title = tr("Select a folder with training data")
        known = Path(self._folder) if self._folder else None
        if folder := choose_folder(self, DialogPurpose.training_data, title, known):
            self.choose(TrainingData(TrainingDataKind.files, str(folder)))

    def _remove(self) -> None:
        if choice := self.corpus.currentData():
            self.remove_requested.emit(choice)

    def _build(self) -> None:
        self.kind = SegmentedControl(
            tr("Training data"),
            [
                (tr("Library"), LIBRARY_IS),
                (tr("Collection"), tr("The papers of a collection and its subcollections.")),
                (tr("Files"), FILES),
                # Translators: the dataset of an earlier training run
                (
                    tr("Saved dataset"),
                    tr("The papers of an earlier training run, as they were then."),
                ),
            ],
        )
        self.collection, self.corpus = Box(), Box()
        self.collection.setAccessibleName(tr("Collection"))
        self.corpus.setAccessibleName(tr("Saved dataset"))
        for box in (self.collection, self.corpus):
            box.setMinimumWidth(280)
            box.setSizeAdjustPolicy(Box.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._no_collection = styled(QLabel(NO_COLLECTION, wordWrap=True), "quiet")
        self._no_corpus = styled(QLabel(NO_CORPUS, wordWrap=True), "quiet")
        self.browse = QPushButton(tr("Select folder…"))
        self.folder = styled(ElidedLabel(FILES), "quiet")
        self.remove = styled(QPushButton(tr("Delete…")), "link")
        self.remove.setToolTip(tr("Delete this saved dataset"))
        self.full_text = QCheckBox(tr("Use the full text of PDFs"))
        self.full_text.setToolTip(FULL_TEXT)
        self.tiles = StatTiles()
        self._rows = (
            _row(styled(QLabel(LIBRARY_IS, wordWrap=True), "quiet")),
            _row(self.collection, self._no_collection),
            _row(self.browse, self.folder),
            _row(self.corpus, self._no_corpus, self.remove),
        )
        left = (self.kind, 0, Qt.AlignmentFlag.AlignLeft)
        full_text = (self.full_text, 0, Qt.AlignmentFlag.AlignLeft)
        parts = (left, *self._rows, full_text, self.tiles)
        column(*parts, parent=self, margins=0, spacing=12)
        for controls in self._rows[1:]:
            controls.hide()


def _fill(box: Box, choices: Sequence[CorpusChoice]) -> None:
    before: CorpusChoice | None = box.currentData()
    box.blockSignals(True)
    box.clear()
    for choice in choices:
        papers = trn("{n:,} paper", "{n:,} papers", choice.papers)
        box.addItem(f"{choice.title}  ({papers})", choice)
        if before and before.data == choice.data:
            box.setCurrentIndex(box.count() - 1)
    box.blockSignals(False)


def _row(*widgets: QWidget) -> QWidget:
    page = QWidget()
    middle = Qt.AlignmentFlag.AlignVCenter
    parts = [(widget, int(isinstance(widget, QLabel)), middle) for widget in widgets]
    row(*parts, parent=page, margins=0, spacing=10)
    return page

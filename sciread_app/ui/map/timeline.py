"""The years of the papers on the map: shows only those of a range, and plays the years."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, Qt
from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QPushButton, QSizePolicy, QWidget

from sciread_app.language import tr, trn
from sciread_app.ui.style.theme import Appearance, styled
from sciread_app.ui.widgets.charts.year_histogram import YearHistogram
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout

Years = NDArray[np.int64]  # of papers; 0: not known

HEIGHT = 64  # pixels of the histogram
STEP_MS = 400  # that a year is shown while the years are played


class Timeline(QFrame):
    """Emits which papers are of the selected years."""

    filtered = Signal(object)  # a mask of the papers that are shown; None: all

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setAccessibleName(tr("Years"))
        self._years: Years = np.empty(0, np.int64)
        self._counts: dict[int, int] = {}
        self.histogram = YearHistogram(appearance)
        self.histogram.setFixedHeight(HEIGHT)
        self.histogram.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.text = styled(QLabel(), "quiet")
        self.unknown = QCheckBox()
        self.unknown.setChecked(True)
        self.unknown.setToolTip(tr("Show papers without a publication year"))
        self.all = styled(QPushButton(tr("All years")), "link")
        self.all.setToolTip(tr("Show the papers of all years (Delete)"))
        self.play = styled(QPushButton(), "link")
        self.play.setToolTip(tr("Add one year after another, from the first selected year"))
        self._timer = QTimer(self, interval=STEP_MS)
        self._timer.timeout.connect(self._advance)
        flow = FlowLayout(10)
        head = QWidget()
        head.setLayout(flow)
        for widget in (self.play, self.text, self.all, self.unknown):
            flow.addWidget(widget)
        column(head, self.histogram, parent=self, margins=0, spacing=4)
        self.histogram.description_changed.connect(self.text.setText)
        self.histogram.changed.connect(self._filter)
        self.histogram.reset.connect(self._filter)
        self.unknown.toggled.connect(self._filter)
        self.all.clicked.connect(self.reset)
        self.play.clicked.connect(self.toggle_play)
        self._show_playing(False)

    def show_years(self, years: Years) -> None:
        """Show the years of the papers on the map, and filter them by the selected range."""
        self._years = years
        known, counts = np.unique(years[years > 0], return_counts=True)
        self._counts = dict(zip(known.tolist(), counts.tolist(), strict=True))
        self.histogram.show_years(sorted(self._counts.items()), self.histogram.range)
        unknown = int((years == 0).sum())
        self.unknown.setText(trn("{n:,} without a year", "{n:,} without a year", unknown))
        self.unknown.setVisible(unknown > 0)
        self.play.setEnabled(len(self._counts) > 1)
        self._filter()

    def reset(self) -> None:
        """Show the papers of all years."""
        self._show_playing(False)
        self.unknown.setChecked(True)
        self.histogram.clear()

    def toggle_play(self) -> None:
        """Start to extend the range by a year at a time, or stop that."""
        if self._timer.isActive():
            self._show_playing(False)
            return
        first, last = self._range()
        if last == self.histogram.limits[1]:
            self.histogram.select(first, first)
        self._show_playing(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._timer.isActive():
            self._show_playing(False)
        else:
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._show_playing(False)

    def _advance(self) -> None:
        """Extend the range to the next year that has papers."""
        (first, last), end = self._range(), self.histogram.limits[1]
        later = (year for year in self._counts if year > last)
        self.histogram.select(first, min(later, default=end))
        if self._range()[1] == end:
            self._show_playing(False)

    def _show_playing(self, playing: bool) -> None:
        (self._timer.start if playing else self._timer.stop)()
        self.play.setText(tr("Pause") if playing else tr("Play"))

    def _range(self) -> tuple[int, int]:
        return self.histogram.range or self.histogram.limits

    def _filter(self) -> None:
        first, last = self._range()
        whole = (first, last) == self.histogram.limits
        self.all.setEnabled(not whole or not self.unknown.isChecked())
        if whole and self.unknown.isChecked():
            self.filtered.emit(None)
            return
        years = self._years.clip(min=self.histogram.limits[0])  # the first bar has older ones, too
        inside = (years >= first) & (years <= last) & (self._years > 0)
        self.filtered.emit(inside | ((self._years == 0) & self.unknown.isChecked()))

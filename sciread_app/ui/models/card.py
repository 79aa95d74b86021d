"""The card of a model: description, state and actions."""

from __future__ import annotations

from datetime import date, timedelta

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QWidget,
)

from sciread_app.language import format_day, tr
from sciread_app.services.models.registry import MOST_TITLE, ModelDetails, ModelState
from sciread_app.services.models.trash import DAYS, RemovedModel
from sciread_app.ui.activation_controller import ActivationController
from sciread_app.ui.models.card_score_table import CardScoreTable
from sciread_app.ui.models.recommendation import recommendation
from sciread_app.ui.models.view_models import made, origin_rows, readiness, tiles
from sciread_app.ui.style.theme import Appearance, restyled, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.collapsible_section import CollapsibleSection
from sciread_app.ui.widgets.layout.fact_table import FactTable
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout
from sciread_app.ui.widgets.layout.sections import (
    ScrollContents,
    action_button,
    group,
    scrolling,
    section,
)
from sciread_app.ui.widgets.layout.stat_tiles import StatTiles
from sciread_app.ui.widgets.text.labels import ElidedLabel, show_text
from sciread_app.ui.widgets.text.markdown_view import AutoHeightText

NOT_MEASURED = tr(
    "Not evaluated yet. Evaluate this model on your own papers to see how well it "
    "works for your field."
)


class ModelCard(QFrame):
    """Shows one model, or one in the trash. It does not access jobs."""

    renamed = Signal(str)  # the new title

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        """The parent is set at once: a widget that gets it later is styled again with all its
        contents."""
        super().__init__(parent)
        self.setObjectName("panel")
        self.setAccessibleName(tr("Selected model"))
        self._appearance = appearance
        self.about: ModelDetails | None = None
        self.removed: RemovedModel | None = None
        self._build()
        self._connect()
        self._body.hide()

    def show_about(self, about: ModelDetails, active: str, *, base_in_use: bool = False) -> None:
        """Show a model.

        `active` is the title of the active model. `base_in_use`: the active model is the one that
        this model was trained from.
        """
        another = self.about is None or self.about.model.name != about.model.name
        self.about, self.removed = about, None
        model = about.model
        self.title.setText(model.title)
        self._write_title(False)
        sound = not model.problem
        show_text(self.made, made(model, about.origin) if sound else "")
        show_text(self.trouble, model.problem)
        show_text(self.remedy, model.hint if model.problem else "")
        self._wrong.setVisible(bool(model.problem))
        show_text(self.ready, readiness(about, active) if sound else "")
        self._going.setVisible(model.state is ModelState.pending and sound)
        self._show_actions(about)
        for part in (self.tiles, self._how_well, self._how_made):
            part.setVisible(sound)
        if sound:
            self.tiles.show_tiles(tiles(model))
            self.facts.show_facts(origin_rows(model, about.origin))
        show_text(self.unmeasured, "" if about.scores else NOT_MEASURED)
        self.measure.setVisible(not about.scores)
        result = recommendation(about.scores if sound else (), base_in_use=base_in_use)
        show_text(self.result, result.sentence)
        restyled(self.activate, "primary" if result.use else "")
        self.scores.setVisible(bool(about.scores))
        if another:
            self._card.button.setChecked(False)
        self.scores.show_scores(about.scores)
        self._card.setVisible(bool(about.card))
        self._show_card()
        if another:
            self._scroll.verticalScrollBar().setValue(0)
        self._body.show()

    @property
    def name(self) -> str:
        """The name of the shown model; empty for none and for one in the Trash."""
        return self.about.model.name if self.about else ""

    def show_removed(self, removed: RemovedModel) -> None:
        """Show a model in the trash: when it was moved there, and until when it can be restored."""
        self.about, self.removed = None, removed
        self.title.setText(removed.title)
        self._write_title(False)
        day = date.fromtimestamp(removed.when)
        show_text(
            self.made,
            tr(
                "Moved to the Trash on {day}. SciRead deletes the model permanently after {last}.",
                day=format_day(day),
                last=format_day(day + timedelta(days=DAYS)),
            ),
        )
        for part in (self.result, self._wrong, self.ready, self._going, self.tiles):
            part.hide()
        self._how_well.hide()
        self._how_made.hide()
        self._card.hide()
        for button in self.buttons:
            button.setVisible(button in (self.restore, self.delete))
        self._row.show()
        self._body.show()

    def clear(self) -> None:
        self.about = self.removed = None
        self._body.hide()

    def show_progress(self, activation: ActivationController) -> None:
        """Show the progress of the model's activation."""
        status, share = activation.status, activation.share
        self.far.setText(status)
        self.bar.setRange(0, 0 if share is None else 1000)
        self.bar.setValue(int(1000 * (share or 0)))
        self.bar.setAccessibleDescription(status)
        self.pause.setText(tr("Resume") if activation.is_paused else tr("Pause"))
        for button in (self.pause, self.cancel):
            button.setEnabled(not activation.is_stopping)

    def begin_rename(self) -> None:
        if self.about and not self.about.model.ours and not self.about.model.problem:
            self.line.setText(self.about.model.title)
            self._write_title(True)
            self.line.selectAll()
            self.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def take_focus(self) -> None:
        for button in self.buttons:
            if button.isVisible() and button.isEnabled():
                button.setFocus(Qt.FocusReason.OtherFocusReason)
                return

    def _show_actions(self, about: ModelDetails) -> None:
        model = about.model
        usable = not model.problem
        idle = model.state in (ModelState.idle, ModelState.earlier)
        shown = {
            self.activate: usable and idle,
            self.check: not usable,
            self.export: usable and not model.ours,
            self.rename: usable and not model.ours,
            self.remove: not model.ours,
        }
        if self.activate.hasFocus() and not shown[self.activate]:
            self.pause.setFocus()  # not Export, which would get it as the next one
        for button in self.buttons:
            button.setVisible(shown.get(button, False))
        self._row.setVisible(any(not button.isHidden() for button in self.buttons))
        self.remove.setEnabled(idle)
        self.activate.setText(
            tr("Switch back") if model.state is ModelState.earlier else tr("Use for search")
        )

    def _show_card(self) -> None:
        """Build the long card only if it is visible."""
        if self.about and self._card.button.isChecked():
            self.text.show_markdown(self.about.card)

    def _rename(self) -> None:
        title = self.line.text().strip()
        self._leave_line()
        if self.about and title and title != self.about.model.title:
            self.renamed.emit(title)

    def _write_title(self, written: bool) -> None:
        self.title.setVisible(not written)
        self.line.setVisible(written)

    def _leave_line(self) -> None:
        self._write_title(False)
        self.rename.setFocus(Qt.FocusReason.OtherFocusReason)

    def _build(self) -> None:
        self.title = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.line = _TitleEdit(maxLength=MOST_TITLE)
        styled(self.line, "field").setAccessibleName(tr("Model title"))
        for widget in (self.title, self.line):
            widget.setFont(scaled(self.font(), 1.45, QFont.Weight.DemiBold))
        self.made = styled(QLabel(wordWrap=True), "quiet")
        self.trouble, self.remedy = QLabel(wordWrap=True), styled(QLabel(wordWrap=True), "quiet")
        self.trouble.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.ready = QLabel(wordWrap=True)
        self.unmeasured = styled(QLabel(wordWrap=True), "quiet")
        self.result = QLabel(wordWrap=True)
        self.result.setFont(scaled(self.font(), 1.1, QFont.Weight.DemiBold))
        for label in (
            *(self.made, self.trouble, self.remedy, self.ready),
            *(self.unmeasured, self.result),
        ):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.tiles, self.facts = StatTiles(), FactTable()
        self.scores = CardScoreTable(self._appearance)
        self.text = AutoHeightText(tr("Model card"))
        self._card = CollapsibleSection(tr("Model card"), self.text, self._appearance)
        self._make_buttons()
        self._lay_out()

    def _make_buttons(self) -> None:
        self.activate = action_button("", tr("Use this model to search by meaning"))
        self.check = action_button(
            tr("Verify files"), tr("Compare the files of the model with their checksums")
        )
        self.measure = action_button(
            tr("Evaluate…"),
            tr("Compare the scores of this model with those of other models on the Dashboard"),
        )
        self.export = action_button(
            tr("Export…"), tr("Export the model to a zip file for another computer")
        )
        self.rename = action_button(tr("Rename"), tr("Change the title of the model (F2)"))
        self.remove = action_button(tr("Move to Trash"), tr("Move the model to the Trash (Del)"))
        self.restore = action_button(
            tr("Restore"), tr("Restore the model from the Trash"), "primary"
        )
        self.delete = action_button(
            tr("Delete permanently…"),
            tr("Delete the files of the model and its index of your papers"),
        )
        self.buttons = (
            *(self.activate, self.check, self.export, self.rename, self.remove),
            *(self.restore, self.delete),
        )
        self.pause = styled(QPushButton(tr("Pause")), "link")
        self.cancel = styled(QPushButton(tr("Cancel")), "link")
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(tr("Indexing progress"))
        self.far = styled(ElidedLabel(), "quiet")

    def _lay_out(self) -> None:
        self._wrong = group(self.trouble, self.remedy, name="trouble")
        self._going = styled(QFrame(), "note")
        progress = row((self.far, 1), self.pause, self.cancel)
        column(self.bar, progress, parent=self._going, margins=(14, 10, 8, 8), spacing=6)
        self._row = QWidget()
        flow = FlowLayout(8)
        self._row.setLayout(flow)
        for button in self.buttons:
            flow.addWidget(button)
        self._how_well = section(tr("Results"), self.unmeasured, self.measure, self.scores)
        if layout := self._how_well.layout():
            layout.setAlignment(self.measure, Qt.AlignmentFlag.AlignLeft)
        self._how_made = section(tr("Details"), self.facts)
        self._body = ScrollContents()
        self._scroll = scrolling(self._body, self)
        column(self._scroll, parent=self, margins=1)
        column(
            column(self.title, self.line, self.made, spacing=4),
            *(self._wrong, self.result, self.ready, self._going, self._row, self.tiles),
            *(self._how_well, self._how_made, self._card, 1),
            parent=self._body,
            margins=(22, 18, 22, 22),
            spacing=16,
        )

    def _connect(self) -> None:
        self._card.button.toggled.connect(lambda _: self._show_card())
        self.rename.clicked.connect(self.begin_rename)
        self.line.returnPressed.connect(self._rename)
        self.line.escaped.connect(self._leave_line)


class _TitleEdit(QLineEdit):
    escaped = Signal()  # Esc

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

"""A model's card: what it is, what it does just now, and what can be done with it."""

from __future__ import annotations

from datetime import date, timedelta

from PySide6.QtCore import QEvent, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFont, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.services.model_cards import balance
from sciread_app.services.model_trash import DAYS, Removed
from sciread_app.services.models import MOST_TITLE, About, State
from sciread_app.ui.flow import Flow
from sciread_app.ui.models.card_parts import (
    Facts,
    Folded,
    ScoreTable,
    Tiles,
    balance_words,
    group,
    scrolling,
    section,
    verb_button,
)
from sciread_app.ui.models.underway import Underway
from sciread_app.ui.models.values import made, origin_rows, readiness, tiles
from sciread_app.ui.paper.grown_text import GrownText
from sciread_app.ui.theme import Appearance, restyled, scaled, styled

NOT_MEASURED = tr(
    "Nobody has measured it on papers yet. What a model is worth shows on papers like yours."
)


class ModelCard(QFrame):
    """Shows one model, or what lies in the trash. It knows nothing of jobs."""

    activate_wanted = Signal()
    measure_wanted = Signal()
    export_wanted = Signal()
    renamed = Signal(str)  # the new title
    remove_wanted = Signal()
    restore_wanted = Signal()
    delete_wanted = Signal()
    check_wanted = Signal()
    hold_wanted = Signal()
    cancel_wanted = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAccessibleName(tr("The chosen model"))
        self._appearance = appearance
        self.about: About | None = None
        self.removed: Removed | None = None
        self._build()
        self._connect()
        self._body.hide()

    def show_about(self, about: About, answers: str, *, base_in_use: bool = False) -> None:
        """`answers` is the title of the model that does so now; `base_in_use`: it is the one that
        this model was made from."""
        another = self.about is None or self.about.model.name != about.model.name
        self.about, self.removed = about, None
        model = about.model
        self.title.setText(model.title)
        self._write_title(False)
        sound = not model.problem
        _put(self.made, made(model, about.origin) if sound else "")
        _put(self.trouble, model.problem)
        _put(self.remedy, model.hint if model.problem else "")
        self._wrong.setVisible(bool(model.problem))
        _put(self.ready, readiness(about, answers) if sound else "")
        self._going.setVisible(model.state is State.pending and sound)
        self._show_verbs(about)
        for part in (self.tiles, self._how_well, self._how_made):
            part.setVisible(sound)
        if sound:
            self.tiles.show_tiles(tiles(model))
            self.facts.show_facts(origin_rows(model, about.origin))
        _put(self.unmeasured, "" if about.scores else NOT_MEASURED)
        self.measure.setVisible(not about.scores)
        _put(self.balance, balance_words(about.scores, in_use=base_in_use))
        restyled(self.activate, "" if balance(about.scores).is_worse else "primary")
        self.scores.setVisible(bool(about.scores))
        if another:
            self._card.button.setChecked(False)
        self.scores.show_scores(about.scores)
        self._card.setVisible(bool(about.card))
        self._show_card()
        if another:
            self._scroll.verticalScrollBar().setValue(0)
        self._body.show()

    def show_removed(self, removed: Removed) -> None:
        self.about, self.removed = None, removed
        self.title.setText(removed.title)
        self._write_title(False)
        day = date.fromtimestamp(removed.when)
        _put(
            self.made,
            tr(
                "It was removed on {day}, and will be deleted for good after {last}.",
                day=day.isoformat(),
                last=(day + timedelta(days=DAYS)).isoformat(),
            ),
        )
        for part in (self._wrong, self.ready, self._going, self.tiles, self._how_well):
            part.hide()
        self._how_made.hide()
        self._card.hide()
        for button in self._verbs:
            button.setVisible(button in (self.restore, self.delete))
        self._row.show()
        self._body.show()

    def clear(self) -> None:
        self.about = self.removed = None
        self._body.hide()

    def show_progress(self, far: Underway) -> None:
        """How far the activation is, of a model that is being activated."""
        self.far.setText(far.says)
        self.bar.setRange(0, 0 if far.share is None else 1000)
        self.bar.setValue(int(1000 * (far.share or 0)))
        self.bar.setAccessibleDescription(far.says)
        self.pause.setText(tr("Go on") if far.held else tr("Pause"))
        for button in (self.pause, self.cancel):
            button.setEnabled(not far.stopping)

    def begin_rename(self) -> None:
        if self.about and not self.about.model.ours and not self.about.model.problem:
            self.line.setText(self.about.model.title)
            self._write_title(True)
            self.line.selectAll()
            self.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def take_focus(self) -> None:
        for button in self._verbs:
            if button.isVisible() and button.isEnabled():
                button.setFocus(Qt.FocusReason.OtherFocusReason)
                return

    def _show_verbs(self, about: About) -> None:
        model = about.model
        usable = not model.problem
        idle = model.state in (State.idle, State.earlier)
        for button, shown in (
            (self.activate, usable and idle),
            (self.check, not usable),
            (self.export, usable and not model.ours),
            (self.rename, usable and not model.ours),
            (self.remove, not model.ours),
            (self.restore, False),
            (self.delete, False),
        ):
            button.setVisible(shown)
        self._row.setVisible(any(not button.isHidden() for button in self._verbs))
        self.remove.setEnabled(idle)
        self.activate.setText(
            tr("Go back to it") if model.state is State.earlier else tr("Let it answer")
        )

    def _show_card(self) -> None:
        """Cards are long: who does not ask for one does not wait for it."""
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
        self.title = QLabel(wordWrap=True)
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.line = _Line(maxLength=MOST_TITLE)
        styled(self.line, "field").setAccessibleName(tr("New title of the model"))
        for widget in (self.title, self.line):
            widget.setFont(scaled(self.font(), 1.45, QFont.Weight.DemiBold))
        self.made = styled(QLabel(wordWrap=True), "quiet")
        self.trouble, self.remedy = QLabel(wordWrap=True), styled(QLabel(wordWrap=True), "quiet")
        self.trouble.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.ready = QLabel(wordWrap=True)
        self.unmeasured = styled(QLabel(wordWrap=True), "quiet")
        self.balance = QLabel(wordWrap=True)
        self.balance.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        for label in (
            *(self.made, self.trouble, self.remedy, self.ready),
            *(self.unmeasured, self.balance),
        ):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.tiles, self.facts = Tiles(), Facts()
        self.scores = ScoreTable(self._appearance)
        self.text = GrownText(tr("The card that came with the model"))
        self._card = Folded(tr("Its card"), self.text, self._appearance)
        self._make_buttons()
        self._lay_out()

    def _make_buttons(self) -> None:
        self.activate = verb_button("", tr("Search by meaning with this model"), "primary")
        self.check = verb_button(tr("Look again"), tr("Look at its files byte for byte"))
        self.measure = verb_button(
            tr("Measure it"), tr("See in the dashboard how well it does beside other models")
        )
        self.export = verb_button(tr("Export…"), tr("Write it to a zip file, for another computer"))
        self.rename = verb_button(tr("Rename"), tr("Give it another title (F2)"))
        self.remove = verb_button(tr("Remove"), tr("Put it into the trash (Del)"))
        self.restore = verb_button(tr("Put it back"), tr("Take it out of the trash"), "primary")
        self.delete = verb_button(tr("Delete for good…"), tr("Delete its files and its vectors"))
        self._verbs = (
            *(self.activate, self.check, self.export, self.rename, self.remove),
            *(self.restore, self.delete),
        )
        self.pause = styled(QPushButton(tr("Pause")), "link")
        self.cancel = styled(QPushButton(tr("Cancel")), "link")
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(tr("How far it is with reading your papers"))
        self.far = styled(QLabel(), "quiet")

    def _lay_out(self) -> None:
        self._wrong = group(self.trouble, self.remedy, name="trouble")
        row = QHBoxLayout()
        row.addWidget(self.far, 1)
        row.addWidget(self.pause)
        row.addWidget(self.cancel)
        self._going = styled(QFrame(), "note")
        going = QVBoxLayout(self._going)
        going.setContentsMargins(14, 10, 8, 8)
        going.setSpacing(6)
        going.addWidget(self.bar)
        going.addLayout(row)
        self._row = QWidget()
        flow = Flow(8)
        self._row.setLayout(flow)
        for button in self._verbs:
            flow.addWidget(button)
        self._how_well = section(
            tr("How well it does"), self.balance, self.unmeasured, self.measure, self.scores
        )
        if column := self._how_well.layout():
            column.setAlignment(self.measure, Qt.AlignmentFlag.AlignLeft)
        self._how_made = section(tr("How it was made"), self.facts)
        self._body = styled(_Body(), "column")
        column = QVBoxLayout(self._body)
        column.setContentsMargins(22, 18, 22, 22)
        column.setSpacing(16)
        head = QVBoxLayout()
        head.setSpacing(4)
        for label in (self.title, self.line, self.made):
            head.addWidget(label)
        column.addLayout(head)
        for part in (
            *(self._wrong, self.ready, self._going, self._row, self.tiles),
            *(self._how_well, self._how_made, self._card),
        ):
            column.addWidget(part)
        column.addStretch()
        self._scroll = scrolling(self._body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(1, 1, 1, 1)
        outer.addWidget(self._scroll)

    def _connect(self) -> None:
        for button, signal in (
            (self.activate, self.activate_wanted),
            (self.check, self.check_wanted),
            (self.measure, self.measure_wanted),
            (self.export, self.export_wanted),
            (self.remove, self.remove_wanted),
            (self.restore, self.restore_wanted),
            (self.delete, self.delete_wanted),
            (self.pause, self.hold_wanted),
            (self.cancel, self.cancel_wanted),
        ):
            button.clicked.connect(signal)
        self._card.button.toggled.connect(lambda _: self._show_card())
        self.text.anchorClicked.connect(_open_page)
        self.rename.clicked.connect(self.begin_rename)
        self.line.returnPressed.connect(self._rename)
        self.line.left.connect(self._leave_line)


class _Line(QLineEdit):
    left = Signal()  # Esc

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class _Body(QWidget):
    """As high as its texts are at its width, which a scroll area does not ask for."""

    def event(self, event: QEvent) -> bool:
        layout = self.layout()
        if layout and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.setMinimumHeight(layout.totalHeightForWidth(self.width()))
        return super().event(event)


def _open_page(url: QUrl) -> None:
    """A stranger wrote the card: of what it names, only pages of the web are opened."""
    if url.scheme() in ("http", "https"):
        QDesktopServices.openUrl(url)


def _put(label: QLabel, text: str) -> None:
    label.setText(text)
    label.setVisible(bool(text))

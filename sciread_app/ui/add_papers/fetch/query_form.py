"""The form for a query to a source: text, fields and dates."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from sciread_app.domain.fetch import QueryField, SourceQuery
from sciread_app.language import tr
from sciread_app.ui.add_papers.fetch.query_text import (
    FormQuery,
    how_many,
    iso_date,
    with_field,
    with_operator,
)
from sciread_app.ui.jobs.runner import JobError, JobRunner
from sciread_app.ui.style.theme import restyled, scaled, styled
from sciread_app.ui.view_models import SourceForm
from sciread_app.ui.widgets.layout.boxes import column, remove_widgets, row
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout

if TYPE_CHECKING:
    from sciread_app.ui.add_papers.gateway import AddPapersGateway

PAUSE_MS = 350  # of no typing before the query is checked


class QueryLine(QLineEdit):
    """Ctrl+Enter fetches; Enter only previews."""

    fetch_pressed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.fetch_pressed.emit()
        else:
            super().keyPressEvent(event)


class QueryForm(QWidget):
    """A form for all sources, which keeps what was entered for each of them.

    The query is checked in the background, after a pause in typing and before it is requested; only
    valid queries are requested.
    """

    look_requested = Signal(object)  # SourceQuery, checked
    fetch_requested = Signal(object)  # the same
    edited = Signal()

    def __init__(self, checker: AddPapersGateway, jobs: JobRunner) -> None:
        super().__init__()
        self._checker = checker
        self._jobs = jobs
        self._form: SourceForm | None = None
        self._written: dict[str, tuple[str, ...]] = {}  # the contents of the form for each source
        self._build()
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._judge)
        for edit in self._edits:
            edit.textEdited.connect(self._touched)
        for edit in (self.since, self.until, self.most):
            edit.returnPressed.connect(self.look)
        self.line.returnPressed.connect(self.look)
        self.line.fetch_pressed.connect(self.fetch)
        self.look_button.clicked.connect(self.look)
        self.fetch_button.clicked.connect(self.fetch)

    def show_source(self, form: SourceForm) -> None:
        """Show the fields of this source, with the text entered earlier."""
        if self._form:
            self._written[self._form.key] = tuple(edit.text() for edit in self._edits)
        self._form = form
        texts = self._written.get(form.key, ("",) * len(self._edits))
        for edit, text in zip(self._edits, texts, strict=True):
            edit.setText(text)
        self.line.setAccessibleName(tr("{source} query", source=form.title))
        example = form.fields[0] if form.fields else None
        written = example.pattern.replace("{}", example.example) if example else ""
        self.line.setPlaceholderText(tr("For example {query}", query=written) if example else "")
        self._show_fields(form)
        self.explain("")
        if texts[0]:
            self._pause.start()

    def write(self, query: SourceQuery) -> None:
        """Put a query to this source into the form."""
        self.line.setText(query.text)
        self.since.setText(query.since)
        self.until.setText(query.until)
        self.most.setText(f"{query.most:,}" if query.most else "")
        self._touched()

    def read(self) -> SourceQuery:
        """The query in the form. Raises ValueError with a sentence."""
        assert self._form
        since = iso_date(self.since.text(), tr("Since"))
        until = iso_date(self.until.text(), tr("Until"), last=True)
        if since and until and until < since:
            raise ValueError(tr("The Until date is before the Since date, so no papers can match."))
        text = " ".join(self.line.text().split())
        return SourceQuery(self._form.key, text, since, until, how_many(self.most.text()))

    def look(self) -> None:
        self._check(self.look_requested.emit)

    def fetch(self) -> None:
        self._check(self.fetch_requested.emit)

    def explain(self, problem: str) -> None:
        """Show the error of the query; if it is empty, explain the syntax."""
        restyled(self.message, "wrong" if problem else "quiet")
        self.message.setText(problem or (self._form.help if self._form else ""))
        self.line.setAccessibleDescription(self.message.text())

    def take_focus(self) -> None:
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def tab_stops(self) -> list[QWidget]:
        """The widgets that Tab stops at, in reading order."""
        chips = [self._chips.itemAt(number) for number in range(self._chips.count())]
        widgets = [chip.widget() for chip in chips if chip]
        return [
            self.line,
            self.look_button,
            self.fetch_button,
            *(widget for widget in widgets if isinstance(widget, QPushButton)),
            self.since,
            self.until,
            self.most,
        ]

    def _touched(self) -> None:
        self._pause.start()
        self.edited.emit()

    def _judge(self) -> None:
        if self.line.text().strip():
            self._check(lambda query: None)
        else:
            self.explain("")

    def _check(self, on_valid: Callable[[SourceQuery], object]) -> None:
        """Check the query, show any error, and call `on_valid` if it is valid."""
        self._pause.stop()
        if self._form is None:
            return
        try:
            query = self.read()
        except ValueError as error:
            self.explain(str(error))
            return

        def show(problem: str) -> None:
            if not self._is_shown(query):
                return
            self.explain(problem)
            if not problem:
                on_valid(query)

        self._jobs.run(
            tr("Checking a query"),
            lambda task: self._checker.check(query),
            show,
            on_failed=self._cannot_check,
            replaces="check a query",
        )

    def _is_shown(self, query: SourceQuery) -> bool:
        try:
            return self.read() == query
        except ValueError:
            return False

    def _cannot_check(self, problem: JobError) -> None:
        self.explain(problem.message)

    def _insert_field(self, field: QueryField) -> None:
        line = self.line
        chosen = line.selectedText()
        cursor = line.selectionStart() if chosen else line.cursorPosition()
        joiner = self._form.operators[0] if self._form and self._form.operators else ""
        self._put(with_field(line.text(), cursor, chosen, field.pattern, field.example, joiner))

    def _insert_operator(self, operator: str) -> None:
        self._put(with_operator(self.line.text(), self.line.cursorPosition(), operator))

    def _put(self, written: FormQuery) -> None:
        self.line.setFocus(Qt.FocusReason.OtherFocusReason)
        self.line.setText(written.text)
        if written.length:
            self.line.setSelection(written.start, written.length)
        else:
            self.line.setCursorPosition(written.start)
        self._touched()

    def _show_fields(self, form: SourceForm) -> None:
        remove_widgets(self._chips)
        gap = QWidget()
        gap.setFixedSize(4, 1)
        for field in form.fields:
            example = field.pattern.replace("{}", field.example)
            tip = tr("Insert {text}", text=example)
            self._add_chip(field.name, tip, partial(self._insert_field, field))
        self._chips.addWidget(gap)
        for operator in form.operators:
            tip = tr("Insert {text}", text=operator)
            self._add_chip(operator, tip, partial(self._insert_operator, operator))
        self._chips.invalidate()

    def _add_chip(self, name: str, tip: str, do: Callable[[], object]) -> None:
        chip = styled(QPushButton(name), "chip")
        chip.setToolTip(tip)
        chip.setAccessibleDescription(tip)
        chip.setFont(scaled(self.font(), 0.92))
        chip.clicked.connect(lambda: do())
        self._chips.addWidget(chip)

    def _build(self) -> None:
        self.line = styled(QueryLine(), "query")
        self.line.setFont(scaled(self.font(), 1.1))
        self.line.setClearButtonEnabled(True)
        self.line.setAcceptDrops(False)
        self.look_button = QPushButton(tr("Preview"))
        self.look_button.setToolTip(
            tr("Show the number of matching papers and the first of them (Enter)")
        )
        self.fetch_button = styled(QPushButton(tr("Fetch")), "primary")
        self.fetch_button.setToolTip(tr("Fetch all matching papers into your library (Ctrl+Enter)"))
        self.message = styled(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "quiet")
        self.message.setContentsMargins(4, 0, 4, 0)
        self.since = self._field(tr("Since"), "2024-01-31", 108)
        self.until = self._field(tr("Until"), tr("today"), 108)
        self.most = self._field(tr("Maximum"), tr("all"), 76)
        self._edits = (self.line, self.since, self.until, self.most)
        self._chips = FlowLayout(6)
        top = row((self.line, 1), self.look_button, self.fetch_button, spacing=8)
        bounds = row(margins=(4, 0, 4, 0), spacing=8)
        for edit in (self.since, self.until, self.most):
            label = styled(QLabel(edit.accessibleName()), "quiet")
            label.setBuddy(edit)
            bounds.addWidget(label)
            bounds.addWidget(edit)
            bounds.addSpacing(8)
        bounds.addStretch()
        column(top, self.message, self._chips, bounds, parent=self, margins=0, spacing=9)

    def _field(self, name: str, placeholder: str, width: int) -> QLineEdit:
        edit = styled(QLineEdit(placeholderText=placeholder), "field")
        edit.setAccessibleName(name)
        edit.setFixedWidth(width)
        edit.setAcceptDrops(False)
        return edit

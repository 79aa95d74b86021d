"""The same question to another model, side by side with the active one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.icons import icon
from sciread_app.ui.jobs import Job, Jobs, Lane, Problem
from sciread_app.ui.papers import NOTHING, CardSource, PaperList, PaperModel
from sciread_app.ui.request import View
from sciread_app.ui.theme import Appearance, Theme, styled
from sciread_app.ui.values import Evidence, Listing, Mode

NONE_THERE = tr(
    "There is no other model here yet. One that is trained or fetched appears by its name."
)
NO_QUERY = tr("Search for something: then it is shown what this model finds.")


class Others(Protocol):
    """Other models. What cannot be opened or asked is raised with a hint."""

    def names(self, task: Task) -> Sequence[str]: ...

    def standing(self, name: str, task: Task) -> tuple[int, int]:
        """How many papers the model has read, of how many."""
        ...

    def find(self, name: str, query: str, mode: Mode, task: Task) -> Listing: ...

    def encode(self, name: str, task: Task) -> int: ...

    def close(self) -> None:
        """Stop the models; they start again when they are asked."""
        ...


class CompareSource(CardSource, Protocol):
    @property
    def others(self) -> Others: ...


class ComparePanel(QWidget):
    """Asks nothing while it is hidden."""

    left = Signal()
    picked = Signal(object)  # PaperId, or None

    def __init__(self, source: CompareSource, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._source = source
        self._jobs = jobs
        self._view = View()
        self._mode = Mode.hybrid
        self._reading: Job | None = None
        self.models = QComboBox()
        self.models.setAccessibleName(tr("Model to compare with"))
        self.close_button = styled(QToolButton(), "link")
        self.close_button.setToolTip(tr("Stop comparing"))
        self.close_button.setAccessibleName(tr("Stop comparing"))
        self.message = styled(QLabel(wordWrap=True), "quiet")
        self.read_button = QPushButton()
        self.model = PaperModel(source, jobs, self)
        self.hits = PaperList(self.model, appearance)
        self.hits.setAccessibleName(tr("Papers found by the other model"))
        self._build()
        self._connect()
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)
        self.hide()

    def open(self) -> None:
        """Offer the models that are installed, and ask the first."""
        self.show()
        self._jobs.run(
            tr("Looking for models"),
            lambda task: list(self._source.others.names(task)),
            self._show_models,
            on_failed=self._explain,
            lane=Lane.light,
        )

    def look_again(self) -> None:
        """Another model is the active one."""
        if self.isVisible():
            self.open()

    def close_models(self) -> None:
        """Hide, and give back the memory that another model takes."""
        self.hide()
        if self._reading is None:
            self._jobs.run(
                tr("Stopping the other model"),
                lambda task: self._source.others.close(),
                lane=Lane.light,
                instead_of="compare",
            )

    def show_view(self, view: View, mode: Mode) -> None:
        """The active model has found this: let the other one look for it, too."""
        self._view, self._mode = view, mode
        if self.isVisible():
            self._ask()

    def _show_models(self, names: Sequence[str]) -> None:
        chosen = self.models.currentText()
        self.models.blockSignals(True)
        self.models.clear()
        self.models.addItems(list(names))
        self.models.setCurrentText(chosen)
        self.models.blockSignals(False)
        self.models.setEnabled(bool(names))
        self._ask()

    def _ask(self) -> None:
        """What the model has read, and what it finds."""
        name, query, mode = self.models.currentText(), self._view.query, self._mode
        others = self._source.others
        if not name or not query or self._view.crumb:
            self.hits.show_listing(NOTHING)
            self._say(NO_QUERY if name else NONE_THERE)
            return

        def work(task: Task) -> tuple[tuple[int, int], Listing]:
            read, papers = others.standing(name, task)
            found = others.find(name, query, mode, task) if read else NOTHING
            return (read, papers), found

        self._say(tr("Asking {name}…", name=name))
        self._jobs.run(
            tr("Asking another model"),
            work,
            lambda answer: self._answer(*answer),
            on_failed=self._explain,
            lane=Lane.light,
            instead_of="compare",
        )

    def _answer(self, standing: tuple[int, int], found: Listing) -> None:
        read, papers = standing
        self.hits.show_listing(with_moves(found, self._view.listing))
        name = self.models.currentText()
        missing = papers - read
        if missing <= 0:
            self._say(in_common(found, self._view.listing))
        elif read:
            self._say(_part(name, read, papers))
        else:
            self._say(tr("{name} has not read your papers yet.", name=name))
        self.read_button.setText(
            trn("Let it read {n:,} paper", "Let it read {n:,} papers", missing)
        )
        self.read_button.setVisible(missing > 0 and self._reading is None)

    def _read(self) -> None:
        name = self.models.currentText()
        self.read_button.hide()
        self._reading = self._jobs.run(
            tr("Reading papers with {name}", name=name),
            lambda task: self._source.others.encode(name, task),
            on_failed=self._explain,
            lane=Lane.heavy,
            instead_of="encode for comparing",
        )

    def _finished(self, job: Job) -> None:
        if job is self._reading:
            self._reading = None
            if not job.replaced and self.isVisible():
                self._ask()

    def _say(self, text: str) -> None:
        self.message.setText(text)
        self.read_button.hide()

    def _explain(self, problem: Problem) -> None:
        self.hits.show_listing(NOTHING)
        self._say(f"{problem.message} {problem.hint}".strip())

    def _build(self) -> None:
        row = QHBoxLayout()
        row.addWidget(styled(QLabel(tr("Compared with")), "quiet"))
        row.addWidget(self.models, 1)
        row.addWidget(self.close_button)
        below = QHBoxLayout()
        below.addWidget(self.message, 1)
        below.addWidget(self.read_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addLayout(below)
        column.addWidget(self.hits, 1)

    def _connect(self) -> None:
        self.models.currentTextChanged.connect(lambda _: self._ask())
        self.read_button.clicked.connect(self._read)
        self.close_button.clicked.connect(self.left)
        self.hits.left.connect(self.left)
        self.hits.picked.connect(self.picked)
        self._jobs.finished.connect(self._finished)

    def _paint(self, theme: Theme) -> None:
        self.close_button.setIcon(icon("close", theme.quiet))


def _part(name: str, read: int, papers: int) -> str:
    return trn(
        "{name} has read {read:,} of {n:,} paper, and finds among those.",
        "{name} has read {read:,} of {n:,} papers, and finds among those.",
        papers,
        name=name,
        read=read,
    )


def with_moves(found: Listing, beside: Listing) -> Listing:
    """`found`, each paper marked by where it stands in the other list."""
    places = {paper: place for place, paper in enumerate(beside.ids)}
    evidence = {
        paper: replace(
            found.evidence.get(paper, Evidence()), moved=_moved(place, places.get(paper))
        )
        for place, paper in enumerate(found.ids)
    }
    return replace(found, evidence=evidence)


def in_common(found: Listing, beside: Listing, first: int = 10) -> str:
    """How much two lists agree, in a sentence."""
    both = len(set(found.ids[:first]) & set(beside.ids[:first]))
    shown = min(first, max(len(found.ids), len(beside.ids)))
    if not shown:
        return tr("Neither found anything.")
    return trn(
        "{n} of the first {shown} is the same.",
        "{n} of the first {shown} are the same.",
        both,
        shown=shown,
    )


def _moved(here: int, there: int | None) -> str:
    if there is None:
        # Translators: a paper that the other list has not
        return tr("new")
    if there == here:
        return tr("same place")
    return f"▲ {there - here}" if there > here else f"▼ {here - there}"

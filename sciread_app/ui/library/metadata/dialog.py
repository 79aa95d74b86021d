"""Look-up of the metadata of papers: what is sent, what was found, and what is changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QCheckBox, QDialog, QLabel, QPushButton, QWidget

from sciread_app.domain.metadata.changes import (
    FIELD_TITLES,
    Candidate,
    FieldChange,
    LookupSuggestion,
)
from sciread_app.domain.metadata.item_types import KIND_NAMES
from sciread_app.domain.paper import PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue, JobRunner
from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.widgets.check_tree import CheckModel, CheckRow, CheckTree
from sciread_app.ui.widgets.dialogs.window_placement import keep_on_screen
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.progress_bar import ProgressBar
from sciread_app.ui.widgets.text.labels import show_text

if TYPE_CHECKING:
    from sciread_app.services.ingest.lookup.metadata_lookup import LookupReport
    from sciread_app.workspace import Workspace

FIRST_SIZE = (600, 300)  # without a list
CHOICE_SIZE = (600, 420)  # with a check box for each group of papers
SIZE = (940, 640)
WIDTHS = (210, 260, 110)  # of the columns after the first, in pixels
SERVICES = tr(
    "“Look up” sends the DOIs, arXiv IDs, PMIDs, PMCIDs, and ISBNs of these papers to Crossref, "
    "DataCite, OpenAlex, arXiv, PubMed, and Open Library; for papers without them, the title and "
    "the first author. Nothing is changed before you have seen what was found. Fields that you "
    "have edited are never changed."
)
# The kinds of papers of a whole library that lack a field; without a number, see `trn`.
_LACKING: Mapping[str, Callable[[int], str]] = {
    "abstract": lambda n: trn("{n:,} paper without abstract", "{n:,} papers without abstract", n),
    "authors": lambda n: trn("{n:,} paper without authors", "{n:,} papers without authors", n),
    "year": lambda n: trn("{n:,} paper without year", "{n:,} papers without year", n),
    "venue": lambda n: trn("{n:,} paper without venue", "{n:,} papers without venue", n),
    "doi": lambda n: trn("{n:,} paper without DOI", "{n:,} papers without DOI", n),
}
LACKED = tuple(_LACKING)

SelectedChanges = Mapping[PaperId, Sequence[FieldChange]]
Fields = Mapping[PaperId, Sequence[str]]  # by their names


class _Group(NamedTuple):
    """Papers that can be selected for the look-up."""

    box: QCheckBox
    papers: Sequence[PaperId]


class MetadataDialog(QDialog):
    """`apply` makes the checked changes, `undo` reverts those that are checked afterwards."""

    def __init__(
        self,
        papers: Sequence[PaperId] | None,
        missing: Sequence[str],
        workspace: Workspace,
        jobs: JobRunner,
        apply: Callable[[SelectedChanges, Callable[[SelectedChanges], object]], object],
        undo: Callable[[Fields], object],
        reopen: Callable[[Sequence[PaperId]], object],
        parent: QWidget,
    ) -> None:
        """`papers` is None for those of the whole library that lack something; `missing` are the
        fields, of LACKED, that are checked at first. `apply` calls its second argument with the
        changes that were made. `reopen` looks papers up once more."""
        super().__init__(parent)
        self.setWindowTitle(tr("Look up metadata"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._workspace = workspace
        self._jobs = jobs
        self._apply = apply
        self._undo = undo
        self._reopen = reopen
        self._is_applying = False
        self._is_applied = False
        self.papers = papers
        self.missing = tuple(missing)
        self._job: Job | None = None
        self._closed = False
        self.groups: dict[str, _Group] = {}
        self._build()
        jobs.progressed.connect(self._show_progress)
        if papers is None:
            self._count()
        self._show_state()

    def look_up(self) -> None:
        """Ask the services, unless they are being asked or have found something."""
        if self._job or self.model.rows:
            return
        ids, workspace = self._selected_papers(), self._workspace

        def work(task: Task) -> tuple[LookupReport, list[CheckRow]]:
            report = workspace.metadata.look_up(ids, task)
            # Here, since the rows of thousands of papers take seconds.
            return report, [_row(one) for one in report.suggestions]

        def show(found: tuple[LookupReport, list[CheckRow]]) -> None:
            if self._job is job:  # else it was stopped just before its end
                self._end()
                self._show(*found)

        def failed(problem: JobError) -> None:
            if self._job is job:
                self._end()
                show_text(self.status, problem.text)

        def stopped() -> None:
            if self._job is job:  # else it was stopped in this dialog
                self._end()

        job = self._job = self._jobs.run(
            tr("Looking up metadata"),
            work,
            show,
            on_failed=failed,
            on_cancelled=stopped,
            queue=JobQueue.network,
            stop_note=tr("The same look-up resumes where it was stopped."),
        )
        job.retry = lambda: self._reopen(ids)
        show_text(self.status, "")
        self._show_state()

    def apply(self) -> None:
        """Make the checked changes, and list those that were made."""
        chosen: dict[PaperId, list[FieldChange]] = defaultdict(list)
        for above, checked in self.model.checked():
            changes = checked.value
            if isinstance(changes, Candidate):
                # A record that the user has recognized fills what is empty.
                chosen[above.value] += [one for one in changes.changes if one.fills]
            else:
                chosen[above.value].append(changes)
        titles = {one.value: one.texts[0] for one in self.model.rows}

        def show(made: SelectedChanges) -> None:
            if not self._closed:
                self._is_applying, self._is_applied = False, True
                self._list_applied({(id, titles[id]): changes for id, changes in made.items()})

        self._is_applying = True
        self._show_state()
        self._apply(chosen, show)

    def undo(self) -> None:
        """Revert the checked ones of the applied changes."""
        undone: dict[PaperId, list[str]] = defaultdict(list)
        for above, checked in self.model.checked():
            undone[above.value].append(checked.value.field)
        self._undo(undone)
        kept = {
            (row.value, row.texts[0]): [
                child.value
                for child in row.children
                if child.value.field not in undone.get(row.value, ())
            ]
            for row in self.model.rows
        }
        self._list_applied({paper: changes for paper, changes in kept.items() if changes})

    def _list_applied(self, made: Mapping[tuple[PaperId, str], Sequence[FieldChange]]) -> None:
        """List the changes that were made, by paper and title; close if there are none."""
        if not made:
            self.accept()
            return
        self.model.show_rows(
            [
                CheckRow(
                    (name, "", "", ""), None, paper, "",
                    [_change_row(one, checked=False) for one in changes],
                )
                for (paper, name), changes in made.items()
            ]
        )  # fmt: skip
        count = sum(map(len, made.values()))
        done = trn("{n:,} field was changed.", "{n:,} fields were changed.", count)
        hint = tr("To restore values that fields had before, check these fields and select Undo.")
        show_text(self.status, f"{done} {hint}")
        self._show_state()

    def done(self, result: int) -> None:
        self._closed = True
        self._stop()
        super().done(result)

    def _selected_papers(self) -> list[PaperId]:
        if self.papers is not None:
            return list(self.papers)
        checked = (group.papers for group in self.groups.values() if group.box.isChecked())
        return list(dict.fromkeys(paper for papers in checked for paper in papers))

    def _count(self) -> None:
        """Count the papers of the library that lack something."""
        workspace = self._workspace
        self._jobs.run(
            tr("Counting papers"),
            lambda task: {field: workspace.metadata.lacking(field) for field in LACKED},
            self._show_groups,
            replaces="papers that lack metadata",
        )

    def _show_groups(self, lacking: Mapping[str, Sequence[PaperId]]) -> None:
        if self._closed:
            return
        for field, papers in lacking.items():
            box = QCheckBox(_LACKING[field](len(papers)))
            box.setEnabled(bool(papers))
            box.setChecked(bool(papers) and field in self.missing)
            box.toggled.connect(self._show_state)
            self._boxes.addWidget(box)
            self.groups[field] = _Group(box, papers)
        self._show_state()

    def _stop(self) -> None:
        if self._job:
            job, self._job = self._job, None
            job.cancel()
            self._end()

    def _end(self) -> None:
        self._job = None
        self.progress.hide()
        self._show_state()

    def _show_progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job is self._job:
            self.progress.show()
            self.progress.show_progress(done, total)
            show_text(self.status, note)

    def _show(self, report: LookupReport, rows: list[CheckRow]) -> None:
        self.model.show_rows(rows)
        lines = [trn("{n:,} paper looked up.", "{n:,} papers looked up.", report.papers)]
        if not report.suggestions:
            lines.append(tr("Nothing was found that is not in your library."))
        if report.unknown:
            unknown = len(report.unknown)
            lines.append(trn("{n:,} was not found.", "{n:,} were not found.", unknown))
        if report.unanswered:
            lines.append(
                trn(
                    "{n:,} paper could not be looked up. Try again later.",
                    "{n:,} papers could not be looked up. Try again later.",
                    report.unanswered,
                )
            )
        lines += report.failures.values()
        show_text(self.status, " ".join(lines))
        self._show_state()
        if report.suggestions:
            center = self.frameGeometry().center()
            self.resize(*SIZE)
            self.move(center - self.rect().center())
            self.apply_button.setDefault(True)
            self.list.setFocus()
            keep_on_screen(self)

    def _show_state(self) -> None:
        found = bool(self.model.rows)
        count = sum(1 for _ in self.model.checked())
        self.intro.setVisible(not found)
        self.list.setVisible(found)
        self.look_up_button.setVisible(not found)
        self.look_up_button.setEnabled(not self._job and bool(self._selected_papers()))
        self.stop_button.setVisible(self._job is not None)
        self.apply_button.setVisible(found and not self._is_applied)
        self.apply_button.setEnabled(count > 0 and not self._is_applying)
        self.undo_button.setVisible(found and self._is_applied)
        self.undo_button.setEnabled(count > 0)
        undo = trn("Undo {n:,} change", "Undo {n:,} changes", count) if count else tr("Undo")
        self.undo_button.setText(undo)
        apply = trn("Apply {n:,} change", "Apply {n:,} changes", count) if count else tr("Apply")
        self.apply_button.setText(apply)
        for group in self.groups.values():
            group.box.setEnabled(not self._job and bool(group.papers))

    def _build(self) -> None:
        self.intro = QWidget()
        self._boxes = column(parent=None, spacing=4)
        services = styled(QLabel(SERVICES, wordWrap=True), "quiet")
        heading = tr("Papers to look up")
        if self.papers is not None:
            count = len(self.papers)
            heading = trn("Look up {n:,} selected paper", "Look up {n:,} selected papers", count)
        title = QLabel(heading)
        title.setFont(scaled(title.font(), 1.15, QFont.Weight.DemiBold))
        column(title, self._boxes, services, 1, parent=self.intro, margins=0, spacing=10)
        self.model = CheckModel((tr("Paper and field"), tr("Before"), tr("After"), tr("Source")))
        self.list = CheckTree(self.model, tr("Changes"), WIDTHS)
        self.status = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.progress = ProgressBar()
        self.progress.hide()
        self.look_up_button = styled(QPushButton(tr("Look up")), "primary")
        self.apply_button = styled(QPushButton(""), "primary")
        self.undo_button = QPushButton("")
        self.stop_button = QPushButton(tr("Stop"))
        close = QPushButton(tr("Close"))
        acting = (self.stop_button, self.look_up_button, self.apply_button, self.undo_button)
        buttons = row(1, *acting, close, spacing=8)
        column(
            (self.intro, 1), (self.list, 1), self.progress, self.status, buttons,
            parent=self, margins=(24, 20, 24, 16), spacing=12,
        )  # fmt: skip
        self.look_up_button.clicked.connect(self.look_up)
        self.apply_button.clicked.connect(self.apply)
        self.undo_button.clicked.connect(self.undo)
        self.stop_button.clicked.connect(self._stop)
        close.clicked.connect(self.reject)
        self.model.toggled.connect(self._show_state)
        self.look_up_button.setDefault(True)
        self.resize(*(CHOICE_SIZE if self.papers is None else FIRST_SIZE))
        keep_on_screen(self)


def _row(one: LookupSuggestion) -> CheckRow:
    """The row of a paper: below it the changes, those that replace nothing checked."""
    children = [_change_row(change, checked=change.fills) for change in one.changes]
    for candidate in one.candidates:
        record, about = candidate.record, _described(candidate)
        texts = (tr("Possible match"), "", about, _source_title(record.source))
        # A record that fills nothing cannot be selected: it would change nothing.
        checked = False if any(change.fills for change in candidate.changes) else None
        children.append(CheckRow(texts, checked, candidate, f"{readable(record.title)}\n{about}"))
    return CheckRow((readable(one.title), "", "", ""), None, one.paper, "", children)


def _change_row(change: FieldChange, *, checked: bool) -> CheckRow:
    texts = (
        FIELD_TITLES[change.field],
        _text(change.field, change.old),
        _text(change.field, change.new),
        _source_title(change.source),
    )
    return CheckRow(texts, checked, change, f"{change.old}\n\n{change.new}".strip())


def _source_title(key: str) -> str:
    from sciread_app.services.ingest.lookup.record_requests import (
        source_title,  # loads the clients, which the look-up has loaded
    )

    return source_title(key)


def _text(field: str, value: str) -> str:
    """A value on one line."""
    if field == "kind":
        return KIND_NAMES.get(value, value)
    return "; ".join(map(readable, value.split("\n")))


def _described(candidate: Candidate) -> str:
    record = candidate.record
    author = record.authors[0].last_name if record.authors else ""
    name = next((value for _, value in record.identifiers), "")
    return ", ".join(filter(None, (author, str(record.year or ""), record.venue, name)))

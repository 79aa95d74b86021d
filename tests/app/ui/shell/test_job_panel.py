"""The panel of background jobs and the status bar."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from sciread_app.domain.paper import PaperId, Skipped
from sciread_app.errors import SciReadError
from sciread_app.ui.add_papers.imports.report import ImportReportDialog
from sciread_app.ui.jobs.runner import JobQueue, TaskState
from sciread_app.ui.shell import job_history
from sciread_app.ui.shell.job_history import REMEMBERED, JobHistory
from sciread_app.ui.shell.job_panel import JobPanel
from sciread_app.ui.shell.status_bar import StatusBar
from sciread_app.ui.view_models import ImportSummary, Status
from sciread_app.ui.widgets.dialogs.log_dialog import LogDialog
from tests.support.ui.fakes.gateway import FakeGateway


def click(qtbot, button: QPushButton):
    """Click a button once it is laid out. A row that was just added is squeezed until then, and a
    button without a height cannot be hit."""
    qtbot.waitUntil(lambda: not button.rect().isEmpty())
    assert button.isVisible() and button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


class Steps:
    """A job that takes a step for each permit of `let`."""

    def __init__(self):
        self.let, self.result = threading.Semaphore(0), "done"

    def __call__(self, task):
        for n in range(1, 4):
            task.step(n, 4, "a.bib")
            while not self.let.acquire(timeout=0.01):
                task.raise_if_cancelled()
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


@pytest.fixture
def centre(qtbot, jobs, appearance):
    centre = JobPanel(JobHistory(jobs), appearance)
    qtbot.addWidget(centre)
    centre.resize(700, 300)
    centre.show()
    return centre


def started(qtbot, centre, jobs, steps, queue=JobQueue.long, **how):
    job = jobs.run("Importing a.bib", steps, queue=queue, **how)
    work = centre._log.of(job)
    return work, centre.row(work)


def test_short_job_that_writes_a_file_is_listed_with_the_file(
    qtbot, jobs, centre, tmp_path, monkeypatch
):
    shown = []
    monkeypatch.setattr(job_history, "reveal", shown.append)
    steps, file = Steps(), tmp_path / "notes.md"
    work, row = started(qtbot, centre, jobs, steps, queue=JobQueue.short, file=file)
    assert not row.link.isVisible()
    steps.let.release(3)
    qtbot.waitUntil(lambda: work.state is TaskState.done)
    assert row.link.text() == "Show file"
    click(qtbot, row.link)
    assert shown == [file]


def test_job_without_anything_to_do_is_not_listed(qtbot, jobs, centre):
    for work in (lambda task: task.step(0, 0), lambda task: task.step(1, 2)):
        jobs.run("Indexing papers", work, visible=False, queue=JobQueue.long)
        qtbot.waitUntil(lambda: not jobs.running())
    (work,) = centre._log.works
    assert (work.state, work.job.progress.total) == (TaskState.done, 2)


def test_status_bar_does_not_claim_that_all_is_indexed_during_indexing(qtbot, jobs):
    bar, steps = StatusBar(jobs), Steps()
    qtbot.addWidget(bar)
    bar.show_status(Status(4, by_meaning=True))
    assert "all indexed" in bar.status.text()
    jobs.run("Indexing papers", steps, visible=False, queue=JobQueue.long).indexes = True
    qtbot.waitUntil(lambda: "all indexed" not in bar.status.text())
    steps.let.release(3)
    qtbot.waitUntil(lambda: "all indexed" in bar.status.text())


def test_status_bar_counts_no_papers_before_the_library_is_open(qtbot, jobs):
    bar = StatusBar(jobs)
    qtbot.addWidget(bar)
    jobs.run("Opening the library", lambda task: None, queue=JobQueue.long)
    qtbot.waitUntil(lambda: not jobs.running())
    assert bar.status.text() == ""
    bar.show_status(Status(4))
    assert "4 papers" in bar.status.text()


def test_job_that_fails_before_any_progress_is_listed(qtbot, jobs, centre):
    def fail(task):
        raise SciReadError("The model cannot be read.")

    jobs.run("Indexing papers", fail, visible=False, queue=JobQueue.long)
    qtbot.waitUntil(lambda: not jobs.running())
    assert [work.state for work in centre._log.works] == [TaskState.failed]


def test_running_job_shows_its_progress(qtbot, jobs, centre):
    steps = Steps()
    work, row = started(qtbot, centre, jobs, steps)
    qtbot.waitUntil(lambda: "1 of 4 · a.bib" in row.status.text())
    assert row.title.text() == "Importing a.bib" and row.bar.isVisible()
    assert "25%" in row.accessibleName()
    steps.let.release(3)
    qtbot.waitUntil(lambda: work.state is TaskState.done)
    assert row.status.text().startswith("Finished at ") and not row.bar.isVisible()


def test_queued_job_is_listed_and_can_be_cancelled(qtbot, jobs, centre):
    steps = Steps()
    started(qtbot, centre, jobs, steps)
    waiting, row = started(qtbot, centre, jobs, Steps())
    assert row.status.text() == "Queued"
    qtbot.waitUntil(row.cancel.isVisible)
    click(qtbot, row.cancel)
    assert row.status.text() == "Stopping…"
    steps.let.release(3)
    qtbot.waitUntil(lambda: waiting.state is TaskState.stopped)
    qtbot.waitUntil(lambda: not jobs.running())


@pytest.mark.parametrize("queue", [JobQueue.long, JobQueue.network])
def test_job_is_paused_and_resumed(qtbot, jobs, centre, queue):
    steps = Steps()
    work, row = started(qtbot, centre, jobs, steps, queue=queue)
    qtbot.waitUntil(lambda: work.state is TaskState.running and work.job.progress.done == 1)
    assert "a.bib" in row.status.text()
    click(qtbot, row.pause)
    assert work.state is TaskState.paused and row.status.text().startswith("Paused")
    assert row.pause.text() == "Resume"
    work.job.progress.add(2, 4, "b.bib", 0.0)
    jobs.progressed.emit(work.job, 2, 4, "b.bib")  # the job pauses at its next step
    assert "2 of 4" in row.status.text()
    for running in ("a.bib", "b.bib", "left", "/s"):
        assert running not in row.status.text()
    click(qtbot, row.pause)
    steps.let.release(3)
    qtbot.waitUntil(lambda: work.state is TaskState.done)


def test_stopped_job_can_be_restarted(qtbot, jobs, centre):
    steps = Steps()
    work, row = started(qtbot, centre, jobs, steps)
    qtbot.waitUntil(lambda: work.job.progress.done == 1)
    assert not row.again.isVisible()
    click(qtbot, row.cancel)
    qtbot.waitUntil(lambda: work.state is TaskState.stopped)
    assert "kept" not in row.status.text()
    click(qtbot, row.again)
    assert not row.again.isEnabled()
    steps.let.release(3)
    qtbot.waitUntil(lambda: centre._log.works[-1].state is TaskState.done)
    assert centre._log.works[-1] is not work


def test_stopped_job_names_what_is_kept(qtbot, jobs, centre):
    work, row = started(qtbot, centre, jobs, Steps(), stop_note="Papers read so far are kept")
    qtbot.waitUntil(lambda: work.job.progress.done == 1)
    click(qtbot, row.cancel)
    qtbot.waitUntil(lambda: work.state is TaskState.stopped)
    assert "Papers read so far are kept" in row.status.text()
    click(qtbot, row.again)
    qtbot.waitUntil(lambda: centre._log.works[-1].job.progress.done == 1)
    assert centre._log.works[-1].job.stop_note == "Papers read so far are kept"


def test_job_with_remarks_is_finished_with_errors(qtbot, jobs, centre):
    steps = Steps()
    steps.let.release(3)

    def done(result):
        work.job.remarks = ["Journals: there is one journal."]

    work, row = started(qtbot, centre, jobs, steps, on_done=done)
    qtbot.waitUntil(lambda: work.state is TaskState.partial)
    assert "there is one journal" in row.status.text()
    assert row.again.isVisible()
    assert row.state.toolTip() == "Finished with errors"


def test_log_of_a_job_has_its_progress_and_its_end(qtbot, jobs, centre):
    steps = Steps()
    work, row = started(qtbot, centre, jobs, steps)
    qtbot.waitUntil(lambda: work.job.progress.done == 1)
    steps.let.release(3)
    qtbot.waitUntil(lambda: work.state is TaskState.done)
    click(qtbot, row.log)
    dialog = centre.findChild(LogDialog)
    assert dialog.isVisible() and not dialog.isModal()
    text = dialog.text.toPlainText()
    assert "a.bib" in text and text.splitlines()[-1].endswith(row.status.text())


def test_log_of_another_process_is_the_one_that_it_writes(qtbot, jobs, centre):
    shown = []
    nothing = lambda: None  # noqa: E731
    job = jobs.follow("Training mine", stop=nothing, retry=nothing, show_log=shown.append)
    row = centre.row(centre._log.of(job))
    qtbot.waitUntil(row.log.isVisible)
    click(qtbot, row.log)
    assert shown == [centre.window()] and centre.findChild(LogDialog) is None
    jobs.end(job)


def test_link_of_a_job_opens_its_page(qtbot, jobs, centre):
    opened, steps = [], Steps()
    work, row = started(qtbot, centre, jobs, steps)
    assert not row.link.isVisible()
    work.job.link = ("Show evaluation", lambda: opened.append(True))
    qtbot.waitUntil(row.link.isVisible)
    click(qtbot, row.link)
    assert opened and row.link.text() == "Show evaluation"
    steps.let.release(3)
    qtbot.waitUntil(lambda: work.state is TaskState.done)


def test_clear_finished_keeps_running_and_failed_jobs(qtbot, jobs, centre):
    broken, fine, steps = Steps(), Steps(), Steps()
    broken.result = SciReadError("The disk is full.")
    for one in (broken, fine):
        one.let.release(3)
    failed, row = started(qtbot, centre, jobs, broken)
    finished, _ = started(qtbot, centre, jobs, fine)
    going, _ = started(qtbot, centre, jobs, steps)
    states = [TaskState.failed, TaskState.done, TaskState.running]
    qtbot.waitUntil(lambda: [one.state for one in (failed, finished, going)] == states)
    click(qtbot, centre.clear)
    assert centre._log.works == [failed, going] and not centre.clear.isEnabled()
    click(qtbot, row.dismiss)
    assert centre._log.works == [going] and centre.isAncestorOf(centre.window().focusWidget())
    steps.let.release(3)
    qtbot.waitUntil(lambda: going.state is TaskState.done)


def test_time_of_a_job_without_total_is_shown_while_it_runs(qtbot, jobs, centre):
    go_on = threading.Event()
    work, row = started(qtbot, centre, jobs, lambda task: go_on.wait(10))
    qtbot.waitUntil(lambda: "2 s elapsed" in row.status.text())
    go_on.set()
    qtbot.waitUntil(lambda: work.state is TaskState.done)


def test_failed_jobs_are_not_displaced_by_finished_ones(qtbot, jobs, centre):
    steps = Steps()
    steps.result = SciReadError("The disk is full.")
    steps.let.release(3)
    failed, _ = started(qtbot, centre, jobs, steps)
    for _ in range(REMEMBERED + 2):
        jobs.run("Importing", lambda task: None, queue=JobQueue.long)
    qtbot.waitUntil(lambda: not jobs.running())
    assert failed in centre._log.works and len(centre._log.works) == REMEMBERED + 1


def test_failed_job_shows_message_and_hint(qtbot, jobs, centre):
    steps = Steps()
    steps.result = SciReadError("The disk is full.", "Make room.")
    steps.let.release(3)
    work, row = started(qtbot, centre, jobs, steps)
    qtbot.waitUntil(lambda: work.state is TaskState.failed)
    assert "The disk is full. Make room." in row.status.text()
    assert row.again.isVisible() and not row.report.isVisible()


def test_report_of_an_internal_error_can_be_copied(qtbot, jobs, centre):
    steps = Steps()
    steps.result = KeyError("lost")
    steps.let.release(3)
    work, row = started(qtbot, centre, jobs, steps)
    qtbot.waitUntil(lambda: work.state is TaskState.failed)
    click(qtbot, row.report)
    assert "KeyError: 'lost'" in QGuiApplication.clipboard().text()


def test_skipped_entries_of_an_import_can_be_shown(qtbot, jobs, centre):
    steps = Steps()
    steps.result = ImportSummary(3, 1, 1, [Skipped("a.bib", "smith", "No closing brace.")])
    steps.let.release(3)
    work, row = started(qtbot, centre, jobs, steps)
    qtbot.waitUntil(lambda: work.state is TaskState.partial)
    assert "1 new, 1 already in library, 1 failed" in row.status.text()
    with qtbot.waitSignal(centre.report_requested) as wanted:
        click(qtbot, row.skipped)
    assert wanted.args[0].failures[0].reason == "No closing brace."


def test_papers_that_an_import_added_can_be_shown(qtbot, jobs, centre):
    steps = Steps()
    steps.result = ImportSummary(2, 2, 0, [], papers=(PaperId(4), PaperId(5)))
    steps.let.release(3)
    work, row = started(qtbot, centre, jobs, steps)
    qtbot.waitUntil(lambda: work.state is TaskState.done)
    with qtbot.waitSignal(centre.papers_requested) as wanted:
        click(qtbot, row.papers)
    assert wanted.args == [(4, 5), "Importing a.bib"]


def test_job_history_omits_searches_and_old_jobs(qtbot, jobs, centre):
    jobs.run("Searching", lambda task: None)
    for _ in range(REMEMBERED + 2):
        jobs.run("Importing", lambda task: None, queue=JobQueue.long)
    qtbot.waitUntil(lambda: not jobs.running())
    assert {work.title for work in centre._log.works} == {"Importing"}
    assert len(centre._log.works) == REMEMBERED == len(centre._rows)


def test_shortcut_toggles_the_job_panel_and_restores_the_focus(qtbot, show_window):
    window = show_window(FakeGateway(3))
    window.activateWindow()
    window.page.result_list.setFocus()
    for close in (Qt.Key.Key_Escape, Qt.Key.Key_J):
        qtbot.keyClick(window, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
        centre = window.job_panel
        assert centre.isVisible() and centre.isAncestorOf(window.focusWidget())
        modifier = Qt.KeyboardModifier
        how = modifier.ControlModifier if close == Qt.Key.Key_J else modifier.NoModifier
        qtbot.keyClick(window.focusWidget(), close, how)
        assert not centre.isVisible() and window.page.result_list.hasFocus()


def test_activity_button_opens_the_job_panel_and_counts_tasks(qtbot, show_window, jobs):
    gateway = FakeGateway(3)
    gateway.go_on_importing.clear()
    window = show_window(gateway)
    activity = window.navigation_bar.activity
    idle = activity.accessibleName()
    click(qtbot, activity)
    assert window.job_panel.isVisible() and activity.isChecked()
    window.add([window._home])
    window.add([window._home])
    qtbot.waitUntil(lambda: "2" in activity.accessibleName())
    gateway.go_on_importing.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert activity.accessibleName() == idle
    qtbot.keyClick(window, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    assert not window.job_panel.isVisible() and not activity.isChecked()


def test_status_bar_pauses_an_import_and_panel_shows_its_report(qtbot, show_window, jobs):
    gateway = FakeGateway(3)
    gateway.go_on_importing.clear()
    gateway.failures = [Skipped("a.bib", "smith", "No closing brace.")]
    window = show_window(gateway)
    window.importing.add([])
    window.add([window._home])
    window.job_panel.toggle()
    qtbot.waitUntil(lambda: "of 100" in window._status_bar.how_far.text())
    click(qtbot, window._status_bar.pause)
    assert window._status_bar.how_far.text().startswith("Paused")
    assert window._status_bar.pause.text() == "Resume"
    click(qtbot, window._status_bar.pause)
    gateway.go_on_importing.set()
    qtbot.waitUntil(lambda: not jobs.running())
    done = next(work for work in window.work_log.works if work.summary)
    click(qtbot, window.job_panel.row(done).skipped)
    dialog = window.findChild(ImportReportDialog)
    assert dialog.isVisible() and not dialog.isModal()
    dialog.close()

"""The graphical application: one process for each home folder. The window is shown first, and the
library is opened in the background."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QLibraryInfo,
    QLocale,
    QLockFile,
    QMessageLogContext,
    QObject,
    Qt,
    QtMsgType,
    QTranslator,
    Signal,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication, QMessageBox

from sciread_app.errors import LibraryError, SciReadError
from sciread_app.language import current_language, tr
from sciread_app.paths import Home, open_home
from sciread_app.settings import change_settings, read_settings
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import SHUTDOWN_TIMEOUT, JobError, JobQueue, JobRunner, job_error
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.shell.page_preloader import PagePreloader
from sciread_app.ui.shell.page_registry import PAGES
from sciread_app.ui.shell.startup.garbage_collector import GarbageCollector
from sciread_app.ui.shell.startup.qt_application import connect, disable_source_inspection
from sciread_app.ui.shell.startup.screenshot import ScreenshotRunner
from sciread_app.ui.style.theme import Appearance, ThemeChoice
from sciread_app.ui.widgets.dialogs.window_placement import keep_on_screen

if TYPE_CHECKING:
    from sciread_app.ui.settings.operations import Reopening
    from sciread_app.ui.shell.gateway import WindowGateway
    from sciread_app.ui.shell.startup.single_instance import SingleInstanceServer

log = logging.getLogger(__name__)

# Seconds for which another Python thread may keep the GIL. Python's default of 5 ms adds up to a
# visible stall within one repaint.
SWITCH_INTERVAL = 0.0005
# Seconds that opening another library, or a restore, waits for tasks to stop: after that, SciRead
# restarts without it. Indexing has taken more than half a minute to stop on a busy computer.
SWITCH_TIMEOUT = 180.0
RESTART = 75  # the exit code with which the window asks for a new process
# The environment variable with a notice for the process after a restart.
_NOTICE = "SCIREAD_NOTICE"


def run(
    folder: Path | None = None,
    screenshot: Path | None = None,
    files: Sequence[Path] = (),
    page: str = "",
) -> int:
    """Open the window on a home folder (see paths.open_home) and run until it is closed.

    `files` are added to the library, by the running instance if there is one, and the page with the
    key `page` is shown. With `screenshot`, an image of the window is saved to that file once it
    shows papers, and the window is closed. Returns the exit code.
    """
    home = None
    while home is None:
        try:
            home = open_home(folder)
        except SciReadError as error:
            folder = _another_folder(error, quietly=bool(screenshot))
            if folder is None:
                return 1
    _scale(home)
    app = _application()
    notice = os.environ.pop(_NOTICE, "")
    session = Session(app, home, screenshot, files, notice=notice, page=page)
    while True:
        code = session.run()
        if code == RESTART:
            os.environ[_NOTICE] = session.restart_notice
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
        if session.next is None:
            return code
        session = session.next


class Session:
    """One window on one home, from opening to closing. `next` is the session to run after it, such
    as a restore, which needs a closed library."""

    def __init__(
        self,
        app: QApplication,
        home: Home,
        screenshot: Path | None = None,
        files: Sequence[Path] = (),
        before: Reopening | None = None,
        notice: str = "",
        then: Callable[[MainWindow], object] = lambda window: None,
        page: str = "",
    ) -> None:
        """When the library is open, `notice` and the page with the key `page` are shown, if that
        exists, and `then` is called with the window. `before` is done before the library opens."""
        self._app = app
        self._home = home
        self._screenshot = screenshot
        self._files = files
        self._before = before
        self._notice = notice
        self._then = then
        self._page = page
        self.next: Session | None = None
        self.restart_notice = ""  # to show after a restart

    @property
    def first_step(self) -> str:
        """The text in the window until the library is open."""
        return self._before.title if self._before else tr("Opening the library")

    def run(self) -> int:
        """Show the window until it is closed, and return the exit code. If another window has this
        home, that one gets the files instead."""
        lock = QLockFile(str(self._home.owner.folder / "window.lock"))
        lock.setStaleLockTime(0)  # never by age: a window may stay open for weeks
        if not lock.tryLock(0):
            if lock.error() == QLockFile.LockError.LockFailedError:
                return self._leave_to_the_other()
            return self._leave_a_folder_that_cannot_be_written_to()
        try:
            return self._run()
        finally:
            lock.unlock()

    def _run(self) -> int:
        sys.setswitchinterval(SWITCH_INTERVAL)
        disable_source_inspection()
        settings, _ = read_settings(self._home.settings)
        appearance = Appearance(self._app, ThemeChoice(settings.theme), settings.list_text)
        jobs = JobRunner()
        collector = GarbageCollector(jobs)
        window = MainWindow(self._home.folder, jobs, appearance)
        _report_faults_in(window)
        opening = _Opening(self._home, window, jobs, self._before, self._notice)
        self._connect(window, opening)
        if not self._screenshot:  # an image may be larger than the screen
            keep_on_screen(window)
            PagePreloader(window, jobs)
        window.events.opened.connect(lambda: self._then(window))
        window.events.opened.connect(self._forget_request)
        window.show()
        opening.start()
        bell = self._listen(window)
        if self._screenshot:
            photographer = ScreenshotRunner(self._app, window, jobs, self._screenshot)
            photographer.start()
        code = self._app.exec()
        bell.close()
        if window.isVisible():  # a new session replaces it
            window.remember()
        if self.next:  # without a window, SciRead would seem to have quit
            window.wait_in_place_of_library(self.next.first_step)
        else:
            window.hide()
        stopped = jobs.shut_down(SWITCH_TIMEOUT if self.next else SHUTDOWN_TIMEOUT)
        opening.close()
        window.hide()
        collector.stop()
        if not stopped and self.next:
            self.restart_notice = tr(
                "{operation}: canceled, because running tasks did not stop. Pause them in "
                "Activity, and try again.",
                operation=self.next.first_step,
            )
            return RESTART
        if not stopped:
            # A thread that does not end would keep the process alive without a window.
            logging.shutdown()
            os._exit(code)
        for finished in (window, bell, appearance):
            finished.deleteLater()
        return code

    def _connect(self, window: MainWindow, opening: _Opening) -> None:
        window.events.theme_selected.connect(
            lambda choice: change_settings(self._home.settings, theme=choice.value)
        )
        window.events.restart_requested.connect(
            lambda: window.leave(lambda: self._app.exit(RESTART))
        )
        window.events.reopen_requested.connect(
            lambda wanted: window.leave(lambda: self._reopen(wanted))
        )
        window.events.library_requested.connect(
            lambda folder, then: window.leave(lambda: self._switch(folder, then))
        )
        opening.library_moved.connect(self._follow)
        if not self._screenshot:
            opening.failed.connect(partial(self._recover, window, opening.jobs))

    def _reopen(self, wanted: Reopening) -> None:
        self._continue(self._home, before=wanted)
        self._app.exit(0)

    def _switch(self, folder: Path, then: Callable[[MainWindow], object]) -> None:
        self._continue(Home(folder), then=then)
        self._app.exit(0)

    def _follow(self, folder: Path, notice: str = "") -> None:
        self._continue(Home(folder), notice=notice)
        self._app.exit(0)

    def _continue(self, home: Home, **more: Any) -> None:
        """Let a session on this home follow, which gets the files and the page of this one, unless
        a window has shown them. `more`: further arguments of the session."""
        self.next = Session(self._app, home, files=self._files, page=self._page, **more)

    def _show_request(self, window: MainWindow, files: Sequence[Path], page: str) -> None:
        """Show what a second start requests; before the library is open, also keep it for the
        session that follows a recovery."""
        if not window.is_open:
            self._files, self._page = (*self._files, *files), page or self._page
        _show(window, files, page)

    def _forget_request(self) -> None:
        self._files, self._page = (), ""

    def _recover(
        self, window: MainWindow, jobs: JobRunner, error: SciReadError, before: JobError | None
    ) -> None:
        from sciread_app.ui.shell.startup.recovery import (
            Recovery,  # rarely needed, and brings SQLAlchemy
        )

        recovery = Recovery(self._home, window, jobs, error, before)
        recovery.reopen_requested.connect(self._reopen)
        recovery.folder_selected.connect(self._follow)
        recovery.quit_requested.connect(lambda: self._app.exit(1))
        recovery.ask()

    def _leave_a_folder_that_cannot_be_written_to(self) -> int:
        error = LibraryError(
            tr("SciRead cannot write to the folder {folder}.", folder=self._home.folder),
            tr(
                "Free up disk space, change the permissions of the folder, or select another "
                "folder."
            ),
        )
        folder = _another_folder(error, quietly=bool(self._screenshot))
        if folder is None:
            return 1
        self._continue(Home(folder))
        return 0

    def _listen(self, window: MainWindow) -> SingleInstanceServer:
        from sciread_app.ui.shell.startup.single_instance import (
            SingleInstanceServer,  # imports Qt Network, after the window is shown
        )

        bell = SingleInstanceServer(self._home.owner.folder, self._app)
        bell.notified.connect(partial(self._show_request, window))
        if self._files or self._page:
            _show(window, self._files, self._page)
        return bell

    def _leave_to_the_other(self) -> int:
        from sciread_app.ui.shell.startup.single_instance import notify_running_instance

        message = tr(
            "SciRead is already running with the library in {folder}.", folder=self._home.folder
        )
        if not self._screenshot and notify_running_instance(
            self._home.owner.folder, self._files, self._page
        ):
            came = tr("The window that was already open is now in front.")
            print(f"{message} {came}", file=sys.stderr)
            return 0
        hint = tr("Switch to the window that is already open.")
        return _refuse(message, hint, quietly=bool(self._screenshot))


def _application() -> QApplication:
    app = connect()
    app.setApplicationName("SciRead")
    app.setDesktopFileName("sciread")
    _install_translations(app)
    if app.platformName() == "offscreen":
        qInstallMessageHandler(_print_qt_message)
    return app


def _install_translations(app: QApplication) -> None:
    """Translate the texts of Qt itself (Cancel, Open, Copy), which also sets the layout direction
    of the language."""
    translator, language = QTranslator(app), QLocale(current_language())
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if translator.load(language, "qtbase", "_", folder):
        app.installTranslator(translator)


def _scale(home: Home) -> None:
    """Set the scale factor, which Qt reads before the application is created."""
    scale = read_settings(home.settings)[0].scale
    ours = os.environ.get("SCIREAD_SCALED")  # set by the process that restarted as this one
    if scale != 100 and (ours or "QT_SCALE_FACTOR" not in os.environ):
        os.environ["QT_SCALE_FACTOR"] = os.environ["SCIREAD_SCALED"] = str(scale / 100)
    elif ours:
        del os.environ["QT_SCALE_FACTOR"], os.environ["SCIREAD_SCALED"]


def _show(window: MainWindow, files: Sequence[Path], page: str = "") -> None:
    """Bring the window to the front, and once the library is open, add these files and show the
    page with this key."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.raise_()
    window.activateWindow()
    if window.is_open:
        window.add(list(files))
        if any(spec.key == page for spec in PAGES):
            window.go_to(page)
    elif files or page:
        window.events.opened.connect(lambda: _show(window, files, page))


@dataclass
class _Opened:
    """The result of opening. `folder`: the new place of a moved library. `problem`: the error of a
    preceding operation, such as a restore."""

    gateway: WindowGateway | None = None
    folder: Path | None = None
    notice: str = ""
    problem: JobError | None = None
    error: SciReadError | None = None  # why the library could not be opened


class _Opening(QObject):
    """Opens the library in the background, since its modules take longer to import than Qt."""

    library_moved = Signal(object, str)  # Path of the moved library; a notice
    failed = Signal(object, object)  # SciReadError; JobError of the operation before, or None

    def __init__(
        self,
        home: Home,
        window: MainWindow,
        jobs: JobRunner,
        before: Reopening | None,
        notice: str,
    ) -> None:
        super().__init__(window)
        self._home = home
        self._window = window
        self.jobs = jobs
        self._before = before
        self._notice = notice
        self._gateway: WindowGateway | None = None

    def start(self) -> None:
        if self._before:
            self._window.wait_for(self._before.title)
        self.jobs.run(
            self._before.title if self._before else tr("Opening the library"),
            self._work,
            self._opened,
            on_failed=self._window.cannot_open,
            queue=JobQueue.long if self._before else JobQueue.short,
        )

    def close(self) -> None:
        if self._gateway:
            self._gateway.close()

    def _work(self, task: Task) -> _Opened:
        from sciread_app.ui.shell.gateway import (
            open_gateway,  # brings SQLAlchemy, numpy and hnswlib
        )

        opened = _Opened()
        if self._before:
            try:
                folder = self._before.work(task)
            except SciReadError as error:
                opened.problem = job_error(error, self._before.title)
            else:
                if folder != self._home.folder:
                    return _Opened(folder=folder, notice=self._before.outcome())
        try:
            opened.gateway = open_gateway(self._home.folder)
        except SciReadError as error:
            opened.error = error
        return opened

    def _opened(self, opened: _Opened) -> None:
        if opened.folder:
            self.library_moved.emit(opened.folder, opened.notice)
            return
        if opened.error:
            self._window.cannot_open(JobError(opened.error.message))
            self.failed.emit(opened.error, opened.problem)
            return
        gateway = self._gateway = opened.gateway
        assert gateway
        # These objects stay: keep the collector from traversing them again, which takes 50 ms.
        gc.freeze()
        self._window.open(gateway, sample=gateway.workspace.lacks_sample)
        for warning in gateway.workspace.warnings:
            self._window.messages.show_problem(JobError(warning))
        if opened.problem:
            self._window.messages.show_problem(opened.problem)
        elif self._before and (outcome := self._before.outcome()):
            self._window.messages.show_notice(outcome)
        elif self._notice:
            self._window.messages.show_notice(self._notice)


def _report_faults_in(window: MainWindow) -> None:
    """Log and show exceptions in slots, which are programming errors, and keep the window open."""

    def report(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if isinstance(error, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        window.messages.show_problem(job_error(error, tr("Drawing the window")))

    sys.excepthook = report


def _print_qt_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    """Print the messages of Qt, except one that every window causes without a screen."""
    if "propagateSizeHints" not in text:
        print(text, file=sys.stderr)


def _another_folder(error: SciReadError, *, quietly: bool) -> Path | None:
    """Explain why a folder cannot be used, and ask for another; None to quit."""
    _application()
    if quietly:
        print(f"{error.message} {error.hint}", file=sys.stderr)
        return None
    from sciread_app.ui.shell.startup.recovery import (
        ask_for_folder,  # rarely needed, brings SQLAlchemy
    )

    hint = tr("Select a folder for your library.")
    return ask_for_folder(error.message, hint)


def _refuse(message: str, hint: str, *, quietly: bool) -> int:
    """Explain why no window opens: in a dialog, or on the terminal if `quietly`."""
    if quietly:
        print(f"{message} {hint}", file=sys.stderr)
    else:
        box = QMessageBox(QMessageBox.Icon.Warning, "SciRead", message)
        box.setInformativeText(hint)
        box.exec()
    return 1

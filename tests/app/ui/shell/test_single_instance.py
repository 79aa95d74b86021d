"""Two windows on one library: the second hands over to the first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QLockFile
from PySide6.QtNetwork import QLocalSocket

from sciread_app.ui.shell.single_instance import (
    HEARD,
    SingleInstanceServer,
    _name,
    ring,
    told,
    understood,
)


@pytest.fixture
def bell(qapp, tmp_path):
    bell = SingleInstanceServer(tmp_path, qapp)
    yield bell
    bell.close()
    qapp.removeEventFilter(bell)


def call(qtbot, home, line):
    """Say a line at the door of this home, and wait until it is shut again; what was answered."""
    socket = QLocalSocket()
    socket.connectToServer(_name(home))
    socket.write(line)
    with qtbot.waitSignal(socket.disconnected):
        pass
    return socket.readAll().data()


def test_files_are_handed_to_the_window_that_is_open(qtbot, bell, tmp_path):
    with qtbot.waitSignal(bell.notified) as rung:
        answer = call(qtbot, tmp_path, told([tmp_path / "ä b.bib", tmp_path / "c.ris"]))
    assert rung.args == [[tmp_path / "ä b.bib", tmp_path / "c.ris"]]
    assert answer == HEARD


def test_without_files_the_window_is_only_called(qtbot, bell, tmp_path):
    with qtbot.waitSignal(bell.notified) as rung:
        call(qtbot, tmp_path, told([]))
    assert rung.args == [[]]


def test_another_library_is_another_door(bell, tmp_path):
    assert not ring(tmp_path / "other", [])


def test_a_door_that_was_left_behind_is_no_hindrance(qtbot, qapp, bell, tmp_path):
    again = SingleInstanceServer(tmp_path, qapp)  # as after a window that was killed
    with qtbot.waitSignal(again.notified):
        call(qtbot, tmp_path, told([]))
    again.close()
    qapp.removeEventFilter(again)


def test_a_second_window_leaves_its_files_to_the_first(qtbot, bell, tmp_path):
    lock = QLockFile(str(tmp_path / "window.lock"))
    assert lock.tryLock(0)
    code = (
        "import sys; from pathlib import Path; from sciread_app.ui.application import run;"
        "sys.exit(run(Path(sys.argv[1]), files=[Path('/x/refs.bib')]))"
    )
    with qtbot.waitSignal(bell.notified) as rung:
        other = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        )
    said = other.communicate(timeout=60)[1]
    lock.unlock()
    assert rung.args == [[Path("/x/refs.bib")]]
    assert other.returncode == 0 and "already open" in said


@pytest.mark.parametrize("said", [b"hello\n", b'{"paths": "x"}\n', b"[" * 9_000 + b"\n", b"{}\n"])
def test_what_no_window_of_ours_would_say_is_not_acted_upon(qtbot, bell, tmp_path, said):
    assert understood(said) is None
    rung = []
    bell.notified.connect(rung.append)
    call(qtbot, tmp_path, said)
    assert rung == []

"""The second window on a library hands over its files to the first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QLockFile
from PySide6.QtNetwork import QLocalSocket

from sciread_app.ui.shell.startup.single_instance import (
    RECEIVED,
    SingleInstanceServer,
    _name,
    decode_message,
    encode_message,
    notify_running_instance,
)


@pytest.fixture
def server(qapp, tmp_path):
    server = SingleInstanceServer(tmp_path, qapp)
    yield server
    server.close()
    qapp.removeEventFilter(server)


def send(qtbot, home, line):
    """Send a line to the server of this home, wait for the end, and return the answer."""
    socket = QLocalSocket()
    socket.connectToServer(_name(home))
    socket.write(line)
    with qtbot.waitSignal(socket.disconnected):
        pass
    return socket.readAll().data()


def test_files_are_passed_to_the_open_window(qtbot, server, tmp_path):
    with qtbot.waitSignal(server.notified) as notified:
        answer = send(qtbot, tmp_path, encode_message([tmp_path / "ä b.bib", tmp_path / "c.ris"]))
    assert notified.args == [[tmp_path / "ä b.bib", tmp_path / "c.ris"], ""]
    assert answer == RECEIVED


def test_notification_without_files_has_an_empty_list(qtbot, server, tmp_path):
    with qtbot.waitSignal(server.notified) as notified:
        send(qtbot, tmp_path, encode_message([]))
    assert notified.args == [[], ""]


def test_ring_of_another_library_reaches_no_window(server, tmp_path):
    assert not notify_running_instance(tmp_path / "other", [])


def test_server_replaces_a_stale_socket(qtbot, qapp, server, tmp_path):
    again = SingleInstanceServer(tmp_path, qapp)  # as after a crash of the first window
    with qtbot.waitSignal(again.notified):
        send(qtbot, tmp_path, encode_message([]))
    again.close()
    qapp.removeEventFilter(again)


def test_second_window_passes_its_files_and_page_and_exits(qtbot, server, tmp_path):
    lock = QLockFile(str(tmp_path / "window.lock"))
    assert lock.tryLock(0)
    code = (
        "import sys; from pathlib import Path; from sciread_app.ui.application import run;"
        "sys.exit(run(Path(sys.argv[1]), files=[Path('/x/refs.bib')], page='digest'))"
    )
    with qtbot.waitSignal(server.notified) as notified:
        other = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        )
    errors = other.communicate(timeout=60)[1]
    lock.unlock()
    assert notified.args == [[Path("/x/refs.bib")], "digest"]
    assert other.returncode == 0 and "already running" in errors


@pytest.mark.parametrize(
    "line", [b"hello\n", b'{"paths": "x"}\n', b"[" * 9_000 + b"\n", b"{}\n", b"[]\n"]
)
def test_malformed_message_is_ignored(qtbot, server, tmp_path, line):
    assert decode_message(line) is None
    notified = []
    server.notified.connect(lambda *message: notified.append(message))
    send(qtbot, tmp_path, line)
    assert notified == []

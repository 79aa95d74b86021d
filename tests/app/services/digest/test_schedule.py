"""The timers of three systems, with fake programs in place of the systems' own."""

from __future__ import annotations

import os
import plistlib
import shlex
import shutil
import stat
import subprocess
import sys
from datetime import datetime, time
from pathlib import Path

import pytest
from defusedxml import ElementTree

from sciread_app.domain.digest import Frequency, Interval
from sciread_app.errors import SciReadError
from sciread_app.paths import Home
from sciread_app.services.digest import schedule
from sciread_app.services.digest.schedule import Launchd, Systemd, TaskScheduler, Timetable

DAILY = Timetable(Interval(Frequency.daily), time(8, 0))
WEEKLY = Timetable(Interval(Frequency.weekly, 6), time(17, 30))
ODD = ["/opt/my python/bin/python3", "-m", "sciread_app", "--home", "/home/a b/$HOME 100%\\x\"y'z"]
TASK = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
# A Task Scheduler that keeps the XML as the real one does, and prints it as plain text.
_SCHTASKS = """\
case "$1" in
/Create) iconv -f UTF-16 -t UTF-8 "$5" > {kept};;
/Query) cat {kept} 2>/dev/null || exit 1;;
/Delete) rm {kept};;
esac
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the fake programs are scripts")


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A home folder and fake programs; `calls` returns how they were called."""
    programs, log = tmp_path / "bin", tmp_path / "calls"
    programs.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config dir"))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")

    class System:
        def fake(self, name, script=""):
            path = programs / name
            call = f'printf "%s\\n" "{name} $*" >> {shlex.quote(str(log))}'
            path.write_text(f"#!/bin/sh\n{call}\n{script}\n")
            path.chmod(path.stat().st_mode | stat.S_IXUSR)

        def calls(self):
            return log.read_text().splitlines() if log.exists() else []

    return System()


def unit(kind, folder):
    return next((folder / "config dir" / "systemd" / "user").glob(f"*.{kind}"))


@pytest.mark.parametrize("timetable", [DAILY, WEEKLY], ids=["daily", "weekly"])
def test_systemd_timer_is_written_enabled_read_back_and_removed(system, tmp_path, timetable):
    system.fake("systemctl")
    timer = Systemd("sciread-digest-1", ODD)
    assert timer.timetable() is None and timer.remove() is False
    timer.install(timetable)
    assert timer.timetable() == timetable
    assert system.calls() == [
        "systemctl --user daemon-reload",
        "systemctl --user enable sciread-digest-1.timer",
        "systemctl --user restart sciread-digest-1.timer",
    ]
    assert "Persistent=true" in unit("timer", tmp_path).read_text("utf-8")
    assert timer.remove() is True and timer.timetable() is None
    assert "systemctl --user disable --now sciread-digest-1.timer" in system.calls()
    assert list((tmp_path / "config dir" / "systemd" / "user").iterdir()) == []


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
@pytest.mark.parametrize("timetable", [DAILY, WEEKLY], ids=["daily", "weekly"])
def test_systemd_units_are_accepted_by_systemd(system, tmp_path, timetable):
    system.fake("systemctl")
    Systemd("sciread-digest-1", ODD).install(timetable)
    units = [str(unit(kind, tmp_path)) for kind in ("service", "timer")]
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", *units],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)},
    )
    lines = [line for line in done.stderr.splitlines() if "sciread" in line]
    assert lines == [], done.stderr


def test_systemd_arguments_are_quoted(system, tmp_path):
    system.fake("systemctl")
    Systemd("sciread-digest-1", [*ODD, "a\nb"]).install(DAILY)
    lines = unit("service", tmp_path).read_text("utf-8").splitlines()
    line = next(line for line in lines if line.startswith("ExecStart="))
    program, *arguments = shlex.split(line.removeprefix("ExecStart="))
    assert program == "/usr/bin/env"
    unescaped = [a.replace("$$", "$").replace("%%", "%").replace("\\n", "\n") for a in arguments]
    assert unescaped == [*ODD, "a\nb"]


def test_systemd_that_refuses_leaves_no_files(system, tmp_path):
    system.fake("systemctl", 'echo "Failed to connect to bus" >&2; exit 1')
    timer = Systemd("sciread-digest-1", ODD)
    with pytest.raises(SciReadError, match="Failed to connect to bus"):
        timer.install(DAILY)
    assert timer.timetable() is None


def test_missing_program_is_explained(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SciReadError, match="systemctl") as caught:
        Systemd("sciread-digest-1", ODD).install(DAILY)
    assert "cron" in caught.value.hint


@pytest.mark.parametrize("timetable", [DAILY, WEEKLY], ids=["daily", "weekly"])
def test_launch_agent_is_written_loaded_read_back_and_removed(system, tmp_path, timetable):
    system.fake("launchctl")
    agent = Launchd("sciread-digest-1", ODD)
    agent.install(timetable)
    (path,) = (tmp_path / "Library" / "LaunchAgents").glob("*.plist")
    written = plistlib.loads(path.read_bytes())
    assert written["ProgramArguments"] == ODD and written["Label"] == path.stem
    assert written["RunAtLoad"] is True
    assert written["StartCalendarInterval"].get("Weekday") in (None, 0)
    assert agent.timetable() == timetable
    assert system.calls() == [f"launchctl bootstrap gui/{os.getuid()} {path}"]
    agent.install(DAILY)  # in place of the first
    assert agent.timetable() == DAILY
    assert system.calls()[1] == f"launchctl bootout gui/{os.getuid()}/{path.stem}"
    assert agent.remove() is True and agent.timetable() is None and not path.exists()


@pytest.mark.parametrize("timetable", [DAILY, WEEKLY], ids=["daily", "weekly"])
def test_windows_task_is_registered_read_back_and_removed(system, tmp_path, timetable):
    kept = tmp_path / "kept.xml"
    system.fake("schtasks", _SCHTASKS.format(kept=kept))
    task = TaskScheduler("sciread-digest-1", ODD)
    assert task.timetable() is None and task.remove() is False
    task.install(timetable)
    assert task.timetable() == timetable
    root = ElementTree.fromstring(kept.read_text("utf-8").partition("?>")[2])
    assert root.findtext(f".//{TASK}Command") == ODD[0]
    assert root.findtext(f".//{TASK}Arguments") == subprocess.list2cmdline(ODD[1:])
    assert root.findtext(f".//{TASK}StartWhenAvailable") == "true"
    assert task.remove() is True and task.timetable() is None


def test_windows_task_runs_python_without_a_console(system, tmp_path):
    for name in ("python.exe", "pythonw.exe"):
        (tmp_path / name).touch()
    task = TaskScheduler("x", [str(tmp_path / "python.exe"), "-m", "sciread_app"])
    assert str(tmp_path / "pythonw.exe") in task._xml(DAILY)


@pytest.mark.parametrize(
    ("timetable", "now", "expected"),
    [
        (DAILY, datetime(2026, 11, 26, 7, 59), datetime(2026, 11, 26, 8, 0)),
        (DAILY, datetime(2026, 11, 26, 8, 0), datetime(2026, 11, 27, 8, 0)),
        (WEEKLY, datetime(2026, 11, 26, 8, 0), datetime(2026, 11, 29, 17, 30)),
        (WEEKLY, datetime(2026, 11, 29, 18, 0), datetime(2026, 12, 6, 17, 30)),
    ],
)
def test_next_run_follows_the_timetable(timetable, now, expected):
    assert timetable.next(now) == expected


def test_libraries_have_timers_of_their_own(system, tmp_path):
    system.fake("systemctl")
    system.fake("launchctl")
    first, second = (schedule.scheduler(Home(Path(tmp_path, name))) for name in "ab")
    first.install(DAILY)
    assert second.timetable() is None and first.timetable() == DAILY


@pytest.mark.parametrize("kind", [Systemd, Launchd, TaskScheduler])
def test_timers_name_the_folders_of_their_libraries(system, kind, tmp_path):
    for program in ("systemctl", "launchctl"):
        system.fake(program)
    system.fake("schtasks", _SCHTASKS.format(kept=tmp_path / "kept.xml"))
    timer = kind("sciread-digest-1", ODD)
    timer.install(DAILY)
    assert timer.homes() == [Path(ODD[-1])]
    assert schedule.lost_homes(timer) == [Path(ODD[-1])]

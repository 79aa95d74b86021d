"""The timer of the system that creates digests, also while no window is open: a user unit of
systemd, a launch agent of macOS, or a task of the Windows Task Scheduler."""

from __future__ import annotations

import hashlib
import os
import plistlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Protocol
from urllib.request import url2pathname
from xml.etree import ElementTree

from defusedxml.ElementTree import fromstring

from sciread_app.domain.digest import Frequency, Interval
from sciread_app.errors import SciReadError
from sciread_app.language import tr
from sciread_app.paths import Home, find_home
from trainer.contract.run import write_atomically

_DESCRIPTION = "SciRead: digest of new papers"
_PREFIX = "sciread-digest-"  # of the names of timers
_ARGUMENT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SECONDS = 30  # that a program of the system may take
_SYSTEMD_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_WINDOWS_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TASKS = re.compile(r"<Task\b.*?</Task>", re.DOTALL)
_SOURCE = re.compile(r"<Source>file:(.*?)</Source>")
_TASK = "http://schemas.microsoft.com/windows/2004/02/mit/task"


@dataclass(frozen=True, slots=True)
class Timetable:
    """When digests are created, in local time."""

    interval: Interval
    at: time

    def next(self, now: datetime) -> datetime:
        """The next time after `now`."""
        day = now.replace(hour=self.at.hour, minute=self.at.minute, second=0, microsecond=0)
        if self.interval.frequency is Frequency.weekly:
            day += timedelta(days=(self.interval.weekday - day.weekday()) % 7)
        step = 7 if self.interval.frequency is Frequency.weekly else 1
        return day if day > now else day + timedelta(days=step)


class Scheduler(Protocol):
    """The timer of one library. Every method may take seconds, and raises SciReadError."""

    def install(self, timetable: Timetable) -> None:
        """Start the timer, in place of an earlier one."""
        ...

    def remove(self) -> bool:
        """Stop the timer. False if there is none."""
        ...

    def timetable(self) -> Timetable | None:
        """When the timer runs; None if there is none."""
        ...

    def homes(self) -> list[Path]:
        """The folders of all libraries with a timer of the present user."""
        ...


def lost_homes(timer: Scheduler) -> list[Path]:
    """The folders that timers name and that hold no library: one that was moved, removed, or is on
    a disk that is not connected."""
    return sorted(home for home in timer.homes() if not find_home(home).library.exists())


def scheduler(home: Home) -> Scheduler:
    """The timer of the present system for the library in this folder."""
    command = [*program(), "digest", "--due", "--fetch", "--notify", "--home", str(home.folder)]
    number = hashlib.sha256(os.fsencode(home.folder)).hexdigest()[:8]
    name = f"{_PREFIX}{number}"
    if sys.platform == "win32":
        return TaskScheduler(name, command)
    return Launchd(name, command) if sys.platform == "darwin" else Systemd(name, command)


def program() -> list[str]:
    """The command line that starts this program without arguments."""
    if getattr(sys, "frozen", False):
        return [os.environ.get("APPIMAGE") or sys.executable]
    return [sys.executable, "-m", "sciread_app"]


class Systemd:
    """A timer of the user's systemd. Missed runs are made up for once, when the user logs in."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self._name = name
        self._command = command
        config = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
        self._folder = Path(config) / "systemd" / "user"

    def install(self, timetable: Timetable) -> None:
        weekly = timetable.interval.frequency is Frequency.weekly
        day = f"{_SYSTEMD_DAYS[timetable.interval.weekday]} " if weekly else ""
        # /usr/bin/env, since systemd replaces variables in all arguments except the first.
        line = " ".join(map(_quoted, self._command))
        service = f"""\
[Unit]
Description={_DESCRIPTION}
StartLimitIntervalSec=6h
StartLimitBurst=8

[Service]
Type=oneshot
ExecStart=/usr/bin/env {line}
Nice=10
Restart=on-failure
RestartSec=15min
KillMode=process
"""
        timer = f"""\
[Unit]
Description={_DESCRIPTION}

[Timer]
OnCalendar={day}*-*-* {timetable.at:%H:%M}:00
Persistent=true

[Install]
WantedBy=timers.target
"""
        _write(self._file("service"), service)
        _write(self._file("timer"), timer)
        try:
            _run("systemctl", "--user", "daemon-reload")
            _run("systemctl", "--user", "enable", self._file("timer").name)
            _run("systemctl", "--user", "restart", self._file("timer").name)
        except SciReadError:
            self._delete()
            raise

    def remove(self) -> bool:
        if not self._file("timer").exists():
            return False
        try:
            _run("systemctl", "--user", "disable", "--now", self._file("timer").name)
        finally:
            self._delete()
        _run("systemctl", "--user", "daemon-reload")
        return True

    def timetable(self) -> Timetable | None:
        try:
            text = self._file("timer").read_text("utf-8")
        except OSError:
            return None
        found = re.search(r"^OnCalendar=(?:(\w+) )?\*-\*-\* (\d\d):(\d\d)", text, re.MULTILINE)
        if not found or (found[1] and found[1] not in _SYSTEMD_DAYS):
            return None
        day = _SYSTEMD_DAYS.index(found[1]) if found[1] else None
        return _timetable(day, int(found[2]), int(found[3]))

    def homes(self) -> list[Path]:
        found = []
        for path in self._folder.glob(f"{_PREFIX}*.service"):
            with suppress(OSError, ValueError):
                line = re.search(r"^ExecStart=(.*)$", path.read_text("utf-8"), re.MULTILINE)
                found += _home(list(map(_unquoted, _ARGUMENT.findall(line[1])))) if line else []
        return found

    def _file(self, kind: str) -> Path:
        return self._folder / f"{self._name}.{kind}"

    def _delete(self) -> None:
        for kind in ("timer", "service"):
            self._file(kind).unlink(missing_ok=True)


class Launchd:
    """A launch agent of macOS. It also runs at login, to make up for missed runs."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self._label = f"org.sciread.{name}"
        self._command = command
        self._folder = Path.home() / "Library" / "LaunchAgents"
        self._path = self._folder / f"{self._label}.plist"

    def install(self, timetable: Timetable) -> None:
        when = {"Hour": timetable.at.hour, "Minute": timetable.at.minute}
        if timetable.interval.frequency is Frequency.weekly:
            when["Weekday"] = (timetable.interval.weekday + 1) % 7
        agent = {
            "Label": self._label,
            "ProgramArguments": list(self._command),
            "StartCalendarInterval": when,
            "RunAtLoad": True,
            "ProcessType": "Background",
        }
        self.remove()
        _write(self._path, plistlib.dumps(agent).decode())
        try:
            _run("launchctl", "bootstrap", f"gui/{os.getuid()}", str(self._path))
        except SciReadError:
            self._path.unlink(missing_ok=True)
            raise

    def remove(self) -> bool:
        if not self._path.exists():
            return False
        self._path.unlink()
        with suppress(SciReadError):  # it may not be loaded
            _run("launchctl", "bootout", f"gui/{os.getuid()}/{self._label}")
        return True

    def timetable(self) -> Timetable | None:
        try:
            when = plistlib.loads(self._path.read_bytes())["StartCalendarInterval"]
            day = (when["Weekday"] - 1) % 7 if "Weekday" in when else None
            return _timetable(day, when["Hour"], when["Minute"])
        except (OSError, plistlib.InvalidFileException, KeyError, TypeError, ValueError):
            return None

    def homes(self) -> list[Path]:
        found = []
        for path in self._folder.glob(f"org.sciread.{_PREFIX}*.plist"):
            with suppress(OSError, plistlib.InvalidFileException, KeyError, TypeError, ValueError):
                found += _home(plistlib.loads(path.read_bytes())["ProgramArguments"])
        return found


class TaskScheduler:
    """A task of Windows. A missed run is made up for as soon as possible."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self._name = name
        self._command = command

    def install(self, timetable: Timetable) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "task.xml"
            path.write_bytes(self._xml(timetable).encode("utf-16"))
            _run("schtasks", "/Create", "/TN", self._name, "/XML", str(path), "/F")

    def remove(self) -> bool:
        if self.timetable() is None:
            return False
        _run("schtasks", "/Delete", "/TN", self._name, "/F")
        return True

    def timetable(self) -> Timetable | None:
        try:
            text = _run("schtasks", "/Query", "/TN", self._name, "/XML")
        except SciReadError:  # there is no such task
            return None
        try:
            task = fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))
            trigger = task.find(f".//{{{_TASK}}}CalendarTrigger")
            begin = datetime.fromisoformat(trigger.findtext(f"{{{_TASK}}}StartBoundary"))
        except (ElementTree.ParseError, AttributeError, TypeError, ValueError):
            return None
        days = [
            number
            for number, name in enumerate(_WINDOWS_DAYS)
            if trigger.find(f".//{{{_TASK}}}{name}") is not None
        ]
        return _timetable(days[0] if days else None, begin.hour, begin.minute)

    def homes(self) -> list[Path]:
        try:
            text = _run("schtasks", "/Query", "/XML", "ONE")
        except SciReadError:
            return []
        tasks = [task for task in _TASKS.findall(text) if _DESCRIPTION in task]
        found = [_SOURCE.search(task) for task in tasks]
        return [Path(url2pathname(source[1])) for source in found if source]

    def _xml(self, timetable: Timetable) -> str:
        ElementTree.register_namespace("", _TASK)
        task = ElementTree.Element(f"{{{_TASK}}}Task", version="1.2")
        about = _add(task, "RegistrationInfo")
        _add(about, "Description", _DESCRIPTION)
        for home in _home(self._command):
            # In ASCII, since schtasks prints other characters in an encoding that is not known.
            _add(about, "Source", home.absolute().as_uri())
        trigger = _add(_add(task, "Triggers"), "CalendarTrigger")
        _add(trigger, "StartBoundary", f"2026-01-01T{timetable.at:%H:%M}:00")
        if timetable.interval.frequency is Frequency.weekly:
            week = _add(trigger, "ScheduleByWeek")
            _add(week, "WeeksInterval", "1")
            _add(_add(week, "DaysOfWeek"), _WINDOWS_DAYS[timetable.interval.weekday])
        else:
            _add(_add(trigger, "ScheduleByDay"), "DaysInterval", "1")
        user = _add(_add(task, "Principals"), "Principal")
        user.set("id", "Author")
        _add(user, "LogonType", "InteractiveToken")
        settings = _add(task, "Settings")
        for name, value in (
            ("MultipleInstancesPolicy", "IgnoreNew"),
            ("DisallowStartIfOnBatteries", "false"),
            ("StopIfGoingOnBatteries", "false"),
            ("StartWhenAvailable", "true"),
            ("ExecutionTimeLimit", "PT4H"),
        ):
            _add(settings, name, value)
        again = _add(settings, "RestartOnFailure")
        _add(again, "Interval", "PT15M")
        _add(again, "Count", "8")
        actions = _add(task, "Actions")
        actions.set("Context", "Author")
        run, (first, *rest) = _add(actions, "Exec"), self._command
        _add(run, "Command", _without_console(first))
        _add(run, "Arguments", subprocess.list2cmdline(rest))
        ElementTree.indent(task)
        declaration = '<?xml version="1.0" encoding="UTF-16"?>\n'
        return declaration + ElementTree.tostring(task, "unicode") + "\n"


def _timetable(weekday: int | None, hour: int, minute: int) -> Timetable:
    daily = weekday is None
    interval = Interval(Frequency.daily if daily else Frequency.weekly, weekday or 0)
    return Timetable(interval, time(hour, minute))


def _quoted(argument: str) -> str:
    """An argument as a unit of systemd has it: without specifiers, variables and escapes."""
    text = argument.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + text.replace("%", "%%").replace("$", "$$") + '"'


def _unquoted(argument: str) -> str:
    """The inverse of `_quoted`, for the text between the quotation marks."""
    text = argument.replace("%%", "%").replace("$$", "$")
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], text)


def _home(arguments: Sequence[str]) -> list[Path]:
    """The folder of the library in the arguments of a timer; none if they name none."""
    pairs = pairwise(arguments)
    return [Path(value) for option, value in pairs if option == "--home"][:1]


def _without_console(python: str) -> str:
    """The Python that opens no console window, if there is one."""
    path = Path(python)
    silent = path.with_name(path.name.lower().replace("python.exe", "pythonw.exe"))
    return str(silent) if silent.exists() else python


def _add(parent: ElementTree.Element, name: str, text: str = "") -> ElementTree.Element:
    child = ElementTree.SubElement(parent, f"{{{_TASK}}}{name}")
    child.text = text or None
    return child


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    except OSError as error:
        raise SciReadError(
            tr("Could not write {file}: {why}.", file=path, why=error.strerror),
            tr("Check the permissions of the folder."),
        ) from error


def _run(*command: str) -> str:
    """Run a program of the system, and return its output."""
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
            creationflags=hidden,
        )
        why = " ".join((done.stderr or done.stdout).split()) or str(done.returncode)
        if not done.returncode:
            return done.stdout
    except FileNotFoundError:
        why = tr("the program was not found")
    except (OSError, subprocess.TimeoutExpired) as error:
        why = str(error)
    why = f"{command[0]}: {why.rstrip('.')}"
    raise SciReadError(
        tr("The timer of the system could not be changed ({why}).", why=why),
        tr("Run `sciread digest --due --fetch` regularly in another way, for example with cron."),
    )

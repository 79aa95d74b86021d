"""The trainer as a process: commands that return a result, and detached trainings."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from sciread_app.child_process import start
from sciread_app.encoder import trainer_command
from sciread_app.errors import TrainerFailed
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.settings import read_settings
from sciread_app.tasks import Task

_POLL_INTERVAL = 0.1  # seconds
_TERMINATE_TIMEOUT = 5.0  # seconds that a process may take to exit before it is killed
_TAIL = 2_000  # bytes from the end of stderr that an error quotes
_PROGRESS_STEPS = 1_000  # steps reported to the task for a share of 1
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
_NICE = 5  # keeps the window responsive meanwhile


def ask(arguments: list[str], home: Path, task: Task) -> dict[str, Any]:
    """Run a command of the trainer and return its JSON output; its progress is reported to `task`.

    The command must accept --json and --progress. Raises TrainerFailed, and Cancelled after the
    process has ended.
    """
    command = trainer_command(*arguments, "--json", "--progress")
    with tempfile.TemporaryDirectory() as folder:
        # Files, since a pipe that is not read would block the process once it is full.
        answer, log = Path(folder) / "stdout", Path(folder) / "stderr"
        with answer.open("wb") as out, log.open("wb") as errors:
            process = start(command, stdout=out, stderr=errors, **_popen_options(home))
        try:
            _wait(process, log, task)
        finally:
            _end(process)
        return _answer(answer.read_bytes(), log.read_bytes())


def begin(arguments: list[str], home: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start the trainer detached: it continues after this program ends. Its output goes to `log`.

    Raises TrainerFailed.
    """
    try:
        with log.open("wb") as output:
            return start(
                trainer_command(*arguments),
                niceness=_NICE,
                detached=True,
                stdout=output,
                stderr=subprocess.STDOUT,
                **_popen_options(home),
            )
    except OSError as error:
        why = error.strerror or str(error)
        raise TrainerFailed(tr("Could not start the trainer."), why) from error


def _popen_options(home: Path) -> dict[str, Any]:
    return {
        "stdin": subprocess.DEVNULL,
        "env": {
            **with_proxy(os.environ, read_settings(Home(home).settings)[0].proxy),
            "SCIREAD_HOME": str(home.absolute()),
        },
    }


def with_proxy(environment: Mapping[str, str], proxy: str) -> dict[str, str]:
    """The environment with the proxy of the settings, which the hub's client takes from there.

    `proxy` is "system", which changes nothing, "none", or an address.
    """
    if proxy == "system":
        return dict(environment)
    kept = {name: value for name, value in environment.items() if name.lower() not in _PROXIES}
    direct = "*" if proxy == "none" else "localhost,127.0.0.1,::1"
    names = ["http_proxy", "https_proxy", "all_proxy"] if proxy != "none" else []
    chosen = {"no_proxy": direct, **dict.fromkeys(names, proxy)}
    return kept | chosen | {name.upper(): value for name, value in chosen.items()}


def _wait(process: subprocess.Popen[bytes], log: Path, task: Task) -> None:
    """Wait until the process ends, and report the progress it writes to `log`. Raises Cancelled."""
    note, done, running = "", 0, True
    with log.open("rb") as file:
        while running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_POLL_INTERVAL)
                running = False
            if lines := _lines(file):
                for line in lines:
                    note, done = _read_progress(line, note, done)
                task.step(done, _PROGRESS_STEPS if done else 0, note)
            task.raise_if_cancelled()


def _lines(file: IO[bytes]) -> list[bytes]:
    """Read the lines that have been completed since the last call."""
    start, new = file.tell(), file.read()
    whole = new[: new.rfind(b"\n") + 1]
    file.seek(start + len(whole))
    return whole.splitlines()


def _read_progress(line: bytes, note: str, done: int) -> tuple[str, int]:
    """Return the current step and its progress after a line of the trainer's output."""
    try:
        report = json.loads(line)
    except ValueError:
        return note, done
    if not isinstance(report, dict):
        return note, done
    if "note" in report:
        return str(report["note"]), 0
    if "share" in report:
        note = f"{report.get('task', '')}: {report.get('text', '')}"
        return note, int(report["share"] * _PROGRESS_STEPS)
    return note, done


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_TERMINATE_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answer(answer: bytes, log: bytes) -> dict[str, Any]:
    """Return the JSON object on the last line of stdout.

    The exit status is ignored: it is also 1 for a response that lists partial failures. Raises
    TrainerFailed if the answer is an error, or is incomplete.
    """
    lines = answer.decode("utf-8", "replace").splitlines()
    try:
        found = json.loads(lines[-1]) if lines else None
    except ValueError:
        found = None
    if isinstance(found, dict) and "error" in found:
        raise TrainerFailed(str(found["error"]), str(found.get("hint", "")))
    if not isinstance(found, dict):
        # Without progress reports, which are JSON.
        lines_left = [line for line in log.splitlines() if not line.startswith(b"{")]
        tail = b"\n".join(lines_left)[-_TAIL:].decode("utf-8", "replace").strip()
        raise TrainerFailed(tr("The trainer stopped unexpectedly."), tail)
    return found

"""The trainer as a process: commands that return a result, and trainings that outlive us."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import trainer.contract
from sciread_app.encoder import trainer_command
from sciread_app.errors import TrainerFailed
from sciread_app.language import tr
from sciread_app.tasks import Task

_LOOK_EVERY = 0.1  # seconds
_LAST_WAIT = 5.0  # seconds that a process may take to leave when it is asked to
_TAIL = 2_000  # bytes of what it wrote last
_OF_A_SHARE = 1_000  # what a share of 1 is as a number of steps
# A window that is dragged meanwhile shall not stutter.
_NICE = 5


def ask(arguments: list[str], home: Path, task: Task) -> dict[str, Any]:
    """Have the trainer do a verb, and return its answer. How far it is goes to `task`.

    The verb must know --json and --progress. Raises TrainerFailed, and Cancelled when the process
    is gone.
    """
    command = trainer_command(*arguments, "--json", "--progress")
    with tempfile.TemporaryDirectory() as folder:
        # Files take any amount; a pipe that is not read would block the process.
        answer, told = Path(folder) / "answer", Path(folder) / "told"
        with answer.open("wb") as out, told.open("wb") as errors:
            process = subprocess.Popen(command, stdout=out, stderr=errors, **_surroundings(home))
        try:
            _wait(process, told, task)
        finally:
            _end(process)
        return _answer(process, answer.read_bytes(), told.read_bytes())


def begin(arguments: list[str], home: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start the trainer detached: it continues after this program ends. Its output goes to `log`.

    Raises TrainerFailed.
    """
    windows = sys.platform == "win32"
    flags = (
        subprocess.CREATE_NEW_PROCESS_GROUP  # type: ignore[attr-defined]  # of Windows
        | subprocess.BELOW_NORMAL_PRIORITY_CLASS  # type: ignore[attr-defined]
        if windows
        else 0
    )
    around = _surroundings(home)
    around["creationflags"] |= flags
    try:
        with log.open("wb") as said:
            process = subprocess.Popen(
                trainer_command(*arguments),
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=not windows,
                **around,
            )
        if not windows:
            os.setpriority(os.PRIO_PROCESS, process.pid, _NICE)
    except OSError as error:
        why = error.strerror or str(error)
        raise TrainerFailed(tr("The trainer could not be started."), why) from error
    return process


def _surroundings(home: Path) -> dict[str, Any]:
    # Run where the trainer lies, so that `-m trainer` finds ours and no folder of that name.
    source = Path(trainer.contract.__file__).parents[2]
    return {
        "stdin": subprocess.DEVNULL,
        "cwd": None if getattr(sys, "frozen", False) else source,
        "env": {**os.environ, "SCIREAD_HOME": str(home.absolute())},
        "creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0),
    }


def _wait(process: subprocess.Popen[bytes], told: Path, task: Task) -> None:
    """Until it ends; what it tells meanwhile goes on to the task."""
    note, done, running = "", 0, True
    with told.open("rb") as file:
        while running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_EVERY)
                running = False
            if lines := _lines(file):
                for line in lines:
                    note, done = _heard(line, note, done)
                task.step(done, _OF_A_SHARE if done else 0, note)
            task.raise_if_cancelled()


def _lines(file: IO[bytes]) -> list[bytes]:
    """The lines that have become whole since it was last asked for them."""
    start, new = file.tell(), file.read()
    whole = new[: new.rfind(b"\n") + 1]
    file.seek(start + len(whole))
    return whole.splitlines()


def _heard(line: bytes, note: str, done: int) -> tuple[str, int]:
    """The current step and its progress, from a line of the trainer's output."""
    try:
        said = json.loads(line)
    except ValueError:
        return note, done
    if not isinstance(said, dict):
        return note, done
    if "note" in said:
        return str(said["note"]), 0
    if "share" in said:
        return f"{said.get('what', '')}: {said.get('said', '')}", int(said["share"] * _OF_A_SHARE)
    return note, done


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_LAST_WAIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answer(process: subprocess.Popen[bytes], answer: bytes, told: bytes) -> dict[str, Any]:
    """The answer, whatever the exit status: a status of 1 also stands for an answer that lists
    what failed. Raises TrainerFailed for an error, and where there is no whole answer."""
    lines = answer.decode("utf-8", "replace").splitlines()
    try:
        found = json.loads(lines[-1]) if lines else None
    except ValueError:
        found = None
    if isinstance(found, dict) and "error" in found:
        raise TrainerFailed(str(found["error"]), str(found.get("hint", "")))
    if not isinstance(found, dict):
        # Without what it told of how far it was.
        said = [line for line in told.splitlines() if not line.startswith(b"{")]
        tail = b"\n".join(said)[-_TAIL:].decode("utf-8", "replace").strip()
        raise TrainerFailed(tr("The trainer stopped before it was done."), tail)
    return found

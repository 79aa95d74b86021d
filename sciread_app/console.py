"""Output of the command line: text for users, or with --json one JSON value for programs."""

from __future__ import annotations

import io
import json
import math
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from rich.console import Console as RichConsole
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import (
    Task as Bar,
)
from rich.text import Text

from sciread_app.tasks import Task

# Seconds between lines of progress in a pipe: with the same note, and with another one.
_BETWEEN_LINES = 10.0
_BETWEEN_NOTES = 1.0
_WIDTH_OF_PIPE = 100_000  # characters: paths and titles are not broken over lines


class Console:
    """Prints text with `print`, `warn` and `print_error`, and with --json only the JSON value."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self._out = RichConsole(highlight=False)
        if not self._out.is_terminal and "COLUMNS" not in os.environ:
            self._out.width = _WIDTH_OF_PIPE
        self._err = RichConsole(stderr=True, highlight=False)

    def print(self, text: Any = "") -> None:
        """Print text or a rich renderable; nothing with --json. In a file or pipe, no line is
        broken."""
        if self.as_json:
            return
        if self._out.is_terminal:
            self._out.print(text)
            return
        with self._out.capture() as output:
            self._out.print(text)
        self._out.file.writelines(f"{line.rstrip()}\n" for line in output.get().split("\n")[:-1])

    def write(self, text: str) -> None:
        """Write text unchanged to stdout, as UTF-8 if that is a file or pipe, and flush it; nothing
        with --json. Raises OSError."""
        if not self.as_json:
            stream = text_output()
            stream.write(text)
            stream.flush()

    def print_json(self, value: Any) -> None:
        """With --json, print the result of the command as one line of JSON; else nothing."""
        if self.as_json:
            # Escaped if stdout cannot encode every character.
            escaped = not (sys.stdout.encoding or "").lower().startswith("utf")
            sys.stdout.write(json.dumps(value, ensure_ascii=escaped, default=str) + "\n")

    def print_error(self, message: str, hint: str = "") -> None:
        """Print an error and a hint to stderr; with --json, print them as JSON to stdout."""
        if self.as_json:
            self.print_json({"error": message, "hint": hint})
            return
        self._err.print(f"[bold red]{escape(message)}[/]")
        if hint:
            self._err.print(escape(hint))

    def warn(self, text: str) -> None:
        """Print a warning to stderr; nothing with --json."""
        if not self.as_json:
            self._err.print(f"[yellow]{escape(text)}[/]")

    @contextmanager
    def progress(self, title: str) -> Iterator[Task]:
        """Yield a task whose progress is shown on stderr, as a bar, or as lines if it is a pipe."""
        if not self.as_json and not self._err.is_terminal:
            yield Task(_Lines(title, self._err).report)
            return
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=28),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(compact=True),
        )
        with Progress(
            *columns, console=self._err, transient=True, disable=self.as_json, refresh_per_second=8
        ) as shown:
            bar = shown.add_task(title, total=None)

            def report(done: int, total: int, note: str) -> None:
                text = f"{title} · {escape(note[:40])}" if note else title
                shown.update(bar, completed=done, total=total or None, description=text)

            yield Task(report)


def text_output() -> TextIO:
    """Return stdout; if redirected to a file or pipe, it is switched to UTF-8, the encoding of all
    export formats."""
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8")
    return sys.stdout


class _Lines:
    """Progress as occasional lines, for outputs on which nothing can be overwritten."""

    def __init__(self, title: str, console: RichConsole) -> None:
        self._title = title
        self._console = console
        self._last: tuple[float, str] = (-math.inf, "")

    def report(self, done: int, total: int, note: str) -> None:
        """Print a line, at most one per interval; a new note may appear sooner than a new number. A
        `total` of 0 is unknown."""
        (at, before), now = self._last, time.monotonic()
        # A note that differs only in numbers, such as a countdown, is not a new note.
        words = re.sub(r"\d+", "", note)
        if now - at < (_BETWEEN_LINES if words == before else _BETWEEN_NOTES):
            return
        self._last = now, words
        of = f"{done:,} of {total:,}" if total else f"{done:,}" if done else ""
        text = " · ".join(filter(None, (self._title, of, note)))
        self._console.print(escape(text), soft_wrap=True)


class _Rate(ProgressColumn):
    def render(self, task: Bar) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "", style="dim")

"""How the command line speaks: to a person, or with --json to a program."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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


class Console:
    """`say` is for people and silent with --json; `answer` is what was asked for, in both ways."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self._out = RichConsole(soft_wrap=False, highlight=False)
        self._err = RichConsole(stderr=True, highlight=False)

    def say(self, text: Any = "") -> None:
        if not self.as_json:
            self._out.print(text)

    def answer(self, value: Any) -> None:
        """One JSON value on one line, for programs."""
        if self.as_json:
            # Escaped where not every letter can be written: a program must get what it asked for.
            escaped = not (sys.stdout.encoding or "").lower().startswith("utf")
            sys.stdout.write(json.dumps(value, ensure_ascii=escaped, default=str) + "\n")

    def complain(self, message: str, hint: str = "") -> None:
        if self.as_json:
            self.answer({"error": message, "hint": hint})
            return
        self._err.print(f"[bold red]{escape(message)}[/]")
        if hint:
            self._err.print(escape(hint))

    def warn(self, text: str) -> None:
        if not self.as_json:
            self._err.print(f"[yellow]{escape(text)}[/]")

    @contextmanager
    def progress(self, title: str) -> Iterator[Task]:
        """A task whose steps are shown with rate and time left, on stderr."""
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


class _Rate(ProgressColumn):
    def render(self, task: Bar) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "", style="dim")

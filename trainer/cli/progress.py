"""Progress and warnings of long commands, for terminals and programs."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Self

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn

from trainer.contract.errors import TrainerError

# Minimum seconds between two JSON lines of progress.
_LINES_EVERY = 0.2

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one line of JSON.")]
AsLines = Annotated[
    bool,
    typer.Option("--progress", help="Write progress to stderr as JSON lines."),
]


def counted(number: int, thing: str) -> str:
    """Format a count with its noun: "1 shard", "2,000 shards"."""
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


@contextmanager
def answering(as_json: bool) -> Iterator[None]:
    """With --json, print a TrainerError as JSON and exit with status 1."""
    try:
        yield
    except TrainerError as error:
        if not as_json:
            raise
        typer.echo(json.dumps({"error": error.message, "hint": error.hint}))
        raise typer.Exit(1) from error


class ProgressDisplay:
    """Progress on stderr: a bar on a terminal, else a line every `every` seconds.

    A context manager: the bar disappears at its end, notes remain. With `as_lines` it prints JSON
    lines for another program, even if `quiet`: {"note"}, {"warning", "why"}, or {"task", "text",
    "share"}.
    """

    def __init__(self, quiet: bool, every: float = 10.0, *, as_lines: bool = False) -> None:
        self._console = Console(stderr=True, highlight=False, quiet=quiet or as_lines)
        self._as_lines = as_lines
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=28),
            TextColumn("{task.fields[text]}"),
            console=self._console,
            transient=True,
            disable=quiet or as_lines or not self._console.is_terminal,
        )
        self._task = self._bar.add_task("", total=1.0, text="", visible=False)
        self._every = _LINES_EVERY if as_lines else every
        self._reported_at = time.monotonic() - (self._every if as_lines else 0.0)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def note(self, text: str) -> None:
        """Print a line that stays. The bar is hidden until the next `at`."""
        self._line(note=text)
        self._bar.update(self._task, visible=False)
        self._console.print(escape(text), soft_wrap=True)

    def warn(self, where: str, why: str) -> None:
        """Print a warning about a problem that does not end the work."""
        self._line(warning=where, why=why)
        self._console.print(f"[yellow]{escape(where)}:[/] {escape(why)}", soft_wrap=True)

    def at(self, task: str, text: str, share: float, *, new: bool = False) -> None:
        """Show the progress of a task: `share` from 0 to 1, and `text` in words.

        With `new`, a JSON line is printed immediately.
        """
        self._bar.update(
            self._task, description=escape(task), completed=share, text=escape(text), visible=True
        )
        now = time.monotonic()
        due = now - self._reported_at > self._every or (new and self._as_lines)
        if due and not self._console.is_terminal:
            self._reported_at = now
            self._line(task=task, text=text, share=round(share, 4))
            self._console.print(escape(f"{task}: {text}"), soft_wrap=True)

    def _line(self, **values: Any) -> None:
        if self._as_lines:
            print(json.dumps(values), file=sys.stderr, flush=True)

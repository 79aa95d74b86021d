"""What a person sees of work that takes long: how far it is, and what went wrong on the way."""

from __future__ import annotations

import time
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn


def counted(number: int, thing: str) -> str:
    """As in "1 shard" and "2,000 shards"."""
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


class Shown:
    """Writes to stderr: a bar on a terminal, else a line every so many seconds.

    Used in a `with`. The bar goes at its end, and what was noted stays.
    """

    def __init__(self, quiet: bool, every: float = 10.0) -> None:
        self._console = Console(stderr=True, highlight=False, quiet=quiet)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=28),
            TextColumn("{task.fields[said]}"),
            console=self._console,
            transient=True,
            disable=quiet or not self._console.is_terminal,
        )
        self._task = self._bar.add_task("", total=1.0, said="", visible=False)
        self._every, self._told = every, time.monotonic()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def note(self, text: str) -> None:
        """A line that stays. The bar is gone until the next `at`."""
        self._bar.update(self._task, visible=False)
        self._console.print(escape(text), soft_wrap=True)

    def warn(self, where: str, why: str) -> None:
        """A line about something that went wrong, and does not end the work."""
        self._console.print(f"[yellow]{escape(where)}:[/] {escape(why)}", soft_wrap=True)

    def at(self, what: str, said: str, share: float) -> None:
        """How far `what` is, from 0 to 1; `said` is the same in numbers."""
        self._bar.update(
            self._task, description=escape(what), completed=share, said=escape(said), visible=True
        )
        now = time.monotonic()
        if not self._console.is_terminal and now - self._told > self._every:
            self._told = now
            self._console.print(escape(f"{what}: {said}"), soft_wrap=True)

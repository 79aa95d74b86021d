"""The library without a window: verbs, each of which speaks JSON when asked to."""

from __future__ import annotations

from sciread_app.cli import library  # the help lists verbs in the order in which they come

# isort: split
from sciread_app.cli import editing, organising, reading, safekeeping

# isort: split
from sciread_app.cli import citing, exchange, fetching, modelling, recommending, scoring, training
from sciread_app.cli.calling import run
from sciread_app.cli.frame import app

__all__ = [
    "app",
    "citing",
    "editing",
    "exchange",
    "fetching",
    "library",
    "main",
    "modelling",
    "organising",
    "reading",
    "recommending",
    "safekeeping",
    "scoring",
    "training",
]


def main(arguments: list[str]) -> None:
    run(app, arguments)

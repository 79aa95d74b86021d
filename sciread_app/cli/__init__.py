"""The command line without a window; every command prints JSON with --json."""

from __future__ import annotations

from sciread_app.cli import add  # the help lists commands in the order of these imports

# isort: split
from sciread_app.cli import library, lookup, watch

# isort: split
from sciread_app.cli import organise, read

# isort: split
from sciread_app.cli import digest, evaluate, exchange, fetch, models, recommend, train
from sciread_app.cli.command import app, run

__all__ = [
    "add",
    "app",
    "digest",
    "evaluate",
    "exchange",
    "fetch",
    "library",
    "lookup",
    "main",
    "models",
    "organise",
    "read",
    "recommend",
    "train",
    "watch",
]


def main(arguments: list[str]) -> None:
    run(app, arguments)

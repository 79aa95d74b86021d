"""Parsing of arguments: query words that begin with a dash, usage errors, suggested commands."""

from __future__ import annotations

import logging
import re
import sys
import traceback

import typer

from sciread_app.cli.command import FAILED, WRONG_USAGE
from sciread_app.console import Console
from sciread_app.language import tr
from sciread_app.paths import cache_folder
from sciread_app.workspace import log_file, start_log

log = logging.getLogger(__name__)

# Typer bundles a copy of Click, and exports only this class of its errors.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]

# Names of similar commands in other programs.
_OTHER_NAMES = {
    **dict.fromkeys(("search", "list", "ls", "query"), "find"),
    **dict.fromkeys(("rm", "remove", "delete"), "trash"),
    **dict.fromkeys(("import", "load"), "add"),
    **dict.fromkeys(("view", "info"), "show"),
    **dict.fromkeys(("modify", "set", "update"), "edit"),
    **dict.fromkeys(("index", "embed"), "encode"),
    "like": "similar",
}
# For each command that takes a query: its options that take a value, and its short options.
_VALUED = {
    "find": ("--limit", "-n", "--mode", "--home"),
    "export": ("--format", "-f", "--output", "-o", "--home"),
}
_SHORT = {
    "find": re.compile(r"-h|-n=?\d*"),
    "export": re.compile(
        r"-[hfo]|-f=?(bibtex|biblatex|ris|csl-json|jsonl)|-o=?.+\.(bib|ris|json|jsonl)"
    ),
}


def run(app: typer.Typer, arguments: list[str]) -> None:
    """Run a command and end the process with its exit code.

    With --json, usage errors and unexpected errors are printed as JSON, too.
    """
    place = _command_place(arguments)
    command = arguments[place] if place is not None else ""
    known = typer.main.get_command(app)
    console = Console("--json" in arguments)
    if command in _OTHER_NAMES and command not in known.commands:  # type: ignore[attr-defined]
        console.print_error(
            tr("No such command '{command}'.", command=command),
            tr("Did you mean '{name}'?", name=_OTHER_NAMES[command]),
        )
        sys.exit(WRONG_USAGE)
    if command in _VALUED and place is not None:
        arguments = [*arguments[: place + 1], *words_last(command, arguments[place + 1 :])]
    try:
        # Outside standalone mode, usage errors are raised instead of printed.
        code = known(arguments, prog_name="sciread", standalone_mode=not console.as_json)
    except _UsageError as error:
        console.print_error(error.format_message(), tr("See sciread --help."))  # type: ignore[attr-defined]
        sys.exit(WRONG_USAGE)
    except Exception as error:
        _report(error, command, console)
        sys.exit(FAILED)
    sys.exit(code if isinstance(code, int) else 0)


def _report(error: Exception, command: str, console: Console) -> None:
    """Write an unexpected error to the log with its traceback, and print the log's path."""
    if log_file() is None:  # no library was opened, or its log cannot be written
        start_log(cache_folder() / "sciread.log")
    log.error("Unexpected error in `sciread %s`", command, exc_info=error)
    message = tr(
        "An unexpected error stopped `sciread {command}`: {kind}: {error}",
        command=command,
        kind=type(error).__name__,
        error=error,
    )
    if file := log_file():
        console.print_error(
            message,
            tr(
                "See the log for details: {file}. Please include it when you report the error.",
                file=file,
            ),
        )
        return
    traceback.print_exception(error)  # no log can be written
    console.print_error(
        message, tr("Please include the traceback on standard error when you report the error.")
    )


def words_last(command: str, arguments: list[str]) -> list[str]:
    """Move the options of `find` or `export` before the query, and insert "--" between them.

    "-neutrino" and "-like:23" are then parsed as words of the query. Whatever begins with two
    dashes is an option.
    """
    if "--" in arguments:
        return arguments
    options, words, rest = list[str](), list[str](), list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument.startswith("--") or _SHORT[command].fullmatch(argument):
            options.append(argument)
            if argument in _VALUED[command] and rest:
                options.append(rest.pop(0))
        else:
            words.append(argument)
    return [*options, "--", *words] if words else options


def _command_place(arguments: list[str]) -> int | None:
    """Return the index of the command's name, after any common options; None if there is none."""
    place = 0
    while place < len(arguments):
        if arguments[place] == "--home":
            place += 1
        elif not arguments[place].startswith("-"):
            return place
        place += 1
    return None

"""How the command line is called: words with a dash, usage errors, other names of verbs."""

from __future__ import annotations

import re
import sys

import typer

from sciread_app.cli.frame import WRONG_USAGE
from sciread_app.console import Console

# Typer brings a copy of Click of its own, and names of its errors only this one.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]

# What people call these verbs elsewhere.
_OTHER_NAMES = {
    **dict.fromkeys(("search", "list", "ls", "query"), "find"),
    **dict.fromkeys(("rm", "remove", "delete"), "trash"),
    **dict.fromkeys(("import", "load"), "add"),
    **dict.fromkeys(("open", "view", "info"), "show"),
    **dict.fromkeys(("index", "embed"), "encode"),
    "like": "similar",
}
_VALUED = ("--limit", "-n", "--mode", "--home")  # options of `find` that are followed by a value
_SHORT = re.compile(r"-h|-n=?\d*")


def run(app: typer.Typer, arguments: list[str]) -> None:
    """Run a verb and end the process with its exit code. With --json, what is wrong with the call
    is answered in JSON, too."""
    place = _verb_place(arguments)
    verb = arguments[place] if place is not None else ""
    known = typer.main.get_command(app)
    console = Console("--json" in arguments)
    if verb in _OTHER_NAMES and verb not in known.commands:  # type: ignore[attr-defined]
        console.complain(f"No such command '{verb}'.", f"Did you mean '{_OTHER_NAMES[verb]}'?")
        sys.exit(WRONG_USAGE)
    if verb == "find" and place is not None:
        arguments = [*arguments[: place + 1], *words_last(arguments[place + 1 :])]
    if not console.as_json:
        known(arguments, prog_name="sciread")
        return
    try:
        code = known(arguments, prog_name="sciread", standalone_mode=False)
    except _UsageError as error:
        console.complain(error.format_message(), "See sciread --help.")  # type: ignore[attr-defined]
        sys.exit(WRONG_USAGE)
    sys.exit(code if isinstance(code, int) else 0)


def words_last(arguments: list[str]) -> list[str]:
    """The arguments of `find` with its options first, so that "-neutrino" and "-like:23" are words
    of the query. What begins with two dashes is an option, be it a known one or not."""
    if "--" in arguments:
        return arguments
    options, words, rest = list[str](), list[str](), list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument.startswith("--") or _SHORT.fullmatch(argument):
            options.append(argument)
            if argument in _VALUED and rest:
                options.append(rest.pop(0))
        else:
            words.append(argument)
    return [*options, "--", *words] if words else options


def _verb_place(arguments: list[str]) -> int | None:
    """Where the verb stands, behind the options that hold for every verb."""
    place = 0
    while place < len(arguments):
        if arguments[place] == "--home":
            place += 1
        elif not arguments[place].startswith("-"):
            return place
        place += 1
    return None

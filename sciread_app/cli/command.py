"""The base of all commands: parsing, common options, opening the library, errors, exit codes."""

from __future__ import annotations

import inspect
import logging
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

from sciread_app import __version__
from sciread_app.console import Console
from sciread_app.errors import (
    BadQuery,
    Cancelled,
    LibraryError,
    SciReadError,
    UnknownStyle,
    of_disk,
)
from sciread_app.language import tr
from sciread_app.paths import cache_folder, find_home
from sciread_app.workspace import Workspace, log_file, needs_update, open_workspace, start_log
from trainer.contract.errors import TrainerError

DONE, FAILED, WRONG_USAGE = 0, 1, 2

Home = Annotated[
    Path | None,
    typer.Option(
        "--home", help="Folder of the library. Default: SCIREAD_HOME, or your own library."
    ),
]
_PROVIDED = ("console", "workspace")
Json = Annotated[bool, typer.Option("--json", help="Print the result as one line of JSON.")]

app = typer.Typer(
    help="Find scientific papers by meaning. Without a command, SciRead opens its window.",
    epilog="Get started: `sciread add FOLDER`, `sciread encode`, `sciread find 'your question'`.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@contextmanager
def opened(home: Path | None, console: Console, *, create: bool = False) -> Iterator[Workspace]:
    """Open the home folder and close it at the end.

    Raises LibraryError, also if there is no library and `create` is false.
    """
    place = find_home(home)
    if not create and not place.library.exists():
        raise LibraryError(
            tr("No library found in {folder}.", folder=place.folder),
            tr("Run `sciread add FOLDER` to create a library, or `sciread` to open the window."),
        )
    if needs_update(place):
        console.warn(tr("Backing up the library and updating it to the current format…"))
    workspace = open_workspace(home)
    try:
        if workspace.risk:
            console.warn(
                tr(
                    "{risk} You can move the library in the window, under Settings.",
                    risk=workspace.risk,
                )
            )
        for warning in workspace.warnings:
            console.warn(warning)
        yield workspace
    finally:
        workspace.close()


def command(
    run: Callable[..., int | None],
    group: typer.Typer = app,
    *,
    create: bool = False,
    of_group: bool = False,
) -> Callable[..., None]:
    """Register a function as a command, named after it with dashes for underscores.

    Parameters named `console` and `workspace` are provided: a console, by the option --json, and
    the open library of --home, which `create` creates if it is missing. The others are parsed from
    the command line. Errors are printed as a message and a hint; the returned number becomes the
    exit code. A trailing underscore, as in `list_`, is dropped from the name. With `of_group`, it
    runs when the group is called without a command.
    """
    signature = inspect.signature(run, eval_str=True)
    needs_workspace = "workspace" in signature.parameters

    @wraps(run)
    def called(as_json: bool, **options: Any) -> None:
        if of_group and (context := options.pop("context")).invoked_subcommand:
            if as_json or options.get("home"):
                given = {"home": options.get("home"), "as_json": as_json}
                context.default_map = _defaults(context.command, given)
            return
        console = Console(as_json)
        try:
            with ExitStack() as stack:
                if needs_workspace:
                    library = opened(options.pop("home"), console, create=create)
                    options["workspace"] = stack.enter_context(library)
                code = run(console=console, **options)
                sys.stdout.flush()  # raises OSError if stdout is a file on a full disk
        except (BadQuery, UnknownStyle) as error:
            console.print_error(str(error), error.hint)
            code = WRONG_USAGE
        except (KeyboardInterrupt, Cancelled):
            console.print_error(
                tr("Stopped."), tr("Completed work is saved. Run the same command again to resume.")
            )
            code = FAILED
        except (SciReadError, TrainerError) as error:
            console.print_error(str(error), error.hint)
            code = FAILED
        except OSError as error:
            if (disk_error := of_disk(error)) is None:
                raise
            console.print_error(str(disk_error), disk_error.hint)
            code = FAILED
        raise typer.Exit(code or DONE)

    home = Parameter("home", Parameter.KEYWORD_ONLY, default=None, annotation=Home)
    as_json = Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=Json)
    parsed = [one for name, one in signature.parameters.items() if name not in _PROVIDED]
    parsed += [home, as_json] if needs_workspace else [as_json]
    if of_group:
        parsed.append(Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context))
    # Help is wrapped to the width of the terminal, not where the source is.
    paragraphs = (inspect.getdoc(run) or "").split("\n\n")
    called.__doc__ = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    called.__signature__ = signature.replace(parameters=parsed)  # type: ignore[attr-defined]
    if of_group:
        return group.callback(invoke_without_command=True)(called)
    return group.command(run.__name__.rstrip("_").replace("_", "-"))(called)


def _version(requested: bool) -> None:
    if requested:
        typer.echo(f"sciread {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Options of all commands, which may be given before or after the command's name."""
    context.default_map = _defaults(context.command, {"home": home, "as_json": as_json})


def _defaults(group: Any, for_all: dict[str, Any]) -> dict[str, Any]:
    """Return the default option values of each command, also of groups and those in them."""
    return {
        name: for_all | _defaults(command, for_all) if hasattr(command, "commands") else for_all
        for name, command in group.commands.items()
    }


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

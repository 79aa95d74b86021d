"""The entry point of SciRead: the window, a command, or the trainer."""

from __future__ import annotations

import io
import locale
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sciread_app.language import set_language
from sciread_app.paths import resource

_WINDOW_OPTIONS = ("--home", "--screenshot", "--page")
# Files passed by a file manager: no command name ends like this.
_FILES = (".bib", ".bibtex", ".ris", ".nbib", ".enw", ".ciw", ".pdf")

_COMPLETION = "_SCIREAD_COMPLETE"  # set by a shell that completes a command
# The only dependency that pip may have to compile; without a compiler it is missing.
_HALF_INSTALLED = """\
SciRead is not installed completely: the package hnswlib, which search requires, is missing.
pip compiles hnswlib from source. Install a C++ compiler first (Debian, Ubuntu: apt-get install
g++ python3-dev; macOS: xcode-select --install; Windows: the C++ build tools of Visual Studio), then
run: pip install hnswlib"""


def main() -> None:
    """Open the window if there is no command, or only files; else run a command. `trainer ...` runs
    the trainer, for packages that consist of one program."""
    _replace_unprintable_characters()
    arguments = sys.argv[1:]
    if arguments[:1] == ["trainer"]:
        from trainer.cli import main as trainer_main

        sys.argv[1:] = arguments[1:]
        trainer_main("sciread trainer")
        return
    if not find_spec("hnswlib"):
        sys.exit(_HALF_INSTALLED)
    set_language(_languages(), resource("locale"))
    if _COMPLETION not in os.environ and (wanted := _window_options(arguments)):
        sys.exit(_open_window(**wanted))
    else:
        from sciread_app.cli import main as cli_main

        cli_main(arguments)


def _replace_unprintable_characters() -> None:
    """Print "?" for a character that the encoding of a terminal or pipe does not have, and nothing
    without a console, as when the Task Scheduler of Windows starts the program."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or sys.stdout
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _languages() -> list[str]:
    """The preferred languages, best first: SCIREAD_LANGUAGE, else those of the system."""
    if wanted := os.environ.get("SCIREAD_LANGUAGE", os.environ.get("LANGUAGE", "")):
        return wanted.split(":")
    # getlocale asks Windows and macOS, and reads environment variables on Linux.
    return [locale.getlocale()[0] or "en"]


def _window_options(arguments: list[str]) -> dict[str, Any] | None:
    """Home, screenshot, the key of a page and files, if the arguments are only these; None if there
    is a command."""
    wanted: dict[str, Any] = {"home": None, "screenshot": None, "page": "", "files": []}
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        name, equals, value = argument.partition("=")
        if name in _WINDOW_OPTIONS and (equals or rest):
            given = value if equals else rest.pop(0)
            wanted[name.removeprefix("--")] = given if name == "--page" else Path(given)
        elif argument.lower().endswith(_FILES) and not argument.startswith("-"):
            wanted["files"].append(Path(argument))
        else:
            return None
    return wanted


def _open_window(home: Path | None, screenshot: Path | None, page: str, files: list[Path]) -> int:
    try:
        from sciread_app.ui.application import run
    except ImportError as error:
        print(f"Could not open the window: {error}.", file=sys.stderr)
        print(
            'Install the window with: pip install "sciread[gui]". All commands in '
            "`sciread --help` work without the window.",
            file=sys.stderr,
        )
        return 1
    return run(home, screenshot, files, page)


if __name__ == "__main__":
    main()

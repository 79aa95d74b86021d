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

_WINDOW_OPTIONS = ("--home", "--screenshot")
# Files passed by a file manager: no command name ends like this.
_FILES = (".bib", ".bibtex", ".ris", ".nbib", ".enw", ".pdf")

_COMPLETION = "_SCIREAD_COMPLETE"  # set by a shell that asks what may come next
# The one part that pip may have to compile, so that it is missing where there is no compiler.
_HALF_INSTALLED = """\
SciRead is not installed completely: hnswlib, which finds what lies near, is missing.
It is compiled where it is installed. Install a C++ compiler first (Debian, Ubuntu: apt-get install
g++ python3-dev; macOS: xcode-select --install; Windows: the C++ build tools of Visual Studio), then
hnswlib: pip install hnswlib"""


def main() -> None:
    """No verb, or only files: the window. `trainer ...`: the trainer, for builds in one program."""
    _print_whatever_comes()
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


def _print_whatever_comes() -> None:
    """A letter that a terminal or pipe cannot write becomes a "?", and ends no verb."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a program without a console has none
            stream.reconfigure(errors="replace")


def _languages() -> list[str]:
    """The preferred languages, best first: SCIREAD_LANGUAGE, else those of the system."""
    if wanted := os.environ.get("SCIREAD_LANGUAGE", os.environ.get("LANGUAGE", "")):
        return wanted.split(":")
    # Windows and macOS tell it to Python alone, Linux by the variables that getlocale reads.
    return [locale.getlocale()[0] or "en"]


def _window_options(arguments: list[str]) -> dict[str, Any] | None:
    """Home, screenshot and files, if nothing but these is asked for; None if there is a verb."""
    wanted: dict[str, Any] = {"home": None, "screenshot": None, "files": []}
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        name, equals, value = argument.partition("=")
        if name in _WINDOW_OPTIONS and (equals or rest):
            wanted[name.removeprefix("--")] = Path(value if equals else rest.pop(0))
        elif argument.lower().endswith(_FILES) and not argument.startswith("-"):
            wanted["files"].append(Path(argument))
        else:
            return None
    return wanted


def _open_window(home: Path | None, screenshot: Path | None, files: list[Path]) -> int:
    try:
        from sciread_app.ui.application import run
    except ImportError as error:
        print(f"The window cannot open: {error}.", file=sys.stderr)
        print(
            'Install it with: pip install "sciread[gui]". Every verb of `sciread --help` works '
            "without it.",
            file=sys.stderr,
        )
        return 1
    return run(home, screenshot, files)


if __name__ == "__main__":
    main()

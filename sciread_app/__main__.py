"""Where SciRead starts: the window, a verb of the command line, or the trainer."""

from __future__ import annotations

import sys
from pathlib import Path

_WINDOW_OPTIONS = ("--home", "--screenshot")


def main() -> None:
    """No verb: the window. `trainer ...` is the trainer, for builds that are one program."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["trainer"]:
        from trainer.cli import main as trainer_main

        sys.argv[1:] = arguments[1:]
        trainer_main()
    elif wanted := _window_options(arguments):
        sys.exit(_open_window(**wanted))
    else:
        from sciread_app.cli import main as cli_main

        cli_main(arguments)


def _window_options(arguments: list[str]) -> dict[str, Path | None] | None:
    """Home and screenshot, if nothing but these is asked for; None if there is a verb."""
    wanted: dict[str, Path | None] = dict.fromkeys(("home", "screenshot"))
    rest = list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name not in _WINDOW_OPTIONS or not (equals or rest):
            return None
        wanted[name.removeprefix("--")] = Path(value if equals else rest.pop(0))
    return wanted


def _open_window(home: Path | None, screenshot: Path | None) -> int:
    try:
        from sciread_app.ui.app import run
    except ImportError as error:
        print(f"The window cannot open: {error}.", file=sys.stderr)
        print(
            'Install it with: pip install "sciread[gui]". Every verb of `sciread --help` works '
            "without it.",
            file=sys.stderr,
        )
        return 1
    return run(home, screenshot)


if __name__ == "__main__":
    main()

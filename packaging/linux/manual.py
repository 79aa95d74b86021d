"""Man pages and shell completions, generated from the help of the command line."""

from __future__ import annotations

import re
from typing import Any

from about import ABOUT, day, version
from typer._completion_shared import get_completion_script
from typer.main import get_command

_MARKUP = re.compile(r"\[/?[a-z ]+\]")


def pages() -> dict[str, str]:
    """Return sciread.1 and sciread-trainer.1 by file name."""
    from sciread_app.cli import app as sciread
    from trainer.cli import app as trainer

    window = (
        "Without a verb, and with nothing but files, the window opens and takes them in. "
        "sciread trainer is sciread-trainer."
    )
    return {
        "sciread.1": page("sciread", get_command(sciread), ABOUT["summary"], window),
        "sciread-trainer.1": page(
            "sciread-trainer", get_command(trainer), "make the models that SciRead searches with"
        ),
    }


def page(name: str, command: Any, summary: str, more: str = "") -> str:
    lines = [
        f'.TH {name.upper()} 1 "{day()}" "SciRead {version()}" "User Commands"',
        ".SH NAME",
        f"{_roff(name)} \\- {_roff(summary[0].lower() + summary[1:])}",
        ".SH SYNOPSIS",
        f".B {_roff(name)}",
        "[OPTIONS] VERB [ARGUMENTS]",
        ".SH DESCRIPTION",
        _roff(f"{command.help or ''} {more}"),
        ".SH OPTIONS",
        *_options(command),
        ".SH VERBS",
        *_verbs(command, ""),
        *_files(name),
        ".SH EXIT STATUS",
        "0: done. 1: something failed, which is named. 2: it was asked wrongly.",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _verbs(group: Any, before: str) -> list[str]:
    """Return a section for each verb; verbs of a group begin with the group's name."""
    lines: list[str] = []
    for name, command in group.commands.items():
        if command.hidden:
            continue
        full = f"{before}{name}"
        if hasattr(command, "commands"):
            lines += _verbs(command, f"{full} ")
            continue
        arguments = " ".join(
            _argument(one) for one in command.params if one.param_type_name == "argument"
        )
        lines += [f".SS {_roff(f'{full} {arguments}'.strip())}", _roff(command.help or "")]
        lines += _options(command)
        if command.epilog:
            lines += [".PP", _roff(command.epilog)]
    return lines


def _argument(one: Any) -> str:
    name = one.name.upper().replace("_", "-") + ("..." if one.nargs == -1 else "")
    return name if one.required else f"[{name}]"


def _options(command: Any) -> list[str]:
    lines: list[str] = []
    for one in command.params:
        if getattr(one, "hidden", False) or not getattr(one, "help", ""):
            continue
        if one.param_type_name == "argument":
            shown = f"\\fI{_roff(_argument(one).strip('[]'))}\\fR"
        else:
            shown = ", ".join(f"\\fB{_roff(name)}\\fR" for name in one.opts)
            if not one.is_flag:
                shown += f" \\fI{_roff(one.metavar or one.name.upper().replace('_', '-'))}\\fR"
        lines += [".TP", shown, _roff(one.help)]
    return lines


def _files(name: str) -> list[str]:
    if name != "sciread":
        return []
    return [
        ".SH FILES",
        ".TP",
        "\\fI~/.local/share/SciRead\\fR",
        "The library, its models and backups. Another folder: \\-\\-home, or SCIREAD_HOME.",
        ".SH SEE ALSO",
        ".BR sciread\\-trainer (1)",
    ]


def _roff(text: str) -> str:
    """Escape text for roff: remove terminal markup, and guard a leading control character."""
    plain = " ".join(_MARKUP.sub("", text).split())
    plain = plain.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain


def completions() -> dict[str, str]:
    """Return the completions for bash, zsh and fish by their path below share/."""
    paths = {
        "bash": "bash-completion/completions/sciread",
        "zsh": "zsh/site-functions/_sciread",
        "fish": "fish/vendor_completions.d/sciread.fish",
    }
    scripts = {
        path: get_completion_script(
            prog_name="sciread", complete_var="_SCIREAD_COMPLETE", shell=shell
        )
        for shell, path in paths.items()
    }
    # Arguments are often files, which fish should complete as well.
    return {path: f"{text.replace(' --no-files', '')}\n" for path, text in scripts.items()}

"""Writes all texts of SciRead to build/texts.md, to be read through from beginning to end.

A section for each package lists the texts of the window, messages and errors in the order of the
code; those of the command line and the trainer are the helps of their commands.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from sciread_app.cli import app as sciread
from trainer.cli import app as trainer

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "build" / "texts.md"
_ARGUMENTS = {"tr": 1, "tr_noop": 1, "trn": 2, "trc": 2}  # number of text arguments


def main() -> None:
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text("\n".join(lines()) + "\n", "utf-8")
    print(f"All texts are in {TARGET.relative_to(ROOT)}.")


def lines() -> Iterator[str]:
    """The lines of the list, in Markdown; each text stands where it is used first."""
    sections: dict[str, dict[str, None]] = {}
    seen: set[str] = set()
    contract = ROOT / "trainer" / "contract"  # the names and helps of training settings
    for path in sorted([*(ROOT / "sciread_app").rglob("*.py"), *contract.rglob("*.py")]):
        # ui/search/page.py belongs to ui/search, services/export/citeproc.py to services/export.
        parts = path.relative_to(ROOT).parts[:-1]
        package = "/".join(parts[1:3] if parts[0] == "sciread_app" else parts) or "sciread_app"
        new = [text for text in _texts(path) if text not in seen]
        sections.setdefault(package, {}).update(dict.fromkeys(new))
        seen.update(new)
    yield "# Texts of SciRead"
    for package, texts in sections.items():
        if texts:
            yield f"\n## {package}\n"
            yield from (f"- {text}" for text in texts)
    for name, program in (("sciread", sciread), ("sciread-trainer", trainer)):
        yield from _helps(name, get_command(program))


def _texts(path: Path) -> Iterator[str]:
    """The translatable texts of a module; singular and plural form are one."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            given = node.args[: _ARGUMENTS.get(node.func.id, 0)]
            texts = [arg.value for arg in given if isinstance(arg, ast.Constant)]
            if node.func.id == "trc":  # its first argument is no text, but says which is meant
                texts = texts[1:]
            if texts:
                yield " | ".join(map(str, texts)).replace("\n", " ")


def _helps(name: str, command: Any) -> Iterator[str]:
    """The help of a command, of its options and of its commands."""
    yield f"\n## `{name}`\n\n{_one_line(command.help)}\n"
    for parameter in command.params:
        if text := getattr(parameter, "help", None):
            yield f"- `{(parameter.opts or [parameter.name])[0]}`: {_one_line(text)}"
    for key, each in getattr(command, "commands", {}).items():
        yield from _helps(f"{name} {key}", each)


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


if __name__ == "__main__":
    main()

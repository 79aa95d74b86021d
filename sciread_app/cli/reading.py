"""The verb that shows what was marked and noted in papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sciread_app.cli.frame import DONE, Home, Json, existing, verb
from sciread_app.cli.library import Names, resolve
from sciread_app.console import Console


@verb
def notes(
    papers: Names,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write them to this file.")
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> int:
    """What you have highlighted and noted in papers, as Markdown."""
    console = Console(as_json)
    with existing(home, console) as workspace:
        ids = resolve(workspace, papers)
        if output:
            workspace.reading.save_markdown(ids, output)
        text = "" if output else workspace.reading.as_markdown(ids)
        marked = [one for id in ids for one in workspace.reading.of_paper(id)]
    if not as_json and not output:
        typer.echo(text or "Nothing was marked or noted in them.")
    console.answer(
        {
            "markdown": text,
            "highlights": [
                {
                    "paper": one.paper, "page": one.page + 1, "text": one.text,
                    "note": one.note, "colour": one.colour.value, "file": one.path,
                }
                for one in marked
            ],
        }
    )  # fmt: skip
    return DONE

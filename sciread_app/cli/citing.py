"""The verb that cites papers."""

from __future__ import annotations

from typing import Annotated

import typer

from sciread_app.cli.frame import DONE, Home, Json, existing, verb
from sciread_app.cli.library import Names, resolve
from sciread_app.console import Console
from sciread_app.services import styles
from sciread_app.services.styles import Style


@verb
def cite(
    papers: Names,
    style: Annotated[Style, typer.Option("--style", "-s")] = Style.apa,
    in_text: Annotated[
        bool, typer.Option("--in-text", help="The mark in the text, not the reference.")
    ] = False,
    html: Annotated[bool, typer.Option("--html", help="With italics, as HTML.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> int:
    """Cite papers as journals want them: a list of references, or the mark in the text."""
    console = Console(as_json)
    with existing(home, console) as workspace:
        cited = styles.cite(workspace.library.get(resolve(workspace, papers)), style)
    if not as_json:
        for line in [cited.in_text] if in_text else cited.references:
            typer.echo(line if html else styles.plain(line))  # whole, whatever the terminal's width
    console.answer(
        {
            "style": style.value,
            "references": [{"text": styles.plain(r), "html": r} for r in cited.references],
            "in_text": {"text": styles.plain(cited.in_text), "html": cited.in_text},
        }
    )
    return DONE

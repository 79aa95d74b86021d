"""Commands that cite papers and manage citation styles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sciread_app.cli.command import command
from sciread_app.cli.library import Names, resolve
from sciread_app.console import Console
from sciread_app.errors import StyleRefused
from sciread_app.language import tr
from sciread_app.services.export.citation_styles import CitationStyles
from sciread_app.services.export.citations import cite as cite_papers
from sciread_app.services.export.citations import plain
from sciread_app.workspace import Workspace


@command
def cite(
    workspace: Workspace,
    console: Console,
    papers: Names,
    style: Annotated[
        str,
        typer.Option(
            "--style",
            "-s",
            metavar="STYLE",
            help="Citation style: apa, ieee, nature, vancouver, chicago, a style added with "
            "`sciread styles --add`, or a .csl file. By default the style selected in Settings, "
            "or apa.",
        ),
    ] = "",
    in_text: Annotated[
        bool, typer.Option("--in-text", help="Print the in-text citation, not the reference list.")
    ] = False,
    html: Annotated[bool, typer.Option("--html", help="Print HTML, with italics.")] = False,
) -> None:
    """Cite papers in a journal style: as a reference list, or as an in-text citation."""
    styles = CitationStyles(workspace.home.styles)
    style = style or styles.default(workspace.settings.citation_style)
    loaded = styles.load(style)
    cited = cite_papers(
        workspace.library.get(resolve(workspace, papers)),
        loaded,
        references=console.as_json or not in_text,
        in_text=console.as_json or in_text,
    )
    if not loaded.has_bibliography and not in_text and not console.as_json:
        raise StyleRefused(
            tr("The style {style} has no reference list.", style=loaded.title),
            tr("Use --in-text."),
        )
    if not console.as_json:
        for line in [cited.in_text] if in_text else cited.references:
            typer.echo(line if html else plain(line))  # unlike console.print, not wrapped
    console.print_json(
        {
            "style": style,
            "references": [{"text": plain(r), "html": r} for r in cited.references],
            "in_text": {"text": plain(cited.in_text), "html": cited.in_text},
        }
    )


@command
def styles_(
    workspace: Workspace,
    console: Console,
    add: Annotated[
        Path | None, typer.Option("--add", metavar="FILE", help="Add the style from a .csl file.")
    ] = None,
    remove: Annotated[
        str | None, typer.Option("--remove", metavar="STYLE", help="Remove an added style.")
    ] = None,
) -> None:
    """List citation styles, add a style from a .csl file, or remove an added style.

    You can download styles for over 10,000 journals from https://www.zotero.org/styles.
    """
    known = CitationStyles(workspace.home.styles)
    changed = known.add(add) if add else known.remove(remove) if remove else None
    listed = [changed] if changed else known.all()
    for style in listed:
        console.print(f"{style.key}  {style.title}")
    console.print_json({"styles": [{"style": style.key, "title": style.title} for style in listed]})

"""The command that edits the fields of a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.markup import escape

from sciread_app.cli.command import command
from sciread_app.cli.library import resolve
from sciread_app.console import Console
from sciread_app.domain.metadata.editable_fields import InvalidFieldValue, changed, written
from sciread_app.domain.metadata.guesses import accepted
from sciread_app.domain.paper import KINDS, Paper
from sciread_app.errors import BadQuery
from sciread_app.language import tr
from sciread_app.workspace import Workspace

# Names under which other programs know our fields.
_ALIASES = {
    "author": "authors",
    "date": "published",
    "journal": "venue",
    "keyword": "keywords",
    "type": "kind",
    "year": "published",
}
# BibTeX fields that are stored in `Paper.extra`.
_DETAILS = {
    "address", "annote", "booktitle", "chapter", "edition", "editor", "eid", "howpublished",
    "institution", "issue", "language", "location", "month", "note", "number", "organization",
    "pages", "publisher", "school", "series", "url", "urldate", "version", "volume",
}  # fmt: skip
_HINT = (
    "Fields: title, authors, year, type, venue, abstract, keywords, doi, arxiv, pmid, pmcid, isbn, "
    "and BibTeX fields such as volume and pages."
)


@command
def edit(
    workspace: Workspace,
    console: Console,
    paper: Annotated[str, typer.Argument(help="Number or identifier of the paper.")],
    fields: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FIELD=VALUE...",
            help="Field and value, such as year=2019. An empty value clears the field.",
        ),
    ] = None,
    accept_guess: Annotated[
        bool,
        typer.Option(
            "--accept-guess", help="Use the title, authors and year that the paper's PDF may have."
        ),
    ] = False,
) -> None:
    """Edit the fields of a paper.

    Later imports do not overwrite edited fields. Run `sciread undo` to undo an edit.

    Separate several authors or keywords with semicolons: authors="Curie, Marie; Curie, Pierre".
    Enclose a group author in braces: authors="{LHCb collaboration}". End an incomplete list with
    "others": authors="Curie, Marie; others".
    """
    [id] = resolve(workspace, [paper])
    [before] = workspace.library.get([id])
    values = _guess(before) if accept_guess else {}
    if fields or not accept_guess:
        values |= _values(before, fields or [])
    done = workspace.editor.edit([id], **values) if values else None
    console.print(escape(done.what) if done else "No changes")
    console.print_json({"paper": id, "changed": sorted(values) if done else []})


def _guess(paper: Paper) -> dict[str, Any]:
    """The fields that accepting the guess changes. Raises BadQuery."""
    if not (values := accepted(paper)):
        raise BadQuery(
            tr("There is no guess for this paper."),
            tr("SciRead guesses what the first pages of a PDF do not say clearly."),
        )
    return values


def _values(paper: Paper, assignments: Sequence[str]) -> dict[str, Any]:
    """The values of the fields that change, as a Paper has them. Raises BadQuery."""
    texts = written(paper)
    extra = dict(paper.extra)
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        name = name.strip().lower()
        name = _ALIASES.get(name, name)
        if not equals:
            raise BadQuery(
                tr("“{assignment}” has no value.", assignment=assignment),
                tr("Write FIELD=VALUE, such as year=2019."),
            )
        if name in texts and name != "extra":
            texts[name] = _checked(name, value)
        elif name in _DETAILS or name in extra:
            extra[name] = value.strip()
        else:
            raise BadQuery(tr("Unknown field “{name}”.", name=name), _HINT)
    extra = {name: value for name, value in extra.items() if value}
    del texts["extra"]
    try:
        values = {"extra": extra} | changed(replace(paper, extra=extra), texts)
    except InvalidFieldValue as error:
        raise BadQuery(str(error), _HINT) from error
    if values["extra"] == paper.extra:
        del values["extra"]
    return values


def _checked(name: str, value: str) -> str:
    """The text of a field in the form that `changed` expects, with one author per line. Raises
    BadQuery."""
    if name == "authors":
        return "\n".join(value.split(";"))
    if name == "title" and not value.strip():
        raise BadQuery(tr("A paper needs a title."), tr("Write title=... with the new title."))
    if name == "kind" and value.strip() not in KINDS:
        raise BadQuery(
            tr("Unknown type “{value}”.", value=value),
            tr("Types: {kinds}.", kinds=", ".join(KINDS)),
        )
    return value

"""The command that sets fields of a paper by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.markup import escape

from sciread_app.cli.command import command
from sciread_app.cli.library import resolve
from sciread_app.console import Console
from sciread_app.domain.editable_fields import InvalidFieldValue, changed, written
from sciread_app.domain.paper import KINDS, Paper
from sciread_app.errors import BadQuery
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
# BibTeX fields that are kept among the further details of a paper.
_DETAILS = {
    "address", "annote", "booktitle", "chapter", "edition", "editor", "eid", "howpublished",
    "institution", "issue", "language", "location", "month", "note", "number", "organization",
    "pages", "publisher", "school", "series", "url", "urldate", "version", "volume",
}  # fmt: skip
_HINT = (
    "Fields are title, authors, year, type, venue, abstract, keywords, doi, arxiv, pmid, pmcid, "
    "isbn, and those of BibTeX such as volume and pages."
)


@command
def edit(
    workspace: Workspace,
    console: Console,
    paper: Annotated[str, typer.Argument(help="The paper: its number or an identifier.")],
    fields: Annotated[
        list[str], typer.Argument(metavar="FIELD=VALUE...", help="year=2019; empty removes it.")
    ],
) -> None:
    """Set fields of a paper. Later imports leave them as they are; `sciread undo` reverts it.

    Several authors or keywords are separated by semicolons: authors="Curie, Marie; Curie, Pierre".
    A group of authors stands in braces: authors="{LHCb collaboration}".
    """
    [id] = resolve(workspace, [paper])
    [before] = workspace.library.get([id])
    values = _values(before, fields)
    done = workspace.editor.edit([id], **values) if values else None
    console.print(escape(done.what) if done else "Nothing had to be changed")
    console.print_json({"paper": id, "changed": sorted(values) if done else []})


def _values(paper: Paper, assignments: Sequence[str]) -> dict[str, Any]:
    """The values of the fields that change, as a Paper has them. Raises BadQuery."""
    texts = written(paper)
    extra = dict(paper.extra)
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        name = name.strip().lower()
        name = _ALIASES.get(name, name)
        if not equals:
            raise BadQuery(f"“{assignment}” has no value.", "Write FIELD=VALUE, such as year=2019.")
        if name in texts and name != "extra":
            texts[name] = _checked(name, value)
        elif name in _DETAILS or name in extra:
            extra[name] = value.strip()
        else:
            raise BadQuery(f"There is no field “{name}”.", _HINT)
    try:
        values = changed(paper, texts)
    except InvalidFieldValue as error:
        raise BadQuery(str(error), _HINT) from error
    extra = {name: value for name, value in extra.items() if value}
    return values if extra == dict(paper.extra) else values | {"extra": extra}


def _checked(name: str, value: str) -> str:
    """The text of a field as `changed` reads it: one author a line. Raises BadQuery."""
    if name == "authors":
        return "\n".join(value.split(";"))
    if name == "title" and not value.strip():
        raise BadQuery("A paper needs a title.", "Write title=... with the new title.")
    if name == "kind" and value.strip() not in KINDS:
        raise BadQuery(f"There is no type “{value}”.", f"Types are {', '.join(KINDS)}.")
    return value

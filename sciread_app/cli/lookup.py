"""The command that looks up metadata at online services."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from sciread_app.cli.add import record_as_value, short
from sciread_app.cli.command import DONE, FAILED, command
from sciread_app.cli.library import NAMES_HELP, resolve
from sciread_app.cli.views import subtitle, titled
from sciread_app.console import Console
from sciread_app.domain.metadata.changes import (
    FIELD_TITLES,
    Candidate,
    FieldChange,
    LookupSuggestion,
)
from sciread_app.domain.paper import Paper, PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.errors import BadQuery
from sciread_app.language import tr, trn
from sciread_app.services.export.export import selected_by
from sciread_app.workspace import Workspace

if TYPE_CHECKING:
    from sciread_app.services.ingest.lookup.metadata_lookup import LookupReport

_SHOWN = 20  # papers that were not found
MISSING = ("abstract", "authors", "year", "venue", "doi")
_ALIASES = {
    "author": "authors",
    "correction": "erratum_in",
    "date": "published",
    "retraction": "retraction_in",
    "type": "kind",
    "year": "published",
}


@command
def lookup(
    workspace: Workspace,
    console: Console,
    papers: Annotated[list[str] | None, typer.Argument(help=NAMES_HELP)] = None,
    query: Annotated[
        str, typer.Option(help="The papers that match a query of `sciread find`.")
    ] = "",
    missing: Annotated[
        list[str] | None,
        typer.Option(
            help="The papers without abstract, authors, year, venue or doi. Can be repeated."
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All papers.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Fill in the empty fields.")] = False,
    replace: Annotated[
        list[str] | None,
        typer.Option(help="With --apply, also replace the value of this field. Can be repeated."),
    ] = None,
    candidate: Annotated[
        int | None,
        typer.Option(min=1, help="With --apply and one paper, use the candidate of this number."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Do not use answers of the last 30 days.")
    ] = False,
    undo: Annotated[
        list[str] | None,
        typer.Option(
            help="Give this field the value that it had before its look-up; asks no service. Can "
            "be repeated."
        ),
    ] = None,
) -> int:
    """Look up metadata of papers at online services.

    Sends DOIs, arXiv IDs, PMIDs, PMCIDs and ISBNs to Crossref, DataCite, OpenAlex, arXiv, PubMed
    and Open Library, and of papers without these the title and the first author. Without --apply,
    only shows what would change. With it, empty fields are filled in; fields that you have edited
    are never changed. Run `sciread undo` to undo all changes, or use --undo FIELD to undo those of
    one field. A stopped look-up resumes when you run the same command again. Exit code 1 means that
    a service did not answer for some papers.
    """
    fields = [_field(name) for name in replace or []]
    ids = _selected(workspace, papers or [], query, missing or [], every)
    if undo:
        return _undo(workspace, console, ids, [_field(name) for name in undo])
    if (fields or candidate) and not apply:
        raise BadQuery(tr("--replace and --candidate need --apply."), tr("Add --apply."))
    if candidate and len(ids) != 1:
        raise BadQuery(tr("--candidate needs exactly one paper."), tr("Specify one paper."))
    with console.progress("Looking up metadata") as task:
        report = workspace.metadata.look_up(ids, task, fresh=fresh)
    chosen: Mapping[PaperId, Sequence[FieldChange]] = {}
    if apply:
        chosen = {one.paper: _choice(one, fields, candidate) for one in report.suggestions}
        chosen = {paper: changes for paper, changes in chosen.items() if changes}
    edit = None
    if chosen:
        edit, chosen = workspace.metadata.apply(chosen)
    console.print(_report(report, chosen, apply))
    if report.unknown:
        console.print(_not_found(workspace.library.get(report.unknown[:_SHOWN]), report))
    console.print_json(_report_as_value(report, chosen, edit.what if edit else None))
    return FAILED if report.unanswered else DONE


def _undo(
    workspace: Workspace, console: Console, ids: Sequence[PaperId], fields: Sequence[str]
) -> int:
    """Undo the look-up of these fields of the papers."""
    known = workspace.editor.looked_up_fields(ids)
    chosen = {
        id: [one.field for one in looked_up if one.field in fields]
        for id, looked_up in known.items()
    }
    chosen = {id: names for id, names in chosen.items() if names}
    edit = workspace.editor.undo_lookup(chosen) if chosen else None
    console.print(escape(edit.what) if edit else tr("No looked-up value was found to undo"))
    undone = [{"paper": id, "fields": names} for id, names in chosen.items()]
    console.print_json({"undone": undone, "edit": edit.what if edit else None})
    return DONE


def _selected(
    workspace: Workspace, names: list[str], query: str, missing: list[str], every: bool
) -> list[PaperId]:
    if unknown := [name for name in missing if name not in MISSING]:
        raise _unknown_field(unknown[0], MISSING)
    if not (names or query or missing or every):
        message = tr("Specify papers, or use --query, --missing or --all.")
        raise BadQuery(message, tr("See --help."))
    ids = resolve(workspace, names) if names else None
    if query:
        found = selected_by(workspace.library, query)
        ids = found if ids is None else [id for id in ids if id in set(found)]
    if missing:
        some = dict.fromkeys(id for field in missing for id in workspace.metadata.lacking(field))
        ids = list(some) if ids is None else [id for id in ids if id in some]
    if ids is None:
        ids = [PaperId(id) for id in workspace.library.ids().tolist()]
    return list(dict.fromkeys(ids))


def _field(name: str) -> str:
    field = _ALIASES.get(name.lower(), name.lower())
    if field not in FIELD_TITLES:
        raise _unknown_field(name, tuple(FIELD_TITLES))
    return field


def _unknown_field(name: str, known: Sequence[str]) -> BadQuery:
    message = tr("Unknown field “{name}”.", name=name)
    return BadQuery(message, tr("Fields: {names}.", names=", ".join(known)))


def _choice(
    suggestion: LookupSuggestion, replaced: Sequence[str], candidate: int | None
) -> list[FieldChange]:
    """The changes to make: those that fill empty fields, and those of the fields to replace."""
    changes = suggestion.changes
    if candidate:
        if candidate > len(suggestion.candidates):
            raise BadQuery(
                tr("There is no candidate {number} for this paper.", number=candidate),
                tr("Run the command without --apply to list the candidates."),
            )
        changes = suggestion.candidates[candidate - 1].changes
    return [change for change in changes if change.fills or change.field in replaced]


def _report(
    report: LookupReport, chosen: Mapping[PaperId, Sequence[FieldChange]], apply: bool
) -> RenderableType:
    lines: list[RenderableType] = []
    for one in report.suggestions:
        lines.append(titled(one.paper, one.title))
        for change in one.changes:
            done = change in chosen.get(one.paper, ())
            lines.append(_change(change, tr("filled in") if done else ""))
        for number, candidate in enumerate(one.candidates, start=1):
            lines += _candidate(number, candidate)
    filling = sum(bool(one.filling) for one in report.suggestions)
    parts = [trn("{n:,} paper looked up", "{n:,} papers looked up", report.papers)]
    if apply:
        parts.append(trn("{n:,} paper changed", "{n:,} papers changed", len(chosen)))
    else:
        parts.append(
            trn(
                "{n:,} paper with empty fields that can be filled in",
                "{n:,} papers with empty fields that can be filled in",
                filling,
            )
        )
    if report.unknown:
        parts.append(trn("{n:,} not found", "{n:,} not found", len(report.unknown)))
    lines.append(Text(", ".join(parts)))
    if not apply:
        lines += [Text(hint, style="dim") for hint in _hints(report)]
    if report.unanswered:
        again = trn(
            "{n:,} paper without an answer. Run the same command again to retry.",
            "{n:,} papers without an answer. Run the same command again to retry.",
            report.unanswered,
        )
        lines.append(Text(again, style="yellow"))
    lines += [Text(f"{source}: {why}", style="yellow") for source, why in report.failures.items()]
    return Group(*lines)


def _hints(report: LookupReport) -> Iterable[str]:
    """How to make the changes that are shown."""
    changes = [change for one in report.suggestions for change in one.changes]
    if any(change.fills for change in changes):
        yield tr("To fill in the empty fields (+), add --apply.")
    if any(not change.fills for change in changes):
        yield tr("To replace a value that differs (?), add --apply --replace FIELD.")
    if any(one.candidates for one in report.suggestions):
        yield tr("To use a candidate, name its paper and add --apply --candidate NUMBER.")


def _not_found(papers: Sequence[Paper], report: LookupReport) -> RenderableType:
    lines: list[RenderableType] = [
        Text("\n" + tr("Not found:"), style="bold"),
        *(titled(one.id, one.title) for one in papers),
    ]
    if (more := len(report.unknown) - len(papers)) > 0:
        lines.append(Text("  " + tr("... and {n:,} more (--json lists all)", n=more), style="dim"))
    return Group(*lines)


def _change(change: FieldChange, done: str) -> RenderableType:
    from sciread_app.services.ingest.lookup.record_requests import source_title

    source = source_title(change.source)
    old = f"{short(change.old)} → " if change.old else ""
    mark = "+" if change.fills else "?"
    note = f"  {source}{', ' + done if done else ''}"
    text = Text.assemble(
        f"{mark} {FIELD_TITLES[change.field]}: {old}{short(change.new)}", (note, "dim")
    )
    return Padding(text, (0, 0, 0, 9))


def _candidate(number: int, candidate: Candidate) -> Iterable[RenderableType]:
    record = candidate.record
    names = ", ".join(f"{kind}:{value}" for kind, value in record.identifiers)
    title = readable(record.title)
    heading = tr("candidate {number}: {title}", number=number, title=title)
    yield Padding(Text(heading, style="yellow"), (0, 0, 0, 9))
    yield Padding(Text(f"{subtitle(record)}  {names}", style="dim"), (0, 0, 0, 11))


def _report_as_value(
    report: LookupReport, chosen: Mapping[PaperId, Sequence[FieldChange]], edit: str | None
) -> dict[str, Any]:
    return {
        "papers": report.papers,
        "unknown": len(report.unknown),
        "not_found": list(report.unknown),
        "unanswered": report.unanswered,
        "failures": [{"source": name, "why": why} for name, why in report.failures.items()],
        "edit": edit,
        "suggestions": [
            {
                "paper": one.paper,
                "title": one.title,
                "changes": [
                    _change_as_value(change) | {"applied": change in chosen.get(one.paper, ())}
                    for change in one.changes
                ],
                "candidates": [
                    record_as_value(candidate.record)
                    | {"changes": [_change_as_value(change) for change in candidate.changes]}
                    for candidate in one.candidates
                ],
            }
            for one in report.suggestions
        ],
    }


def _change_as_value(change: FieldChange) -> dict[str, Any]:
    return {
        "field": change.field,
        "old": change.old,
        "new": change.new,
        "source": change.source,
        "fills": change.fills,
    }

"""Output of papers, imports and the library's status, as rich text and as JSON values.

Also the tables that other commands share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sciread_app.domain.citations import Counts
from sciread_app.domain.fetch import Fetch
from sciread_app.domain.metadata.identifiers import other_fields
from sciread_app.domain.metadata.item_types import KIND_NAMES
from sciread_app.domain.metadata.looked_up import LookedUpField
from sciread_app.domain.paper import Paper, PaperId, Skipped
from sciread_app.domain.search_hit import MatchInfo, SearchHit
from sciread_app.domain.text.bylines import byline
from sciread_app.domain.text.tex import readable
from sciread_app.language import format_percent, tr, trn
from sciread_app.services.ingest.importer import ImportReport
from sciread_app.services.maintenance.doctor import Diagnosis
from sciread_app.services.search.results import MatchExplanation, SearchResults
from sciread_app.storage.history.import_log import Import
from sciread_app.storage.organisation.attachments import Attachment
from sciread_app.storage.organisation.organisation import PaperOrganisation

if TYPE_CHECKING:
    from sciread_app.workspace import Workspace

_SHOWN_FAILURES = 20
AUTHORS = 4  # named in a line

NEXT_ENCODE = "To also find the new papers by meaning, index them: `sciread encode`."


def table(*columns: str) -> Table:
    """An empty table with these headings, whose long cells are folded."""
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in columns:
        shown.add_column(name, overflow="fold")
    return shown


def details(rows: Iterable[tuple[str, Any]]) -> Table:
    """A table of names and values; empty values are left out."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", justify="right")
    grid.add_column(overflow="fold")
    for name, value in rows:
        if value:
            grid.add_row(name, Text(str(value)))
    return grid


def _authors(paper: Paper) -> str:
    names = [author.name for author in paper.authors]
    return "; ".join([*names, "et al."] if names and paper.has_more_authors else names)


def subtitle(paper: Paper) -> str:
    return " · ".join(
        filter(None, (byline(paper, AUTHORS, last_names=True), paper.venue, str(paper.year or "")))
    )


def hits(
    papers: Sequence[Paper], results: SearchResults, reasons: Mapping[Any, MatchExplanation]
) -> RenderableType:
    """Return the papers of a search, each with number, title, byline and the reason it was found,
    followed by the number of results. `papers` are those of the hits, in their order."""
    by_id = {hit.paper: hit for hit in results.hits}
    lines: list[RenderableType] = []
    if not papers and not results.weaker:
        return Text(tr("No results. Try fewer words or fewer filters."), style="yellow")
    for paper in papers:
        assert paper.id is not None
        lines.append(titled(paper.id, paper.title))
        lines.append(Padding(Text(subtitle(paper), style="dim"), (0, 0, 0, 9)))
        if why := _reason(by_id[paper.id], reasons.get(paper.id)):
            lines.append(Padding(Text(why), (0, 0, 0, 9)))
    lines.append(Text(_how_many(results), style="dim"))
    return Group(*lines)


def titled(number: PaperId | None, title: str) -> RenderableType:
    """Return the number and title of a paper, with further lines of the title indented."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=7, justify="right", style="cyan")
    grid.add_column(style="bold")
    grid.add_row(str(number or ""), Text(readable(title)))
    return grid


def _how_many(results: SearchResults) -> str:
    strong = sum(not hit.weak for hit in results.hits)
    counts = trn("{n:,} paper", "{n:,} papers", results.total)
    if strong < results.total:
        counts = tr("{strong} of {counts}", strong=strong, counts=counts)
    if len(results.hits) > strong:
        weak = len(results.hits) - strong
        matches = trn("{n:,} weaker match", "{n:,} weaker matches", weak)
        return f"{counts}, {matches}"
    if results.weaker:
        return tr(
            "{counts}. Use --weaker to also show weaker matches ({count:,}).",
            counts=counts,
            count=len(results.weaker),
        )
    return counts


def _reason(hit: SearchHit, reason: MatchExplanation | None) -> str:
    parts = ["weaker match"] if hit.weak else []
    if hit.match is MatchInfo.in_title:
        parts.append("all words in the title")
    elif hit.match is MatchInfo.all_words:
        parts.append("all words")
    if hit.percentile is not None:
        parts.append(tr("{percentile} match", percentile=format_percent(hit.percentile)))
    if reason and reason.words:
        parts.append("keywords: " + ", ".join(reason.words))
    if reason and reason.sentence:
        parts.append(f"“{readable(reason.sentence)}”")
    return " · ".join(parts)


def hits_as_values(
    papers: Sequence[Paper], results: SearchResults, reasons: Mapping[Any, MatchExplanation]
) -> dict[str, Any]:
    """Return the results of a search as JSON values; `reasons` may lack papers."""
    by_id = {hit.paper: hit for hit in results.hits}
    values = []
    for paper in papers:
        assert paper.id is not None
        hit, reason = by_id[paper.id], reasons.get(paper.id)
        values.append(
            _summary(paper)
            | {
                "score": hit.score,
                "text_rank": hit.text_rank,
                "meaning_rank": hit.meaning_rank,
                "similarity": hit.similarity,
                "percentile": hit.percentile,
                "match": hit.match.value,
                "weaker": hit.weak,
                "words": list(reason.words) if reason else [],
                "sentence": reason.sentence if reason else "",
            }
        )
    return {
        "total": results.total,
        "weaker": len(results.weaker),
        "note": results.note,
        "hits": values,
    }


def _summary(paper: Paper) -> dict[str, Any]:
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": [author.name for author in paper.authors],
        "venue": paper.venue,
        "year": paper.year,
        "identifiers": [f"{kind}:{value}" for kind, value in paper.identifiers],
    }


class PaperContext(NamedTuple):
    """The data of a paper besides its record: organization, files, versions, citation counts."""

    marks: PaperOrganisation
    files: Sequence[Attachment]
    versions: Sequence[Paper]
    counts: Counts
    looked_up: Sequence[LookedUpField] = ()


def paper(shown: Paper, about: PaperContext) -> RenderableType:
    """Return all metadata of a paper as text; fields without a value are left out."""
    marks, counts = about.marks, about.counts
    rows = (
        ("authors", _authors(shown)),
        ("venue", shown.venue),
        ("published", shown.published),
        ("type", KIND_NAMES.get(shown.kind, shown.kind)),
        *((kind, value) for kind, value in shown.written_identifiers),
        ("fields", ", ".join(shown.fields)),
        ("keywords", ", ".join(shown.keywords)),
        ("tags", ", ".join(marks.tags)),
        ("collections", ", ".join(marks.collections)),
        *(("note", note) for note in marks.notes),
        *(("file", f"{a.path}{' (' + a.problem + ')' if a.problem else ''}") for a in about.files),
        *(("other version", _version(version)) for version in about.versions),
        (
            "references",
            counts.references and tr("{references:,} known", references=counts.references),
        ),
        (
            "cited by",
            counts.citations
            and tr("{papers} known", papers=trn("{n:,} paper", "{n:,} papers", counts.citations)),
        ),
        *other_fields(shown).items(),
        ("looked up", ", ".join(f"{one.field} ({one.source})" for one in about.looked_up)),
    )
    title = titled(shown.id, shown.title)
    return Group(title, Padding(Text(readable(shown.abstract)), (1, 0, 1, 9)), details(rows))


def _version(paper: Paper) -> str:
    return f"{paper.id}: {paper.venue or KIND_NAMES.get(paper.kind, paper.kind)}, {paper.published}"


def paper_as_value(shown: Paper, about: PaperContext) -> dict[str, Any]:
    """Return all metadata of a paper as a JSON value; fields without a value are included."""
    marks = about.marks
    return _summary(shown) | {
        "abstract": shown.abstract,
        "published": shown.published,
        "kind": shown.kind,
        "fields": list(shown.fields),
        "keywords": list(shown.keywords),
        "extra": dict(shown.extra),
        "tags": list(marks.tags),
        "collections": list(marks.collections),
        "notes": list(marks.notes),
        "read": marks.read,
        "files": [{"path": a.path, "problem": a.problem} for a in about.files],
        "versions": [version.id for version in about.versions],
        "references": about.counts.references,
        "cited_by": about.counts.citations,
        "looked_up": [
            {"field": one.field, "old": one.old, "source": one.source} for one in about.looked_up
        ],
    }


def counts(report: ImportReport, words: str = "") -> dict[str, object]:
    """Return the counts of an import and the entries that contain these words as a JSON value."""
    return {
        "read": report.read,
        "added": report.added,
        "merged": report.merged,
        "failed": report.failed,
        "failures": [s.fields() for s in _with(words, report.skips)],
        "remarks": [s.fields() for s in _with(words, report.remarks)],
        "passed_over": len(report.unread),
        "unread": [s.fields() for s in _with(words, report.unread)],
        "other_kinds": dict(report.unread_kinds),
        "seconds": round(report.seconds, 2),
    }


def _with(words: str, entries: Sequence[Skipped]) -> list[Skipped]:
    """Return the entries that contain all these words."""
    return [entry for entry in entries if entry.contains(words)]


def import_report(report: ImportReport, words: str = "") -> RenderableType:
    """Return the counts of an import, and the entries that contain these words."""
    lines: list[RenderableType] = [
        Text.assemble(
            (tr("{read:,} read", read=report.read), "bold"),
            " = ",
            tr("{added:,} added + {merged:,} merged", added=report.added, merged=report.merged),
            " + ",
            (tr("{failed:,} failed", failed=report.failed), "red" if report.failed else ""),
            f"   ({report.seconds:.1f} s)",
        )
    ]
    if report.files + len(report.unread) > 1:
        files = trn("{n:,} file read", "{n:,} files read", report.files)
        if report.unread:
            unnamed = tr("without extension")
            kinds = ", ".join(
                f"{count:,} {suffix or unnamed}"
                for suffix, count in sorted(report.unread_kinds.items())
            )
            others = trn("{n:,} skipped", "{n:,} skipped", len(report.unread))
            files += f", {others}: {kinds}"
        lines.append(Text(files, style="dim"))
    if report.texts:
        lines.append(
            Text(
                tr(
                    "The full text of {files} can be searched.",
                    files=trn("{n:,} PDF", "{n:,} PDFs", report.texts),
                )
            )
        )
    lines += skipped("Failed", _with(words, report.skips))
    lines += skipped("Added with warnings", _with(words, report.remarks))
    lines += skipped("Skipped", _with(words, report.unread))
    return Group(*lines)


def skipped(heading: str, skips: Sequence[Skipped]) -> list[RenderableType]:
    """Return a heading and the skipped entries, each with its reason; empty without entries."""
    if not skips:
        return []
    lines: list[RenderableType] = [Text(f"\n{heading}:", style="bold")]
    lines += [
        Padding(Text(": ".join(filter(None, (s.file, s.entry, s.reason)))), (0, 0, 0, 2))
        for s in skips[:_SHOWN_FAILURES]
    ]
    if len(skips) > _SHOWN_FAILURES:
        more = "  " + tr("... and {n:,} more (--json lists all)", n=len(skips) - _SHOWN_FAILURES)
        lines.append(Text(more, style="dim"))
    return lines


def finding(found: Diagnosis) -> RenderableType:
    sign, style = ("fixed", "yellow") if found.mended else ("ok", "green")
    if not found.ok:
        sign, style = "ERROR", "bold red"
    return Text.assemble((f"{sign:>7}  ", style), (f"{found.about}: ", "bold"), found.detail)


def status_as_value(workspace: Workspace) -> dict[str, Any]:
    """Return the library's counts, active model, last import and last fetch as a JSON value.
    `found_by_meaning` is the number of papers that the active model has indexed."""
    library = workspace.library
    with workspace.active_model.use() as now:
        space, title = now.index, now.title if now.index else ""
    papers = library.count()
    imports, fetches = library.import_log.imports(), library.fetches.all()
    from_files = next((one for one in imports if one.fetch is None), None)
    fetched = next((one for one in imports if one.fetch is not None), None)
    left = space.count_missing() if space else papers
    return {
        "home": str(workspace.home.folder),
        "papers": papers,
        "in_trash": len(library.trashed()),
        "found_by_meaning": papers - left,
        "model": title,
        "space": space.key if space else "",
        "tags": len(library.tags.names()),
        "collections": len(library.collections.paths()),
        "last_import": _import_as_value(from_files) if from_files else None,
        "last_fetch": _fetch_as_value(fetched, fetches) if fetched else None,
    }


def _import_as_value(last: Import) -> dict[str, Any]:
    return {name: getattr(last, name) for name in ("what", "read", "added", "merged", "failed")} | {
        "finished": last.finished is not None
    }


def _fetch_as_value(last: Import, fetches: Sequence[Fetch]) -> dict[str, Any]:
    """Return the last run of a fetch as a JSON value. `fetch` is its id and `problem` the reason of
    a failure; None and "" if the fetch was deleted."""
    fetch = next((one for one in fetches if one.id == last.fetch), None)
    about = {"fetch": fetch.id if fetch else None, "problem": fetch.message if fetch else ""}
    return _import_as_value(last) | about


def status(value: Mapping[str, Any]) -> RenderableType:
    """Return the JSON value of `status_as_value` as text."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    labels = {"home": "library", "in_trash": "in Trash", "found_by_meaning": "indexed papers"}
    for name in ("home", "papers", "in_trash", "found_by_meaning", "model", "tags", "collections"):
        table.add_row(labels.get(name, name), Text(str(value[name])))
    if last := value["last_import"]:
        left = tr("(interrupted; run the same `sciread add` to resume)")
        text = _counted(last) if last["finished"] else f"{_counted(last)} {left}"
        table.add_row("last import", Text(text))
    if last := value["last_fetch"]:
        table.add_row("last fetch", Text(_counted(last) + _left_of_fetch(last)))
    return table


def _counted(last: Mapping[str, Any]) -> str:
    return tr(
        "{read} read = {added} added + {merged} merged + {failed} failed, from {what}",
        read=last["read"],
        added=last["added"],
        merged=last["merged"],
        failed=last["failed"],
        what=last["what"],
    )


def _left_of_fetch(last: Mapping[str, Any]) -> str:
    """Return the reason why a fetch is unfinished, and the command that resumes it; empty if it is
    finished."""
    if last["finished"]:
        return ""
    problem = last["problem"]
    why = tr("failed: {problem}", problem=problem) if problem else tr("not finished")
    how = (
        " " + tr("Resume with `sciread fetch --resume {fetch}`.", fetch=last["fetch"])
        if last["fetch"]
        else ""
    )
    return f" ({why.rstrip('.')}.{how})"

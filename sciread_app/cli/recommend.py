"""The command that lists recommendations for followed topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from sciread_app.cli.command import DONE, command
from sciread_app.cli.views import AUTHORS
from sciread_app.console import Console
from sciread_app.domain.digest import Digest, TopicDigest
from sciread_app.domain.paper import Paper
from sciread_app.domain.recommend import CandidateScope, Recommendations, RecommendedPaper
from sciread_app.domain.text.bylines import byline
from sciread_app.domain.text.tex import readable
from sciread_app.errors import BadQuery
from sciread_app.language import tr, trn
from sciread_app.services.digest import formats
from sciread_app.services.digest.digest_service import entries_of
from sciread_app.services.export.export import write_text
from sciread_app.tasks import Task
from sciread_app.workspace import Workspace

if TYPE_CHECKING:
    from sciread_app.services.recommend.recommender import Recommender

# The formats of files by their extensions. The last argument returns the UUID of the feed.
FORMS: Mapping[str, Callable[[Digest, Callable[[], UUID]], str]] = {
    ".html": lambda made, feed: formats.as_html(made),
    ".md": lambda made, feed: formats.as_markdown(made),
    ".atom": lambda made, feed: formats.as_atom([made], feed(), made.papers),
}


@command
def recommend(
    workspace: Workspace,
    console: Console,
    collection: Annotated[
        str, typer.Argument(help="Collection, saved search, or query (default: list all).")
    ] = "",
    since: Annotated[str, typer.Option(help="First day, such as 2026-11-01.")] = "",
    among: Annotated[
        CandidateScope | None,
        typer.Option(help="Recently fetched papers, recently added papers, or the whole library."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, help="Maximum number of papers.")
    ] = 20,
    far: Annotated[
        bool, typer.Option("--weaker", "--far", help="Also show weaker matches.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Recommend papers for everything you follow.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="With --all: .html, .md or .atom file to write."),
    ] = None,
) -> int:
    """Recommend new papers for a collection or saved search, best first, with the reason; or
    list the new papers of a query, latest first.

    By default, papers fetched in the last 30 days are considered; if nothing was ever fetched,
    papers added in the last 30 days.
    """
    begin = moment_of(since)
    if every or output:
        return _digest(workspace, begin, limit, output, console)
    if not collection:
        return _list(workspace, console)
    with workspace.active_model.use() as now, console.progress("Finding papers") as task:
        recommender = workspace.recommender(now)
        feed = recommender.new_for(
            recommender.subject(collection),
            since=begin,
            among=among,
            limit=max(10 * limit, 100),
            task=task,
        )
    picks = [pick for pick in feed.picks if pick.fits or far][:limit]
    papers = {paper.id: paper for paper in workspace.library.get(_named(picks))}
    console.print(_feed(feed, picks, papers))
    console.print_json(_feed_as_value(feed, picks, papers))
    return DONE


def _list(workspace: Workspace, console: Console) -> int:
    values = []
    with workspace.active_model.use() as now:
        recommender = workspace.recommender(now)
        for subject in recommender.subjects():
            new = len(recommender.new_ids(subject))
            name = escape(subject.name)
            count = tr("{n} new", n=f"[cyan]{new:>5}[/]")
            console.print(f"{count}  [bold]{name}[/] [dim]({subject.kind})[/]")
            values.append({"name": subject.name, "kind": subject.kind.value, "new": new})
    if not values:
        console.print(
            tr(
                "No followed topics yet. Fetch a query, create a collection of at least five "
                "papers, or save a search."
            )
        )
    console.print_json(values)
    return DONE


def _digest(
    workspace: Workspace, since: float | None, limit: int, output: Path | None, console: Console
) -> int:
    if output and output.suffix.lower() not in FORMS:
        raise BadQuery(
            tr(
                "SciRead cannot write recommendations to a file with the extension of {file}.",
                file=output.name,
            ),
            tr("Use one of the extensions {endings}.", endings=", ".join(FORMS)),
        )
    with workspace.active_model.use() as now, console.progress("Finding papers") as task:
        made = _recommended(workspace, workspace.recommender(now), since, limit, task)
    if output:
        feed = workspace.library.digests.feed
        write_text(FORMS[output.suffix.lower()](made, feed), output)
        console.print(
            tr(
                "{papers} written to {output}",
                papers=trn("{n:,} paper", "{n:,} papers", made.papers),
                output=escape(str(output)),
            )
        )
    else:
        console.write(formats.as_markdown(made))
    console.print_json({"papers": made.papers, "file": str(output) if output else None})
    return DONE


def _recommended(
    workspace: Workspace, recommender: Recommender, since: float | None, limit: int, task: Task
) -> Digest:
    """The recommendations of all topics that fit them, as a digest that is not stored."""
    subjects, topics = recommender.subjects(), []
    for done, subject in enumerate(subjects):
        task.step(done, len(subjects), subject.name)
        feed = recommender.new_for(subject, since=since, task=task)
        picks = [pick for pick in feed.picks if pick.fits][:limit]
        entries = entries_of(workspace.library, picks)
        note = "" if entries else f"{feed.note} {feed.hint}".strip() or tr("No new papers.")
        topics.append(TopicDigest(subject, entries, note=note))
    return Digest(datetime.now().astimezone(), topics)


def moment_of(day: str) -> float | None:
    try:
        return datetime.fromisoformat(day).timestamp() if day else None
    except ValueError as error:
        raise BadQuery(
            tr("“{day}” is not a date.", day=day), tr("Use the form 2026-11-01.")
        ) from error


def _named(picks: list[RecommendedPaper]) -> list[int]:
    return list(dict.fromkeys(paper for pick in picks for paper in (pick.paper, *pick.like)))


def _feed(
    feed: Recommendations, picks: list[RecommendedPaper], papers: dict[Any, Paper]
) -> RenderableType:
    lines: list[RenderableType] = []
    for pick in picks:
        paper = papers[pick.paper]
        lines.append(Text.assemble((f"{pick.paper:>7}  ", "cyan"), (readable(paper.title), "bold")))
        about = " · ".join(
            filter(None, (byline(paper, AUTHORS, last_names=True), paper.venue, paper.published))
        )
        lines.append(Padding(Text(about, style="dim"), (0, 0, 0, 9)))
        lines.append(Padding(Text(_reason(pick, papers)), (0, 0, 0, 9)))
    for note in filter(None, (feed.note, feed.hint)):
        lines.append(Text(note, style="yellow"))
    lines.append(
        Text(
            tr("{count} of {candidates} new papers", count=len(picks), candidates=feed.candidates),
            style="dim",
        )
    )
    return Group(*lines)


def _reason(pick: RecommendedPaper, papers: dict[Any, Paper]) -> str:
    like = " and ".join(f"“{readable(papers[paper].title)}”" for paper in pick.like)
    words = ", ".join(pick.words)
    return " · ".join(
        filter(
            None,
            (
                tr("similar to {like}", like=like) if like else "",
                tr("shared terms: {words}", words=words) if words else "",
            ),
        )
    )


def _feed_as_value(
    feed: Recommendations, picks: list[RecommendedPaper], papers: dict[Any, Paper]
) -> dict[str, Any]:
    return {
        "subject": feed.subject.name,
        "kind": feed.subject.kind.value,
        "candidates": feed.candidates,
        "note": feed.note,
        "hint": feed.hint,
        "papers": [
            {
                "id": pick.paper,
                "title": papers[pick.paper].title,
                "score": pick.score,
                "fits": pick.fits,
                "similarity": pick.similarity,
                "percentile": pick.percentile,
                "like": list(pick.like),
                "words": list(pick.words),
                "came": datetime.fromtimestamp(pick.came).astimezone().isoformat(),
            }
            for pick in picks
        ],
    }

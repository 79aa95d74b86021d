"""Commands that create digests of new papers, and set when they are created."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime, time
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.markup import escape

from sciread_app.cli.command import DONE, FAILED, Home, app, command
from sciread_app.cli.recommend import moment_of
from sciread_app.console import Console
from sciread_app.domain.digest import Digest, DigestState, Frequency, Interval
from sciread_app.domain.recommend import FollowedTopic
from sciread_app.errors import BadQuery, LibraryError
from sciread_app.language import format_moment, tr, trc, trn, weekday_name
from sciread_app.paths import find_home
from sciread_app.services.digest import formats
from sciread_app.services.digest.digest_service import MOST, DigestResult, DigestService
from sciread_app.services.digest.notification import notify
from sciread_app.services.digest.schedule import Timetable, lost_homes, program, scheduler
from sciread_app.services.export.export import write_text
from sciread_app.workspace import Workspace

GROUP = typer.Typer(help="List the papers that are new since the last digest, by topic.")
app.add_typer(GROUP, name="digest")
NO_DIGEST = Digest(datetime.fromtimestamp(0).astimezone())
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class Form(StrEnum):
    md = "md"
    html = "html"
    atom = "atom"
    json = "json"


_SUFFIXES = {
    ".md": Form.md, ".html": Form.html, ".htm": Form.html, ".atom": Form.atom, ".xml": Form.atom,
    ".json": Form.json,
}  # fmt: skip


@partial(command, group=GROUP, of_group=True)
def digest(
    workspace: Workspace,
    console: Console,
    form: Annotated[
        Form | None,
        typer.Option("--format", help="Format (default: by the extension of the file, or md)."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; only if there are new papers."),
    ] = None,
    topic: Annotated[
        list[str] | None,
        typer.Option(
            help="Collection, saved search, or query; repeat for several (default: the topics that "
            "are part of digests)."
        ),
    ] = None,
    since: Annotated[
        str, typer.Option(help="First day, such as 2026-11-01 (default: since the last digest).")
    ] = "",
    most: Annotated[
        int, typer.Option("--max", min=1, help="Maximum number of papers of a topic.")
    ] = MOST,
    preview: Annotated[
        bool, typer.Option("--preview", help="Do not mark the papers as listed.")
    ] = False,
    last: Annotated[bool, typer.Option("--last", help="Show the last digest again.")] = False,
    due: Annotated[
        bool, typer.Option("--due", help="Only topics whose day or week has come.")
    ] = False,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Fetch new papers of your queries first.")
    ] = False,
    mail: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Print an email message to this address."),
    ] = "",
    notification: Annotated[
        bool, typer.Option("--notify", help="Show a notification on the desktop.")
    ] = False,
) -> int:
    """List the papers that are new since the last digest, by topic.

    Those of a collection or a saved search are listed most relevant first, those of a query to an
    online source latest first. Each paper is listed once for a topic. To set which topics are part
    of digests, run `sciread digest topics`; to create digests automatically, `sciread digest
    schedule`.
    """
    service, feedback = workspace.digests, workspace.library.feedback
    keys = [feedback.subject(name).key for name in topic or ()]
    chosen = _form(form, output)
    if mail:
        formats.check_address(mail)
    begin = moment_of(since)
    with ExitStack() as shown:
        task = shown.enter_context(console.progress(tr("Finding papers")))

        def write(made: DigestResult) -> None:
            shown.close()  # a progress bar on the terminal would overwrite the text
            text = _text(service, made.digest, chosen, mail, workspace.library.digests.feed)
            if output:
                write_text(text, output)
            else:
                console.write(text)
            console.print_json(_as_value(made, output))
            sys.stdout.flush()

        if last:
            stored = service.latest(1)
            result = DigestResult(service.get(stored[0]) if stored else NO_DIGEST)
        elif preview:
            result = DigestResult(service.preview(task, keys, since=begin, most=most))
        else:
            result = service.make(
                task, keys, due=due, fetch=fetch, since=begin, most=most, write=write
            )
    if (last or preview) and result.digest.papers:
        write(result)
    if not result.digest.papers:
        console.print_json(_as_value(result, None))
    _report(service, console, result, output, bool(keys) or last)
    if notification and result.digest.papers and not preview:
        _notify(workspace, result.digest)
    return FAILED if result.problems else DONE


@partial(command, group=GROUP)
def topics(
    workspace: Workspace,
    console: Console,
    topic: Annotated[
        str, typer.Argument(help="Collection, saved search, or query (default: list all).")
    ] = "",
    daily: Annotated[bool, typer.Option("--daily", help="Include the topic each day.")] = False,
    weekly: Annotated[
        str, typer.Option(metavar="DAY", help="Include it each week on this day, such as mon.")
    ] = "",
    never: Annotated[bool, typer.Option("--never", help="Do not include the topic.")] = False,
) -> None:
    """List how often each topic is part of a digest, or set it for one topic."""
    service = workspace.digests
    if daily + bool(weekly) + never > 1 or (topic and not (daily or weekly or never)):
        raise BadQuery(
            tr("Specify one of --daily, --weekly DAY, and --never."),
            tr("For example: sciread digest topics thesis --weekly mon"),
        )
    if topic:
        interval = Interval(Frequency.daily) if daily else _weekly(weekly) if weekly else Interval()
        service.set_interval(workspace.library.feedback.subject(topic), interval)
    known = service.topics()
    for subject, state in known:
        often = interval_text(state.interval)
        console.print(
            f"[cyan]{often:<20}[/]  [bold]{escape(subject.name)}[/] [dim]({subject.kind})[/]"
        )
    if not known:
        console.print(tr("No topics yet. Fetch a query, create a collection, or save a search."))
    console.print_json([_topic_as_value(*one) for one in known])


@partial(command, group=GROUP)
def schedule(
    console: Console,
    daily: Annotated[
        str,
        typer.Option(metavar="TIME", help="Create digests each day at this time, such as 08:00."),
    ] = "",
    weekly: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="DAY TIME", help="Create digests each week, such as mon 08:00."),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the timer.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Show the timer (the default).")] = False,
    home: Home = None,
) -> None:
    """Create digests automatically, also while SciRead is not running.

    Adds a timer to the system (systemd, launchd, or the Windows Task Scheduler) that runs
    `sciread digest --due --fetch --notify`. If the computer is off at that time, the digest is
    made once, later. `sciread digest topics` sets which topics it covers.
    """
    if bool(daily) + bool(weekly) + remove + status > 1:
        raise BadQuery(
            tr("Specify one of --daily TIME, --weekly DAY TIME, --remove, and --status."),
            tr("For example: sciread digest schedule --weekly mon 08:00"),
        )
    place = find_home(home)
    timer = scheduler(place)
    if (daily or weekly) and not place.library.exists():
        raise LibraryError(
            tr("No library found in {folder}.", folder=place.folder),
            tr("Run `sciread add FOLDER` to create a library, or `sciread` to open the window."),
        )
    if daily:
        timer.install(Timetable(Interval(Frequency.daily), _time(daily)))
    elif weekly:
        timer.install(Timetable(_weekly(weekly[0]), _time(weekly[1])))
    elif remove:
        timer.remove()
    installed = timer.timetable()
    if installed is None:
        console.print(tr("Digests are not created automatically."))
    else:
        console.print(
            tr(
                "Digests are created automatically: {often}, {time}. Next: {next}.",
                often=interval_text(installed.interval),
                time=f"{installed.at:%H:%M}",
                next=format_moment(installed.next(datetime.now())),
            )
        )
    for lost in lost_homes(timer):
        console.warn(
            tr(
                "A timer creates digests of the library in {folder}, which is not there. If it was "
                "moved, set a timer for the new folder, and remove this one: "
                "sciread digest schedule --remove --home {quoted}",
                folder=lost,
                quoted=shlex.quote(str(lost)),
            )
        )
    console.print_json(_timetable_as_value(installed))


def interval_text(interval: Interval) -> str:
    """How often: never, daily, or weekly on Monday."""
    if interval.frequency is Frequency.never:
        return trc("how often", "never")
    if interval.frequency is Frequency.daily:
        return trc("how often", "daily")
    # Translators: {day} is the name of a day, such as Monday
    return tr("weekly on {day}", day=weekday_name(interval.weekday))


def _form(form: Form | None, output: Path | None) -> Form:
    if form or not output:
        return form or Form.md
    if output.suffix.lower() not in _SUFFIXES:
        raise BadQuery(
            tr("SciRead cannot tell the format from the file name {file}.", file=output.name),
            tr("Use one of the extensions {endings}, or --format.", endings=", ".join(_SUFFIXES)),
        )
    return _SUFFIXES[output.suffix.lower()]


def _text(
    service: DigestService, made: Digest, form: Form, mail: str, feed: Callable[[], UUID]
) -> str:
    if mail:
        return formats.as_mail(made, mail, feed())
    if form is Form.atom:
        return service.feed(made)
    if form is Form.json:
        return json.dumps(formats.as_value(made), ensure_ascii=False, indent=1) + "\n"
    return formats.as_html(made) if form is Form.html else formats.as_markdown(made)


def _as_value(result: DigestResult, output: Path | None) -> dict[str, Any]:
    file = str(output) if output else None
    return formats.as_value(result.digest) | {"file": file, "problems": list(result.problems)}


def _report(
    service: DigestService, console: Console, result: DigestResult, output: Path | None, named: bool
) -> None:
    """Print messages to stderr, so that stdout contains nothing but the digest."""
    for problem in result.problems:
        console.warn(problem)
    if result.digest.papers and output:
        papers = trn("{n:,} paper", "{n:,} papers", result.digest.papers)
        console.print(tr("{papers} written to {output}", papers=papers, output=escape(str(output))))
    elif not result.digest.papers and not named and not service.has_topics():
        console.warn(
            tr(
                "No topic is part of digests. Run, for example: sciread digest topics thesis "
                "--weekly mon"
            )
        )
    elif not result.digest.papers:
        console.warn(tr("No new papers."))


def _notify(workspace: Workspace, made: Digest) -> None:
    workspace.active_model.close()  # a click is waited for, and memory would be used meanwhile
    command = [*program(), "--home", str(workspace.home.folder), "--page", "digest"]
    text = trn("{n:,} new paper", "{n:,} new papers", made.papers)
    notify(tr("New digest"), text, command, tr("Open"))


def _weekly(day: str) -> Interval:
    name = day.strip().lower()[:3]
    if name not in DAYS:
        raise BadQuery(
            tr("“{day}” is not a day of the week.", day=day),
            tr("Use one of {days}.", days=", ".join(DAYS)),
        )
    return Interval(Frequency.weekly, DAYS.index(name))


def _time(text: str) -> time:
    if not re.fullmatch(r"([01]?\d|2[0-3]):[0-5]\d", text):
        raise BadQuery(
            tr("“{time}” is not a time of day.", time=text), tr("Use the form 08:00, in 24 hours.")
        )
    hour, minute = map(int, text.split(":"))
    return time(hour, minute)


def _topic_as_value(subject: FollowedTopic, state: DigestState) -> dict[str, Any]:
    return {
        "name": subject.name,
        "kind": subject.kind.value,
        **_interval_as_value(state.interval),
        "due": state.is_due(datetime.now().astimezone()),
    }


def _timetable_as_value(timetable: Timetable | None) -> dict[str, Any]:
    if timetable is None:
        return {"installed": False}
    return {
        "installed": True,
        **_interval_as_value(timetable.interval),
        "time": f"{timetable.at:%H:%M}",
        "next": timetable.next(datetime.now()).isoformat(timespec="minutes"),
    }


def _interval_as_value(interval: Interval) -> dict[str, Any]:
    weekly = interval.frequency is Frequency.weekly
    day = DAYS[interval.weekday] if weekly else None
    return {"frequency": interval.frequency.value, "day": day}

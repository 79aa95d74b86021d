"""A digest of recommendations for all followed topics, as HTML, Markdown or a feed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote
from xml.etree import ElementTree

from sciread_app.domain.identifiers import RESOLVERS
from sciread_app.domain.paper import Paper, PaperId
from sciread_app.domain.recommend import Recommendations, RecommendedPaper
from sciread_app.domain.text.tex import readable
from sciread_app.errors import SciReadError
from sciread_app.formats.html import html_page
from sciread_app.language import tr
from sciread_app.services.recommend.recommender import Recommender
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from trainer.contract.run import write_atomically

_ATOM = "http://www.w3.org/2005/Atom"
_TITLE = "Recommended papers"
_LINKED = ("doi", "arxiv", "pmid")
_AUTHORS = 6
_NOT_IN_XML = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46em;margin:2em auto;padding:0 1em;"
    "color-scheme:light dark}h1,h2,h3{line-height:1.25}h3{margin-bottom:.2em}"
    "p{margin:.2em 0 .6em}.quiet{opacity:.75;font-size:.9em}"
)


class DigestEntry(NamedTuple):
    """A recommended paper, and the titles of the papers it is similar to."""

    paper: Paper
    pick: RecommendedPaper
    like: Sequence[str]


@dataclass(frozen=True, slots=True)
class Digest:
    """The recommendations of each followed topic that fit it. `made` is in UTC."""

    made: datetime
    feeds: Sequence[tuple[Recommendations, Sequence[DigestEntry]]]


def digest(
    library: Library, recommender: Recommender, since: float | None, limit: int, task: Task
) -> Digest:
    """Collect recommendations for all followed topics, at most `limit` papers each.

    `since` is the earliest time of arrival in seconds since 1970; None: the last 30 days. Raises
    Cancelled.
    """
    subjects, feeds = recommender.subjects(), []
    for done, subject in enumerate(subjects):
        task.step(done, len(subjects), subject.name)
        feeds.append(recommender.new_for(subject, since=since, task=task))
    task.step(len(subjects), len(subjects))
    fitting = [[pick for pick in feed.picks if pick.fits][:limit] for feed in feeds]
    papers = _papers(library, [pick for picks in fitting for pick in picks])
    return Digest(
        datetime.now(UTC),
        [
            (feed, [_entry(pick, papers) for pick in picks if pick.paper in papers])
            for feed, picks in zip(feeds, fitting, strict=True)
        ],
    )


def write(made: Digest, path: Path) -> None:
    """Write a digest in the format of the file's suffix, completely or not at all.

    Raises SciReadError for an unknown suffix, or if the file cannot be written.
    """
    form = FORMS.get(path.suffix.lower())
    if form is None:
        raise SciReadError(
            tr(
                "SciRead cannot write recommendations to a file with the extension of {file}.",
                file=path.name,
            ),
            tr("Use one of the extensions {endings}.", endings=", ".join(FORMS)),
        )
    try:
        write_atomically(path, form(made))
    except OSError as error:
        raise SciReadError(
            tr("Could not write {file}: {why}.", file=path, why=error.strerror),
            tr("Select another folder."),
        ) from error


def as_markdown(made: Digest) -> str:
    lines = [f"# {_TITLE}, {made.made:%Y-%m-%d}", ""]
    for feed, entries in made.feeds:
        lines += [f"## {_plain(feed.subject.name)}", ""]
        for entry in entries:
            title, link = _plain(readable(entry.paper.title)), _link(entry.paper)
            lines.append(f"- **[{title}]({link})**" if link else f"- **{title}**")
            lines += [f"  {_plain(text)}" for text in (_byline(entry.paper), _why(entry)) if text]
        lines += ([] if entries else [_plain(_nothing(feed))]) + [""]
    return "\n".join(lines)


def as_html(made: Digest) -> str:
    parts = [f"<h1>{_TITLE}, {made.made:%Y-%m-%d}</h1>"]
    for feed, entries in made.feeds:
        parts.append(f"<h2>{escape(feed.subject.name)}</h2>")
        parts += [_html_entry(entry) for entry in entries]
        if not entries:
            parts.append(f'<p class="quiet">{escape(_nothing(feed))}</p>')
    return html_page(_TITLE, "\n".join(parts), _STYLE)


def as_atom(made: Digest) -> str:
    """Return the digest as an Atom feed. Entry ids are stable, so that a feed reader shows a paper
    only once."""
    ElementTree.register_namespace("", _ATOM)
    feed = ElementTree.Element(f"{{{_ATOM}}}feed")
    _add(feed, "id", "urn:sciread:new-for-you")
    _add(feed, "title", _TITLE)
    _add(feed, "updated", f"{made.made:%Y-%m-%dT%H:%M:%SZ}")
    _add(_add(feed, "author"), "name", "SciRead")
    for subject, entries in made.feeds:
        for entry in entries:
            _add_entry(feed, subject, entry)
    ElementTree.indent(feed)
    return ElementTree.tostring(feed, "unicode", xml_declaration=True) + "\n"


FORMS: Mapping[str, Callable[[Digest], str]] = {
    ".html": as_html,
    ".md": as_markdown,
    ".atom": as_atom,
}


def _papers(library: Library, picks: Sequence[RecommendedPaper]) -> dict[PaperId, Paper]:
    ids = dict.fromkeys(paper for pick in picks for paper in (pick.paper, *pick.like))
    return {paper.id: paper for paper in library.get(ids) if paper.id is not None}


def _entry(pick: RecommendedPaper, papers: Mapping[PaperId, Paper]) -> DigestEntry:
    like = [readable(papers[paper].title) for paper in pick.like if paper in papers]
    return DigestEntry(papers[pick.paper], pick, like)


def _add_entry(feed: ElementTree.Element, followed: Recommendations, entry: DigestEntry) -> None:
    paper, came = entry.paper, datetime.fromtimestamp(entry.pick.came, UTC)
    node = _add(feed, "entry")
    _add(node, "id", f"urn:sciread:{followed.subject.key}:paper:{paper.id}")
    _add(node, "title", _NOT_IN_XML.sub("", readable(paper.title)))
    _add(node, "updated", f"{came:%Y-%m-%dT%H:%M:%SZ}")
    for author in paper.authors[:_AUTHORS]:
        _add(_add(node, "author"), "name", _NOT_IN_XML.sub("", author.name))
    if link := _link(paper):
        _add(node, "link").set("href", link)
    _add(node, "category").set("term", _NOT_IN_XML.sub("", followed.subject.name))
    summary = " ".join(filter(None, (_why(entry), readable(paper.abstract))))
    _add(node, "summary", _NOT_IN_XML.sub("", summary))


def _add(parent: ElementTree.Element, name: str, text: str = "") -> ElementTree.Element:
    child = ElementTree.SubElement(parent, f"{{{_ATOM}}}{name}")
    child.text = text or None
    return child


def _html_entry(entry: DigestEntry) -> str:
    title, link = escape(readable(entry.paper.title)), _link(entry.paper)
    head = f'<a href="{escape(link)}">{title}</a>' if link else title
    return (
        f'<h3>{head}</h3><p class="quiet">{escape(_byline(entry.paper))}</p>'
        f"<p>{escape(_why(entry))}</p>"
    )


def _why(entry: DigestEntry) -> str:
    like = " and ".join(f"“{title}”" for title in entry.like)
    words = ", ".join(entry.pick.words)
    parts = (f"Similar to {like}" if like else "", f"key terms: {words}" if words else "")
    text = "; ".join(filter(None, parts))
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _byline(paper: Paper) -> str:
    names = ", ".join(author.name for author in paper.authors[:_AUTHORS])
    more = " and others" if len(paper.authors) > _AUTHORS else ""
    return " · ".join(filter(None, (names + more, paper.venue, paper.published)))


def _link(paper: Paper) -> str:
    for kind in _LINKED:
        if value := paper.identifier(kind):
            return RESOLVERS[kind] + quote(value, safe="/:;.-_")
    return ""


def _nothing(feed: Recommendations) -> str:
    return f"{feed.note} {feed.hint}".strip() or "No new papers."


def _plain(text: str) -> str:
    """Escape text for Markdown and HTML, on one line."""
    text = escape(" ".join(text.split()), quote=False)
    return "".join(f"\\{letter}" if letter in "\\`*_[]" else letter for letter in text)

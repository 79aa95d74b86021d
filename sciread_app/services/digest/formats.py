"""The formats of a digest: text, Markdown, HTML, a mail message, an Atom feed and JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid5
from xml.etree import ElementTree

from sciread_app.domain.digest import Digest, DigestEntry, TopicDigest
from sciread_app.domain.metadata.identifiers import RESOLVERS
from sciread_app.domain.paper import Paper
from sciread_app.domain.recommend import TopicKind
from sciread_app.domain.text.bylines import byline
from sciread_app.domain.text.sentences import sentences
from sciread_app.domain.text.tex import readable
from sciread_app.errors import BadQuery
from sciread_app.formats.html import html_page
from sciread_app.language import format_day, format_list, tr, trn

_ATOM = "http://www.w3.org/2005/Atom"
_LINKED = ("doi", "arxiv", "pmid", "pmcid")
_AUTHORS = 6  # named of a paper
_SENTENCES, _LETTERS = 3, 500  # shown of an abstract
_NOT_IN_XML = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ADDRESS = re.compile(r"[!-~]+@[!-~]+")
# Mail programs do not support much more than this.
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46em;margin:2em auto;padding:0 1em;"
    "color-scheme:light dark}h1,h2,h3{line-height:1.25}h3{margin-bottom:.2em}"
    "p{margin:.2em 0 .6em}.quiet{opacity:.75;font-size:.9em}"
)


def as_text(digest: Digest) -> str:
    """Plain text, for the mail programs that show no HTML."""
    lines = [digest_title(digest), ""]
    for topic in digest.topics:
        lines += [_line(topic.subject.name), "=" * min(len(_line(topic.subject.name)), 72), ""]
        for entry in topic.entries:
            lines += [*(_line(text) for text in _parts(topic, entry) if text), ""]
        lines += [_after(topic), ""] if _after(topic) else [""]
    return "\n".join(lines).rstrip() + "\n"


def as_markdown(digest: Digest) -> str:
    lines = [f"# {digest_title(digest)}", ""]
    for topic in digest.topics:
        lines += [f"## {_plain(topic.subject.name)}", ""]
        for entry in topic.entries:
            title, *rest, address = _parts(topic, entry)
            shown = f"[{_plain(title)}]({address})" if address else _plain(title)
            item = [f"- **{shown}**", *(f"  {_plain(text)}" for text in rest if text)]
            lines.append("  \n".join(item))  # with line breaks
        lines += [""] if topic.entries else []
        lines += [_plain(_after(topic)), ""] if _after(topic) else []
    return "\n".join(lines).rstrip() + "\n"


def as_html(digest: Digest) -> str:
    """A page that refers to no other file."""
    title = digest_title(digest)
    parts = [f"<h1>{escape(title)}</h1>"]
    for topic in digest.topics:
        parts.append(f"<h2>{escape(topic.subject.name)}</h2>")
        parts += [_html_entry(topic, entry) for entry in topic.entries]
        if after := _after(topic):
            parts.append(f'<p class="quiet">{escape(after)}</p>')
    return html_page(title, "\n".join(parts), _STYLE)


def as_mail(digest: Digest, address: str, feed: UUID) -> str:
    """A message to this address, from itself, as text and HTML, in ASCII."""
    # Imported when needed: every command would take 20 ms longer.
    from email.message import EmailMessage
    from email.policy import SMTP
    from email.utils import format_datetime

    message = EmailMessage(SMTP.clone(cte_type="7bit", linesep="\n"))
    message["From"] = message["To"] = address
    message["Date"] = format_datetime(digest.made)
    message["Message-ID"] = f"<{uuid5(feed, digest.made.isoformat())}@sciread.invalid>"
    papers = trn("{n:,} new paper", "{n:,} new papers", digest.papers)
    message["Subject"] = f"{digest_title(digest)}: {papers}"
    message.set_content(as_text(digest))
    message.add_alternative(as_html(digest), subtype="html")
    return message.as_string()


def as_atom(digests: Sequence[Digest], feed: UUID, most: int) -> str:
    """An Atom feed (RFC 4287) of the last `most` entries of digests, latest first. The ids of the
    feed and its entries are stable, so that a feed reader shows a paper only once for a topic."""
    ElementTree.register_namespace("", _ATOM)
    root = ElementTree.Element(f"{{{_ATOM}}}feed")
    _add(root, "id", feed.urn)
    _add(root, "title", tr("SciRead digest"))
    made = max((digest.made for digest in digests), default=datetime.now(UTC))
    _add(root, "updated", _moment(made.timestamp()))
    _add(_add(root, "author"), "name", "SciRead")
    entries = [
        (topic, entry) for digest in digests for topic in digest.topics for entry in topic.entries
    ]
    for topic, entry in entries[:most]:
        _add_entry(root, feed, topic, entry)
    ElementTree.indent(root)
    return ElementTree.tostring(root, "unicode", xml_declaration=True) + "\n"


def as_value(digest: Digest) -> dict[str, Any]:
    """A value for JSON."""
    return {
        "made": digest.made.isoformat(timespec="seconds"),
        "papers": digest.papers,
        "topics": [
            {
                "topic": topic.subject.name,
                "kind": topic.subject.kind.value,
                "more": topic.more,
                "papers": [_entry_as_value(topic, entry) for entry in topic.entries],
            }
            for topic in digest.topics
        ],
    }


FORMS: Mapping[str, Callable[[Digest], str]] = {"md": as_markdown, "html": as_html}


def check_address(address: str) -> None:
    """Raise BadQuery if this is not an email address."""
    if not _ADDRESS.fullmatch(address):
        raise BadQuery(
            tr("“{address}” is not an email address.", address=address),
            tr("Use the form you@university.org."),
        )


def digest_title(digest: Digest) -> str:
    return tr("SciRead digest, {day}", day=format_day(digest.made))


def facts(paper: Paper) -> str:
    """Authors, venue and date."""
    return " · ".join(filter(None, (byline(paper, _AUTHORS), paper.venue, paper.published)))


def reason(topic: TopicDigest, entry: DigestEntry) -> str:
    """Why a paper is listed."""
    like = format_list(tr("“{title}”", title=title) for title in entry.like)
    parts = (
        # Translators: this paper is similar to “the title of another”, or several
        tr("Similar to {titles}", titles=like) if entry.like else "",
        tr("Key terms: {words}", words=", ".join(entry.words)) if entry.words else "",
        tr("Found by this query") if topic.subject.kind is TopicKind.query else "",
    )
    return " · ".join(filter(None, parts))


def beginning(abstract: str) -> str:
    """The first sentences of an abstract."""
    text = " ".join(sentences(readable(abstract))[:_SENTENCES])
    return text if len(text) <= _LETTERS else text[:_LETTERS].rsplit(" ", 1)[0] + " …"


def link(paper: Paper) -> str:
    """The web address of a paper; empty if there is none."""
    for kind in _LINKED:
        if value := paper.identifier(kind):
            return RESOLVERS[kind] + quote(value, safe="/:;.-_")
    url = paper.extra.get("url", "")
    if not re.match(r"https?://\w", url, re.IGNORECASE):
        return ""
    return quote(url, safe="%/:;?#@&=+$,.-_~!*")


def _parts(topic: TopicDigest, entry: DigestEntry) -> tuple[str, ...]:
    """Title, byline, reason, beginning of the abstract, and link."""
    paper = entry.paper
    title = readable(paper.title) or tr("Untitled")
    texts = (title, facts(paper), reason(topic, entry), beginning(paper.abstract), link(paper))
    return tuple(map(_printable, texts))


def _after(topic: TopicDigest) -> str:
    """A remark below the papers of a topic."""
    if not topic.more:
        return topic.note
    return trn("{n:,} more paper in Discover", "{n:,} more papers in Discover", topic.more)


def _html_entry(topic: TopicDigest, entry: DigestEntry) -> str:
    title, about, why, text, address = map(escape, _parts(topic, entry))
    shown = f'<a href="{address}">{title}</a>' if address else title
    paragraphs = (
        f'<p class="quiet">{about}</p>' if about else "",
        f'<p class="quiet">{why}</p>' if why else "",
        f"<p>{text}</p>" if text else "",
    )
    return f"<h3>{shown}</h3>{''.join(paragraphs)}"


def _entry_as_value(topic: TopicDigest, entry: DigestEntry) -> dict[str, Any]:
    paper = entry.paper
    title, _, why, text, address = _parts(topic, entry)
    return {
        "id": paper.id,
        "title": title,
        "authors": [author.name for author in paper.authors],
        "venue": paper.venue,
        "published": paper.published,
        "link": address,
        "abstract": text,
        "reason": why,
    }


def _add_entry(
    root: ElementTree.Element, feed: UUID, topic: TopicDigest, entry: DigestEntry
) -> None:
    paper = entry.paper
    title, _, _, _, address = _parts(topic, entry)
    node = _add(root, "entry")
    _add(node, "id", uuid5(feed, f"{topic.subject.key}/{paper.id}").urn)
    _add(node, "title", title)
    _add(node, "updated", _moment(entry.listed))
    for author in paper.authors[:_AUTHORS]:
        if author.name.strip():
            _add(_add(node, "author"), "name", author.name)
    if address:
        _add(node, "link").set("href", address)
    _add(node, "category").set("term", _printable(topic.subject.name))
    # RFC 4287 requires contents of an entry without a link.
    _add(node, "content", _html_entry(topic, entry)).set("type", "html")


def _add(parent: ElementTree.Element, name: str, text: str = "") -> ElementTree.Element:
    child = ElementTree.SubElement(parent, f"{{{_ATOM}}}{name}")
    child.text = _printable(text) or None
    return child


def _printable(text: str) -> str:
    """The text without the control characters that XML does not allow."""
    return _NOT_IN_XML.sub("", text)


def _moment(time: float) -> str:
    return f"{datetime.fromtimestamp(time, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _line(text: str) -> str:
    """The text on one line."""
    return " ".join(text.split())


def _plain(text: str) -> str:
    """Escape text for Markdown and HTML, on one line."""
    text = re.sub(r"[\\`*_\[\]#]", r"\\\g<0>", escape(_line(text), quote=False))
    return re.sub(r"^(\d*)([-+.)])", r"\1\\\2", text)  # no item of a list

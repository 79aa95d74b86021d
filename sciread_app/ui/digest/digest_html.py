"""A digest as rich text. Everything from a paper is escaped."""

from __future__ import annotations

from html import escape

from sciread_app.domain.digest import Digest, DigestEntry, TopicDigest
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr, trn
from sciread_app.services.digest.formats import beginning, byline, link, reason
from sciread_app.ui.style.theme import Theme
from sciread_app.ui.widgets.text.text_direction import direction

PAPER = "paper"  # the scheme of links to papers in the library


def digest_html(digest: Digest, theme: Theme, points: float) -> str:
    """The topics with their papers. `points` is the size of ordinary text."""
    parts = [_topic(topic, theme, points) for topic in digest.topics]
    style = f"<style>a {{ color: {theme.accent}; text-decoration: none }}</style>"
    return f'{style}<div style="color:{theme.text}">{"".join(parts)}</div>'


def _topic(topic: TopicDigest, theme: Theme, points: float) -> str:
    name = escape(topic.subject.name)
    style = f"font-size:{points * 1.25:.1f}pt;font-weight:600;margin:14px 0 8px 0"
    after = topic.note
    if topic.more:
        after = trn("{n:,} more paper in the list", "{n:,} more papers in the list", topic.more)
    entries = "".join(_entry(topic, entry, theme) for entry in topic.entries)
    return f'<p style="{style}">{name}</p>{entries}{_quiet(after, theme.faint)}'


def _entry(topic: TopicDigest, entry: DigestEntry, theme: Theme) -> str:
    paper = entry.paper
    title = escape(readable(paper.title) or tr("Untitled"))
    address = link(paper)
    name = escape(tr("Web page"))
    web = f'<a href="{escape(address)}">{name}</a>' if address else ""
    about = f'<span style="color:{theme.quiet}">{escape(byline(paper))}</span>'
    way = direction(title)
    lines = (
        f'<a href="{PAPER}:{paper.id}" style="font-weight:600">{title}</a>',
        " &nbsp;".join(filter(None, (about if byline(paper) else "", web))),
        escape(beginning(paper.abstract)),
        f'<span style="color:{theme.faint}">{escape(reason(topic, entry))}</span>',
    )
    text = "<br>".join(filter(None, lines))
    return f'<p{way} style="margin:0 0 14px 0;line-height:128%">{text}</p>'


def _quiet(text: str, colour: str) -> str:
    return f'<p style="color:{colour};margin:0 0 14px 0">{escape(text)}</p>' if text else ""

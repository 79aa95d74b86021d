"""The papers of a topic as rich text. Everything from a paper is escaped."""

from __future__ import annotations

from html import escape

from sciread_app.domain.digest import DigestEntry, TopicDigest
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr, trn
from sciread_app.services.digest.formats import beginning, facts, link, reason
from sciread_app.ui.style.theme import Theme
from sciread_app.ui.widgets.text.text_direction import direction

PAPER = "paper"  # the scheme of links to papers in the library


def topic_html(topic: TopicDigest, theme: Theme, points: float) -> str:
    """The name of a topic, which may be empty, its papers and remarks. `points` is the size of
    ordinary text."""
    name = escape(topic.subject.name)
    heading = f"font-size:{points * 1.25:.1f}pt;font-weight:600;margin:14px 0 8px 0"
    after = topic.note
    if topic.more:
        after = trn("{n:,} more paper in New papers", "{n:,} more papers in New papers", topic.more)
    parts = (
        f"<style>a {{ color: {theme.accent}; text-decoration: none }}</style>",
        f'<div style="color:{theme.text}">',
        f'<p style="{heading}">{name}</p>' if name else "",
        *(_entry(topic, entry, theme) for entry in topic.entries),
        f'<p style="color:{theme.faint};margin:0 0 14px 0">{escape(after)}</p>' if after else "",
        "</div>",
    )
    return "".join(parts)


def _entry(topic: TopicDigest, entry: DigestEntry, theme: Theme) -> str:
    paper = entry.paper
    title = escape(readable(paper.title) or tr("Untitled"))
    address = link(paper)
    name = escape(tr("Web page"))
    web = f'<a href="{escape(address)}">{name}</a>' if address else ""
    about = f'<span style="color:{theme.quiet}">{escape(facts(paper))}</span>'
    way = direction(title)
    lines = (
        f'<a href="{PAPER}:{paper.id}" style="font-weight:600">{title}</a>',
        " &nbsp;".join(filter(None, (about if facts(paper) else "", web))),
        escape(beginning(paper.abstract)),
        f'<span style="color:{theme.faint}">{escape(reason(topic, entry))}</span>',
    )
    text = "<br>".join(filter(None, lines))
    return f'<p{way} style="margin:0 0 14px 0;line-height:128%">{text}</p>'

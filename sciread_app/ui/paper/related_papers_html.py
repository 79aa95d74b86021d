"""Lists of related papers as rich text. Everything from a paper is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from html import escape
from urllib.parse import quote

from sciread_app.domain.citations import CitationDirection, CitationList, LinkedPaper
from sciread_app.domain.metadata.identifiers import identifier_link
from sciread_app.domain.paper import Paper
from sciread_app.domain.text.bylines import byline
from sciread_app.domain.text.tex import readable
from sciread_app.language import format_day, format_percent, tr, trn
from sciread_app.ui.formatting import sentence_case
from sciread_app.ui.paper.details_html import PAPER, document
from sciread_app.ui.style.theme import Theme
from sciread_app.ui.view_models import SimilarPaper
from sciread_app.ui.widgets.text.text_direction import direction

ADD, MORE = "add", "more"  # schemes of internal links, besides `PAPER`
FEW = 20  # papers that are shown at first
AUTHORS = 3
NOTHING_ALIKE = tr(
    "No similar papers yet. They appear when the library has more than one paper and indexing "
    "is finished."
)
NOT_FETCHED = tr("Citations not fetched yet. Fetch them from Semantic Scholar and PubMed.")
NAMELESS = tr("This paper has no DOI, arXiv ID, or PMID. Add an identifier to fetch citations.")


def similar_papers_html(found: Sequence[SimilarPaper], theme: Theme) -> str:
    if not found:
        return message_html(NOTHING_ALIKE, theme)
    return document([_alike(one, theme) for one in found], theme)


def citation_list_html(
    citations: CitationList, side: CitationDirection, theme: Theme, most: int | None
) -> str:
    """A list of references or citing papers, of at most `most` papers; None for all."""
    if not citations.total:
        return message_html(_none_found_reason(citations, side), theme)
    shown = citations.nearby[:most]
    parts = [_nearby(one, theme) for one in shown]
    if more := len(citations.nearby) - len(shown):
        text = escape(trn("Show {n} more", "Show {n} more", more))
        parts.append(_paragraph(f'<a href="{MORE}:all">{text}</a>', theme.quiet))
    else:
        parts += [message_html(text, theme) for text in _left(citations)]
    return document([message_html(_known(citations), theme), *parts], theme)


def message_html(text: str, theme: Theme) -> str:
    """A sentence in place of a list."""
    return _paragraph(escape(text), theme.faint)


def match_note(one: SimilarPaper) -> str:
    """98.0% match; empty if it is not known."""
    if one.percentile is None:
        return ""
    # Translators: two papers lie closer together than so many per cent of all pairs do
    return tr("{part} match", part=format_percent(one.percentile))


def _left(citations: CitationList) -> list[str]:
    """The numbers of papers that are not listed, in the library and outside."""
    listed = sum(one.paper is not None for one in citations.nearby)
    inside = len(citations.held) - listed
    outside = citations.total - len(citations.nearby) - inside
    texts = []
    if inside:
        texts.append(
            trn(
                "{n:,} more paper is in the library",
                "{n:,} more papers are in the library",
                inside,
            )
        )
    if outside:
        texts.append(
            trn(
                "{n:,} more paper is not in the library",
                "{n:,} more papers are not in the library",
                outside,
            )
        )
    return texts


def _known(citations: CitationList) -> str:
    return trn(
        "{n:,} paper, {inside:,} in the library",
        "{n:,} papers, {inside:,} in the library",
        citations.total,
        inside=len(citations.held),
    )


def _none_found_reason(citations: CitationList, side: CitationDirection) -> str:
    if citations.fetched_at is not None:
        day = format_day(date.fromtimestamp(citations.fetched_at))
        if side is CitationDirection.references:
            return tr("Semantic Scholar and PubMed listed no references on {day}.", day=day)
        return tr("Semantic Scholar and PubMed listed no citing papers on {day}.", day=day)
    return NOT_FETCHED if citations.askable else NAMELESS


def _alike(one: SimilarPaper, theme: Theme) -> str:
    reasons = []
    if one.words:
        reasons.append(tr("shared terms: {words}", words=", ".join(one.words)))
    if note := match_note(one):
        reasons.append(note)
    return _held(one.paper, theme, escape(sentence_case(" · ".join(reasons))))


def _held(paper: Paper, theme: Theme, more: str = "") -> str:
    title = escape(readable(paper.title) or tr("Untitled"))
    return _entry(f'<a href="{PAPER}:{paper.id}">{title}</a>', _facts(paper), more, theme)


def _nearby(one: LinkedPaper, theme: Theme) -> str:
    if one.paper is not None:
        return _held(one.paper, theme)
    name = f"{one.name.kind}={quote(one.name.value, safe='')}"
    text, address = identifier_link(one.name)
    add = _unbroken(tr("Add to library"))
    does = [f'<a href="{ADD}:{name}">{add}</a>']
    if address:
        does.append(f'<a href="{escape(address)}">{_unbroken(text)}</a>')
    mention = one.mention
    title = escape(readable(mention.title)) if mention else escape(text)
    parts = (mention.authors, mention.venue, mention.year) if mention else ()
    facts = escape(" · ".join(filter(None, parts)))
    return _entry(title, facts, " &nbsp;·&nbsp; ".join(does), theme)


def _unbroken(text: str) -> str:
    return escape(text).replace(" ", "&nbsp;")


def _facts(paper: Paper) -> str:
    names = byline(paper, AUTHORS, last_names=True)
    return escape(" · ".join(filter(None, (names, paper.venue, paper.published[:4]))))


def _entry(title: str, facts: str, more: str, theme: Theme) -> str:
    lines = [title, f'<span style="color:{theme.quiet}">{facts}</span>' if facts else ""]
    if more:
        lines.append(f'<span style="color:{theme.faint}">{more}</span>')
    inside = "<br>".join(filter(None, lines))
    return f'<p{direction(title)} style="margin:0 0 9px 0;line-height:125%">{inside}</p>'


def _paragraph(inside: str, colour: str) -> str:
    return f'<p style="color:{colour};margin:0 0 9px 0;line-height:130%">{inside}</p>'

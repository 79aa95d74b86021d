"""The text of the details panel as rich text. Everything from a paper is escaped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from urllib.parse import quote

from sciread_app.domain.metadata.guesses import guessed_authors, guessed_title, guessed_year
from sciread_app.domain.metadata.identifiers import identifier, identifier_link, identifier_links
from sciread_app.domain.metadata.paper_updates import retracted
from sciread_app.domain.paper import Paper
from sciread_app.domain.search_hit import MatchInfo
from sciread_app.domain.text.term_matching import spans
from sciread_app.domain.text.tex import readable
from sciread_app.language import format_percent, tr, trn
from sciread_app.ui.style.theme import Theme
from sciread_app.ui.view_models import Details, ResultList
from sciread_app.ui.widgets.text.text_direction import direction

MOST_AUTHORS = 40
_RETRACTION_SOURCES = {"crossref": "Crossref", "europepmc": "Europe PMC", "openalex": "OpenAlex"}
_RETRACTION_FIELDS = ("retraction_in", "publication_types", "withdrawn")
FIND, PAPER, ACCEPT, UNDO = "find", "paper", "accept", "undo"  # schemes of internal links
_NOTICES = (
    ("erratum_in", tr("Correction")),
    ("expression_of_concern_in", tr("Expression of concern")),
)


def head_text(details: Details, listing: ResultList, theme: Theme, points: float) -> str:
    """The title, authors and publication of a paper. `points` is the size of ordinary text."""
    words = _words(details, listing)
    return document([_head(details.paper, words, theme, points)], theme)


def body_text(details: Details, listing: ResultList, theme: Theme, points: float) -> str:
    """The problems of a paper, its abstract and versions, and the reasons why it was found."""
    paper = details.paper
    parts = [
        _section(tr("Needs attention"), _problems(details), theme, points),
        _abstract(details, listing, theme, points),
        _section(tr("Why this result"), _reason(details, listing), theme, points),
        _section(tr("Fields"), _searches("cat", paper.fields), theme, points),
        _section(tr("Keywords"), escape(", ".join(paper.keywords)), theme, points),
        *(
            _section(title, _notice(paper.extra.get(name, "")), theme, points)
            for name, title in _NOTICES
        ),
        _section(tr("Other versions"), _versions(details), theme, points),
        _section(tr("Looked up"), _looked_up(details), theme, points),
    ]
    return document(parts, theme)


def warning(details: Details) -> tuple[str, str]:
    """That a paper was retracted or withdrawn, and the source of the notice as rich text; both
    empty if it was not."""
    paper = details.paper
    found = next((one for one in details.looked_up if one.field in _RETRACTION_FIELDS), None)
    day = found.day if found else details.noticed
    seen = tr("Detected on {day}.", day=day) if day else ""
    if retracted(paper):
        source = found.source if found else _RETRACTION_SOURCES.get(paper.source, "PubMed")
        named = tr("Source: {source}.", source=source)
        notice = _notice(paper.extra.get("retraction_in", ""))
        # Translators: the publication that says that a paper was retracted
        explained = tr("Retraction notice: {notice}.", notice=notice) if notice else ""
        parts = filter(None, (named, explained, seen))
        return tr("This paper was retracted"), " ".join(parts)
    if message := paper.extra.get("withdrawn", ""):
        return tr("This paper was withdrawn"), f"arXiv: {escape(message)} {seen}".strip()
    return "", ""


def foot_text(details: Details) -> str:
    key = details.paper.identifier("citekey")
    parts = [tr("Added {day}", day=details.added)] if details.added else []
    if key:
        # Translators: a citation key, as in BibTeX
        parts.append(tr("Citation key {key}", key=key))
    if details.trashed:
        parts.append(tr("In Trash"))
    return " · ".join(parts)


def marked(text: str, words: Sequence[str], sentence: str, theme: Theme) -> str:
    """`text` as rich text, with `words` highlighted and `sentence`, a part of it, emphasized."""
    start = text.find(sentence) if sentence else -1
    end = start + len(sentence)
    found = spans(text, words)
    edges = sorted({0, len(text), *(edge for span in found for edge in span)})
    if start >= 0:
        edges = sorted({*edges, start, end})
    in_word = {place for span in found for place in range(*span)}
    pieces = []
    for left, right in pairwise(edges):
        style = ""
        if left in in_word:
            style = f"background-color:{theme.mark};"
        elif start <= left < end:
            style = f"background-color:{theme.sentence};"
        piece = escape(text[left:right])
        pieces.append(f'<span style="{style}">{piece}</span>' if style else piece)
    return "".join(pieces)


def _words(details: Details, listing: ResultList) -> Sequence[str]:
    """The words to highlight, the same as on the card."""
    return listing.words or details.words


def _head(paper: Paper, words: Sequence[str], theme: Theme, points: float) -> str:
    plain = readable(paper.title)
    title = marked(plain, words, "", theme) or escape(tr("Untitled"))
    names = [
        f'<a href="{FIND}:{_argument("author", author.last_name)}">{escape(author.name)}</a>'
        for author in paper.authors[:MOST_AUTHORS]
    ]
    people = ", ".join(names) or _guessed_authors(paper) or tr("Unknown authors")
    if names and paper.has_more_authors:
        people = tr("{names} et al.", names=people)
    elif (more := len(paper.authors) - MOST_AUTHORS) > 0:
        people = trn("{names}, and {n} more", "{names}, and {n} more", more, names=people)
    guessed = _guess(guessed_year(paper), "published", tr("Accept year"))
    where = " · ".join(filter(None, (escape(paper.venue), escape(paper.published) or guessed)))
    web = [
        f'<a href="{escape(url)}">{escape(text)}</a>'
        for text, url in identifier_links(paper.written_identifiers)
    ]
    url = paper.extra.get("url", "")
    if url.startswith(("https://", "http://")) and not web:
        web.append(f'<a href="{escape(url, quote=True)}">{escape(url[:60])}</a>')
    rows = [
        f'<p{direction(plain)} style="font-size:{points * 1.5:.1f}pt;font-weight:600;'
        f'line-height:118%;margin:0 0 8px 0">{title}</p>',
        _line(_guess(guessed_title(paper), "title", tr("Accept title")), theme.text),
        _line(people, theme.text),
        _line(where, theme.quiet),
        _line(" &nbsp;·&nbsp; ".join(web), theme.quiet),
    ]
    return "".join(rows)


def _guessed_authors(paper: Paper) -> str:
    names = [author.name for author in guessed_authors(paper)[:MOST_AUTHORS]]
    return _guess(", ".join(names), "authors", tr("Accept authors"))


def _guess(value: str, field: str, label: str) -> str:
    """A value that the paper's PDF may have, with a link to accept it; empty without a value."""
    accept = f'<a href="{ACCEPT}:{field}">{label}</a>'
    return tr("Uncertain: {value} · {accept}", value=escape(value), accept=accept) if value else ""


def _problems(details: Details) -> str:
    """Why the paper is listed under Needs attention; empty if it is not."""
    paper = details.paper
    fields = (
        (tr("No title"), paper.title),
        (tr("No authors"), paper.authors),
        (tr("No year"), paper.year),
    )
    missing = " · ".join(text for text, value in fields if not value)
    files = (f"{file.path.name}: {file.problem}" for file in details.files if file.problem)
    return "<br>".join(filter(None, (missing, *map(escape, files))))


def _reason(details: Details, listing: ResultList) -> str:
    lines = []
    hit = listing.evidence.get(details.paper.id or 0)
    if details.words:
        words = ", ".join(f"<b>{escape(word)}</b>" for word in details.words)
        lines.append(tr("Matching keywords: {words}", words=words))
    if hit and hit.match is MatchInfo.in_title:
        lines.append(tr("The title contains all keywords in this order"))
    elif hit and hit.match is MatchInfo.all_words:
        lines.append(tr("The paper contains all keywords"))
    if hit and hit.percentile is not None:
        closer = f"<b>{format_percent(hit.percentile)}</b>"
        if hit.weak:
            text = tr(
                "Weak match: more similar in meaning than {percent} of random pairs in this "
                "library",
                percent=closer,
            )
        else:
            text = tr(
                "{percent} match: more similar in meaning than {percent} of random pairs in this "
                "library",
                percent=closer,
            )
        lines.append(text)
    if hit and listing.words and (hit.text_rank or hit.meaning_rank):
        words, meaning = _rank(hit.text_rank), _rank(hit.meaning_rank)
        lines.append(
            tr("Rank by keyword: {words} · by meaning: {meaning}", words=words, meaning=meaning)
        )
    elif hit and hit.meaning_rank:
        lines.append(tr("Rank by meaning: {rank}", rank=_rank(hit.meaning_rank)))
    return "<br>".join(lines)


def _rank(rank: int | None) -> str:
    return f"<b>{rank}</b>" if rank else tr("not found")


def _abstract(details: Details, listing: ResultList, theme: Theme, points: float) -> str:
    if not details.paper.abstract.strip():
        return ""
    words = _words(details, listing)
    sentence = readable(details.sentence)
    paragraphs = [
        f'<p{direction(readable(part))} style="line-height:145%;margin:0 0 8px 0">'
        f"{marked(readable(part), words, sentence, theme)}</p>"
        for part in details.paper.abstract.split("\n\n")
    ]
    return _title(tr("Abstract"), theme, points) + "".join(paragraphs)


def _versions(details: Details) -> str:
    return "<br>".join(
        f'<a href="{PAPER}:{paper}">{escape(title)}</a>' for paper, title in details.versions
    )


def _searches(field: str, values: Sequence[str]) -> str:
    return " &nbsp;·&nbsp; ".join(
        f'<a href="{FIND}:{_argument(field, value)}">{escape(value)}</a>' for value in values
    )


def _argument(field: str, value: str) -> str:
    """A search for exactly this value, encoded for a link."""
    value = value.replace('"', " ")
    return quote(f'{field}:"{value}"' if " " in value else f"{field}:{value}")


def _notice(notice: str) -> str:
    """A notice, or several; PMIDs and DOIs become links."""
    names = [identifier("doi" if "/" in word else "pmid", word) for word in notice.split()]
    if None in names:
        return escape(notice.rstrip("."))
    links = (identifier_link(name) for name in names if name)
    return ", ".join(f'<a href="{escape(address)}">{escape(text)}</a>' for text, address in links)


def _looked_up(details: Details) -> str:
    """The fields with values of a look-up, by service, as links that restore the values before."""
    fields: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in details.looked_up:
        link = f'<a href="{UNDO}:{one.field}">{escape(one.title)}</a>'
        fields[one.source, one.day].append(link)
    return "<br>".join(
        # Translators: the fields follow, as links
        tr(
            "From {source}, {day}. Undo: {fields}",
            source=escape(source),
            day=escape(day),
            fields=" &nbsp;·&nbsp; ".join(links),
        )
        for (source, day), links in fields.items()
    )


def document(parts: Sequence[str], theme: Theme) -> str:
    """Rich text with links in the color of the theme."""
    style = f"a {{ color: {theme.accent}; text-decoration: none; }}"
    return f"<html><head><style>{style}</style></head><body>{''.join(parts)}</body></html>"


def _line(inside: str, colour: str) -> str:
    return f'<p style="color:{colour};margin:0 0 5px 0">{inside}</p>' if inside else ""


def _title(text: str, theme: Theme, points: float) -> str:
    return (
        f'<p style="color:{theme.faint};font-size:{points * 0.88:.1f}pt;font-weight:600;'
        f'margin:14px 0 4px 0">{text.upper()}</p>'
    )


def _section(title: str, inside: str, theme: Theme, points: float) -> str:
    if not inside:
        return ""
    return f'{_title(title, theme, points)}<p style="line-height:140%;margin:0">{inside}</p>'

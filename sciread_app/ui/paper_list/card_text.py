"""The chips, the match and the excerpt of a card; `card_delegate` paints the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtGui import QFontMetrics

from sciread_app.domain.metadata.guesses import accepted
from sciread_app.domain.search_hit import MatchInfo, SearchHit
from sciread_app.domain.text.sentences import sentences
from sciread_app.domain.text.term_matching import distinct, spans
from sciread_app.language import tr, trn
from sciread_app.ui.style.tag_colours import shade
from sciread_app.ui.style.theme import Theme
from sciread_app.ui.view_models import Card, Moved

MOST_FIELDS = 4
STARS = 5


class CardChip(NamedTuple):
    """A chip: its text and two colors."""

    text: str
    fill: str
    letters: str


def card_marks(card: Card, theme: Theme, *, with_citations: bool = False) -> list[CardChip]:
    """The chips of a card, the most important first. `with_citations`: also the number of its
    known citations."""
    marks = [CardChip(card.retracted, theme.danger_soft, theme.danger)] if card.retracted else []
    if accepted(card.paper):
        marks.append(CardChip(tr("Uncertain values"), theme.notice_soft, theme.text))
    if card.rating:
        marks.append(CardChip("★" * card.rating + "☆" * (STARS - card.rating), "", theme.text))
    for tag in card.tags:
        look = shade(theme, card.tag_colours.get(tag, ""))
        marks.append(CardChip(tag, look.fill, look.text))
    plain = []
    if with_citations and card.citations:
        plain.append(trn("{n:,} citation", "{n:,} citations", card.citations))
    plain += [_versions(card)] if card.versions > 1 else []
    plain += ["PDF"] if has_pdf(card) else []
    plain += card.paper.fields[:MOST_FIELDS]
    return marks + [CardChip(text, theme.track, theme.quiet) for text in plain]


def rank_change_mark(moved: Moved, theme: Theme) -> CardChip:
    """A paper's rank change against another list, as a chip."""
    places = moved.places
    if places is None:
        # Translators: a paper that is not in the other list
        return CardChip(tr("Unique"), theme.accent, theme.on_accent)
    if places == 0:
        # Translators: a paper has the same rank in both lists
        return CardChip(tr("Same rank"), "", theme.faint)
    fill = theme.sentence if places > 0 else theme.notice_soft
    return CardChip(f"{'▲' if places > 0 else '▼'} {abs(places)}", fill, theme.text)


def accessible_move(moved: Moved) -> str:
    places = moved.places
    if places is None:
        return tr("only in this list")
    if places == 0:
        return tr("same rank in both lists")
    if places > 0:
        return trn("{n} rank higher in this list", "{n} ranks higher in this list", places)
    return trn("{n} rank lower in this list", "{n} ranks lower in this list", -places)


def has_pdf(card: Card) -> bool:
    return any(file.lower().endswith(".pdf") for file in card.paper.files)


def accessible_marks(card: Card) -> str:
    """The chips as text for screen readers."""
    rated = trn("{n} star", "{n} stars", card.rating) if card.rating else ""
    several = _versions(card) if card.versions > 1 else ""
    unread = "" if card.read else tr("unread")
    unsure = tr("uncertain values") if accepted(card.paper) else ""
    parts = (card.retracted, unread, unsure, rated, several, *card.tags)
    return ", ".join(filter(None, parts))


def _versions(card: Card) -> str:
    return trn("{n} version", "{n} versions", card.versions)


def shared_words(text: str, words: Sequence[str]) -> list[str]:
    """The words of `text` that match the search, as written there but in lower case."""
    return distinct(text[start:end].lower() for start, end in spans(text, words))


def best_excerpt(abstract: str, words: Sequence[str]) -> str:
    """The abstract from the sentence on that contains most of the words."""
    best, most = "", 0
    parts = sentences(abstract) if words else []
    for part in parts:
        held = len(shared_words(part, words))
        if held > most:
            best, most = part, held
    if not best or best == parts[0]:
        return abstract
    return f"… {abstract[abstract.index(best) :]}"


def widest_match(metrics: QFontMetrics) -> int:
    """The width in pixels of the longest text of `match_text`."""
    texts = (tr("In title"), tr("All keywords"), tr("Very close"), tr("Related"))
    return max(map(metrics.horizontalAdvance, texts))


def match_text(hit: SearchHit) -> str:
    """The quality of a match in a word or two; empty if it is uncertain."""
    if hit.match is MatchInfo.in_title:
        # Translators: the title contains all words of the query
        return tr("In title")
    if hit.match is MatchInfo.all_words:
        return tr("All keywords")
    percentile = hit.percentile
    if hit.weak:
        return tr("Weak")
    if percentile is None:
        return ""
    if percentile >= 99.9:
        return tr("Very close")
    if percentile >= 99:
        return tr("Close")
    # A ranked result that is not weak is related to the query.
    ranked = hit.text_rank or hit.meaning_rank
    return tr("Related") if ranked or percentile >= 95 else ""

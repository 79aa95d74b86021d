"""The columns of the table of papers: a new column is one more entry of `COLUMNS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sciread_app.domain.metadata.item_types import KIND_NAMES
from sciread_app.domain.paper import Order
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.ui.paper_list.card_text import has_pdf
from sciread_app.ui.view_models import Card


class Column(NamedTuple):
    """A column of the table. Without an `order` the list cannot be sorted by it."""

    title: str
    width: int  # in digits, at first
    least: int  # in digits, at first in a narrow list
    text: Callable[[Card], str]
    order: Order | None = None
    shown: bool = True  # at first


def _creators(card: Card) -> str:
    """The family names of up to two authors, or of the first: "LeCun et al."."""
    people = card.paper.authors
    families = [" ".join(filter(None, (one.particle, one.family or one.given))) for one in people]
    if len(families) > 2 or (families and card.paper.has_more_authors):
        return tr("{author} et al.", author=families[0])
    if len(families) == 2:
        return tr("{first} and {second}", first=families[0], second=families[1])
    return "".join(families)


def _citations(card: Card) -> str:
    return f"{card.citations:,}" if card.citations else ""


# The title comes first and takes the remaining width when the table is first shown. New columns
# come last, since a saved table identifies its columns by their numbers.
COLUMNS = (
    Column(tr("Title"), 40, 30, lambda card: readable(card.paper.title), Order.title),
    Column(tr("Authors"), 17, 12, _creators, Order.author),
    Column(tr("Year"), 7, 7, lambda card: card.paper.published[:4], Order.year),
    Column(tr("Venue"), 18, 11, lambda card: card.paper.venue, Order.venue),
    Column(tr("Rating"), 9, 9, lambda card: "★" * card.rating, Order.rating),
    Column(tr("Tags"), 14, 9, lambda card: ", ".join(card.tags)),
    Column(tr("PDF"), 6, 6, lambda card: "✓" if has_pdf(card) else ""),
    Column(tr("Type"), 16, 16, lambda card: KIND_NAMES.get(card.paper.kind, ""), shown=False),
    Column(tr("Fields"), 16, 16, lambda card: ", ".join(card.paper.fields), shown=False),
    Column("DOI", 24, 24, lambda card: card.paper.written_doi, shown=False),
    Column("arXiv", 14, 14, lambda card: card.paper.identifier("arxiv"), shown=False),
    Column(tr("Citations"), 11, 11, _citations, Order.citations, shown=False),
)

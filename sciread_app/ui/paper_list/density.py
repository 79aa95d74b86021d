"""The densities of a paper list, and the columns of its table."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from sciread_app.domain.item_types import KIND_NAMES
from sciread_app.domain.paper import Order
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr, trc
from sciread_app.ui.paper_list.card_text import has_pdf
from sciread_app.ui.view_models import Card


class Density(Enum):
    """How much of a paper its row shows: a card of five lines or of two, or a row of a table."""

    comfortable = "comfortable"
    compact = "compact"
    table = "table"


DENSITIES = {
    Density.comfortable: trc("density of a list", "Comfortable"),
    Density.compact: trc("density of a list", "Compact"),
    Density.table: trc("density of a list", "Table"),
}


class Column(NamedTuple):
    """A column of the table. Without an `order` the list cannot be sorted by it."""

    key: str  # under which the column is saved
    title: str
    width: int  # in digits, at first
    text: Callable[[Card], str]
    order: Order | None = None
    shown: bool = True  # at first


def _creators(card: Card) -> str:
    """The family names of up to two authors, or of the first: "LeCun et al."."""
    people = card.paper.authors
    families = [" ".join(filter(None, (one.particle, one.family or one.given))) for one in people]
    if len(families) > 2:
        return tr("{author} et al.", author=families[0])
    if len(families) == 2:
        return tr("{first} and {second}", first=families[0], second=families[1])
    return "".join(families)


def _citations(card: Card) -> str:
    return f"{card.citations:,}" if card.citations else ""


def _identifier(kind: str) -> Callable[[Card], str]:
    return lambda card: card.paper.identifier(kind)


# The title comes first and takes the remaining width when the table is first shown. New columns
# come last, since saved ones are identified by their numbers.
COLUMNS = (
    Column("title", tr("Title"), 34, lambda card: readable(card.paper.title), Order.title),
    Column("authors", tr("Authors"), 17, _creators, Order.author),
    Column("year", tr("Year"), 6, lambda card: card.paper.published[:4], Order.year),
    Column("venue", tr("Venue"), 18, lambda card: card.paper.venue, Order.venue),
    Column("rating", tr("Rating"), 8, lambda card: "★" * card.rating, Order.rating),
    Column("tags", tr("Tags"), 14, lambda card: ", ".join(card.tags)),
    Column("pdf", tr("PDF"), 6, lambda card: "✓" if has_pdf(card) else ""),
    Column("kind", tr("Type"), 16, lambda card: KIND_NAMES.get(card.paper.kind, ""), shown=False),
    Column("fields", tr("Fields"), 16, lambda card: ", ".join(card.paper.fields), shown=False),
    Column("doi", "DOI", 24, _identifier("doi"), shown=False),
    Column("arxiv", "arXiv", 14, _identifier("arxiv"), shown=False),
    Column("citations", tr("Citations"), 10, _citations, Order.citations, shown=False),
)

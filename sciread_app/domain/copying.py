"""What papers are copied as: formats of bibliographies, styles of journals, and single facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum

from sciread_app.language import tr


class Style(StrEnum):
    apa = "apa"
    ieee = "ieee"
    nature = "nature"
    vancouver = "vancouver"
    chicago = "chicago"


STYLES = {
    Style.apa: "APA",
    Style.ieee: "IEEE",
    Style.nature: "Nature",
    Style.vancouver: "Vancouver",
    Style.chicago: "Chicago author-date",
}


class CopyAs(Enum):
    """What papers are copied as. Values are kept in settings: they stay what they are."""

    bibtex = "bibtex"
    biblatex = "biblatex"
    ris = "ris"
    csl_json = "csl-json"
    apa = "apa"
    ieee = "ieee"
    nature = "nature"
    vancouver = "vancouver"
    chicago = "chicago"
    apa_in_text = "apa-in-text"
    ieee_in_text = "ieee-in-text"
    nature_in_text = "nature-in-text"
    vancouver_in_text = "vancouver-in-text"
    chicago_in_text = "chicago-in-text"
    doi = "doi"
    link = "link"
    title = "title"


IN_TEXT = "-in-text"

# What a menu says, in groups.
COPY_AS: Sequence[Sequence[tuple[CopyAs, str]]] = (
    (
        (CopyAs.bibtex, "BibTeX"),
        (CopyAs.biblatex, "BibLaTeX"),
        (CopyAs.ris, "RIS"),
        (CopyAs.csl_json, "CSL-JSON"),
    ),
    tuple((CopyAs(style.value), name) for style, name in STYLES.items()),
    tuple(
        # Translators: as the style APA marks what is cited within a text
        (CopyAs(style.value + IN_TEXT), tr("{style}, in the text", style=name))
        for style, name in STYLES.items()
    ),
    ((CopyAs.doi, "DOI"), (CopyAs.link, tr("Link")), (CopyAs.title, tr("Title"))),
)


@dataclass(frozen=True, slots=True)
class Copied:
    """`html` is there where italics matter. `without`: how many papers have no such thing."""

    text: str
    html: str = ""
    without: int = 0

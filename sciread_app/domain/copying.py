"""What papers are copied as: formats of bibliographies, styles of journals, and single facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sciread_app.language import tr


@dataclass(frozen=True, slots=True)
class Style:
    """A citation style: `key` names it in settings and on the command line."""

    key: str
    title: str


# The styles of the program.
STYLES = {
    "apa": "APA",
    "ieee": "IEEE",
    "nature": "Nature",
    "vancouver": "Vancouver",
    "chicago": "Chicago author-date",
}


class CopyAs(Enum):
    """What papers are copied as, besides citations. Values are kept in settings: they stay what
    they are."""

    bibtex = "bibtex"
    biblatex = "biblatex"
    ris = "ris"
    csl_json = "csl-json"
    doi = "doi"
    link = "link"
    title = "title"


@dataclass(frozen=True, slots=True)
class CopyCitation:
    """Papers are copied as references in a style, or as their citation in the text."""

    style: str  # its key
    in_text: bool = False

    @property
    def value(self) -> str:
        """How it is kept in settings."""
        return self.style + IN_TEXT if self.in_text else self.style


IN_TEXT = "-in-text"
CopyWhat = CopyAs | CopyCitation
CopyGroups = Sequence[Sequence[tuple[CopyWhat, str]]]


def copy_what(value: str, styles: Sequence[Style]) -> CopyWhat | None:
    """The choice that settings keep as `value`; None if there is no such choice (any more)."""
    known = {what.value: what for group in copy_groups(styles) for what, _ in group}
    return known.get(value)


def copy_groups(styles: Sequence[Style]) -> CopyGroups:
    """The choices as a menu shows them, with their names, in groups."""
    return (
        (
            (CopyAs.bibtex, "BibTeX"),
            (CopyAs.biblatex, "BibLaTeX"),
            (CopyAs.ris, "RIS"),
            (CopyAs.csl_json, "CSL-JSON"),
        ),
        tuple((CopyCitation(style.key), style.title) for style in styles),
        tuple(
            # Translators: as the style APA marks what is cited within a text
            (CopyCitation(style.key, True), tr("{style}, in the text", style=style.title))
            for style in styles
        ),
        ((CopyAs.doi, "DOI"), (CopyAs.link, tr("Link")), (CopyAs.title, tr("Title"))),
    )


@dataclass(frozen=True, slots=True)
class Copied:
    """`html` is there where italics matter. `without`: how many papers have no such thing."""

    text: str
    html: str = ""
    without: int = 0

"""Clipboard formats: bibliography formats, citation styles and single fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sciread_app.language import tr


@dataclass(frozen=True, slots=True)
class Style:
    """A citation style; `key` identifies it in settings and on the command line."""

    key: str
    title: str


# Built-in styles.
STYLES = {
    "apa": "APA",
    "ieee": "IEEE",
    "nature": "Nature",
    "vancouver": "Vancouver",
    "chicago": "Chicago author-date",
}


class CopyAs(Enum):
    """Formats other than citations in a style. The values are stored in settings and never
    change."""

    bibtex = "bibtex"
    biblatex = "biblatex"
    ris = "ris"
    csl_json = "csl-json"
    doi = "doi"
    link = "link"
    title = "title"


@dataclass(frozen=True, slots=True)
class CopyCitation:
    """Formatted references, or in-text citations, in a style."""

    style: str  # the style's key
    in_text: bool = False

    @property
    def value(self) -> str:
        """The value stored in settings."""
        return self.style + IN_TEXT if self.in_text else self.style


IN_TEXT = "-in-text"
CopyWhat = CopyAs | CopyCitation
CopyGroups = Sequence[Sequence[tuple[CopyWhat, str]]]


def copy_what(value: str, styles: Sequence[Style]) -> CopyWhat | None:
    """The choice stored in settings as `value`; None if there is no such choice, or no longer."""
    known = {what.value: what for group in copy_groups(styles) for what, _ in group}
    return known.get(value)


def copy_groups(styles: Sequence[Style]) -> CopyGroups:
    """The choices with their names, in the groups of the menu."""
    return (
        (
            (CopyAs.bibtex, "BibTeX"),
            (CopyAs.biblatex, "BibLaTeX"),
            (CopyAs.ris, "RIS"),
            (CopyAs.csl_json, "CSL-JSON"),
        ),
        tuple((CopyCitation(style.key), style.title) for style in styles),
        tuple(
            # Translators: the form that refers to a paper within a text, such as (Lee, 2020)
            (CopyCitation(style.key, True), tr("{style} (in-text citation)", style=style.title))
            for style in styles
        ),
        ((CopyAs.doi, "DOI"), (CopyAs.link, tr("Link")), (CopyAs.title, tr("Title"))),
    )


@dataclass(frozen=True, slots=True)
class Copied:
    """Copied text. `html` is set where italics matter; `without` counts papers lacking the
    field."""

    text: str
    html: str = ""
    without: int = 0

"""All evidence in a PDF about its paper, before evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sciread_app.formats.pdf.metadata.layout import PageLayout
from sciread_app.formats.pdf.metadata.rows import Row, rows_of
from sciread_app.formats.pdf.metadata.xmp import Xmp


@dataclass(frozen=True)
class MetadataEvidence:
    """The metadata of a PDF file, and the text and layout of its first pages."""

    name: str  # of the file, with suffix
    info: Mapping[str, str]  # the Info dictionary
    xmp: Xmp
    layouts: Sequence[PageLayout]  # of the first pages
    texts: Sequence[str]  # of the first pages, hyphens at line ends not yet joined

    @cached_property
    def rows(self) -> list[list[Row]]:
        """The rows of each of the first pages."""
        return [rows_of(page) for page in self.layouts]

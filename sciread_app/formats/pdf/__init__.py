"""Metadata and text of PDFs, read in separate processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sciread_app.domain.paper import Paper, Skipped
from sciread_app.formats.pdf import problems
from sciread_app.formats.pdf.content import PdfContent
from sciread_app.formats.pdf.extraction_pool import ExtractionPool

__all__ = ["SUFFIXES", "ExtractionPool", "PdfContent", "read"]

NAME = "pdf"
SUFFIXES = (".pdf",)


def read(path: Path) -> Iterator[Paper | Skipped]:
    """The one paper in a file. For more files, ExtractionPool is many times as fast."""
    with ExtractionPool(workers=1) as readers:
        for content in readers.read([path]):
            is_there = content.sha256 or not content.problem
            why = problems.translated(content.problem)
            yield content.paper if is_there else Skipped(str(path), "", why)

"""PDF: what a paper is called, and all that it says, read in processes of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sciread_app.domain.paper import Paper, Skipped
from sciread_app.formats.pdf import problems
from sciread_app.formats.pdf.content import PdfContent
from sciread_app.formats.pdf.readers import PdfReaders

__all__ = ["SUFFIXES", "PdfContent", "PdfReaders", "read"]

SUFFIXES = (".pdf",)


def read(path: Path) -> Iterator[Paper | Skipped]:
    """The one paper in a file. For more files, PdfReaders is many times as fast."""
    with PdfReaders(workers=1) as readers:
        for content in readers.read([path]):
            is_there = content.sha256 or not content.problem
            why = problems.said(content.problem)
            yield content.paper if is_there else Skipped(str(path), "", why)

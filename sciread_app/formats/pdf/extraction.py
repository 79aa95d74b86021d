"""Extraction from one PDF with PDFium, which is not thread-safe: only worker processes import
this."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from pathlib import Path

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError

from sciread_app.formats.pdf import problems
from sciread_app.formats.pdf.content import PdfContent, completed, unreadable_content
from sciread_app.formats.pdf.metadata.cover_sheet import is_cover
from sciread_app.formats.pdf.metadata.decision import paper_of
from sciread_app.formats.pdf.metadata.evidence import MetadataEvidence
from sciread_app.formats.pdf.metadata.layout import PageLayout, page_layout
from sciread_app.formats.pdf.metadata.text_cleanup import clean, join_hyphens
from sciread_app.formats.pdf.metadata.xmp import read_xmp

MAX_PAGES = 3_000
MAX_TEXT = 2_000_000  # characters
_LAYOUT_PAGES = 3  # pages whose layout is analyzed
_ABSTRACT = re.compile(r"^\W*(?:abstract|summary)\b", re.I | re.M)
_INFO_KEYS = (
    "Title",
    "Author",
    "Subject",
    "Keywords",
    "doi",
    "DOI",
    "WPS-ARTICLEDOI",
    "arXivID",
    "CreationDate",
)
_HEAD = 1024  # bytes in which PDF readers search "%PDF-"

_REASONS = {
    pdfium.FPDF_ERR_PASSWORD: problems.PASSWORD,
    pdfium.FPDF_ERR_SECURITY: problems.LOCKED,
}


@dataclass(slots=True)
class _ReadPages:
    count: int
    layouts: list[PageLayout] = field(default_factory=list)  # of the first pages
    texts: list[str] = field(default_factory=list)
    unread: int = 0  # pages that are damaged, or skipped for lack of time or space


def extract(path: Path, data: bytes, *, seconds: float = 20.0) -> PdfContent:
    """The paper and the text in `data`, the file's bytes; pages not read within `seconds` are left
    out."""
    if not data:
        return unreadable_content(path, problems.EMPTY)
    if b"%PDF-" not in data[:_HEAD]:
        return unreadable_content(path, problems.NO_PDF)
    try:
        document = PdfDocument(data)
    except PdfiumError as error:
        return unreadable_content(path, _REASONS.get(error.err_code, problems.BROKEN))
    try:
        return _extract(path, data, document, time.monotonic() + seconds)
    finally:
        document.close()


def _extract(path: Path, data: bytes, document: PdfDocument, until: float) -> PdfContent:
    pages = _read_pages(document, until)
    info = {key: _info(document, key) for key in _INFO_KEYS}
    first = pages.texts[:_LAYOUT_PAGES]
    paper, remark = paper_of(
        MetadataEvidence(path.name, info, read_xmp(data), pages.layouts, first)
    )
    text = join_hyphens("\n\n".join(filter(None, pages.texts)))[:MAX_TEXT]
    problem = _problem(pages, text)
    return completed(
        PdfContent(
            path=path,
            paper=paper,
            text=text,
            pages=pages.count,
            problem=problem,
            remark=remark,
        )
    )


def _info(document: PdfDocument, key: str) -> str:
    try:
        return clean(document.get_metadata_value(key)).strip()
    except (PdfiumError, UnicodeDecodeError):
        return ""


def _read_pages(document: PdfDocument, until: float) -> _ReadPages:
    pages = _ReadPages(len(document))
    room = MAX_TEXT
    is_headed = False  # whether the page with title, authors and abstract was read
    for number in range(min(pages.count, MAX_PAGES)):
        if room <= 0 or time.monotonic() > until:
            break
        try:
            with_layout = number < _LAYOUT_PAGES and not is_headed
            text, layout = _read_page(document, number, with_layout=with_layout)
        except PdfiumError:
            text, layout = "", PageLayout()
            pages.unread += 1
        if number < _LAYOUT_PAGES:
            pages.layouts.append(layout)
        is_headed = is_headed or bool(_ABSTRACT.search(text) and not is_cover(text))
        pages.texts.append(text)
        room -= len(text)
    pages.unread += pages.count - len(pages.texts)
    return pages


def _read_page(document: PdfDocument, number: int, *, with_layout: bool) -> tuple[str, PageLayout]:
    page = document[number]
    try:
        content = page.get_textpage()
        try:
            layout = page_layout(page, content) if with_layout else PageLayout()
            return clean(content.get_text_range()).strip(), layout
        finally:
            content.close()
    finally:
        page.close()


def _problem(pages: _ReadPages, text: str) -> str:
    if pages.unread == pages.count:
        return problems.NO_PAGE
    if not text.strip():
        return problems.NO_TEXT
    if pages.unread:
        return problems.UNREAD.format(pages=pages.count, unread=pages.unread)
    return ""

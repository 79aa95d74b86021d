"""Adds annotations to pages with PDFium: only the rendering process imports this."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError, PdfPage

_KINDS = {
    "Highlight": pdfium.FPDF_ANNOT_HIGHLIGHT,
    "Square": pdfium.FPDF_ANNOT_SQUARE,
    "Text": pdfium.FPDF_ANNOT_TEXT,
}
_PRINTED = 4
_UNSCALED = 8 + 16  # icons are as large at every zoom, and upright on rotated pages
_MAY_ANNOTATE = 32  # of the permissions of a file
_LINE = 1.5  # points: the frame of an area
_FAR = 100_000  # pixels

Point = tuple[float, float]
ToPage = Callable[[float, float], Point]


def may_annotate(document: PdfDocument) -> bool:
    """Whether the protection of the file, if it has one, allows annotations."""
    return bool(pdfium.FPDF_GetDocPermissions(document) & _MAY_ANNOTATE)


def annotate(page: PdfPage, place: ToPage, annotations: Iterable[dict[str, Any]]) -> None:
    """Add annotations to a page, in the form of PdfAnnotation.to_wire.

    `place` converts points from the top left of the displayed page to the page's own coordinates.
    """
    for one in annotations:
        annotation = pdfium.FPDFPage_CreateAnnot(page, _KINDS[one["kind"]])
        if not annotation:
            raise PdfiumError("the annotation was not created")
        try:
            _fill(annotation, place, one)
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
    _add_appearances(page)


def saved(document: PdfDocument) -> bytearray:
    """The document as a file, with its annotations, and encrypted if it was."""
    data = bytearray()

    def write(_: Any, start: Any, size: int) -> int:
        data.extend(ctypes.string_at(start, size))
        return 1

    writer = pdfium.FPDF_FILEWRITE(version=1)
    writer.WriteBlock = type(writer.WriteBlock)(write)
    if not pdfium.FPDF_SaveAsCopy(document, writer, 0):
        raise PdfiumError("the document was not written")
    return data


def _fill(annotation: Any, place: ToPage, fields: dict[str, Any]) -> None:
    kind = fields["kind"]
    done = [
        pdfium.FPDFAnnot_SetColor(
            annotation, pdfium.FPDFANNOT_COLORTYPE_Color, *fields["colour"], 255
        ),
        pdfium.FPDFAnnot_SetRect(annotation, _around(place, fields["boxes"])),
        pdfium.FPDFAnnot_SetFlags(annotation, _PRINTED + (_UNSCALED if kind == "Text" else 0)),
    ]
    if kind == "Highlight":
        done += [
            pdfium.FPDFAnnot_AppendAttachmentPoints(annotation, _quad(place, *box))
            for box in fields["boxes"]
        ]
    if kind == "Square":
        done.append(pdfium.FPDFAnnot_SetBorder(annotation, 0, 0, _LINE))
    for key, text in fields["texts"].items():
        if text:
            letters = ctypes.create_string_buffer(f"{text}\0".encode("utf-16-le", "replace"))
            value = ctypes.cast(letters, ctypes.POINTER(pdfium.FPDF_WCHAR))
            done.append(pdfium.FPDFAnnot_SetStringValue(annotation, key.encode(), value))
    if not all(done):
        raise PdfiumError("the annotation was not filled")


def _add_appearances(page: PdfPage) -> None:
    """Let PDFium draw the annotations: it stores how each one looks, which some readers need.

    The page is drawn outside of an image of one pixel, since only this side effect counts.
    """
    bitmap = pdfium.FPDFBitmap_Create(1, 1, 0)
    if not bitmap:
        raise MemoryError
    try:
        pdfium.FPDF_RenderPageBitmap(
            bitmap, page, -_FAR, -_FAR, _FAR // 2, _FAR // 2, 0, pdfium.FPDF_ANNOT
        )
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)


def _quad(place: ToPage, left: float, top: float, right: float, bottom: float) -> Any:
    corners = ((left, top), (right, top), (left, bottom), (right, bottom))
    return pdfium.FS_QUADPOINTSF(*(edge for corner in corners for edge in place(*corner)))


def _around(place: ToPage, boxes: Sequence[Sequence[float]]) -> Any:
    corners = [place(*corner) for box in boxes for corner in (box[:2], box[2:])]
    xs, ys = zip(*corners, strict=True)
    return pdfium.FS_RECTF(left=min(xs), top=max(ys), right=max(xs), bottom=min(ys))

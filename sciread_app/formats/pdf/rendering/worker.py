"""The rendering process of one PDF, run by document.py and never imported by it."""

from __future__ import annotations

import hashlib
from array import array
from pathlib import Path
from typing import Any

import pypdfium2.raw as pdfium
from pypdfium2 import PdfiumError

from sciread_app.formats.pdf.rendering.renderer import PdfRenderer
from sciread_app.formats.pdf.worker_base import Answer, UnreadableFile, bytes_of, reason, serve

_LOCKED = (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)


class RequestHandler:
    """Handles requests about the one file that was opened first."""

    def __init__(self) -> None:
        self._drawing: PdfRenderer | None = None

    def answer(self, request: dict[str, Any]) -> Answer:
        """Handle one request, of which the first must be "open". Errors are returned as fields,
        never raised, so that the process can handle the next request."""
        what = request["what"]
        try:
            if what == "open":
                return self._open(Path(request["path"]), request["password"]), b""
            assert self._drawing
            if what == "draw":
                return {}, self._drawing.draw(request["page"], request["part"])
            if what == "letters":
                return self._letters(self._drawing, request["page"])
            if what == "boxes":
                return {"boxes": self._drawing.boxes(request["page"], request["rects"])}, b""
            if what == "annotate":
                allowed = self._drawing.annotate(request["page"], request["annotations"])
                return {"allowed": allowed}, b""
            if what == "save":
                size, part = self._drawing.saved(request["start"], request["length"])
                return {"size": size}, part
            pages = range(request["first"], request["end"])
            if what == "find":
                found = [f for page in pages for f in self._drawing.find(page, request["words"])]
                return {"found": found}, b""
            return {"texts": [self._drawing.text(page) for page in pages]}, b""
        except MemoryError:
            return {"problem": "memory"}, b""
        except (PdfiumError, IndexError):
            return {"problem": "damaged"}, b""
        except Exception as error:  # reported to the parent instead of ending this process
            return {"problem": "fault", "why": f"{type(error).__name__}: {error}"}, b""

    def _open(self, path: Path, password: str) -> dict[str, Any]:
        try:
            data = bytes_of(path)
        except FileNotFoundError:
            return {"problem": "missing"}
        except (OSError, UnreadableFile) as error:
            return {"problem": "unreadable", "why": reason(error)}
        if not data:
            return {"problem": "empty"}
        try:
            self._drawing = PdfRenderer(data, password)
        except PdfiumError as error:
            return {"problem": "locked" if error.err_code in _LOCKED else "damaged"}
        return self._drawing.shape() | {"sha256": hashlib.sha256(data).hexdigest()}

    def _letters(self, drawing: PdfRenderer, page: int) -> Answer:
        letters = drawing.letters(page)
        fields = {"text": letters.text, "links": drawing.links(page)}
        return fields, array("f", letters.edges).tobytes()


def main() -> None:
    handler = RequestHandler()
    serve(lambda request, _: handler.answer(request))


if __name__ == "__main__":
    main()

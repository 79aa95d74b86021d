"""The pages of a PDF as images and text, from a rendering process that may crash."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from sciread_app.child_process import ProcessEnded, ProcessFailed, ProcessTimedOut
from sciread_app.domain.annotations.annotations import Box, FileShape, PageRegion, TextMatch
from sciread_app.errors import Cancelled
from sciread_app.formats.pdf.metadata.text_cleanup import clean
from sciread_app.formats.pdf.process import START_SECONDS, PdfProcess
from sciread_app.formats.pdf.rendering.annotation import PdfAnnotation
from sciread_app.formats.pdf.rendering.responses import (
    CannotShow,
    FailureReason,
    PageFailed,
    RenderedPageText,
    box_of,
    cannot_show,
    found_of,
    page_text_of,
    shape_of,
    text_of,
)
from sciread_app.language import tr
from trainer.contract import wire

SECONDS = 20.0  # per request
MEMORY = 2 << 30  # bytes, above the memory of the process at its start
LARGEST = 16 << 20  # pixels of one region
_PART = 16 << 20  # bytes of a saved file that are passed at a time

T = TypeVar("T")
Check = Callable[[], None]  # raises when the request is no longer needed


class PdfDocument:
    """A file open in a process of its own, which is restarted after it died or stalled.

    Thread-safe; requests wait for each other. `check` is called while waiting; an exception from it
    ends the wait and the process. Raises CannotShow and PageFailed.
    """

    def __init__(
        self,
        path: Path,
        spare: SpareProcess | None = None,
        *,
        seconds: float = SECONDS,
        memory: int = MEMORY,
    ) -> None:
        self.path, self._spare = path, spare
        self._seconds, self._memory = seconds, memory
        self._password = ""
        self._shape: FileShape | None = None
        self._process: PdfProcess | None = None
        self._turn = threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self._closed = False

    def open(self, password: str = "", check: Check = lambda: None) -> FileShape:
        with self._turn:
            self._password, self._stamp = password, _stamp(self.path)
            self._shape = self._start(check)
            return self._shape

    def draw(self, part: PageRegion, check: Check = lambda: None) -> bytearray:
        """Four bytes per pixel: blue, green, red, unused."""
        if not 0 < part.width * part.height <= LARGEST:
            raise ValueError("not a part that is drawn at once")
        request = {"what": "draw", "page": part.page, "part": asdict(part)}
        _, body = self._ask(request, _named(part.page), check)
        if len(body) != 4 * part.width * part.height:
            raise _invalid_answer(_named(part.page))
        return body

    def page_text(self, page: int, check: Check = lambda: None) -> RenderedPageText:
        name = _named(page)
        fields, body = self._ask({"what": "letters", "page": page}, name, check)
        return _validated(name, lambda: page_text_of(fields, body))

    def find(
        self, words: str, first: int, end: int, check: Check = lambda: None
    ) -> list[TextMatch]:
        """The matches of `words` on the pages from `first` up to `end`, exclusive."""
        request = {"what": "find", "words": words, "first": first, "end": end}
        name = _names(first, end)
        fields, _ = self._ask(request, name, check)
        return _validated(
            name, lambda: [found_of(one, range(first, end)) for one in fields["found"]]
        )

    def texts(self, first: int, end: int, check: Check = lambda: None) -> list[str]:
        """The texts of these pages."""
        name = _names(first, end)
        fields, _ = self._ask({"what": "texts", "first": first, "end": end}, name, check)
        return _validated(name, lambda: [clean(text_of(text)) for text in fields["texts"]])

    def boxes(
        self, page: int, rects: Sequence[Sequence[float]], check: Check = lambda: None
    ) -> tuple[Box, ...]:
        """The boxes of rectangles (x, y, x, y) in the coordinates of the PDF itself."""
        name = _named(page)
        fields, _ = self._ask({"what": "boxes", "page": page, "rects": rects}, name, check)
        return _validated(name, lambda: tuple(map(box_of, fields["boxes"])))

    def annotate(self, annotations: Sequence[PdfAnnotation], check: Check = lambda: None) -> bool:
        """Add annotations of one page to those that `saved` writes; False if the protection of the
        file forbids them. They are lost when the process ends."""
        page = annotations[0].page
        made = [one.to_wire() for one in annotations]
        request = {"what": "annotate", "page": page, "annotations": made}
        fields, _ = self._ask(request, _named(page), check)
        return _validated(_named(page), lambda: fields["allowed"] is True)

    def saved(self, check: Check = lambda: None) -> Iterator[bytearray]:
        """The bytes of a file with the annotations that were added, in parts."""
        name, start, size = tr("The file"), 0, 1
        while start < size:
            request = {"what": "save", "start": start, "length": _PART}
            fields, part = self._ask(request, name, check)
            size = _validated(name, lambda fields=fields: int(fields["size"]))  # type: ignore[misc]
            if not part:
                raise _invalid_answer(name)
            start += len(part)
            yield part

    def rest(self) -> None:
        """End the process until the next request."""
        with self._turn:
            self._end()

    def is_changed(self) -> bool:
        """Whether the file was changed since it was opened, by its date and size."""
        return self._stamp != _stamp(self.path)

    def close(self) -> None:
        """End the process at once; waiting requests raise Cancelled."""
        self._closed = True
        if process := self._process:
            process.kill()

    @property
    def closed(self) -> bool:
        return self._closed

    def _ask(self, request: dict[str, Any], name: str, check: Check) -> wire.Frame:
        with self._turn:
            if self._process is None:
                self._start_again(check)
            frame = self._exchange(request, name, self._seconds, check)
        if problem := frame.header.get("problem"):
            why = _failure_reason(problem, frame.header)
            # Translators: «Page 3 cannot be shown: it is damaged.»
            message = tr("{pages} cannot be shown: {why}", pages=name, why=why)
            raise PageFailed(message, _NEXT)
        return frame

    def _start_again(self, check: Check) -> None:
        before, shape = self._shape, self._start(check)
        if before and before.sha256 != shape.sha256:
            self._end()
            raise CannotShow(
                FailureReason.changed,
                tr("The file has changed since it was opened."),
                tr("Open the file again."),
            )

    def _start(self, check: Check) -> FileShape:
        self._end()
        spare = self._spare.take() if self._spare else None
        self._process = spare or _new_process(self._seconds, self._memory)
        request = {"what": "open", "path": str(self.path.absolute()), "password": self._password}
        try:
            fields, _ = self._exchange(request, tr("The file"), START_SECONDS, check)
        except PageFailed as failure:
            raise CannotShow(FailureReason.damaged, failure.message, failure.hint) from failure
        if "problem" in fields:
            self._end()
            raise cannot_show(fields)
        return _validated(tr("The file"), lambda: shape_of(fields))

    def _exchange(
        self, request: dict[str, Any], name: str, seconds: float, check: Check
    ) -> wire.Frame:
        assert self._process
        try:
            self._process.send(request)
            return self._process.receive(seconds, self._checked(check))
        except ProcessFailed as failure:
            self._end()
            self._checked(check)()
            raise _failed(failure, name) from failure
        except BaseException:
            self._end()
            raise

    def _checked(self, check: Check) -> Check:
        def check_closed() -> None:
            if self._closed:
                raise Cancelled()
            check()

        return check_closed

    def _end(self) -> None:
        if self._process:
            self._process.stop()
        self._process = None


_NEXT = tr(
    "Other pages can still be read. To view the affected pages, open the file in another program."
)


class SpareProcess:
    """A process started before there is a file for it: starting it is most of the wait."""

    def __init__(self) -> None:
        self._process: PdfProcess | None = None
        self._changing = threading.Lock()

    def prepare(self) -> None:
        with self._changing:
            if self._process is None:
                self._process = _new_process(SECONDS, MEMORY)

    def take(self) -> PdfProcess | None:
        with self._changing:
            process, self._process = self._process, None
        if process and not process.is_running():
            process.stop()
            return None
        return process

    def close(self) -> None:
        if process := self.take():
            process.stop()


def _new_process(seconds: float, memory: int) -> PdfProcess:
    # At normal priority: the user waits for each page.
    return PdfProcess("sciread_app.formats.pdf.rendering.worker", seconds, memory)


def _failed(failure: ProcessFailed, pages: str) -> PageFailed:
    if isinstance(failure, ProcessTimedOut):
        message = tr("{pages} took too long to process.", pages=pages)
    elif isinstance(failure, ProcessEnded):
        message = tr("{pages} caused the page renderer to crash: the file is damaged.", pages=pages)
    else:
        message = tr("{pages} produced no usable result.", pages=pages)
    return PageFailed(message, _NEXT)


def _failure_reason(problem: str, fields: dict[str, Any]) -> str:
    if problem == "memory":
        return tr("it needs more memory than SciRead allows per page.")
    if problem == "fault":
        fault = clean(text_of(fields["why"]))[:200]
        return tr("an error occurred in SciRead ({fault}).", fault=fault)
    return tr("it is damaged.")


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _names(first: int, end: int) -> str:
    if end - first == 1:
        return _named(first)
    return tr("Pages {first} to {last}", first=first + 1, last=end)


def _named(page: int) -> str:
    return tr("Page {page}", page=page + 1)


def _invalid_answer(name: str) -> PageFailed:
    return _failed(ProcessFailed(), name)


def _validated(name: str, read: Callable[[], T]) -> T:
    """The validated response; it is not trusted, since the process has read an untrusted file."""
    try:
        return read()
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise _invalid_answer(name) from error

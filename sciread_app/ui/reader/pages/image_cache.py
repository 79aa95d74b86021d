"""Rendered images and texts of pages: loaded in the background, cached within limits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from sciread_app.domain.annotations.annotations import PageRegion
from sciread_app.language import tr
from sciread_app.services.library.reader import (
    CannotShow,
    OpenFile,
    PageFailed,
    RenderedPageText,
)
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import Job, JobError, JobRunner

SHARP_BYTES = 96 << 20
QUICK_BYTES = 24 << 20
TEXTS = 64  # number of pages whose text is cached

K = TypeVar("K")
V = TypeVar("V")
Want = PageRegion | int  # an image, or the text of a page


class LruCache(Generic[K, V]):
    """A least-recently-used cache with a limit on the total weight."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._things: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.weight = 0

    def get(self, key: K) -> V | None:
        if key not in self._things:
            return None
        self._things.move_to_end(key)
        return self._things[key][0]

    def put(self, key: K, thing: V, weight: int) -> None:
        if old := self._things.pop(key, None):
            self.weight -= old[1]
        self._things[key] = (thing, weight)
        self.weight += weight
        while self.weight > self._limit and len(self._things) > 1:
            self.weight -= self._things.popitem(last=False)[1][1]

    def clear(self) -> None:
        self._things.clear()
        self.weight = 0

    def __contains__(self, key: K) -> bool:
        return key in self._things


class PageImageCache(QObject):
    """Loads one item at a time, so that the most urgent request is always next."""

    loaded = Signal(int)  # an image or the text of this page
    failed = Signal(int)  # the page; `failure` says why
    file_lost = Signal(object)  # CannotShow: the file is no longer available

    def __init__(self, file: OpenFile, jobs: JobRunner, quick_width: int) -> None:
        super().__init__()
        self._file, self._jobs = file, jobs
        self.quick_width = quick_width  # device pixels
        self._sharp: LruCache[PageRegion, tuple[QImage, bytearray]] = LruCache(SHARP_BYTES)
        self._quick: LruCache[PageRegion, tuple[QImage, bytearray]] = LruCache(QUICK_BYTES)
        self._texts: LruCache[int, RenderedPageText] = LruCache(TEXTS)
        self._failures: dict[int, str] = {}
        self._wants: dict[str, Sequence[Want]] = {}
        self._job: Job | None = None
        self._closed = False

    def picture(self, part: PageRegion) -> QImage | None:
        # The image refers to the bytes, which are kept with it.
        kept = self._quick.get(part) or self._sharp.get(part)
        return kept[0] if kept else None

    def text(self, page: int) -> RenderedPageText | None:
        return self._texts.get(page)

    def failure(self, page: int) -> str:
        """Why the page has no image; empty if it has or will have one."""
        return self._failures.get(page, "")

    def request(self, client: str, wants: Sequence[Want]) -> None:
        """Replace the requests of `client` by these, the most urgent first.

        Clients are served in alphabetical order: "pages" before "thumbnails".
        """
        self._wants[client] = wants
        self._next()

    def rest(self) -> None:
        """Drop large items while the document is in the background."""
        self._wants.clear()
        self._sharp.clear()
        self._texts.clear()

    def close(self) -> None:
        self._closed = True
        if self._job:
            self._job.cancel()

    def _next(self) -> None:
        if self._job or self._closed:
            return
        want = next(filter(self._missing, self._in_order()), None)
        if want is not None:
            self._job = self._jobs.run(
                tr("Rendering a page"),
                lambda task: self._get(want, task),
                lambda got: self._take(want, got),
                on_failed=lambda problem: self._take(want, problem),
            )

    def _in_order(self) -> list[Want]:
        return [want for client in sorted(self._wants) for want in self._wants[client]]

    def _missing(self, want: Want) -> bool:
        page = want.page if isinstance(want, PageRegion) else want
        if page in self._failures:
            return False
        if isinstance(want, PageRegion):
            return want not in self._sharp and want not in self._quick
        return want not in self._texts

    def _get(self, want: Want, task: Task) -> object:
        try:
            if not isinstance(want, PageRegion):
                text = self._file.page_text(want, task)
                text.letters.prepare()
                return text
            data = self._file.draw(want, task)
        except (PageFailed, CannotShow) as failure:
            return failure
        kind = QImage.Format.Format_RGB32
        return QImage(data, want.width, want.height, 4 * want.width, kind), data

    def _take(self, want: Want, got: object) -> None:
        self._job = None
        page = want.page if isinstance(want, PageRegion) else want
        if self._closed:
            return
        if isinstance(got, CannotShow):
            self.file_lost.emit(got)
        elif isinstance(got, PageFailed | JobError):
            self._failures[page] = got.message
            self.failed.emit(page)
        elif isinstance(want, PageRegion):
            assert isinstance(got, tuple)
            kept = self._quick if self._is_quick(want) else self._sharp
            kept.put(want, got, len(got[1]))
            self.loaded.emit(page)
        else:
            assert isinstance(got, RenderedPageText)
            self._texts.put(want, got, 1)
            self.loaded.emit(page)
        self._next()

    def _is_quick(self, part: PageRegion) -> bool:
        return part.width <= self.quick_width

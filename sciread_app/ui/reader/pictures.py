"""The pictures and letters of pages: asked for in the background, kept while there is room."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from sciread_app.domain.reading import Part
from sciread_app.language import tr
from sciread_app.services.reading import CannotShow, PageFailed, PageText
from sciread_app.tasks import Task
from sciread_app.ui.jobs import Job, Jobs, Lane, Problem
from sciread_app.ui.reader.values import OpenedFile

SHARP_BYTES = 96 << 20
QUICK_BYTES = 24 << 20
TEXTS = 64  # pages whose letters are kept

K = TypeVar("K")
V = TypeVar("V")
Want = Part | int  # a picture, or the letters of a page


class Kept(Generic[K, V]):
    """The things used last, as long as all they weigh is within the limit."""

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


class Pictures(QObject):
    """Asks for one thing at a time, so that what is most urgent is always next."""

    came = Signal(int)  # something of this page
    failed = Signal(int)  # the page; `failure` says why
    lost = Signal(object)  # CannotShow: there is no more of this file

    def __init__(self, file: OpenedFile, jobs: Jobs, quick_width: int) -> None:
        super().__init__()
        self._file, self._jobs = file, jobs
        self.quick_width = quick_width  # pixels of the screen
        self._sharp: Kept[Part, tuple[QImage, bytearray]] = Kept(SHARP_BYTES)
        self._quick: Kept[Part, tuple[QImage, bytearray]] = Kept(QUICK_BYTES)
        self._texts: Kept[int, PageText] = Kept(TEXTS)
        self._failures: dict[int, str] = {}
        self._wants: dict[str, Sequence[Want]] = {}
        self._job: Job | None = None
        self._closed = False

    def picture(self, part: Part) -> QImage | None:
        # The image lies in the bytes, which are kept beside it.
        kept = self._quick.get(part) or self._sharp.get(part)
        return kept[0] if kept else None

    def text(self, page: int) -> PageText | None:
        return self._texts.get(page)

    def failure(self, page: int) -> str:
        """Why there is no picture of the page; empty if there is or will be."""
        return self._failures.get(page, "")

    def want(self, who: str, wants: Sequence[Want]) -> None:
        """What `who` needs now, the most urgent first; what it wanted before is forgotten.

        The pages come before the thumbnails, whose name comes later in the alphabet.
        """
        self._wants[who] = wants
        self._next()

    def rest(self) -> None:
        """Nobody looks: keep only what is small."""
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
                tr("Drawing a page"),
                lambda task: self._get(want, task),
                lambda got: self._take(want, got),
                on_failed=lambda problem: self._take(want, problem),
                lane=Lane.light,
            )

    def _in_order(self) -> list[Want]:
        return [want for who in sorted(self._wants) for want in self._wants[who]]

    def _missing(self, want: Want) -> bool:
        page = want.page if isinstance(want, Part) else want
        if page in self._failures:
            return False
        if isinstance(want, Part):
            return want not in self._sharp and want not in self._quick
        return want not in self._texts

    def _get(self, want: Want, task: Task) -> object:
        try:
            if not isinstance(want, Part):
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
        page = want.page if isinstance(want, Part) else want
        if self._closed:
            return
        if isinstance(got, CannotShow):
            self.lost.emit(got)
        elif isinstance(got, PageFailed | Problem):
            self._failures[page] = got.message
            self.failed.emit(page)
        elif isinstance(want, Part):
            assert isinstance(got, tuple)
            kept = self._quick if self._is_quick(want) else self._sharp
            kept.put(want, got, len(got[1]))
            self.came.emit(page)
        else:
            assert isinstance(got, PageText)
            self._texts.put(want, got, 1)
            self.came.emit(page)
        self._next()

    def _is_quick(self, part: Part) -> bool:
        return part.width <= self.quick_width

"""MIME data for dragging papers and collections."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QMimeData

from sciread_app.domain.paper import PaperId

PAPERS = "application/x-sciread-papers"
PATHS = "application/x-sciread-collections"


def pack_papers(ids: Iterable[int]) -> QMimeData:
    data = QMimeData()
    data.setData(PAPERS, array("q", ids).tobytes())
    return data


def papers_in(data: QMimeData) -> list[PaperId]:
    ids = array("q")
    ids.frombytes(data.data(PAPERS).data())
    return [PaperId(i) for i in ids]


def pack_paths(paths: Sequence[str]) -> QMimeData:
    data = QMimeData()
    data.setData(PATHS, json.dumps(paths).encode())
    return data


def paths_in(data: QMimeData) -> list[str]:
    return [str(path) for path in json.loads(bytes(data.data(PATHS).data()) or b"[]")]

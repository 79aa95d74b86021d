"""A fake map with papers on a grid in four groups, without vectors and t-SNE."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from sciread_app.domain.paper import PaperId
from sciread_app.services.map.map_service import Cluster, MapLayout
from sciread_app.tasks import Task
from sciread_app.ui.map.color_scheme import ColorScheme, Ids, by_read, by_sets, by_year
from sciread_app.ui.map.options import ColorBy
from sciread_app.ui.map.view_models import MapStatus, NearestPaper

NAMES = ("Glacier melt", "Black holes", "Gene editing", "Graph colouring")
CORNERS = np.array([[0.2, 0.2], [0.8, 0.2], [0.2, 0.8], [0.8, 0.8]], np.float32)


def drawing(ids: Sequence[int], *, outgrown: bool = False) -> MapLayout:
    """Return a map with paper n in the corner n % 4."""
    numbers = np.array(sorted(ids), np.int64)
    corner = (numbers % 4).astype(np.int16)
    turn = (numbers // 4).astype(np.float32)
    around = np.stack([np.cos(turn), np.sin(turn)], axis=1) * (0.01 + 0.002 * turn)[:, None]
    places = (CORNERS[corner] + around).astype(np.float32)
    coarse = tuple(
        Cluster(name, int((corner == n).sum()), tuple(CORNERS[n].tolist()))
        for n, name in enumerate(NAMES)
    )
    fine = tuple(Cluster(f"{c.name}, near", c.papers, c.heart) for c in coarse)
    return MapLayout(numbers, places, corner, corner, fine, coarse, outgrown=outgrown)


class FakeMap:
    def __init__(self, count: int = 80) -> None:
        self.count = count
        self.with_vector = count
        self.by_meaning = True
        self.drawn: MapLayout | None = drawing(range(1, count + 1))
        self.calls: list[str] = []
        self.go_on = threading.Event()
        self.go_on.set()

    def status(self) -> MapStatus:
        return MapStatus(self.count, self.with_vector, self.drawn, self.by_meaning)

    def draw(self, task: Task, *, from_scratch: bool) -> MapLayout | None:
        self.calls.append("draw anew" if from_scratch else "draw")
        task.step(40, 100, "Laying out the map")
        while not self.go_on.wait(0.01):
            task.raise_if_cancelled()
        self.drawn = drawing(range(1, self.with_vector + 1))
        return self.drawn

    def scheme(self, by: ColorBy, ids: Ids) -> ColorScheme:
        self.calls.append(f"shades {by.value}")
        if by is ColorBy.year:
            return by_year(ids, {2001: ids[: len(ids) // 2], 2019: ids[len(ids) // 2 :]})
        if by is ColorBy.read:
            return by_read(ids, ids[:10])
        name = "thesis" if by is ColorBy.collection else "Mathematics"
        return by_sets(ids, {name: ids[:30]}, "Other")

    def years(self, ids: Ids) -> Ids:
        """Return 2000 to 2019 in turn, and no year for papers 20, 40, 60..."""
        return np.where(ids % 20 == 0, 0, 2000 + ids % 20)

    def citations(self, ids: Ids) -> Ids:
        """Return 200 citations for paper 3, and none for the others."""
        self.calls.append("citations")
        return np.where(ids == 3, 200, 0)

    def similar(self, paper: PaperId) -> Sequence[NearestPaper]:
        """Return up to ten papers of the same corner, the first with citations."""
        self.calls.append(f"similar {paper}")
        others = [n for n in range(1, self.count + 1) if n % 4 == paper % 4 and n != paper][:10]
        return [
            NearestPaper(PaperId(n), 1 - rank / 20, 0 if rank else 99)
            for rank, n in enumerate(others)
        ]

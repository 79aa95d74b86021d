"""Duration of facet counts in a real library: the first time, and for each list.

    python -m benchmarks.bench_facets [--home DIR]

DIR (else bench-large, which is made) need not be encoded. The target stands beside
(2 cores, 153,940 papers).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.large_home import made
from sciread_app.domain.paper import Order
from sciread_app.domain.query.parser import parse
from sciread_app.services.search.facets import FacetService
from sciread_app.workspace import open_workspace

TARGET = 300  # milliseconds
LISTS = ("", "year:2015..2017", "cat:cs.CL OR cat:cs.LG", 'author:="Edward Witten"')


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--home", type=Path)
    workspace = open_workspace(made(arguments.parse_args().home))
    library = workspace.library
    lists = {query: library.matching(parse(query).conditions) for query in LISTS}
    print(f"{library.count():,} papers, milliseconds (target {TARGET} for each list)")
    print(f"{'read the library anew':44}{timed(lambda: FacetService(library).of(lists[''])):8.0f}")
    counts = FacetService(library)
    counts.of(np.empty(0, np.int64))
    for query, ids in lists.items():
        name = f"{query or 'the whole library'} ({len(ids):,})"
        print(f"{name:44}{timed(lambda ids=ids: counts.of(ids)):8.1f}")
    for order in Order:
        spent = timed(lambda order=order: library.ordered(lists[""], order))
        print(f"{f'the whole library by {order.value}':44}{spent:8.0f}")
    for query in ("is:retracted", "rating:4..", "added:7d", 'venue:="Phys. Rev. D"'):
        spent = timed(lambda query=query: library.matching(parse(query).conditions))
        print(f"{query:44}{spent:8.1f}")
    workspace.close()


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


if __name__ == "__main__":
    main()

"""The import graph of the program and the trainer."""

from __future__ import annotations

import grimp
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components


@pytest.mark.parametrize("package", ["sciread_app", "trainer"])
def test_modules_import_one_another_in_no_cycle(package):
    """Imports for type checking and inside functions count, too."""
    graph = grimp.build_graph(package, cache_dir=None)
    names = sorted(graph.modules)
    numbers = {name: number for number, name in enumerate(names)}
    edges = [
        (numbers[name], numbers[used])
        for name in names
        for used in graph.find_modules_directly_imported_by(name)
    ]
    rows, columns = zip(*edges, strict=True)
    matrix = coo_array(([1] * len(edges), (rows, columns)), shape=(len(names), len(names)))
    count, component = connected_components(matrix, connection="strong")
    cycles: list[list[str]] = [[] for _ in range(count)]
    for name, number in zip(names, component, strict=True):
        cycles[number].append(name)
    assert [cycle for cycle in cycles if len(cycle) > 1] == []

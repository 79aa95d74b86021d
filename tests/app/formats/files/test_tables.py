import csv
import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.paper import Skipped
from sciread_app.formats.files.tables import rows

CELLS = st.text(st.sampled_from('ab"\n,; é'), max_size=8).map(str.strip)


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "table.csv"
        path.write_text(text, encoding="utf-8-sig", newline="")
        return [row for _, row in rows(path)]

    return read


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_cells_are_named_by_the_first_row(read, delimiter):
    text = 'Title,Year\r\n"On bees",2001\r\n\r\n,\r\nOn wasps,2002\r\n'.replace(",", delimiter)
    assert read(text) == [
        {"Title": "On bees", "Year": "2001"}, {"Title": "On wasps", "Year": "2002"}
    ]  # fmt: skip


def test_unclosed_quotation_mark_costs_one_row(read):
    broken, *others = read('A,B\n1,"x\n2,"y, ""z""\nw"\n3,"v"\n' + "4,u\n" * 5000)
    assert isinstance(broken, Skipped) and broken.entry == "Line 2"
    assert others == [
        {"A": "2", "B": 'y, "z"\nw'}, {"A": "3", "B": "v"}, *[{"A": "4", "B": "u"}] * 5000
    ]  # fmt: skip


def test_each_of_many_unclosed_quotation_marks_costs_one_row(read):
    found = read("A,B,C\n" + '1,"x\n' * 300_000 + "1,2,3\n")
    assert [type(row) for row in found] == [Skipped] * 300_000 + [dict]


def test_long_cells_are_read(read):
    assert read(f"A,B\n1,{'x' * 200_000}\n")[0]["B"] == "x" * 200_000


def test_memory_is_independent_of_the_number_of_rows(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("A,B\n" + f"1,{'x' * 1000}\n" * 20_000)
    tracemalloc.start()
    assert sum(1 for _ in rows(path)) == 20_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=8))
def test_written_table_is_read_again(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("tables") / "a.csv"
    stream = io.StringIO(newline="")
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([["A", "B"], *table])
    path.write_text(stream.getvalue(), encoding="utf-8", newline="")
    expected = [dict(zip("AB", row, strict=True)) for row in table if any(row)]
    assert [row for _, row in rows(path)] == expected

from tests.support.generate.papers import paper


def test_years_and_first_fields_of_papers(library):
    library.put(
        [
            paper("A", published="1999-05", fields=("cs.CL", "cs.LG")),
            paper("B", published="1999", fields=("cs.LG",)),
            paper("C"),
        ]
    )
    assert {year: ids.tolist() for year, ids in library.attributes.years().items()} == {
        1999: [1, 2]
    }
    fields = {field: ids.tolist() for field, ids in library.attributes.fields().items()}
    assert fields == {"cs.CL": [1], "cs.LG": [2]}


def test_collections_are_keyed_by_full_path(library):
    library.put([paper("A"), paper("B")])
    library.collections.add([1, 2], "thesis/chapter 2")
    library.collections.add([2], "thesis")
    found = {path: sorted(ids.tolist()) for path, ids in library.attributes.collections().items()}
    assert found == {"thesis": [2], "thesis/chapter 2": [1, 2]}


def test_read_lists_papers_marked_as_read(library):
    library.put([paper("A"), paper("B")])
    assert library.attributes.read().tolist() == []
    library.reading_state.mark_read([2])
    assert library.attributes.read().tolist() == [2]


def test_titles_keep_requested_order(library):
    library.put([paper("A"), paper("B")])
    assert library.attributes.titles([2, 99, 1]) == ["B", "", "A"]

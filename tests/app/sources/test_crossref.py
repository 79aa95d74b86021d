"""Look-up of a DOI by title in Crossref."""

import json

import pytest

from sciread_app.errors import SourceError
from sciread_app.sources import crossref
from sciread_app.tasks import Task


class Works:
    """A client that answers every request with the same works."""

    def __init__(self, items):
        self.items = items
        self.asked = []

    def ask(self, endpoint, path, *, params, parse, **named):
        self.asked.append((endpoint, path, *params))
        return parse(json.dumps({"message": {"items": self.items}}).encode())


def test_doi_of_exact_title_is_found():
    works = Works(
        [
            {"DOI": "10.1/a", "title": ["Deep learning in bees"]},
            {"DOI": "10.1/b"},
            {"DOI": "10.1/c", "title": ["DEEP Learning"]},
        ]
    )
    assert crossref.doi_of("Deep learning.", works, Task()) == "10.1/c"
    assert works.asked[0][:3] == ("crossref", "works", ("query.bibliographic", "Deep learning."))


@pytest.mark.parametrize("items", [[], [{"DOI": "10.1/a", "title": ["Deep learning in bees"]}], 3])
def test_unknown_title_is_an_error_that_names_it(items):
    with pytest.raises(SourceError, match="Deep learning"):
        crossref.doi_of("Deep learning", Works(items), Task())

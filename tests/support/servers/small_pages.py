"""Fetches in pages of 10 or 20 papers: as many requests as with large pages, and quick answers.

`python -m tests.support.servers.small_pages fetch SOURCE QUERY` runs the command with such pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from sciread_app.__main__ import main
from sciread_app.sources.arxiv import api as arxiv
from sciread_app.sources.pubmed import fetch as pubmed
from sciread_app.sources.result_sets import crossref, europepmc


@contextmanager
def small_pages() -> Iterator[None]:
    """Three pages for a few dozen papers."""
    with (
        mock.patch.object(arxiv, "_PAGE", 20),
        mock.patch.object(pubmed, "_BATCH", 10),
        mock.patch.object(europepmc.EuropePmcResults, "page", 10),
        mock.patch.multiple(crossref.CrossrefResults, page=10, reach=10),
    ):
        yield


if __name__ == "__main__":
    with small_pages():
        main()

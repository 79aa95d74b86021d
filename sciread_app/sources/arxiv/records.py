"""Records of arXiv papers by their ids."""

from __future__ import annotations

from collections.abc import Sequence

from sciread_app.domain.paper import Paper
from sciread_app.formats.arxiv import atom
from sciread_app.formats.arxiv.atom import AtomFeed
from sciread_app.language import tr
from sciread_app.sources.arxiv.api import KEY, TITLE
from sciread_app.sources.http.client import Client
from sciread_app.sources.http.errors import RequestRejected
from sciread_app.tasks import Task

__all__ = ["BATCH", "KEY", "TITLE", "by_ids"]

BATCH = 100  # limited by the length of the address
_BAD_REQUEST = 400


def by_ids(ids: Sequence[str], client: Client, task: Task) -> list[Paper]:
    """The papers with these arXiv ids, at most BATCH, that arXiv has.

    Raises SourceError, and RequestRejected if arXiv cannot read one of the ids.
    """
    if not ids:
        return []
    found: AtomFeed = client.ask(
        KEY,
        params=(("id_list", ",".join(ids)), ("start", "0"), ("max_results", str(len(ids)))),
        task=task,
        parse=atom.feed,
    )
    if found.error:
        raise RequestRejected(found.error, tr("Check the arXiv IDs."), _BAD_REQUEST)
    papers = (entry.record for entry in found.entries)
    return [paper for paper in papers if isinstance(paper, Paper) and paper.source_id in ids]

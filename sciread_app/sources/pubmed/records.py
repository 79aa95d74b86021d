"""Records of PubMed by PMID or PMCID.

NCBI allows three requests a second, and ten with an API key:
https://www.ncbi.nlm.nih.gov/books/NBK25497/. More than 200 ids should be posted, as all are here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.paper import Paper
from sciread_app.formats.pubmed import xml as pubmed_xml
from sciread_app.sources.http.client import Client
from sciread_app.sources.pubmed.fetch import KEY, TITLE
from sciread_app.sources.pubmed.search import PubmedSlice, search
from sciread_app.tasks import Task

__all__ = ["BATCH", "KEY", "TITLE", "by_pmcids", "by_pmids"]

BATCH = 200
_NONE = re.compile(r"^$|ID list is empty|empty result", re.I)  # none of the ids exists


def by_pmids(pmids: Sequence[str], client: Client, task: Task) -> list[Paper]:
    """The papers with these PMIDs, at most BATCH, that PubMed has. Raises SourceError."""
    if not pmids:
        return []
    found: pubmed_xml.EFetchResponse = client.ask(
        "eutils",
        "efetch.fcgi",
        form=(("db", "pubmed"), ("id", ",".join(pmids)), ("retmode", "xml")),
        task=task,
        parse=pubmed_xml.answer,
        check=lambda found: "" if _NONE.search(found.error) else found.error,
    )
    papers = (record for record in found.records if isinstance(record, Paper))
    return [paper for paper in papers if paper.source_id in pmids]


def by_pmcids(pmcids: Sequence[str], client: Client, task: Task) -> list[Paper]:
    """The papers with these PMCIDs, at most BATCH, that PubMed has. Raises SourceError."""
    if not pmcids:
        return []
    query = SourceQuery(KEY, " OR ".join(pmcids))
    found = search(query, PubmedSlice(), len(pmcids), client, task, fresh=False)
    papers = by_pmids(found.pmids, client, task)
    return [paper for paper in papers if paper.identifier("pmcid") in pmcids]

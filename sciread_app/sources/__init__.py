"""Online sources of papers."""

from __future__ import annotations

from sciread_app.sources.arxiv import api as arxiv_api
from sciread_app.sources.arxiv import oai as arxiv_oai
from sciread_app.sources.http.client import Client
from sciread_app.sources.pubmed import fetch as pubmed_fetch
from sciread_app.sources.result_sets import crossref as crossref_results
from sciread_app.sources.result_sets import europepmc
from sciread_app.sources.result_sets import openalex as openalex_results

__all__ = ["SOURCES", "Client"]

SOURCES = (
    arxiv_api,
    arxiv_oai,
    pubmed_fetch,
    europepmc,
    crossref_results,
    openalex_results,
)

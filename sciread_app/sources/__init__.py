"""Places on the network that papers are fetched from."""

from __future__ import annotations

from sciread_app.sources import arxiv, arxiv_oai, pubmed
from sciread_app.sources.http import Client

__all__ = ["SOURCES", "Client"]

SOURCES = (arxiv, arxiv_oai, pubmed)

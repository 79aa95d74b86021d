"""Lookup of one paper by its DOI in Crossref."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from sciread_app.domain.paper import Paper
from sciread_app.domain.text.folding import fold_accents, terms
from sciread_app.errors import SourceError
from sciread_app.formats.csl import reader as csl_json
from sciread_app.language import tr
from sciread_app.sources.http.client import MIB, Client
from sciread_app.sources.http.errors import RequestRejected
from sciread_app.tasks import Task

KEY = "crossref"
TITLE = "Crossref"

_CSL = "transform/application/vnd.citationstyles.csl+json"
# The other variables are about licences, funders and administration.
_VARIABLES = (
    "type title author editor container-title container-title-short volume issue page publisher "
    "publisher-place edition issued published DOI ISSN ISBN URL abstract language"
)
_WANTED = frozenset(_VARIABLES.split())
_KINDS = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "book-chapter": "chapter",
    "monograph": "book",
    "dissertation": "thesis",
    "posted-content": "article",
}


def work(doi: str, client: Client, task: Task) -> Paper:
    """The paper with this DOI. Raises SourceError if Crossref does not know it or is
    unavailable."""
    # Translators: “it” is the response of the service
    complaint = tr("it is not a valid record")
    try:
        paper: Paper = client.ask(
            KEY,
            f"works/{quote(doi, safe='')}/{_CSL}",
            accept=("json",),
            most=4 * MIB,
            task=task,
            parse=_paper,
            check=lambda paper: "" if paper else complaint,
        )
    except RequestRejected as error:
        if error.status != 404:
            raise
        raise SourceError(
            tr("{source} has no record of the DOI {doi}.", source=TITLE, doi=doi),
            tr("Open the paper's web page, download the PDF or citation file, and add that file."),
        ) from error
    return replace(paper, source=KEY, source_id=doi)


def doi_of(title: str, client: Client, task: Task) -> str:
    """The DOI of the paper with this title, but for case and punctuation. Raises SourceError if
    Crossref knows none."""
    found: dict[str, str] = client.ask(
        KEY,
        "works",
        params=(("query.bibliographic", title), ("rows", "20"), ("select", "DOI,title")),
        accept=("json",),
        most=4 * MIB,
        task=task,
        parse=_titles,
    )
    wanted = terms(fold_accents(title))
    for doi, known in found.items():
        if wanted and terms(fold_accents(known)) == wanted:
            return doi
    raise SourceError(
        tr("{source} has no paper with the title “{title}”.", source=TITLE, title=title),
        tr("Check the title, or enter the DOI or the arXiv ID."),
    )


def _titles(body: bytes) -> dict[str, str]:
    """The titles in a list of works, by DOI."""
    try:
        items = json.loads(body)["message"]["items"]
        return {item["DOI"]: item["title"][0] for item in items if item.get("title")}
    except (ValueError, RecursionError, TypeError, KeyError, IndexError):
        return {}


def _paper(body: bytes) -> Paper | None:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, dict):
        return None
    item: dict[str, Any] = {name: answer[name] for name in answer if name in _WANTED}
    item["issued"] = item.get("issued") or item.pop("published", None)
    item.pop("published", None)
    item["type"] = _KINDS.get(item.get("type", ""), item.get("type", ""))
    if item.get("DOI") and "doi.org/" in str(item.get("URL", "")):
        del item["URL"]
    return csl_json.from_item(item)

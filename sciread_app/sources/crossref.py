"""Crossref: records of papers by DOI or title.

Crossref limits requests by second and at once, more strictly without a mail address, and names the
limits in its responses; they were lowered in December 2025, and a request a second is within all
that it has published:
https://www.crossref.org/documentation/retrieve-metadata/rest-api/access-and-authentication/. Its
metadata are facts without copyright, abstracts are their publishers' or authors':
https://www.crossref.org/documentation/retrieve-metadata/rest-api/rest-api-metadata-license-information/.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from sciread_app.domain.metadata.identifiers import identifier
from sciread_app.domain.paper import Paper
from sciread_app.formats.csl import reader as csl_json
from sciread_app.language import tr
from sciread_app.sources.http.bodies import json_objects, missing_list_reason
from sciread_app.sources.http.client import MIB, Client
from sciread_app.sources.http.errors import RequestRejected
from sciread_app.sources.json_values import as_objects, as_text
from sciread_app.tasks import Task

KEY = "crossref"
TITLE = "Crossref"

BATCH = 50  # limited by the length of the address
_CSL = "transform/application/vnd.citationstyles.csl+json"
# The other variables are about licenses, funders and administration.
_VARIABLES = (
    "type title subtitle author editor container-title container-title-short volume issue page "
    "publisher publisher-place edition issued published DOI ISSN ISBN URL abstract language"
)
_WANTED = frozenset(_VARIABLES.split())
# The parts of a record in a list, some of which have names of their own there.
_SELECT = (
    "type,title,subtitle,author,editor,container-title,short-container-title,volume,issue,page,"
    "publisher,publisher-location,issued,published,DOI,ISSN,ISBN,abstract,updated-by"
)
_RENAMED = {
    "publisher-location": "publisher-place",
    "short-container-title": "container-title-short",
}
_KINDS = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "book-chapter": "chapter",
    "edited-book": "book",
    "reference-book": "book",
    "monograph": "book",
    "dissertation": "thesis",
    "posted-content": "article",
}
# Kinds of notices, and the names of their links in PubMed's records.
_NOTICES = {
    "retraction": "retraction_in",
    "removal": "retraction_in",
    "withdrawal": "retraction_in",
    "expression_of_concern": "expression_of_concern_in",
    "correction": "erratum_in",
    "corrigendum": "erratum_in",
    "erratum": "erratum_in",
}


def by_dois(dois: Sequence[str], client: Client, task: Task) -> list[Paper]:
    """The papers with these DOIs, at most BATCH, that Crossref knows. Raises SourceError."""
    # A comma would end the value of the filter.
    listed = [doi for doi in dois if "," not in doi]
    single = [_single(doi, client, task) for doi in dois if "," in doi]
    found = [paper for paper in single if paper]
    if listed:
        params = (("filter", ",".join(f"doi:{doi}" for doi in listed)), ("rows", str(len(listed))))
        found += _listed(params, client, task)
    wanted = {doi.lower() for doi in dois}
    return [paper for paper in found if paper.source_id in wanted]


def by_title(title: str, author: str, most: int, client: Client, task: Task) -> list[Paper]:
    """At most `most` papers whose titles and authors are similar to these, best first; the last
    name of an author may be empty. Raises SourceError."""
    named = (("query.author", author),) if author else ()
    params = (("query.bibliographic", title), *named, ("rows", str(most)))
    return _listed(params, client, task)


def _single(doi: str, client: Client, task: Task) -> Paper | None:
    """The paper with this DOI; None if Crossref does not know it."""
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
        return None
    return replace(paper, source=KEY, source_id=doi)


def _listed(params: Sequence[tuple[str, str]], client: Client, task: Task) -> list[Paper]:
    items = client.ask(
        KEY,
        "works",
        params=(*params, ("select", _SELECT)),
        accept=("json",),
        most=16 * MIB,
        task=task,
        parse=lambda body: json_objects(body, "message", "items"),
        check=missing_list_reason,
    )
    papers = []
    for item in items:
        paper = paper_of(item)
        if paper and (doi := paper.identifier("doi") or paper.identifier("arxiv")):
            papers.append(replace(paper, source=KEY, source_id=doi))
    return papers


def paper_of(work: Mapping[str, Any]) -> Paper | None:
    """The paper of a work in a list; None if it has no title."""
    return _from_item({_RENAMED.get(name, name): value for name, value in work.items()})


def _paper(body: bytes) -> Paper | None:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return _from_item(answer) if isinstance(answer, dict) else None


def _from_item(answer: dict[str, Any]) -> Paper | None:
    item: dict[str, Any] = {name: answer[name] for name in answer if name in _WANTED}
    item["title"] = _whole_title(item.get("title"), item.pop("subtitle", None))
    item["issued"] = item.get("issued") or item.pop("published", None)
    item.pop("published", None)
    item["type"] = _KINDS.get(item.get("type", ""), item.get("type", ""))
    if item.get("DOI") and "doi.org/" in str(item.get("URL", "")):
        del item["URL"]
    for name in ("ISSN", "container-title-short"):
        if isinstance(item.get(name), list):
            item[name] = item[name][0] if item[name] else ""
    paper = csl_json.from_item(item)
    return replace(paper, extra={**paper.extra, **_notices(answer)}) if paper else None


def _whole_title(title: Any, subtitle: Any) -> str:
    """The title with its subtitle, which some publishers repeat in the title."""
    main, further = (
        as_text(value[0] if isinstance(value, list) and value else value)
        for value in (title, subtitle)
    )
    if not main or further.casefold() in main.casefold():
        return main
    return f"{main}{' ' if main.endswith((':', '?', '!')) else ': '}{further}"


def _notices(answer: dict[str, Any]) -> dict[str, str]:
    """The DOIs of retractions and corrections, by the publisher or by Retraction Watch."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for update in as_objects(answer.get("updated-by")):
        doi = identifier("doi", as_text(update.get("DOI")))
        if doi and (name := _NOTICES.get(as_text(update.get("type")))):
            found[name][doi.value] = None
    return {name: " ".join(dois) for name, dois in found.items()}

"""Citations from PubMed: the references of articles in PubMed Central."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

from sciread_app.domain.citations import CitationResponse, Names
from sciread_app.domain.metadata.identifiers import identifier
from sciread_app.domain.paper import Identifier
from sciread_app.formats.files.xml_stream import document
from sciread_app.language import tr
from sciread_app.sources.http.client import Client
from sciread_app.tasks import Task

KEY = "pubmed"
TITLE = "PubMed"

BATCH = 200
_CITES, _CITED_BY = "pubmed_pubmed_refs", "pubmed_pubmed_citedin"


def ask(
    pmids: Sequence[Identifier], client: Client, task: Task
) -> Iterator[list[CitationResponse]]:
    """PubMed's citations of the papers with these PMIDs: a list per response, each paper once.

    A paper without any links is unknown: PubMed does not tell whether it has references. The next
    request is sent on demand. Raises SourceError, or Busy, if PubMed does not respond.
    """
    unique = list(dict.fromkeys(name for name in pmids if name.kind == "pmid"))
    for at in range(0, len(unique), BATCH):
        batch = unique[at : at + BATCH]
        links = _link_sets(batch, client, task)
        yield [_answer(name, links.get(name)) for name in batch]


def _link_sets(
    batch: Sequence[Identifier], client: Client, task: Task
) -> dict[Identifier, etree._Element]:
    """The part of the response for each paper."""
    # With one `id` parameter per paper, the results are separate; with a list, they would be
    # merged.
    form = [("dbfrom", "pubmed"), ("db", "pubmed"), ("linkname", f"{_CITES},{_CITED_BY}")]
    form += [("id", pmid) for _, pmid in batch]
    root = client.ask(
        "eutils",
        "elink.fcgi",
        form=form,
        task=task,
        parse=document,
        check=lambda root: _complaint(root, batch),
    )
    return _own_sets(root)


def _own_sets(root: etree._Element) -> dict[Identifier, etree._Element]:
    own = {}
    for links in root.iterfind("LinkSet"):
        ids = _pmids(links.find("IdList"))
        if len(ids) == 1:
            own[ids[0]] = links
    return own


def _complaint(root: etree._Element, batch: Sequence[Identifier]) -> str:
    if root.tag != "eLinkResult":
        return tr("it contains no links")
    error = " ".join((root.findtext("ERROR") or "").split())
    if error:
        return tr("it contains the error message: {error}", error=error)
    # The response to an earlier request has links as well, but of other papers.
    if _own_sets(root).keys().isdisjoint(batch):
        return tr("it contains none of the requested papers")
    return ""


def _answer(name: Identifier, links: etree._Element | None) -> CitationResponse:
    if links is None:
        problem = tr("{source} did not return this paper.", source=TITLE)
        return CitationResponse(name, problem=problem)
    if error := (links.findtext("ERROR") or "").strip():
        return CitationResponse(
            name, problem=tr("{source} reports an error: {error}", source=TITLE, error=error)
        )
    cites, cited_by = _linked(links, _CITES, name), _linked(links, _CITED_BY, name)
    return CitationResponse(name, known=bool(cites or cited_by), cites=cites, cited_by=cited_by)


def _linked(links: etree._Element, kind: str, own: Identifier) -> list[Names]:
    found: dict[Identifier, None] = {}
    for group in links.iterfind("LinkSetDb"):
        if group.findtext("LinkName", "").strip() == kind:
            for link in group.iterfind("Link"):
                found |= dict.fromkeys(_pmids(link))
    return [(pmid,) for pmid in found if pmid != own]


def _pmids(element: etree._Element | None) -> list[Identifier]:
    ids = () if element is None else element.iterfind("Id")
    found = (identifier("pmid", id.text or "") for id in ids)
    return [pmid for pmid in found if pmid]

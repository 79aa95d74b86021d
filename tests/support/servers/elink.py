"""A fake of PubMed's citation links: ELink of NCBI's E-utilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl

from sciread_app.sources.endpoints import Endpoint
from tests.support.servers.local import Answer, Asked, LocalServer

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8" ?>\n<!DOCTYPE eLinkResult PUBLIC "-//NLM//DTD elink '
    '20101123//EN" "https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20101123/elink.dtd">\n'
)
_REFS, _CITED_IN = "pubmed_pubmed_refs", "pubmed_pubmed_citedin"

# The references of each PMID.
Links = Mapping[str, Sequence[str]]


class ElinkServer(LocalServer):
    def __init__(self, links: Links) -> None:
        super().__init__()
        self.links = links
        self.lost: set[str] = set()  # PMIDs missing in answers

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """Endpoints without a pause between requests."""
        return {"eutils": Endpoint("eutils", "PubMed", self.url, 0.0, "ncbi", api_key="ncbi")}

    def respond(self, asked: Asked) -> Answer:
        if not asked.path.endswith("elink.fcgi"):
            return Answer(b"There is nothing here.", "text/plain", 404)
        return linked(asked, self.links, self.lost)


def ids_of(asked: Asked) -> list[list[str]]:
    """Return the PMIDs of each `id` parameter: answers are separate only by parameter."""
    form = parse_qsl(asked.body.decode(), keep_blank_values=True)
    return [value.split(",") for name, value in form if name == "id"]


def linked(asked: Asked, links: Links, lost: set[str] = frozenset()) -> Answer:  # type: ignore[assignment]
    """Return ELink's answer to a posted form."""
    params = asked.params
    assert asked.method == "POST" and params["dbfrom"] == params["db"] == "pubmed"
    kinds = params["linkname"].split(",")
    sets = [_link_set(ids, links, kinds) for ids in ids_of(asked) if not lost.intersection(ids)]
    body = f"{_HEAD}<eLinkResult>\n{''.join(sets)}</eLinkResult>\n"
    return Answer(body.encode(), "text/xml; charset=UTF-8")


def _link_set(ids: Sequence[str], links: Links, kinds: Sequence[str]) -> str:
    found = {
        _CITED_IN: [citing for citing, cited in links.items() if set(ids) & set(cited)],
        _REFS: [cited for id in ids for cited in links.get(id, ())],
    }
    groups = [
        f"<LinkSetDb><DbTo>pubmed</DbTo><LinkName>{kind}</LinkName>"
        + "".join(f"<Link>\n<Id>{pmid}</Id>\n</Link>" for pmid in found[kind])
        + "</LinkSetDb>"
        for kind in kinds
        if found[kind]
    ]
    own = "".join(f"<Id>{id}</Id>" for id in ids)
    return f"<LinkSet><DbFrom>pubmed</DbFrom><IdList>{own}</IdList>{''.join(groups)}</LinkSet>\n\n"

"""A fake arXiv: its query API and its OAI-PMH, over generated papers.

Manually: `python -m tests.support.servers.arxiv_server 5000` prints the two addresses, and serves.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from functools import cache
from html import escape

from sciread_app.sources.endpoints import Endpoint
from tests.support.servers.arxiv_papers import CATEGORIES, SUBMITTER, Generated, generate
from tests.support.servers.local import Answer, Asked, Fault, LocalServer

_GROUPS = {"cs": "cs", "math": "math", "stat": "stat"}


class ArxivServer(LocalServer):
    """Both interfaces of arXiv over `count` papers, the first submitted on 20 December 2007.

    Every `together` papers share a minute, and the next ones follow `gap` minutes later. The query
    API supports cat:, all:, ti:, submittedDate:[], AND, OR, ANDNOT and brackets.
    """

    def __init__(
        self,
        count: int,
        *,
        together: int = 3,
        gap: int = 90,
        reach: int = 30_000,
        harvest_page: int = 1000,
    ) -> None:
        super().__init__()
        self.papers = {p.id: p for p in (generate(n, together, gap) for n in range(count))}
        self.deleted: set[str] = set()
        self._reach = reach
        self._harvest_page = harvest_page
        self._age = 0  # tokens of another age have expired
        self._found: dict[tuple[str, str, str], list[Generated]] = {}

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """Endpoints without a pause between requests."""
        return {
            "arxiv": Endpoint("arxiv", "arXiv", f"{self.url}api/query", 0.0, "arxiv", alone=True),
            "arxiv_oai": Endpoint("arxiv_oai", "arXiv", f"{self.url}oai", 0.0, "arxiv", alone=True),
        }

    def drop(self, ids: Iterable[str]) -> None:
        """Remove papers, as arXiv does at times."""
        for id in ids:
            del self.papers[id]
        self._found.clear()

    def add(self, *papers: Generated) -> None:
        """Add papers."""
        self.papers |= {paper.id: paper for paper in papers}
        self._found.clear()

    def revise(self, ids: Iterable[str], when: datetime) -> None:
        """Give papers a new version."""
        for id in ids:
            paper = self.papers[id]
            self.papers[id] = replace(paper, updated=when, version=paper.version + 1)
        self._found.clear()

    def expire(self) -> None:
        """Expire all tokens issued so far."""
        self._age += 1

    def respond(self, asked: Asked) -> Answer:
        if asked.path.startswith("/api/query"):
            return self._query(asked.params)
        if asked.path.startswith("/oai"):
            return self._oai(asked.params)
        return Answer(b"There is nothing here.", "text/plain", 404)

    # ---- the query API --------------------------------------------------------------------------

    def _query(self, params: dict[str, str]) -> Answer:
        start, size = int(params.get("start", 0)), int(params.get("max_results", 10))
        if start + size > self._reach or size > 2000:
            return _refusal("max_results is too large")
        if ids := params.get("id_list"):
            known = (self.papers.get(id.partition("v")[0]) for id in ids.split(","))
            found = [paper for paper in known if paper]
        else:
            try:
                found = self._sorted(
                    params.get("search_query", ""),
                    params.get("sortBy", "relevance"),
                    params.get("sortOrder", "descending"),
                )
            except ValueError as error:
                return _refusal(str(error))
        entries = "".join(_entry(paper) for paper in found[start : start + size])
        return Answer(_feed(entries, len(found), start, size), "application/atom+xml")

    def _sorted(self, query: str, sort: str, order: str) -> list[Generated]:
        key = (query, sort, order)
        if key not in self._found:
            holds = _Reader(query).condition()
            found = [paper for paper in self.papers.values() if holds(paper)]
            if sort != "relevance":
                name = {"submittedDate": "submitted", "lastUpdatedDate": "updated"}[sort]
                found.sort(key=lambda p: (getattr(p, name), p.id), reverse=order == "descending")
            self._found[key] = found
        return self._found[key]

    # ---- OAI-PMH --------------------------------------------------------------------------------

    def _oai(self, params: dict[str, str]) -> Answer:
        verb = params.get("verb", "")
        if verb == "Identify":
            return _oai_answer("<Identify><repositoryName>arXiv</repositoryName></Identify>")
        if verb == "ListSets":
            return _oai_answer(f"<ListSets>{''.join(map(_set, self._sets()))}</ListSets>")
        if verb != "ListRecords":
            return _oai_error("badVerb", f"Invalid verb: {verb}")
        if token := params.get("resumptionToken"):
            parts = token.split("|")
            if len(parts) != 4 or parts[0] != str(self._age):
                return _oai_error("badResumptionToken", "The token has expired.")
            return self._records(parts[1], parts[2], int(parts[3]))
        if params.get("metadataPrefix") != "arXivRaw":
            return _oai_error("cannotDisseminateFormat", "Only arXivRaw is to be had here.")
        if params.get("set", "") not in ("", *self._sets()):
            return _oai_error("badArgument", "Set has no known set structure.")
        return self._records(params.get("set", ""), params.get("from", ""), 0)

    def _sets(self) -> list[str]:
        return sorted({name for category in CATEGORIES for name in _sets_of(category)})

    def _records(self, set_name: str, since: str, skip: int) -> Answer:
        found = self._harvested(set_name, since)
        if not found:
            return _oai_error("noRecordsMatch", "No records.")
        end = skip + self._harvest_page
        body = "".join(_record(p, deleted=p.id in self.deleted) for p in found[skip:end])
        token = f"{self._age}|{set_name}|{since}|{end}" if end < len(found) else ""
        body += f"<resumptionToken>{token}</resumptionToken>"
        return _oai_answer(f"<ListRecords>{body}</ListRecords>")

    def _harvested(self, set_name: str, since: str) -> list[Generated]:
        key = ("OAI-PMH", set_name, since)
        if key not in self._found:
            found = [
                paper
                for paper in self.papers.values()
                if paper.datestamp >= since
                and (not set_name or any(set_name in _sets_of(c) for c in paper.categories))
            ]
            self._found[key] = sorted(found, key=lambda paper: (paper.datestamp, paper.id))
        return self._found[key]


def empty_page() -> Fault:
    """Return a fault of arXiv's: a page without entries, though there are papers."""

    def spoil(good: Answer) -> Answer:
        assert isinstance(good.body, bytes)
        return replace(good, body=re.sub(rb"<entry>.*</entry>", b"", good.body, flags=re.S))

    return spoil


# ---- the query language: a subset, and independent of the parser that is tested -----------------

Condition = Callable[[Generated], bool]


class _Reader:
    """Parse conditions joined from left to right."""

    def __init__(self, query: str) -> None:
        self._tokens = re.findall(r'[()]|\w+:\[[^\]]*\]|\w+:"[^"]*"|[^\s()]+', query)

    def condition(self) -> Condition:
        found = self._one()
        while self._tokens and self._tokens[0] != ")":
            operator = self._tokens.pop(0)
            found = _joined(operator, found, self._one())
        return found

    def _one(self) -> Condition:
        if not self._tokens:
            raise ValueError("the query is incomplete")
        token = self._tokens.pop(0)
        if token == "(":
            inner = self.condition()
            if not self._tokens or self._tokens.pop(0) != ")":
                raise ValueError("a bracket is not closed")
            return inner
        return _single(token)


def _joined(operator: str, left: Condition, right: Condition) -> Condition:
    if operator == "AND":
        return lambda paper: left(paper) and right(paper)
    if operator == "OR":
        return lambda paper: left(paper) or right(paper)
    if operator == "ANDNOT":
        return lambda paper: left(paper) and not right(paper)
    raise ValueError(f"unknown operator {operator}")


def _single(token: str) -> Condition:
    field, colon, value = token.partition(":")
    field, value = (field, value.strip('"')) if colon else ("all", token)
    if field == "cat":
        if value.endswith("*"):
            return lambda paper: any(c.startswith(value[:-1]) for c in paper.categories)
        return lambda paper: value in paper.categories
    if field in ("all", "ti"):
        return lambda paper: value in paper.words
    match = re.fullmatch(r"\[(\d{12}) TO (\d{12})\]", value)
    if field != "submittedDate" or not match:
        raise ValueError(f"{token} cannot be understood")
    first, last = match.groups()
    return lambda paper: first <= paper.submitted.strftime("%Y%m%d%H%M") <= last


# ---- XML -----------------------------------------------------------------------------------------

_HEAD = (
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" '
    'xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">\n'
    "<id>https://arxiv.org/api/generated</id><title>arXiv Query</title>"
)


def _feed(entries: str, total: int, start: int, size: int) -> bytes:
    numbers = {"itemsPerPage": size, "totalResults": total, "startIndex": start}
    result = "".join(f"<opensearch:{k}>{v}</opensearch:{k}>" for k, v in numbers.items())
    return f"{_HEAD}{result}\n{entries}</feed>\n".encode()


def _refusal(message: str) -> Answer:
    entry = (
        "<entry><id>https://arxiv.org/api/errors#wrong</id><title>Error</title>"
        f"<summary>{escape(message)}</summary></entry>"
    )
    return Answer(_feed(entry, 1, 0, 1), "application/atom+xml", 400)


def _entry(paper: Generated) -> str:
    form = "%Y-%m-%dT%H:%M:%SZ"
    categories = paper.categories
    parts = [
        f"<entry><id>http://arxiv.org/abs/{paper.id}v{paper.version}</id>",
        f"<title>{escape(paper.title)}</title><updated>{paper.updated.strftime(form)}</updated>",
        f'<link href="https://arxiv.org/abs/{paper.id}" rel="alternate" type="text/html"/>',
        f"<summary>  {escape(paper.abstract, quote=False)}\n</summary>",
        *(f'<category term="{c}" scheme="http://arxiv.org/schemas/atom"/>' for c in categories),
        f"<published>{paper.submitted.strftime(form)}</published>",
        _element("arxiv:comment", paper.comment),
        f'<arxiv:primary_category term="{categories[0]}"/>',
        _element("arxiv:journal_ref", paper.journal),
        _element("arxiv:doi", paper.doi),
        *(f"<author><name>{escape(name)}</name></author>" for name in paper.authors),
        "</entry>\n",
    ]
    return "".join(parts)


def _record(paper: Generated, *, deleted: bool) -> str:
    sets = "".join(f"<setSpec>{_sets_of(c)[-1]}</setSpec>" for c in paper.categories)
    header = f"<identifier>oai:arXiv.org:{paper.id}</identifier>"
    header += f"<datestamp>{paper.datestamp}</datestamp>{sets}"
    if deleted:
        return f'<record><header status="deleted">{header}</header></record>'
    metadata = "".join((
        f"<id>{paper.id}</id><submitter>{SUBMITTER}</submitter>{_versions(paper)}",
        f"<title>{escape(paper.title)}</title><authors>{', '.join(paper.authors)}</authors>",
        f"<categories>{' '.join(paper.categories)}</categories>",
        _element("comments", paper.comment),
        _element("journal-ref", paper.journal),
        _element("doi", paper.doi),
        f"<abstract>  {escape(paper.abstract, quote=False)}\n</abstract>",
    ))  # fmt: skip
    raw = f'<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/">{metadata}</arXivRaw>'
    return f"<record><header>{header}</header><metadata>{raw}</metadata></record>\n"


def _versions(paper: Generated) -> str:
    days = [paper.submitted] * (paper.version - 1) + [paper.updated]
    days[0] = paper.submitted
    form = "%a, %d %b %Y %H:%M:%S GMT"
    return "".join(
        f'<version version="v{n}"><date>{day.strftime(form)}</date><size>9kb</size></version>'
        for n, day in enumerate(days, start=1)
    )


def _element(tag: str, text: str) -> str:
    return f"<{tag}>{escape(text)}</{tag}>" if text else ""


@cache
def _sets_of(category: str) -> tuple[str, ...]:
    """Return the sets of a category: cs.CL is in cs and cs:cs:CL; hep-th in physics and
    physics:hep-th."""
    archive, _, subject = category.partition(".")
    group = _GROUPS.get(archive, "physics")
    whole = f"{group}:{archive}" if group == "physics" else group
    return tuple(dict.fromkeys((group, whole, f"{group}:{archive}:{subject}".rstrip(":"))))


def _set(spec: str) -> str:
    return f"<set><setSpec>{spec}</setSpec><setName>{spec}</setName></set>"


def _oai_answer(inside: str) -> Answer:
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
        "<responseDate>2026-01-01T00:00:00Z</responseDate><request>http://localhost/oai</request>"
        f"{inside}</OAI-PMH>\n"
    )
    return Answer(body.encode(), "text/xml")


def _oai_error(code: str, message: str) -> Answer:
    return _oai_answer(f'<error code="{code}">{escape(message)}</error>')


if __name__ == "__main__":
    server = ArxivServer(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
    print(f"SCIREAD_ARXIV_URL={server.url}api/query SCIREAD_ARXIV_OAI_URL={server.url}oai")
    server.serve()

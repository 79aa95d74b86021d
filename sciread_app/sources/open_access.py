"""Open-access PDFs of a paper: of arXiv, PubMed Central, and the places that Unpaywall and OpenAlex
know.

Only the open-access subset of PubMed Central may be downloaded by programs, which its OA service
lists: https://pmc.ncbi.nlm.nih.gov/tools/openftlist/. Unpaywall requires an e-mail address:
https://unpaywall.org/products/api. A single work is free at OpenAlex:
https://developers.openalex.org/api-reference/authentication.
"""

from __future__ import annotations

import ipaddress
import json
import socket
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from lxml import etree

from sciread_app.domain.paper import Paper
from sciread_app.errors import SourceError
from sciread_app.formats.files.xml_stream import document
from sciread_app.language import tr
from sciread_app.sources import openalex
from sciread_app.sources.http.client import MIB, Client
from sciread_app.sources.http.errors import RequestRejected, sent_on
from sciread_app.tasks import Task

LONGEST_PDF = 100 * MIB
_LONGEST_REPLY = 4 * MIB
_LONGEST_ADDRESS = 2_000  # characters
_LONGEST_LICENSE = 100  # characters
_MOST_LOCATIONS = 5  # of one service
_MOST_FAILURES = 2  # papers in a row for which a server fails until it is not asked again


class PdfLocation(NamedTuple):
    """Where a PDF may be downloaded."""

    source: str  # the service that knows it, as displayed
    endpoint: str
    address: str
    license: str  # as the service writes it; empty if it does not say


class OpenAccessSearch:
    """A search for the PDFs of several papers. A server that fails for two of them in a row is not
    asked again: each failure takes more than a minute of retries."""

    def __init__(self, client: Client, task: Task) -> None:
        self._client = client
        self._task = task
        self._failures: defaultdict[str, list[SourceError]] = defaultdict(list)  # by server

    def locations(self, paper: Paper) -> Iterator[PdfLocation | SourceError]:
        """The places of a paper's PDF, the most reliable first, and the errors of services that
        could not be asked. The next service is asked only if the iteration goes on. Raises
        Cancelled."""
        if arxiv := paper.identifier("arxiv"):
            yield PdfLocation("arXiv", "arxiv_pdf", arxiv, "")
        for kind, ask in (("pmcid", _at_pmc), ("doi", _by_unpaywall), ("doi", _by_openalex)):
            if value := paper.identifier(kind):
                found: list[PdfLocation | SourceError]
                try:
                    with self._asking(ask.__name__):
                        found = list(ask(value, self._client, self._task))
                except SourceError as error:
                    found = [error]
                yield from found

    def download(self, location: PdfLocation) -> bytes:
        """The file at a location. Raises SourceError, also if it is no PDF.

        Publishers redirect from server to server. A redirect is followed if its address is public.
        """
        elsewhere = location.endpoint == "open_access"
        if elsewhere and not _may_be_asked(location.address):
            raise sent_on(location.source, location.address)
        host = urlsplit(location.address).hostname or "" if elsewhere else location.endpoint
        with self._asking(host):
            try:
                body: bytes = self._client.ask(
                    location.endpoint,
                    location.address,
                    accept=("",),  # a page where a PDF should be would be the same on each retry
                    most=LONGEST_PDF,
                    task=self._task,
                    keep=False,
                    follow=_may_be_asked if elsewhere else lambda address: False,
                )
            except RequestRejected as error:
                source, status = location.source, error.status
                why = tr("{source}: Access was denied ({status}).", source=source, status=status)
                if status in (404, 410):
                    why = tr(
                        "{source}: The PDF was not found ({status}).", source=source, status=status
                    )
                raise RequestRejected(why, status=status) from error
        if b"%PDF-" not in body[:1024]:
            raise SourceError(
                tr(
                    "{source}: The server sent a web page or another file instead of a PDF.",
                    source=location.source,
                )
            )
        return body

    @contextmanager
    def _asking(self, server: str) -> Iterator[None]:
        """Count the papers for which this server fails; raise its last error if these are too
        many."""
        failures = self._failures[server]
        if len(failures) >= _MOST_FAILURES:
            raise failures[-1]
        try:
            yield
        except RequestRejected:
            failures.clear()
            raise
        except SourceError as error:
            failures.append(error)
            raise
        failures.clear()


def is_public(address: str) -> bool:
    """Whether an address is one of the public web. Services may list others, by mistake or not, and
    no request should reach a device of the user's own network."""
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").rstrip(".")
        parts.port  # noqa: B018 - raises ValueError
    except ValueError:
        return False
    if parts.scheme != "https" or parts.username or len(address) > _LONGEST_ADDRESS:
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return "." in host and not host.endswith((".local", ".localhost", ".internal", ".lan"))
    return False


def _may_be_asked(address: str) -> bool:
    """Whether an address is public, and so is the server to which its name leads.

    If the name leads elsewhere when it is resolved again (DNS rebinding), the connection fails
    before anything is requested: no device of the user's network has a certificate for that name.
    """
    return is_public(address) and not _leads_home(urlsplit(address).hostname or "")


def _leads_home(host: str) -> bool:
    """Whether a name leads to a server that is not on the public internet; not if the name cannot
    be resolved here, as behind a proxy."""
    try:
        found = socket.getaddrinfo(host, None, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError):
        return False
    return any(
        not ipaddress.ip_address(str(place[0]).partition("%")[0]).is_global for *_, place in found
    )


def _at_pmc(pmcid: str, client: Client, task: Task) -> Iterator[PdfLocation]:
    root: etree._Element = client.ask(
        "pmc_oa",
        params=(("id", pmcid),),
        most=_LONGEST_REPLY,
        task=task,
        parse=document,
        check=lambda root: "" if root.tag == "OA" else tr("it is not a list of files"),
    )
    for record in root.iterfind("records/record"):
        for link in record.iterfind("link[@format='pdf']"):
            # The same server offers the files by HTTPS.
            address = link.get("href", "").replace("ftp://", "https://", 1)
            if is_public(address):
                yield PdfLocation(
                    "PubMed Central", "open_access", address, record.get("license", "")
                )


def _by_unpaywall(doi: str, client: Client, task: Task) -> Iterator[PdfLocation]:
    if not client.contact:
        return
    params = (("email", client.contact),)
    found = _json("unpaywall", quote(doi, safe=""), params, client, task)
    yield from _listed("Unpaywall", found, "oa_locations", "url_for_pdf")


def _by_openalex(doi: str, client: Client, task: Task) -> Iterator[PdfLocation]:
    params = (("select", "id,best_oa_location,locations"),)
    found = _json(openalex.KEY, f"works/doi:{quote(doi, safe='')}", params, client, task)
    yield from _listed("OpenAlex", found, "locations", "pdf_url")


def _json(
    endpoint: str, path: str, params: tuple[tuple[str, str], ...], client: Client, task: Task
) -> Mapping[str, Any]:
    """The object of a response; empty if the service does not know the paper."""
    try:
        found: Mapping[str, Any] | None = client.ask(
            endpoint,
            path,
            params=params,
            accept=("json",),
            most=_LONGEST_REPLY,
            task=task,
            parse=_object,
            check=lambda found: tr("it is not a valid record") if found is None else "",
        )
    except RequestRejected as error:
        if error.status not in (404, 422):  # Unpaywall sends 422 for a DOI that does not exist
            raise
        return {}
    return found or {}


def _object(body: bytes) -> Mapping[str, Any] | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _listed(
    source: str, found: Mapping[str, Any], places: str, address_of: str
) -> Iterator[PdfLocation]:
    """The open-access locations of a record, the best one first."""
    others = found.get(places)
    known: dict[str, str] = {}
    for place in (found.get("best_oa_location"), *(others if isinstance(others, list) else ())):
        if isinstance(place, dict) and place.get("is_oa", True):
            address, license = place.get(address_of), place.get("license")
            if isinstance(address, str) and is_public(address):
                known.setdefault(address, license if isinstance(license, str) else "")
    for address, license in list(known.items())[:_MOST_LOCATIONS]:
        yield PdfLocation(source, "open_access", address, license[:_LONGEST_LICENSE])

"""The HTTP client of all sources: rate limits, retries, a one-day cache, bounded responses."""

from __future__ import annotations

import itertools
import json
import logging
import os
import random
import re
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Self

import httpx

from sciread_app import __version__
from sciread_app.errors import SourceError
from sciread_app.formats.files.xml_stream import BadXml
from sciread_app.language import tr
from sciread_app.sources.api_keys import key
from sciread_app.sources.endpoints import Endpoint
from sciread_app.sources.http import bodies
from sciread_app.sources.http.cache import DayCache
from sciread_app.sources.http.errors import (
    PASSING,
    TransientError,
    find_cause,
    give_up,
    invalid_address,
    misplaced,
    no_answer,
    passing,
    refused,
    sent_on,
    too_long,
    too_slow,
    unproven,
    unreachable,
)
from sciread_app.sources.http.rate_limit import RateLimiter
from sciread_app.tasks import Task

log = logging.getLogger(__name__)

MIB = 1 << 20
PIECE = 64 << 10
REDIRECTS = 5
OFFLINE_TRIES = 3
_LOCAL = ("127.0.0.1", "localhost", "::1")  # reached without a proxy that the user has set
_NOT_IN_NAMES = re.compile(r"[^a-z0-9.]+")


class RetryPolicy(NamedTuple):
    """Timeouts and delays between tries, all in seconds."""

    tries: int = 6
    first: float = 2.0  # before the second try; doubled for each further one
    longest: float = 120.0  # before any try; a longer Retry-After ends the request
    connect: float = 10.0
    read: float = 60.0  # without a byte
    whole: float = 900.0  # for one response

    def rest(self, tried: int, retry_after: float) -> float | None:
        """Seconds before the next try, if the server sent `Retry-After`; None: give up."""
        if tried >= self.tries or retry_after > self.longest:
            return None
        usual = self.first * 2.0 ** (tried - 1) * random.uniform(1, 1.5)
        return max(retry_after, min(usual, self.longest))


class Client:
    """Sends requests to endpoints within their limits. Thread-safe."""

    def __init__(
        self,
        folder: Path,
        endpoints: Mapping[str, Endpoint],
        *,
        contact: str = "",
        proxy: str = "system",
        retry_policy: RetryPolicy = RetryPolicy(),
    ) -> None:
        """`folder` holds the cache, and the rate limits shared by all programs with the same
        folder.

        `contact`, which SCIREAD_CONTACT in the environment overrides, is an e-mail address by which
        the sources can reach the user. `proxy` is "system" for that of the environment or the
        system, "none", or an address.
        """
        self._endpoints = endpoints
        contact = os.environ.get("SCIREAD_CONTACT") or contact
        self._contact = contact if re.fullmatch(r"[!-~]+@[!-~]+", contact) else ""
        self._retry_policy = retry_policy
        self._cache = DayCache(folder / "answers")
        self._limits = folder / "limits"
        self._keys: dict[str, str] = {}
        self._proxy = proxy
        self._http = _http(retry_policy, self._contact, proxy)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def contact(self) -> str:
        """The e-mail address of the user; empty if there is none."""
        return self._contact

    def close(self) -> None:
        self._http.close()

    def ask(
        self,
        endpoint: str,
        path: str = "",
        *,
        params: Sequence[tuple[str, str]] = (),
        form: Sequence[tuple[str, str]] | None = None,
        json: Any = None,
        accept: Sequence[str] = ("xml",),
        most: int = 64 * MIB,
        task: Task,
        parse: Callable[[bytes], Any] = bytes,
        check: Callable[[Any], str] = lambda parsed: "",
        doubted: Callable[[Any], bool] = lambda parsed: False,
        fresh: bool = False,
        keep: bool = True,
        follow: Callable[[str], bool] = lambda address: False,
    ) -> Any:
        """The parsed response to one request, from the cache if it was requested on the same day.

        `form` and `json` are posted. The content type must contain one of the words in `accept`.
        `parse` returns the value of a body, or raises BadXml; `check` returns the reason why this
        value is invalid, or an empty string. An invalid response is requested again, and not
        cached. `fresh` does not read the cache; without `keep` it is not used at all, for requests
        that will not be repeated in the same words. A response that is `doubted` is returned, but
        neither read from the cache nor written to it. `follow` says whether a redirect to this
        address on another server is followed, which none of a source with a key is. Raises Busy if
        the source is overloaded until the retries are exhausted, SourceError for other failures,
        Cancelled.
        """

        def read(body: bytes) -> tuple[Any, str]:
            try:
                parsed = parse(body)
            except BadXml as error:
                return None, str(error)
            return parsed, check(parsed)

        task.raise_if_cancelled()
        where = self._endpoints[endpoint]
        base = where.url.rstrip("/")
        url = f"{base}/{path}" if base and path else path or where.url
        posted = None if form is None else tuple(form)
        question = _Question(url, tuple(params), posted, json, tuple(accept), most, follow)
        if keep and not fresh and (kept := self._cache.get(question.name)) is not None:
            parsed, why = read(kept)
            if not why and not doubted(parsed):
                return parsed
        body, parsed = self._insist(where, question, read, task)
        secret = self._key(where)
        if keep and (not secret or secret.encode() not in body) and not doubted(parsed):
            self._cache.put(question.name, body)
        return parsed

    # ---- one request, with its retries ---------------------------------------------------------

    def _insist(
        self,
        where: Endpoint,
        question: _Question,
        read: Callable[[bytes], tuple[Any, str]],
        task: Task,
    ) -> tuple[bytes, Any]:
        """The body of the first valid response, and its value."""
        for tried in itertools.count(1):
            try:
                body = self._try(where, question, task)
                parsed, why = read(body)
                if why:
                    raise no_answer(where.title, why)
                return body, parsed
            except TransientError as trouble:
                why = self._clean(where, str(trouble))
                log.info("%s (try %d)", why, tried)
                retry_policy = self._retry_policy
                if trouble.offline:
                    retry_policy = retry_policy._replace(
                        tries=min(retry_policy.tries, OFFLINE_TRIES)
                    )
                rest = retry_policy.rest(tried, trouble.after)
                if rest is None:
                    give_up(why, trouble)
                limiter = self._limiter(where, httpx.URL(question.url))
                limiter.rest(rest, tr("{why}; retrying", why=why), task)
        raise AssertionError("unreachable")

    def _try(self, where: Endpoint, question: _Question, task: Task) -> bytes:
        """One try. Raises TransientError if it can be repeated, SourceError if not."""
        try:
            return self._followed(where, question, task)
        except (httpx.InvalidURL, UnicodeError) as error:  # a name that has no form in DNS
            raise invalid_address(question.url) from error

    def _followed(self, where: Endpoint, question: _Question, task: Task) -> bytes:
        """The body after redirects."""
        request = self._request(where, question)
        often = tr(
            "{source} allows one request every {pause:g} s",
            source=where.title,
            pause=self._pause(where),
        )
        for _ in range(REDIRECTS):
            limiter = self._limiter(where, request.url)
            turn = limiter.turn(self._pause(where), often, where.alone, task)
            with turn as retry_after, self._answer(where, request, retry_after) as response:
                retry_after()
                if response.next_request is None:
                    return self._body(where, question, response, task)
                request = _redirected(where, question, request, response.next_request)
        message = tr("{source} redirects in a loop.", source=where.title)
        raise SourceError(message, tr("Try again later."))

    def _body(
        self, where: Endpoint, question: _Question, response: httpx.Response, task: Task
    ) -> bytes:
        if response.status_code != httpx.codes.OK:
            self._refused(where, response, task)
        kind = response.headers.get("content-type", "")
        if not any(word in kind.lower() for word in question.accept):
            message = bodies.message(_opening(response, task))
            raise misplaced(where.title, kind, question.accept[0], message)
        try:
            if int(response.headers.get("content-length", 0)) > question.most:
                raise bodies.TooLong
            coding = response.headers.get("content-encoding", "").lower()
            return bodies.whole(self._pieces(where, response, task), coding, question.most)
        except bodies.TooLong:
            raise too_long(where.title, question.most / MIB) from None
        except bodies.BadCoding as error:
            raise no_answer(where.title, str(error)) from None

    def _refused(self, where: Endpoint, response: httpx.Response, task: Task) -> NoReturn:
        status = response.status_code
        if status in PASSING:
            raise passing(where.title, status, _retry_after(response))
        message = self._clean(where, bodies.message(_opening(response, task)))
        raise refused(where.title, status, message, where.api_key)

    @contextmanager
    def _answer(
        self, where: Endpoint, request: httpx.Request, sent: Callable[[], None]
    ) -> Iterator[httpx.Response]:
        """The response, before its body. Errors in it, and later in the body, are reported."""

        def trace(event: str, _: object) -> None:
            if event.endswith("send_request_body.complete"):
                sent()

        request.extensions["trace"] = trace
        try:
            response = self._http.send(request, stream=True)
            try:
                yield response
            finally:
                response.close()
        except httpx.TimeoutException as error:
            raise TransientError(tr("{source} does not respond", source=where.title)) from error
        except httpx.ConnectError as error:
            if find_cause(error, ssl.SSLCertVerificationError):
                raise unproven(where.title) from error
            if self._proxy not in ("system", "none") and request.url.host not in _LOCAL:
                raise _no_proxy(where, error) from error
            raise unreachable(where.title, error) from error
        except httpx.ProxyError as error:
            raise _no_proxy(where, error) from error
        except httpx.TransportError as error:
            raise TransientError(
                tr("{source} closed the connection too early", source=where.title)
            ) from error

    def _pieces(self, where: Endpoint, response: httpx.Response, task: Task) -> Iterator[bytes]:
        end = time.monotonic() + self._retry_policy.whole
        for piece in response.iter_raw(PIECE):
            task.raise_if_cancelled()
            if time.monotonic() > end:
                raise too_slow(where.title, self._retry_policy.whole)
            yield piece

    # ---- data sent to this source only ---------------------------------------------------------

    def _request(self, where: Endpoint, question: _Question) -> httpx.Request:
        """Requests with a key in a parameter are posted where the source allows it: URLs are logged
        on their way."""
        secret = self._key(where)
        headers = {"Connection": "close"} if where.alone else {}
        params, form = question.params, question.form
        if where.key_header and secret:
            headers[where.key_header] = secret
        if where.key_parameter:
            params = (*params, (where.key_parameter, secret)) if secret else params
        elif where.api_key and not where.key_header:
            params, form = (), (*params, *(form or ()))
        if form is None and question.json is None:
            return self._http.build_request("GET", question.url, params=params, headers=headers)
        if form is None:
            return self._http.build_request(
                "POST", question.url, params=params, json=question.json, headers=headers
            )
        who = [("tool", "sciread"), ("email", self._contact), ("api_key", secret)]
        data: dict[str, list[str]] = {}
        for name, value in (*form, *(pair for pair in who if pair[1])):
            data.setdefault(name, []).append(value)
        return self._http.build_request(
            "POST", question.url, params=params, data=data, headers=headers
        )

    def _key(self, where: Endpoint) -> str:
        """The key for an endpoint, if it has one and the connection is encrypted or local."""
        if not where.api_key:
            return ""
        url = httpx.URL(where.url)
        if url.scheme != "https" and url.host not in ("127.0.0.1", "localhost", "::1"):
            return ""
        if where.api_key not in self._keys:
            self._keys[where.api_key] = key(where.api_key)
        return self._keys[where.api_key]

    def _clean(self, where: Endpoint, text: str) -> str:
        """The text without keys, which servers like to repeat in their messages."""
        secret = self._key(where)
        return text.replace(secret, "[key]") if secret else text

    def _pause(self, where: Endpoint) -> float:
        if where.pause_with_key is not None and self._key(where):
            return where.pause_with_key
        return where.pause

    def _limiter(self, where: Endpoint, url: httpx.URL) -> RateLimiter:
        """The rate limit of an endpoint; that of the server if the endpoint stands for many."""
        name = where.limit_group
        if not where.url:
            name = f"{name} at {_NOT_IN_NAMES.sub('_', url.host)[:100]}"
        return RateLimiter(self._limits, name, self._retry_policy.longest)


class _Question(NamedTuple):
    """A request without its sender."""

    url: str
    params: tuple[tuple[str, str], ...]
    form: tuple[tuple[str, str], ...] | None
    json: Any
    accept: tuple[str, ...]
    most: int
    follow: Callable[[str], bool]

    @property
    def name(self) -> str:
        """A name that is equal for requests with the same response."""
        return json.dumps([self.url, self.params, self.form, self.json])


def _no_proxy(where: Endpoint, error: httpx.TransportError) -> TransientError:
    log.info("could not reach %s through the proxy: %s", where.title, error)
    return TransientError(tr("Could not reach {source} through the proxy", source=where.title))


def _http(retry_policy: RetryPolicy, contact: str, proxy: str) -> httpx.Client:
    agent = f"SciRead/{__version__}" + (f" (mailto:{contact})" if contact else "")
    headers = {"User-Agent": agent, "Accept-Encoding": "gzip"}
    timeout = httpx.Timeout(retry_policy.read, connect=retry_policy.connect)
    address: str | None = None
    direct: tuple[str, ...] = ()  # without a proxy
    if proxy == "none":
        direct = ("http://", "https://")
    elif proxy != "system":
        address = proxy
        direct = tuple(f"all://[{host}]" if ":" in host else f"all://{host}" for host in _LOCAL)
    try:
        return httpx.Client(
            headers=headers,
            timeout=timeout,
            follow_redirects=False,
            verify=_certificates(),
            proxy=address,
            mounts=dict.fromkeys(direct),
        )
    except (ValueError, ImportError, httpx.InvalidURL) as error:
        raise SourceError(
            tr("The proxy set in the environment variables cannot be used."),
            tr("Check HTTP_PROXY, HTTPS_PROXY, and ALL_PROXY."),
        ) from error


@cache
def _certificates() -> ssl.SSLContext:
    """The trusted certificates, shared by all clients: to read them takes 40 ms."""
    return httpx.create_ssl_context()


def _redirected(
    where: Endpoint, question: _Question, old: httpx.Request, new: httpx.Request
) -> httpx.Request:
    """The request that a redirect leads to, if it stays on the same server or may be followed."""
    upgraded = old.url.scheme == "http" and new.url.scheme == "https"
    hosts = {url.host.removeprefix("www.") for url in (old.url, new.url)}
    if (
        len(hosts) == 1
        and new.url.port == old.url.port
        and (upgraded or new.url.scheme == old.url.scheme)
    ):
        return new
    if not where.api_key and question.follow(str(new.url)):
        return new
    raise sent_on(where.title, f"{new.url.scheme}://{new.url.host}")


def _opening(response: httpx.Response, task: Task) -> bytes:
    """The first part of a body that is only read for its error message."""
    task.raise_if_cancelled()
    coding = response.headers.get("content-encoding", "").lower()
    pieces = itertools.islice(response.iter_raw(PIECE), 1)
    try:
        return bodies.whole(pieces, coding, 16 * PIECE)
    except (bodies.TooLong, bodies.BadCoding):
        return b""


def _retry_after(response: httpx.Response) -> float:
    """Seconds to wait, by the server's own clock; 0 if it is missing or invalid."""
    value = response.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
        return float(value)
    try:
        until = parsedate_to_datetime(value)
        now = parsedate_to_datetime(response.headers["date"])
        return max(0.0, (until - now).total_seconds())
    except (KeyError, TypeError, ValueError, OverflowError):
        return 0.0

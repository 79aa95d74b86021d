"""The one way to the network: limits, retries, a day's cache, and no more than was asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import httpx

from sciread_app.errors import SourceError
from sciread_app.sources.endpoints import Endpoint
from sciread_app.tasks import Task

MIB = 1 << 20


class Patience(NamedTuple):
    """How long to wait for a source before giving up. All times in seconds."""

    tries: int = 6
    first: float = 2.0  # before the second try; twice as long before each that follows
    longest: float = 120.0  # before any try, also if the source asks for more
    connect: float = 10.0
    read: float = 60.0  # without a byte


class Client:
    """Asks endpoints, within their limits. Usable from several threads."""

    def __init__(
        self,
        folder: Path,
        endpoints: Mapping[str, Endpoint],
        *,
        contact: str = "",
        patience: Patience = Patience(),  # noqa: B008
    ) -> None:
        """`folder` holds the limits, which other processes keep too, and the cache."""
        self._endpoints = endpoints
        self._http = httpx.Client()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        check: Callable[[bytes], str] | None = None,
        fresh: bool = False,
    ) -> bytes:
        """The body of the answer to one request, from the cache if it was asked for this day.

        `form` and `json` are posted. One of the words in `accept` must stand in the content type.
        `check` says why a body is no answer, empty if it is one; what is none is asked for again,
        and is not cached. `fresh` does not read the cache. Raises Busy if the source has too much
        to do till our patience ends, SourceError for all else, Cancelled.
        """
        task.check()
        where = self._endpoints[endpoint]
        url = where.url + path
        if form is not None:
            answer = self._http.post(url, params=list(params), data=dict(form))
        elif json is not None:
            answer = self._http.post(url, params=list(params), json=json)
        else:
            answer = self._http.get(url, params=list(params))
        if answer.status_code != 200:
            raise SourceError(f"{where.title} does not answer: {answer.status_code}.")
        return answer.content

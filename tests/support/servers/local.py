"""A local web server that records requests and fails on demand."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple, Self
from urllib.parse import parse_qsl, urlsplit


class Asked(NamedTuple):
    at: float  # monotonic seconds
    method: str
    path: str  # without the query
    params: dict[str, str]  # of the URL and of a posted form
    body: bytes
    headers: dict[str, str]  # names in lower case
    url_params: dict[str, str]  # of the URL only


@dataclass(frozen=True)
class Answer:
    body: bytes | Iterable[bytes] = b""  # chunks are sent one after another, without Content-Length
    content_type: str = "application/xml; charset=utf-8"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None  # the connection is dropped after this many bytes of the body


Fault = Callable[[Answer], Answer]


class LocalServer:
    """Serve on 127.0.0.1 while open as a context manager; subclasses override `respond`.

    Usable as the URL of several endpoints, which are distinguished by `asked.path`.
    """

    def __init__(self, respond: Callable[[Asked], Answer] | None = None) -> None:
        self.requests: list[Asked] = []
        self.most_at_once = 0  # requests not yet answered completely
        self._respond = respond
        self._open = 0
        self._faults: deque[tuple[Fault, Callable[[Asked], bool]]] = deque()
        self._guard = threading.Lock()
        self._server = _Http(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/"

    def respond(self, asked: Asked) -> Answer:
        if self._respond is None:
            raise NotImplementedError
        return self._respond(asked)

    def fail(
        self, fault: Fault, times: int = 1, when: Callable[[Asked], bool] = lambda asked: True
    ) -> None:
        """Spoil the next `times` answers to requests for which `when` holds; faults queue up."""
        self._faults.extend([(fault, when)] * times)

    def forgive(self) -> None:
        """Drop the remaining faults."""
        with self._guard:
            self._faults.clear()

    def gaps(self) -> list[float]:
        """Return the seconds between successive requests."""
        times = [asked.at for asked in self.requests]
        return [later - earlier for earlier, later in itertools.pairwise(times)]

    def serve(self) -> None:
        """Serve until Ctrl-C."""
        print(self.url, flush=True)
        with self, contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def begin(self, asked: Asked) -> Answer:
        """Record a request, and answer it with the first matching fault of the queue."""
        with self._guard:
            self.requests.append(asked)
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
            fault = next((entry for entry in self._faults if entry[1](asked)), None)
            if fault:
                self._faults.remove(fault)
        answer = self.respond(asked)
        return fault[0](answer) if fault else answer

    def end(self) -> None:
        with self._guard:
            self._open -= 1


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, local: LocalServer) -> None:
        self.local = local
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect, to keep the output of tests clean."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def do_GET(self) -> None:
        local = self.server.local
        asked = self._asked()
        try:
            answer = local.begin(asked)
        except Exception as error:
            answer = Answer(f"{type(error).__name__}: {error}".encode(), "text/plain", 500)
        # The client may send its next request as soon as it has the last byte, so this one ends
        # here.
        ended = False
        try:
            for piece, last in _with_last(self._pieces(answer)):
                if last:
                    local.end()
                    ended = True
                self.wfile.write(piece)
        except OSError:  # the client disconnected
            self.close_connection = True
        if not ended:
            local.end()

    do_POST = do_PUT = do_GET
    do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: the requests are in LocalServer.requests."""

    def _asked(self) -> Asked:
        at = time.monotonic()
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        in_url = dict(parse_qsl(parts.query, keep_blank_values=True))
        params = dict(in_url)
        if "form-urlencoded" in self.headers.get("Content-Type", ""):
            params |= parse_qsl(body.decode(), keep_blank_values=True)
        headers = {name.lower(): value for name, value in self.headers.items()}
        return Asked(at, self.command, parts.path, params, body, headers, in_url)

    def _pieces(self, answer: Answer) -> Iterator[bytes]:
        """Yield everything that is sent."""
        length = len(answer.body) if isinstance(answer.body, bytes) else None
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        if length is None or answer.cut is not None:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        if self.command == "HEAD":
            return
        if not isinstance(answer.body, bytes):
            yield from answer.body
        elif answer.cut is not None:
            yield answer.body[: answer.cut]
        else:
            yield answer.body


def _with_last(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield each chunk, and whether it is the last."""
    rest = iter(pieces)
    piece = next(rest, None)
    while piece is not None:
        following = next(rest, None)
        yield piece, following is None
        piece = following

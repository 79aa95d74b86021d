"""The client retries every temporary fault and names the cause of a lasting one."""

from __future__ import annotations

import errno
import gzip
import socket
import threading
import tracemalloc
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from sciread_app.errors import Busy, Cancelled, SourceError
from sciread_app.sources.endpoints import Endpoint
from sciread_app.sources.http.client import MIB, OFFLINE_TRIES, Client, RetryPolicy
from sciread_app.tasks import Task
from tests.support.servers import faults
from tests.support.servers.local import Answer, LocalServer

HASTE = RetryPolicy(tries=3, first=0.01, longest=2.0, connect=60.0, read=60.0)
FEED = b"<?xml version='1.0'?><feed>" + b"<entry>of some length</entry>" * 10 + b"</feed>"


@pytest.fixture
def server():
    with LocalServer(lambda asked: Answer(FEED)) as server:
        yield server


@pytest.fixture
def client(server, tmp_path):
    with client_of(server, tmp_path) as client:
        yield client


def client_of(server, folder, retry_policy=HASTE, **endpoint):
    shelf = Endpoint("shelf", "The Shelf", server.url, 0.0, "shelf", **endpoint)
    return Client(folder, {"shelf": shelf}, retry_policy=retry_policy)


def ask(client, **how):
    return client.ask("shelf", task=Task(), **how)


def closed(body):
    return "" if body.endswith(b"</feed>") else "the XML breaks off."


# ---- temporary faults --------------------------------------------------------------------------

PASSING = {
    "429": faults.too_many(),
    "429 with seconds": faults.too_many(0),
    "429 with nonsense": faults.too_many("soon"),
    "503": faults.unavailable(),
    "500": faults.status(500),
    "dropped in the body": faults.dropped(),
    "dropped before the body": faults.dropped(after=0),
    "truncated": faults.truncated(),
    "an empty body": faults.replaced(b""),
    "another type": faults.wrong_type(),
    "packed as nobody asked": lambda good: Answer(FEED, headers={"Content-Encoding": "br"}),
    "not packed though it says so": lambda good: Answer(FEED, headers={"Content-Encoding": "gzip"}),
    "packed and cut": lambda good: Answer(
        gzip.compress(FEED)[:-9], headers={"Content-Encoding": "gzip"}
    ),
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_temporary_fault_is_retried(server, client, fault):
    server.fail(fault, times=HASTE.tries - 1)
    assert ask(client, check=closed) == FEED
    assert len(server.requests) == HASTE.tries


STAYING = {
    "429": (faults.too_many(), Busy, "The Shelf asks for fewer requests (429)."),
    "503": (faults.unavailable(), Busy, "The Shelf is not available (503)."),
    "500": (faults.status(500), SourceError, "The Shelf reports a temporary error (500)."),
    "dropped": (faults.dropped(), SourceError, "The Shelf closed the connection too early."),
    "truncated": (
        faults.truncated(),
        SourceError,
        "The Shelf sent an invalid response: the XML breaks off.",
    ),
    "another type": (
        faults.wrong_type(),
        SourceError,
        "The Shelf sent text/html instead of xml: Please log in to this network.",
    ),
}


@pytest.mark.parametrize(("fault", "kind", "message"), STAYING.values(), ids=STAYING)
def test_lasting_fault_is_reported_with_source_and_cause(server, client, fault, kind, message):
    server.fail(fault, times=99)
    with pytest.raises(SourceError) as raised:
        ask(client, check=closed)
    assert type(raised.value) is kind and str(raised.value) == message and raised.value.hint
    assert len(server.requests) == HASTE.tries


@pytest.mark.parametrize(
    "error",
    [
        socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
        OSError(errno.ENETUNREACH, "Network is unreachable"),
    ],
)
def test_offline_is_reported_after_few_tries(tmp_path, monkeypatch, error):
    tries = []

    def resolve(*_, **__):
        tries.append(error)
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    away = Endpoint("shelf", "The Shelf", "http://shelf.invalid/", 0.0, "shelf")
    retry_policy = RetryPolicy(first=0.0, longest=0.0)
    with (
        Client(tmp_path, {"shelf": away}, retry_policy=retry_policy) as client,
        pytest.raises(SourceError, match="offline") as raised,
    ):
        ask(client)
    assert "Errno" not in str(raised.value) and str(error.strerror) not in str(raised.value)
    assert len(tries) == OFFLINE_TRIES < retry_policy.tries


def test_unreachable_source_is_named(tmp_path):
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unheard.getsockname()[1]}/"
        nobody = Endpoint("shelf", "The Shelf", url, 0.0, "shelf")
        with (
            Client(tmp_path, {"shelf": nobody}, retry_policy=HASTE) as client,
            pytest.raises(SourceError, match=r"^Could not reach The Shelf") as raised,
        ):
            ask(client)
        assert "Errno" not in str(raised.value)


@pytest.mark.parametrize(
    "address", ["https://exa..mple/x", "https://host:abc/x", "https://xn--a/x", "https://[::x]/"]
)
def test_invalid_address_is_named(tmp_path, address):
    web = Endpoint("web", "Web page", "", 0.0, "web")
    with Client(tmp_path, {"web": web}, retry_policy=HASTE) as client:
        with pytest.raises(SourceError, match="not a valid web address") as caught:
            client.ask("web", address, task=Task())
        assert address in caught.value.message and caught.value.hint


def test_silent_source_times_out(tmp_path):
    silent = threading.Event()
    with LocalServer(lambda asked: Answer(str(silent.wait(60)).encode())) as server:
        with (
            client_of(server, tmp_path, HASTE._replace(tries=1, read=0.05)) as client,
            pytest.raises(SourceError, match=r"^The Shelf does not respond\.$"),
        ):
            ask(client)
        silent.set()


# ---- waiting -----------------------------------------------------------------------------------


def in_seconds(seconds):
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize("after", [str, in_seconds])
def test_retry_after_of_source_is_respected(server, tmp_path, after):
    notes = []
    server.fail(lambda good: faults.too_many(after(2))(good))
    with client_of(server, tmp_path, HASTE._replace(longest=5.0)) as client:
        client.ask("shelf", task=Task(lambda done, total, note: notes.append(note)))
    assert server.gaps()[0] > 0.9  # dates have a resolution of one second
    assert notes[0].startswith("The Shelf asks for fewer requests (429); retrying (")
    assert notes[-1] == ""


@pytest.mark.parametrize("after", [str, in_seconds])
def test_too_long_retry_after_fails_at_once(server, client, after):
    server.fail(faults.too_many(after(3600)), times=99)
    with pytest.raises(Busy) as raised:
        ask(client)
    assert len(server.requests) == 1 and "Try again after" in raised.value.hint


def test_retry_after_in_the_past_is_ignored(server, client):
    server.fail(faults.too_many(in_seconds(-3600)))
    assert ask(client) == FEED


def test_retry_delays_grow_with_jitter():
    retry_policy = RetryPolicy(tries=9, first=1.0, longest=20.0)
    rests = [[retry_policy.rest(tried, 0) for tried in range(1, 9)] for _ in range(20)]
    assert all(2**n <= one[n] <= 1.5 * 2**n for one in rests for n in range(4))
    assert {one[-1] for one in rests} == {20.0} and len({one[0] for one in rests}) > 1
    assert retry_policy.rest(9, 0) is None and retry_policy.rest(1, 10) == 10


def test_waiting_is_cancelled_at_once(server, tmp_path):
    server.fail(faults.too_many(), times=99)
    seen = []

    def stop(done, total, note):
        seen.append(note)
        task.cancel()

    task = Task(stop)
    with (
        client_of(server, tmp_path, RetryPolicy(first=60.0, longest=90.0)) as client,
        pytest.raises(Cancelled),
    ):
        client.ask("shelf", task=task)
    assert len(seen) == 1 and len(server.requests) == 1


def test_download_is_cancelled_midway(server, client):
    task = Task()

    def pieces():
        yield b"<feed>" * 100_000
        task.cancel()
        for _ in range(2000):
            sent.append(1)
            yield bytes(100_000)

    sent = []
    server.fail(lambda good: Answer(pieces()))
    with pytest.raises(Cancelled):
        client.ask("shelf", most=1024 * MIB, task=task)
    assert len(sent) < 2000


# ---- permanent faults --------------------------------------------------------------------------

REFUSALS = {
    "text": ("text/plain", b"No such field: foo. Read the manual.", "No such field: foo"),
    "json": ("application/json", b'{"error": "No valid ids"}', "No valid ids"),
    "xml": ("text/xml", b"<error><code>3</code> Bad verb!</error>", "3 Bad verb!"),
    "html": (
        "text/html",
        b"<html><head><title>x</title></head><b>It&#39;s gone</b></html>",
        "It's gone",
    ),
    "nothing": ("text/plain", b"", ""),
    "escapes": ("text/plain", b"\x1b[31mred\x00", "[31mred"),
}


@pytest.mark.parametrize(("kind", "body", "expected"), REFUSALS.values(), ids=REFUSALS)
def test_refusal_gives_message_of_the_source(server, client, kind, body, expected):
    server.fail(faults.status(400, body, kind), times=99)
    with pytest.raises(SourceError) as error:
        ask(client)
    assert (
        str(error.value)
        == f"The Shelf rejected the request (400){': ' * bool(expected)}{expected}."
    )
    assert len(server.requests) == 1


def test_long_refusal_message_is_truncated(server, client):
    server.fail(faults.status(404, b"no " * 10**6))
    with pytest.raises(SourceError) as error:
        ask(client)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_to_another_host_is_not_followed(server, client, status):
    with LocalServer(lambda asked: Answer(FEED)) as elsewhere:
        server.fail(faults.redirected(elsewhere.url, status))
        with pytest.raises(SourceError, match=r"^The Shelf redirects to http://127.0.0.1"):
            ask(client)
        assert not elsewhere.requests


@pytest.mark.parametrize("allowed", [True, False])
def test_redirect_to_another_host_is_followed_if_the_request_allows_it(server, client, allowed):
    with LocalServer(lambda asked: Answer(FEED)) as elsewhere:
        server.fail(faults.redirected(elsewhere.url))
        if allowed:
            assert ask(client, follow=lambda address: address == elsewhere.url) == FEED
        else:
            with pytest.raises(SourceError, match="redirects to"):
                ask(client, follow=lambda address: False)
        assert len(elsewhere.requests) == allowed


def test_key_never_leaves_its_source(server, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENALEX_API_KEY", "sesame")
    with (
        LocalServer(lambda asked: Answer(FEED)) as elsewhere,
        client_of(server, tmp_path, api_key="openalex", key_header="x-key") as client,
    ):
        server.fail(faults.redirected(elsewhere.url))
        with pytest.raises(SourceError, match="redirects to"):
            ask(client, follow=lambda address: True)
        assert not elsewhere.requests


def test_each_server_of_an_endpoint_without_address_has_its_own_pause(server, tmp_path):
    def cancel(done, total, note):
        task.cancel()  # it would wait for an hour

    task = Task(cancel)
    many = Endpoint("many", "Publishers", "", 3600.0, "many")
    address = server.url.replace("127.0.0.1", "localhost")
    with Client(tmp_path, {"many": many}, retry_policy=HASTE) as client:
        for url in (server.url, address):
            assert client.ask("many", url, task=task) == FEED
        with pytest.raises(Cancelled):
            client.ask("many", f"{address}again", task=task)


def test_redirect_on_same_host_is_followed(server, client):
    server.fail(faults.redirected("/moved?x=1", 307))
    assert ask(client, form=[("a", "1")]) == FEED
    assert [(one.path, one.method) for one in server.requests] == [
        ("/", "POST"),
        ("/moved", "POST"),
    ]


def test_circular_redirects_raise_an_error(server, client):
    server.fail(faults.redirected("/"), times=99)
    with pytest.raises(SourceError, match="redirects in a loop"):
        ask(client)
    assert len(server.requests) < 10


# ---- size --------------------------------------------------------------------------------------

TOO_MUCH = {"200 MB": faults.huge(), "gzip bomb": faults.gzip_bomb()}


@pytest.mark.parametrize("fault", TOO_MUCH.values(), ids=TOO_MUCH)
def test_body_over_limit_is_not_read(server, client, fault):
    server.fail(fault)
    tracemalloc.start()
    try:
        with pytest.raises(SourceError, match="The Shelf sent a response larger than 4 MB"):
            ask(client, most=4 * MIB)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12 * MIB
    assert len(server.requests) == 1


def test_announced_size_over_limit_is_refused(server, client):
    server.fail(lambda good: Answer(bytes(5 * MIB)))
    with pytest.raises(SourceError, match="larger than 4 MB"):
        ask(client, most=4 * MIB)


def test_compressed_answer_is_decompressed(server, client):
    server.fail(lambda good: Answer(gzip.compress(FEED), headers={"Content-Encoding": "gzip"}))
    assert ask(client) == FEED


# ---- the cache ---------------------------------------------------------------------------------


def test_same_request_is_sent_once_a_day(server, client, tmp_path):
    for _ in range(2):
        assert ask(client, params=[("q", "x")]) == FEED
    with client_of(server, tmp_path) as another:
        assert ask(another, params=[("q", "x")]) == FEED
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"params": [("q", "y")]},
        {"form": [("q", "x")]},
        {"json": {"q": "x"}},
        {"path": "deeper", "params": [("q", "x")]},
    ],
)
def test_different_request_is_sent(server, client, other):
    ask(client, params=[("q", "x")])
    ask(client, **other)
    assert len(server.requests) == 2


def test_fresh_request_bypasses_and_updates_the_cache(tmp_path):
    answers = iter([b"<old/>", b"<new/>"])
    with (
        LocalServer(lambda asked: Answer(next(answers))) as server,
        client_of(server, tmp_path) as client,
    ):
        assert ask(client) == b"<old/>"
        assert ask(client, fresh=True) == b"<new/>"
        assert ask(client) == b"<new/>"


def test_request_without_keep_is_not_cached(server, client, tmp_path):
    ask(client, keep=False)
    assert not list(tmp_path.glob("answers/*"))
    ask(client)
    ask(client, keep=False)
    assert len(server.requests) == 3


def test_invalid_answer_is_not_cached(server, client, tmp_path):
    server.fail(faults.truncated(), times=HASTE.tries)
    with pytest.raises(SourceError):
        ask(client, check=closed)
    assert ask(client, check=closed) == FEED


def test_damaged_cache_entry_is_requested_again(server, client, tmp_path):
    ask(client, check=closed)
    for path in (tmp_path / "answers").iterdir():
        path.write_bytes(b"<feed><ent")
    assert ask(client, check=closed) == FEED
    assert len(server.requests) == 2


def test_cancelled_task_sends_no_request(server, client):
    ask(client)
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        client.ask("shelf", task=task)


# ---- requests ----------------------------------------------------------------------------------


def test_mirror_url_may_lack_final_slash(server, tmp_path):
    shelf = Endpoint("shelf", "The Shelf", f"{server.url}a/b", 0.0, "shelf")
    with Client(tmp_path, {"shelf": shelf}) as client:
        ask(client, path="c.fcgi")
        ask(client)
    assert [asked.path for asked in server.requests] == ["/a/b/c.fcgi", "/a/b"]


def test_user_agent_contains_valid_contact(server, tmp_path, monkeypatch):
    shelf = {"shelf": Endpoint("shelf", "The Shelf", server.url, 0.0, "shelf")}
    monkeypatch.delenv("SCIREAD_CONTACT", raising=False)
    for contact in ("ada@example.org", "no address", "two@lines\r\nX: y"):
        with Client(tmp_path, shelf, contact=contact) as client:
            ask(client, fresh=True)
    agents = [asked.headers["user-agent"] for asked in server.requests]
    assert agents[0].startswith("SciRead/") and agents[0].endswith("(mailto:ada@example.org)")
    assert all("mailto" not in agent for agent in agents[1:])


def test_invalid_proxy_is_reported(server, tmp_path, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "gopher://nowhere")
    with pytest.raises(SourceError, match="proxy"):
        client_of(server, tmp_path)


def test_set_proxy_gets_requests_to_other_computers(server, tmp_path):
    away = Endpoint("shelf", "The Shelf", "http://shelf.invalid/", 0.0, "shelf")
    with Client(tmp_path, {"shelf": away}, proxy=server.url, retry_policy=HASTE) as client:
        assert ask(client) == FEED
    with LocalServer(lambda asked: Answer(FEED)) as near:
        here = Endpoint("shelf", "The Shelf", near.url, 0.0, "shelf")
        with Client(tmp_path, {"shelf": here}, proxy=server.url, retry_policy=HASTE) as client:
            assert ask(client) == FEED
        assert len(near.requests) == len(server.requests) == 1


def test_unreachable_proxy_is_named_as_the_cause(server, tmp_path):
    closed = LocalServer(lambda asked: Answer(FEED))
    with closed:
        proxy = closed.url
    away = Endpoint("shelf", "The Shelf", "http://shelf.invalid/", 0.0, "shelf")
    with (
        Client(tmp_path, {"shelf": away}, proxy=proxy, retry_policy=HASTE) as client,
        pytest.raises(SourceError, match="proxy"),
    ):
        ask(client)


def test_without_proxy_that_of_the_environment_is_not_used(server, tmp_path, monkeypatch):
    with LocalServer(lambda asked: Answer(FEED)) as proxy:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, proxy.url)
        shelf = Endpoint("shelf", "The Shelf", server.url, 0.0, "shelf")
        with Client(tmp_path, {"shelf": shelf}, proxy="none", retry_policy=HASTE) as client:
            assert ask(client) == FEED
        assert len(server.requests) == 1 and not proxy.requests

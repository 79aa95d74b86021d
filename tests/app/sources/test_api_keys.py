"""API keys reach their source, and no URL, log, error or file."""

from __future__ import annotations

import logging

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring

from sciread_app.errors import SourceError
from sciread_app.sources.api_keys import drop_key, key, set_key
from sciread_app.sources.endpoints import Endpoint
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.tasks import Task
from tests.support.servers import faults
from tests.support.servers.local import Answer, LocalServer

pytestmark = pytest.mark.usefixtures("keyring_in_memory")

SECRET = "s3cret-0f-mine"
HASTE = RetryPolicy(tries=2, first=0.01, longest=0.1)


@pytest.fixture
def server():
    with LocalServer(lambda asked: Answer(b"<feed/>")) as server:
        yield server


def client_of(url, folder):
    return Client(
        folder,
        {
            "eutils": Endpoint("eutils", "PubMed", url, 0.0, "ncbi", api_key="ncbi"),
            "scholar": Endpoint(
                *("scholar", "Scholar", url, 0.0, "scholar"),
                api_key="semantic_scholar",
                key_header="x-api-key",
            ),
        },
        contact="ada@example.org",
        retry_policy=HASTE,
    )


# ---- storage -----------------------------------------------------------------------------------


def test_key_is_stored_in_the_keyring(keyring_in_memory):
    assert key("ncbi") == ""
    set_key("ncbi", f" {SECRET}\n")
    assert key("ncbi") == SECRET and keyring_in_memory.kept == {("sciread", "ncbi"): SECRET}
    assert key("semantic_scholar") == ""
    drop_key("ncbi")
    drop_key("ncbi")
    assert key("ncbi") == ""


def test_environment_overrides_the_keyring(monkeypatch):
    set_key("ncbi", "of-the-keyring")
    monkeypatch.setenv("NCBI_API_KEY", "of-everyone")
    assert key("ncbi") == "of-everyone"
    monkeypatch.setenv("SCIREAD_NCBI_API_KEY", "of-sciread")
    assert key("ncbi") == "of-sciread"


def test_without_keyring_only_environment_keys_work(monkeypatch):
    keyring.set_keyring(NoKeyring())
    assert key("ncbi") == ""
    for change in (lambda: set_key("ncbi", SECRET), lambda: drop_key("ncbi")):
        with pytest.raises(SourceError) as error:
            change()
        assert "NCBI_API_KEY" in error.value.hint
    monkeypatch.setenv("NCBI_API_KEY", SECRET)
    assert key("ncbi") == SECRET


@pytest.mark.parametrize("wrong", ["", "two words", f"{SECRET}\r\nX: y", "ключ-от-всего"])
def test_invalid_key_is_refused_and_not_shown(monkeypatch, wrong):
    with pytest.raises(SourceError) as error:
        set_key("ncbi", wrong)
    assert not wrong or wrong not in f"{error.value}{error.value.hint}"
    if wrong:
        monkeypatch.setenv("NCBI_API_KEY", wrong)
        with pytest.raises(SourceError, match="NCBI_API_KEY"):
            key("ncbi")


# ---- transmission ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [None, [("id", "1"), ("id", "2")]])
def test_pubmed_gets_key_and_contact_in_a_posted_form(server, tmp_path, form):
    set_key("ncbi", SECRET)
    with client_of(server.url, tmp_path) as client:
        client.ask("eutils", "efetch.fcgi", params=[("db", "pubmed")], form=form, task=Task())
    [asked] = server.requests
    assert (asked.method, asked.url_params) == ("POST", {})
    assert asked.params.items() >= {
        ("db", "pubmed"),
        ("tool", "sciread"),
        ("email", "ada@example.org"),
        ("api_key", SECRET),
    }
    assert asked.body.count(b"id=") == len(form or ())


def test_semantic_scholar_gets_its_key_in_a_header(server, tmp_path):
    set_key("semantic_scholar", SECRET)
    with client_of(server.url, tmp_path) as client:
        client.ask("scholar", params=[("q", "x")], task=Task())
        client.ask("eutils", task=Task())
    scholar, eutils = server.requests
    assert scholar.headers["x-api-key"] == SECRET
    assert scholar.params == {"q": "x"} and not scholar.body
    assert SECRET not in str(eutils)


def test_key_is_not_sent_unencrypted(tmp_path, monkeypatch):
    """The proxy stands for the way to a mirror that has no https."""
    set_key("ncbi", SECRET)
    with LocalServer(lambda asked: Answer(b"<feed/>")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "")
        with client_of("http://mirror.example.org/", tmp_path) as client:
            client.ask("eutils", form=[("db", "pubmed")], task=Task())
        assert proxy.requests and SECRET not in str(proxy.requests)


ECHOES = {
    "refused": faults.status(400, f'{{"error":"API key {SECRET} invalid"}}'.encode()),
    "forbidden": faults.status(403, f"No entry for {SECRET}".encode()),
    "another type": lambda good: Answer(f"<p>You are {SECRET}".encode(), "text/html"),
    "busy": faults.too_many(),
    "dropped": faults.dropped(),
    "an answer": faults.replaced(f"<feed>{SECRET}</feed>".encode()),
    "no answer": faults.replaced(f"<bad>{SECRET}</bad>".encode()),
}


@pytest.mark.parametrize("fault", ECHOES.values(), ids=ECHOES)
@pytest.mark.parametrize("endpoint", ["eutils", "scholar"])
def test_keys_appear_nowhere_else(server, tmp_path, caplog, fault, endpoint):
    caplog.set_level(logging.DEBUG)
    set_key("ncbi", SECRET)
    set_key("semantic_scholar", SECRET)
    server.fail(fault, times=99)
    result = ""
    notes = []
    with client_of(server.url, tmp_path) as client:
        try:
            client.ask(
                *(endpoint, "x"),
                params=[("q", "x")],
                check=lambda body: body.decode() if b"bad" in body else "",
                task=Task(lambda done, total, note: notes.append(note)),
            )
        except SourceError as error:
            result = f"{error} {error.hint} {error!r}"
    assert SECRET in str(server.requests)  # it was sent there
    assert SECRET not in str([(asked.path, asked.url_params) for asked in server.requests])
    assert SECRET not in result + caplog.text + str(notes)
    written = [path.read_text("utf-8", "replace") for path in tmp_path.rglob("*") if path.is_file()]
    assert written and SECRET not in "".join(written)

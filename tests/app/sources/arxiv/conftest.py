"""Clients of the server that a test imitates arXiv with."""

from __future__ import annotations

import pytest

from sciread_app.sources.http.client import Client, RetryPolicy

HASTE = RetryPolicy(tries=3, first=0.01, longest=0.02)


@pytest.fixture
def new_client(server, tmp_path):
    """Return a function that opens a new client with an empty cache, like another process."""
    clients = []

    def begin():
        folder = tmp_path / str(len(clients))
        folder.mkdir()
        clients.append(Client(folder, server.endpoints, retry_policy=HASTE))
        return clients[-1]

    yield begin
    for client in clients:
        client.close()

"""The environment of the trainer's processes."""

from __future__ import annotations

import httpx
import pytest

from sciread_app.services.subprocess.trainer import with_proxy

ADDRESS = "http://proxy.example.org:8080"
OLD = {"HTTPS_PROXY": "http://old.example.org", "no_proxy": "intranet", "PATH": "/bin"}


def test_with_proxy_of_the_system_keeps_the_environment():
    assert with_proxy(OLD, "system") == OLD


@pytest.mark.parametrize(("proxy", "expected"), [(ADDRESS, ADDRESS), ("none", None)])
def test_with_proxy_sets_the_proxy_of_the_hub(monkeypatch, proxy, expected):
    found = with_proxy(OLD, proxy)
    assert found["PATH"] == "/bin" and "http://old.example.org" not in found.values()
    assert found.get("HTTPS_PROXY") == found.get("https_proxy") == expected
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        for variable in (name, name.lower()):
            monkeypatch.delenv(variable, raising=False)
    for name, value in found.items():
        monkeypatch.setenv(name, value)
    used = httpx._utils.get_environment_proxies()
    assert {value for value in used.values() if value} == ({expected} if expected else set())

"""Endpoints can be mirrors, and the limits of the official servers cannot be lowered."""

from __future__ import annotations

import pytest

from sciread_app.errors import SourceError
from sciread_app.settings import Settings
from sciread_app.sources.endpoints import OFFICIAL, endpoints

PAUSES = {f"SCIREAD_{one.key.upper()}_PAUSE": "0" for one in OFFICIAL}


def test_official_endpoints_have_their_limits():
    known = endpoints(PAUSES, Settings())
    assert known == {one.key: one for one in OFFICIAL}
    assert known["arxiv"].limit_group == known["arxiv_oai"].limit_group
    assert [known[name].pause for name in known] == [
        3,
        3,
        0.34,
        1,
        0.5,
        0.6,
        0.2,
        1,
        1,
        3,
        0.34,
        0.9,
        1,
        1,
        0,
    ]
    assert known["arxiv"].alone and known["arxiv_oai"].alone


@pytest.mark.parametrize("one", OFFICIAL, ids=lambda one: one.key)
def test_mirror_is_set_by_environment_before_settings(one):
    chosen = Settings(**{f"{one.key}_url": "http://settings.example.org/x"})
    assert endpoints({}, chosen)[one.key].url == "http://settings.example.org/x"
    environ = {f"SCIREAD_{one.key.upper()}_URL": "https://environ.example.org/"}
    assert endpoints(environ, chosen)[one.key].url == "https://environ.example.org/"
    assert endpoints(environ, chosen)[one.key].pause == one.pause
    mirror = endpoints(environ | PAUSES, chosen)[one.key]
    assert (mirror.pause, mirror.pause_with_key) == (0.0, None)
    assert mirror.limit_group != one.limit_group


@pytest.mark.parametrize(
    "url",
    [
        "https://export.arxiv.org/api/query",
        "https://export.arxiv.org:443/",
        "HTTP://EXPORT.ARXIV.ORG/",
        "https://arxiv.org./api/query",
        "https://me@export.arxiv.org/",
    ],
)
def test_official_server_is_recognised_under_every_name(url):
    arxiv = endpoints({"SCIREAD_ARXIV_URL": url} | PAUSES, Settings())["arxiv"]
    assert (arxiv.url, arxiv.pause, arxiv.limit_group) == (url, 3.0, "arxiv")


def test_similar_host_name_is_a_mirror():
    environ = {"SCIREAD_ARXIV_URL": "https://notarxiv.org/"} | PAUSES
    assert endpoints(environ, Settings())["arxiv"].pause == 0.0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SCIREAD_ARXIV_URL", "arxiv.org"),
        ("SCIREAD_ARXIV_URL", "file:///etc/passwd"),
        ("SCIREAD_ARXIV_URL", "https://"),
        ("SCIREAD_ARXIV_URL", "https://[x"),
        ("SCIREAD_ARXIV_PAUSE", "soon"),
        ("SCIREAD_ARXIV_PAUSE", "-1"),
        ("SCIREAD_ARXIV_PAUSE", "nan"),
    ],
)
def test_invalid_environment_value_is_named(name, value):
    environ = {"SCIREAD_ARXIV_URL": "http://mirror.example.org/"} | {name: value}
    with pytest.raises(SourceError, match=f"^{name}"):
        endpoints(environ, Settings())


@pytest.mark.parametrize("one", OFFICIAL, ids=lambda one: one.key)
def test_each_source_says_what_it_receives_and_when(one):
    assert one.sends and one.occasion

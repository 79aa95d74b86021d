"""Records of Crossref, by DOI and by title."""

from __future__ import annotations

import json

import pytest

from sciread_app.domain.paper import Author
from sciread_app.sources import crossref
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.tasks import Task
from tests.support.servers.works_server import WorksServer, numbered

RECORD = {
    "DOI": "10.1038/NATURE14539", "type": "journal-article", "title": ["Deep learning"],
    "author": [{"given": "Yann", "family": "LeCun"}, {"name": "The Group"}],
    "container-title": ["Nature"], "short-container-title": ["Nat."], "volume": "521",
    "page": "436-444", "issue": "7553", "published": {"date-parts": [[2015, 5, 27]]},
    "ISSN": ["0028-0836", "1476-4687"], "publisher-location": "London",
}  # fmt: skip


class Answers:
    """A client that answers every request with the same value."""

    def __init__(self, value):
        self.value = value
        self.asked = []

    def ask(self, endpoint, path, *, params=(), parse, **named):
        self.asked.append((endpoint, path, dict(params)))
        return parse(json.dumps(self.value).encode())


def test_record_becomes_paper():
    [paper] = crossref.by_title(
        "Deep learning", "LeCun", 5, Answers({"message": {"items": [RECORD]}}), Task()
    )
    assert paper.authors == (Author("LeCun", "Yann"), Author("The Group", literal=True))
    assert (paper.kind, paper.venue, paper.published) == ("article-journal", "Nature", "2015-05-27")
    assert paper.extra["issn"] == "0028-0836" and paper.extra["address"] == "London"
    assert paper.source_id == "10.1038/nature14539"


@pytest.mark.parametrize(
    ("title", "subtitle", "whole"),
    [
        (["XGBoost"], ["A Scalable System"], "XGBoost: A Scalable System"),
        ("XGBoost", "A Scalable System", "XGBoost: A Scalable System"),
        (["XGBoost: A Scalable System"], ["A scalable system"], "XGBoost: A Scalable System"),
        (["Why Trees?"], ["A Survey"], "Why Trees? A Survey"),
        (["XGBoost"], [], "XGBoost"),
        (["XGBoost"], [None], "XGBoost"),
    ],
)
def test_subtitle_is_part_of_the_title(title, subtitle, whole):
    item = RECORD | {"title": title, "subtitle": subtitle}
    works = Answers({"message": {"items": [item]}})
    [paper] = crossref.by_title("XGBoost", "", 5, works, Task())
    assert paper.title == whole
    assert "subtitle" in works.asked[0][2]["select"].split(",")
    assert "subtitle" not in paper.extra


def test_title_and_author_are_asked_for():
    works = Answers({"message": {"items": []}})
    assert crossref.by_title("Deep learning", "LeCun", 5, works, Task()) == []
    [(endpoint, path, params)] = works.asked
    assert (endpoint, path, params["rows"]) == ("crossref", "works", "5")
    assert (params["query.bibliographic"], params["query.author"]) == ("Deep learning", "LeCun")


def test_doi_with_comma_is_asked_for_by_itself():
    works = Answers(RECORD | {"DOI": "10.1000/a,b"})
    [paper] = crossref.by_dois(["10.1000/a,b"], works, Task())
    assert paper.title == "Deep learning"
    assert works.asked[0][1].startswith("works/10.1000%2Fa%2Cb/")


def test_unknown_doi_with_comma_is_left_out(tmp_path):
    with (
        WorksServer([numbered(1)]) as works,
        Client(tmp_path, works.endpoints, retry_policy=RetryPolicy(tries=1)) as client,
    ):
        found = crossref.by_dois(["10.1000/a,b", numbered(1).doi], client, Task())
    assert [paper.source_id for paper in found] == [numbered(1).doi]


@pytest.mark.parametrize("item", [{}, {"DOI": "10.1/a"}, {"title": ["No DOI"]}, {"DOI": [1]}])
def test_item_without_title_or_doi_is_left_out(item):
    assert crossref.by_title("Any", "", 5, Answers({"message": {"items": [item]}}), Task()) == []

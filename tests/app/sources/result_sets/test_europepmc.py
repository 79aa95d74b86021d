"""Records of Europe PMC."""

from __future__ import annotations

import json

import pytest

from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.metadata.paper_updates import retracted
from sciread_app.domain.paper import Author, Identifier, Skipped
from sciread_app.sources.result_sets import europepmc
from sciread_app.tasks import Task

ARTICLE = {
    "id": "33782455",
    "source": "MED",
    "pmid": "33782455",
    "pmcid": "PMC8005924",
    "doi": "10.1038/s41598-021-86325-3",
    "title": "CO<sub>2</sub> in <i>Sepsis</i> &amp; shock.",
    "authorString": "van der Berg J, Sepsis Study Group.",
    "authorList": {
        "author": [
            {"fullName": "van der Berg J", "firstName": "Jan", "lastName": "van der Berg"},
            {"collectiveName": "Sepsis Study Group"},
            "not an author",
        ]
    },
    "journalInfo": {
        "issue": "1",
        "volume": "11",
        "journal": {
            "title": "Scientific reports",
            "isoabbreviation": "Sci Rep",
            "issn": "2045-2322",
        },
    },
    "pubYear": "2021",
    "pageInfo": "7211-9",
    "abstractText": "<h4>Background</h4>Little is known. <h4>Results: </h4>More &lt; less.",
    "language": "eng",
    "pubTypeList": {"pubType": ["retracted publication", "Journal Article"]},
    "meshHeadingList": {
        "meshHeading": [
            {"majorTopic_YN": "N", "descriptorName": "Humans"},
            {"majorTopic_YN": "Y", "descriptorName": "Sepsis"},
        ]
    },
    "keywordList": {"keyword": ["Shock", "Sepsis", "Shock"]},
    "firstPublicationDate": "2021-03-29",
    "license": "cc by",
    "commentCorrectionList": {
        "commentCorrection": [
            {"id": "34000001", "source": "MED", "type": "Retraction in"},
            {"id": "PPR12", "source": "PPR", "type": "Preprint in"},
        ]
    },
}
PREPRINT = {
    "id": "PPR123456",
    "source": "PPR",
    "doi": "10.1101/2020.05.05.078964",
    "title": "A preprint",
    "authorString": "Lovelace A, Hopper GB.",
    "bookOrReportDetails": {"publisher": "bioRxiv"},
    "pubTypeList": {"pubType": ["Preprint"]},
    "firstPublicationDate": "2020-05-01",
    "versionNumber": 2,
    "commentCorrectionList": {
        "commentCorrection": [{"id": "33782455", "source": "MED", "type": "Preprint of"}]
    },
}


class Replies:
    """A client that answers every request with these records, and keeps the parameters."""

    def __init__(self, *records):
        self.body = {"hitCount": len(records), "resultList": {"result": list(records)}}

    def ask(self, endpoint, path, *, params, parse, check, **named):
        self.params = dict(params)
        found = parse(json.dumps(self.body).encode())
        assert not check(found)
        return found


def record(value):
    query = SourceQuery("europepmc", "sepsis")
    (found,) = next(europepmc.fetch(query, "", Replies(value), Task())).records
    return found


def test_doi_keeps_its_case():
    paper = record(ARTICLE | {"doi": "10.1016/S0140-6736(20)30183-5"})
    assert paper.identifier("doi") == "10.1016/s0140-6736(20)30183-5"
    assert paper.written_doi == "10.1016/S0140-6736(20)30183-5"


def test_article_has_all_its_fields():
    paper = record(ARTICLE)
    assert paper.title == "CO2 in Sepsis & shock"
    assert paper.authors == (
        Author("Berg", "Jan", "van der"),
        Author("Sepsis Study Group", literal=True),
    )
    assert paper.abstract == "Background: Little is known.\nResults: More < less."
    assert set(paper.identifiers) == {
        Identifier("doi", "10.1038/s41598-021-86325-3"),
        Identifier("pmid", "33782455"),
        Identifier("pmcid", "PMC8005924"),
    }
    assert (paper.venue, paper.published, paper.kind) == (
        "Scientific reports",
        "2021-03-29",
        "article-journal",
    )
    assert (paper.fields, paper.keywords) == (("Sepsis", "Humans"), ("Shock", "Sepsis"))
    expected = {"volume": "11", "number": "1", "pages": "7211-7219", "license": "cc by"}
    assert expected.items() <= paper.extra.items()
    assert retracted(paper) and paper.extra["retraction_in"] == "34000001"
    assert (paper.source, paper.source_id) == ("europepmc", "MED/33782455")


def test_preprint_names_its_server_and_its_article():
    paper = record(PREPRINT)
    assert (paper.kind, paper.venue, paper.extra["publisher"]) == ("article", "", "bioRxiv")
    assert (paper.extra["update_in"], paper.extra["version"]) == ("33782455", "2")
    assert paper.authors == (Author("Lovelace", "A"), Author("Hopper", "GB"))


@pytest.mark.parametrize(
    ("first", "year", "published"),
    [
        ("2021-03-29", "2021", "2021-03-29"),
        ("2021-03-01", "2021", "2021-03"),
        ("2021-01-01", "2021", "2021"),
        ("", "1999", "1999"),
        ("soon", "x", ""),
    ],
)
def test_date_is_as_exact_as_it_is_known(first, year, published):
    dates = {"firstPublicationDate": first, "pubYear": year}
    assert record(ARTICLE | dates).published == published


@pytest.mark.parametrize(
    "change",
    [
        {"authorList": 3, "authorString": None},
        {"journalInfo": "x", "meshHeadingList": [], "keywordList": {"keyword": {}}},
        {"commentCorrectionList": {"commentCorrection": [3]}, "pubTypeList": None, "doi": {}},
    ],
)
def test_fields_of_other_types_are_ignored(change):
    assert record(ARTICLE | change).title == "CO2 in Sepsis & shock"


def test_record_without_title_and_abstract_is_skipped_by_name():
    found = record({"id": "1", "source": "MED", "title": ""})
    assert isinstance(found, Skipped) and found.entry == "MED/1"


def test_query_is_limited_to_dates_and_changes():
    replies = Replies(ARTICLE)
    query = SourceQuery(
        "europepmc", "a OR b", "2020", "2021-02", changed_since="2021-01-05T00:00:00Z"
    )
    next(europepmc.fetch(query, "", replies, Task()))
    asked = replies.params["query"]
    assert asked.startswith("(a OR b) AND FIRST_PDATE:[2020-01-01 TO 2021-02-28] AND (")
    assert "UPDATE_DATE:[2021-01-05 TO " in asked

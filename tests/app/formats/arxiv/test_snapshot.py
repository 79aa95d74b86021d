import json

import pytest

from sciread_app.domain.paper import Author, Paper
from sciread_app.formats.arxiv import snapshot

RECORD = {
    "id": "0704.0001",
    "submitter": "Pavel Nadolsky",
    "authors": "C. Bal\\'azs, P. M. Nadolsky and the CDF Collaboration",
    "title": "Calculation of prompt\n  diphoton production",
    "comments": "37 pages; published version",
    "journal-ref": "Phys.Rev.D76:013009,2007",
    "doi": "10.1103/PhysRevD.76.013009",
    "report-no": "ANL-HEP-PR-07-12",
    "categories": "hep-ph hep-ex",
    "license": None,
    "abstract": '  A full calculation for $\\sqrt{s}$ by H\\"older\n is presented.\n',
    "versions": [
        {"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"},
        {"version": "v2", "created": "Tue, 24 Jul 2007 20:10:27 GMT"},
    ],
    "update_date": "2008-11-26",
    "authors_parsed": [
        ["Bal\\'azs", "C.", ""],
        ["van der Berg", "P. M.", "Jr"],
        ["CDF Collaboration", "", ""],
    ],
}


@pytest.fixture
def read(tmp_path):
    def read(*records):
        path = tmp_path / "arxiv-metadata-oai-snapshot.json"
        lines = (r if isinstance(r, str) else json.dumps(r) for r in records)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return list(snapshot.read(path))

    return read


def test_snapshot_record_becomes_a_paper(read):
    assert read(RECORD) == [
        Paper(
            title="Calculation of prompt diphoton production",
            abstract="A full calculation for $\\sqrt{s}$ by Hölder is presented.",
            authors=(
                Author("Balázs", "C."),
                Author("Berg", "P. M.", "van der", "Jr"),
                Author("CDF Collaboration", literal=True),
            ),
            published="2007-04-02",
            venue="Phys.Rev.D",
            identifiers=(("arxiv", "0704.0001"), ("doi", "10.1103/physrevd.76.013009")),
            fields=("hep-ph", "hep-ex"),
            extra={
                "doi": "10.1103/PhysRevD.76.013009",
                "comment": "37 pages; published version",
                "journal_ref": "Phys.Rev.D76:013009,2007",
                "number": "ANL-HEP-PR-07-12",
                "submitter": "Pavel Nadolsky",
                "version": "2",
            },
            source="arxiv",
            source_id="0704.0001",
        )
    ]


def test_author_line_is_used_without_parsed_names(read):
    (paper,) = read({**RECORD, "authors_parsed": None})
    assert [author.name for author in paper.authors] == [
        "C. Balázs",
        "P. M. Nadolsky",
        "CDF Collaboration",
    ]


def test_update_date_is_used_without_versions(read):
    (paper,) = read({**RECORD, "versions": None})
    assert paper.published == "2008-11-26"


def test_withdrawn_snapshot_record_is_marked(read):
    (paper,) = read({**RECORD, "abstract": "This paper has been withdrawn. It had a gap."})
    assert paper.extra["withdrawn"] == "This paper has been withdrawn"


def test_broken_snapshot_lines_are_skipped_by_number(read):
    nameless = {**RECORD, "id": None}
    found = read(RECORD, '{"id": "0704.0002", "ti', "", "[1, 2]", nameless, "[" * 100_000, RECORD)
    assert [f.source_id if isinstance(f, Paper) else f.entry for f in found] == [
        "0704.0001", "Line 2", "Line 4", "Line 5", "Line 6", "0704.0001",
    ]  # fmt: skip
    assert "not valid JSON" in found[1].reason
    assert found[3].reason == "This line has no arXiv ID."

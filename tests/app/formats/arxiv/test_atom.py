import io
import json

import pytest

from sciread_app.domain.paper import Author, Paper, Skipped
from sciread_app.formats.arxiv import atom

FEED = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">
<id>https://arxiv.org/api/x</id><title>arXiv Query</title>{}</feed>"""

ENTRY = """<entry><id>http://arxiv.org/abs/hep-ph/0307020v2</id><title>On the
  Schr\\"odinger equation</title><updated>2003-08-02T10:00:00Z</updated>
<summary>  We study $\\alpha_s$
  of M\\"uller &amp;gt; 0. </summary><category term="hep-ph"/><category term="11F99"/>
<category term="gr-qc"/><published>2003-07-01T17:58:42Z</published>
<arxiv:comment>4 pages</arxiv:comment><arxiv:primary_category term="gr-qc"/>
<arxiv:journal_ref>Phys.Lett.B573:94-100,2003</arxiv:journal_ref>
<arxiv:doi>10.1016/j.physletb.2003.01.001</arxiv:doi>
<author><name>Jan van der Berg</name><arxiv:affiliation>CERN</arxiv:affiliation></author>
<author><name>CMS Collaboration</name></author></entry>"""


def read(*entries):
    return list(atom.read_feed(io.BytesIO(FEED.format("".join(entries)).encode())))


def test_atom_entry_becomes_a_paper():
    assert read(ENTRY) == [
        Paper(
            title="On the Schrödinger equation",
            abstract="We study $\\alpha_s$ of Müller > 0.",
            authors=(Author("Berg", "Jan", "van der"), Author("CMS Collaboration", literal=True)),
            published="2003-07-01",
            venue="Phys.Lett.B",
            identifiers=(("arxiv", "hep-ph/0307020"), ("doi", "10.1016/j.physletb.2003.01.001")),
            fields=("gr-qc", "hep-ph"),
            extra={
                "comment": "4 pages",
                "journal_ref": "Phys.Lett.B573:94-100,2003",
                "updated": "2003-08-02",
                "affiliations": "CERN",
                "version": "2",
            },
            source="arxiv",
            source_id="hep-ph/0307020",
        )
    ]


@pytest.mark.parametrize(
    "comment",
    [
        "This paper has been withdrawn by the author due to an error",
        "Withdrawn because of a gap in Lemma 3",
        "arXiv admin note: this submission has been withdrawn by arXiv administrators",
    ],
)
def test_withdrawn_atom_entry_is_marked(comment):
    (paper,) = read(ENTRY.replace("4 pages", comment))
    assert paper.extra["withdrawn"] == comment


def test_atom_entry_about_withdrawal_is_not_marked():
    (paper,) = read(ENTRY.replace("4 pages", "On blood withdrawn from mice"))
    assert "withdrawn" not in paper.extra


def test_atom_error_gives_message_of_arxiv():
    entry = """<entry><id>http://arxiv.org/api/errors#bad</id><title>Error</title>
    <summary>incorrect id format for abc</summary></entry>"""
    assert read(entry) == [
        Skipped("arXiv", "", "arXiv reports an error: incorrect id format for abc.")
    ]


def test_atom_entry_without_id_is_skipped_by_number():
    skipped, paper = read(ENTRY.replace("arxiv.org/abs/hep-ph/0307020v2", "example.org"), ENTRY)
    assert (skipped.entry, skipped.reason) == ("Entry 1", "This entry has no arXiv ID.")
    assert paper.source_id == "hep-ph/0307020"


def test_truncated_atom_feed_gives_complete_entries():
    whole = FEED.format(ENTRY * 2).encode()
    paper, skipped = atom.read_feed(io.BytesIO(whole[:-200]), "answer")
    assert paper.source_id == "hep-ph/0307020"
    assert (skipped.file, skipped.entry) == ("answer", "Entry 2")


def test_atom_file_is_read_like_an_answer(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text(FEED.format(ENTRY), encoding="utf-8")
    assert list(atom.read(path)) == read(ENTRY)


@pytest.mark.parametrize(
    ("recorded", "count"),
    [
        ("id_0000.0000_s0_m100_8b51d9633a68", 0),
        ("id_1605.08386_s0_m100_199195aa31ad", 1),
        ("id_astro-ph_0601001_s0_m100_3150dca9dc76", 1),
        ("q_testing_s0_m10_bc5a6c384fe9", 10),
        ("q_testing_s0_m100_cfe7536492ca", 100),
    ],
)
def test_recorded_atom_answers_are_read_completely(shared, recorded, count):
    path = shared / "fixtures" / "json" / f"arxiv_py__fixtures_{recorded}.json"
    body = json.loads(path.read_text(encoding="utf-8"))["body"]
    papers = list(atom.read_feed(io.BytesIO(body.encode())))
    assert len(papers) == count == body.count("<entry>")
    for paper in papers:
        assert paper.title and paper.abstract and paper.authors and paper.fields
        assert len(paper.published) == 10

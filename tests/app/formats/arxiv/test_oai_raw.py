import json
from dataclasses import replace
from datetime import datetime
from html import escape

import pytest
from lxml import etree

from sciread_app.domain.paper import Author, Paper, Skipped
from sciread_app.formats.arxiv import atom as arxiv_atom
from sciread_app.formats.arxiv import oai_raw
from sciread_app.formats.files.xml_stream import BadXml

ANSWER = """<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-01-01</responseDate>
<ListRecords>{}{}</ListRecords></OAI-PMH>"""

RECORD = """<record><header><identifier>oai:arXiv.org:hep-ph/0307020</identifier>
<datestamp>2007-05-23</datestamp><setSpec>physics:gr-qc</setSpec></header><metadata>
<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>hep-ph/0307020</id>
<submitter>Jan van der Berg</submitter>
<version version="v1"><date>Tue, 01 Jul 2003 17:58:42 GMT</date><size>9kb</size></version>
<version version="v2"><date>Sat, 2 Aug 2003 10:00:00 GMT</date><size>9kb</size>
<source_type>D</source_type></version>
<title>On the
  Schr\\"odinger equation</title><authors>Jan van der Berg (CERN), CMS Collaboration</authors>
<categories>gr-qc hep-ph</categories><comments>4 pages</comments><report-no>CERN-TH-3</report-no>
<journal-ref>Phys.Lett.B573:94-100,2003</journal-ref><doi>10.1016/j.physletb.2003.01.001</doi>
<license>http://arxiv.org/licenses/nonexclusive-distrib/1.0/</license>
<abstract>  We study $\\alpha_s$
  of M\\"uller &gt; 0.
</abstract></arXivRaw></metadata></record>"""


def harvest(*records, token=""):
    return oai_raw.harvest(ANSWER.format("".join(records), token).encode())


def read(record):
    (item,) = harvest(record).items
    return item.record


def test_oai_record_becomes_a_paper():
    (item,) = harvest(RECORD).items
    assert (item.datestamp, item.deleted) == ("2007-05-23", False)
    assert item.record == Paper(
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
            "affiliations": "CERN",
            "updated": "2003-08-02",
            "version": "2",
            "number": "CERN-TH-3",
            "license": "http://arxiv.org/licenses/nonexclusive-distrib/1.0/",
            "submitter": "Jan van der Berg",
        },
        source="arxiv",
        source_id="hep-ph/0307020",
    )


def test_withdrawn_oai_record_is_marked():
    comment = "This paper has been withdrawn by the author"
    assert read(RECORD.replace("4 pages", comment)).extra["withdrawn"] == comment


def test_version_without_source_is_marked_as_withdrawn():
    paper = read(RECORD.replace("<source_type>D<", "<source_type>I<"))
    assert paper.extra["withdrawn"] == "Version 2 has been withdrawn."


def test_numbers_in_brackets_are_not_affiliations():
    authors = "Ann Lee (1), Bo Yu (2) ((1) CERN, (2) Fermilab)"
    paper = read(RECORD.replace("Jan van der Berg (CERN), CMS Collaboration", authors))
    assert [author.name for author in paper.authors] == ["Ann Lee", "Bo Yu"]
    assert "affiliations" not in paper.extra


def test_deleted_oai_record_is_named():
    deleted = """<record><header status="deleted"><identifier>oai:arXiv.org:2101.00001</identifier>
    <datestamp>2021-02-03</datestamp></header></record>"""
    (item,) = harvest(deleted).items
    assert item.deleted
    assert item.record == Skipped("arXiv", "2101.00001", "arXiv has deleted this record.")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('On the\n  Schr\\\\"odinger equation', "", "This record has no title."),
        ("arXivRaw", "oai_dc", "This record has no metadata in the arXivRaw format."),
    ],
)
def test_incomplete_oai_record_is_skipped_by_id(old, new, why):
    old = old.replace("\\\\", "\\")
    skipped, good = (item.record for item in harvest(RECORD.replace(old, new), RECORD).items)
    assert (skipped.entry, skipped.reason) == ("hep-ph/0307020", why)
    assert good.source_id == "hep-ph/0307020"


def test_resumption_token_and_total_are_read():
    token = '<resumptionToken completeListSize="7">page|2</resumptionToken>'
    assert harvest(RECORD, token=token)[1:] == ("page|2", 7, "", "")
    assert harvest(RECORD, token="<resumptionToken/>")[1:] == ("", -1, "", "")


def test_oai_error_gives_code_and_message():
    answer = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">
    <error code="badResumptionToken">It has expired</error></OAI-PMH>"""
    found = oai_raw.harvest(answer.encode())
    assert (found.items, found.error, found.message) == ([], "badResumptionToken", "It has expired")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (ANSWER.format(RECORD, "")[:-40].encode(), "not valid"),
        (b"<html><body/></html>", "not an OAI-PMH response: its root element is <html>"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "entities"),
    ],
)
def test_invalid_oai_answer_is_refused(body, why):
    with pytest.raises(BadXml, match=why):
        oai_raw.harvest(body)


ATOM = "{http://www.w3.org/2005/Atom}"
ARXIV = "{http://arxiv.org/schemas/atom}"


def as_raw(entry):
    """Convert an Atom entry to arXiv's raw OAI format."""

    def text(tag):
        return escape(entry.findtext(tag) or "", quote=False)

    def date(tag):
        when = datetime.fromisoformat(text(tag))
        return when.strftime("%a, %d %b %Y %H:%M:%S GMT")

    people = []
    for author in entry.iterfind(f"{ATOM}author"):
        places = [place.text for place in author.iterfind(f"{ARXIV}affiliation")]
        people.append(author.findtext(f"{ATOM}name") + "".join(f" ({p})" for p in places))
    id, _, version = text(f"{ATOM}id").rpartition("/abs/")[2].rpartition("v")
    primary = entry.find(f"{ARXIV}primary_category").get("term")
    others = [c.get("term") for c in entry.iterfind(f"{ATOM}category") if c.get("term") != primary]
    fields = {"comments": "comment", "journal-ref": "journal_ref", "doi": "doi"}
    optional = "".join(
        f"<{tag}>{text(ARXIV + name)}</{tag}>" for tag, name in fields.items() if text(ARXIV + name)
    )
    versions = [date(f"{ATOM}published")] * (int(version) - 1) + [date(f"{ATOM}updated")]
    history = "".join(
        f'<version version="v{n}"><date>{when}</date><size>1kb</size></version>'
        for n, when in enumerate(versions, start=1)
    )
    return (
        f"<record><header><identifier>oai:arXiv.org:{id}</identifier><datestamp>2026-01-01"
        '</datestamp></header><metadata><arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/">'
        f"<id>{id}</id>{history}<title>{text(f'{ATOM}title')}</title>"
        f"<authors>{escape(', '.join(people))}</authors>"
        f"<categories>{' '.join([primary, *others])}</categories>{optional}"
        f"<abstract>{text(f'{ATOM}summary')}</abstract></arXivRaw></metadata></record>"
    )


@pytest.mark.parametrize(
    "recorded",
    [
        "id_1605.08386_s0_m100_199195aa31ad",
        "id_astro-ph_0601001_s0_m100_3150dca9dc76",
        "id_quant-ph_0201082v1_s0_m100_86989fe779ef",
        "q_testing_s0_m100_cfe7536492ca",
    ],
)
def test_atom_and_oai_give_the_same_papers(shared, recorded):
    path = shared / "fixtures" / "json" / f"arxiv_py__fixtures_{recorded}.json"
    body = json.loads(path.read_text(encoding="utf-8"))["body"].encode()
    entries = etree.fromstring(body).iterfind(f"{ATOM}entry")
    wanted = [entry.record for entry in arxiv_atom.feed(body).entries]
    found = [item.record for item in harvest(*map(as_raw, entries)).items]
    for paper, atom in zip(found, wanted, strict=True):
        categories = [field for field in paper.fields if field in atom.fields]
        assert replace(paper, fields=tuple(categories)) == atom

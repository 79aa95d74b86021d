import pytest

from sciread_app.domain.paper import Author, Identifier, Paper, Skipped
from sciread_app.formats.endnote import xml

STYLED = '<style face="normal" font="default" size="100%">{}</style>'


def styled(text):
    return STYLED.format(text)


ARTICLE = f"""<record><database name="Bees.enl" path="C:\\Users\\a\\Bees.enl">Bees.enl</database>
<rec-number>19</rec-number><foreign-keys><key app="EN" db-id="db1">19</key></foreign-keys>
<ref-type name="Journal Article">17</ref-type>
<contributors><authors><author>{styled("Baird, J. K.")}</author>
<author>{styled("Society of Bees,")}</author></authors></contributors>
<titles><title>{styled("Bees in CO")}<style face="subscript" font="default" size="100%">2</style>
{styled("")}</title><secondary-title>{styled("Bee J")}</secondary-title></titles>
<periodical><full-title>{styled("Bee Journal")}</full-title><abbr-1>{styled("Bee J")}</abbr-1>
</periodical><pages>{styled("623-31")}</pages><volume>{styled("32")}</volume>
<number>{styled("4")}</number><edition>{styled("2019/08/02")}</edition>
<keywords><keyword>{styled("wax")}</keyword><keyword>{styled("honey")}</keyword></keywords>
<dates><year>{styled("2019")}</year><pub-dates><date>{styled("Sep 18")}</date></pub-dates></dates>
<isbn>{styled("0893-8512 (Print)&#xD;0893-8512")}</isbn>
<accession-num>{styled("31366609")}</accession-num><abstract>{styled("Bees&#xD;live.")}</abstract>
<notes>{styled("First&#xD;second")}</notes>
<urls><related-urls><url>{styled("https://example.org")}</url></related-urls>
<pdf-urls><url>internal-pdf://123/bees.pdf</url></pdf-urls></urls>
<custom2>{styled("PMC6750137")}</custom2>
<electronic-resource-num>{styled("10.1128/CMR.00011-19")}</electronic-resource-num>
<remote-database-provider>{styled("NLM")}</remote-database-provider>
<language>{styled("eng")}</language></record>"""


@pytest.fixture
def read(tmp_path):
    def read(records):
        path = tmp_path / "export.xml"
        path.write_text(f"<?xml version='1.0'?><xml><records>{records}</records></xml>", "utf-8")
        return list(xml.read(path))

    return read


def test_xml_record_becomes_a_paper(read, tmp_path):
    pdf = tmp_path / "Bees.Data" / "PDF" / "123" / "bees.pdf"
    pdf.parent.mkdir(parents=True)
    pdf.write_bytes(b"%PDF-")
    (paper,) = read(ARTICLE)
    assert paper == Paper(
        title="Bees in CO2",
        abstract="Bees live.",
        authors=(Author("Baird", "J. K."), Author("Society of Bees", literal=True)),
        kind="article-journal",
        published="2019-09-18",
        venue="Bee Journal",
        identifiers=(
            Identifier("doi", "10.1128/cmr.00011-19"),
            Identifier("pmid", "31366609"),
            Identifier("pmcid", "PMC6750137"),
        ),
        keywords=("wax", "honey"),
        extra={
            "doi": "10.1128/CMR.00011-19",
            "volume": "32",
            "number": "4",
            "pages": "623-31",
            "issn": "0893-8512 (Print)\n0893-8512",
            "et": "2019/08/02",
            "shortjournal": "Bee J",
            "t2": "Bee J",
            "an": "31366609",
            "dp": "NLM",
            "c2": "PMC6750137",
            "note": "First\nsecond",
            "url": "https://example.org",
            "language": "eng",
        },
        files=(str(pdf),),
        source="endnote",
        source_id="db1:19",
    )


def test_pmid_of_embase_record_is_not_its_embase_number(read):
    fields = (
        "<accession-num>365765466</accession-num><custom5>27836630</custom5>"
        "<remote-database-name>Embase&#xD;Medline</remote-database-name>"
    )
    (paper,) = read(f"<record><titles><title>Bees</title></titles>{fields}</record>")
    assert paper.identifiers == (Identifier("pmid", "27836630"),)


def test_types_are_known_by_number_too(read):
    (paper,) = read(
        "<record><ref-type>32</ref-type><titles><title>Bees</title></titles>"
        "<publisher>Hive University</publisher><work-type>PhD</work-type></record>"
    )
    assert (paper.kind, paper.extra["school"], paper.extra["type"]) == (
        "thesis", "Hive University", "PhD",
    )  # fmt: skip


def test_record_without_title_is_skipped_and_others_are_read(read):
    empty = "<record><rec-number>7</rec-number></record>"
    _, skipped, paper = read(ARTICLE + empty + ARTICLE)
    assert isinstance(skipped, Skipped) and skipped.entry == "7"
    assert isinstance(paper, Paper)


def test_broken_xml_keeps_the_records_before(read):
    paper, skipped = read(f"{ARTICLE}<record><titles>")
    assert isinstance(paper, Paper) and isinstance(skipped, Skipped)


def test_real_export_is_read_completely(shared):
    (path,) = (shared / "fixtures" / "xml").glob("endnote_xml_*.xml")
    papers = list(xml.read(path))
    assert len(papers) == 179 and all(isinstance(paper, Paper) for paper in papers)
    assert sum(bool(paper.identifier("doi")) for paper in papers) >= 156
    assert sum(bool(paper.abstract) for paper in papers) == 170
    truncated = sum("and-others" in paper.extra for paper in papers)  # the last author is "et al."
    assert sum(len(paper.authors) for paper in papers) + truncated == 1328
    assert all(paper.year for paper in papers)
    assert sum(bool(paper.identifier("pmid")) for paper in papers) > 110

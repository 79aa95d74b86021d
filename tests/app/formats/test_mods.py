import pytest

from sciread_app import formats
from sciread_app.domain.paper import Author, Identifier, Paper, Skipped

ARTICLE = """<mods ID="lee2016"><titleInfo type="alternative"><title>Other</title></titleInfo>
<titleInfo><nonSort>The</nonSort><title>bees</title><subTitle>a study</subTitle></titleInfo>
<name type="personal"><namePart type="family">Lee</namePart><namePart type="given">Ann B.</namePart>
<role><roleTerm type="code">aut</roleTerm></role></name>
<name type="personal"><namePart>van der Berg, Jo</namePart></name>
<name type="corporate"><namePart>Bee Consortium</namePart></name>
<name type="personal"><namePart>Advisor, An</namePart><role><roleTerm>ths</roleTerm></role></name>
<genre>journal article</genre><abstract>Bees live.</abstract><note>A note.</note>
<originInfo><publisher>Hive</publisher><place><placeTerm type="code">sz</placeTerm>
<placeTerm type="text">Bern</placeTerm></place><dateCreated>2015</dateCreated>
<dateIssued encoding="w3cdtf">2016-05</dateIssued></originInfo>
<subject><topic>wax</topic></subject><subject><topic>honey</topic></subject>
<language><languageTerm type="code">eng</languageTerm>
<languageTerm type="text">English</languageTerm></language>
<identifier type="doi">10.1000/Bees</identifier><identifier type="isbn" invalid="yes">1</identifier>
<location><url>https://example.org</url></location>
<relatedItem type="host"><titleInfo><title>Bee Journal</title></titleInfo>
<name><namePart>Roe, Mary</namePart><role><roleTerm>editor</roleTerm></role></name>
<identifier type="issn">1536-4801</identifier><identifier type="doi">10.1000/journal</identifier>
<part><detail type="volume"><number>65</number></detail>
<detail type="issue"><number>5</number></detail>
<extent unit="pages"><start>1</start><end>9</end></extent></part></relatedItem>
<recordInfo><recordIdentifier>rec-1</recordIdentifier></recordInfo></mods>"""


@pytest.fixture
def read(tmp_path):
    def read(records, name="catalog.xml", namespace="http://www.loc.gov/mods/v3"):
        path = tmp_path / name
        path.write_text(
            f'<modsCollection xmlns="{namespace}">{records}</modsCollection>', encoding="utf-8"
        )
        return list(formats.read_file(path))

    return read


@pytest.mark.parametrize("namespace", ["http://www.loc.gov/mods/v3", ""])
def test_record_becomes_a_paper(read, namespace):
    assert read(ARTICLE, namespace=namespace) == [
        Paper(
            title="The bees: a study",
            abstract="Bees live.",
            authors=(
                Author("Lee", "Ann B."),
                Author("Berg", "Jo", "van der"),
                Author("Bee Consortium", literal=True),
            ),
            kind="article-journal",
            published="2016-05",
            venue="Bee Journal",
            identifiers=(Identifier("doi", "10.1000/bees"), Identifier("citekey", "lee2016")),
            keywords=("wax", "honey"),
            extra={
                "doi": "10.1000/Bees",
                "volume": "65",
                "number": "5",
                "pages": "1-9",
                "issn": "1536-4801",
                "publisher": "Hive",
                "address": "Bern",
                "language": "eng",
                "note": "A note.",
                "url": "https://example.org",
                "editor": "Roe, Mary",
            },
            source="mods",
            source_id="rec-1",
        )
    ]


@pytest.mark.parametrize(
    ("about", "kind"),
    [
        ("<genre>Thesis</genre>", "thesis"),
        ("<genre>technical report</genre>", "report"),
        ("<genre>conference publication</genre>", "paper-conference"),
        ("<genre>book</genre>", "book"),
        ("<genre>book</genre><relatedItem type='host'/>", "chapter"),
        ("<originInfo><issuance>monographic</issuance></originInfo>", "book"),
        ("", "article"),
    ],
)
def test_genre_decides_the_kind(read, about, kind):
    title = "<titleInfo><title>T</title></titleInfo>"
    (paper,) = read(f"<mods>{title}{about}</mods>", "a.mods")
    assert paper.kind == kind


def test_key_date_counts_before_the_date_of_publication(read):
    (paper,) = read(
        "<mods><titleInfo><title>T</title></titleInfo><originInfo><dateIssued>2003</dateIssued>"
        "<dateCreated keyDate='yes'>1955-03-22</dateCreated></originInfo></mods>"
    )
    assert paper.published == "1955-03-22"


def test_record_without_title_is_skipped_and_others_are_read(read):
    skipped, paper = read(f"<mods ID='x'/>{ARTICLE}")
    assert isinstance(skipped, Skipped) and skipped.entry == "x" and isinstance(paper, Paper)


def test_single_record_is_read(tmp_path):
    path = tmp_path / "record.xml"
    path.write_text(ARTICLE.replace("<mods ", '<mods xmlns="http://www.loc.gov/mods/v3" ', 1))
    assert [type(one) for one in formats.read_file(path)] == [Paper]

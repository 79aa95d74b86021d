import pytest

from sciread_app import formats
from sciread_app.domain.paper import Author, FiledPaper, Identifier, Skipped
from sciread_app.formats.zotero.rdf import NAMESPACES

NAMES = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in NAMESPACES.items())
ARTICLE = """<bib:Article rdf:about="http://example.org/bees"><z:itemType>journalArticle</z:itemType>
<dcterms:isPartOf rdf:resource="urn:issn:1536-4801"/>
<bib:authors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>Lee</foaf:surname>
<foaf:givenName>Ann B.</foaf:givenName></foaf:Person></rdf:li>
<rdf:li><foaf:Person><foaf:surname>Bee Consortium</foaf:surname></foaf:Person></rdf:li>
</rdf:Seq></bib:authors>
<bib:editors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>Roe</foaf:surname>
<foaf:givenname>Mary</foaf:givenname></foaf:Person></rdf:li></rdf:Seq></bib:editors>
<dcterms:isReferencedBy rdf:resource="#item_3"/>
<link:link rdf:resource="#item_4"/><link:link rdf:resource="#item_5"/>
<dc:subject>to read</dc:subject>
<dc:subject><z:AutomaticTag><rdf:value>Apis</rdf:value></z:AutomaticTag></dc:subject>
<dc:subject><dcterms:LCC><rdf:value>QL 1</rdf:value></dcterms:LCC></dc:subject>
<dc:title>Bees &lt;i&gt;at&lt;/i&gt; night</dc:title><dcterms:abstract>Bees live.</dcterms:abstract>
<dc:date>2017-11</dc:date><z:language>en</z:language>
<dc:identifier><dcterms:URI><rdf:value>http://example.org/bees</rdf:value></dcterms:URI></dc:identifier>
<dc:description>PMID: 28753182</dc:description><bib:pages>1-9</bib:pages></bib:Article>
<bib:Journal rdf:about="urn:issn:1536-4801"><prism:volume>65</prism:volume>
<prism:number>5</prism:number><dc:title>Bee Journal</dc:title>
<dcterms:alternative>Bee J.</dcterms:alternative><dc:identifier>DOI 10.1000/Bees</dc:identifier>
<dc:identifier>ISSN 1536-4801</dc:identifier></bib:Journal>
<bib:Memo rdf:about="#item_3">
<rdf:value>&lt;p&gt;Read &amp;amp; compare&lt;/p&gt;</rdf:value></bib:Memo>
<z:Attachment rdf:about="#item_4"><z:itemType>attachment</z:itemType>
<rdf:resource rdf:resource="files/4/bees%20at%20night.pdf"/><dc:title>PDF</dc:title></z:Attachment>
<z:Attachment rdf:about="#item_5"><z:itemType>attachment</z:itemType><dc:title>Link</dc:title>
</z:Attachment>"""
CHAPTER = """<bib:BookSection rdf:about="#item_7"><z:itemType>bookSection</z:itemType>
<dcterms:isPartOf><bib:Book><dcterms:isPartOf><bib:Series><dc:title>Insects</dc:title>
</bib:Series></dcterms:isPartOf><dc:identifier>ISBN 978-3-86490-311-3</dc:identifier>
<dc:title>The hive</dc:title></bib:Book></dcterms:isPartOf>
<dc:publisher><foaf:Organization><foaf:name>Wax Press</foaf:name><vcard:adr><vcard:Address>
<vcard:locality>Bern</vcard:locality></vcard:Address></vcard:adr></foaf:Organization></dc:publisher>
<dc:title>On wax</dc:title></bib:BookSection>"""
COLLECTIONS = """<z:Collection rdf:about="#collection_1"><dc:title>Insects</dc:title>
<dcterms:hasPart rdf:resource="#collection_2"/></z:Collection>
<z:Collection rdf:about="#collection_2"><dc:title>Bees/wasps</dc:title>
<dcterms:hasPart rdf:resource="http://example.org/bees"/></z:Collection>"""


@pytest.fixture
def read(tmp_path):
    def read(body):
        path = tmp_path / "library.rdf"
        path.write_text(f"<rdf:RDF {NAMES}>{body}</rdf:RDF>", encoding="utf-8")
        return list(formats.read_file(path))

    return read


def test_item_becomes_a_paper_with_its_files_notes_and_collections(read, tmp_path):
    pdf = tmp_path / "files" / "4" / "bees at night.pdf"
    pdf.parent.mkdir(parents=True)
    pdf.write_bytes(b"%PDF-")
    (paper,) = read(ARTICLE + COLLECTIONS)
    assert isinstance(paper, FiledPaper)
    assert paper.title == "Bees at night" and paper.abstract == "Bees live."
    assert paper.authors == (Author("Lee", "Ann B."), Author("Bee Consortium", literal=True))
    assert (paper.kind, paper.published) == ("article-journal", "2017-11")
    assert paper.venue == "Bee Journal" and paper.keywords == ("Apis",)
    assert paper.identifiers == (
        Identifier("doi", "10.1000/bees"), Identifier("pmid", "28753182"),
    )  # fmt: skip
    assert paper.extra == {
"doi": "10.1000/Bees",         "volume": "65", "number": "5", "pages": "1-9", "issn": "1536-4801",
        "shortjournal": "Bee J.", "url": "http://example.org/bees", "language": "en",
        "library": "QL 1", "editor": "Roe, Mary",
    }  # fmt: skip
    assert paper.files == (str(pdf),)
    assert paper.filing.tags == ("to read",)
    assert paper.filing.collections == ("Insects/Bees-wasps",)
    assert [note.text for note in paper.filing.notes] == ["Read & compare"]


def test_fields_of_the_book_around_a_chapter_are_read(read):
    (paper,) = read(CHAPTER)
    assert (paper.kind, paper.title, paper.venue) == ("chapter", "On wax", "The hive")
    assert paper.identifier("isbn") == "9783864903113"
    assert (paper.extra["series"], paper.extra["publisher"]) == ("Insects", "Wax Press")
    assert paper.extra["address"] == "Bern"


def test_doi_in_a_journal_that_two_articles_share_is_left_out(read):
    body = ARTICLE + ARTICLE.split("<bib:Journal")[0].replace("at&lt;/i&gt; night", "by day")
    papers = read(body)
    assert [paper.venue for paper in papers] == ["Bee Journal"] * 2
    assert not any(paper.identifier("doi") for paper in papers)


@pytest.mark.parametrize(
    ("kind", "field", "expected"),
    [("thesis", "school", "Hive"), ("report", "institution", "Hive"), ("report", "number", "7")],
)
def test_publisher_and_number_of_thesis_and_report_are_read(read, kind, field, expected):
    (paper,) = read(
        f"<bib:Report rdf:about='#1'><z:itemType>{kind}</z:itemType><dc:title>T</dc:title>"
        "<prism:number>7</prism:number><dc:publisher><foaf:Organization><foaf:name>Hive"
        "</foaf:name></foaf:Organization></dc:publisher></bib:Report>"
    )
    assert paper.extra[field] == expected


def test_arxiv_id_is_found_in_the_address_of_a_preprint(read):
    (paper,) = read(
        "<rdf:Description rdf:about='#1'><z:itemType>preprint</z:itemType><dc:title>T</dc:title>"
        "<dc:identifier><dcterms:URI><rdf:value>https://arxiv.org/abs/1707.06347</rdf:value>"
        "</dcterms:URI></dc:identifier></rdf:Description>"
    )
    assert paper.identifier("arxiv") == "1707.06347"


def test_circular_collections_end(read):
    one, two = "#collection_1", "#collection_2"
    circle = "".join(
        f"<z:Collection rdf:about='{a}'><dc:title>C</dc:title><dcterms:hasPart rdf:resource='{b}'/>"
        f"<dcterms:hasPart rdf:resource='http://example.org/bees'/></z:Collection>"
        for a, b in ((one, two), (two, one))
    )
    (paper,) = read(ARTICLE + circle)
    assert paper.filing.collections == ("C/C",)


def test_item_without_title_is_skipped_and_others_are_read(read):
    empty = "<bib:Book rdf:about='#9'><z:itemType>book</z:itemType></bib:Book>"
    skipped, paper = read(empty + CHAPTER)
    assert isinstance(skipped, Skipped) and skipped.entry == "#9" and paper.title == "On wax"


def test_files_and_notes_without_item_are_reported(read):
    stray = (
        "<z:Attachment rdf:about='#8'><z:itemType>attachment</z:itemType>"
        "<rdf:resource rdf:resource='files/8/stray.pdf'/></z:Attachment>"
        "<bib:Memo rdf:about='#9'><rdf:value>Buy wax</rdf:value></bib:Memo>"
    )
    paper, *skipped = read(ARTICLE + stray)
    assert paper.title and [one.entry for one in skipped] == ["files/8/stray.pdf", "#9"]


def test_broken_file_keeps_the_items_before(read):
    paper, skipped = read(CHAPTER + "<bib:Book>")
    assert paper.title == "On wax" and isinstance(skipped, Skipped)

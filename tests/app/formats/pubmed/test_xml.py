import gzip

import psutil
import pytest

from sciread_app.domain.paper import Author, Paper, Skipped
from sciread_app.formats.files.xml_stream import BadXml
from sciread_app.formats.pubmed import xml as pubmed_xml

ARTICLE = """<PubmedArticle><MedlineCitation><PMID Version="2">{pmid}</PMID><Article>
<Journal><ISSN IssnType="Print">1043-1578</ISSN><JournalIssue><Volume>17</Volume><Issue>1</Issue>
<PubDate>{date}</PubDate></JournalIssue><Title>Gut</Title><ISOAbbreviation>G</ISOAbbreviation>
</Journal><ArticleTitle>{title}</ArticleTitle>{article}</Article>{citation}</MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pubmed">{pmid}</ArticleId>
<ArticleId IdType="doi">10.1000/{pmid}</ArticleId><ArticleId IdType="pmc">PMC77</ArticleId>
</ArticleIdList>{data}</PubmedData></PubmedArticle>"""


def article(pmid="11", title="On Something.", **parts):
    defaults = {"date": "<Year>1998</Year>", "article": "", "citation": "", "data": ""}
    return ARTICLE.format(pmid=pmid, title=title, **defaults | parts)


@pytest.fixture
def read(tmp_path):
    def read(*articles, head="<?xml version='1.0'?>"):
        path = tmp_path / "some.xml"
        text = f"{head}<PubmedArticleSet>{''.join(articles)}</PubmedArticleSet>"
        path.write_text(text, encoding="utf-8")
        return list(pubmed_xml.read(path))

    return read


@pytest.fixture
def read_one(read):
    return lambda **parts: read(article(**parts))[0]


def test_pubmed_article_becomes_a_paper(read_one):
    paper = read_one(article="<Pagination><MedlinePgn>113-25</MedlinePgn></Pagination>")
    assert (paper.title, paper.venue, paper.kind) == ("On Something", "Gut", "article-journal")
    assert [":".join(i) for i in paper.identifiers] == ["pmid:11", "doi:10.1000/11", "pmcid:PMC77"]
    assert (paper.source, paper.source_id) == ("pubmed", "11")
    assert paper.extra == {
        "volume": "17", "number": "1", "pages": "113-125", "issn": "1043-1578",
        "shortjournal": "G", "version": "2",
    }  # fmt: skip


def test_abstract_sections_keep_their_labels(read_one):
    paper = read_one(
        article="<Abstract><AbstractText Label='AIM'>To see.</AbstractText>"
        "<AbstractText Label='UNLABELLED'>So.</AbstractText><AbstractText>We saw.</AbstractText>"
        "<CopyrightInformation>© 2001 Press.</CopyrightInformation></Abstract>"
    )
    assert paper.abstract == "AIM: To see.\nSo.\nWe saw."
    assert paper.extra["copyright"] == "© 2001 Press."


def test_copyright_notice_is_removed_from_abstract(read_one):
    text = "We saw. Copyright (c) 2001 Elsevier Science."
    paper = read_one(article=f"<Abstract><AbstractText>{text}</AbstractText></Abstract>")
    assert (paper.abstract, paper.extra["copyright"]) == (
        "We saw.",
        "Copyright (c) 2001 Elsevier Science.",
    )


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("CO<sub>2</sub>, <i>E. coli</i>, 10<sup>-3</sup> m<sup>2</sup>", "CO2, E. coli, 10^-3 m2"),
        ("a <b>big</b>\n   word", "a big word"),
        ("One<p>two</p>three", "One two three"),
        ("of &lt;i&gt; &amp; x<y/>z", "of <i> & x z"),
        ("for <m:math xmlns:m='m'><m:msup><m:mi>x</m:mi><m:mn>2</m:mn></m:msup><m:mo>=</m:mo>"
         "<m:mfrac><m:mn>1</m:mn><m:mrow><m:mi>y</m:mi><m:mo>+</m:mo><m:mn>1</m:mn></m:mrow></m:mfrac>"
         "</m:math> here", "for x^2=1/(y+1) here"),
    ],
)  # fmt: skip
def test_markup_is_removed_without_joining_words(read_one, markup, text):
    assert read_one(title=markup).title == text


@pytest.mark.parametrize(
    ("title", "clean"),
    [
        ("[Age and the ovary].", "Age and the ovary"),
        ("[Age and the ovary.]", "Age and the ovary"),
        ("[18F]FDG and [11C].", "[18F]FDG and [11C]"),
        ("Care in the U.S.", "Care in the U.S."),
        ("CellML 2.0.", "CellML 2.0"),
        ("And so on...", "And so on..."),
    ],
)
def test_title_loses_only_medline_additions(read_one, title, clean):
    assert read_one(title=title).title == clean


def test_original_title_replaces_missing_english_one(read_one):
    paper = read_one(
        title="[Not Available].", article="<VernacularTitle>Über Etwas.</VernacularTitle>"
    )
    assert (paper.title, paper.extra["origtitle"]) == ("Über Etwas", "Über Etwas")


@pytest.mark.parametrize(
    ("date", "iso"),
    [
        ("<Year>1976</Year><Month>Sep</Month><Day>28</Day>", "1976-09-28"),
        ("<Year>2009</Year><Month>02</Month>", "2009-02"),
        ("<Year>1990</Year><Season>Spring</Season>", "1990"),
        ("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", "1998-12"),
        ("<MedlineDate>2008 Jul-Aug</MedlineDate>", "2008-07"),
        ("<MedlineDate>Spring 1999</MedlineDate>", "1999"),
        ("<MedlineDate>unknown</MedlineDate>", ""),
    ],
)
def test_dates_keep_their_precision(read_one, date, iso):
    assert read_one(date=date).published == iso


def test_online_date_is_used_if_more_precise(read_one):
    day = "<ArticleDate><Year>{}</Year><Month>03</Month><Day>04</Day></ArticleDate>"
    assert read_one(article=day.format(1998)).published == "1998-03-04"
    assert read_one(article=day.format(1997)).published == "1998"


def test_authors_have_particle_suffix_and_may_be_collective(read_one):
    paper = read_one(
        article="<AuthorList><Author><LastName>van der Berg</LastName><ForeName>Jan P</ForeName>"
        "<Suffix>Jr</Suffix></Author><Author><LastName>Lee</LastName><Initials>A</Initials></Author>"
        "<Author><CollectiveName>The Study Group</CollectiveName></Author></AuthorList>"
    )
    assert paper.authors == (
        Author("Berg", "Jan P", "van der", "Jr"),
        Author("Lee", "A"),
        Author("The Study Group", literal=True),
    )


def test_major_topics_come_first(read_one):
    heading = '<MeshHeading><DescriptorName MajorTopicYN="{}">{}</DescriptorName>{}</MeshHeading>'
    paper = read_one(
        citation="<MeshHeadingList>"
        + heading.format("N", "Humans", "")
        + heading.format("N", "Law", '<QualifierName MajorTopicYN="Y">trends</QualifierName>')
        + heading.format("Y", "Prisoners", "")
        + "</MeshHeadingList><KeywordList><Keyword>jail.</Keyword>"
        + "<Keyword>AIDS</Keyword></KeywordList>"
    )
    assert paper.fields == ("Law", "Prisoners", "Humans")
    assert paper.keywords == ("jail", "AIDS")


def test_retractions_and_other_versions_are_kept(read_one):
    link = '<CommentsCorrections RefType="{}"><PMID>{}</PMID></CommentsCorrections>'
    paper = read_one(
        article="<PublicationTypeList><PublicationType>Preprint</PublicationType>"
        "<PublicationType>Retracted Publication</PublicationType></PublicationTypeList>",
        citation="<CommentsCorrectionsList>"
        + link.format("UpdateOf", 5)
        + link.format("RetractionIn", 6)
        + link.format("RetractionIn", 7)
        + "</CommentsCorrectionsList>",
    )
    assert paper.kind == "article"
    assert paper.extra["publication_types"] == "Preprint; Retracted Publication"
    assert (paper.extra["update_of"], paper.extra["retraction_in"]) == ("5", "6 7")


def test_identifiers_of_references_are_not_own(read_one):
    reference = "<ArticleIdList><ArticleId IdType='doi'>10.1000/other</ArticleId></ArticleIdList>"
    paper = read_one(data=f"<ReferenceList><Reference>{reference}</Reference></ReferenceList>")
    assert paper.identifier("doi") == "10.1000/11"
    assert len(paper.identifiers) == 3


def test_deleted_citations_are_reported_and_nothing_removed(read):
    found = read(article(), "<DeleteCitation><PMID>7</PMID><PMID>8</PMID></DeleteCitation>")
    assert found[0].source_id == "11"
    (skipped,) = found[1:]
    assert skipped.entry == "Deleted records"
    assert skipped.reason.endswith("stay in the library: 7, 8.")


def test_long_list_of_deleted_citations_is_shortened(read):
    deleted = "".join(f"<PMID>{n}</PMID>" for n in range(1, 1201))
    (skipped,) = read(f"<DeleteCitation>{deleted}</DeleteCitation>")
    assert skipped.reason.endswith("99, 100 and 1,100 more.")


def test_references_are_listed_in_order(read_one):
    cites = '<CommentsCorrections RefType="Cites"><PMID>{}</PMID></CommentsCorrections>'
    reference = "<Reference><Citation>Old.</Citation><ArticleIdList>{}</ArticleIdList></Reference>"
    one = reference.format(
        "<ArticleId IdType='pubmed'>21</ArticleId><ArticleId IdType='doi'>10.1000/A</ArticleId>"
    )
    other = reference.format("<ArticleId IdType='doi'>10.1000/b</ArticleId>")
    paper = read_one(
        citation=f"<CommentsCorrectionsList>{cites.format(5)}</CommentsCorrectionsList>",
        data=f"<ReferenceList><ReferenceList>{one}</ReferenceList>{other}</ReferenceList>",
    )
    assert paper.extra["references"] == "pmid:5 pmid:21 doi:10.1000/a doi:10.1000/b"


def test_notice_without_pmid_is_named_by_its_source(read_one):
    source = "<RefSource>Gut 1999;2:3</RefSource>"
    links = "".join(
        f'<CommentsCorrections RefType="{kind}">{source}</CommentsCorrections>'
        for kind in ("ErratumIn", "UpdateOf")
    )
    paper = read_one(citation=f"<CommentsCorrectionsList>{links}</CommentsCorrectionsList>")
    assert paper.extra["erratum_in"] == "Gut 1999;2:3"
    assert "update_of" not in paper.extra


def test_answer_is_parsed_completely_or_refused():
    whole = f"<PubmedArticleSet>{article('1')}{article('2')}<PubmedArticle/></PubmedArticleSet>"
    found = pubmed_xml.answer(whole.encode())
    assert [getattr(record, "source_id", "") for record in found.records] == ["1", "2", ""]
    assert isinstance(found.records[2], Skipped)
    for broken in (whole[:-30], "", "<html/>"):
        with pytest.raises(BadXml):
            pubmed_xml.answer(broken.encode())


def test_answer_may_be_an_error():
    body = b"<eFetchResult><ERROR>Unable to obtain query #1</ERROR></eFetchResult>"
    assert pubmed_xml.answer(body) == ([], "Unable to obtain query #1")


def test_article_without_text_is_skipped(read):
    found = read(article("1"), article("2", title=""), "<PubmedArticle/>", article("3"))
    assert [(f.source_id if isinstance(f, Paper) else f.entry) for f in found] == [
        "1", "2", "Record 3", "3",
    ]  # fmt: skip
    assert "neither a title nor an abstract" in found[1].reason


def test_dtd_entities_are_decoded(read):
    head = '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD" "https://dtd.nlm.nih.gov/x.dtd">'
    (paper,) = read(article(title="Caf&eacute; au lait"), head=head)
    assert paper.title == "Café au lait"


def test_broken_xml_gives_articles_before_the_break(tmp_path):
    path = tmp_path / "cut.xml"
    path.write_text(f"<PubmedArticleSet>{article('1')}{article('2')}<PubmedArticle><Medl")
    *papers, skipped = pubmed_xml.read(path)
    assert [paper.source_id for paper in papers] == ["1", "2"]
    assert isinstance(skipped, Skipped)
    assert skipped.entry == "Record 3"
    assert "not valid" in skipped.reason


def test_memory_use_is_independent_of_xml_size(tmp_path):
    path = tmp_path / "big.xml.gz"
    words = "All work and no play. " * 1000
    abstract = f"<Abstract><AbstractText>{words}</AbstractText></Abstract>"
    with gzip.open(path, "wt", compresslevel=1) as out:
        out.write("<PubmedArticleSet>")
        for number in range(1, 2001):  # 44 MB in all
            out.write(article(str(number), article=abstract))
        out.write("</PubmedArticleSet>")
    process = psutil.Process()
    sizes = [process.memory_info().rss for _ in pubmed_xml.read(path)]
    assert len(sizes) == 2000
    assert max(sizes) - sizes[100] < 20_000_000


def test_book_and_chapter_are_read(tmp_path):
    path = tmp_path / "book.xml"
    book = """<PubmedBookArticle><BookDocument><PMID>21</PMID><Book><Publisher>
    <PublisherName>NICE</PublisherName><PublisherLocation>London</PublisherLocation></Publisher>
    <BookTitle>Arthritis.</BookTitle><PubDate><Year>2009</Year><Month>02</Month></PubDate>
    <AuthorList><Author><CollectiveName>NCC</CollectiveName></Author></AuthorList>
    <Isbn>9781860163593</Isbn></Book>{}</BookDocument></PubmedBookArticle>"""
    chapter = "<ArticleTitle>Drugs.</ArticleTitle><AuthorList><Author><LastName>Lee</LastName>"
    chapter += "<ForeName>Ann</ForeName></Author></AuthorList>"
    path.write_text(
        f"<PubmedBookArticleSet>{book.format('')}{book.format(chapter)}</PubmedBookArticleSet>"
    )
    whole, part = pubmed_xml.read(path)
    assert (whole.title, whole.kind, whole.published) == ("Arthritis", "book", "2009-02")
    assert [":".join(i) for i in whole.identifiers] == ["pmid:21", "isbn:9781860163593"]
    assert (part.title, part.kind, part.venue) == ("Drugs", "chapter", "Arthritis")
    assert [author.name for author in (*whole.authors, *part.authors)] == ["NCC", "Ann Lee"]


@pytest.mark.parametrize(
    ("name", "count", "last"),
    [
        ("biopython__Entrez_pubmed1.xml", 2, "9997"),
        ("biopython__Entrez_pubmed4.xml", 1, "27797938"),
        ("jabref__fileformat_MedlineImporterTestArticleNoISSN.xml", 1, "26886152"),
        ("jabref__fileformat_MedlineImporterTestPubmedBook.xml", 1, "21413195"),
        ("PubMedPortable__pancreatic_cancer_example_medline_00000000.xml", 100, "10216507"),
        ("pubmed_exports__pubmed_exports_pubmed_result.xml", 292, "4397905"),
    ],
)
def test_real_xml_files_are_read_completely(shared, name, count, last):
    papers = list(pubmed_xml.read(shared / "fixtures" / "xml" / name))
    assert len(papers) == count
    assert all(isinstance(paper, Paper) and paper.title and paper.source_id for paper in papers)
    assert papers[-1].source_id == last

"""Generated papers for the fake PubMed, as XML."""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache

WORDS = ("sepsis", "kidney", "asthma", "stroke", "anemia", "cancer")
FIRST_PMID = 30_000_001
FIRST_PMCID = 7_000_000
FIRST_DAY = date(2001, 3, 1)
_FILL = (
    "Patients were followed for a median of 3.2 years (IQR 1.1&#x2013;5.4), and outcomes were "
    "adjudicated by a committee that did not know the group to which anybody belonged. "
)
_PEOPLE = (
    ("Lovelace", "Ada", "A"), ("van der Berg", "Jan P", "JP"), ("Châtelet", "Émilie", "É"),
    ("Li", "Wei", "W"), ("Hopper", "Grace B", "GB"), ("Meitner", "Lise", "L"),
)  # fmt: skip
_HEADINGS = (
    "Humans", "Female", "Male", "Aged", "Risk Factors", "Cohort Studies", "Biomarkers",
    "Prospective Studies", "Treatment Outcome", "Middle Aged",
)  # fmt: skip
_AUTHOR = (
    '<Author ValidYN="Y"><LastName>{}</LastName><ForeName>{}</ForeName><Initials>{}</Initials>'
    "<AffiliationInfo><Affiliation>Department of Medicine, University {}, Here.</Affiliation>"
    "</AffiliationInfo></Author>"
)
_HEADING = (
    '<MeshHeading><DescriptorName UI="D{:06}" MajorTopicYN="N">{}</DescriptorName></MeshHeading>'
)
_REFERENCE = (
    "<Reference><Citation>Somebody A, Else B. A finding of then. J Old Things. 1999;8:41-3."
    '</Citation><ArticleIdList><ArticleId IdType="doi">10.1000/old.{0}</ArticleId>'
    '<ArticleId IdType="pubmed">{0}</ArticleId></ArticleIdList></Reference>'
)
_ARTICLE = """<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM" IndexingMethod="Automated">
<PMID Version="1">{pmid}</PMID>
<DateRevised><Year>{revised.year}</Year><Month>{revised.month:02}</Month><Day>{revised.day:02}</Day></DateRevised>
<Article PubModel="Print-Electronic">
<Journal><ISSN IssnType="Electronic">1756-1833</ISSN><JournalIssue CitedMedium="Internet">
<Volume>{volume}</Volume><Issue>3</Issue><PubDate><Year>{day.year}</Year><Month>Mar</Month></PubDate></JournalIssue>
<Title>Annals of {topic}</Title><ISOAbbreviation>Ann {topic}</ISOAbbreviation></Journal>
<ArticleTitle>{pmid} patients with {topic} and its <i>sequelae</i>: cohort {pmid}.</ArticleTitle>
<Pagination><StartPage>113</StartPage><EndPage>125</EndPage><MedlinePgn>113-25</MedlinePgn></Pagination>
<ELocationID EIdType="doi" ValidYN="Y">10.5555/med.{pmid}</ELocationID>
<Abstract><AbstractText Label="BACKGROUND" NlmCategory="BACKGROUND">Little is known of {topic} in group {pmid}. {fill}</AbstractText>
<AbstractText Label="METHODS" NlmCategory="METHODS">CO<sub>2</sub> was measured 10<sup>3</sup> times. {fill}</AbstractText>
<AbstractText Label="CONCLUSIONS" NlmCategory="CONCLUSIONS">More research is needed. {fill}</AbstractText>
<CopyrightInformation>&#xa9; {day.year} The Author(s).</CopyrightInformation></Abstract>
<AuthorList CompleteYN="Y">{authors}</AuthorList>
<Language>eng</Language>
<PublicationTypeList>{types}</PublicationTypeList>
<ArticleDate DateType="Electronic"><Year>{day.year}</Year><Month>{day.month:02}</Month><Day>{day.day:02}</Day></ArticleDate>
</Article>
<MedlineJournalInfo><Country>England</Country><MedlineTA>Ann {topic}</MedlineTA><NlmUniqueID>8900488</NlmUniqueID><ISSNLinking>0959-8138</ISSNLinking></MedlineJournalInfo>
<CitationSubset>IM</CitationSubset>{links}
<MeshHeadingList>{headings}</MeshHeadingList>
<KeywordList Owner="NOTNLM"><Keyword MajorTopicYN="N">{topic}</Keyword><Keyword MajorTopicYN="N">cohort</Keyword></KeywordList>
</MedlineCitation>
<PubmedData><History><PubMedPubDate PubStatus="entrez"><Year>{day.year}</Year><Month>{day.month}</Month><Day>{day.day}</Day><Hour>6</Hour><Minute>0</Minute></PubMedPubDate></History>
<PublicationStatus>ppublish</PublicationStatus>
<ArticleIdList><ArticleId IdType="pubmed">{pmid}</ArticleId><ArticleId IdType="pmc">PMC{pmc}</ArticleId><ArticleId IdType="doi">10.5555/med.{pmid}</ArticleId></ArticleIdList>
<ReferenceList>{references}</ReferenceList></PubmedData></PubmedArticle>
"""  # noqa: E501
_TYPE = '<PublicationType UI="D016428">{}</PublicationType>'
_RETRACTED = (
    '<CommentsCorrectionsList><CommentsCorrections RefType="RetractionIn"><RefSource>Ann. 2022'
    "</RefSource><PMID>39999999</PMID></CommentsCorrections></CommentsCorrectionsList>"
)


def word(number: int) -> str:
    return WORDS[number % len(WORDS)]


def record(number: int, per_day: int, revised: date | None = None, retracted: bool = False) -> str:
    """One paper, about as large as those of PubMed."""
    day = entered(number, per_day)
    types = ("Journal Article", "Retracted Publication") if retracted else ("Journal Article",)
    return _ARTICLE.format(
        pmid=FIRST_PMID + number,
        pmc=FIRST_PMCID + number,
        day=day,
        revised=revised or day,
        volume=number % 300,
        topic=word(number),
        fill=_FILL * 2,
        types="".join(map(_TYPE.format, types)),
        links=_RETRACTED if retracted else "",
        authors=_authors(number % 30),
        headings=_headings(number % 10),
        references=_references(number % 50),
    )


def entered(number: int, per_day: int) -> date:
    return FIRST_DAY + timedelta(days=number // per_day)


@lru_cache
def _authors(kind: int) -> str:
    chosen = (_PEOPLE[(kind + n) % len(_PEOPLE)] for n in range(2 + kind % 5))
    return "".join(_AUTHOR.format(*person, kind) for person in chosen)


@lru_cache
def _headings(kind: int) -> str:
    chosen = (_HEADINGS[(kind + n) % len(_HEADINGS)] for n in range(5 + kind % 5))
    return "".join(_HEADING.format(n, heading) for n, heading in enumerate(chosen))


@lru_cache
def _references(kind: int) -> str:
    return "".join(_REFERENCE.format(9_000_000 + kind * 50 + n) for n in range(kind % 25))

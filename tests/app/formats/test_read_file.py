import contextlib
import gzip
import json
import os
import tracemalloc
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciread_app import formats
from sciread_app.domain.paper import Paper, Skipped
from trainer.contract.files import UNREADABLE

BIB = "@article{k, title={On It}, author={Lee, A.}}"
RIS = "TY  - JOUR\nTI  - On It\nER  - \n"
NBIB = "PMID- 1\nTI  - On It\n"
PUBMED = (
    "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>On It"
    "</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
)
ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/1706.03762v1</id>'
    "<title>On It</title></entry></feed>"
)
SNAPSHOT = json.dumps({"id": "1706.03762", "title": "On It", "authors_parsed": [], "versions": []})
CSL = json.dumps([{"id": "k", "type": "article-journal", "title": "On It"}])
ENW = "%0 Journal Article\n%T On It\n"
ENDNOTE = (
    "<?xml version='1.0'?><xml><records><record><rec-number>1</rec-number><titles><title>On It"
    "</title></titles></record></records></xml>"
)
WOS = "FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nTI On It\nER\nEF\n"
WOS_TABLE = "PT\tAU\tBA\tBE\tGP\tTI\nJ\tLee, A\t\t\t\tOn It\n"
SCOPUS = "Authors,Title,Year,Source title,EID\nLee A.,On It,2001,Bees,2-s2.0-1\n"
ZOTERO = '"Key","Item Type","Author","Title"\n"AAAA1111","book","Lee, A.","On It"\n'
RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:z="http://www.zotero.org/namespaces/export#" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Description><z:itemType>book</z:itemType>'
    "<dc:title>On It</dc:title></rdf:Description></rdf:RDF>"
)
MODS = '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>On It</title></titleInfo></mods>'
OURS = json.dumps({"id": "acl:1", "title": "On It", "abstract": ""})
OURS_EXACT = json.dumps(
    {"title": "On It", "kind": "article", "source": "ris", "source_id": "k", "format": 1}
)


@pytest.fixture
def make(tmp_path):
    def make(name, content):
        path = tmp_path / name
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return make


@pytest.mark.parametrize(
    ("name", "content", "source"),
    [
        ("a.bib", BIB, "bibtex"),
        ("a.BIB", BIB, "bibtex"),
        ("a.txt", BIB, "bibtex"),
        ("a.ris", RIS, "ris"),
        ("a.txt", "\ufeff" + RIS, "ris"),
        ("a.nbib", NBIB, "pubmed"),
        ("a.txt", NBIB, "pubmed"),
        ("a.ris", NBIB, "pubmed"),
        ("a.txt.gz", NBIB, "pubmed"),
        ("a.xml", PUBMED, "pubmed"),
        ("a.xml.gz", PUBMED, "pubmed"),
        ("a.xml", "<?xml version='1.0'?><!-- x --><!DOCTYPE a SYSTEM 'b'>\n" + PUBMED, "pubmed"),
        ("a.xml", PUBMED.encode("utf-16"), "pubmed"),
        ("pubmed24n0001", PUBMED, "pubmed"),
        ("a.xml", ATOM, "arxiv"),
        ("a.atom", ATOM, "arxiv"),
        ("a.json", SNAPSHOT, "arxiv"),
        ("a.jsonl.gz", SNAPSHOT, "arxiv"),
        ("a.json", CSL, "csl-json"),
        ("a.json", json.dumps(json.loads(CSL), indent=2), "csl-json"),
        ("a.json", OURS, "jsonl"),
        ("a.jsonl", OURS + "\n" + OURS.replace("1", "2"), "jsonl"),
        ("a.jsonl.gz", OURS, "jsonl"),
        ("a.enw", ENW, "endnote"),
        ("a.txt", "\ufeff" + ENW, "endnote"),
        ("a.txt", ENW + "%X TY  - not RIS\nTY  - x\n@book{not, bibtex}\n", "endnote"),
        ("a.xml", ENDNOTE, "endnote"),
        ("a.xml", ENDNOTE.encode("utf-16"), "endnote"),
        ("a.ciw", WOS, "wos"),
        ("savedrecs.txt", "\ufeff" + WOS, "wos"),
        ("savedrecs.txt", WOS_TABLE.encode("utf-16"), "wos"),
        ("a.tsv", WOS_TABLE, "wos"),
        ("a.csv", "\ufeff" + SCOPUS, "scopus"),
        ("a.csv", SCOPUS.replace(",", ";"), "scopus"),
        ("a.csv", ZOTERO, "zotero"),
        ("a.rdf", RDF, "zotero"),
        ("a.xml", RDF, "zotero"),
        ("a.mods", MODS, "mods"),
        ("a.xml", MODS, "mods"),
    ],
)
def test_file_format_is_detected(make, name, content, source):
    first, *_ = formats.read_file(make(name, content))
    assert isinstance(first, Paper), first
    assert (first.title, first.source) == ("On It", source)


def test_long_first_line_is_read(make):
    record = {"id": "acl:1", "title": "On It", "abstract": "word " * 50_000}
    (paper,) = formats.read_file(make("a.json", json.dumps(record)))
    assert paper.source_id == "acl:1"


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("a.xml", "<xml><records><thing/></records></xml>", "<xml>"),
        ("a.xml", '<modsCollection xmlns="http://www.loc.gov/mods/v3"/>', "no records"),
        ("a.rdf", "<rdf:RDF xmlns:rdf='x'/>", "RDF"),
        ("a.xml", "<?xml version='1.0'?><b:Sources xmlns:b='x'/>", "Microsoft Word"),
        ("a.xml", "<zs:searchRetrieveResponse>", "catalog"),
        ("a.nxml", "<!DOCTYPE article [<!ENTITY x 'y'>]>\n<article/>", "JATS"),
        ("a.xml", "<eSummaryResult/>", "ESummary"),
        ("a.xml", "<strange/>", "<strange>"),
        ("a.xml", '<feed xmlns="http://www.w3.org/2005/Atom"/>', "not from arXiv"),
        ("a.json", '{"url": "x",\n "status": 200}', "JSON"),
        ("a.txt", "Milk, bread and eggs", "no papers"),
        ("a.csv", "title,year\nOn It,2000", "table"),
        ("a.csv", ZOTERO.splitlines()[0] + "\n", "no records"),
        ("a.enl", "x", "EndNote"),
        ("a.bib.gz", BIB, "Unpack"),
        ("a.bib", "", "empty"),
        ("a.jsonl.gz", " \n", "empty"),
        ("a.pdf", "", "empty"),
    ],
)
def test_unreadable_file_is_skipped_with_reason(make, name, content, word):
    path = make(name, content)
    (skipped,) = formats.read_file(path)
    assert isinstance(skipped, Skipped)
    assert skipped.file == str(path)
    assert word in skipped.reason


LONG = "9" * 5000
CHAIN = "".join(f"@book{{k{n}, title={{Book}}, crossref={{k{n + 1}}}}}\n" for n in range(2000))


@pytest.mark.parametrize(
    ("name", "content", "other"),
    [
        ("a.bib", BIB, "@book{x, title={On It}, file={file://[Lee 2010] x.pdf}}"),
        ("a.bib", BIB, f"@book{{x, title={{On It}}, eprint={{1706.03762v{LONG}}}}}"),
        (
            "a.bib",
            BIB,
            f"@book{{x, {''.join(f'note={{{n}}},' for n in range(3000))} title={{On It}}}}",
        ),
        ("a.ris", RIS, RIS.replace("ER", "L1  - file://[Lee 2010] x.pdf\nER")),
        ("a.enw", ENW, ENW + "%> file://[Lee 2010] x.pdf\n"),
        ("a.jsonl", OURS, json.dumps(json.loads(OURS_EXACT) | {"authors": [""]})),
        ("a.json", SNAPSHOT, SNAPSHOT.replace("[]}", "5}")),
        ("a.json", CSL[1:-1], CSL[1:-1].replace("}", f', "volume": {LONG}}}')),
        (
            "a.json",
            CSL[1:-1],
            CSL[1:-1].replace("}", f', "issued": {{"date-parts": [["{LONG}"]]}}}}'),
        ),
    ],
)
def test_record_with_unusual_value_does_not_end_the_import(make, name, content, other):
    lines = [content, other, content]
    text = f"[{','.join(lines)}]" if content == CSL[1:-1] else "\n".join(lines)
    papers = list(formats.read_file(make(name, text)))
    assert [paper.title for paper in papers] == ["On It"] * 3


def test_long_chain_of_cross_references_is_read(make):
    *books, paper = formats.read_file(make("a.bib", CHAIN + BIB))
    assert len(books) == 2000 and paper.title == "On It"


@pytest.mark.parametrize("error", [ValueError, IndexError, TypeError, RecursionError])
def test_record_that_a_reader_fails_on_is_reported(make, monkeypatch, caplog, error):
    def read(path):
        yield Paper(title="On It")
        raise error

    monkeypatch.setattr(formats.bibtex, "read", read)
    path = make("a.bib", BIB)
    paper, skipped = formats.read_file(path)
    assert (paper.title, skipped.file) == ("On It", str(path))
    assert str(path) in caplog.text


def test_missing_file_and_folder_are_reported(tmp_path):
    (missing,) = formats.read_file(tmp_path / "none.bib")
    (folder,) = formats.read_file(tmp_path)
    assert "does not exist" in missing.reason
    assert "folder" in folder.reason


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_file_without_permission_is_reported(make):
    path = make("a.bib", BIB)
    path.chmod(0)
    (skipped,) = formats.read_file(path)
    assert "permission" in skipped.reason


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.xml.gz"])
def test_truncated_gzip_gives_records_before_the_break(make, name):
    lines = [OURS.replace("acl:1", f"acl:{os.urandom(40).hex()}") for _ in range(4000)]
    body = PUBMED.removeprefix("<PubmedArticleSet>").removesuffix("</PubmedArticleSet>")
    ids = (str(zlib.crc32(os.urandom(4))) for _ in range(4000))
    xml = "".join(body.replace(">1<", f">{number}<") for number in ids)
    content = "\n".join(lines) if "jsonl" in name else f"<PubmedArticleSet>{xml}</PubmedArticleSet>"
    path = make(name, content)
    path.write_bytes(path.read_bytes()[:-100])
    *papers, skipped = formats.read_file(path)
    assert len(papers) > 3950
    assert all(isinstance(paper, Paper) for paper in papers)
    assert "incomplete" in skipped.reason


def test_damaged_gzip_is_reported(make):
    path = make("a.jsonl.gz", "\n".join([OURS] * 50))
    data = bytearray(path.read_bytes())
    data[30:40] = b"\0" * 10
    path.write_bytes(data)
    assert "damaged" in list(formats.read_file(path))[-1].reason


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "lol"}">' for n in range(12))


@pytest.mark.parametrize(
    "subset",
    [LAUGHS, "<!ENTITY l11 SYSTEM 'file:///etc/passwd'>", "<!ENTITY % p SYSTEM 'http://x/'> %p;"],
)
@pytest.mark.parametrize("place", [">1<", ">On It<"])
def test_xml_with_own_entities_is_refused(make, subset, place):
    evil = PUBMED.replace(place, place[:-1] + "&l11;<")
    path = make("a.xml", f"<!DOCTYPE PubmedArticleSet [{subset}]>{evil}")
    tracemalloc.start()
    found = list(formats.read_file(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [type(f) for f in found] == [Skipped]
    assert "root:" not in str(found)
    assert peak < 2_000_000


@pytest.mark.parametrize("content", [ENDNOTE, RDF, MODS, ATOM])
def test_every_xml_reader_refuses_own_entities(make, content):
    name = content.split("?>")[-1].split()[0].strip("<").split(">")[0]
    evil = content.split("?>")[-1].replace("On It", "&l11;")
    found = list(formats.read_file(make("a.xml", f"<!DOCTYPE {name} [{LAUGHS}]>{evil}")))
    assert [type(one) for one in found] == [Skipped]


SOUP = (
    b'"', b"\n", b"\n\n", b"\x00", b"\xff\xfe", b"%", b"\n%0 ", b"\nER", b"\nPT J\n", b"\t", b";",
    b"<", b">", b"&amp;", b"</", b"<title>", b"\xef\xbb\xbf", b"{", b"}",
)  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [BIB, RIS, NBIB, PUBMED, ATOM, CSL, ENW, ENDNOTE, WOS, WOS_TABLE, SCOPUS, ZOTERO, RDF, MODS],
)
@settings(max_examples=30)
@given(data=st.data())
def test_damaged_file_of_any_format_gives_papers_or_reasons(tmp_path_factory, content, data):
    """Bytes are replaced, removed and repeated; each reader must survive it."""
    body = bytearray(content.encode() * 3)
    for _ in range(data.draw(st.integers(0, 8))):
        at = data.draw(st.integers(0, len(body) - 1))
        soup = data.draw(st.binary(max_size=6) | st.sampled_from(SOUP))
        body[at : at + data.draw(st.integers(0, 9))] = soup
    path = tmp_path_factory.mktemp("soup") / "a.txt"
    path.write_bytes(body)
    for one in formats.read_file(path):
        assert isinstance(one, Paper | Skipped)
        assert one.title if isinstance(one, Paper) else one.reason.endswith(".")


@pytest.mark.parametrize("format", [f for f in formats.FORMATS if f.NAME != "pdf"])
@settings(max_examples=30)
@given(body=st.binary(max_size=200) | st.lists(st.sampled_from(SOUP), max_size=30).map(b"".join))
def test_no_bytes_crash_a_reader(tmp_path_factory, format, body):
    path = tmp_path_factory.mktemp("soup") / "a.txt"
    path.write_bytes(body)
    with contextlib.suppress(*UNREADABLE):  # such as gzip's first bytes alone
        assert all(isinstance(one, Paper | Skipped) for one in format.read(path))


def test_xml_with_own_entities_in_attributes_is_refused(make):
    evil = PUBMED.replace("<PubmedArticleSet>", "<PubmedArticleSet x='&l11;'>")
    (skipped,) = formats.read_file(make("a.xml", f"<!DOCTYPE x [{LAUGHS}]>{evil}"))
    assert isinstance(skipped, Skipped)


def test_endless_line_does_not_fill_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("trainer.contract.files.LONGEST_LINE", 1 << 16)
    monkeypatch.setattr("sciread_app.formats.files.json_lines.LONGEST_LINE", 1 << 16)
    path = tmp_path / "a.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as out:
        out.write(OURS.encode() + b'\n{"title": "')
        for _ in range(100):
            out.write(b"x" * (1 << 20))
        out.write(b"\n" + OURS.encode())
    tracemalloc.start()
    first, skipped, last = formats.read_file(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert first == last
    assert (skipped.entry, "longer than" in skipped.reason) == ("Line 2", True)
    assert peak < 8_000_000


def test_memory_use_is_independent_of_number_of_lines(make):
    path = make("a.jsonl.gz", "\n".join([OURS.replace('""', f'"{"word " * 800}"')] * 5_000))
    tracemalloc.start()
    assert sum(1 for _ in formats.read_file(path)) == 5_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8_000_000


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.bib", "", True), ("a.RIS", "x", True), ("a.pdf", "", True), ("a.nbib", "", True),
        ("a.jsonl.gz", "", True), ("a.enw", "", True), ("a.ciw", "", True),
        ("a.txt", RIS, True), ("a.xml.gz", PUBMED, True), ("a.json", CSL, True),
        ("a.csv", SCOPUS, True), ("a.csv", "x,y\n1,2\n", False), ("a.txt", "Read me", False),
        ("a.xml", "<strange/>", False), ("a.json", "{}", False), ("a.rdf", "<rdf:RDF/>", False),
        ("a.txt", "", False), ("a.png", "", False), ("a", BIB, False), ("a.gz", "", False),
        (".bib", BIB, False), ("a.mrc", "", False),
    ],
)  # fmt: skip
def test_file_in_folder_is_tried_or_refused_with_reason(make, name, content, expected):
    why = formats.unread_reason(make(name, content))
    assert (not why) is expected and (not why or why.endswith("."))


def test_every_real_file_gives_papers_or_reasons(shared):
    for path in sorted((shared / "fixtures").rglob("*")):
        if path.is_file() and path.parent.name not in ("pdf", "bib", "ris"):
            found = list(formats.read_file(path))
            assert found, path.name
            assert all(f.reason.endswith(".") for f in found if isinstance(f, Skipped))

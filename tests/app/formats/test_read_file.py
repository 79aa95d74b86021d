import gzip
import json
import os
import tracemalloc
import zlib

import pytest

from sciread_app import formats
from sciread_app.domain.paper import Paper, Skipped

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
OURS = json.dumps({"id": "acl:1", "title": "On It", "abstract": ""})


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
        ("a.xml", "<xml><records><record/></records></xml>", "EndNote"),
        ("a.xml", '<modsCollection xmlns="http://www.loc.gov/mods/v3"/>', "MODS"),
        ("a.xml", "<?xml version='1.0'?><b:Sources xmlns:b='x'/>", "Microsoft Word"),
        ("a.xml", "<zs:searchRetrieveResponse>", "catalog"),
        ("a.nxml", "<!DOCTYPE article [<!ENTITY x 'y'>]>\n<article/>", "JATS"),
        ("a.xml", "<eSummaryResult/>", "ESummary"),
        ("a.xml", "<strange/>", "<strange>"),
        ("a.xml", '<feed xmlns="http://www.w3.org/2005/Atom"/>', "not from arXiv"),
        ("a.json", '{"url": "x",\n "status": 200}', "JSON"),
        ("a.txt", "Milk, bread and eggs", "no papers"),
        ("a.enw", "%0 Journal Article\n%T On It", "EndNote"),
        ("a.csv", "title,year\nOn It,2000", "table"),
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
    assert word in skipped.why


def test_missing_file_and_folder_are_reported(tmp_path):
    (missing,) = formats.read_file(tmp_path / "none.bib")
    (folder,) = formats.read_file(tmp_path)
    assert "does not exist" in missing.why
    assert "folder" in folder.why


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_file_without_permission_is_reported(make):
    path = make("a.bib", BIB)
    path.chmod(0)
    (skipped,) = formats.read_file(path)
    assert "permission" in skipped.why


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
    assert "incomplete" in skipped.why


def test_damaged_gzip_is_reported(make):
    path = make("a.jsonl.gz", "\n".join([OURS] * 50))
    data = bytearray(path.read_bytes())
    data[30:40] = b"\0" * 10
    path.write_bytes(data)
    assert "damaged" in list(formats.read_file(path))[-1].why


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


def test_xml_with_own_entities_in_attributes_is_refused(make):
    evil = PUBMED.replace("<PubmedArticleSet>", "<PubmedArticleSet x='&l11;'>")
    (skipped,) = formats.read_file(make("a.xml", f"<!DOCTYPE x [{LAUGHS}]>{evil}"))
    assert isinstance(skipped, Skipped)


def test_endless_line_does_not_fill_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("sciread_app.formats.files.streams.LONGEST_LINE", 1 << 16)
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
    assert (skipped.entry, "longer than" in skipped.why) == ("line 2", True)
    assert peak < 8_000_000


def test_memory_use_is_independent_of_number_of_lines(make):
    path = make("a.jsonl.gz", "\n".join([OURS.replace('""', f'"{"word " * 800}"')] * 5_000))
    tracemalloc.start()
    assert sum(1 for _ in formats.read_file(path)) == 5_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8_000_000


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.bib", True), ("a.RIS", True), ("a.pdf", True), ("a.xml.gz", True), ("a.nbib", True),
        ("a.jsonl.gz", True), ("a.txt", True), ("a.json", True), ("a.png", False), ("a", False),
        ("a.gz", False), (".bib", False),
    ],
)  # fmt: skip
def test_readable_is_true_only_for_bibliography_suffixes(tmp_path, name, expected):
    assert formats.readable(tmp_path / name) is expected


def test_every_real_file_gives_papers_or_reasons(shared):
    for path in sorted((shared / "fixtures").rglob("*")):
        if path.is_file() and path.parent.name not in ("pdf", "bib", "ris"):
            found = list(formats.read_file(path))
            assert found, path.name
            assert all(f.why.endswith(".") for f in found if isinstance(f, Skipped))

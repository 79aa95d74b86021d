"""Write then read gives the same papers, for each format that can be written."""

import dataclasses
import io
import json
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciread_app.domain.metadata.identifiers import doi_as_written, identifiers
from sciread_app.domain.paper import KINDS, Author, Paper
from sciread_app.formats import read_file
from sciread_app.formats.bibtex import reader as bibtex
from sciread_app.formats.csl import reader as csl_json
from sciread_app.formats.ris import reader as ris

SIGNS = "\\{}$%&#_^~`'\"-<>@=,:()[]/ éßøÅαβ–—“”’日本aBcD01"


def texts(first="", **sizes):
    """Text as stored in a library: composed letters, one line, no control characters."""
    letters = st.sampled_from(SIGNS) | st.characters(exclude_categories=("Cs", "Cc", "Co", "Cn"))
    return st.text(letters, **sizes).map(
        lambda text: unicodedata.normalize("NFC", " ".join(f"{first}{text}".split()))
    )


NAME = st.text(st.sampled_from("abcdéöşŁxyzn'-{}&%$日"), max_size=5).map(lambda text: f"Q{text}")
NAMES = st.lists(NAME, min_size=1, max_size=2).map(" ".join)
AUTHORS = st.builds(
    Author,
    family=NAMES,
    given=NAMES,
    particle=st.sampled_from(["", "van", "van der", "de la"]),
    suffix=st.sampled_from(["", "Jr", "III"]),
    literal=st.just(False),
) | st.builds(lambda name: Author(f"{name} and Sons", literal=True), NAMES)
TITLES = texts("T", max_size=60)
DATES = st.sampled_from(["", "1999", "2017-06", "2017-06-12", "0850"])
IDENTIFIERS = st.tuples(
    st.sampled_from(["", "10.1000/182", "10.1016/S0140-Q", "10.1002/(SICI)1097<1::AID>3.0.CO;2-A"]),
    st.sampled_from(["", "2101.00027", "hep-th/9901001"]),
    st.sampled_from(["", "12345"]),
    st.sampled_from(["", "PMC77"]),
    st.sampled_from(["", "9780306406157"]),
).map(lambda values: dict(zip(("doi", "arxiv", "pmid", "pmcid", "isbn"), values, strict=True)))
FIELDS = (
    "volume", "number", "note", "publisher", "school", "institution", "howpublished", "series",
    "zeta",
)  # fmt: skip
EXTRA = st.dictionaries(
    st.sampled_from(FIELDS),
    texts("E", max_size=20),
    max_size=4,
)


OTHERS = [
    {},
    {"and-others": "true"},
    {"editor": "Ng, Ann and others"},
    {"and-others": "true", "editor": "others"},
]


@st.composite
def papers(draw):
    kind = draw(st.sampled_from(KINDS))
    named = draw(IDENTIFIERS)
    if kind in ("article-journal", "webpage"):
        named["arxiv"] = ""  # BibTeX cannot distinguish preprints from these otherwise.
    key = f"k{draw(st.integers(0, 999))}"
    return Paper(
        title=draw(TITLES),
        abstract=draw(texts(max_size=80)),
        authors=tuple(draw(st.lists(AUTHORS, max_size=3))),
        kind=kind,
        published=draw(DATES),
        venue=draw(texts("V", max_size=20)),
        identifiers=(known := identifiers(*named.items(), ("citekey", key))),
        fields=tuple(draw(st.sampled_from([(), ("cs.CL",), ("cs.CL", "math.ST")]))),
        keywords=tuple(draw(st.sampled_from([(), ("one",), ("one", "two & 3%"), ("a, b", "c_d")]))),
        extra=draw(EXTRA) | draw(st.sampled_from(OTHERS)) | doi_as_written(known, named["doi"]),
        source_id=key,
    )


def with_distinct_keys(some):
    """Papers with distinct citation keys."""
    return list({paper.source_id: paper for paper in some}.values())


def with_sorted_identifiers(paper):
    """The paper with its identifiers by kind: their order is up to each format."""
    return dataclasses.replace(paper, identifiers=tuple(sorted(paper.identifiers)))


FORMATS = {
    "bibtex": (bibtex, {}),
    "biblatex": (bibtex, {"dialect": "biblatex"}),
    "ris": (ris, {}),
    "csl-json": (csl_json, {}),
}


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60)
@given(some=st.lists(papers(), max_size=3).map(with_distinct_keys))
def test_round_trip_is_lossless(name, some):
    module, options = FORMATS[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"papers{module.SUFFIXES[0]}"
        with path.open("w", encoding="utf-8") as stream:
            module.write(some, stream, **options)
        found = list(module.read(path))
    source = "bibtex" if module is bibtex else name
    assert list(map(with_sorted_identifiers, found)) == [
        with_sorted_identifiers(dataclasses.replace(paper, source=source)) for paper in some
    ]


@pytest.mark.parametrize("name", ["bibtex", "biblatex", "ris"])
def test_fields_with_any_names_are_written_under_valid_names(name, tmp_path):
    module, options = FORMATS[name]
    fields = {"conference location": "Paris", "conference (days)": "3", "2nd": "A", "zeta": "last"}
    path = tmp_path / f"papers{module.SUFFIXES[0]}"
    with path.open("w", encoding="utf-8") as stream:
        module.write([Paper(title="A", extra=fields)], stream, **options)
    (found,) = module.read(path)
    assert (found.title, found.extra) == (
        "A",
        {"conference-location": "Paris", "conference-days": "3", "x-2nd": "A", "zeta": "last"},
    )


@pytest.mark.parametrize("name", FORMATS)
def test_linked_files_survive_a_round_trip(name, tmp_path):
    module, options = FORMATS[name]
    files = [tmp_path / "a.pdf", tmp_path / "b; c:d, {e.pdf"]
    for file in files:
        file.touch()
    paper = Paper(title="A", files=tuple(str(file.resolve()) for file in files))
    path = tmp_path / f"papers{module.SUFFIXES[0]}"
    with path.open("w", encoding="utf-8") as stream:
        module.write([paper], stream, **options)
    (found,) = module.read(path)
    assert found.files == paper.files


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60)
@given(
    data=st.binary(max_size=200)
    | st.text(st.sampled_from("@a{},=\"#TY  - \nER[]:\\%'")).map(str.encode)
)
def test_any_bytes_can_be_read(name, data):
    module, _ = FORMATS[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "broken"
        path.write_bytes(data)
        list(module.read(path))


def written(paper, module, **options):
    stream = io.StringIO()
    module.write([paper], stream, **options)
    return stream.getvalue()


THESIS = Paper(title="T", kind="thesis", extra={"school": "Lund"}, source="bibtex")
REPORT = Paper(title="R", kind="report", extra={"institution": "NASA", "number": "TM-12"})


@pytest.mark.parametrize(
    ("paper", "lines"),
    [
        (THESIS, ["TY  - THES", "PB  - Lund", "M3  - PhD thesis"]),
        (REPORT, ["TY  - RPRT", "PB  - NASA", "SN  - TM-12"]),
    ],
)
def test_ris_file_has_every_field_under_standard_tags(paper, lines):
    found = written(paper, ris).splitlines()
    assert set(lines) <= set(found)
    assert not [line for line in found if line.startswith("U5")]


@pytest.mark.parametrize(
    ("paper", "fields"),
    [
        (THESIS, {"publisher": "Lund", "genre": "PhD thesis"}),
        (REPORT, {"publisher": "NASA", "number": "TM-12"}),
    ],
)
def test_csl_item_has_every_field_under_standard_names(paper, fields):
    (item,) = json.loads(written(paper, csl_json))
    assert item.items() >= fields.items()
    assert "custom" not in item and "issue" not in item


def test_masters_thesis_has_its_type_in_csl_json_and_ris():
    thesis = Paper(title="T", kind="thesis", extra={"entrytype": "mastersthesis"})
    assert json.loads(written(thesis, csl_json))[0]["genre"] == "Master's thesis"
    assert "M3  - Master's thesis" in written(thesis, ris).splitlines()


def test_csl_json_keeps_several_identifiers_of_a_kind(tmp_path):
    paper = Paper(title="A", identifiers=identifiers(("pmid", "1"), ("pmid", "2")))
    path = tmp_path / "a.json"
    path.write_text(written(paper, csl_json), encoding="utf-8")
    assert next(csl_json.read(path)).identifiers[:2] == paper.identifiers


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "doi", ["10.1016/S0140-6736(20)30183-5", "10.1002/(SICI)1097<1::AID>3.0.CO;2-A", "10.1000/182"]
)
def test_doi_is_written_in_its_original_case(name, doi):
    module, options = FORMATS[name]
    known = identifiers(("doi", doi))
    paper = Paper(title="A", identifiers=known, extra=doi_as_written(known, f"doi:{doi}"))
    text = written(paper, module, **options)
    assert text.count(doi) == 1 and "U5" not in text
    assert paper.identifier("doi") == doi.lower()


def test_case_of_a_replaced_doi_is_not_written():
    known = identifiers(("doi", "10.1000/182"))
    paper = Paper(title="A", identifiers=known, extra={"doi": "10.1000/OTHER"})
    for module, options in FORMATS.values():
        text = written(paper, module, **options)
        assert "10.1000/182" in text and "OTHER" not in text


@given(people=st.lists(AUTHORS, min_size=1, max_size=3), others=st.sampled_from(OTHERS))
def test_omitted_people_are_no_person_in_any_format_but_bibtex(people, others):
    paper = Paper(title="A", authors=tuple(people), extra=others)
    item = json.loads(written(paper, csl_json))[0]
    assert len(item["author"]) == len(people)
    assert {"literal": "others"} not in [*item.get("editor", []), *item["author"]]
    lines = written(paper, ris).splitlines()
    assert len([line for line in lines if line.startswith("AU  - ")]) == len(people)
    assert not {"A2  - others", "AU  - others"} & set(lines)
    written_by = next(line for line in written(paper, bibtex).splitlines() if "author =" in line)
    assert written_by.endswith(" and others},") == ("and-others" in others)


@pytest.mark.parametrize("last", ["et al.", "Et al", "others"])
def test_ris_may_mark_omitted_authors(last, tmp_path):
    path = tmp_path / "a.ris"
    path.write_text(f"TY  - JOUR\nTI  - A\nAU  - Lee, Ann\nAU  - {last}\nER  -\n")
    (found,) = ris.read(path)
    assert (found.authors, found.extra["and-others"]) == ((Author("Lee", "Ann"),), "true")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.bib", "@article{a, title = {A}, doi = {https://doi.org/10.1016/S0140-1}}"),
        ("a.bib", "@article{a, title = {A}, url = {https://doi.org/10.1016/S0140-1}}"),
        ("a.ris", "TY  - JOUR\nTI  - A\nDO  - 10.1016/S0140-1\nER  -\n"),
        ("a.ris", "TY  - JOUR\nTI  - A\nUR  - https://doi.org/10.1016/S0140-1\nER  -\n"),
        ("a.json", '[{"id": "a", "title": "A", "DOI": "doi:10.1016/S0140-1"}]'),
        ("a.jsonl", '{"title": "A", "doi": "10.1016/S0140-1"}'),
        ("a.nbib", "PMID- 1\nTI  - A.\nLID - 10.1016/S0140-1 [doi]\n"),
    ],
)
def test_original_case_of_a_doi_is_read(name, content, tmp_path):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    (found,) = read_file(path)
    assert found.identifier("doi") == "10.1016/s0140-1"
    assert found.written_doi == "10.1016/S0140-1"

import io

from sciread_app.formats.bibtex import reader as bibtex
from tests.support.generate.papers import paper


def written(*papers, **dialect):
    stream = io.StringIO()
    bibtex.write(papers, stream, **dialect)
    return stream.getvalue()


def keys(*papers):
    return [line[line.index("{") + 1 : -1] for line in written(*papers).split("\n") if "@" in line]


PAPER = paper(
    "Über DNA & 5% of $x_1$",
    authors="Müller, Jörg; Berg, Ann",
    kind="article-journal",
    published="2017-06-12",
    venue="Nature",
    doi="10.1000/182",
    arxiv="2101.00027",
    fields=("cs.CL", "math.ST"),
    keywords=("one", "two"),
    extra={"volume": "3", "pages": "1-10", "zeta": "last", "url": "http://x.org/a_b%20c"},
)


def test_bibtex_is_written_in_ascii():
    assert (
        written(PAPER)
        == r"""@article{mullerUberDNA52017,
  author = {M{\"u}ller, J{\"o}rg and Berg, Ann},
  title = {{\"U}ber {DNA} \& 5\% of $x_1$},
  journal = {Nature},
  year = {2017},
  month = jun,
  day = {12},
  volume = {3},
  pages = {1--10},
  doi = {10.1000/182},
  eprint = {2101.00027},
  archiveprefix = {arXiv},
  primaryclass = {cs.CL},
  url = {http://x.org/a_b%20c},
  keywords = {one, two},
  subjects = {math.ST},
  zeta = {last},
}

"""
    )


def test_biblatex_is_written_in_unicode_with_its_field_names():
    text = written(PAPER, dialect="biblatex")
    for line in (
        "author = {Müller, Jörg and Berg, Ann}",
        "journaltitle = {Nature}",
        "date = {2017-06-12}",
        "eprinttype = {arXiv}",
        "eprintclass = {cs.CL}",
    ):
        assert line in text


def test_own_citation_key_has_priority_over_generated_ones():
    made_up = paper("On Deep Learning", authors="LeCun, Yann", published="2015")
    assert keys(made_up) == ["lecunDeepLearning2015"]
    own = paper("Other", citekey="LECUNdeeplearning2015")
    assert keys(made_up, made_up, own) == [
        "lecunDeepLearning2015a",
        "lecunDeepLearning2015b",
        "LECUNdeeplearning2015",
    ]


def test_equal_citation_keys_get_suffixes():
    found = keys(*(paper("T", citekey="k") for _ in range(30)))
    assert found[:3] == ["k", "ka", "kb"]
    assert len({key.lower() for key in found}) == 30


def test_citation_key_is_generated_without_author_or_latin_title():
    assert keys(paper("深層学習"), paper("???")) == ["paper", "papera"]


def test_entry_type_is_kept_while_kind_is_unchanged(tmp_path):
    assert written(paper("A", kind="thesis", extra={"entrytype": "mastersthesis"})).startswith(
        "@mastersthesis"
    )
    assert written(paper("A", kind="book", extra={"entrytype": "mastersthesis"})).startswith(
        "@book"
    )


def test_original_date_is_dropped_after_a_change():
    range_of_years = {"date": "1998/2004"}
    assert "date = {1998/2004}" in written(paper("A", published="1998", extra=range_of_years))
    changed = written(paper("A", published="2001", extra=range_of_years))
    assert "1998" not in changed
    assert "year = {2001}" in changed

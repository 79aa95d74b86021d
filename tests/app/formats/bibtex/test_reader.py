import itertools

import pytest

from sciread_app.domain.paper import Author, Identifier, Paper, Skipped
from sciread_app.formats.bibtex import reader as bibtex


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "library.bib"
        path.write_text(text, encoding="utf-8")
        return list(bibtex.read(path))

    return read


def test_bibtex_entry_becomes_a_paper(read):
    (paper,) = read(r"""
        @Article{knuth84,
          author = {Donald E. Knuth and {\"O}zge van der Berg},
          title = {{L}iterate {P}rogramming in {\TeX{}} and $x^{2}$},
          journal = "The Computer Journal", volume = 27, number = 2, pages = {97--111},
          year = 1984, month = may, doi = {https://doi.org/10.1093/COMJNL/27.2.97},
          keywords = {programs, literature}, abstract = {Two lines
             of text.}, Note = {Read \& liked},
        }""")
    assert paper == Paper(
        title="Literate Programming in TeX and $x^{2}$",
        abstract="Two lines of text.",
        authors=(Author("Knuth", "Donald E."), Author("Berg", "Özge", "van der")),
        kind="article-journal",
        published="1984-05",
        venue="The Computer Journal",
        identifiers=(Identifier("doi", "10.1093/comjnl/27.2.97"), Identifier("citekey", "knuth84")),
        keywords=("programs", "literature"),
        extra={
            "volume": "27",
            "number": "2",
            "doi": "10.1093/COMJNL/27.2.97",
            "pages": "97-111",
            "note": "Read & liked",
        },
        source="bibtex",
        source_id="knuth84",
    )


@pytest.mark.parametrize("gap", [" ", "\n ", "a ", ";", ",; "])
def test_entry_with_a_long_gap_is_read_or_skipped_at_once(read, gap):
    _, paper = read(f"@article{{{gap * 100_000}=}}\n@article{{k, title = {{On It}}}}")
    assert paper.title == "On It"


def test_strings_are_concatenated(read):
    (paper,) = read("""
        @string{acm = "ACM" # { Press}}
        @STRING(trans = acm # " Transactions")
        @article{a, title = "On " # acm, journal = Trans, month = "10~" # jan, year = 2001}""")
    assert (paper.title, paper.venue) == ("On ACM Press", "ACM Press Transactions")
    assert paper.published == "2001-01-10"


def test_string_applies_from_its_definition_on(read):
    first, second = read("""
        @string{j = {One}} @article{a, title={A}, journal=j}
        @string{j = {Two}} @article{b, title={B}, journal=j}""")
    assert (first.venue, second.venue) == ("One", "Two")


def test_child_inherits_from_later_parent(read):
    child, parent = read("""
        @inproceedings{child, title={Part}, crossref={Whole}, doi={10.1000/182}}
        @proceedings{whole, title={The Whole}, year=2015, publisher={IEEE}, doi={10.1000/181},
          editor={Ann Lee}}""")
    assert (child.venue, child.published) == ("The Whole", "2015")
    assert child.extra["publisher"] == "IEEE"
    assert child.identifier("doi") == "10.1000/182"
    assert parent.title == "The Whole"


def test_child_does_not_inherit_identifiers(read):
    child, _ = read("""
        @incollection{c, title={Part}, crossref={w}}
        @book{w, title={Whole}, doi={10.1000/181}, isbn={9780306406157}, url={http://x}}""")
    assert [kind for kind, _ in child.identifiers] == ["citekey"]
    assert "url" not in child.extra


def test_xdata_gives_fields_and_is_not_a_paper(read):
    (paper,) = read("""
        @article{a, title={A}, xdata={two, one}}
        @xdata{one, publisher={P}, year=1999} @xdata{two, xdata={one}, address={Rome}}""")
    assert paper.published == "1999"
    assert (paper.extra["publisher"], paper.extra["address"]) == ("P", "Rome")


def test_circular_crossref_is_read(read):
    assert len(read("@book{a, title={A}, crossref={b}} @book{b, title={B}, crossref={a}}")) == 2


def test_broken_entry_is_skipped_once_with_its_line(read):
    first, broken, last = read("""@article{good, title={A}}
@article{bad, title={B, year={2000},
  journal = {J}
@article{next, title={C}}""")
    assert (first.title, last.title) == ("A", "C")
    assert isinstance(broken, Skipped)
    assert broken.entry == "bad"
    assert broken.reason.startswith("Line 2: the { that opens a value is never closed")


@pytest.mark.parametrize(
    "entry",
    [
        '@article{k, title = "A, year = 2000}',
        "@article{k, title = {A}, what is this, year = 1}",
        "@article{k, title = {A}, year 2000}",
        "@article{k, title = }}",
        "@article{k, title = {A}",
    ],
)
def test_unreadable_entry_does_not_hide_its_neighbours(read, entry):
    one, skipped, two = read(f"@misc{{a, title={{One}}}}\n{entry}\n\n@misc{{b, title={{Two}}}}")
    assert (one.title, skipped.entry, two.title) == ("One", "k", "Two")


def test_entry_without_opening_brace_is_skipped_with_its_line(read):
    lost, kept = read("@Article,\n  title = {Lost},\n}\n@misc{a, title = {Kept}}")
    assert isinstance(lost, Skipped) and "1" in lost.reason
    assert isinstance(kept, Paper) and kept.title == "Kept"


def test_types_of_entries_in_text_between_entries_are_no_entries(read):
    (paper,) = read("Ask me@article.org, or see @article.\n@misc{a, title = {Kept}}")
    assert isinstance(paper, Paper)


def test_title_keeps_mathematical_command_without_dollars(read):
    (paper,) = read(r"@article{k, title = {Search for {$H$} and {T}op pairs t \bar{t}}}")
    assert paper.title == r"Search for $H$ and Top pairs t \bar{t}"


def test_entry_without_title_is_skipped_with_reason(read):
    (skipped,) = read("\n@misc{key, author={Ann}}")
    assert (
        skipped.reason == "Line 2: the entry has no title. Add a title and import the file again."
    )
    assert skipped.file.endswith("library.bib")


@pytest.mark.parametrize(
    "entry",
    [
        "@article{k\n  title = {No comma}\n  year = 1999\n}",
        "@article(k, title = {No comma}, year = 1999)",
        "@ article {k, title = {No comma} year = 1999,,}",
        '@article{k, title = "No {comma}", year = "1999"}',
        "@article{k, title = {{{{{{No comma}}}}}}, year = {1999}}",
    ],
)
def test_malformed_entry_is_read(read, entry):
    (paper,) = read(entry)
    assert (paper.title, paper.published, paper.source_id) == ("No comma", "1999", "k")


def test_escaped_braces_are_counted_balanced_or_single(read):
    balanced, single = read(r"@misc{a, title={x \{y\}}, year=1} @misc{b, title={a \} b}, year=2}")
    assert (balanced.title, single.title) == ("x {y}", "a } b")


def test_citation_keys_may_be_missing_or_repeated(read):
    found = read("@misc{, title={A}} @misc{title={B}} @misc{k, title={C}} @misc{k, title={D}}")
    assert [paper.title for paper in found] == ["A", "B", "C", "D"]
    assert [paper.source_id for paper in found] == ["", "", "k", "k"]


def test_comments_and_preambles_are_ignored(read):
    (paper,) = read("""
        @comment{jabref-meta: grouping: {@article};} @preamble{"\\newcommand{x}"}
        @Comment without braces
        Write to me@example.com (work) about it.
        @misc{k, title={A}}""")
    assert paper.title == "A"


@pytest.mark.parametrize(
    ("fields", "published", "left"),
    [
        ("date = {2009-01-31}", "2009-01-31", {}),
        ("date = {1998/2004}", "1998", {"date": "1998/2004"}),
        ("date = {2009-10}, year = 2009", "2009-10", {}),
        ("year = {2012/2013}", "2012", {"year": "2012/2013"}),
        ("year = {in press}", "", {"year": "in press"}),
        ("year = 2010, month = {Juni}", "2010-06", {}),
        ("year = 2010, month = 7, day = {03}", "2010-07-03", {}),
        ("year = 2010, month = {jan/feb}", "2010-01", {"month": "jan/feb"}),
    ],
)
def test_dates_are_parsed_and_remainder_is_kept(read, fields, published, left):
    (paper,) = read(f"@misc{{k, title={{A}}, {fields}}}")
    assert (paper.published, paper.extra) == (published, left)


@pytest.mark.parametrize(
    ("fields", "identifier"),
    [
        ("eprint={2101.00027}, archivePrefix={arXiv}", ("arxiv", "2101.00027")),
        ("eprint={2101.00027v3}, eprinttype={arxiv}", ("arxiv", "2101.00027")),
        ("eprint={9901001}, archiveprefix={hep-th}", ("arxiv", "hep-th/9901001")),
        ("journal={arXiv preprint arXiv:1706.03762}", ("arxiv", "1706.03762")),
        ("volume={abs/1706.03762}, journal={CoRR}", ("arxiv", "1706.03762")),
        ("url={http://arxiv.org/abs/1706.03762v2}", ("arxiv", "1706.03762")),
        ("doi={10.48550/arXiv.1706.03762}", ("arxiv", "1706.03762")),
        ("url={http://dx.doi.org/10.1000/182?x=1}", ("doi", "10.1000/182")),
        (r"doi={10.1000/a\_b}", ("doi", "10.1000/a_b")),
        ("eprint={123}, eprinttype={pubmed}", ("pmid", "123")),
        ("note={PMID: 123}", ("pmid", "123")),
        ("pmc={PMC123}", ("pmcid", "PMC123")),
        ("isbn={0-306-40615-2}", ("isbn", "9780306406157")),
    ],
)
def test_identifiers_are_found_in_unusual_fields(read, fields, identifier):
    (paper,) = read(f"@article{{k, title={{A}}, {fields}}}")
    assert paper.identifiers[0] == identifier


def test_invalid_identifiers_are_kept_as_text(read):
    (paper,) = read("@misc{k, title={A}, doi={10.1145/nnnnnnn.nnnnnnn}, isbn={978-1}, eprint={x}}")
    assert paper.extra == {"doi": "10.1145/nnnnnnn.nnnnnnn", "isbn": "978-1", "eprint": "x"}
    assert [kind for kind, _ in paper.identifiers] == ["citekey"]


def test_arxiv_only_paper_is_a_preprint(read):
    preprint, article = read("""
        @article{a, title={A}, eprint={2101.00027}, primaryclass={cs.CL}}
        @article{b, title={B}, eprint={2101.00027}, journal={Nature}}""")
    assert (preprint.kind, preprint.fields, preprint.extra) == (
        "article",
        ("cs.CL",),
        {"entrytype": "article"},
    )
    assert article.kind == "article-journal"


def test_bibtex_file_is_read_lazily(tmp_path):
    path = tmp_path / "large.bib"
    path.write_text("".join(f"@misc{{k{n}, title={{T {n}}}}}\n" for n in range(20_000)))
    first = list(itertools.islice(bibtex.read(path), 2))
    assert [paper.title for paper in first] == ["T 0", "T 1"]


@pytest.fixture
def pdfs(tmp_path):
    (tmp_path / "pdfs").mkdir()
    names = ["a.pdf", "pdfs/b; c.pdf", "pdfs/d.pdf"]
    for name in names:
        (tmp_path / name).touch()
    return [str((tmp_path / name).resolve()) for name in names]


@pytest.mark.parametrize(
    "field",
    [
        ":a.pdf:PDF",
        "a.pdf",
        "Full Text:a.pdf:application/pdf",
        "a.pdf:a.pdf:PDF;gone:gone.pdf:PDF",
        r"C:\\Users\\me\\x.pdf;:a.pdf:PDF",
    ],
)
def test_linked_files_are_found_beside_the_bibliography(read, pdfs, field):
    (paper,) = read(f"@misc{{k, title={{A}}, file={{{field}}}}}")
    assert paper.files == (pdfs[0],)


def test_several_files_with_escaped_characters_are_parsed(read, pdfs):
    (paper,) = read(r"@misc{k, title={A}, file={:a.pdf:PDF;x\:y:pdfs/b\; c.pdf:PDF;:pdfs\\d.pdf:}}")
    assert list(paper.files) == pdfs
    assert "file" not in paper.extra


def test_absolute_file_paths_are_parsed(read, pdfs):
    (paper,) = read(f"@misc{{k, title={{A}}, file={{PDF:{pdfs[0]}:application/pdf}}}}")
    (mendeley,) = read(f"@misc{{k, title={{A}}, file={{:{pdfs[0][1:]}:pdf}}}}")
    assert paper.files == mendeley.files == (pdfs[0],)


def test_files_are_found_in_jabref_file_directory(read, pdfs):
    (paper,) = read(
        "@misc{k, title={A}, file={:d.pdf:PDF}}\n@comment{jabref-meta: fileDirectory:pdfs;}"
    )
    assert paper.files == (pdfs[2],)


def test_links_to_missing_files_are_kept_as_text(read, pdfs):
    (paper,) = read(r"@misc{k, title={A}, file={:a.pdf:PDF;Old:C\:\\x\\y.pdf:PDF}}")
    assert paper.files == (pdfs[0],)
    assert paper.extra["file"] == r"Old:C\:\\x\\y.pdf:PDF"


def test_network_shares_are_not_accessed(read):
    (paper,) = read(r"@misc{k, title={A}, file={:\\\\evil\\share\\x.pdf:PDF}}")
    assert paper.files == ()


def test_entry_without_title_is_named_after_its_file(read):
    (paper,) = read("@misc{k, file={:On Everything.pdf:PDF}}")
    assert paper.title == "On Everything"


def test_parts_without_own_title_get_their_subtitles(tmp_path):
    path = tmp_path / "cgal.bib"
    path.write_text(
        "@softwaremodule{a, subtitle = {Convex Hulls}, crossref = {cgal}}\n"
        "@softwaremodule{b, subtitle = {Triangulations}, crossref = {cgal}}\n"
        "@software{cgal, title = {The Library}, author = {Lee, Ann}}\n"
    )
    titles = [paper.title for paper in bibtex.read(path)]
    assert titles == ["The Library: Convex Hulls", "The Library: Triangulations", "The Library"]

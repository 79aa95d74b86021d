"""Citations by style, compared with references written by hand after each style's guide."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciread_app.domain.clipboard_formats import STYLES, CopyAs, CopyCitation
from sciread_app.domain.paper import KINDS, Author
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.services.export.citation_styles import CitationStyles, built_in
from sciread_app.services.export.citations import MOST, cite, plain
from sciread_app.services.export.clipboard import copy
from sciread_app.tasks import Task
from tests.support.generate.papers import paper

HELIX = paper(
    "Molecular structure of nucleic acids",
    authors="Watson, J. D.; Crick, F. H. C.", kind="article-journal", venue="Nature",
    published="1953-04-25", doi="10.1038/171737a0",
    extra={"volume": "171", "number": "4356", "pages": "737-738"},
)  # fmt: skip
BERT = paper(
    "BERT: Pre-training of deep bidirectional transformers for language understanding",
    authors="Devlin, Jacob; Chang, Ming-Wei; Lee, Kenton; Toutanova, Kristina",
    published="2018-10-11", arxiv="1810.04805",
)  # fmt: skip
RESNET = paper(
    "Deep residual learning for image recognition",
    authors="He, Kaiming; Zhang, Xiangyu; Ren, Shaoqing; Sun, Jian", kind="paper-conference",
    venue="2016 IEEE Conference on Computer Vision and Pattern Recognition", published="2016",
    doi="10.1109/CVPR.2016.90", extra={"pages": "770-778"},
)  # fmt: skip
BOOK = paper(
    "What is life?", authors="Schrödinger, Erwin", kind="book", published="1944",
    extra={"publisher": "Cambridge University Press", "address": "Cambridge"},
)  # fmt: skip

GOLDEN = {
    ("apa", "helix"): "Watson, J. D., & Crick, F. H. C. (1953). Molecular structure of nucleic "
    "acids. <i>Nature</i>, <i>171</i>(4356), 737–738. https://doi.org/10.1038/171737a0",
    ("apa", "bert"): "Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K. (2018). <i>BERT: "
    "Pre-training of deep bidirectional transformers for language understanding</i> "
    "(arXiv:1810.04805). arXiv. https://arxiv.org/abs/1810.04805",
    ("apa", "resnet"): "He, K., Zhang, X., Ren, S., & Sun, J. (2016). Deep residual learning "
    "for image recognition. <i>2016 IEEE Conference on Computer Vision and Pattern "
    "Recognition</i>, 770–778. https://doi.org/10.1109/cvpr.2016.90",
    ("apa", "book"): "Schrödinger, E. (1944). <i>What is life?</i> Cambridge University Press.",
    ("ieee", "helix"): "[1] J. D. Watson and F. H. C. Crick, “Molecular structure of nucleic "
    "acids,” <i>Nature</i>, vol. 171, no. 4356, pp. 737–738, Apr. 1953, doi: 10.1038/171737a0.",
    ("ieee", "bert"): "[1] J. Devlin, M.-W. Chang, K. Lee, and K. Toutanova, “BERT: "
    "Pre-training of deep bidirectional transformers for language understanding,” Oct. 11, 2018, "
    "<i>arXiv</i>: arXiv:1810.04805. [Online]. Available: https://arxiv.org/abs/1810.04805",
    ("ieee", "resnet"): "[1] K. He, X. Zhang, S. Ren, and J. Sun, “Deep residual learning for "
    "image recognition,” in <i>2016 IEEE Conference on Computer Vision and Pattern "
    "Recognition</i>, 2016, pp. 770–778. doi: 10.1109/cvpr.2016.90.",
    ("ieee", "book"): "[1] E. Schrödinger, <i>What is life?</i> Cambridge: Cambridge "
    "University Press, 1944.",
    ("nature", "helix"): "1. Watson, J. D. & Crick, F. H. C. Molecular structure of nucleic "
    "acids. <i>Nature</i> <b>171</b>, 737–738 (1953).",
    ("nature", "bert"): "1. Devlin, J., Chang, M.-W., Lee, K. & Toutanova, K. BERT: "
    "Pre-training of deep bidirectional transformers for language understanding. Preprint at "
    "https://arxiv.org/abs/1810.04805 (2018).",
    ("nature", "resnet"): "1. He, K., Zhang, X., Ren, S. & Sun, J. Deep residual learning for "
    "image recognition. in <i>2016 IEEE Conference on Computer Vision and Pattern "
    "Recognition</i> 770–778 (2016). doi:10.1109/cvpr.2016.90.",
    ("nature", "book"): "1. Schrödinger, E. <i>What Is Life?</i> (Cambridge University Press, "
    "Cambridge, 1944).",
    ("vancouver", "helix"): "1. Watson JD, Crick FHC. Molecular structure of nucleic acids. "
    "Nature. 1953 Apr 25;171(4356):737–8. doi:10.1038/171737a0",
    ("vancouver", "bert"): "1. Devlin J, Chang MW, Lee K, Toutanova K. BERT: Pre-training of "
    "deep bidirectional transformers for language understanding [Internet]. arXiv; 2018. "
    "Available from: https://arxiv.org/abs/1810.04805",
    ("vancouver", "resnet"): "1. He K, Zhang X, Ren S, Sun J. Deep residual learning for image "
    "recognition. In: 2016 IEEE Conference on Computer Vision and Pattern Recognition. 2016. p. "
    "770–8. doi:10.1109/cvpr.2016.90",
    ("vancouver", "book"): "1. Schrödinger E. What is life? Cambridge: Cambridge University "
    "Press; 1944.",
    ("chicago", "helix"): "Watson, J. D., and F. H. C. Crick. 1953. “Molecular Structure of "
    "Nucleic Acids.” <i>Nature</i> 171 (4356): 737–38. https://doi.org/10.1038/171737a0.",
    ("chicago", "bert"): "Devlin, Jacob, Ming-Wei Chang, Kenton Lee, and Kristina Toutanova. "
    "2018. “BERT: Pre-Training of Deep Bidirectional Transformers for Language Understanding.” "
    "arXiv:1810.04805. Preprint, arXiv, October 11. https://arxiv.org/abs/1810.04805.",
    ("chicago", "resnet"): "He, Kaiming, Xiangyu Zhang, Shaoqing Ren, and Jian Sun. 2016. "
    "“Deep Residual Learning for Image Recognition.” <i>2016 IEEE Conference on Computer Vision "
    "and Pattern Recognition</i>, 770–78. https://doi.org/10.1109/cvpr.2016.90.",
    ("chicago", "book"): "Schrödinger, Erwin. 1944. <i>What Is Life?</i> Cambridge University "
    "Press.",
}  # fmt: skip
PAPERS = {"helix": HELIX, "bert": BERT, "resnet": RESNET, "book": BOOK}


@pytest.mark.parametrize(("style", "name"), GOLDEN)
def test_reference_matches_style_guide(style, name):
    (reference,) = cite([PAPERS[name]], built_in(style)).references
    assert reference.replace("&amp;", "&") == GOLDEN[style, name]


@pytest.mark.parametrize(
    ("style", "marks"),
    [
        ("apa", "(Devlin et al., 2018; Watson & Crick, 1953)"),
        ("ieee", "[1], [2]"),
        ("nature", "1,2"),
        ("vancouver", "(1,2)"),
        ("chicago", "(Devlin et al. 2018; Watson and Crick 1953)"),
    ],
)
def test_in_text_citation_covers_all_papers(style, marks):
    assert plain(cite([BERT, HELIX], built_in(style)).in_text) == marks


@pytest.mark.parametrize(
    ("style", "marks"), [("ieee", "[1]–[4]"), ("nature", "1–4"), ("vancouver", "(1–4)")]
)
def test_consecutive_citation_numbers_become_a_range(style, marks):
    assert plain(cite(list(PAPERS.values()), built_in(style)).in_text) == marks


def test_same_author_and_year_get_letters():
    names = "Devlin, Jacob; Chang, Ming-Wei; Lee, Kenton"
    later = paper("Second", authors=names, published="2018-01", venue="J")
    first = paper("First", authors=names, published="2018-02", venue="J")
    cited = cite([later, first, HELIX], built_in("apa"))
    assert [entry.split("(")[1][:5] for entry in cited.references] == ["2018a", "2018b", "1953)"]
    assert "First" in cited.references[0]
    assert plain(cited.in_text).startswith("(Devlin et al., 2018a, 2018b; Watson")
    assert "2018a" not in cite([later, first], built_in("ieee")).references[0]


def test_author_date_styles_sort_references_and_numeric_styles_number_them():
    papers = [HELIX, BOOK, BERT]
    assert [entry[:4] for entry in cite(papers, built_in("apa")).references] == [
        "Devl",
        "Schr",
        "Wats",
    ]
    assert [entry[:6] for entry in cite(papers, built_in("ieee")).references] == [
        "[1] J.", "[2] E.", "[3] J.",
    ]  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
def test_citation_parts_alone_equal_those_of_both(style):
    papers = [paper(title=f"Study {n}", published="2019") for n in (1, 2, 3)]
    both = cite(papers, built_in(style))

    references = cite(papers, built_in(style), in_text=False)
    in_text = cite(papers, built_in(style), references=False)

    assert (references.references, references.in_text) == (both.references, "")
    assert (in_text.references, in_text.in_text) == ((), both.in_text)


def test_markup_in_metadata_is_escaped():
    risky = paper("<b>x</b> & y", authors="<i>, Bo", kind="article-journal", venue="A & B <u>")
    for style in STYLES:
        (reference,) = cite([risky], built_in(style)).references
        assert "<b>x" not in reference and "<u>" not in reference
        assert "<b>x</b> & y" in plain(reference).lower()


@pytest.mark.parametrize(
    ("given", "initials"),
    [
        ("Jean-Luc M.", "J.-L. M."), ("e. e.", "E. E."), ("maria", "M."), ("Ludwig van", "L. van"),
        ("דוד", "ד."), ("太郎", "太郎"),
    ],
)  # fmt: skip
def test_given_names_of_any_script_become_initials(given, initials):
    one = replace(HELIX, authors=(Author("Fam", given),))
    assert plain(cite([one], built_in("apa")).references[0]).startswith(f"Fam, {initials}")
    assert plain(cite([one], built_in("ieee")).references[0]).startswith(f"[1] {initials} Fam, ")


TEXT = st.text(max_size=30)
ODD = st.builds(
    lambda title, names, kind, published, venue, extra: paper(
        title, authors=names, kind=kind, published=published, venue=venue, extra=extra
    ),
    TEXT, TEXT, st.sampled_from(KINDS), st.sampled_from(["", "1953", "2018-02", "2018-02-31"]),
    TEXT, st.dictionaries(st.sampled_from(["volume", "pages", "edition", "url", "editor"]), TEXT),
)  # fmt: skip


@settings(max_examples=10)
@given(odd=ODD)
def test_any_record_can_be_cited(odd):
    for style in ("ieee", "nature", "vancouver"):
        assert len(cite([odd], built_in(style)).references) == 1


def test_editors_without_name_are_left_out():
    one = replace(HELIX, extra={"editor": " and Doe, Jane"})
    assert "Jane" not in cite([one], built_in("ieee")).in_text


def test_tex_becomes_unicode_in_references():
    one = replace(HELIX, title=r"H$_2$O: on $\alpha$-decay of $x < y$ & {\cal S}")
    for style in STYLES:
        (reference,) = cite([one], built_in(style)).references
        assert "H₂O" in plain(reference) and "α-" in plain(reference).lower()
        assert "x &lt; y &amp; 𝒮" in reference.replace("X", "x").replace("Y", "y")


@pytest.mark.parametrize("style", STYLES)
def test_powers_become_superscripts_in_plain_text(style):
    one = replace(HELIX, title=r"Lengths of 10$^{-3}$ m and $x^2$ with two words after")
    (reference,) = cite([one], built_in(style)).references
    assert "10⁻³" in plain(reference) and "x²" in plain(reference).lower()


def test_superscript_citation_is_plain_digits_in_plain_text():
    assert plain(cite([HELIX], built_in("nature")).in_text) == "1"


def test_too_many_papers_are_refused_with_alternative():
    with pytest.raises(LibraryError, match="too many") as refused:
        cite([HELIX] * (MOST + 1), built_in("ieee"))
    assert "BibTeX" in refused.value.hint


def test_citing_can_be_cancelled():
    def stop(done, total, note):
        if done:
            task.cancel()

    task = Task(stop)
    with pytest.raises(Cancelled):
        cite([HELIX, BERT, BOOK] * 10, built_in("ieee"), task)


def test_copied_citation_has_plain_text_and_html(library, tmp_path):
    styles = CitationStyles(tmp_path)
    library.put([HELIX, BERT])
    copied = copy(library, [1], CopyCitation("nature"), styles, Task())
    assert copied.text.startswith("1. Watson, J. D. & Crick")
    assert "<i>Nature</i> <b>171</b>" in copied.html
    assert (
        copy(library, [1, 2], CopyCitation("nature", True), styles, Task()).html == "<sup>1,2</sup>"
    )
    assert copy(library, [1], CopyAs.biblatex, styles, Task()).text.startswith("@article{")


def test_copied_title_is_shown_in_unicode(library, tmp_path):
    library.put([paper("On $x^2$ and H$_2$O")])
    copied = copy(library, [1], CopyAs.title, CitationStyles(tmp_path), Task())
    assert copied.text == "On x² and H₂O"


def test_copy_counts_papers_without_the_value(library, tmp_path):
    styles = CitationStyles(tmp_path)
    library.put([HELIX, BERT, BOOK])
    dois = copy(library, [1, 2, 3], CopyAs.doi, styles, Task())
    assert dois.text.split() == ["10.1038/171737a0", "10.48550/arXiv.1810.04805"]
    assert dois.without == 1
    assert (
        copy(library, [2], CopyAs.link, styles, Task()).text == "https://arxiv.org/abs/1810.04805"
    )


CUT = {"and-others": "1"}


@pytest.mark.parametrize("style", STYLES)
def test_truncated_author_list_ends_with_et_al(style):
    one = replace(BERT, extra=CUT)
    (reference,) = cite([one], built_in(style)).references
    assert "et al." in plain(reference) and "others" not in reference


THESIS = paper(
    "Recherches sur les substances radioactives", authors="Curie, Marie", kind="thesis",
    published="1903", extra={"school": "Université de Paris", "language": "french"},
)  # fmt: skip
REPORT = paper(
    "A library of test matrices", authors="Higham, N. J.", kind="report", published="1989",
    extra={"institution": "Queen's University Belfast", "number": "TR-12"},
)  # fmt: skip
EDITED = paper(
    "Handbook of memory", kind="book", published="2005",
    extra={"editor": "Doe, Jane and Roe, Richard", "publisher": "OUP"},
)  # fmt: skip
DATA = paper("Temperature", authors="Ray, Mara", kind="dataset", published="2020")
FOREST = paper("The northern forests", published="2009", venue="Ecology", kind="article-journal")
SPECIES = paper("The genome of E. coli", published="2004", venue="Cell", kind="article-journal")
PAGES = paper(
    "Long", authors="Ames, Anna", published="2001", venue="Lancet", kind="article-journal",
    extra={"volume": "580", "pages": "1--12"},
)  # fmt: skip
WANG = paper(
    "综述", authors="王, 小明", published="2018", venue="计算机学报", kind="article-journal"
)


@pytest.mark.parametrize(
    ("style", "one", "text"),
    [
        *((style, THESIS, "Université de Paris") for style in STYLES),
        *((style, REPORT, "Queen’s University Belfast") for style in STYLES),
        *((style, REPORT, "TR-12") for style in STYLES),
        ("apa", REPORT, "(Report No. TR-12). Queen’s University Belfast."),
        ("apa", EDITED, "Doe, J., & Roe, R. (Eds.). (2005)."),
        ("vancouver", EDITED, "Doe J, Roe R, editors."),
        ("chicago", EDITED, "Doe, Jane, and Richard Roe, eds. 2005."),
        ("nature", EDITED, "(eds Doe, J. & Roe, R.)"),
        ("vancouver", PAGES, "580:1–12."),
        ("apa", DATA, "[Data set]"),
        ("chicago", SPECIES, "E. coli"),
        ("chicago", THESIS, "Recherches sur les substances"),
        *((style, WANG, "王小明") for style in STYLES),
    ],
)
def test_reference_contains_fields_required_by_style(style, one, text):
    assert text in plain(cite([one], built_in(style)).references[0])


@pytest.mark.parametrize("style", STYLES)
def test_reference_prints_title_once(style):
    (reference,) = cite([FOREST], built_in(style)).references
    assert plain(reference).lower().count("northern forests") == 1


def test_names_of_english_are_recognised_as_english():
    for language in ("english", "eng", "British", ""):
        one = replace(SPECIES, title="The genome of mice", extra={"language": language})
        assert "The Genome of Mice" in cite([one], built_in("chicago")).references[0]

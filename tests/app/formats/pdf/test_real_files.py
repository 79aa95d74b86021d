import pytest

from sciread_app.formats.pdf import ExtractionPool

# Titles and identifiers on the first pages, read by a person.
EXPECTED = {
    "jabref__IEEE_ieee-paper-reference-text": "JabRef Example for Parsing Related Work Section",
    "jabref__IEEE_ieee-paper": "JabRef Example for Reference Parsing",
    "jabref__IEEE_tua3i2refpage": "jabref IEEE tua3i2refpage",
    "jabref__PdfContentImporter_Baldoni2002": (
        "Fundamentals of Distributed Computing: A Practical Tour of Vector Clock Systems"
    ),
    "jabref__fileformat_LNCS-minimal-protected": "Paper Title",
    "jabref__fileformat_empty": "jabref fileformat empty",
    "jabref__fileformat_encrypted": "jabref fileformat encrypted",
    "jabref__io_pdffile": "jabref io pdffile",
    "jabref__pdf_annotated": "The best Pdf ever",
    "jabref__pdfs_example-scientificThesisTemplate": "Is Oil the future?",
    "jabref__pdfs_example": "An Example Paper",
    "jabref__pdfs_minimal": "Hello World",
    "jabref__pdfs_scanned-image-only": "jabref pdfs scanned-image-only",
    "jabref__pdfs_test-doi": "jabref pdfs test-doi",
    "jabref__pdfs_thesis-example": "Thesis Title",
    "jabref__unlinkedFilesTestFolder_pdfNotInDatabase": (
        "jabref unlinkedFilesTestFolder pdfNotInDatabase"
    ),
    "jabref__xmp_JabRef_multipleMetaEntries": "The Nature of Statistical Learning Theory",
    "jabref__xmp_article_dublinCore": "Stefan's palace",
    "jabref__xmp_article_dublinCore_without_day": "Stefan's palace",
    "jabref__xmp_empty_metadata": "Your Paper",
    "jabref__xmp_no_description_metadata": (
        "Meep: A flexible free-software package for electromagnetic simulations by the FDTD method"
    ),
    "refextract__data_1706.09498v1": "Real-time Distracted Driver Posture Classification",
    "refextract__data_2303.03819": (
        "Comparative study of the heavy-quark dynamics with the Fokker-Planck Equation and the "
        "Plastino-Plastino Equation"
    ),
    "refextract__data_2502.21088": (
        "Measurement of double-differential charged-current Drell–Yan cross-sections at high "
        "transverse masses in p p collisions at √ s = 13 TeV with the ATLAS detector"
    ),
    "refextract__data_2503.05372": (
        "Are compact open-charm tetraquarks consistent with recent lattice results?"
    ),
    "refextract__data_DIS_SHEILA_final": "Dupla difração no LHC/CMS",
    "refextract__data_wepml008": (
        "Tuner Testing of a Dressed 3.9 GHz Cavity for LCLS-II at Fermilab"
    ),
}
NAMES = {
    "jabref__xmp_JabRef_multipleMetaEntries": ("doi", "10.1007/978-1-4757-3264-1"),
    "jabref__xmp_no_description_metadata": ("doi", "10.1016/j.cpc.2009.11.008"),
    "refextract__data_1706.09498v1": ("arxiv", "1706.09498"),
    "refextract__data_2303.03819": ("arxiv", "2303.03819"),
    "refextract__data_2502.21088": ("arxiv", "2502.21088"),
    "refextract__data_2503.05372": ("arxiv", "2503.05372"),
    "refextract__data_wepml008": ("doi", "10.18429/jacow-ipac2018-wepml008"),
}
UNREADABLE = {
    "jabref__fileformat_empty",
    "jabref__fileformat_encrypted",
    "jabref__pdfs_encrypted",
    "jabref__pdfs_scanned-image-only",
    "jabref__unlinkedFilesTestFolder_pdfNotInDatabase",
    "jabref__xmp_JabRef_multipleMetaEntries",
    "jabref__xmp_article_dublinCore_without_day",
}


@pytest.fixture(scope="module")
def contents(shared):
    folder = shared / "fixtures" / "pdf"
    if not folder.is_dir():
        pytest.skip(f"no real PDFs in {folder}")
    files = sorted(folder.glob("*.pdf"))
    with ExtractionPool(2) as readers:
        found = {content.path.stem: content for content in readers.read(files)}
    assert len(found) == len(files)
    return found


def test_real_files_have_title_of_first_page(contents):
    titles = {name: contents[name].paper.title for name in EXPECTED}
    assert titles == EXPECTED


def test_real_files_get_only_their_own_identifiers(contents):
    found = {
        name: tuple((i.kind, i.value) for i in content.paper.identifiers if i.kind != "citekey")
        for name, content in contents.items()
    }
    assert {name: names for name, names in found.items() if names} == {
        name: (identifier,) for name, identifier in NAMES.items()
    }


def test_real_files_without_text_have_a_problem(contents):
    assert {name for name, content in contents.items() if content.problem} == UNREADABLE


def test_real_file_gives_abstract_and_authors(contents):
    paper = contents["refextract__data_2303.03819"].paper
    assert paper.abstract.startswith("The Fokker-Planck Equation (FPE) is a fundamental tool")
    assert paper.abstract.endswith("approach to QCD in the non-perturbative regime.")
    assert [author.family for author in paper.authors] == [
        "Megías",
        "Deppman",
        "Pasechnik",
        "Tsallis",
    ]
    tuner = contents["refextract__data_wepml008"].paper
    assert [author.family for author in tuner.authors][-2:] == ["Yun", "Contreras-Martinez"]
    assert "95.98% driving posture" in contents["refextract__data_1706.09498v1"].text

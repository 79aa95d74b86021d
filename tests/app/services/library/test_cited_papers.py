"""The paper that a citation in a file leads to, with real PDFs and a real library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from sciread_app.domain.paper import Identifier
from sciread_app.services.library.reader import CitedPaper, ReaderService
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.book import make_book
from tests.support.generate.cited import cited_article
from tests.support.generate.papers import paper

SHARED = Path(__file__).parents[5] / "shared" / "fixtures" / "pdf"

FRISCH = (
    "[2] K. von Frisch. The dance language and orientation of bees.",
    "Harvard University Press, Cambridge, 1967.",
)
LINDAUER = (
    "[1] M. Lindauer. Communication among social bees. Harvard",
    "University Press, 1961. doi:10.4159/harvard.9780674189799.",
)
SEELEY = (
    "Seeley, T. D. and Visscher, P. K. (2004). Quorum sensing during",
    "nest-site selection by honeybee swarms. Behavioral Ecology",
    "and Sociobiology, 56(6):594-601.",
)
RILEY = (
    "Riley, J. R., Greggers, U., and Smith, A. D. (2005). The flight",
    "paths of honeybees recruited by the waggle dance. Nature, 435.",
)


@pytest.fixture
def library(library: Library) -> Library:
    library.put([paper("An article about bees")])
    return library


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bees.pdf"


def cited(service: ReaderService, path: Path, data: bytes) -> Sequence[CitedPaper | None]:
    """The cited paper of each link on the first page."""
    path.write_bytes(data)
    file = service.open(1, path, "", Task())
    links = file.page_text(0, Task()).links
    found = [service.cited(file, 0, link, Task()) for link in links if link.spot]
    file.close()
    return found


def titles(found: Sequence[CitedPaper | None]) -> list[str]:
    return [one.paper.title if one and one.paper else "" for one in found]


def test_numbered_citation_leads_to_the_paper_with_its_doi(library, service, path):
    library.put([paper("Communication", doi="10.4159/harvard.9780674189799")])
    article = cited_article([("[1]", 0), ("[2]", 1)], [LINDAUER, FRISCH])
    lindauer, frisch = cited(service, path, article)
    assert lindauer.paper.title == "Communication"
    assert lindauer.text.startswith("M. Lindauer. Communication among")
    assert frisch.paper is None and frisch.text.endswith("Cambridge, 1967.")


def test_identifier_of_a_paper_that_the_library_lacks_is_found(service, path):
    (found,) = cited(service, path, cited_article([("1", 0)], [LINDAUER, FRISCH]))
    assert found.paper is None
    assert found.identifier == Identifier("doi", "10.4159/harvard.9780674189799")


def test_arxiv_number_split_at_a_line_end_leads_to_its_paper(library, service, path):
    library.put([paper("Charm", arxiv="hep-ph/0307102")])
    entry = ("[7] L. Maiani, Diquarks with hidden charm (2004), arXiv:hep-", "ph/0307102 [hep-ph].")
    (found,) = cited(service, path, cited_article([("[7]", 0)], [entry]))
    assert found.paper.title == "Charm"


def test_title_with_year_or_author_leads_to_its_paper(library, service, path):
    library.put(
        [
            paper("The Dance Language and Orientation of Bees", published="1967"),
            paper(
                "Quorum sensing during nest-site selection by honeybee swarms", authors="Seeley, T."
            ),
            paper("The flight paths of honeybees recruited by the waggle dance", published="1999"),
        ]
    )
    article = cited_article(
        [("[2]", 0), ("Seeley and Visscher", 1), ("2005", 2)], [FRISCH, SEELEY, RILEY]
    )
    assert titles(cited(service, path, article)) == [
        "The Dance Language and Orientation of Bees",
        "Quorum sensing during nest-site selection by honeybee swarms",
        "",
    ]


def test_short_title_needs_author_and_year(library, service, path):
    entry = ("[1] Y. LeCun and Y. Bengio. Deep learning. Nature, 2015.",)
    library.put([paper("Deep learning", authors="Goodfellow, Ian", published="2015")])
    assert titles(cited(service, path, cited_article([("1", 0)], [entry]))) == [""]
    library.put([paper("Deep learning", authors="LeCun, Yann", published="2015-05")])
    (found,) = cited(service, path, cited_article([("1", 0)], [entry]))
    assert found.paper.authors[0].family == "LeCun"


def test_first_of_two_titles_in_an_entry_is_cited(library, service, path):
    titled = ("The dance language and orientation of bees", "Communication among social bees")
    library.put([paper(title, published="1967") for title in titled])
    entry = (*FRISCH, "Reprinted with: Communication among social bees. 1967.")
    found = cited(service, path, cited_article([("[2]", 0)], [entry]))
    assert titles(found) == [titled[0]]


def test_author_and_year_lead_to_one_entry_of_several(service, path):
    article = cited_article(
        [("Seeley and Visscher", 0), ("2004", 0), ("Riley et al.", 1), ("2005", 1)],
        [SEELEY, RILEY],
    )
    texts = [found.text for found in cited(service, path, article)]
    assert texts[0] == texts[1] and texts[2] == texts[3]
    assert texts[0].startswith("Seeley, T. D.") and texts[0].endswith("56(6):594-601.")
    assert texts[2].startswith("Riley, J. R.") and texts[2].endswith("435.")


def test_link_to_a_section_is_no_citation(service, path):
    sections = [("1 Introduction",), ("Bees dance. Since 1967 we know why.",), ("2 Methods",)]
    article = cited_article(
        [("1", 0), ("Introduction", 0), ("Fig. 2", 1)], sections, heading="On bees", hanging=False
    )
    assert cited(service, path, article) == [None, None, None]


def test_paper_in_the_trash_is_not_cited(library, service, path):
    ids = library.put([paper("The dance language and orientation of bees", published="1967")]).ids
    article = cited_article([("[2]", 0)], [FRISCH])
    assert titles(cited(service, path, article)) != [""]
    library.trash(ids)
    assert titles(cited(service, path, article)) == [""]


def test_cited_paper_has_its_file_if_that_exists(library, service, path, tmp_path):
    file = tmp_path / "frisch.pdf"
    frisch = paper(
        "The dance language and orientation of bees", published="1967", files=(str(file),)
    )
    library.put([frisch])
    article = cited_article([("[2]", 0)], [FRISCH])
    assert cited(service, path, article)[0].path is None
    file.write_bytes(make_book(1))
    assert cited(service, path, article)[0].path == file


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the PDFs in ../shared")
@pytest.mark.parametrize(
    ("name", "page", "label", "start"),
    [
        ("jabref__IEEE_ieee-paper.pdf", 0, "4", "O. Kopp, A. Armbruster"),
        ("jabref__fileformat_LNCS-minimal-protected.pdf", 0, "1", "Kopp, O., et al.: Winery"),
        ("jabref__xmp_article_dublinCore.pdf", 1, "Gre93", "George D. Greenwade."),
        ("refextract__data_1706.09498v1.pdf", 0, "19", "W. H. Organization."),
        ("refextract__data_2303.03819.pdf", 0, "4", "B. Svetitsky"),
        ("refextract__data_2503.05372.pdf", 0, "18", ""),
    ],
)
def test_citation_of_a_real_paper_leads_to_its_entry(service, name, page, label, start):
    from sciread_app.domain.annotations.references import link_text

    file = service.open(1, SHARED / name, "", Task())
    source = file.page_text(page, Task())
    link = next(
        link for link in source.links if link.spot and link_text(source.letters, link.box) == label
    )
    found = service.cited(file, page, link, Task())
    file.close()
    assert found is not None and found.text.startswith(start) and len(found.text) < 600

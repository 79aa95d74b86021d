"""Screenshots of the recommendations page: without subjects, without papers, with both."""

from __future__ import annotations

from PySide6.QtCore import QPoint

from sciread_app.domain.digest import Frequency, Interval
from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.paper import LibraryChanges
from sciread_app.storage.library import Library
from sciread_app.ui.digest.page import DigestPage
from sciread_app.ui.recommendations.page import RecommendationsPage
from sciread_app.ui.recommendations.view_models import RecommendationTab
from sciread_app.ui.shell.main_window import MainWindow
from tests.screenshots.scene import EVERYWHERE, Scene, wait
from tests.support.generate.papers import paper

# Fictitious papers and authors.
FETCHED = (
    ("Fewer heads, same attention: pruning translation models while they train",
     "We remove attention heads of a transformer during training and lose nothing in translation. "
     "A gate on each head learns whether the sequence needs it."),
    ("Pre-training bidirectional encoders on scientific text",
     "A language model is pre-trained on papers of all fields and fine-tuned for question "
     "answering, named entities and classification of sentences."),
    ("How deep must a residual network be for medical images?",
     "Convolutional networks with residual connections are compared on x-ray images at twelve "
     "depths. Beyond fifty layers recognition does not improve."),
    ("A recurrent baseline that is hard to beat in language modelling",
     "Long short-term memory with careful regularisation comes close to attention-only models of "
     "the same size on word and character prediction."),
    ("Generative adversarial training with a forgetful discriminator",
     "We let the discriminator forget, and the generator of images stops collapsing."),
    ("Counting bees at the entrance of a hive",
     "A camera and a small detector count bees that leave and come back, day and night."),
    ("Dust in the haloes of spiral galaxies at redshift two",
     "Deep infrared images show dust far outside the disks of galaxies."),
    ("A title that goes on and on, as titles of consortium papers do when every partner must find "
     "a word of his own in it, and that says something of neural networks at its very end",
     "Deep learning for everything, with gradient descent."),
)  # fmt: skip
FOLLOWED = {
    "deep learning": "neural networks",
    "deep learning/language": "language translation",
    "a collection with quite a long name": "galaxies",
}


def no_topics(window: MainWindow) -> None:
    window.go_to("foryou")


def nothing_fetched(window: MainWindow) -> None:
    library = Library(window._home / "library.sqlite3")
    for path, query in FOLLOWED.items():
        found = library.search_text(" OR ".join(query.split()), 12)
        library.collections.add([id for id, _ in found], path)
    library.saved_searches.save("Board games", "teaching a computer to win at board games")
    library.close()
    window.events.library_changed.emit(LibraryChanges(papers=True))


def fetched(window: MainWindow) -> None:
    library = Library(window._home / "library.sqlite3")
    number = library.fetches.keep(SourceQuery("arxiv", "cat:cs.LG"))
    import_id = library.import_log.open("arXiv", fetch=number)
    library.put(
        [
            paper(
                title, abstract=abstract, authors="Example, Ada; Sample, Grace", venue="arXiv",
                published="2026-11-20", fields=("cs.LG",), arxiv=f"2611.{n:05}",
            )
            for n, (title, abstract) in enumerate(FETCHED, start=1)
        ],
        import_id=import_id,
    )  # fmt: skip
    library.import_log.close(import_id)
    library.close()
    window.index_new_papers(LibraryChanges(papers=True))
    _page(window).follow("collection:2")


def query(window: MainWindow) -> None:
    _page(window).follow("query:1")


def narrow(window: MainWindow) -> None:
    """Open the menu that offers the topics in a narrow window."""
    page = _page(window)
    window.resize(900, 700)
    wait(lambda: not page.subjects.isVisible())
    among = page.head.among
    among.menu().popup(among.mapToGlobal(QPoint(0, among.height())))


def refined(window: MainWindow) -> None:
    _page(window).head.refine()
    _page(window).show_part(RecommendationTab.far)


def new(window: MainWindow) -> None:
    _page(window).show_part(RecommendationTab.new)
    _page(window).head.refine()
    _page(window).list.setFocus()


def everywhere(window: MainWindow) -> None:
    window.go_to("foryou")
    _page(window)._look_everywhere()


def digest(window: MainWindow) -> None:
    services = window.gateway.workspace.digests
    for topic, _ in services.topics():
        services.set_interval(topic, Interval(Frequency.weekly))
    window.go_to("digest")
    page = window.other_page("digest")
    assert isinstance(page, DigestPage)
    page.preview()


def digest_settings(window: MainWindow) -> None:
    page = window.other_page("digest")
    assert isinstance(page, DigestPage)
    page.change_settings()


def _page(window: MainWindow) -> RecommendationsPage:
    page = window.other_page("foryou")
    assert isinstance(page, RecommendationsPage)
    return page


SCENES = (
    Scene("foryou-nobody", no_topics, EVERYWHERE),
    Scene("foryou-nothing-fetched", nothing_fetched, EVERYWHERE),
    Scene("foryou", fetched, EVERYWHERE),
    Scene("foryou-refined", refined),
    Scene("foryou-query", query),
    Scene("foryou-whole-library", everywhere),
    Scene("foryou-narrow", narrow, (100, 200)),
    Scene("foryou-digest", digest, EVERYWHERE),
    Scene("foryou-digest-settings", digest_settings),
)

"""Screenshots of the intake page, with local servers as sources."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sciread_app.domain.fetch import SourceQuery
from sciread_app.sources.arxiv import api as arxiv_api
from sciread_app.ui.add_papers.page import FILES, IDENTIFIERS, AddPapersPage
from sciread_app.ui.library.controller import PROBLEMS
from sciread_app.ui.library.metadata.dialog import MetadataDialog
from sciread_app.ui.shell.main_window import MainWindow
from tests.screenshots.scene import EVERYWHERE, Scene, wait
from tests.support.generate.pdf import At, body, make_pdf
from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.eutils_server import EutilsServer
from tests.support.servers.faults import too_many, unavailable
from tests.support.servers.works_server import Work, WorksServer, numbered

TRANSFORMERS = SourceQuery("arxiv", "cat:cs.CL AND all:transformer")


class Sources:
    """Local servers for arXiv and PubMed, and the scenes that use them."""

    def __init__(self, arxiv: ArxivServer, pubmed: EutilsServer, works: WorksServer) -> None:
        self._arxiv = arxiv
        self._pubmed = pubmed
        self._works = works
        self._pdfs = tempfile.TemporaryDirectory()

    def empty(self, window: MainWindow) -> None:
        # The model would take longer to encode the papers than a scene may last.
        window.importing.encode_missing = lambda: None
        window.new_query()
        wait(_page(window).form.isVisible)

    def look(self, window: MainWindow) -> None:
        self.empty(window)
        page = _page(window)
        page.form.line.setText(TRANSFORMERS.text)
        page.form.since.setText("2007")
        page.form.most.setText("2,000")
        page.form.look()
        wait(page.preview.count.isVisible)

    def wait(self, window: MainWindow) -> None:
        """Show a source that makes the fetch wait, one that does not answer, and a queue of two."""
        page = _page(window)
        page.work.fetch(SourceQuery("pubmed", "sepsis", most=60))
        wait(lambda: _is_done(page, "sepsis"))
        self._pubmed.fail(unavailable(retry_after=15), 1)
        self._arxiv.fail(too_many(retry_after=15), 1, lambda asked: asked.params["start"] != "0")
        page.work.fetch(SourceQuery("arxiv", "cat:cs.LG OR cat:cs.CL OR cat:hep-th OR cat:math.AG"))
        wait(lambda: any(_note(page, fetch.id) for fetch in page.work.fetches))
        page.work.fetch(TRANSFORMERS)
        page.work.fetch(SourceQuery("pubmed", "kidney OR stroke", "2001-03-01"))
        wait(lambda: sum(bool(_note(page, fetch.id)) for fetch in page.work.fetches) == 2)

    def finish(self, window: MainWindow) -> None:
        """Stop the waiting fetches, then refresh all of them twice."""
        page = _page(window)
        for fetch in page.work.fetches:
            page.work.stop(fetch.id)
        wait(lambda: not page.work.busy)
        # New versions of papers since the fetch.
        self._arxiv.revise(list(self._arxiv.papers)[::8], datetime.now(UTC))
        page.list.all_button.click()
        wait(lambda: not page.work.busy)
        page.list.all_button.click()
        wait(lambda: not page.work.busy)

    def results(self, window: MainWindow) -> None:
        page = _page(window)
        changed = [id for id, results in page.work.results.items() if results.changes]
        page.list.results_requested.emit(changed[0])

    def files(self, window: MainWindow) -> None:
        page = _page(window)
        page.show_tab(FILES)

    def citations(self, window: MainWindow) -> None:
        page = _page(window)
        page.show_tab(len(page.switch.tab_stops()) - 1)

    def identifiers(self, window: MainWindow) -> None:
        """Look up papers of each kind, some of which are known, unknown, or not certain."""
        title = "Deep learning of crystals by their scattered light"
        self._works.add(
            Work("10.5555/crystals.1", title, ("Curie, Marie",), 2019),
            Work("10.5555/crystals.2", title, ("Joliot, Irène",), 2021),
        )
        [known] = window.gateway.card_loader.cards(window.page.view.listing.ids[:1])
        names = (
            *(numbered(n).doi for n in range(3)),
            known.paper.identifier("doi") or known.paper.title,
        )
        texts = (*names, next(iter(self._arxiv.papers)), title, "10.5555/nobody.knows")
        page = _page(window)
        page.show_tab(IDENTIFIERS)
        page.identifiers.text.setPlainText("\n".join(texts))
        page.identifiers.look_up()
        wait(page.identifiers.list.isVisible)

    def lookup(self, window: MainWindow) -> None:
        """Look up metadata of papers, some of whose fields differ from the records."""
        window.go_to("search")
        ids = list(window.page.view.listing.ids[:12])
        for number, card in enumerate(window.gateway.card_loader.cards(ids)):
            one = card.paper
            venue = "A Journal of Another Name" if number % 3 == 1 else one.venue or "Nature"
            if doi := one.identifier("doi"):
                names = tuple(f"{author.family}, {author.given}" for author in one.authors)
                text = "We ask whether records agree. "
                self._works.add(Work(doi, one.title, names, one.year or 2000, venue, text * 3))
        window.page.result_list.choose(ids)
        window.library_controller.look_up()
        dialog = _dialog(window)
        wait(dialog.isVisible)

    def suggestions(self, window: MainWindow) -> None:
        window.library_controller.look_up()
        dialog = _dialog(window)
        dialog.look_up()
        wait(dialog.list.isVisible)

    def applied(self, window: MainWindow) -> None:
        self.suggestions(window)
        _dialog(window).apply()

    def needs_attention(self, window: MainWindow) -> None:
        """Show papers of PDFs whose authors, years or titles are uncertain."""
        byline = At("Alice Martin, Robert Weber, learning of features", 11, y=690)
        pages = {
            "bees": [At("On the flight of honey bees", 18, y=720), byline, *body(540, 20)],
            "hives": [At("Hives in winter and in spring", 18, y=720), *body()],
            "scan 7": [At("On the dance of bees", 11, 60, 712), *body(700, 20)],
        }
        for name, page in pages.items():
            pdf = make_pdf(page, info={"CreationDate": "D:20190401120000"})
            Path(self._pdfs.name, f"{name}.pdf").write_bytes(pdf)
        window.importing.add([Path(self._pdfs.name)])
        window.go_to("search")
        window.page.set_scope(PROBLEMS, "Needs attention")
        wait(lambda: len(window.page.view.listing.ids) == len(pages))
        listing = window.page.view.listing
        [bees] = [
            one.paper.id
            for one in window.gateway.card_loader.cards(listing.ids)
            if "flight" in one.paper.title
        ]
        window.page.result_list.choose([bees])


def scenes(served: Sources) -> Sequence[Scene]:
    return (
        Scene("intake-nothing-fetched", served.empty),
        Scene("intake-preview", served.look, EVERYWHERE),
        Scene("intake-waiting", served.wait),
        Scene("intake-done", served.finish),
        Scene("intake-brought", served.results),
        Scene("intake-files", served.files, EVERYWHERE),
        Scene("intake-citations", served.citations, EVERYWHERE),
        Scene("intake-identifiers", served.identifiers, EVERYWHERE),
        Scene("lookup", served.lookup),
        Scene("lookup-suggestions", served.suggestions, EVERYWHERE),
        Scene("lookup-applied", served.applied),
        Scene("needs-attention", served.needs_attention),
    )


@contextmanager
def sources(cache: str) -> Iterator[Sources]:
    """Serve all sources locally for this process."""
    arxiv_api._PAGE = 40  # several pages per fetch, of papers that the model encodes quickly
    with (
        ArxivServer(300) as arxiv,
        EutilsServer(300) as pubmed,
        WorksServer(map(numbered, range(9))) as works,
    ):
        os.environ |= works.environ
        os.environ |= {
            "SCIREAD_CACHE": cache,
            "SCIREAD_ARXIV_URL": f"{arxiv.url}api/query",
            "SCIREAD_ARXIV_OAI_URL": f"{arxiv.url}oai",
            "SCIREAD_EUTILS_URL": pubmed.url,
            "SCIREAD_ARXIV_PAUSE": "0",
            "SCIREAD_ARXIV_OAI_PAUSE": "0",
            "SCIREAD_EUTILS_PAUSE": "0",
        }
        yield Sources(arxiv, pubmed, works)


def _dialog(window: MainWindow) -> MetadataDialog:
    return window.findChildren(MetadataDialog)[-1]


def _page(window: MainWindow) -> AddPapersPage:
    page = window.other_page("intake")
    assert isinstance(page, AddPapersPage)
    return page


def _note(page: AddPapersPage, fetch: int) -> str:
    running = page.work.running(fetch)
    note = running.progress.note if running else ""
    return note if note.endswith(" s)") else ""


def _is_done(page: AddPapersPage, text: str) -> bool:
    return not page.work.busy and any(fetch.query.text == text for fetch in page.work.fetches)

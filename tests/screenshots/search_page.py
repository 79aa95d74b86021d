"""Screenshots of the search page: filters, examples, cards with all their marks."""

from __future__ import annotations

from sciread_app.domain.paper import LibraryChanges, Order
from sciread_app.ui.paper_list.density import Density
from sciread_app.ui.query_state import SearchFilter
from sciread_app.ui.search.page import SearchPage
from sciread_app.ui.shell.main_window import MainWindow
from tests.screenshots.scene import EVERYWHERE, Scene, wait

ODD_PAPERS = """
@article{long, title = {A title that goes on and on, as titles of consortium papers do when every
 partner must find a word of his own in it, and that no card can hold in two lines however wide the
 window may be drawn by somebody with a very large screen indeed}, author = {Wissenschaftlich-
 Technische{-}Zusammenarbeitsgemeinschaft, Anna and Garc{\\'\\i}a, Jos{\\'e}}, year = 2024,
 abstract = {Kurz.}}
@article{arabic, title = {الذكاء الاصطناعي في اكتشاف الأدوية}, author = {الخوارزمي, محمد},
 year = 2023, abstract = {تصف هذه الورقة كيف تساعد الشبكات العصبية في العثور على جزيئات جديدة.}}
@article{chinese, title = {基于图神经网络的分子性质预测研究}, author = {王, 小明}, year = 2022,
 journal = {计算机学报}, abstract = {本文提出一种新的图神经网络模型，用于预测分子的性质。}}
@article{formula, title = {Measurement of $B^0_s \\to \\mu^+\\mu^-$ decays at $\\sqrt{s} = 13$ TeV},
 author = {{LHCb collaboration}}, year = 2022, abstract = {A search with 9 fb$^{-1}$ of data.}}
@article{broken, title = {This entry never ends
"""


def _page(window: MainWindow) -> SearchPage:
    window.go_to("search")
    assert window.page
    return window.page


def _whole(window: MainWindow) -> None:
    _page(window).search_box.set_text("")


def _found(window: MainWindow) -> None:
    page = _page(window)
    page.header.lift()
    page.search_box.set_text("learning to see")


def _marked(window: MainWindow) -> None:
    """Show cards with tags, stars and read papers."""
    page, gateway = _page(window), window.gateway
    assert gateway
    ids = list(page.view.listing.ids)[:3]
    gateway.workspace.editor.tag(ids[:2], "to read")
    gateway.workspace.editor.tag(ids[:1], "seminar")
    gateway.workspace.editor.set_tag_colour("to read", "green")
    gateway.workspace.editor.set_tag_colour("seminar", "purple")
    gateway.workspace.editor.rate(ids[:1], 4)
    gateway.workspace.editor.mark_read(ids[1:2], True)
    page.library_changed(LibraryChanges(papers=True))


def _compact(window: MainWindow) -> None:
    _page(window).set_density(Density.compact)


def _table(window: MainWindow) -> None:
    _page(window).set_density(Density.table)


def _browsed_table(window: MainWindow) -> None:
    page = _page(window)
    page.search_box.set_text("")
    wait(lambda: not page.view.query)
    page.sort_by(Order.author)


def _citations_table(window: MainWindow) -> None:
    """Sort by the number of citations, which shows their column."""
    page, gateway = _page(window), window.gateway
    assert gateway
    known = gateway.workspace.library
    papers = known.get(known.ids()[:40].tolist())
    names = [next(iter(one.identifiers)) for one in papers if one.identifiers]
    cited = [(names[n], name) for m, name in enumerate(names) for n in range(m) if n * 7 % 5 < 3]
    known.citations.put(cited, "semantic_scholar")
    page.library_changed(LibraryChanges(papers=True))
    page.sort_by(Order.citations)


def _comfortable(window: MainWindow) -> None:
    _page(window).set_density(Density.comfortable)


def _filters(window: MainWindow) -> None:
    page = _page(window)
    if page.header.filters.isHidden():
        page.header.toggle_filters()
    page.set_scope('in:"Sample library"', "Sample library")
    page.search_box.set_text("learning")
    page.header.change(
        filters=(SearchFilter("year", ("1990..2018",)), SearchFilter("cat", ("cs.LG", "cs.CL")))
    )


def _years(window: MainWindow) -> None:
    page = _page(window)
    page.header.change(filters=())
    wait(lambda: not page.view.request.filters)
    page.header.filters.open("year")


def _fields(window: MainWindow) -> None:
    page = _page(window)
    page.header.filters.open("cat")


def _steered(window: MainWindow) -> None:
    """Show a typed query with examples and a counterexample."""
    page = _page(window)
    page.header.toggle_filters()
    page.set_scope("")
    page.search_box.set_text("learning to see")
    ids = [int(paper) for paper in page.view.listing.ids[:4]]
    page.header.change(like=tuple(ids[:2]), unlike=tuple(ids[3:4]))


def _similar(window: MainWindow) -> None:
    _page(window).set_scope("")
    _page(window).show_similar(_page(window).selected())


def _wrong(window: MainWindow) -> None:
    page = _page(window)
    page.set_scope("")
    wait(lambda: not page.view.request.like)
    page.search_box.set_text("year:soon")


def _nothing(window: MainWindow) -> None:
    _page(window).search_box.set_text("tag:nowhere")


def _import(window: MainWindow) -> None:
    """Import a file with an unreadable entry."""
    file = window._home / "odd.bib"
    file.write_text(ODD_PAPERS, "utf-8")
    window.add([file])


def _import_report(window: MainWindow) -> None:
    window.show_last_report()


def _odd(window: MainWindow) -> None:
    """Show the papers added last: a long title, Arabic, Chinese, formulas."""
    page = _page(window)
    page.set_scope("")
    page.search_box.set_text("")
    wait(lambda: not page.view.query and len(page.view.listing.ids) > 4)


def _arabic(window: MainWindow) -> None:
    _open_odd(window, "arabic")


def _formula(window: MainWindow) -> None:
    _open_odd(window, "formula")


def _open_odd(window: MainWindow, key: str) -> None:
    page = _page(window)
    page.close_paper()
    where = {"long": 0, "arabic": 1, "chinese": 2, "formula": 3}[key]
    first = min(page.view.listing.ids[:4])
    row = page.model.row_of(first + where)
    page.result_list.go_to(row)
    wait(
        lambda: page.details.details is not None and page.details.details.paper.id == first + where
    )
    page.open_paper()


def _syntax(window: MainWindow) -> None:
    page = _page(window)
    page.search_box.set_text("")
    wait(lambda: not page.view.query)
    page.search_box.show_syntax()


def _suggestions(window: MainWindow) -> None:
    """Type the beginning of an author's name."""
    page = _page(window)
    page.search_box.take_focus()
    page.search_box.edit.insert("neural author:hin")
    wait(lambda: page.search_box.offered)


SCENES = (
    Scene("search-all", _whole, EVERYWHERE),
    Scene("search", _found, EVERYWHERE),
    Scene("search-marked", _marked),
    Scene("search-compact", _compact, EVERYWHERE),
    Scene("search-table", _table, EVERYWHERE),
    Scene("search-table-browsed", _browsed_table),
    Scene("search-table-citations", _citations_table),
    Scene("search-comfortable", _comfortable),
    Scene("search-filters", _filters, EVERYWHERE),
    Scene("search-years", _years, EVERYWHERE),
    Scene("search-fields", _fields, EVERYWHERE),
    Scene("search-steered", _steered, EVERYWHERE),
    Scene("search-similar", _similar),
    Scene("search-wrong", _wrong, EVERYWHERE),
    Scene("search-nothing", _nothing, EVERYWHERE),
    Scene("search-syntax", _syntax, EVERYWHERE),
    Scene("search-suggestions", _suggestions),
)
ODD_TITLES = (
    Scene("banner-import", _import, EVERYWHERE),
    Scene("import_report", _import_report, EVERYWHERE),
    Scene("titles", _odd, EVERYWHERE),
    Scene("titles-arabic", _arabic),
    Scene("titles-formula", _formula),
)

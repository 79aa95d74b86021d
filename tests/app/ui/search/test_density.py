"""The densities of the list of papers: cards of two sizes, and a table with columns."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QMenu

from sciread_app.domain.paper import Author, Order
from sciread_app.ui.paper_list.card_delegate import elided_layout, for_script, paint_marked_line
from sciread_app.ui.paper_list.card_text import card_marks
from sciread_app.ui.paper_list.density import Density
from sciread_app.ui.paper_list.table_columns import COLUMNS
from sciread_app.ui.style.theme import DARK, LIGHT, scaled, ui_font
from sciread_app.ui.view_models import Card
from tests.support.generate.papers import paper
from tests.support.ui.fakes.gateway import FakeGateway

VASWANI, BEE, DEE = Author("Vaswani", "Ashish"), Author("Bee", "Ann"), Author("Dee", "Cy")
PAPERS = (
    paper("Attention Is All You Need", authors=[VASWANI, BEE, DEE], published="2017"),
    paper("Moving Bodies", authors=[Author("Einstein", "Albert")], published="1905"),
    paper("Readers", authors=[BEE, DEE], published="2001"),
)
NUMBER = {column.title.lower(): number for number, column in enumerate(COLUMNS)}


@pytest.fixture
def page(show_page):
    return show_page(FakeGateway(papers=PAPERS))


def cell(page, row, key):
    return page.model.index(row, NUMBER[key]).data()


def click_heading(qtbot, page, key):
    header = page.result_list.horizontalHeader()
    left = header.sectionViewportPosition(NUMBER[key])
    place = QPoint(left + header.sectionSize(NUMBER[key]) // 2, header.height() // 2)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)


def visible_rows(page, density):
    page.set_density(density)
    papers = page.result_list
    return papers.viewport().height() // papers.verticalHeader().defaultSectionSize()


def test_denser_lists_show_more_papers(page, qtbot):
    page.window().resize(1440, 900)
    qtbot.waitUntil(lambda: page.result_list.viewport().height() > 600)
    cards, compact, table = (visible_rows(page, density) for density in Density)
    assert cards < compact < table
    assert compact >= 12 and table >= 25


def test_card_without_abstract_is_lower_than_one_with_an_abstract(show_page, qtbot):
    page = show_page(FakeGateway(papers=[paper("A", abstract="Bees fly."), paper("B"), paper("C")]))
    heights = page.result_list.verticalHeader()

    def sizes():
        return sorted(heights.sectionSize(row) for row in range(3))

    qtbot.waitUntil(lambda: sizes()[0] == sizes()[1] < sizes()[2])
    loaded = sizes()
    page.set_density(Density.compact)
    assert len(set(sizes())) == 1
    page.set_density(Density.comfortable)
    assert sizes() == loaded


def test_long_title_without_abstract_takes_a_second_line(show_page, qtbot):
    page = show_page(FakeGateway(papers=[paper("Bees"), paper("Bees and flowers " * 12)]))
    heights = page.result_list.verticalHeader()
    qtbot.waitUntil(lambda: heights.sectionSize(0) < heights.defaultSectionSize())
    assert heights.sectionSize(0) != heights.sectionSize(1) < heights.defaultSectionSize()


def test_table_shows_columns_of_papers(page, qtbot):
    page.set_density(Density.table)
    page.model.card(0)
    qtbot.waitUntil(lambda: cell(page, 0, "year") != "")
    rows = {cell(page, row, "year"): cell(page, row, "authors") for row in range(3)}
    assert rows == {"2017": "Vaswani et al.", "1905": "Einstein", "2001": "Bee and Dee"}
    assert page.result_list.horizontalHeader().isVisible()


def test_selection_stays_when_the_density_changes(page):
    page.result_list.go_to(1)
    current = page.result_list.current()
    for density in (Density.table, Density.compact, Density.comfortable):
        page.set_density(density)
        assert page.result_list.current() == current
        assert page.result_list.selected() == [current]


def test_rows_of_the_table_are_selected_once_each(page):
    page.set_density(Density.table)
    page.result_list.selectAll()
    assert sorted(page.result_list.selected()) == sorted(page.model.listing.ids)
    assert page.result_list.selected_count() == 3


def test_heading_sorts_and_reverses(page, qtbot):
    page.set_density(Density.table)
    click_heading(qtbot, page, "title")
    qtbot.waitUntil(lambda: page.header.order.order(False) is Order.title)
    click_heading(qtbot, page, "title")
    qtbot.waitUntil(lambda: page.header.order.order(False) is Order.title_descending)
    qtbot.waitUntil(
        lambda: (
            page.result_list.horizontalHeader().sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
        )
    )


def test_newest_and_most_cited_papers_first_are_descending_orders(page, qtbot):
    page.set_density(Density.table)
    header = page.result_list.horizontalHeader()
    for order in (Order.year, Order.citations):
        page.sort_by(order)
        qtbot.waitUntil(lambda: header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder)
        page.sort_by(order.reverse)
        qtbot.waitUntil(lambda: header.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder)


def test_columns_can_be_shown_and_are_remembered(show_page, page, qtbot, tmp_path):
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    page.remember(settings)
    page.set_density(Density.table)
    header = page.result_list.horizontalHeader()
    assert header.isSectionHidden(NUMBER["doi"])
    header.customContextMenuRequested.emit(QPoint(5, 5))
    menu = page.result_list.findChild(QMenu)
    next(action for action in menu.actions() if action.text() == "DOI").trigger()
    menu.close()
    header.resizeSection(NUMBER["year"], 99)

    again = show_page(FakeGateway(papers=PAPERS))
    again.remember(settings)
    header = again.result_list.horizontalHeader()
    assert again.result_list.density is Density.table
    assert not header.isSectionHidden(NUMBER["doi"])
    assert header.sectionSize(NUMBER["year"]) == 99


def test_title_takes_the_width_that_other_columns_leave(page, qtbot):
    page.set_density(Density.table)
    papers, header = page.result_list, page.result_list.horizontalHeader()
    saved = papers.save_columns()
    papers.resize(header.length() + 400, 300)
    qtbot.waitUntil(lambda: header.length() == papers.viewport().width())
    papers.resize(papers.width() - 200, 300)
    qtbot.waitUntil(lambda: header.length() == papers.viewport().width())
    assert papers.save_columns() == saved
    header.resizeSection(NUMBER["title"], 1500)
    papers.resize(papers.width() - 100, 300)
    assert header.sectionSize(NUMBER["title"]) == 1500


def visible_columns(header):
    return {title for title, number in NUMBER.items() if not header.isSectionHidden(number)}


def test_table_shows_only_columns_that_fit_until_the_user_arranges_them(page, qtbot):
    page.set_density(Density.table)
    papers, header = page.result_list, page.result_list.horizontalHeader()
    papers.resize(1500, 300)
    qtbot.waitUntil(lambda: "pdf" in visible_columns(header))
    papers.resize(500, 300)
    qtbot.waitUntil(lambda: header.length() == papers.viewport().width())
    assert {"title", "authors", "year"} <= visible_columns(header)
    assert "pdf" not in visible_columns(header)
    qtbot.waitUntil(lambda: papers.horizontalScrollBar().maximum() == 0)
    assert papers.save_columns().isEmpty()
    header.resizeSection(NUMBER["authors"], 300)
    assert not papers.save_columns().isEmpty()
    papers.resize(1500, 300)
    assert header.sectionSize(NUMBER["authors"]) == 300


def test_list_sorted_by_citations_shows_their_numbers(page, qtbot):
    page.set_density(Density.table)
    header = page.result_list.horizontalHeader()
    assert "citations" not in visible_columns(header)
    page.sort_by(Order.citations)
    qtbot.waitUntil(lambda: "citations" in visible_columns(header))
    page.sort_by(Order.title)
    qtbot.waitUntil(lambda: "citations" not in visible_columns(header))


@pytest.mark.parametrize("density", Density)
def test_words_of_the_query_are_marked_in_titles(page, qtbot, appearance, density):
    page.set_density(density)
    mark = QColor(appearance.theme.mark)

    def marked():
        picture = page.result_list.viewport().grab().toImage()
        rows = range(0, picture.height(), 2)
        return any(picture.pixelColor(x, y) == mark for y in rows for x in range(picture.width()))

    assert not marked()
    page.search_box.set_text("bodies")
    qtbot.waitUntil(marked)


@pytest.mark.parametrize("number", [0, 1])
def test_texts_of_the_table_are_below_their_headings(page, qtbot, number):
    page.set_density(Density.table)
    papers, header = page.result_list, page.result_list.horizontalHeader()
    qtbot.waitUntil(lambda: page.model.index(0, 1).data() != "")
    page.result_list.clearSelection()
    left, width = header.sectionViewportPosition(number), header.sectionSize(number)

    def first_ink(widget, top, bottom, skipped):
        place = widget.mapTo(page.window(), QPoint(left + skipped, top))
        box = QRect(place, QSize(width - skipped, bottom - top))
        picture = page.window().grab(box).toImage()
        ground = picture.pixelColor(1, 1)
        columns = range(picture.width() - 4)
        return next(
            x
            for x in columns
            if any(
                abs(picture.pixelColor(x, y).lightness() - ground.lightness()) > 60
                for y in range(picture.height())
            )
        )

    dot = 16 if number == 0 else 0
    row = papers.rowViewportPosition(0)
    cell = first_ink(papers.viewport(), row + 2, row + papers.height_of_rows(1) - 3, dot)
    heading = first_ink(header.viewport(), 2, header.height() - 3, dot)
    assert abs(cell - heading) <= 2


def test_columns_are_selected_and_fitted_by_keyboard(page, qtbot):
    page.choose_columns()
    assert page.result_list.density is Density.table
    header, menu = page.result_list.horizontalHeader(), page.result_list.findChild(QMenu)
    assert header.isSectionHidden(NUMBER["type"])
    menu.setActiveAction(next(one for one in menu.actions() if one.text() == "Type"))
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert not header.isSectionHidden(NUMBER["type"])

    header.resizeSection(NUMBER["authors"], 20)
    page.result_list.fit_columns()
    assert header.sectionSize(NUMBER["authors"]) > 60


def test_compact_cards_have_buttons_for_examples(page, qtbot):
    page.set_density(Density.compact)
    papers = page.result_list
    box = papers.visualRect(page.model.index(0, 0))
    minus = QPoint(box.right() - 24, box.center().y())
    with qtbot.waitSignal(papers.marked_irrelevant):
        qtbot.mouseClick(papers.viewport(), Qt.MouseButton.LeftButton, pos=minus)


@pytest.mark.parametrize("density", Density)
def test_list_text_of_another_size_changes_row_heights_at_once(page, appearance, density):
    page.set_density(density)
    page.result_list.go_to(1)
    normal = page.result_list.height_of_rows(1)
    appearance.resize_list_text(160)
    larger = page.result_list.height_of_rows(1)
    assert 1.3 * normal < larger < 1.7 * normal
    assert page.result_list.current() == page.model.listing.ids[1]
    appearance.resize_list_text(80)
    assert page.result_list.height_of_rows(1) < normal


def test_columns_are_resized_with_the_list_text(page, appearance):
    page.set_density(Density.table)
    header = page.result_list.horizontalHeader()
    header.resizeSection(NUMBER["venue"], 200)
    appearance.resize_list_text(150)
    assert header.sectionSize(NUMBER["venue"]) == 300
    page.set_density(Density.compact)
    appearance.resize_list_text(100)
    page.set_density(Density.table)
    assert header.sectionSize(NUMBER["venue"]) == 200


def test_list_text_keeps_the_first_visible_paper_when_resized(show_page, appearance):
    page = show_page(FakeGateway(papers=[paper(f"Paper {n}") for n in range(300)]))
    papers = page.result_list
    papers.set_scroll_position(papers.height_of_rows(100))
    appearance.resize_list_text(130)
    assert papers.rowAt(0) == 100


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_chips_of_a_selected_card_differ_from_its_color(theme):
    card = Card(paper(fields=("cs.CL",)), tags=("to read",), tag_colours={"to read": "blue"})
    fills = {mark.fill for mark in card_marks(card, theme.on_selected())}
    assert fills and all(contrast(fill, theme.selected) > 1.1 for fill in fills)
    assert contrast(theme.on_selected().track, theme.selected) > 1.1


def contrast(one, other):
    """The ratio of the luminances of two colors, as in WCAG."""

    def luminance(name):
        parts = (QColor(name).redF(), QColor(name).greenF(), QColor(name).blueF())
        parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), parts, strict=True)) + 0.05

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return bright / dark


def ink(page, row, height):
    """The dark pixels of the first lines of a card: their columns, and their number."""
    papers = page.result_list
    box = papers.visualRect(page.model.index(row, 0)).adjusted(26, 8, -12, 0)
    box.setHeight(height)
    picture = papers.viewport().grab(box).toImage()
    dark = [
        x
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixelColor(x, y).lightness() < 100
    ]
    return dark, picture.width()


def test_title_in_arabic_is_at_the_right_of_its_card(show_page, qtbot):
    page = show_page(FakeGateway(papers=[paper("Bees"), paper("الذكاء")]))
    qtbot.waitUntil(lambda: all(page.model.known(n) for n in (1, 2)))
    for title, is_left in (("Bees", True), ("الذكاء", False)):
        row = next(n for n in range(2) if page.model.card(n).paper.title == title)
        columns, width = ink(page, row, 16)
        assert columns and all((x < width // 2) is is_left for x in columns)


def test_title_in_chinese_is_as_bold_as_others():
    bold = for_script(scaled(ui_font(), 1.0, QFont.Weight.DemiBold), "分子")
    assert bold.weight() == QFont.Weight.Bold
    latin = scaled(ui_font(), 1.0, QFont.Weight.DemiBold)
    assert for_script(latin, "Molecules") == latin


def test_elided_text_fills_its_lines_and_has_no_further_one():
    font = scaled(ui_font(), 0.95)
    text = "the number 𝑝 of a prime 𝑞 and the ring 𝑅 " * 20
    for width in range(200, 700, 3):
        shown, layout = elided_layout(text, font, width, 2)
        assert layout.lineCount() == 2 and shown.endswith("…")
        assert layout.lineAt(1).naturalTextWidth() > 0.8 * width


def test_words_after_a_letter_of_two_units_are_highlighted_in_their_place(qapp):
    picture = QImage(600, 30, QImage.Format.Format_RGB32)

    def first_marked(text: str) -> int:
        """The first column of the highlight."""
        picture.fill(QColor("white"))
        painter = QPainter(picture)
        painter.setFont(ui_font())
        paint_marked_line(painter, picture.rect(), text, ["prime"], LIGHT)
        painter.end()
        mark = QColor(LIGHT.mark).rgb()
        return next(x for x in range(600) if any(picture.pixel(x, y) == mark for y in range(30)))

    front = "𝑝" * 9 + " "
    expected = QFontMetrics(for_script(ui_font(), front)).horizontalAdvance(front)
    assert first_marked(f"{front}prime number") == pytest.approx(expected, abs=4)

"""Letters of a page and their positions."""

from __future__ import annotations

from sciread_app.domain.annotations.page_text import PageText
from tests.support.ui.fakes.reader import LEFT, LETTER, LINE, TOP, WORDS, letters_of

PAGE = letters_of(WORDS)  # three lines: "Bees fly to", "flowers and", "home again"


def middle_of(word: str) -> tuple[float, float]:
    box = PAGE.box(WORDS.index(word))
    return (box.left + box.right) / 2, (box.top + box.bottom) / 2


def test_point_maps_to_nearest_letter_of_its_line():
    assert PAGE.nearest(*middle_of("fly")) == WORDS.index("fly")
    beyond = PAGE.nearest(900, TOP + LINE * 1.5)
    assert beyond == WORDS.index("and") + 2
    assert PAGE.nearest(900, 900, reach=6) is None


def test_selection_boundary_is_middle_of_a_letter():
    x, y = middle_of("fly")
    assert PAGE.boundary(x - 1, y) == WORDS.index("fly")
    assert PAGE.boundary(x + 1, y) == WORDS.index("fly") + 1


def test_words_and_lines_are_selected_whole():
    at = WORDS.index("lowers")
    assert WORDS[slice(*PAGE.word(at))] == "flowers"
    assert WORDS[slice(*PAGE.line(at))] == "flowers and"
    assert WORDS[slice(*PAGE.word(WORDS.index(" ")))] == " "


def test_selection_extends_to_whole_words():
    def whole(start: int, end: int) -> str:
        return WORDS[slice(*PAGE.whole_words(start, end))]

    fly, flowers = WORDS.index("fly"), WORDS.index("flowers")
    assert whole(fly + 1, flowers + 4) == "fly to\nflowers"
    assert whole(fly - 1, fly + 1) == " fly"  # spaces keep the selected boundary
    assert whole(fly, fly + 3) == "fly"
    assert PAGE.whole_words(fly + 1, fly + 1) == (fly + 1, fly + 1)


def test_selection_without_spaces_between_words_is_unchanged():
    text = "深度学习模型 deep"
    letters = PageText(text, [0.0] * 4 * len(text))
    assert letters.whole_words(2, 4) == (2, 4)
    assert letters.whole_words(2, 9) == (2, len(text))


def test_passage_has_one_box_per_line():
    boxes = PAGE.boxes(WORDS.index("fly"), WORDS.index("and"))
    assert [(box.left, box.top) for box in boxes] == [
        (LEFT + 5 * LETTER, TOP),
        (LEFT, TOP + LINE),
    ]
    assert boxes[0].right == LEFT + 11 * LETTER
    assert PAGE.boxes(3, 3) == ()

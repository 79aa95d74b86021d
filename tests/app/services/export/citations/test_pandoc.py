"""Citations compared with those of pandoc's citeproc, with the same styles and the same items.

recorded.json is what pandoc printed; record.py made it.
"""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from sciread_app.domain.clipboard_formats import STYLES
from sciread_app.services.export.citation_styles import built_in
from sciread_app.services.export.citations import Cited, render
from sciread_app.services.export.citeproc import Processor
from sciread_app.tasks import Task

HERE = Path(__file__).parent


def load(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text("utf-8"))


ITEMS = {item["id"]: [item] for item in load("items")} | load("groups")
RECORDED = load("recorded")["styles"]

# Deliberate differences from pandoc, and the text expected instead. `None`: only the order differs.
OURS_IS_RIGHT = {
    # Works of one author are ordered by their letters.
    ("apa", "letters"): "(Smith, 2019a, 2019b, 2019c)",
    ("chicago", "letters"): "(Smith 2019a, 2019b, 2019c)",
    # Both guides ignore the apostrophe when they sort: Oakes, Öberg, O'Neil.
    ("apa", "order"): "Oakes, 1999; Öberg, 1999; O’Neil, 2001",
    ("chicago", "order"): None,
    # Chinese names have no initials, and so no full stop.
    ("apa", "author-cjk"): "王小明, & 李雷. (2018).",
    ("ieee", "author-cjk"): "王小明 and 李雷, “深度学习综述,”",
    ("nature", "author-cjk"): "王小明 & 李雷. 深度学习综述.",
    # The style says “[Online]. Available:”, as the IEEE does; pandoc prints half of it.
    **{
        ("ieee", name): "[Online]. Available: https://"
        for name in ("thesis-master", "dataset-url", "preprint", "magazine")
    },
    # The style strips full stops, as the NLM does.
    ("vancouver", "author-suffix"): "King ML Jr, Smith J III.",
    # pandoc prints “, editorsDoe J, Roe R”.
    ("vancouver", "book-edited"): "Doe J, Roe R, editors. Handbook of memory.",
    ("vancouver", "book-edited-one"): "Doe J, editor. Essays on light.",
    ("vancouver", "proceedings"): "Long P, Ode N, editors. Proceedings",
    ("vancouver", "chapter"): "In: Doe J, Roe R, editors. Handbook of memory.",
    ("vancouver", "encyclopedia"): "In: Poe E, editor. Encyclopedia of physics.",
    ("vancouver", "conference-place"): "In: Guyon I, von Luxburg U, editors. Advances",
}
# Known differences where pandoc is right, or neither is wrong.
KNOWN_DIFFERENCES = {
    # Italics of a Chinese journal's name, which Chinese typography does not have.
    ("chicago", "author-cjk"): "“深度学习综述.” 计算机学报 41 (3)",
    # The first word within single quotation marks gets no capital.
    ("chicago", "title-quotes"): "What ‘meaning’ Means",
    # Curly quotation marks in a title stay double in a British style.
    ("nature", "title-quotes"): "The “right” answer",
}


@pytest.fixture(scope="module")
def processors() -> dict[str, Processor]:
    return {style: Processor(built_in(style)) for style in STYLES}


def read(html: str) -> str:
    return " ".join(unescape(html).split())  # also without no-break spaces


def references(of: Any) -> list[str]:
    return [text for text in map(read, of) if text]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ITEMS)
def test_citations_agree_with_pandoc(style, name, processors):
    cited = render(processors[style], ITEMS[name], Task())
    recorded = RECORDED[style][name]
    key = (style, name)
    if key in OURS_IS_RIGHT or key in KNOWN_DIFFERENCES:
        assert agree(cited, recorded) is False, "no difference any more"
        text = OURS_IS_RIGHT.get(key, KNOWN_DIFFERENCES.get(key))
        assert text is None or text in unescape("\n".join((cited.in_text, *cited.references)))
        return
    assert read(cited.in_text) == read(recorded["citation"])
    assert references(cited.references) == references(recorded["references"])


def agree(cited: Cited, recorded: dict[str, Any]) -> bool:
    return (read(cited.in_text), references(cited.references)) == (
        read(recorded["citation"]),
        references(recorded["references"]),
    )


def test_pandoc_comparison_covers_sixty_kinds_of_items():
    assert len(load("items")) >= 60 and set(RECORDED) == set(STYLES)
    assert len(OURS_IS_RIGHT) + len(KNOWN_DIFFERENCES) <= 0.05 * len(ITEMS) * len(STYLES)


def test_year_letters_continue_after_z(processors):
    cited = render(processors["apa"], ITEMS["letters-beyond-z"], Task())
    assert "2019z, 2019aa, 2019ab" in cited.in_text

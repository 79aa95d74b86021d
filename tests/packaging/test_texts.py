"""The list of all texts, which `make texts` writes."""

from __future__ import annotations

from texts import lines


def test_list_contains_texts_of_window_and_commands_once():
    found = list(lines())
    assert any(line.strip() == "## ui/search" for line in found)
    assert any(line.strip().startswith("## `sciread cite`") for line in found)
    assert any(line.startswith("- `--style`: ") for line in found)
    texts = [line for line in found if line.startswith("- ") and not line.startswith("- `")]
    assert "- {n:,} paper | {n:,} papers" in texts
    assert len(texts) == len(set(texts))

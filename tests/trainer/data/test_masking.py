import json

import numpy as np
import pytest

from trainer.data.token_blocks import apply_mask, mask_tokens, select_positions

SPECIAL = (0, 2, 3)


@pytest.mark.parametrize("share", [0.15, 0.5])
def test_masking_matches_the_reference_example(shared, share):
    case = json.loads((shared / "golden" / "mlm_dynamic_masking.json").read_text())
    given, expected = case["inputs"], case["expected"][f"p_{share}"]
    ids, u, v, words = (
        np.concatenate(given[name]) for name in ("input_ids", "u", "v", "random_tokens")
    )
    selected = select_positions(ids, given["special_ids"], share, u)
    found = apply_mask(ids, selected, given["mask_id"], v[selected], words[selected])

    labels = np.full(len(ids), -100)
    labels[selected] = ids[selected]
    assert found.ids.tolist() == np.concatenate(expected["input_ids"]).tolist()
    assert labels.tolist() == np.concatenate(expected["labels"]).tolist()


def mask_examples(key, examples=2_000, length=500, **values):
    numbers = np.repeat(np.arange(examples), length)
    places = np.tile(np.arange(length), examples)
    ids = 5 + (numbers * 31 + places * 7) % 995
    ids[::length], ids[length - 1 :: length] = 2, 3
    settings = {"special": SPECIAL, "mask": 4, "vocabulary": 1_000} | values
    return ids, mask_tokens(ids, numbers, places, key, **settings)


def test_masking_selects_15_percent_and_replaces_80_10_10():
    ids, found = mask_examples(1)
    words = ids >= 5
    assert found.selected.size / words.sum() == pytest.approx(0.15, abs=0.002)
    before, after = ids[found.selected], found.ids[found.selected]
    assert (after == 4).mean() == pytest.approx(0.8, abs=0.01)
    # One in a thousand of the random words is by chance the same, or [MASK].
    assert ((after != 4) & (after != before)).mean() == pytest.approx(0.1, abs=0.01)
    assert (after == before).mean() == pytest.approx(0.1, abs=0.01)


def test_special_tokens_are_never_masked_and_others_unchanged():
    ids, found = mask_examples(1)
    assert not np.isin(ids[found.selected], SPECIAL).any()
    rest = np.ones(len(ids), bool)
    rest[found.selected] = False
    assert (found.ids[rest] == ids[rest]).all()


def test_random_words_cover_the_whole_vocabulary():
    ids, found = mask_examples(1, share=0.9)
    after = found.ids[found.selected]
    drawn = after[(after != 4) & (after != ids[found.selected])]
    # All except [MASK], which was left out above.
    assert np.delete(np.bincount(drawn, minlength=1_000), 4).min() > 0
    assert drawn.max() < 1_000


def test_masks_depend_on_the_key():
    _, first = mask_examples(1, examples=20)
    _, again = mask_examples(1, examples=20)
    _, second = mask_examples(2, examples=20)
    assert first.selected.tolist() == again.selected.tolist()
    both = len(set(first.selected.tolist()) & set(second.selected.tolist()))
    assert both / len(first.selected) == pytest.approx(0.15, abs=0.05)


def test_masks_of_an_example_are_independent_of_its_batch():
    ids = np.arange(5, 105)
    places = np.arange(100)
    settings = {"special": SPECIAL, "mask": 4, "vocabulary": 1_000}
    alone = mask_tokens(ids, np.full(100, 7), places, 3, **settings)
    batch = mask_tokens(
        np.tile(ids, 3), np.repeat([2, 7, 9], 100), np.tile(places, 3), 3, **settings
    )
    assert batch.ids[100:200].tolist() == alone.ids.tolist()
    assert batch.ids[:100].tolist() != alone.ids.tolist()

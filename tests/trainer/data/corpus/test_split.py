"""The split of papers into training, validation and test parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generate.corpus import make_corpus
from trainer.contract.errors import TrainerError
from trainer.data.corpus.corpus import Corpus, Split, split_of
from trainer.data.corpus.split import SplitRule, may_have_learned


def ids(path: Path, *names: str) -> Path:
    path.write_text("".join(f"{name}\n" for name in names))
    return path


def named(corpus: Corpus, part: Split) -> list[str]:
    return [corpus.id(row) for row in corpus.rows(part)]


def test_default_split_is_85_5_10(tmp_path: Path) -> None:
    usual = make_corpus(tmp_path / "usual", 40)
    same = make_corpus(tmp_path / "same", 40, split=SplitRule.of("85/5/10"))
    assert (usual.sha256, usual.split_by) == (same.sha256, same.split_by)
    assert usual.split_by == "85/5/10"


def test_all_papers_can_be_training_papers(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "all", 200, split=SplitRule.of("all"))
    assert len(corpus.rows(Split.train)) == 200
    assert corpus.split_by == "100/0/0"
    assert corpus.sha256 != make_corpus(tmp_path / "usual", 200).sha256


@given(st.integers(1, 100), st.integers(0, 99), st.text())
def test_split_by_hash_never_uses_a_part_of_zero_share(
    train: int, validation: int, name: str
) -> None:
    validation = min(validation, 100 - train)
    rule = SplitRule.of(f"{train}/{validation}/{100 - train - validation}")
    part = split_of(name, rule.shares)
    assert rule.shares[part] > 0
    assert SplitRule.of(rule.described).shares == rule.shares


@pytest.mark.parametrize(
    "expected", ["", "some", "85/5", "85/5/5", "0/50/50", "-5/5/100", "nan/0/0"]
)
def test_invalid_shares_are_refused(expected: str) -> None:
    with pytest.raises(TrainerError, match="not a valid split"):
        SplitRule.of(expected)


def test_named_test_set_is_exact(tmp_path: Path) -> None:
    usual = make_corpus(tmp_path / "usual", 200)
    mine = ["p00003", "p00004", "p00150"]
    messages: list[tuple[str, ...]] = []
    rule = SplitRule.of(test=ids(tmp_path / "mine.txt", *mine, "unheard", ""))
    corpus = make_corpus(
        tmp_path / "mine", 200, split=rule, report=lambda *problem: messages.append(problem)
    )
    assert named(corpus, Split.test) == mine
    kept = set(named(usual, Split.validation)) - set(mine)
    assert set(named(corpus, Split.validation)) == kept
    assert [problem[:2] for problem in messages] == [("papers listed for test", "unheard")]
    assert corpus.split_by.startswith("85/5/10, test named ")


def test_named_validation_and_test_papers_leave_the_rest_for_training(tmp_path: Path) -> None:
    rule = SplitRule.of(
        "all", ids(tmp_path / "v", "p00001", "p00002"), ids(tmp_path / "t", "p00007")
    )
    corpus = make_corpus(tmp_path / "corpus", 40, split=rule)
    assert named(corpus, Split.validation) == ["p00001", "p00002"]
    assert named(corpus, Split.test) == ["p00007"]
    assert len(corpus.rows(Split.train)) == 37


def test_invalid_named_papers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainerError, match="p00001 is listed for both validation and test"):
        SplitRule.of("all", ids(tmp_path / "v", "p00001"), ids(tmp_path / "t", "p00001"))
    with pytest.raises(TrainerError, match="contains no IDs"):
        SplitRule.of(test=ids(tmp_path / "empty", "", " "))
    with pytest.raises(TrainerError, match="nowhere"):
        SplitRule.of(test=tmp_path / "nowhere")
    rule = SplitRule.of(test=ids(tmp_path / "other", "q1", "q2"))
    with pytest.raises(TrainerError, match="none of the 2 papers listed for test"):
        make_corpus(tmp_path / "corpus", 40, split=rule)
    assert not (tmp_path / "corpus").exists()


def test_split_all_drops_no_citations(tmp_path: Path) -> None:
    cites = [(row, row + far) for row in range(90) for far in (1, 3)]
    usual = make_corpus(tmp_path / "usual", 100, cites)
    whole = make_corpus(tmp_path / "whole", 100, cites, split=SplitRule.of("all"))
    crossing = [usual.split[a] != usual.split[b] for a, b in cites]
    assert np.count_nonzero(crossing) > 10
    assert (whole.split == Split.train).all()


@pytest.mark.parametrize(
    ("learned", "tested", "may"),
    [
        ("85/5/10", "85/5/10", False),
        ("85/5/10", "80/5/15", True),
        ("80/5/15", "85/5/10", False),
        ("100/0/0", "85/5/10", True),
        ("85/5/10", "90/0/10", False),
        ("85/5/10, test named 1a2b3c4d", "85/5/10", True),
        ("85/5/10", "85/5/10, test named 1a2b3c4d", True),
        ("of a later version", "85/5/10", True),
    ],
)
def test_may_have_learned_compares_split_rules(learned: str, tested: str, may: bool) -> None:
    assert may_have_learned(learned, tested) is may
    # If it is ruled out, no paper is tested by one rule and trained on by the other.
    if not may:
        ours, theirs = (SplitRule.of(rule).shares for rule in (learned, tested))
        for number in range(2_000):
            if split_of(f"p{number}", theirs) is Split.test:
                assert split_of(f"p{number}", ours) is Split.test

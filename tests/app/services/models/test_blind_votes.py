"""Blind votes on two models: one per question, with the statistical uncertainty of the result."""

from __future__ import annotations

import random

import pytest

from sciread_app.domain.votes import Question
from sciread_app.errors import LibraryError
from sciread_app.services.models.blind_votes import BlindVotes, VoteTally, tally_text
from sciread_app.storage.library import Library


@pytest.fixture
def votes(library) -> BlindVotes:
    return BlindVotes(library)


def cast(votes, *betters, one="ours", other="starter"):
    for n, better in enumerate(betters):
        votes.cast(Question(f"question {n}"), one, other, better)
    return votes.between(one, other)


def test_votes_are_counted_by_pair_in_any_order(votes):
    votes.cast(Question("bees"), "ours", "starter", "ours")
    votes.cast(Question(paper=7), "starter", "ours", "starter")
    votes.cast(Question("wasps"), "starter", "ours", "")
    votes.cast(Question("bees"), "ours", "theirs", "theirs")
    assert votes.between("starter", "ours") == VoteTally("ours", "starter", 1, 1, 1)
    assert votes.between("theirs", "ours") == VoteTally("ours", "theirs", 0, 1, 0)
    assert [tally.questions for tally in votes.all()] == [3, 1]
    assert votes.between("starter", "theirs").questions == 0


def test_repeated_question_counts_once_with_last_answer(votes):
    for query, better in (("Bees", "ours"), (" bees ", "ours"), ("bees", "starter")):
        votes.cast(Question(query), "ours", "starter", better)
    assert votes.between("ours", "starter") == VoteTally("ours", "starter", 0, 1, 0)


def test_last_votes_on_a_pair_can_be_undone(votes):
    votes.cast(Question("bees"), "ours", "starter", "ours")
    votes.cast(Question(paper=7), "starter", "ours", "")
    votes.cast(Question("bees"), "ours", "theirs", "ours")
    assert votes.take_back("ours", "starter") == Question(paper=7)
    assert votes.between("ours", "starter") == VoteTally("ours", "starter", 1, 0, 0)
    assert votes.take_back("starter", "ours") == Question("bees")
    assert votes.take_back("starter", "ours") is None
    assert votes.between("ours", "theirs").questions == 1


def test_votes_survive_reopening_the_library(votes, library):
    cast(votes, "ours", "")
    again = Library(library.path)
    assert BlindVotes(again).between("ours", "starter") == VoteTally("ours", "starter", 1, 0, 1)
    again.close()


def test_votes_follow_model_when_its_folder_is_renamed(library):
    spaces = {"ours": "a1", "starter": "b2"}
    votes = BlindVotes(library, lambda: spaces)
    cast(votes, "ours", "ours", "")
    spaces |= {"renamed": spaces.pop("ours")}
    assert votes.between("starter", "renamed") == VoteTally("renamed", "starter", 2, 0, 1)
    assert votes.all() == [VoteTally("renamed", "starter", 2, 0, 1)]

    spaces["ours"] = "c3"  # another model takes the name
    assert votes.between("ours", "starter").questions == 0
    assert votes.take_back("ours", "starter") is None
    votes.cast(Question("moths"), "ours", "starter", "starter")
    assert votes.between("renamed", "starter") == VoteTally("renamed", "starter", 2, 0, 1)

    del spaces["renamed"]
    assert votes.all() == [
        VoteTally("ours@a1", "starter", 2, 0, 1),
        VoteTally("ours", "starter", 0, 1, 0),
    ]
    del spaces["ours"]
    assert [tally.first for tally in votes.all()] == ["ours", "ours"]


def test_leading_model_stays_after_renaming(library):
    spaces = {"a": "a1", "m": "b2"}
    votes = BlindVotes(library, lambda: spaces)
    votes.cast(Question("bees"), "a", "m", "a")
    spaces |= {"z": spaces.pop("a")}
    assert votes.between("z", "m") == VoteTally("m", "z", 0, 1, 0)
    assert votes.all()[0].ahead == "z"


def test_invalid_vote_is_refused(votes):
    with pytest.raises(LibraryError):
        votes.cast(Question("bees"), "ours", "ours")
    with pytest.raises(LibraryError):
        votes.cast(Question("bees"), "ours", "starter", "theirs")
    assert votes.all() == []


@pytest.mark.parametrize(
    ("first", "second", "luck"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 5, 1.0),
        (8, 0, 9 / 256),
        (9, 1, 110 / 1024),
        (10, 0, 11 / 1024),
    ],
)
def test_luck_is_two_sided_probability(first, second, luck):
    assert VoteTally("a", "b", first, second, 3).luck == pytest.approx(luck)
    assert VoteTally("a", "b", second, first).luck == pytest.approx(luck)


def test_optional_stopping_has_at_most_five_percent_false_positives():
    chance, trials, result = random.Random(4), 1_000, 0
    for _ in range(trials):
        first = 0
        for n in range(1, 101):
            first += chance.random() < 0.5
            if VoteTally("a", "b", first, n - first).luck <= 0.05:
                result += 1
                break
    assert 0 < result / trials <= 0.05


def test_vote_summary_grows_more_certain_with_votes(votes):
    titles = {"ours": "Ours", "starter": "MiniLM"}.__getitem__
    assert tally_text(votes.between("ours", "starter"), titles).startswith("No votes")
    few = tally_text(cast(votes, "ours"), titles)
    assert few == (
        "Blind votes on 1 search: 1 for Ours, 0 for MiniLM, 0 for neither. "
        "Ours leads, but there are too few votes to rule out chance."
    )
    assert tally_text(cast(votes, *["ours"] * 6), titles).endswith("in up to 11% of blind tests.")
    many = tally_text(cast(votes, *["ours"] * 9, ""), titles)
    assert "9 for Ours, 0 for MiniLM, 1 for neither. Ours is significantly better:" in many
    assert many.endswith("in at most 2% of blind tests.")
    assert "at most 1% of" in tally_text(VoteTally("ours", "starter", 2, 20), titles)
    assert tally_text(VoteTally("ours", "starter", 2, 2), titles).endswith("The votes are tied.")

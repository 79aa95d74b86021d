"""Names of groups on the map: phrases of titles."""

from __future__ import annotations

import numpy as np
import pytest

from sciread_app.services.map.group_names import GroupNamer


def names(*groups, abstracts=()):
    titles = [title for group in groups for title in group]
    labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups]).astype(np.int16)
    return GroupNamer(titles, abstracts).names(labels, len(groups))


HOLES = [
    "Entropy of black holes in three dimensions",
    "The growth of black holes",
    "A black hole at the centre of the galaxy",
    "Black-hole mergers and their spins",
]
BERT = [
    "Fine-tuning BERT for long documents",
    "What does BERT look at",
    "On the geometry of BERT",
    "Compression of BERT without loss",
]
GAUSS = [
    "Deep Gaussian processes",
    "Sparse inference with Gaussian processes",
    "A Gaussian process for wind speeds",
    "Calibration of Gaussian processes",
]


def test_name_is_phrase_in_papers_spelling():
    assert names(HOLES, BERT, GAUSS) == ["Black holes", "BERT", "Gaussian processes"]


def test_plural_singular_and_hyphen_are_counted_as_one_phrase():
    titles = ["Random walk on trees", "Random walks in cities", "A random-walk for maps"]
    assert names(titles, BERT) == ["Random walk", "BERT"]


def test_phrase_names_a_group_before_a_slightly_better_word():
    ice = [f"Ice formation on {where}" for where in ("wings", "clouds", "lakes")]
    piles = [f"On {what} of a sandpile" for what in ("waves", "grains", "cells", "risk", "flow")]
    assert names([*ice, *piles], BERT)[0].startswith("Ice formation")
    others = [f"On {what} of a sandpile" for what in ("slopes", "dust", "heat", "age", "salt")]
    assert names([*ice, *piles, *others], BERT)[0] == "Sandpile"


def test_name_begins_and_ends_at_content_words():
    for name in names(HOLES, BERT, GAUSS):
        assert name.split()[0].lower() not in ("the", "of", "a", "on")
        assert name.split()[-1].lower() not in ("the", "of", "a", "on")


def test_incomplete_phrase_is_not_a_name():
    found = names([f"Two-dimensional {what} lattices" for what in ("spin", "ice", "gas")], BERT)
    assert "dimensional" not in found[0]
    assert found[0] == "Lattices"


def test_word_in_title_case_is_written_as_in_running_text():
    titles = [
        "Deep Word Embeddings for All",
        "Word Embeddings Revisited",
        "A note on word embeddings",
    ]
    assert names(titles, BERT)[0] == "Word embeddings"


def test_acronym_with_lower_case_letter_keeps_its_spelling():
    titles = ["Sleep in fMRI", "Decoding of speech from fMRI", "Noise of fMRI at rest"]
    assert names(titles, BERT)[0] == "fMRI"


def test_phrase_equally_frequent_everywhere_names_no_group():
    groups = [
        [f"Neural networks for {what}" for what in group]
        for group in (("cats", "tea", "rain"), ("ships", "jam", "snow"))
    ]
    assert names(*groups) == ["", ""]


def test_two_phrases_of_a_name_share_no_word():
    titles = [
        *HOLES,
        "Neutron stars",
        "Cooling of neutron stars",
        "Old neutron stars",
        "Spin of neutron stars",
        "Dust of comets",
    ]
    first, second = names(titles, BERT, GAUSS)[0].casefold().split(", ")
    assert {first, second} == {"black holes", "neutron stars"}


def test_single_word_is_not_added_to_a_name():
    titles = [*HOLES, "Quasars", "Lensed quasars", "Dust of quasars", "Quasars at dawn"]
    assert names(titles, BERT, GAUSS)[0] == "Black holes"


def test_accents_of_latex_do_not_split_a_word():
    titles = [f'Schr{{\\"o}}dinger operators on {what}' for what in ("trees", "lines", "cones")]
    assert names([*titles, 'A Schr\\"odinger operator'], BERT)[0] == "Schrödinger operators"


def test_levels_of_groups_get_different_names():
    titles = [*HOLES, *HOLES, *BERT]
    namer = GroupNamer(titles)
    coarse = namer.names(np.array([0] * 8 + [1] * 4, np.int16), 2)
    fine = namer.names(np.array([0] * 4 + [1] * 4 + [2] * 4, np.int16), 3)
    assert fine[2] == coarse[1]  # the same papers
    other = [name for name in (*coarse, *fine[:2]) if name]
    assert len(set(other)) == len(other)


def test_abstracts_help_where_titles_have_nothing_in_common():
    titles = ["Anyons in wires", "Two tales", "Seven", "Frogs", "Newts", "Ponds"]
    anyons = "Majorana modes in wires are braided."
    frogs = "The calls of male amphibians."
    found = names(titles[:3], titles[3:], abstracts=[anyons] * 3 + [frogs] * 3)
    assert found[0] == "Majorana modes"
    assert "amphibians" in found[1]


@pytest.mark.parametrize(
    ("titles", "name"),
    [
        (
            [
                "Verschränkte Photonen und die Zeit",
                "Quelle für verschränkte Photonen",
                "Messung der verschränkten Photonen",
            ],
            "Verschränkte Photonen",
        ),
        (
            [
                "Apprentissage des réseaux de neurones",
                "Les réseaux de neurones",
                "Théorie des réseaux de neurones",
            ],
            "Réseaux de neurones",
        ),
    ],
)
def test_titles_in_other_languages_give_phrases(titles, name):
    found = names(titles, BERT)[0]
    assert found.split(",")[0] in (name, name.split()[-1], name.lower())


def test_group_without_papers_has_no_name():
    labels = np.zeros(len(BERT), np.int16)
    assert GroupNamer(BERT).names(labels, 2) == ["BERT", ""]


def test_no_papers_give_no_names():
    assert GroupNamer([]).names(np.zeros(0, np.int16), 1) == [""]

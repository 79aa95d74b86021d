"""Groups of papers on a map, coarse and fine, and what their titles call them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.query.parser import STOP_WORDS

Labels = NDArray[np.int16]

_FINE_MOST, _COARSE_MOST = 120, 12
_WORDS = 3  # of a name, at most
_LOOKED_AT = 6  # words, the best of a group, that may get into its name
_RAREST = 2  # titles of a group that a word must stand in
_WHOLE = 0.5  # share of a word's worth from which on a phrase with it takes its place
_TOGETHER = 0.35  # share of a word's titles in which it stands beside another, to go with it

# Words of titles that say what kind of paper it is, and not what about.
_GENERIC_WORDS = """
    analysis application applications approach approaches based case certain class comment
    comparison data de der des die effect effects efficient et evidence extended fast first
    framework from general generalized high ii iii improved introduction la large le les low
    method methods model modeling models multi new non note novel on one paper part performance
    problem problems proof properties recent remarks report research result results review
    revisited role simple small some state studies study survey system systems techniques theory
    three topic topics toward towards two types und use used using via
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())
_NOT_TEXT = re.compile(r"\$[^$]*\$|\\[a-zA-Z]+|<[^>]*>")
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")


def how_many(papers: int) -> tuple[int, int]:
    """Coarse and fine groups for so many papers."""
    fine = int(np.clip(round((papers / 3) ** 0.5), 3, _FINE_MOST))
    coarse = int(np.clip(round(1.2 * np.log2(max(papers, 8) / 8)), 3, _COARSE_MOST))
    return min(coarse, fine), fine


def group(points: NDArray[np.float32]) -> tuple[NDArray[np.float32], Labels]:
    """Centres of fine groups, and which coarse group each belongs to."""
    from sklearn.cluster import AgglomerativeClustering, KMeans
    from threadpoolctl import threadpool_limits

    coarse, fine = how_many(len(points))
    fine = min(fine, len(np.unique(points, axis=0)))
    with threadpool_limits(1):  # the window wants a core
        found = KMeans(fine, n_init=2, random_state=0).fit(points)
        centres = found.cluster_centers_.astype(np.float32)
        if fine <= coarse:
            return centres, np.arange(fine, dtype=np.int16)
        parents = AgglomerativeClustering(coarse, linkage="ward").fit_predict(centres)
    return centres, parents.astype(np.int16)


def nearest_group(points: NDArray[np.float32], centres: NDArray[np.float32]) -> Labels:
    far = np.einsum("ij,ij->i", centres, centres) - 2 * (points @ centres.T)
    labels: Labels = far.argmin(axis=1).astype(np.int16)
    return labels


def names(titles: Sequence[str], labels: Labels, count: int) -> list[str]:
    """A name for each of `count` groups: two or three words that stand in its titles much more
    often than in others', no name twice. Empty where the titles say nothing."""
    within = [Counter[str]() for _ in range(count)]
    for title, label in zip(titles, labels.tolist(), strict=True):
        within[label].update(_terms(title))
    everywhere = sum(within, Counter[str]())
    sizes = np.bincount(labels, minlength=count).tolist()
    forms = _forms(titles)
    taken: set[str] = set()
    named = [""] * count
    for label in sorted(range(count), key=lambda label: -sizes[label]):
        worth = _worth(within[label], everywhere, sizes[label], len(titles))
        named[label] = _name(worth, within[label], forms, taken)
        taken.add(named[label])
    return named


def heart(places: NDArray[np.float32]) -> tuple[float, float]:
    """Where a group lies most densely: its middle may be where none of it is."""
    low, size = places.min(axis=0), max(float(np.ptp(places, axis=0).max()), 1e-9)
    cells = ((places - low) / size * 7.999).astype(np.int64)
    flat = cells[:, 0] * 8 + cells[:, 1]
    fullest = np.bincount(flat, minlength=64).argmax()
    near = np.abs(cells - [fullest // 8, fullest % 8]).max(axis=1) <= 1
    x, y = np.median(places[near], axis=0).tolist()
    return x, y


def _terms(title: str) -> set[str]:
    """Telling words of a title in one form each, and pairs of them that stand side by side."""
    words = [_one_form(word.lower()) for word in _WORD.findall(_NOT_TEXT.sub(" ", title))]
    telling = [word if _tells(word) else "" for word in words]
    pairs = pairwise(telling)
    return {word for word in telling if word} | {f"{a} {b}" for a, b in pairs if a and b}


def _tells(word: str) -> bool:
    return len(word) > 2 and word not in STOP_WORDS and word not in _GENERIC


def _one_form(word: str) -> str:
    """Plural and singular alike; not meant to be read."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("sses"):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _forms(titles: Sequence[str]) -> dict[str, str]:
    """How each word is mostly written, in small letters but for such as DNA."""
    seen: dict[str, Counter[str]] = {}
    for title in titles:
        for word in _WORD.findall(_NOT_TEXT.sub(" ", title)):
            shown = word if sum(letter.isupper() for letter in word) > 1 else word.lower()
            seen.setdefault(_one_form(word.lower()), Counter())[shown] += 1
    return {form: shown.most_common(1)[0][0] for form, shown in seen.items()}


def _worth(
    within: Counter[str], everywhere: Counter[str], size: int, total: int
) -> list[tuple[str, float]]:
    """Terms of a group by how much they tell it from the rest, best first."""
    least = max(_RAREST, size // 50)
    found = [
        (term, times * float(np.log((times / size) / (everywhere[term] / total))))
        for term, times in within.items()
        if times >= least or size < 2 * least
    ]
    worth = dict(found)
    for term, value in found:
        # A phrase takes the place of its words where it says nearly as much.
        for word in term.split() if " " in term else ():
            if value >= _WHOLE * worth.get(word, 0):
                worth.pop(word, None)
    return sorted(worth.items(), key=lambda item: (-item[1], item[0]))


def _name(
    worth: list[tuple[str, float]], within: Counter[str], forms: dict[str, str], taken: set[str]
) -> str:
    """The best two or three words that are no other group's name, phrases in their order."""
    parts: list[str] = []
    for term, value in worth[:_LOOKED_AT]:
        if value <= 0 or any(word in " ".join(parts).split() for word in term.split()):
            continue
        tried = _joined(parts, term, within)
        # Two are enough; what makes a phrase of one of them is still welcome.
        if len(tried) > 2 or sum(len(part.split()) for part in tried) > _WORDS:
            continue
        if len(tried) == 1 or _sentence(tried, forms) not in taken:
            parts = tried
    name = _sentence(parts, forms)
    return "" if name in taken else name


def _joined(parts: list[str], term: str, within: Counter[str]) -> list[str]:
    """With one more term, as a phrase where they mostly stand side by side."""
    for n, part in enumerate(parts):
        for phrase in (f"{part} {term}", f"{term} {part}"):
            if within[phrase] > _TOGETHER * min(within[part], within[term]):
                return [*parts[:n], phrase, *parts[n + 1 :]]
    return [*parts, term]


def _sentence(parts: list[str], forms: dict[str, str]) -> str:
    text = ", ".join(" ".join(forms.get(word, word) for word in part.split()) for part in parts)
    return text[:1].upper() + text[1:]

"""The stem of an English word, as in the text index.

Porter, "An algorithm for suffix stripping" (1980), in the version of SQLite's tokenizer `porter`,
which a test compares it with; other implementations differ in some words (topology, assembly).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

_LONGEST = 64  # bytes; longer tokens are left as they are, as are those of one or two

# Suffixes and their replacements; the first that matches counts.
_STEP_2 = (
    *(("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize")),
    *(("logi", "log"), ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e")),
    *(("ousli", "ous"), ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al")),
    *(("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al")),
    *(("iviti", "ive"), ("biliti", "ble")),
)
_STEP_3 = (
    *(("ical", "ic"), ("ness", ""), ("icate", "ic"), ("iciti", "ic"), ("ful", "")),
    *(("ative", ""), ("alize", "al")),
)
_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion"),
    *("ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a word in lower case."""
    if not 2 < len(word.encode()) <= _LONGEST:
        return word
    word = _past_and_participle(_plural(word))
    if word[-1:] == "y" and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(_replaced(word, _STEP_2), _STEP_3)
    word = _without_suffix(word)
    if word[-1:] == "e":
        stemmed = word[:-1]
        if _measure(stemmed) > 1 or (_measure(stemmed) == 1 and not _ends_cvc(stemmed)):
            word = stemmed
    if word[-2:] == "ll" and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


def _plural(word: str) -> str:
    if word.endswith("es"):
        if word.endswith(("sses", "ies")) and word not in ("sses", "ies"):
            return word[:-2]
        return word[:-1]
    return word[:-1] if word.endswith("s") and word[-2] != "s" else word


def _past_and_participle(word: str) -> str:
    if word.endswith("eed") and len(word) > 3:
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        if len(word) > len(suffix) and word.endswith(suffix):
            stemmed = word.removesuffix(suffix)
            return _completed(stemmed) if _has_vowel(stemmed) else word
    return word


def _completed(word: str) -> str:
    """The stem of a participle, with its lost ending restored."""
    if len(word) > 2 and word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and word[-1] not in "aeioulsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_cvc(word) else word


def _replaced(word: str, suffixes: tuple[tuple[str, str], ...]) -> str:
    for suffix, other in suffixes:
        if len(word) > len(suffix) and word.endswith(suffix):
            stemmed = word.removesuffix(suffix)
            return stemmed + other if _measure(stemmed) else word
    return word


def _without_suffix(word: str) -> str:
    for suffix in _STEP_4:
        if len(word) > len(suffix) and word.endswith(suffix):
            stemmed = word.removesuffix(suffix)
            fits = suffix != "ion" or stemmed[-1] in "st"
            return stemmed if fits and _measure(stemmed) > 1 else word
    return word


def _consonants(word: str) -> list[bool]:
    """For each letter whether it is a consonant; y is one unless it follows one."""
    found, consonant = [], False
    for letter in word:
        consonant = letter not in "aeiou" and not (consonant and letter == "y")
        found.append(consonant)
    return found


def _measure(word: str) -> int:
    """The number of times a consonant follows a vowel."""
    kinds = _consonants(word)
    return sum(not one and two for one, two in pairwise(kinds))


def _has_vowel(word: str) -> bool:
    return any(letter in "aeiou" or (letter == "y" and n > 0) for n, letter in enumerate(word))


def _ends_cvc(word: str) -> bool:
    """Whether a word ends in consonant, vowel, consonant, where the last is not w, x or y."""
    return word[-1:] not in ("w", "x", "y") and _consonants(word)[-3:] == [True, False, True]

"""Words of names, of affiliations and of places."""

from __future__ import annotations

import re
from functools import cache

from sciread_app.formats.pdf.metadata.text_cleanup import letters_of
from sciread_app.paths import resource

_PLACE = -6.0  # the score of a place whose name is rarely a person's
_HIGHEST = 25.0

AFFILIATION = re.compile(
    r"""universi|univ\.|institut|istitut|instytut|\binst\.|depart|dépt|\bdept|\bdpto|dipartim|laborat|\blabs?\b|colleg|school
    |\bcent(?:er|re|ro)\b|\bzentrum|facult|fakult|facolt|wydzia|kafedr|academ|akadem|hospital|klinik|clinic|infirmary
    |\binc\b|gmbh|\bltd\b|\bllc\b|\bcorp|company|\bs\.?p\.?a\.?$|research|national|observator|polytech|politec|politéc
    |hochschule|\bécole\b|\becole\b|escuela|escola|scuola|foundation|ministry|agency|council
    |division|\bsection\s+of|\bunit\b|group$|programme?\b|society|association|museum|\bmedicin|\bscience|\bsciences
    |engineering|mathemati|physics|physik|chemistry|biology|statisti|informati[ck]|computer|technolog|technion
    |\bcnrs\b|\bcea\b|\binria\b|\binserm\b|\bumr\b|\binfn\b|\bcern\b|\bepfl\b|\beth\b|\bmit\b|\bnasa\b|\bnist\b|\bucla\b
    |\bdesy\b|\bfermilab\b|\bslac\b|\bibm\b|\bgoogle\b|\bmicrosoft\b|\bfacebook\b|\bdeepmind\b|\bopenai\b|\bamazon\b
    |\bmeta\b|\bnvidia\b|\bbell\b.*\blabs|\bstreet\b|\bst\.$|\bstr\.|stra(?:ss|ß)e\b|(?-i:\brue\b)|\bavenue\b|\bave\.|\broad\b
    |\bbox\b|\bcampus\b|\bparis\s\d|\bcedex\b|\busa\b|\bu\.s\.a|\buk\b|u\.k\.|\bp\.?\s?r\.?\s?china|republic\b|kingdom\b
    |united\s+states|\b(?:germany|france|italy|spain|china|japan|canada)\b|россия|университет|институт|факультет
    |大学|学院|研究|系|实验室|中国""",
    re.I | re.X,
)
DEGREE = re.compile(
    r"""(?:m\.?\s?d|ph\.?\s?d|d\.?\s?phil|m\.?\s?sc?|b\.?\s?sc?|m\.?p\.?h|m\.?b\.?a|dr\.?p\.?h|sc\.?\s?d|ll\.?m|j\.?d|r\.?n
    |pharm\.?d|d\.?v\.?m|m\.?b\.?b\.?s|mb|bs|ba|m\.?a|m\.?eng|dr(?:\.?-?ing)?|prof|frcp\w*|facp|facs|facc|faha|fesc|mrcp|cand|dipl
    |(?:(?:senior|student|graduate|life|associate)\s+)*(?:member|fellow)|ieee|acm|osa|spie|siam|aiaa|asme)\.?""",
    re.I | re.X,
)
PARTICLES = frozenset((
    "van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "das", "do", "du", "la",
    "le", "el", "al", "bin", "ibn", "ben", "ter", "ten", "zu", "zum", "zur", "af", "av", "y", "e",
    "i", "op", "'t", "’t", "vom", "st.", "dello", "degli", "mac", "mc",
))  # fmt: skip
_INITIALS = re.compile(
    r"(?:[^\W\d_a-zà-þß]\.?[-‐‑’']?){1,4}|[^\W\d_a-zà-þß][a-z]?\.(?:[-‐‑]?[^\W\d_]\.)*"
)


@cache
def _scores() -> dict[str, float]:
    scores = {}
    for line in resource("name_words.txt").read_text(encoding="utf-8").splitlines():
        word, _, score = line.partition(" ")
        scores[word] = _PLACE if score == "p" else min(_HIGHEST, float(score))
    return scores


@cache
def word_score(word: str) -> float | None:
    """How much likelier a word is in a name than in a text, in decibels; None if unknown.

    The parts of a double name count as words: Jean-Philippe is Jean and Philippe.
    """
    parts = [letters_of(part) for part in re.split(r"[-‐‑'’.\s]+", word)]
    known = [_scores()[part] for part in parts if part in _scores() and len(part) > 1]
    return max(known) if known else None


def is_initials(word: str) -> bool:
    """J., J.-P., J.P., JP."""
    return bool(_INITIALS.fullmatch(word))

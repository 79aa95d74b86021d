"""Whether to use a model for search, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sciread_app.language import tr, trn
from sciread_app.services.models.model_card import CardScore, balance


class Recommendation(NamedTuple):
    """The result of an evaluation in a sentence, and whether it is to `use` the model."""

    sentence: str
    use: bool


def recommendation(scores: Sequence[CardScore], *, base_in_use: bool) -> Recommendation:
    """Compare a model with its base model.

    `base_in_use`: the base is the active model, so that the result tells whether to switch.
    Without a measure that both have, the sentence is empty.
    """
    n, better, worse, few = balance(scores)
    other = tr("the model in use") if base_in_use else tr("its base model")
    if not n:
        sentence = tr("Too few papers to tell whether this model is better than {other}.",
                  other=other)  # fmt: skip
        return Recommendation(sentence if few else "", use=False)
    if not better and not worse:
        sentence = trn(
            "No significant difference from {other} ({n} measure compared).",
            "No significant difference from {other} ({n} measures compared).",
            n, other=other,
        )  # fmt: skip
    elif not worse and base_in_use:
        sentence = trn(
            "Better than {other} on {better} of {n} measure; worse on none: use it for search.",
            "Better than {other} on {better} of {n} measures; worse on none: use it for search.",
            n, other=other, better=better,
        )  # fmt: skip
    elif not worse:
        sentence = trn(
            "Better than {other} on {better} of {n} measure; worse on none.",
            "Better than {other} on {better} of {n} measures; worse on none.",
            n, other=other, better=better,
        )  # fmt: skip
    elif not better:
        sentence = trn(
            "Worse than {other} on {worse} of {n} measure: not recommended.",
            "Worse than {other} on {worse} of {n} measures: not recommended.",
            n, other=other, worse=worse,
        )  # fmt: skip
    else:
        sentence = trn(
            "Better than {other} on {better} of {n} measure; worse on {worse}: not recommended.",
            "Better than {other} on {better} of {n} measures; worse on {worse}: not recommended.",
            n, other=other, better=better, worse=worse,
        )  # fmt: skip
    if few:
        more = trn(
            "Too few papers to tell on {n} other measure.",
            "Too few papers to tell on {n} other measures.",
            few,
        )
        sentence = f"{sentence} {more}"
    return Recommendation(sentence, use=bool(better) and not worse and base_in_use)

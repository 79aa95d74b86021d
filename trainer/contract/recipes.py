"""The built-in recipes: how each differs from its method's paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trainer.contract.settings import Value


@dataclass(frozen=True)
class KnownRecipe:
    """Settings that differ from the method's defaults.

    `grid` maps settings to values that are tried in all combinations; the best on validation is
    kept.
    """

    summary: str
    settings: Mapping[str, Value] = field(default_factory=dict)
    grid: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)


# A small, well-trained model forgets when it is trained too hard: hence a margin that most triples
# satisfy, many negatives per text, and none that are related (cited by a cited paper).
_SMALL_TRIPLES: Mapping[str, Value] = {
    "base": "starter",
    "negatives": "batch",
    "hard_share": 0.0,
    "samples_per_query": 4,
    "epochs": 3.0,
    "max_steps": 330,
    "batch_size": 64,
    "learning_rate": 5e-5,
    "max_tokens": 64,
    "read_tokens": 256,
    "dropout": 0.0,
    "weight_decay": 0.0,
    "clip": 0.0,
    "start_share": 0.15,
}

SPECTER = {
    "specter-paper": KnownRecipe(
        "As in the paper: SciBERT, last layer's [CLS], margin 1; weight decay and clipping, of "
        "which the paper says nothing, as in its code."
    ),
    "specter-released": KnownRecipe(
        "As the PyTorch Lightning port and its README: cased SciBERT, pooler, 512 triples a step. "
        "But triples are shuffled, which the port's are not, and abstracts are always read, which "
        "the port does only where they were pickled along.",
        {
            "base": "allenai/scibert_scivocab_cased",
            "pooling": "pooler",
            "epochs": 4.0,
            "batch_size": 512,
            "warmup": 0.0,
            "weight_decay": 0.0,
            "clip": 0.0,
        },
    ),
    "specter-allennlp": KnownRecipe(
        "As the first release, in AllenNLP: a mix of all layers, averaged over words. But its "
        "script takes 64 triples a step, cuts texts to 256 words first, and its encoder (boe) adds "
        "words up.",
        {
            "pooling": "scalar_mix",
            "embedding_dropout": 0.5,
            "learning_rate": 3e-5,
            "schedule": "stlr",
        },
    ),
    "specter-small": KnownRecipe(
        "For a small backbone on a CPU, in minutes.",
        {
            **_SMALL_TRIPLES,
            "pooling": "mean",
            "distance": "cosine",
            "margin": 0.1,
        },
    ),
}

MULTI2SPE = {
    "multi2spe-paper": KnownRecipe(
        "As in the paper: three [CLS], lambda 0.1 mixes similarities, and the layers of the [CLS] "
        "leave the pretrained model as it was at first."
    ),
    "multi2spe-released": KnownRecipe(
        "As the released code: lambda mixes losses, vectors are squashed, and the layers of the "
        "[CLS] start with an output of zero.",
        {"mix": "losses", "tanh": True, "facet_init": "released"},
    ),
    "multi2spe-small": KnownRecipe(
        "For a small backbone on a CPU, in minutes.",
        {
            **_SMALL_TRIPLES,
            "facet_init": "words",
            "similarity": "cosine",
            "temperature": 0.05,
            "learning_rate": 1e-4,
        },
    ),
}

MIREAD = {
    "miread-paper": KnownRecipe("As in the paper: one epoch with a learning rate of 1e-6."),
    "miread-released": KnownRecipe(
        "With the released code's rate, batch and choice of papers, five times over all. But by "
        "default that code reads abstracts alone, only those of over 100 characters, and a journal "
        "needs more than min_papers.",
        {"learning_rate": 5e-6, "epochs": 5.0, "batch_size": 8, "choose": "first"},
    ),
    "miread-small": KnownRecipe(
        "For a small backbone on a CPU, in minutes.",
        {
            "base": "starter",
            "head": "mean",
            "head_scale": 100.0,
            "start_share": 0.5,
            "epochs": 1.25,
            "learning_rate": 2e-5,
            "warmup": 0.2,
            "batch_size": 64,
            "max_tokens": 64,
            "read_tokens": 256,
            "dropout": 0.0,
            "min_papers": 20,
            "recent_year": 0,
        },
    ),
}

_CONTRAST_ALONE: Mapping[str, Value] = {
    "train_tokenizer": False,
    "from_scratch": False,
    "mlm_short": 0,
    "mlm_long": 0,
}

PHYSBERT = {
    "physbert-paper": KnownRecipe(
        "As in the paper: from random weights, for a cluster. But words are learned from titles "
        "and abstracts, where the paper has full texts."
    ),
    "physbert-subdomain": KnownRecipe(
        "The paper's fine-tuning to the categories of one field; the best of four is kept.",
        {
            **_CONTRAST_ALONE,
            "base": "thellert/physbert_uncased",
            "epochs": 1.0,
            "batch_size": 16,
            "together": 32,
            "learning_rate": 1e-4,
            "warmup": 0.0,
            "merge": False,
            "min_papers": 2,
            "category_pairs": 190_000,
            "citation_pairs": 0,
            "question_pairs": 0,
        },
        grid={"learning_rate": (1e-4, 2e-4), "batch_size": (16, 32)},
    ),
    "physbert-small": KnownRecipe(
        "Pairs alone, for a small backbone on a CPU, in minutes.",
        {
            **_CONTRAST_ALONE,
            "base": "starter",
            "epochs": 1.0,
            "batch_size": 124,
            "together": 124,
            "learning_rate": 3e-4,
            "temperature": 0.1,
            "mask_same_label": True,
            "max_tokens": 64,
            "read_tokens": 256,
            "dropout": 0.0,
            "merge": False,
            "min_papers": 100,
            "category_pairs": 62_000,
            "category_text": "both",
            "scored": 1_000,
            "evaluations": 4,
        },
    ),
}

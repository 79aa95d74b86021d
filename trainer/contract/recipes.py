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


_SMALL_LIBRARY: Mapping[str, Value] = {
    "batch_size": 64,
    "max_tokens": 64,
    "examples": 12_800,
    "learning_rate": 1e-4,
}
# Weights of the anchor and of the tasks; the first are those of the other recipes.
_TASK_WEIGHTS: Mapping[str, tuple[Value, ...]] = {
    "anchor": (100.0, 30.0, 300.0),
    "citation_share": (3.0, 1.0),
    "group_share": (1.0, 0.0),
    "title_share": (1.0, 3.0),
    "sentence_share": (1.0, 3.0),
    "question_share": (1.0, 3.0),
}

LIBRARY = {
    "library": KnownRecipe("For a GPU: large batches, and texts of up to 128 tokens."),
    "library-small": KnownRecipe("For a small base model on a CPU, in minutes.", _SMALL_LIBRARY),
    "library-tuned": KnownRecipe(
        "Tries weights of tasks and anchor for an hour; keeps the best on validation papers.",
        {"grid_minutes": 60.0},
        _TASK_WEIGHTS,
    ),
    "library-small-tuned": KnownRecipe(
        "As library-small; tries weights of tasks and anchor for two hours, and keeps the best on "
        "validation papers.",
        {**_SMALL_LIBRARY, "grid_minutes": 120.0},
        _TASK_WEIGHTS,
    ),
}

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
    "keep_search": True,
}

SPECTER = {
    "specter-paper": KnownRecipe(
        "As in the paper: SciBERT, last layer's [CLS], margin 1. Weight decay and clipping, "
        "which the paper does not mention, are as in its code."
    ),
    "specter-released": KnownRecipe(
        "As in the PyTorch Lightning port and its README: cased SciBERT, pooler, 512 "
        "triplets per step. Unlike the port, it shuffles the triplets and always includes "
        "abstracts.",
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
        "As in the first release, in AllenNLP: a weighted sum of all layers, averaged over "
        "words. Unlike this recipe, its script uses 64 triplets per step, truncates texts to "
        "256 words first, and sums the words (boe encoder).",
        {
            "pooling": "scalar_mix",
            "embedding_dropout": 0.5,
            "learning_rate": 3e-5,
            "schedule": "stlr",
        },
    ),
    "specter-small": KnownRecipe(
        "For a small base model on a CPU, in minutes.",
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
        "As in the paper: three [CLS] tokens, lambda 0.1 weights the similarities, and the "
        "[CLS] layers initially leave the base model unchanged."
    ),
    "multi2spe-released": KnownRecipe(
        "As in the released code: lambda weights the losses, vectors pass through tanh, and "
        "the [CLS] layers start with zero output.",
        {"mix": "losses", "tanh": True, "facet_init": "released"},
    ),
    "multi2spe-small": KnownRecipe(
        "For a small base model on a CPU, in minutes.",
        {
            **_SMALL_TRIPLES,
            "mean_facet": True,
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
        "With the learning rate, batch size and paper selection of the released code, and "
        "five epochs. By default, that code uses only abstracts of over 100 characters, "
        "without titles, and requires more than the minimum of papers per journal.",
        {"learning_rate": 5e-6, "epochs": 5.0, "batch_size": 8, "choose": "first"},
    ),
    "miread-small": KnownRecipe(
        "For a small base model on a CPU, in minutes.",
        {
            "base": "starter",
            "head": "mean",
            "head_scale": 100.0,
            "anchor": 100.0,
            "start_share": 0.5,
            "keep_search": True,
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
        "As in the paper: from random weights, for a cluster. Masked language modeling uses the "
        "full texts of the dataset, if it has any, with titles and abstracts."
    ),
    "physbert-subdomain": KnownRecipe(
        "The paper's fine-tuning to the categories of one field; keeps the best of four runs.",
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
        "Pairs only, for a small base model on a CPU, in minutes.",
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
            "anchor": 100.0,
            "keep_search": True,
            "label_head": True,
            "scored": 1_000,
            "evaluations": 4,
        },
    ),
}

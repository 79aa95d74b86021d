"""Training methods with their settings and defaults; forms, lists and checks are built of it."""

from __future__ import annotations

import difflib
import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from trainer.contract import recipes
from trainer.contract.errors import TrainerError
from trainer.contract.recipes import KnownRecipe
from trainer.contract.settings import Setting, Value

SCIBERT = "allenai/scibert_scivocab_uncased"
SCHEDULES = ("linear", "stlr", "constant")


class Need(enum.Enum):
    """The data that a method requires of a corpus."""

    abstracts = "abstracts"
    citations = "citations"
    venues = "venues"
    fields = "fields"
    questions = "questions"


@dataclass(frozen=True)
class MethodSpec:
    """Description of a training method, as shown to the user.

    The defaults of the settings are the paper's values. `recipes` maps the name of a recipe to its
    differences from them; `<key>-paper`, which has no differences, comes first.
    """

    key: str
    title: str
    summary: str
    needs: frozenset[Need]
    settings: tuple[Setting, ...]
    recipes: Mapping[str, KnownRecipe] = field(default_factory=dict)

    def resolve(
        self, recipe: str = "", changes: Mapping[str, Any] = MappingProxyType({})
    ) -> dict[str, Value]:
        """Return a value for every setting: from `changes`, else from the recipe, else its default.

        Raises TrainerError for an unknown recipe or setting and for an invalid value.
        """
        chosen = (
            dict(self.recipes[_known(recipe, self.recipes, "recipe")].settings) if recipe else {}
        )
        for name in changes:
            _known(name, (setting.name for setting in self.settings), "setting")
        chosen |= changes
        return {s.name: s.check(chosen.get(s.name, s.default)) for s in self.settings}

    def completed(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the stored settings of a run, with those added since it started.

        A setting that a run of an earlier version lacks gets the value trainings used then
        (`formerly`). Settings that lack other values belong to no run and are returned unchanged.
        """
        newer = {s.name: s.formerly for s in self.settings if s.formerly is not None}
        kept_all = all(s.name in settings for s in self.settings if s.name not in newer)
        return {**newer, **settings} if kept_all else dict(settings)


def method_spec(key: str) -> MethodSpec:
    """Return the method with this key. Raises TrainerError, naming the known ones."""
    return {spec.key: spec for spec in METHODS}[_known(key, (s.key for s in METHODS), "method")]


def recipe_of(name: str) -> tuple[MethodSpec, str]:
    """Return the method of a recipe, and the recipe's name; a method's name stands for its first
    recipe.

    Raises TrainerError, naming the known ones.
    """
    owners = {recipe: spec for spec in METHODS for recipe in spec.recipes}
    first = {spec.key: next(iter(spec.recipes)) for spec in METHODS if spec.recipes}
    name = first.get(name, name)
    return owners[_known(name, owners, "recipe")], name


def _known(name: str, names: Iterable[str], kind: str) -> str:
    names = list(names)
    if name not in names:
        close = difflib.get_close_matches(name, names, n=1)
        meant = f"Did you mean {close[0]}? " if close else ""
        raise TrainerError(
            f"The {kind} {name!r} does not exist.", f"{meant}Available: {', '.join(names)}."
        )
    return name


def common(**defaults: Value) -> tuple[Setting, ...]:
    """Return the settings that all methods share, with this method's defaults."""
    return tuple(
        replace(setting, default=defaults.get(setting.name, setting.default)) for setting in _COMMON
    )


_COMMON = (
    Setting("base", SCIBERT, "Base model: 'starter', a folder, or a name on the Hugging Face Hub."),
    Setting("epochs", 1.0, "Number of passes over the training examples.", 0.0),
    Setting("batch_size", 32, "Examples per step, over all devices.", 1),
    Setting("learning_rate", 2e-5, "Peak learning rate.", 0.0),
    Setting(
        "weight_decay",
        0.0,
        "Weight decay, except for biases and layer norms. MIReAD's code also decays these; "
        "the PhysBERT paper does not mention weight decay for masked language modeling.",
        0.0,
    ),
    Setting(
        "warmup", 0.1, "Warmup: below 1, a share of all steps; otherwise, a number of steps.", 0.0
    ),
    Setting("schedule", "linear", "Learning rate schedule after the warmup.", choices=SCHEDULES),
    Setting(
        "clip", 0.0, "Maximum gradient norm; larger gradients are scaled down. 0: no clipping.", 0.0
    ),
    Setting(
        "beta1",
        0.9,
        "AdamW beta1: decay rate of the mean of the gradients.",
        0.0,
        0.9999,
        formerly=0.9,
    ),
    Setting(
        "beta2",
        0.999,
        "AdamW beta2: decay rate of the mean of the squared gradients.",
        0.0,
        0.99999,
        formerly=0.999,
    ),
    Setting("epsilon", 1e-8, "AdamW epsilon, added to the denominator.", 0.0, formerly=1e-8),
    Setting(
        "max_tokens", 512, "Maximum tokens per text in training; longer texts are truncated.", 8
    ),
    Setting(
        "read_tokens", 0, "Maximum tokens per text of the finished model. 0: as in training.", 0
    ),
    Setting("join", "sep", "Separator between title and abstract.", choices=("sep", "space")),
    Setting("dropout", 0.1, "Dropout rate in the backbone.", 0.0, 0.9),
    Setting("evaluations", 1, "Validations per epoch.", 0),
    Setting("max_steps", 0, "Maximum steps per stage. 0: no limit but the epochs.", 0),
    Setting(
        "precision",
        "auto",
        "Number format of the forward pass; auto: bf16 if the hardware supports it.",
        choices=("auto", "fp32", "bf16"),
    ),
)

_TRIPLES = (
    Setting(
        "triples",
        "drawn",
        "drawn: sample triplets from citations; given: use the triplets of IDs prepared with "
        "the corpus.",
        choices=("drawn", "given"),
        formerly="drawn",
    ),
    Setting("samples_per_query", 5, "Triplets per citing paper.", 1),
    Setting(
        "hard_share",
        0.3,
        "Share of triplets with a hard negative: a paper cited by a "
        "cited paper, but not by the query.",
        0.0,
        1.0,
    ),
    Setting(
        "queries",
        "drawable",
        "Citing papers to sample triplets for. drawable: all for which triplets can be "
        "drawn; two_hop: only those with hard negatives, as in the released code, even if no "
        "hard negatives are sampled.",
        choices=("drawable", "two_hop"),
        formerly="two_hop",
    ),
    Setting(
        "negatives",
        "drawn",
        "Negatives for each cited paper. drawn: the negative sampled for it, as in the "
        "paper; batch: all papers sampled in the step that the query does not cite.",
        choices=("drawn", "batch"),
    ),
)

_START_SHARE = Setting(
    "start_share",
    0.0,
    "Share of the base weights in the finished model (weight interpolation), which "
    "counters forgetting when training on few papers. Validation uses the trained "
    "weights alone; the final scores are those of the finished model.",
    0.0,
    0.99,
)

METHODS: tuple[MethodSpec, ...] = (
    MethodSpec(
        key="specter",
        title="SPECTER",
        summary="Places papers that cite each other close together (Cohan et al., 2020).",
        needs=frozenset({Need.abstracts, Need.citations}),
        settings=(
            # The paper used AllenNLP; its configuration has this weight decay and clipping.
            *common(epochs=2.0, weight_decay=0.01, clip=1.0),
            Setting(
                "margin",
                1.0,
                "Margin by which a cited paper must be closer than another paper.",
                0.0,
            ),
            Setting("distance", "l2", "Distance between papers.", choices=("l2", "cosine", "dot")),
            Setting(
                "pooling",
                "cls",
                "Pooling in training. With pooler, the finished model uses the last layer's [CLS].",
                choices=("cls", "pooler", "mean", "scalar_mix"),
            ),
            Setting(
                "embedding_dropout", 0.0, "Dropout rate of the pooled output in training.", 0.0, 0.9
            ),
            _START_SHARE,
            *_TRIPLES,
        ),
        recipes=recipes.SPECTER,
    ),
    MethodSpec(
        key="multi2spe",
        title="Multi2SPE",
        summary="SPECTER with several [CLS] tokens, each for another aspect of the paper (Seoh "
        "et al., 2023).",
        needs=frozenset({Need.abstracts, Need.citations}),
        settings=(
            *common(epochs=2.0),
            Setting(
                "cls_tokens",
                3,
                "Number of [CLS] tokens per text; their sum represents the paper.",
                1,
                64,
            ),
            Setting(
                "lambda",
                0.1,
                "Weight of the best pair of [CLS] tokens relative to their sums.",
                0.0,
                1.0,
            ),
            Setting(
                "mix",
                "logits",
                "Quantity weighted by lambda: logits (similarities, as in the paper) or losses "
                "(as in the released code).",
                choices=("logits", "losses"),
            ),
            Setting(
                "facet_init",
                "identity_effective",
                "Initialization of the [CLS] layers. identity_effective: leaves the backbone "
                "unchanged, as in the paper; words: the same, with additional [CLS] tokens "
                "initialized from common words instead of untrained tokens; released: zero "
                "output, as in the released code.",
                choices=("released", "identity_effective", "words"),
            ),
            Setting(
                "similarity",
                "dot",
                "Similarity: dot product (paper) or cosine.",
                choices=("dot", "cosine"),
            ),
            Setting("temperature", 1.0, "Temperature by which similarities are divided.", 0.001),
            Setting(
                "tanh", False, "Apply tanh to the pooled output (released code, not in the paper)."
            ),
            _START_SHARE,
            *_TRIPLES,
        ),
        recipes=recipes.MULTI2SPE,
    ),
    MethodSpec(
        key="miread",
        title="MIReAD",
        summary="Predicts a paper's journal (Razdaibiedina and Brechalov, 2023).",
        needs=frozenset({Need.abstracts, Need.venues}),
        settings=(
            *common(learning_rate=1e-6, weight_decay=0.01, warmup=100.0, batch_size=16),
            Setting(
                "head",
                "pooler",
                "Input of the classification head. With pooler, the finished model uses the "
                "last layer's [CLS].",
                choices=("pooler", "raw_cls", "mean"),
            ),
            Setting(
                "head_scale",
                1.0,
                "Factor for the output of the classification head. Larger values train the "
                "head faster than the backbone, which an untrained head misleads.",
                0.001,
            ),
            _START_SHARE,
            Setting("min_papers", 100, "Minimum papers per journal.", 1),
            Setting("pubmed_min_papers", 300, "Minimum papers per PubMed journal.", 1),
            Setting("max_papers", 300, "Maximum papers per journal. 0: no limit.", 0),
            Setting(
                "recent_year",
                2021,
                "Only journals with a paper from this year. 0: all journals.",
                0,
            ),
            Setting("first_year", 0, "Only papers from this year or later. 0: all papers.", 0),
            Setting(
                "pubmed_first_year",
                2016,
                "First year for PubMed papers; PubMed papers after the required recent year "
                "are excluded.",
                0,
            ),
            Setting(
                "choose",
                "random",
                "Selection of papers from journals above the maximum: a random sample, or the "
                "first (released code).",
                choices=("random", "first"),
            ),
            Setting("exclude", "", "Journals to exclude, separated by semicolons."),
        ),
        recipes=recipes.MIREAD,
    ),
    MethodSpec(
        key="physbert",
        title="PhysBERT",
        summary="Trains a language model for a field, then contrasts pairs of related texts "
        "(Hellert et al., 2024).",
        needs=frozenset({Need.abstracts, Need.fields}),
        settings=(
            *common(
                base="google-bert/bert-base-uncased",
                epochs=2.0,
                batch_size=8_192,
                learning_rate=2e-4,
                weight_decay=0.01,
                evaluations=3,
            ),
            Setting("train_tokenizer", True, "Train a new tokenizer on the corpus first."),
            Setting("vocabulary", 30_523, "Vocabulary size of the new tokenizer.", 100, 1_000_000),
            Setting("cased", False, "Case-sensitive tokenizer."),
            Setting(
                "from_scratch",
                True,
                "Start from random weights with the architecture of the base model.",
            ),
            Setting(
                "mlm_short",
                128,
                "Block length for the first stage of masked language "
                "modeling, in tokens. 0: skip this stage.",
                0,
            ),
            Setting(
                "mlm_long",
                512,
                "Block length for the second stage of masked language "
                "modeling, in tokens. 0: skip this stage.",
                0,
            ),
            Setting("mlm_short_epochs", 4.0, "Epochs with short blocks.", 0.0),
            Setting("mlm_long_epochs", 6.0, "Epochs with long blocks.", 0.0),
            Setting("mlm_batch_size", 1_024, "Blocks per step, over all devices.", 1),
            Setting(
                "mlm_learning_rate", 1e-4, "Peak learning rate of masked language modeling.", 0.0
            ),
            Setting(
                "mlm_warmup",
                0.06,
                "Warmup share of all steps in masked language modeling, at most 10,000 steps.",
                0.0,
                0.99,
            ),
            Setting(
                "mlm_beta2",
                0.98,
                "AdamW beta2 in masked language modeling, as in RoBERTa.",
                0.0,
                0.99999,
                formerly=0.999,
            ),
            Setting(
                "mlm_epsilon",
                1e-6,
                "AdamW epsilon in masked language modeling, as in RoBERTa.",
                0.0,
                formerly=1e-8,
            ),
            Setting("masked", 0.15, "Share of tokens to mask.", 0.01, 0.9),
            Setting("contrast", True, "Train on pairs after masked language modeling."),
            Setting(
                "category_pairs",
                2_000_000,
                "Maximum pairs of papers from the same category. 0: none.",
                0,
            ),
            Setting(
                "category_text",
                "abstract",
                "Text of papers in category pairs: abstract only (as in the paper), or both "
                "title and abstract.",
                choices=("abstract", "both"),
                formerly="both",
            ),
            Setting(
                "citation_pairs",
                1_000_000,
                "Maximum pairs of titles of citing and cited papers. 0: none.",
                0,
            ),
            Setting(
                "question_pairs",
                2_000_000,
                "Maximum pairs of a question and its paper. 0: none.",
                0,
            ),
            Setting(
                "merge",
                True,
                "Merge the subcategories of astro-ph, cond-mat and hep into one category each.",
            ),
            Setting("min_papers", 5_000, "Minimum papers per category.", 2),
            Setting("homogeneous", False, "Take all pairs of a step from the same source."),
            Setting(
                "temperature", 0.05, "Temperature by which similarities are divided.", 0.001, 1.0
            ),
            Setting("together", 256, "Pairs that serve as negatives for one another.", 2),
            Setting("mask_same_label", False, "Exclude negatives from the anchor's own category."),
            Setting("mask_same_doc", False, "Exclude negatives that are the anchor's own paper."),
            Setting(
                "pooling",
                "mean",
                "Pooling of the token states.",
                choices=("mean", "mean_no_special", "cls"),
            ),
            Setting("scored", 20_000, "Maximum validation papers per validation.", 100),
        ),
        recipes=recipes.PHYSBERT,
    ),
)

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
            f"There is no {kind} {name!r}.", f"{meant}Known are: {', '.join(names)}."
        )
    return name


def common(**defaults: Value) -> tuple[Setting, ...]:
    """Return the settings that all methods share, with this method's defaults."""
    return tuple(
        replace(setting, default=defaults.get(setting.name, setting.default)) for setting in _COMMON
    )


_COMMON = (
    Setting("base", SCIBERT, "The model to start from: 'starter', a folder, or a name on the hub."),
    Setting("epochs", 1.0, "How often every example is learned from.", 0.0),
    Setting("batch_size", 32, "Examples in a step, over all devices together.", 1),
    Setting("learning_rate", 2e-5, "The peak of the learning rate.", 0.0),
    Setting(
        "weight_decay",
        0.0,
        "Pull of all weights but biases and norms towards zero. MIReAD's code pulls at these too, "
        "and PhysBERT's paper names none while words are guessed.",
        0.0,
    ),
    Setting("warmup", 0.1, "Up to the peak: a share of all steps if below 1, else steps.", 0.0),
    Setting("schedule", "linear", "How the learning rate goes after its peak.", choices=SCHEDULES),
    Setting("clip", 0.0, "The longest gradient; longer ones are shortened. 0: none is.", 0.0),
    Setting("beta1", 0.9, "AdamW's decay of the mean of the gradients.", 0.0, 0.9999, formerly=0.9),
    Setting(
        "beta2", 0.999, "AdamW's decay of the mean of their squares.", 0.0, 0.99999, formerly=0.999
    ),
    Setting("epsilon", 1e-8, "AdamW's epsilon, added to the denominator.", 0.0, formerly=1e-8),
    Setting("max_tokens", 512, "Word pieces of a text that are learned from; the rest is cut.", 8),
    Setting("read_tokens", 0, "The same for the finished model. 0: as many as max_tokens.", 0),
    Setting("join", "sep", "What stands between title and abstract.", choices=("sep", "space")),
    Setting("dropout", 0.1, "Share of the numbers dropped inside the backbone.", 0.0, 0.9),
    Setting("evaluations", 1, "Measurements on validation papers in an epoch.", 0),
    Setting("max_steps", 0, "Stop a stage after so many steps. 0: after its epochs.", 0),
    Setting(
        "precision",
        "auto",
        "Numbers in the forward pass; auto: bf16 where the hardware multiplies them.",
        choices=("auto", "fp32", "bf16"),
    ),
)

_TRIPLES = (
    Setting(
        "triples",
        "drawn",
        "Triples are drawn from citations; or given, in a table of ids that the corpus was made "
        "with.",
        choices=("drawn", "given"),
        formerly="drawn",
    ),
    Setting("samples_per_query", 5, "Triples of a paper that cites others.", 1),
    Setting("hard_share", 0.3, "Share of them whose negative is cited by a cited paper.", 0.0, 1.0),
    Setting(
        "queries",
        "drawable",
        "Which citing papers give triples: all for which they can be drawn; or, as in the released "
        "code even where no hard negatives are drawn (hard_share=0), only those that have some.",
        choices=("drawable", "two_hop"),
        formerly="two_hop",
    ),
    Setting(
        "negatives",
        "drawn",
        "What a cited paper is held against: the one drawn for it (paper), or all that were drawn "
        "in the step and that the query does not cite.",
        choices=("drawn", "batch"),
    ),
)

_START_SHARE = Setting(
    "start_share",
    0.0,
    "Share of the starting weights in the finished model; the rest is learned. Some of them keep "
    "what few papers would make it forget. Validation is of what is learned alone; the scores in "
    "the end are the finished model's.",
    0.0,
    0.99,
)

METHODS: tuple[MethodSpec, ...] = (
    MethodSpec(
        key="specter",
        title="SPECTER",
        summary="Papers that cite each other lie close (Cohan et al., 2020).",
        needs=frozenset({Need.abstracts, Need.citations}),
        settings=(
            # The paper used AllenNLP; its configuration has this weight decay and clipping.
            *common(epochs=2.0, weight_decay=0.01, clip=1.0),
            Setting("margin", 1.0, "How much closer a cited paper must be than another.", 0.0),
            Setting("distance", "l2", "What close means.", choices=("l2", "cosine", "dot")),
            Setting(
                "pooling",
                "cls",
                "What is trained. With pooler, the vector is still the last layer's [CLS].",
                choices=("cls", "pooler", "mean", "scalar_mix"),
            ),
            Setting("embedding_dropout", 0.0, "Share of a vector dropped in training.", 0.0, 0.9),
            _START_SHARE,
            *_TRIPLES,
        ),
        recipes=recipes.SPECTER,
    ),
    MethodSpec(
        key="multi2spe",
        title="Multi2SPE",
        summary="SPECTER with several [CLS], each free to see its own side (Seoh et al., 2023).",
        needs=frozenset({Need.abstracts, Need.citations}),
        settings=(
            *common(epochs=2.0),
            Setting("cls_tokens", 3, "How many [CLS] a text has; its vector is their sum.", 1, 64),
            Setting("lambda", 0.1, "Weight of the best pair of [CLS] beside the sums.", 0.0, 1.0),
            Setting(
                "mix",
                "logits",
                "What is weighed with lambda: similarities (paper) or losses (released code).",
                choices=("logits", "losses"),
            ),
            Setting(
                "facet_init",
                "identity_effective",
                "The layers of the [CLS] at first: identity_effective leaves the backbone as it "
                "was, as the paper wants it; so does words, where the further [CLS] start as "
                "common words instead of tokens that nobody has trained; with released, as in the "
                "released code, the layers' outputs are zero.",
                choices=("released", "identity_effective", "words"),
            ),
            Setting(
                "similarity",
                "dot",
                "What is compared: products of vectors (paper), or of vectors of unit length.",
                choices=("dot", "cosine"),
            ),
            Setting("temperature", 1.0, "What similarities are divided by.", 0.001),
            Setting("tanh", False, "Squash the vectors (released code, not in the paper)."),
            _START_SHARE,
            *_TRIPLES,
        ),
        recipes=recipes.MULTI2SPE,
    ),
    MethodSpec(
        key="miread",
        title="MIReAD",
        summary="Learns to name a paper's journal (Razdaibiedina and Brechalov, 2023).",
        needs=frozenset({Need.abstracts, Need.venues}),
        settings=(
            *common(learning_rate=1e-6, weight_decay=0.01, warmup=100.0, batch_size=16),
            Setting(
                "head",
                "pooler",
                "What journals are told from. With pooler, the vector is the last layer's [CLS].",
                choices=("pooler", "raw_cls", "mean"),
            ),
            Setting(
                "head_scale",
                1.0,
                "What the head's scores are multiplied with. More lets the head learn sooner than "
                "the backbone, which an untrained head misleads.",
                0.001,
            ),
            _START_SHARE,
            Setting("min_papers", 100, "A journal needs so many papers.", 1),
            Setting("pubmed_min_papers", 300, "And so many, if it is PubMed's.", 1),
            Setting("max_papers", 300, "So many papers of a journal, no more. 0: all.", 0),
            Setting("recent_year", 2021, "A journal needs a paper of this year. 0: of any.", 0),
            Setting("first_year", 0, "Only papers from this year on. 0: all.", 0),
            Setting(
                "pubmed_first_year",
                2016,
                "The same for PubMed's papers; of these none after recent_year count.",
                0,
            ),
            Setting(
                "choose",
                "random",
                "Which papers of a journal that has more: any, or the first (released code).",
                choices=("random", "first"),
            ),
            Setting("exclude", "", "Journals that are not learned; semicolons between them."),
        ),
        recipes=recipes.MIREAD,
    ),
    MethodSpec(
        key="physbert",
        title="PhysBERT",
        summary="A language model of a field, then pairs that belong together "
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
            Setting("train_tokenizer", True, "Learn word pieces from the corpus first."),
            Setting("vocabulary", 30_523, "How many word pieces.", 100, 1_000_000),
            Setting("cased", False, "Word pieces tell capitals from small letters."),
            Setting("from_scratch", True, "Random weights in the shape of the base."),
            Setting("mlm_short", 128, "Guess masked words in blocks of so many tokens. 0: no.", 0),
            Setting("mlm_long", 512, "Then in blocks of so many. 0: no.", 0),
            Setting("mlm_short_epochs", 4.0, "Epochs of the shorter blocks.", 0.0),
            Setting("mlm_long_epochs", 6.0, "Epochs of the longer blocks.", 0.0),
            Setting("mlm_batch_size", 1_024, "Blocks in a step, over all devices together.", 1),
            Setting("mlm_learning_rate", 1e-4, "The peak while words are guessed.", 0.0),
            Setting("mlm_warmup", 0.06, "Share of the steps up to it, at most 10,000.", 0.0, 0.99),
            Setting(
                "mlm_beta2",
                0.98,
                "beta2 while words are guessed, as RoBERTa.",
                0.0,
                0.99999,
                formerly=0.999,
            ),
            Setting(
                "mlm_epsilon",
                1e-6,
                "epsilon while words are guessed, as RoBERTa.",
                0.0,
                formerly=1e-8,
            ),
            Setting("masked", 0.15, "Share of the word pieces to guess.", 0.01, 0.9),
            Setting("contrast", True, "Learn from pairs after the words."),
            Setting("category_pairs", 2_000_000, "Pairs of papers of one category. 0: none.", 0),
            Setting(
                "category_text",
                "abstract",
                "Text of a paper in category pairs: its abstract alone (paper), or its title, too.",
                choices=("abstract", "both"),
                formerly="both",
            ),
            Setting("citation_pairs", 1_000_000, "Titles of citing and cited. 0: none.", 0),
            Setting("question_pairs", 2_000_000, "A question and its paper. 0: none.", 0),
            Setting("merge", True, "Take astro-ph, cond-mat and hep as one category each."),
            Setting("min_papers", 5_000, "A category needs so many papers.", 2),
            Setting("homogeneous", False, "All pairs of a step are of one source."),
            Setting("temperature", 0.05, "What similarities are divided by.", 0.001, 1.0),
            Setting("together", 256, "Pairs that are one another's negatives.", 2),
            Setting("mask_same_label", False, "No negatives of an anchor's own category."),
            Setting("mask_same_doc", False, "No negatives that are the anchor's own paper."),
            Setting(
                "pooling",
                "mean",
                "How word pieces become a vector.",
                choices=("mean", "mean_no_special", "cls"),
            ),
            Setting("scored", 20_000, "Validation papers that a measurement takes at most.", 100),
        ),
        recipes=recipes.PHYSBERT,
    ),
)

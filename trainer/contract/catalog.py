"""Training methods, settings and defaults, from which forms, lists and checks are generated."""

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
    full_texts = "full_texts"


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

        Settings added later get `formerly`, the value that earlier versions used. Incomplete
        settings of no run are returned unchanged.
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
    Setting("base", SCIBERT),
    Setting("epochs", 1.0, at_least=0.0),
    Setting("batch_size", 32, at_least=1),
    Setting("learning_rate", 2e-5, at_least=0.0),
    Setting("weight_decay", 0.0, at_least=0.0),
    Setting("warmup", 0.1, at_least=0.0),
    Setting("schedule", "linear", choices=SCHEDULES),
    Setting("clip", 0.0, at_least=0.0),
    Setting("beta1", 0.9, at_least=0.0, at_most=0.9999, formerly=0.9),
    Setting("beta2", 0.999, at_least=0.0, at_most=0.99999, formerly=0.999),
    Setting("epsilon", 1e-8, at_least=0.0, formerly=1e-8),
    Setting("max_tokens", 512, at_least=8),
    Setting("read_tokens", 0, at_least=0),
    Setting("join", "sep", choices=("sep", "space")),
    Setting("dropout", 0.1, at_least=0.0, at_most=0.9),
    Setting("evaluations", 1, at_least=0),
    Setting("max_steps", 0, at_least=0),
    Setting("precision", "auto", choices=("auto", "fp32", "bf16")),
    Setting("grid_minutes", 0.0, at_least=0.0, formerly=0.0),
    Setting("average_steps", 0, at_least=0, formerly=0),
    Setting("lora_rank", 0, at_least=0, at_most=1024, formerly=0),
    Setting("lora_alpha", 32.0, at_least=0.0, formerly=32.0),
)

_TRIPLES = (
    Setting("triples", "drawn", choices=("drawn", "given"), formerly="drawn"),
    Setting("samples_per_query", 5, at_least=1),
    Setting("hard_share", 0.3, at_least=0.0, at_most=1.0),
    Setting("queries", "drawable", choices=("drawable", "two_hop"), formerly="two_hop"),
    Setting("negatives", "drawn", choices=("drawn", "batch")),
)

_START_SHARE = Setting("start_share", 0.0, at_least=0.0, at_most=0.99)
_KEEP_SEARCH = Setting("keep_search", False, formerly=False)
_ANCHOR = Setting("anchor", 0.0, at_least=0.0, formerly=0.0)
_LABEL_HEAD = (
    Setting("label_head", False, formerly=False),
    Setting("label_head_loss", 0.5, at_least=0.0, at_most=100.0, formerly=0.5),
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
            Setting("margin", 1.0, at_least=0.0),
            Setting("distance", "l2", choices=("l2", "cosine", "dot")),
            Setting("pooling", "cls", choices=("cls", "pooler", "mean", "scalar_mix")),
            Setting("embedding_dropout", 0.0, at_least=0.0, at_most=0.9),
            _START_SHARE,
            _KEEP_SEARCH,
            _ANCHOR,
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
            Setting("cls_tokens", 3, at_least=1, at_most=64),
            Setting("mean_facet", False, formerly=False),
            Setting("lambda", 0.1, at_least=0.0, at_most=1.0),
            Setting("mix", "logits", choices=("logits", "losses")),
            Setting(
                "facet_init",
                "identity_effective",
                choices=("released", "identity_effective", "words"),
            ),
            Setting("similarity", "dot", choices=("dot", "cosine")),
            Setting("temperature", 1.0, at_least=0.001),
            Setting("tanh", False),
            _START_SHARE,
            _KEEP_SEARCH,
            _ANCHOR,
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
            Setting("head", "pooler", choices=("pooler", "raw_cls", "mean")),
            Setting("head_scale", 1.0, at_least=0.001),
            _START_SHARE,
            _KEEP_SEARCH,
            _ANCHOR,
            *_LABEL_HEAD,
            Setting("min_papers", 100, at_least=1),
            Setting("pubmed_min_papers", 300, at_least=1),
            Setting("max_papers", 300, at_least=0),
            Setting("recent_year", 2021, at_least=0),
            Setting("first_year", 0, at_least=0),
            Setting("pubmed_first_year", 2016, at_least=0),
            Setting("choose", "random", choices=("random", "first")),
            Setting("exclude", ""),
        ),
        recipes=recipes.MIREAD,
    ),
    MethodSpec(
        key="physbert",
        title="PhysBERT",
        summary="Trains a language model for a field, then contrasts pairs of related texts "
        "(Hellert et al., 2024).",
        needs=frozenset({Need.abstracts, Need.fields, Need.full_texts}),
        settings=(
            *common(
                base="google-bert/bert-base-uncased",
                epochs=2.0,
                batch_size=8_192,
                learning_rate=2e-4,
                weight_decay=0.01,
                evaluations=3,
            ),
            Setting("train_tokenizer", True),
            Setting("vocabulary", 30_523, at_least=100, at_most=1_000_000),
            Setting("cased", False),
            Setting("from_scratch", True),
            Setting("mlm_short", 128, at_least=0),
            Setting("mlm_long", 512, at_least=0),
            Setting("mlm_short_epochs", 4.0, at_least=0.0),
            Setting("mlm_long_epochs", 6.0, at_least=0.0),
            Setting("mlm_batch_size", 1_024, at_least=1),
            Setting("mlm_learning_rate", 1e-4, at_least=0.0),
            Setting("mlm_warmup", 0.06, at_least=0.0, at_most=0.99),
            Setting("mlm_beta2", 0.98, at_least=0.0, at_most=0.99999, formerly=0.999),
            Setting("mlm_epsilon", 1e-6, at_least=0.0, formerly=1e-8),
            Setting("masked", 0.15, at_least=0.01, at_most=0.9),
            Setting("contrast", True),
            Setting("category_pairs", 2_000_000, at_least=0),
            Setting("category_text", "abstract", choices=("abstract", "both"), formerly="both"),
            Setting("citation_pairs", 1_000_000, at_least=0),
            Setting("question_pairs", 2_000_000, at_least=0),
            Setting("merge", True),
            Setting("min_papers", 5_000, at_least=2),
            Setting("homogeneous", False),
            Setting("temperature", 0.05, at_least=0.001, at_most=1.0),
            Setting("together", 256, at_least=2),
            Setting("mask_same_label", False),
            Setting("mask_same_doc", False),
            replace(_START_SHARE, formerly=0.0),
            _KEEP_SEARCH,
            _ANCHOR,
            *_LABEL_HEAD,
            Setting("pooling", "mean", choices=("mean", "mean_no_special", "cls")),
            Setting("scored", 20_000, at_least=100),
        ),
        recipes=recipes.PHYSBERT,
    ),
    MethodSpec(
        key="library",
        title="Library",
        summary="Learns several tasks at once from whatever the papers have: citations, journals, "
        "categories, and titles and sentences that find their papers.",
        needs=frozenset({Need.abstracts}),
        settings=(
            *common(
                base="starter",
                batch_size=512,
                learning_rate=3e-4,
                weight_decay=0.01,
                clip=1.0,
                max_tokens=128,
                read_tokens=256,
                join="space",
                dropout=0.0,
                evaluations=2,
            ),
            Setting("examples", 160_000, at_least=1),
            Setting("citation_share", 3.0, at_least=0.0),
            Setting("group_share", 1.0, at_least=0.0),
            Setting("title_share", 1.0, at_least=0.0),
            Setting("sentence_share", 1.0, at_least=0.0),
            Setting("question_share", 1.0, at_least=0.0),
            Setting("hard_negatives", True),
            Setting("temperature", 0.05, at_least=0.001, at_most=1.0),
            replace(_ANCHOR, default=100.0),
            replace(_START_SHARE, default=0.5),
            replace(_KEEP_SEARCH, default=True),
            Setting("pooling", "mean", choices=("mean", "mean_no_special", "cls")),
            Setting("scored", 500, at_least=10),
        ),
        recipes=recipes.LIBRARY,
    ),
)

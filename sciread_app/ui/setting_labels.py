"""The names, units and help of training settings, by their keys in recipes."""

from __future__ import annotations

from typing import NamedTuple

from sciread_app.language import tr
from trainer.contract.package import STARTER

_EXAMPLES, _STEPS, _TOKENS = tr("examples"), tr("steps"), tr("tokens")
_PAPERS, _PAIRS, _BLOCKS = tr("papers"), tr("pairs"), tr("text blocks")


class SettingText(NamedTuple):
    """The name of a setting, one sentence on what it does, and the unit of its value, if any."""

    name: str
    help: str
    unit: str = ""


_TEXTS = {
    "base": SettingText(
        tr("Base model"),
        tr("Model to start from: “starter”, a model folder, or a name on Hugging Face."),
    ),
    "epochs": SettingText(
        tr("Epochs"), tr("Number of passes through all examples.")
    ),
    "batch_size": SettingText(
        tr("Batch size"), tr("Examples per training step, over all devices together."), _EXAMPLES
    ),
    "learning_rate": SettingText(
        tr("Learning rate"), tr("Highest learning rate, reached at the end of the warm-up.")
    ),
    "weight_decay": SettingText(
        tr("Weight decay"), tr("Strength with which AdamW pulls weights toward zero.")
    ),
    "warmup": SettingText(
        tr("Warm-up"),
        tr("Length of the warm-up: a share of all steps if below 1, otherwise a number of steps."),
    ),
    "schedule": SettingText(
        tr("Learning rate schedule"), tr("Shape of the learning rate after its peak.")
    ),
    "clip": SettingText(
        tr("Gradient clipping"),
        tr("Largest length of the gradient; 0 turns clipping off."),
    ),
    "beta1": SettingText(
        tr("Adam beta 1"), tr("Decay rate of AdamW for the mean of the gradients.")
    ),
    "beta2": SettingText(
        tr("Adam beta 2"), tr("Decay rate of AdamW for the mean of the squared gradients.")
    ),
    "epsilon": SettingText(
        tr("Adam epsilon"), tr("Small number that AdamW adds to its denominator.")
    ),
    "max_tokens": SettingText(
        tr("Max tokens in training"), tr("Longer texts are cut to this length."), _TOKENS
    ),
    "read_tokens": SettingText(
        tr("Max tokens in use"),
        tr("Length to which the finished model cuts texts; 0 uses the length in training."),
        _TOKENS,
    ),
    "join": SettingText(
        tr("Title separator"), tr("Text between the title of a paper and its abstract.")
    ),
    "dropout": SettingText(
        tr("Dropout"), tr("Share of values dropped at random inside the base model.")
    ),
    "evaluations": SettingText(
        tr("Evaluations per epoch"),
        tr("Number of evaluations on the validation papers per epoch."),
    ),
    "max_steps": SettingText(
        tr("Max steps"),
        tr("Ends each stage of training after this many steps; 0 completes all epochs."),
        _STEPS,
    ),
    "precision": SettingText(
        tr("Precision"),
        tr("Number format of the forward pass; Automatic uses bf16 where the hardware can."),
    ),
    "margin": SettingText(
        tr("Margin"), tr("Required difference in distance between a cited and another paper.")
    ),
    "distance": SettingText(
        tr("Distance"), tr("Measure of the distance between two papers.")
    ),
    "pooling": SettingText(
        tr("Pooling"),
        tr("Combination of the tokens of a text; with Pooler, search uses the [CLS] token of "
           "the last layer."),
    ),
    "embedding_dropout": SettingText(
        tr("Output dropout"), tr("Share of the output values dropped at random in training.")
    ),
    "start_share": SettingText(
        tr("Share of the base model"),
        tr("Share of the base model's weights in the finished model, which keeps what a small "
           "library would make the model forget; validation scores do not include this share."),
    ),
    "triples": SettingText(
        tr("Source of triples"),
        tr("Whether triples are drawn from citations or read from the table of paper IDs in the "
           "training data."),
    ),
    "samples_per_query": SettingText(
        tr("Triples per paper"), tr("Triples for each paper that cites others."), tr("triples")
    ),
    "hard_share": SettingText(
        tr("Share of hard negatives"),
        tr("Share of triples whose negative is cited by a cited paper."),
    ),
    "queries": SettingText(
        tr("Query papers"),
        tr("Citing papers that give triples: all for which triples can be drawn, or, as in the "
           "released code, only those with hard negatives."),
    ),
    "negatives": SettingText(
        tr("Negatives"),
        tr("Papers that a cited paper is compared with: the negative drawn for its triple, as in "
           "the paper, or all papers of the step that the query paper does not cite."),
    ),
    "cls_tokens": SettingText(
        tr("[CLS] tokens"),
        tr("Number of [CLS] tokens per text; search uses their sum."),
        _TOKENS,
    ),
    "lambda": SettingText(
        tr("Weight of the best pair"),
        tr("Weight of the best pair of [CLS] tokens relative to the sums."),
    ),
    "mix": SettingText(
        tr("Weighted values"),
        tr("Quantity that the weight of the best pair applies to: similarities, as in the paper, "
           "or losses, as in the released code."),
    ),
    "facet_init": SettingText(
        tr("Initial [CLS] layers"),
        tr("Identity leaves the base model unchanged, as in the paper; Common words also starts "
           "the extra [CLS] tokens as words; Zero output is the released code."),
    ),
    "similarity": SettingText(
        tr("Similarity"),
        tr("Similarity of two papers: dot product, as in the paper, or cosine."),
    ),
    "temperature": SettingText(
        tr("Temperature"), tr("Similarities are divided by this number.")
    ),
    "tanh": SettingText(
        tr("Tanh on the output"),
        tr("Limits the output values with tanh, as in the released code but not in the paper."),
    ),
    "head": SettingText(
        tr("Classifier input"),
        tr("Output from which the journal is predicted; with Pooler, search uses the [CLS] token "
           "of the last layer."),
    ),
    "head_scale": SettingText(
        tr("Classifier scale"),
        tr("Factor of the classifier scores; with a higher factor the classifier trains sooner "
           "than the base model, which an untrained classifier misleads."),
    ),
    "min_papers": SettingText(
        tr("Min papers per group"),
        tr("Categories or journals with fewer papers are not used."),
        _PAPERS,
    ),
    "pubmed_min_papers": SettingText(
        tr("Min papers per PubMed journal"),
        tr("PubMed journals with fewer papers are not used."),
        _PAPERS,
    ),
    "max_papers": SettingText(
        tr("Max papers per journal"), tr("Papers used per journal; 0 uses all."), _PAPERS
    ),
    "recent_year": SettingText(
        tr("Required year"),
        tr("Journals need a paper from this year; 0 removes the requirement."),
    ),
    "first_year": SettingText(
        tr("First year"), tr("Earlier papers are not used; 0 uses all papers.")
    ),
    "pubmed_first_year": SettingText(
        tr("First year of PubMed papers"),
        tr("Earlier PubMed papers are not used, nor are those after the required year."),
    ),
    "choose": SettingText(
        tr("Selection of papers"),
        tr("Papers used of a larger journal: random ones, or the first as in the released code."),
    ),
    "exclude": SettingText(
        tr("Excluded journals"), tr("Journals that are not used, separated by semicolons.")
    ),
    "train_tokenizer": SettingText(
        tr("Train a tokenizer"), tr("Trains a tokenizer on the training data first.")
    ),
    "vocabulary": SettingText(
        tr("Vocabulary size"), tr("Number of different tokens of the tokenizer."), _TOKENS
    ),
    "cased": SettingText(
        tr("Case-sensitive tokens"), tr("Distinguishes uppercase from lowercase letters.")
    ),
    "from_scratch": SettingText(
        tr("Train from scratch"),
        tr("Starts from random weights with the architecture of the base model."),
    ),
    "mlm_short": SettingText(
        tr("Short block length"),
        tr("Length of the text blocks that language model training starts with; 0 skips them."),
        _TOKENS,
    ),
    "mlm_long": SettingText(
        tr("Long block length"),
        tr("Length of the text blocks that follow the short ones; 0 skips them."),
        _TOKENS,
    ),
    "mlm_short_epochs": SettingText(
        tr("Epochs of short blocks"), tr("Number of passes through all short blocks.")
    ),
    "mlm_long_epochs": SettingText(
        tr("Epochs of long blocks"), tr("Number of passes through all long blocks.")
    ),
    "mlm_batch_size": SettingText(
        tr("Batch size of blocks"),
        tr("Text blocks per training step, over all devices together."),
        _BLOCKS,
    ),
    "mlm_learning_rate": SettingText(
        tr("Learning rate of blocks"), tr("Highest learning rate of language model training.")
    ),
    "mlm_warmup": SettingText(
        tr("Warm-up of blocks"),
        tr("Warm-up of language model training as a share of its steps, at most 10,000 steps."),
    ),
    "mlm_beta2": SettingText(
        tr("Adam beta 2 of blocks"),
        tr("Decay rate of the mean of the squared gradients in language model training, as for "
           "RoBERTa."),
    ),
    "mlm_epsilon": SettingText(
        tr("Adam epsilon of blocks"),
        tr("Number that AdamW adds to its denominator in language model training, as for RoBERTa."),
    ),
    "masked": SettingText(
        tr("Share of masked tokens"), tr("Share of the tokens that the model must predict.")
    ),
    "contrast": SettingText(
        tr("Contrastive training"),
        tr("Trains on pairs of papers after language model training."),
    ),
    "category_pairs": SettingText(
        tr("Category pairs"), tr("Pairs of papers of the same category; 0 uses none."), _PAIRS
    ),
    "category_text": SettingText(
        tr("Text of category pairs"),
        tr("Text of each paper in category pairs; the paper uses the abstract only."),
    ),
    "citation_pairs": SettingText(
        tr("Citation pairs"),
        tr("Pairs of the titles of a citing and a cited paper; 0 uses none."),
        _PAIRS,
    ),
    "question_pairs": SettingText(
        tr("Question pairs"), tr("Pairs of a question and its paper; 0 uses none."), _PAIRS
    ),
    "merge": SettingText(
        tr("Merge subcategories"),
        tr("Treats astro-ph, cond-mat and hep as one category each."),
    ),
    "homogeneous": SettingText(
        tr("One kind of pair per batch"), tr("All pairs of a step come from the same source.")
    ),
    "together": SettingText(
        tr("Pairs compared together"),
        tr("Number of pairs that are negatives of each other."),
        _PAIRS,
    ),
    "mask_same_label": SettingText(
        tr("Skip negatives of the same category"),
        tr("Papers of the same category are not used as negatives."),
    ),
    "mask_same_doc": SettingText(
        tr("Skip negatives of the same paper"),
        tr("Texts of the same paper are not used as negatives."),
    ),
    "scored": SettingText(
        tr("Validation papers"), tr("Most validation papers used in an evaluation."), _PAPERS
    ),
}  # fmt: skip

_CLS, _MEAN, _POOLER = tr("[CLS] token"), tr("Mean of all tokens"), tr("Pooler")
_COSINE, _DOT = tr("Cosine"), tr("Dot product")
_CHOICES = {
    "category_text": {"abstract": tr("Abstract only"), "both": tr("Title and abstract")},
    "choose": {"random": tr("Random"), "first": tr("First")},
    "distance": {"l2": tr("Euclidean"), "cosine": _COSINE, "dot": _DOT},
    "facet_init": {
        "released": tr("Zero output"), "identity_effective": tr("Identity"),
        "words": tr("Common words"),
    },
    "head": {"pooler": _POOLER, "raw_cls": _CLS, "mean": _MEAN},
    "join": {"sep": tr("[SEP] token"), "space": tr("Space")},
    "mix": {"logits": tr("Similarities"), "losses": tr("Losses")},
    "negatives": {"drawn": tr("One per triple"), "batch": tr("All of the step")},
    "pooling": {
        "mean": _MEAN, "mean_no_special": tr("Mean without special tokens"), "cls": _CLS,
        "pooler": _POOLER, "scalar_mix": tr("Mix of all layers"),
    },
    "precision": {"auto": tr("Automatic"), "fp32": tr("32-bit"), "bf16": tr("16-bit (bf16)")},
    "queries": {"drawable": tr("All"), "two_hop": tr("With hard negatives")},
    "schedule": {
        "linear": tr("Linear decay"), "stlr": tr("Slanted triangular"),
        "constant": tr("Constant"),
    },
    "similarity": {"dot": _DOT, "cosine": _COSINE},
    "triples": {"drawn": tr("Citations"), "given": tr("Table of paper IDs")},
}  # fmt: skip


def setting_label(key: str) -> str:
    """The name of a setting; its key if this version does not know the setting."""
    text = _TEXTS.get(key)
    return text.name if text else key.replace("_", " ").capitalize()


def setting_unit(key: str) -> str:
    """The unit of a setting's value; empty if it has none."""
    text = _TEXTS.get(key)
    return text.unit if text else ""


def setting_help(key: str) -> str:
    """A sentence on what a setting does; empty if this version does not know the setting."""
    text = _TEXTS.get(key)
    return text.help if text else ""


def choice_label(key: str, value: str) -> str:
    """The name of a value of a setting; the value itself if the setting has no such choice."""
    return _CHOICES.get(key, {}).get(value, value)


def base_label(base: str) -> str:
    """The base model without its commit; for a folder, only its name."""
    if base == STARTER:
        return tr("the starter model")
    name = base.partition("@")[0]
    return name if name.count("/") <= 1 else name.rstrip("/").rpartition("/")[2]

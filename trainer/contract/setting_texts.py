"""The names, units and help of settings: one source for the window, the command line and docs."""

from __future__ import annotations

from typing import NamedTuple


def tr_noop(text: str, /) -> str:
    """Return a text unchanged, marked for translators; the window translates it when shown."""
    return text


class SettingText(NamedTuple):
    """The name of a setting, what it does in sentences, and the unit of its value, if any."""

    label: str
    help: str
    unit: str = ""


_EXAMPLES, _STEPS, _TOKENS = tr_noop("examples"), tr_noop("steps"), tr_noop("tokens")
_MINUTES = tr_noop("minutes")
_PAPERS, _PAIRS, _BLOCKS = tr_noop("papers"), tr_noop("pairs"), tr_noop("text blocks")

# By the keys of settings in recipes.
SETTING_TEXTS: dict[str, SettingText] = {
    "base": SettingText(
        tr_noop("Base model"),
        tr_noop("Model to start from: “starter”, a model folder, or a name on Hugging Face."),
    ),
    "epochs": SettingText(tr_noop("Epochs"), tr_noop("Number of passes through all examples.")),
    "batch_size": SettingText(
        tr_noop("Batch size"),
        tr_noop("Examples per training step, over all devices together."),
        _EXAMPLES,
    ),
    "learning_rate": SettingText(
        tr_noop("Learning rate"),
        tr_noop("Highest learning rate, reached at the end of the warmup."),
    ),
    "weight_decay": SettingText(
        tr_noop("Weight decay"),
        tr_noop("How strongly AdamW pulls the weights toward zero, except biases and norms."),
    ),
    "warmup": SettingText(
        tr_noop("Warmup"),
        tr_noop(
            "Length of the warmup: a share of all steps if below 1, otherwise a number of steps."
        ),
    ),
    "schedule": SettingText(
        tr_noop("Learning rate schedule"), tr_noop("Shape of the learning rate after its peak.")
    ),
    "clip": SettingText(
        tr_noop("Gradient clipping"),
        tr_noop(
            "Maximum norm of the gradient, which is scaled down above it; 0 turns clipping off."
        ),
    ),
    "beta1": SettingText(
        tr_noop("Adam beta 1"), tr_noop("Decay rate of AdamW for the mean of the gradients.")
    ),
    "beta2": SettingText(
        tr_noop("Adam beta 2"),
        tr_noop("Decay rate of AdamW for the mean of the squared gradients."),
    ),
    "epsilon": SettingText(
        tr_noop("Adam epsilon"), tr_noop("Small number added to the denominator of AdamW.")
    ),
    "max_tokens": SettingText(
        tr_noop("Max tokens in training"), tr_noop("Longer texts are cut to this length."), _TOKENS
    ),
    "read_tokens": SettingText(
        tr_noop("Max tokens in use"),
        tr_noop(
            "Longer texts are cut to this length when the model is used; 0 uses the length in "
            "training."
        ),
        _TOKENS,
    ),
    "join": SettingText(
        tr_noop("Title separator"), tr_noop("Text between the title of a paper and its abstract.")
    ),
    "dropout": SettingText(
        tr_noop("Dropout"), tr_noop("Share of values dropped at random inside the base model.")
    ),
    "evaluations": SettingText(
        tr_noop("Evaluations per epoch"),
        tr_noop("Number of evaluations per epoch on the validation papers."),
    ),
    "max_steps": SettingText(
        tr_noop("Max steps"),
        tr_noop("Ends each stage of training after this many steps; 0 completes all epochs."),
        _STEPS,
    ),
    "precision": SettingText(
        tr_noop("Precision"),
        tr_noop(
            "Number format of the forward pass; Automatic uses bf16 if the hardware supports it."
        ),
    ),
    "grid_minutes": SettingText(
        tr_noop("Time for the search"),
        tr_noop(
            "Of a recipe that tries several values of settings, no further combination is begun "
            "after this time; 0 tries all."
        ),
        _MINUTES,
    ),
    "average_steps": SettingText(
        tr_noop("Averaged steps"),
        tr_noop(
            "The validations and the new model use a moving average of the weights over about this "
            "many steps; 0 uses the weights themselves."
        ),
        _STEPS,
    ),
    "lora_rank": SettingText(
        tr_noop("LoRA rank"),
        tr_noop(
            "Trains only low-rank adapters in the layers of the base model: the new model takes a "
            "few megabytes and requires the base model. 0 trains and stores all weights."
        ),
    ),
    "lora_alpha": SettingText(
        tr_noop("LoRA alpha"),
        tr_noop("The adapters’ effect is multiplied by this number divided by the LoRA rank."),
    ),
    "margin": SettingText(
        tr_noop("Margin"),
        tr_noop("Difference required between the distances to a cited paper and to another paper."),
    ),
    "distance": SettingText(
        tr_noop("Distance"), tr_noop("Measure of the distance between two papers.")
    ),
    "pooling": SettingText(
        tr_noop("Pooling"),
        tr_noop(
            "Method of combining the tokens of a text; with Pooler, search uses the [CLS] token "
            "of the last layer."
        ),
    ),
    "embedding_dropout": SettingText(
        tr_noop("Output dropout"),
        tr_noop("Share of the output values dropped at random in training."),
    ),
    "start_share": SettingText(
        tr_noop("Share of the base model"),
        tr_noop(
            "Share of the base model's weights that is mixed into the finished model. A higher "
            "share preserves general knowledge that training on a small library can erase. "
            "Validation scores are those of the model without this share."
        ),
    ),
    "keep_search": SettingText(
        tr_noop("Protect search"),
        tr_noop(
            "Mixes in as much of the base model as the finished model needs to find validation "
            "papers by titles, sentences, and questions at least as well as the base model."
        ),
    ),
    "anchor": SettingText(
        tr_noop("Anchor to the base model"),
        tr_noop(
            "Weight of the term that keeps similarities as they are in the base model, which "
            "prevents forgetting; 0 turns it off."
        ),
    ),
    "label_head": SettingText(
        tr_noop("Emphasize labels"),
        tr_noop(
            "Ends the finished model with a linear layer (linear discriminant analysis) that "
            "emphasizes what tells journals or categories apart, as strongly as validation papers "
            "show no loss in search."
        ),
    ),
    "label_head_loss": SettingText(
        tr_noop("Allowed loss in search"),
        tr_noop(
            "Most by which the layer that emphasizes labels may lower a score of search on "
            "validation papers, from 0 to 100."
        ),
        tr_noop("points"),
    ),
    "examples": SettingText(
        tr_noop("Examples per epoch"),
        tr_noop("Number of pairs of texts drawn from all tasks for each epoch."),
        _PAIRS,
    ),
    "citation_share": SettingText(
        tr_noop("Share of citations"),
        tr_noop("Weight of pairs of a paper and one that it cites, relative to the other tasks."),
    ),
    "group_share": SettingText(
        tr_noop("Share of journals and categories"),
        tr_noop(
            "Weight of pairs of papers in the same journal, and of those in the same category, "
            "relative to the other tasks."
        ),
    ),
    "title_share": SettingText(
        tr_noop("Share of titles"),
        tr_noop("Weight of pairs of a title and its abstract, relative to the other tasks."),
    ),
    "sentence_share": SettingText(
        tr_noop("Share of sentences"),
        tr_noop(
            "Weight of pairs of a sentence and the rest of its paper, relative to the other tasks."
        ),
    ),
    "question_share": SettingText(
        tr_noop("Share of questions"),
        tr_noop(
            "Weight of pairs of a question and the abstract or passage that answers it, relative "
            "to the other tasks."
        ),
    ),
    "hard_negatives": SettingText(
        tr_noop("Hard negatives"),
        tr_noop(
            "Compares each pair also with a similar paper that is not related by citations, "
            "found by words and by the base model."
        ),
    ),
    "triples": SettingText(
        tr_noop("Source of triplets"),
        tr_noop(
            "Whether triplets are drawn from citations or read from the table of paper IDs in "
            "the training data."
        ),
    ),
    "samples_per_query": SettingText(
        tr_noop("Triplets per paper"),
        tr_noop("Number of triplets for each paper that cites others."),
        tr_noop("triplets"),
    ),
    "hard_share": SettingText(
        tr_noop("Share of hard negatives"),
        tr_noop("Share of triplets whose negative is cited by a cited paper."),
    ),
    "queries": SettingText(
        tr_noop("Query papers"),
        tr_noop(
            "Citing papers used for triplets: all of them, or only papers with hard negatives, "
            "as in the released code."
        ),
    ),
    "negatives": SettingText(
        tr_noop("Negatives"),
        tr_noop(
            "Papers that a cited paper is compared with: the negative drawn for its triplet, as "
            "published, or all papers in the batch that the query paper does not cite."
        ),
    ),
    "cls_tokens": SettingText(
        tr_noop("[CLS] tokens"),
        tr_noop("Number of [CLS] tokens per text; search uses their sum."),
        _TOKENS,
    ),
    "mean_facet": SettingText(
        tr_noop("Mean as the first [CLS]"),
        tr_noop(
            "Uses the mean of all tokens in place of the first [CLS] token. The others read the "
            "text without changing it and start at zero, so that the training starts with the "
            "similarities of the base model. The initial [CLS] layers do not matter then."
        ),
    ),
    "lambda": SettingText(
        tr_noop("Weight of the best pair"),
        tr_noop("Weight of the best pair of [CLS] tokens relative to the sums."),
    ),
    "mix": SettingText(
        tr_noop("Weighted values"),
        tr_noop(
            "Quantity that the weight of the best pair applies to: similarities, as published, "
            "or losses, as in the released code."
        ),
    ),
    "facet_init": SettingText(
        tr_noop("Initial [CLS] layers"),
        tr_noop(
            "Identity leaves the base model unchanged, as published; Common words also "
            "initializes the extra [CLS] tokens with common words; Zero output is used by the "
            "released code."
        ),
    ),
    "similarity": SettingText(
        tr_noop("Similarity"),
        tr_noop("Similarity of two papers: dot product, as published, or cosine."),
    ),
    "temperature": SettingText(
        tr_noop("Temperature"), tr_noop("Similarities are divided by this number.")
    ),
    "tanh": SettingText(
        tr_noop("Tanh on the output"),
        tr_noop(
            "Limits the output values with tanh, as in the released code; the published method "
            "does not."
        ),
    ),
    "head": SettingText(
        tr_noop("Classifier input"),
        tr_noop(
            "Output that the journal is predicted from; with Pooler, search uses the [CLS] "
            "token of the last layer."
        ),
    ),
    "head_scale": SettingText(
        tr_noop("Classifier scale"),
        tr_noop(
            "Factor applied to the classifier scores. With a higher factor, the classifier "
            "learns faster than the base model, so that the base model is not changed to suit "
            "an untrained classifier."
        ),
    ),
    "min_papers": SettingText(
        tr_noop("Min papers per group"),
        tr_noop("Categories or journals with fewer papers are not used."),
        _PAPERS,
    ),
    "pubmed_min_papers": SettingText(
        tr_noop("Min papers per PubMed journal"),
        tr_noop("PubMed journals with fewer papers are not used."),
        _PAPERS,
    ),
    "max_papers": SettingText(
        tr_noop("Max papers per journal"),
        tr_noop("Maximum number of papers used per journal; 0 uses all."),
        _PAPERS,
    ),
    "recent_year": SettingText(
        tr_noop("Required year"),
        tr_noop("Only journals with a paper from this year are used; 0 uses all journals."),
    ),
    "first_year": SettingText(
        tr_noop("First year"), tr_noop("Earlier papers are not used; 0 uses all papers.")
    ),
    "pubmed_first_year": SettingText(
        tr_noop("First year of PubMed papers"),
        tr_noop(
            "PubMed papers from before this year, or from after the required year, are not used."
        ),
    ),
    "choose": SettingText(
        tr_noop("Selection of papers"),
        tr_noop(
            "Papers used from a journal with more papers than the maximum: a random sample, or "
            "the first papers, as in the released code."
        ),
    ),
    "exclude": SettingText(
        tr_noop("Excluded journals"),
        tr_noop("Journals that are not used, separated by semicolons."),
    ),
    "train_tokenizer": SettingText(
        tr_noop("Train a tokenizer"), tr_noop("Trains a tokenizer on the training data first.")
    ),
    "vocabulary": SettingText(
        tr_noop("Vocabulary size"),
        tr_noop("Number of different tokens in the vocabulary of the tokenizer."),
        _TOKENS,
    ),
    "cased": SettingText(
        tr_noop("Case-sensitive tokens"), tr_noop("Distinguishes uppercase from lowercase letters.")
    ),
    "from_scratch": SettingText(
        tr_noop("Train from scratch"),
        tr_noop("Starts from random weights with the architecture of the base model."),
    ),
    "mlm_short": SettingText(
        tr_noop("Short block length"),
        tr_noop(
            "Length of the text blocks at the beginning of language model training; 0 skips "
            "these blocks."
        ),
        _TOKENS,
    ),
    "mlm_long": SettingText(
        tr_noop("Long block length"),
        tr_noop("Length of the text blocks that follow the short blocks; 0 skips these blocks."),
        _TOKENS,
    ),
    "mlm_short_epochs": SettingText(
        tr_noop("Epochs of short blocks"), tr_noop("Number of passes through all short blocks.")
    ),
    "mlm_long_epochs": SettingText(
        tr_noop("Epochs of long blocks"), tr_noop("Number of passes through all long blocks.")
    ),
    "mlm_batch_size": SettingText(
        tr_noop("Batch size of blocks"),
        tr_noop("Text blocks per training step, over all devices together."),
        _BLOCKS,
    ),
    "mlm_learning_rate": SettingText(
        tr_noop("Learning rate of blocks"),
        tr_noop("Highest learning rate of language model training."),
    ),
    "mlm_warmup": SettingText(
        tr_noop("Warmup of blocks"),
        tr_noop(
            "Warmup of language model training, as a share of its steps; at most 10,000 steps."
        ),
    ),
    "mlm_beta2": SettingText(
        tr_noop("Adam beta 2 of blocks"),
        tr_noop(
            "Decay rate of the mean of the squared gradients in language model training, as for "
            "RoBERTa."
        ),
    ),
    "mlm_epsilon": SettingText(
        tr_noop("Adam epsilon of blocks"),
        tr_noop(
            "Number added to the denominator of AdamW in language model training, as for RoBERTa."
        ),
    ),
    "masked": SettingText(
        tr_noop("Share of masked tokens"),
        tr_noop("Share of the tokens that the model must predict."),
    ),
    "contrast": SettingText(
        tr_noop("Contrastive training"),
        tr_noop("Trains on pairs of papers after language model training."),
    ),
    "category_pairs": SettingText(
        tr_noop("Category pairs"),
        tr_noop("Number of pairs of papers of the same category; 0 uses none."),
        _PAIRS,
    ),
    "category_text": SettingText(
        tr_noop("Text of category pairs"),
        tr_noop(
            "Text of each paper in category pairs; the published method uses the abstract only."
        ),
    ),
    "citation_pairs": SettingText(
        tr_noop("Citation pairs"),
        tr_noop("Number of pairs of the titles of a citing and a cited paper; 0 uses none."),
        _PAIRS,
    ),
    "question_pairs": SettingText(
        tr_noop("Question pairs"),
        tr_noop(
            "Number of pairs of a question and the paper that answers it, and as many of a "
            "question in a full text and its passage; 0 uses none."
        ),
        _PAIRS,
    ),
    "merge": SettingText(
        tr_noop("Merge subcategories"),
        tr_noop("Treats astro-ph, cond-mat, and hep as one category each."),
    ),
    "homogeneous": SettingText(
        tr_noop("One kind of pair per batch"),
        tr_noop("All pairs in a batch come from the same source."),
    ),
    "together": SettingText(
        tr_noop("Pairs compared together"),
        tr_noop("Number of pairs that serve as negatives for each other."),
        _PAIRS,
    ),
    "mask_same_label": SettingText(
        tr_noop("Skip negatives of the same category"),
        tr_noop("Papers of the same category are not used as negatives."),
    ),
    "mask_same_doc": SettingText(
        tr_noop("Skip negatives of the same paper"),
        tr_noop("Texts of the same paper are not used as negatives."),
    ),
    "scored": SettingText(
        tr_noop("Validation papers"),
        tr_noop("Maximum number of validation papers used in an evaluation."),
        _PAPERS,
    ),
}

_CLS, _MEAN, _POOLER = tr_noop("[CLS] token"), tr_noop("Mean of all tokens"), tr_noop("Pooler")
_COSINE, _DOT = tr_noop("Cosine"), tr_noop("Dot product")
CHOICE_LABELS: dict[str, dict[str, str]] = {
    "category_text": {"abstract": tr_noop("Abstract only"), "both": tr_noop("Title and abstract")},
    "choose": {"random": tr_noop("Random"), "first": tr_noop("First")},
    "distance": {"l2": tr_noop("Euclidean"), "cosine": _COSINE, "dot": _DOT},
    "facet_init": {
        "released": tr_noop("Zero output"),
        "identity_effective": tr_noop("Identity"),
        "words": tr_noop("Common words"),
    },
    "head": {"pooler": _POOLER, "raw_cls": _CLS, "mean": _MEAN},
    "join": {"sep": tr_noop("[SEP] token"), "space": tr_noop("Space")},
    "mix": {"logits": tr_noop("Similarities"), "losses": tr_noop("Losses")},
    "negatives": {"drawn": tr_noop("One per triplet"), "batch": tr_noop("All in the batch")},
    "pooling": {
        "mean": _MEAN,
        "mean_no_special": tr_noop("Mean without special tokens"),
        "cls": _CLS,
        "pooler": _POOLER,
        "scalar_mix": tr_noop("Mix of all layers"),
    },
    "precision": {
        "auto": tr_noop("Automatic"),
        "fp32": tr_noop("32-bit"),
        "bf16": tr_noop("16-bit (bf16)"),
    },
    "queries": {"drawable": tr_noop("All"), "two_hop": tr_noop("With hard negatives")},
    "schedule": {
        "linear": tr_noop("Linear decay"),
        "stlr": tr_noop("Slanted triangular"),
        "constant": tr_noop("Constant"),
    },
    "similarity": {"dot": _DOT, "cosine": _COSINE},
    "triples": {"drawn": tr_noop("Citations"), "given": tr_noop("Table of paper IDs")},
}


def setting_text(key: str) -> SettingText:
    """The texts of a setting; for a key that this version does not know, only a name made of it."""
    return SETTING_TEXTS.get(key) or SettingText(key.replace("_", " ").capitalize(), "")

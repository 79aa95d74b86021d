"""Catalog of evaluations: protocols, metrics, and how to display and read their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from trainer.contract.catalog import Need

# Proportions are stored as 0 to 1 and shown as papers print them: times 100, two decimals.
Unit: TypeAlias = Literal["percent", "number", "count", "per second", "MB"]

# Task, evaluation and metric of the mean of a suite.
AVERAGE = "average"


@dataclass(frozen=True)
class Metric:
    """A metric of an evaluation.

    `higher_is_better` is None if neither direction is better. `about` explains in a sentence or two
    how to read the value.
    """

    name: str
    title: str
    unit: Unit = "percent"
    higher_is_better: bool | None = True
    about: str = ""

    @property
    def arrow(self) -> str:
        """Return an arrow in the direction of improvement; empty if neither direction is better."""
        return {True: "↑", False: "↓", None: ""}[self.higher_is_better]

    def shown(self, value: float) -> str:
        """Format a value for display."""
        text = {
            "percent": f"{100 * value:.2f}",
            "number": f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}",
            "count": f"{value:,.0f}",
            "per second": f"{value:,.1f}/s",
            "MB": f"{value:,.0f} MB",
        }[self.unit]
        return text if any(digit in text for digit in "123456789") else text.removeprefix("-")


@dataclass(frozen=True)
class EvaluationSpec:
    """Description of an evaluation, as shown to the user.

    `protocol` is incremented whenever the same vectors may get different scores than before; scores
    of different versions are not compared. `needs` is the data that it requires of a corpus.
    """

    key: str
    title: str
    summary: str
    metrics: tuple[Metric, ...]
    needs: frozenset[Need] = frozenset()
    protocol: int = 1

    def metric(self, name: str) -> Metric:
        """Return the metric with this name; an unknown one is displayed as a plain number."""
        known = {metric.name: metric for metric in self.metrics}
        return known.get(name, Metric(name, name, "number", None))


# These measure the distribution of vectors and their cost, not retrieval quality.
NO_QUALITY = frozenset(("health", "speed"))
# With fewer items, a difference as usual between models is not significant: a score of 50 % then
# has a 95 % confidence interval wider than 35 percentage points.
FEW_ITEMS = 30


def has_too_few(evaluation: str, n: int) -> bool:
    """Whether a score of `n` items is of too few to tell anything. Speed needs no papers."""
    return evaluation != "speed" and n < FEW_ITEMS


def evaluation_spec(key: str) -> EvaluationSpec:
    """Return the evaluation with this key; for an unknown one, as from a newer SciRead, a spec with
    nothing but its name."""
    known = {spec.key: spec for spec in EVALUATIONS}
    return known.get(key, EvaluationSpec(key, key, "Unknown to this version.", ()))


_ACCURACY = Metric(
    "accuracy",
    "Accuracy",
    about="Share of papers with a correctly predicted label. Frequent labels count the most.",
)
_MACRO_F1 = Metric(
    "macro_f1",
    "Macro F1",
    about="Harmonic mean of precision and recall (F1), averaged over the labels: rare labels "
    "count as much as frequent ones.",
)
_MAP = Metric(
    "map",
    "MAP",
    about="Mean average precision: how high relevant papers rank. 100: all relevant papers "
    "come first.",
)
_NDCG = Metric(
    "ndcg",
    "nDCG",
    about="How high relevant papers rank, relative to the best possible ranking. Lower ranks "
    "count less.",
)
_NDCG_10 = Metric(
    "ndcg@10",
    "nDCG@10",
    about="How high relevant papers rank among the first ten results, relative to the best "
    "possible ranking.",
)
_RECALL_100 = Metric(
    "recall@100",
    "Recall@100",
    about="Share of the relevant papers found among the first hundred results.",
)
_V_MEASURE = (
    "Harmonic mean of homogeneity (each cluster contains papers of one label) and "
    "completeness (each label is in one cluster). The chance level is well above 0 if a "
    "label has few papers per fold: compare with the baseline `random`."
)

EVALUATIONS: tuple[EvaluationSpec, ...] = (
    EvaluationSpec(
        "svm",
        "Classification with a linear SVM",
        "Linear SVM without intercept, with C selected by three-fold cross-validation "
        "(SciDocs, Cohan et al., 2020).",
        (_MACRO_F1, _ACCURACY),
        frozenset({Need.fields}),
    ),
    EvaluationSpec(
        "ranking",
        "Ranking of candidates",
        "Ranks the candidates of each paper by distance, rounded to five decimals as in "
        "SciDocs (Cohan et al., 2020).",
        (_MAP, _NDCG),
        frozenset({Need.citations}),
    ),
    EvaluationSpec(
        "recommendation",
        "Clicked recommendations",
        "Rank of the paper that readers clicked, weighted by the inverse probability that "
        "they saw it (SciDocs, Cohan et al., 2020).",
        (
            Metric(
                "adj_ndcg",
                "Adjusted nDCG",
                about="How high the clicked paper ranks. Clicks at rarely seen positions count "
                "more.",
            ),
            Metric(
                "adj_p@1",
                "Adjusted P@1",
                about="How often the clicked paper ranks first. Clicks at rarely seen "
                "positions count more.",
            ),
        ),
    ),
    EvaluationSpec(
        "probe",
        "Classification with a linear probe",
        "Multinomial regression in four folds with early stopping; mean of repeated runs "
        "(MIReAD, Razdaibiedina and Brechalov, 2023).",
        (_MACRO_F1, _ACCURACY),
        frozenset({Need.venues}),
    ),
    EvaluationSpec(
        "purity",
        "Cluster purity",
        "Share of papers with the most frequent label of their k-means cluster. Purity "
        "increases with k for any model (MIReAD, Razdaibiedina and Brechalov, 2023).",
        tuple(
            Metric(
                f"purity@{k}",
                f"Purity at k = {k}",
                about=f"Share of papers with the most frequent label of their cluster, with {k} "
                "clusters.",
            )
            for k in (10, 20, 50, 100)
        ),
        frozenset({Need.fields}),
    ),
    EvaluationSpec(
        "pearson_pairs",
        "Same-category pairs",
        "All pairs of papers within a field, ranked by Pearson correlation: do pairs with a "
        "shared category rank first? (MIReAD, Razdaibiedina and Brechalov, 2023)",
        (
            Metric(
                "ap",
                "Average precision",
                about="Average precision of same-category pairs in the ranking of all pairs by "
                "similarity. Chance level: the share of same-category pairs.",
            ),
            Metric(
                "auc",
                "ROC AUC",
                about="Probability that a same-category pair is more similar than a pair of "
                "different categories. Chance level: 50.",
            ),
        ),
        frozenset({Need.fields}),
    ),
    EvaluationSpec(
        "v_measure",
        "Agreement of clusters and labels",
        "V-measure of k-means with as many clusters as labels, mean of ten folds (PhysBERT, "
        "Hellert et al., 2024).",
        (Metric("v_measure", "V-measure", about=_V_MEASURE),),
        frozenset({Need.fields}),
        protocol=2,
    ),
    EvaluationSpec(
        "subdomain",
        "Clusters after fine-tuning to a field",
        "V-measure of a field's categories after fine-tuning on pairs from these categories "
        "(PhysBERT, Hellert et al., 2024).",
        (Metric("v_measure", "V-measure", about=_V_MEASURE),),
        frozenset({Need.fields}),
    ),
    EvaluationSpec(
        "cosine_accuracy",
        "Related pairs",
        "Accuracy at the best threshold of cosine similarity (PhysBERT, Hellert et al., 2024).",
        (
            Metric(
                "cosine_accuracy",
                "Cosine accuracy",
                about="Share of pairs classified correctly as related or unrelated. Chance "
                "level: the share of the larger class, 50 if both are equal.",
            ),
        ),
        frozenset({Need.citations}),
    ),
    EvaluationSpec(
        "retrieval",
        "Queries with relevance judgments",
        "How high relevant papers rank among all papers for a typed query.",
        (_NDCG_10, _RECALL_100),
        frozenset({Need.questions}),
    ),
    EvaluationSpec(
        "neighbours",
        "Nearest neighbors",
        "Share of the ten nearest neighbors that have the same journal or field, or that the "
        "paper cites.",
        (
            Metric(
                "precision@10",
                "Precision@10",
                about="Share of relevant papers among the ten nearest neighbors.",
            ),
        ),
    ),
    EvaluationSpec(
        AVERAGE,
        "Benchmark average",
        "Mean of the scores that the paper averages; only if all of them are available.",
        (Metric(AVERAGE, "Avg", about="All scores count equally."),),
    ),
    EvaluationSpec(
        "health",
        "Model diagnostics",
        "Distribution of similarities, use of dimensions, effect of missing abstracts, and "
        "truncated papers.",
        (
            Metric(
                "mean_cosine",
                "Mean cosine of random pairs",
                "number",
                False,
                "Near 0: vectors point in all directions. Near 1: vectors lie in a narrow cone "
                "(anisotropy), and all papers appear similar.",
            ),
            Metric(
                "effective_rank",
                "Effective rank",
                "number",
                True,
                "Number of directions in which papers vary, by the entropy of the variances. "
                "1: collapse to a line; the maximum is the number of dimensions or of papers, "
                "whichever is smaller.",
            ),
            Metric(
                "title_only",
                "Similarity of paper and title",
                "number",
                None,
                "Cosine similarity of a paper and its title alone.",
            ),
            Metric(
                "title_finds@10",
                "Papers found by their title",
                about="Share of papers among the ten nearest neighbors of their title alone; "
                "indicates the quality for papers without an abstract.",
            ),
            Metric(
                "truncated",
                "Truncated papers",
                "percent",
                False,
                "Share of papers with more tokens than the model accepts; the text beyond the "
                "limit is ignored.",
            ),
        ),
        protocol=3,
    ),
    EvaluationSpec(
        "speed",
        "Speed and size",
        "Indexing speed on the machine named in the report, and size of the model.",
        (
            Metric(
                "papers_per_second",
                "Text throughput",
                "per second",
                about="Papers, titles and queries of the largest task, with one process and "
                "without loading the model. For cached vectors, the speed at which they "
                "were computed. Other programs running at the same time reduce the value.",
            ),
            Metric(
                "tokens_per_second",
                "Token throughput",
                "per second",
                about="Tokens are words or parts of words from the model's vocabulary.",
            ),
            Metric(
                "parameters",
                "Parameters",
                "count",
                None,
                "Number of trained weights. Larger models need more memory and time.",
            ),
            Metric("megabytes", "Weights", "MB", False, "Size of the weights on disk."),
            Metric(
                "dim",
                "Dimensions",
                "count",
                None,
                "More dimensions need more disk space and more time for comparisons.",
            ),
        ),
    ),
)

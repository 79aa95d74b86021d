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


def evaluation_spec(key: str) -> EvaluationSpec:
    """Return the evaluation with this key; for an unknown one, as from a newer SciRead, a spec with
    nothing but its name."""
    known = {spec.key: spec for spec in EVALUATIONS}
    return known.get(key, EvaluationSpec(key, key, "This version does not know it.", ()))


_ACCURACY = Metric(
    "accuracy",
    "accuracy",
    about="The share of papers whose label is told right. Common labels count the most.",
)
_MACRO_F1 = Metric(
    "macro_f1",
    "macro F1",
    about="Of a label, how much is found and how much of what is told so is right, as one number "
    "(F1). The mean over labels: rare ones count as much as common ones.",
)
_MAP = Metric(
    "map",
    "MAP",
    about="Mean average precision: how near the top of a ranking that stands which is relevant. "
    "100 is all of it before everything else.",
)
_NDCG = Metric(
    "ndcg",
    "nDCG",
    about="How near the top that stands which is relevant, as a share of the best order there is. "
    "The further down, the less a place counts.",
)
_NDCG_10 = Metric(
    "ndcg@10",
    "nDCG@10",
    about="How near the top that stands which is relevant, as a share of the best order there is. "
    "Only the first ten found count.",
)
_RECALL_100 = Metric(
    "recall@100",
    "recall@100",
    about="How much of what is relevant is among the first hundred found.",
)
_V_MEASURE = (
    "Do clusters hold papers of one label only, and lie the papers of a label in one cluster "
    "only? The harmonic mean of both. Chance is far above 0 where a label has few papers a fold: "
    "look at the baseline `random` beside it."
)

EVALUATIONS: tuple[EvaluationSpec, ...] = (
    EvaluationSpec(
        "svm",
        "Labels by a linear SVM",
        "A linear SVM without intercept learns labels from vectors; C by accuracy in three folds "
        "(SciDocs, Cohan et al., 2020).",
        (_MACRO_F1, _ACCURACY),
        frozenset({Need.fields}),
    ),
    EvaluationSpec(
        "ranking",
        "Ranking of judged candidates",
        "Each paper's candidates by distance, rounded to five decimals as in SciDocs "
        "(Cohan et al., 2020).",
        (_MAP, _NDCG),
        frozenset({Need.citations}),
    ),
    EvaluationSpec(
        "recommendation",
        "Clicked recommendations",
        "How high the paper stands that readers clicked on, weighted by how likely they saw it "
        "(SciDocs, Cohan et al., 2020).",
        (
            Metric(
                "adj_ndcg",
                "adjusted nDCG",
                about="How near the top the paper stands that was clicked on; clicks on what "
                "readers seldom saw count more.",
            ),
            Metric(
                "adj_p@1",
                "adjusted P@1",
                about="How often the paper that was clicked on is the very first; clicks on what "
                "readers seldom saw count more.",
            ),
        ),
    ),
    EvaluationSpec(
        "probe",
        "Labels by a linear probe",
        "Multinomial regression in four folds, stopped early; the mean of repeated runs "
        "(MIReAD, Razdaibiedina and Brechalov, 2023).",
        (_MACRO_F1, _ACCURACY),
        frozenset({Need.venues}),
    ),
    EvaluationSpec(
        "purity",
        "Purity of clusters",
        "Share of papers that bear the commonest label of their k-means cluster. It rises with k "
        "by itself (MIReAD, Razdaibiedina and Brechalov, 2023).",
        tuple(
            Metric(
                f"purity@{k}",
                f"purity at k = {k}",
                about=f"The share of papers that bear the commonest label of their cluster, when "
                f"there are {k} clusters.",
            )
            for k in (10, 20, 50, 100)
        ),
        frozenset({Need.fields}),
    ),
    EvaluationSpec(
        "pearson_pairs",
        "Pairs of one category",
        "All pairs of papers within a field, by Pearson correlation of their vectors: do those "
        "come first that share a category? (MIReAD, Razdaibiedina and Brechalov, 2023)",
        (
            Metric(
                "ap",
                "average precision",
                about="How many are right among the pairs that are most alike, however many of "
                "them one takes. Guessing gets the share of such pairs among all.",
            ),
            Metric(
                "auc",
                "ROC AUC",
                about="How often a pair of one category is more alike than a pair of two. "
                "Guessing gets 50.",
            ),
        ),
        frozenset({Need.fields}),
    ),
    EvaluationSpec(
        "v_measure",
        "Agreement of clusters and labels",
        "V-measure of k-means with as many clusters as labels, the mean of ten folds "
        "(PhysBERT, Hellert et al., 2024).",
        (Metric("v_measure", "V-measure", about=_V_MEASURE),),
        frozenset({Need.fields}),
        protocol=2,
    ),
    EvaluationSpec(
        "subdomain",
        "Clusters after fine-tuning on a field",
        "V-measure of a field's categories, once the model was trained on pairs of them "
        "(PhysBERT, Hellert et al., 2024).",
        (Metric("v_measure", "V-measure", about=_V_MEASURE),),
        frozenset({Need.fields}),
    ),
    EvaluationSpec(
        "cosine_accuracy",
        "Pairs that belong together",
        "Share of pairs told right at the best threshold of cosine similarity "
        "(PhysBERT, Hellert et al., 2024).",
        (
            Metric(
                "cosine_accuracy",
                "cosine accuracy",
                about="The share of pairs of which it is told right whether they belong together. "
                "Guessing gets the share of the commoner kind: 50 where both are as many.",
            ),
        ),
        frozenset({Need.citations}),
    ),
    EvaluationSpec(
        "retrieval",
        "Judged queries",
        "How high typed queries find, among all papers, what was judged relevant.",
        (_NDCG_10, _RECALL_100),
        frozenset({Need.questions}),
    ),
    EvaluationSpec(
        "neighbours",
        "Neighbours of a paper",
        "Share of a paper's ten nearest that have its venue or field, or that it cites.",
        (
            Metric(
                "precision@10",
                "precision@10",
                about="How many of a paper's ten nearest are such as are looked for, as a share.",
            ),
        ),
    ),
    EvaluationSpec(
        AVERAGE,
        "Average of the suite",
        "The mean of the numbers that the paper averages; only where all of them are there.",
        (Metric(AVERAGE, "Avg", about="Each number counts as much as any other."),),
    ),
    EvaluationSpec(
        "health",
        "Health of the space",
        "Do vectors use the space they have, does a title alone do, are papers read to their end?",
        (
            Metric(
                "mean_cosine",
                "mean cosine of random pairs",
                "number",
                False,
                "Near 0 vectors point everywhere. Near 1 they lie in a narrow cone (anisotropy): "
                "all papers look alike, and no similarity is high or low by itself.",
            ),
            Metric(
                "effective_rank",
                "effective rank",
                "number",
                True,
                "In how many directions papers spread around their mean, by the entropy of the "
                "variances. 1 is a line (collapse); it cannot exceed the numbers a vector, nor "
                "the papers looked at.",
            ),
            Metric(
                "title_only",
                "similarity of a paper and its title",
                "number",
                None,
                "The cosine of a paper's vector and that of its title without the abstract.",
            ),
            Metric(
                "title_finds@10",
                "papers among the ten nearest to their title",
                about="What is left where abstracts are missing: how many papers are found by "
                "their title alone.",
            ),
            Metric(
                "truncated",
                "papers cut short",
                "percent",
                False,
                "They have more word pieces than the model takes, so that their end is not read.",
            ),
        ),
        protocol=3,
    ),
    EvaluationSpec(
        "speed",
        "Speed and size",
        "How fast the model reads on the machine that the report names, and how large it is.",
        (
            Metric(
                "papers_per_second",
                "texts read",
                "per second",
                about="Papers, titles and queries of the task with the most of them, by one "
                "process, without loading the model. Of vectors that were kept it is what making "
                "them took; other work on the machine makes it less.",
            ),
            Metric(
                "tokens_per_second",
                "word pieces read",
                "per second",
                about="A model takes words apart into pieces that it knows.",
            ),
            Metric(
                "parameters",
                "parameters",
                "count",
                None,
                "The numbers that a model has learnt. More of them take more memory and time.",
            ),
            Metric("megabytes", "weights", "MB", False, "As they lie on the disk."),
            Metric(
                "dim",
                "numbers a vector",
                "count",
                None,
                "Vectors of more numbers take more room on the disk and more time to compare.",
            ),
        ),
    ),
)

"""Catalog of evaluation suites and the folders they need."""

from __future__ import annotations

from dataclasses import dataclass

from trainer.contract.errors import TrainerError

CUSTOM = "SUITE.toml"


@dataclass(frozen=True)
class SuiteSpec:
    """Description of a suite, as shown to the user.

    `module` has a function `fits`, and the function named `opened` reads the suite; its docstring
    lists the files. `takes` names the options it has besides its folder: "unseen", "queries", "val"
    (the validation part) or "abstract_only".
    """

    key: str
    title: str
    summary: str
    needs: str
    module: str
    opened: str = "suite"
    takes: frozenset[str] = frozenset()


SUITES: tuple[SuiteSpec, ...] = (
    SuiteSpec(
        "local",
        "Your own corpus",
        "Fields, journals, unseen journals, citations, co-citations, labels, queries and "
        "nearest neighbors in the test split.",
        "A folder written by `sciread-trainer prepare`.",
        "trainer.suites.local",
        takes=frozenset({"unseen", "queries"}),
    ),
    SuiteSpec(
        "judged",
        "Queries with relevance judgments",
        "Typed queries, searched for among all papers of a collection.",
        "NAME.papers.jsonl, NAME.queries.tsv and NAME.qrels.tsv (.gz supported), one or more sets.",
        "trainer.suites.judged_queries",
    ),
    SuiteSpec(
        "scidocs",
        "SciDocs",
        "Classification by MAG and MeSH labels; ranking of citations, co-citations, co-views "
        "and co-reads; clicked recommendations (Cohan et al., 2020).",
        "The published data folder: mag/, mesh/, cite/, cocite/, coview/, coread/, recomm/ "
        "and the three paper_metadata_*.json files.",
        "trainer.suites.scidocs",
        takes=frozenset({"val"}),
    ),
    SuiteSpec(
        "multi-scidocs",
        "Multi-SciDocs",
        "MAG labels, citations and co-citations across many fields (Seoh et al., 2023).",
        "mag/, cite/ and cocite/ as in SciDocs, and paper_metadata_*.json.",
        "trainer.suites.scidocs",
        "multi_suite",
        takes=frozenset({"val"}),
    ),
    SuiteSpec(
        "miread",
        "MIReAD evaluation",
        "Linear probe on categories and unseen journals, cluster purity, and all pairs "
        "within each arXiv field (Razdaibiedina and Brechalov, 2023).",
        "The published df_*.csv.gz tables, tables of unseen journals and of arXiv papers, "
        "and mag/ and mesh/ from SciDocs.",
        "trainer.suites.miread",
        takes=frozenset({"val", "abstract_only"}),
    ),
    SuiteSpec(
        "physbert",
        "PhysBERT evaluation",
        "Clusters of categories, pairs of titles linked by citations, questions and "
        "passages, and clusters of each field's subcategories (Hellert et al., 2024).",
        "The four data sets thellert/physbert_* from the Hugging Face Hub, one folder each.",
        "trainer.suites.physbert",
    ),
)
OWN = SuiteSpec(
    "own",
    "Custom benchmark",
    "Tasks described in a file; see docs/contributing/evaluation.md.",
    "The data listed in the file.",
    "trainer.suites.custom",
)


def suite_spec(key: str) -> SuiteSpec:
    """Return the suite with this key. Raises TrainerError if it is unknown."""
    for spec in SUITES:
        if spec.key == key:
            return spec
    raise TrainerError(
        f"The suite {key!r} does not exist.",
        f"Available suites: {', '.join(spec.key for spec in SUITES)}; or specify a folder "
        f"or a {CUSTOM} file.",
    )


def suite_title(key: str) -> str:
    """Return the title of a suite; for an unknown one, such as a custom suite, the key."""
    return next((spec.title for spec in SUITES if spec.key == key), key)

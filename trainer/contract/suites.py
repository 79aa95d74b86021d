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
        "A corpus of your own",
        "Fields, journals, unseen journals, citations, co-citations, labels, questions and "
        "neighbours, by papers of the test part.",
        "A folder that `sciread-trainer prepare` made.",
        "trainer.suites.local",
        takes=frozenset({"unseen", "queries"}),
    ),
    SuiteSpec(
        "judged",
        "Judged queries",
        "Typed queries among all papers of a collection.",
        "NAME.papers.jsonl, NAME.queries.tsv and NAME.qrels.tsv (.gz), once or more.",
        "trainer.suites.judged_queries",
    ),
    SuiteSpec(
        "scidocs",
        "SciDocs",
        "MAG and MeSH labels by an SVM; citations, co-citations, co-views and co-reads ranked; "
        "clicked recommendations (Cohan et al., 2020).",
        "The published data folder: mag/, mesh/, cite/, cocite/, coview/, coread/, recomm/ and the "
        "three paper_metadata_*.json beside them.",
        "trainer.suites.scidocs",
        takes=frozenset({"val"}),
    ),
    SuiteSpec(
        "multi-scidocs",
        "Multi-SciDocs",
        "MAG labels, citations and co-citations over many fields (Seoh et al., 2023).",
        "mag/, cite/ and cocite/ as in SciDocs, and paper_metadata_*.json.",
        "trainer.suites.scidocs",
        "multi_suite",
        takes=frozenset({"val"}),
    ),
    SuiteSpec(
        "miread",
        "MIReAD's evaluation",
        "Categories and unseen journals by a linear probe, purity of clusters, and all pairs "
        "inside each field of arXiv (Razdaibiedina and Brechalov, 2023).",
        "The published tables df_*.csv.gz, tables of unseen journals and of arXiv papers, and "
        "mag/ and mesh/ of SciDocs.",
        "trainer.suites.miread",
        takes=frozenset({"val", "abstract_only"}),
    ),
    SuiteSpec(
        "physbert",
        "PhysBERT's evaluation",
        "Clusters of categories, pairs of titles that cite, questions among passages, and clusters "
        "of each field's subcategories (Hellert et al., 2024).",
        "The hub's four data sets thellert/physbert_*, a folder each.",
        "trainer.suites.physbert",
    ),
)
OWN = SuiteSpec(
    "own",
    "Your own",
    "Tasks that a file describes; docs/contributing/evaluation.md says how.",
    "What the file names.",
    "trainer.suites.custom",
)


def suite_spec(key: str) -> SuiteSpec:
    """Return the suite with this key. Raises TrainerError if it is unknown."""
    for spec in SUITES:
        if spec.key == key:
            return spec
    raise TrainerError(
        f"There is no suite {key!r}.",
        f"There are {', '.join(spec.key for spec in SUITES)}; or name a folder, or a {CUSTOM}.",
    )


def suite_title(key: str) -> str:
    """Return the title of a suite; for an unknown one, such as a custom suite, the key."""
    return next((spec.title for spec in SUITES if spec.key == key), key)

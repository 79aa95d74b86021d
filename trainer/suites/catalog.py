"""The suites that there are, and which of them a folder is; nothing heavy is imported for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING

from trainer.contract.errors import TrainerError

if TYPE_CHECKING:
    from trainer.suites.suite import Settings, Suite

CUSTOM = "SUITE.toml"


@dataclass(frozen=True)
class SuiteSpec:
    """A suite as a person meets it: `module` has `fits`, and the function `opened` reads it.

    The module's docstring says which files hold what. `takes` names what may be asked of it beside
    its folder: "unseen", "queries", "val" (the validation part) or "abstract_only".
    """

    key: str
    title: str
    summary: str
    needs: str
    module: str
    opened: str = "suite"
    takes: frozenset[str] = frozenset()

    @property
    def files(self) -> str:
        """What the folder holds, file by file, and how much of it is measured."""
        return getdoc(import_module(self.module)) or ""


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
        "trainer.suites.judged",
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
    "Tasks that a file describes; CONTRIBUTING.md says how.",
    "What the file names.",
    "trainer.suites.custom",
)


def suite_spec(key: str) -> SuiteSpec:
    """Raises TrainerError for a name that is not known."""
    for spec in SUITES:
        if spec.key == key:
            return spec
    raise TrainerError(
        f"There is no suite {key!r}.",
        f"There are {', '.join(spec.key for spec in SUITES)}; or name a folder, or a {CUSTOM}.",
    )


def open_suite(
    name: str,
    data: Path | None,
    settings: Settings,
    *,
    unseen: Path | None = None,
    queries: Path | None = None,
) -> Suite:
    """The suite of this name on `data`, of a folder as it looks, or of a SUITE.toml.

    `unseen` and `queries` belong to the local suite. Raises TrainerError.
    """
    path = Path(name).expanduser()
    if not any(spec.key == name for spec in SUITES) and path.exists():
        return _open(_kind(path), path, settings, unseen, queries)
    spec = suite_spec(name)
    if data is None:
        raise TrainerError(
            f"The suite {name} needs a folder to read.", f"Name it with --corpus. {spec.needs}"
        )
    if not data.is_dir():
        raise TrainerError(f"There is no folder {data}.", spec.needs)
    return _open(spec, data, settings, unseen, queries)


def _open(
    spec: SuiteSpec, path: Path, settings: Settings, unseen: Path | None, queries: Path | None
) -> Suite:
    more = {"unseen": unseen, "queries": queries}
    given = {name: value for name, value in more.items() if value}
    asked = {"val": settings.part == "val", "abstract_only": settings.abstract_only, **given}
    for name, title in _ASKED.items():
        if asked.get(name) and name not in spec.takes:
            having = ", ".join(one.key for one in SUITES if name in one.takes)
            raise TrainerError(
                f"The suite {spec.key} takes no {title}.", f"Leave that out. These do: {having}."
            )
    make: Callable[..., Suite] = getattr(import_module(spec.module), spec.opened)
    return make(path, settings, **given)


_ASKED = {
    "unseen": "unseen journals",
    "queries": "judged queries",
    "val": "validation part",
    "abstract_only": "abstracts without titles",
}


def _kind(path: Path) -> SuiteSpec:
    """What a file or folder is, by what lies in it; SciDocs' data may lie in MIReAD's."""
    if path.suffix == ".toml" or (path / CUSTOM).is_file():
        return OWN
    if path.is_dir():
        for spec in sorted(SUITES, key=lambda spec: spec.key != "miread"):
            if import_module(spec.module).fits(path):
                return spec
    raise TrainerError(
        f"{path} is no suite: nothing in it is known.",
        "`sciread-trainer suites` says what folders of which suite hold.",
    )

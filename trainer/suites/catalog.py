"""Opening of suites by name; heavy modules are imported only when needed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING

from trainer.contract.errors import TrainerError
from trainer.contract.suites import CUSTOM, OWN, SUITES, SuiteSpec, suite_spec

if TYPE_CHECKING:
    from trainer.suites.suite import Suite, SuiteSettings


def files_of(spec: SuiteSpec) -> str:
    """Description of the files in the suite's folder: its module's docstring."""
    return getdoc(import_module(spec.module)) or ""


def open_suite(
    name: str,
    data: Path | None,
    settings: SuiteSettings,
    *,
    unseen: Path | None = None,
    queries: Path | None = None,
) -> Suite:
    """Open a suite by its name on `data`, or by the path of a suite's folder or a SUITE.toml.

    `unseen` and `queries` belong to the local suite. Raises TrainerError.
    """
    path = Path(name).expanduser()
    if not any(spec.key == name for spec in SUITES) and path.exists():
        return _open(_kind(path), path, settings, unseen, queries)
    spec = suite_spec(name)
    if data is None:
        raise TrainerError(
            f"The suite {name} requires a data folder.",
            f"Specify the folder with --corpus. {spec.needs}",
        )
    if not data.is_dir():
        raise TrainerError(f"The folder {data} does not exist.", spec.needs)
    return _open(spec, data, settings, unseen, queries)


def _open(
    spec: SuiteSpec, path: Path, settings: SuiteSettings, unseen: Path | None, queries: Path | None
) -> Suite:
    more = {"unseen": unseen, "queries": queries}
    given = {name: value for name, value in more.items() if value}
    asked = {"val": settings.part == "val", "abstract_only": settings.abstract_only, **given}
    for name, title in _ASKED.items():
        if asked.get(name) and name not in spec.takes:
            having = ", ".join(one.key for one in SUITES if name in one.takes)
            raise TrainerError(
                f"The suite {spec.key} does not support {title}.",
                f"Omit the option. It is supported by: {having}.",
            )
    make: Callable[..., Suite] = getattr(import_module(spec.module), spec.opened)
    return make(path, settings, **given)


_ASKED = {
    "unseen": "unseen journals",
    "queries": "queries",
    "val": "the validation split",
    "abstract_only": "abstracts without titles",
}


def _kind(path: Path) -> SuiteSpec:
    """Recognize a suite by its files; MIReAD's folder may contain SciDocs' data."""
    if path.suffix == ".toml" or (path / CUSTOM).is_file():
        return OWN
    if path.is_dir():
        for spec in sorted(SUITES, key=lambda spec: spec.key != "miread"):
            if import_module(spec.module).fits(path):
                return spec
    raise TrainerError(
        f"{path} is not a known benchmark suite.",
        "`sciread-trainer suites` describes the required files of each suite.",
    )

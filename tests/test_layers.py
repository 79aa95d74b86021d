"""The house's layers: what may import what (CONTRIBUTING.md)."""

from __future__ import annotations

import subprocess
import sys

import grimp
import pytest

# A row reads: code under this name may import from our own packages only these, and itself.
# The longest name that fits a module is its row.
# What speaks to a person may do so in his language.
EVERYWHERE = ("sciread_app.language",)
MAY_IMPORT = {
    "sciread_app.language": (),
    "sciread_app.errors": (),
    "sciread_app.paths": ("sciread_app.errors",),
    "sciread_app.tasks": ("sciread_app.errors",),
    "sciread_app.settings": ("sciread_app.paths", "sciread_app.errors"),
    "sciread_app.domain": ("sciread_app.errors",),
    "sciread_app.storage": ("sciread_app.domain", "sciread_app.errors"),
    "sciread_app.formats": ("sciread_app.domain", "sciread_app.errors"),
    "sciread_app.sources": (
        "sciread_app.formats",
        "sciread_app.domain",
        "sciread_app.tasks",
        "sciread_app.errors",
    ),
    "sciread_app.encoder": ("sciread_app.tasks", "sciread_app.errors", "trainer.contract"),
    "sciread_app.services": (
        "sciread_app.storage",
        "sciread_app.sources",
        "sciread_app.formats",
        "sciread_app.encoder",
        "sciread_app.domain",
        "sciread_app.tasks",
        "sciread_app.paths",
        "sciread_app.errors",
        "trainer.contract",
    ),
    "sciread_app.workspace": (
        "sciread_app.services",
        "sciread_app.storage",
        "sciread_app.sources",
        "sciread_app.formats",
        "sciread_app.encoder",
        "sciread_app.settings",
        "sciread_app.domain",
        "sciread_app.tasks",
        "sciread_app.paths",
        "sciread_app.errors",
        "trainer.contract",
    ),
    "sciread_app.console": ("sciread_app.tasks",),
    "sciread_app.cli": (
        "sciread_app.console",
        "sciread_app.workspace",
        "sciread_app.services",
        "sciread_app.sources",  # to keep keys
        "sciread_app.storage",  # values that it prints
        "sciread_app.domain",
        "sciread_app.tasks",
        "sciread_app.paths",
        "sciread_app.errors",
        "trainer.contract",
    ),
    "sciread_app.ui": (
        "sciread_app.workspace",
        "sciread_app.services",
        "sciread_app.settings",
        "sciread_app.paths",
        "sciread_app.domain",
        "sciread_app.tasks",
        "sciread_app.errors",
        "trainer.contract",
    ),
    # `sciread trainer ...` is the trainer, for builds that are one program.
    "sciread_app.__main__": (
        "sciread_app.cli",
        "sciread_app.ui",
        "sciread_app.paths",
        "trainer.cli",
    ),
    "trainer.contract": (),
    "trainer.model": ("trainer.contract",),
    "trainer.packages": ("trainer.contract",),
    "trainer.data": ("trainer.model", "trainer.contract"),
    "trainer.embedding": ("trainer.data", "trainer.contract"),
    "trainer.evaluations": ("trainer.distributed", "trainer.contract"),
    "trainer.reports": ("trainer.evaluations", "trainer.contract"),
    "trainer.subjects": (
        "trainer.evaluations",
        "trainer.packages",
        "trainer.embedding.shards",
        "trainer.encoder",
        "trainer.machine",
        "trainer.version",
        "trainer.distributed",
        "trainer.model",
        "trainer.contract",
    ),
    "trainer.suites": ("trainer.evaluations", "trainer.data", "trainer.contract"),
    "trainer.methods": (
        "trainer.evaluations",
        "trainer.data",
        "trainer.model",
        "trainer.contract",
    ),
    "trainer.loop": (
        "trainer.methods",
        "trainer.packages",
        "trainer.data",
        "trainer.encoder",
        "trainer.machine",
        "trainer.version",
        "trainer.distributed",
        "trainer.model",
        "trainer.contract",
    ),
    # What stands at its top: commands, and what ties the rest together.
    "trainer": ("trainer",),
}

# Nobody outside the named place may import these libraries.
ONLY_IN = {
    "PySide6": ("sciread_app.ui",),
    "sqlalchemy": ("sciread_app.storage",),
    "alembic": ("sciread_app.storage",),
    "hnswlib": ("sciread_app.storage.vector_index",),
    "httpx": ("sciread_app.sources.http",),
    "torch": ("trainer",),
    "transformers": ("trainer",),
}

HEAVY = ("torch", "transformers", "PySide6")
# These must load in milliseconds, though the door stands in a house full of torch.
LIGHT = ("sciread_app", "trainer.contract")
# The window is what Qt is for; Alembic alone can run its scripts.
NOT_LIGHT = ("sciread_app.ui", "sciread_app.storage.migrations")

OURS = ("sciread_app", "trainer")


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph(*OURS, include_external_packages=True, cache_dir=None)


def our_modules(imports: grimp.ImportGraph) -> list[str]:
    return sorted(m for m in imports.modules if m.split(".")[0] in OURS and m not in OURS)


def within(module: str, places: tuple[str, ...]) -> bool:
    return any(module == place or module.startswith(f"{place}.") for place in places)


def row_of(module: str) -> str | None:
    return max((row for row in MAY_IMPORT if within(module, (row,))), key=len, default=None)


def where(imports: grimp.ImportGraph, importer: str, imported: str) -> str:
    """The import as a reader of the failure needs it: place and line."""
    detail = imports.get_import_details(importer=importer, imported=imported)[0]
    return f"{importer}:{detail['line_number']}: {detail['line_contents']}"


def test_every_module_has_its_layer(imports):
    homeless = [module for module in our_modules(imports) if row_of(module) is None]
    assert not homeless, f"no row of MAY_IMPORT says what these may import: {homeless}"


def test_imports_point_down(imports):
    wrong = []
    for importer in our_modules(imports):
        row = row_of(importer)
        allowed = (row, *MAY_IMPORT[row], *EVERYWHERE) if row else ()
        for imported in imports.find_modules_directly_imported_by(importer) - set(OURS):
            if within(imported, OURS) and not within(imported, allowed):
                wrong.append(where(imports, importer, imported))
    assert not wrong, "not allowed by MAY_IMPORT:\n" + "\n".join(sorted(wrong))


def test_the_packages_themselves_import_nothing_of_ours(imports):
    """So anybody may import them, for the version."""
    for package in OURS:
        ours = [m for m in imports.find_modules_directly_imported_by(package) if within(m, OURS)]
        assert not ours, f"{package}/__init__.py imports {ours}, and so does whoever imports it"


@pytest.mark.parametrize(("library", "places"), ONLY_IN.items(), ids=ONLY_IN)
def test_a_library_stays_in_its_place(imports, library, places):
    importers = (
        imports.find_modules_that_directly_import(library) if library in imports.modules else ()
    )
    wrong = [
        where(imports, importer, library) for importer in importers if not within(importer, places)
    ]
    assert not wrong, f"{library} may be imported only in {places}:\n" + "\n".join(sorted(wrong))


def test_the_door_imports_nothing_heavy_even_late(imports):
    for module in our_modules(imports):
        if within(module, ("trainer.contract",)):
            heavy = set(HEAVY) & imports.find_modules_directly_imported_by(module)
            assert not heavy, f"{module} imports {heavy}"


def test_the_app_and_the_door_load_nothing_heavy(imports):
    """Also not through others: a library that imports torch by itself would slow every start."""
    modules = [m for m in our_modules(imports) if within(m, LIGHT) and not within(m, NOT_LIGHT)]
    program = (
        "import importlib, sys\n"
        f"heavy = set({HEAVY})\n"
        "for name in sys.argv[1:]:\n"
        "    importlib.import_module(name)\n"
        "    if loaded := heavy & set(sys.modules):\n"
        "        sys.exit(f'{name} loads {loaded}')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *modules], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_window_opens_without_what_only_some_pages_need():
    """It would cost a second of its start, and 200 MB."""
    needless = {"scipy", "sklearn", "openTSNE", "quickjs", "httpx", "pypdfium2"}
    program = f"import sys, sciread_app.ui.desk; sys.exit(str({needless} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stderr.strip() == "set()"

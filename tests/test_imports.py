"""Modules that must be imported in milliseconds import no heavy library, not even indirectly."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import sciread_app
import trainer.contract

HEAVY = {"torch", "transformers", "PySide6"}
# Qt is for the window only, and only Alembic can run the scripts of migrations.
EXEMPT = ("sciread_app.ui", "sciread_app.storage.migrations", "sciread_app.__main__")
# Importing these would delay the start of the window by a second, and take 200 MB.
ONLY_FOR_SOME_PAGES = {"scipy", "sklearn", "openTSNE", "quickjs", "httpx", "pypdfium2"}
# Imported while the library is opened, when the window is shown already.
FOR_THE_LIBRARY = {*ONLY_FOR_SOME_PAGES, "numpy", "sqlalchemy", "hnswlib"}


def test_app_and_contract_load_no_heavy_library():
    modules = [
        module.name
        for package in (sciread_app, trainer.contract)
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".", onerror=None)
        if not module.name.startswith(EXEMPT)
    ]
    program = (
        "import importlib, sys\n"
        f"heavy = {HEAVY}\n"
        "for name in sys.argv[1:]:\n"
        "    importlib.import_module(name)\n"
        "    if loaded := heavy & set(sys.modules):\n"
        "        sys.exit(f'{name} loads {loaded}')\n"
    )
    assert len(modules) > 200
    assert run(program, *modules) == ""


def test_window_loads_nothing_that_only_some_pages_need():
    needless = ONLY_FOR_SOME_PAGES
    program = (
        "import sys, sciread_app.ui.shell.gateway; "
        f"print({needless} & set(sys.modules), file=sys.stderr)"
    )
    assert run(program) == "set()"


def test_window_is_shown_before_modules_for_the_library_are_loaded():
    program = (
        "import sys, sciread_app.ui.application; "
        f"print({FOR_THE_LIBRARY} & set(sys.modules), file=sys.stderr)"
    )
    assert run(program) == "set()"


def run(program: str, *arguments: str) -> str:
    """Return the stderr of the program."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    return done.stderr.strip()

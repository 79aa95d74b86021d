"""The command line in tests, and a few papers for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from sciread_app import cli

BIB = """
@article{curie1898, author = {Curie, Marie}, title = {On a new radioactive substance},
  journal = {Comptes rendus}, year = 1898, doi = {10.1000/radium}}
@article{joliot1934, author = {Joliot, Fr\\'ed\\'eric}, title = {A new type of radioactivity},
  year = 1934, abstract = {Aluminium that was bombarded goes on radiating.}}
@article{maeterlinck1901, author = {Maeterlinck, Maurice}, title = {The life of bees}, year = 1901}
"""


class Shell:
    """Run commands on one home; `json` returns the output of --json."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._runner = CliRunner()

    def run(self, *arguments: str, code: int = 0) -> Result:
        result = self._runner.invoke(cli.app, [*arguments, "--home", str(self.home)])
        assert result.exit_code == code, result.output
        return result

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.run(*arguments, "--json", code=code).stdout)

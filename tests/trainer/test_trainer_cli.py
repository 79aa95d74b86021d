from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from trainer import cli


def test_help_names_every_command_and_a_first_step() -> None:
    shown = CliRunner().invoke(cli.app, ["--help"]).stdout
    assert all(word in shown for word in ("info", "serve", "info starter"))


def test_info_says_what_a_model_is() -> None:
    shown = CliRunner().invoke(cli.app, ["info", "starter"]).stdout
    assert "all-MiniLM-L6-v2" in shown
    assert "384" in shown


def test_a_refused_model_is_told_in_two_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["sciread-trainer", "info", str(tmp_path)])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 1
    said = capsys.readouterr().err
    assert "package.json" in said
    assert "Traceback" not in said

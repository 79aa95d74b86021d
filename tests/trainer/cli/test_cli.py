from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.models.tiny_model import package_with_dense
from trainer import cli


def test_help_lists_commands_and_a_first_example() -> None:
    shown = CliRunner().invoke(cli.app, ["--help"]).stdout
    assert all(word in shown for word in ("info", "serve", "info starter"))


def test_help_fills_narrow_terminal_and_keeps_commands_on_separate_lines() -> None:
    shown = CliRunner().invoke(cli.app, ["train", "--help"], env={"COLUMNS": "60"}).stdout
    lines = [line.strip() for line in shown.splitlines()]
    (begun,) = [n for n, line in enumerate(lines) if line.startswith("A new run requires")]
    assert all(len(line) > 45 for line in lines[begun : begun + 2])
    assert "sciread-trainer train runs/first --recipe specter-small" in lines


def test_version_is_that_of_the_package() -> None:
    shown = CliRunner().invoke(cli.app, ["--version"])
    assert (shown.exit_code, shown.stdout) == (0, f"sciread {version('sciread')}\n")


def test_info_describes_the_model() -> None:
    shown = CliRunner().invoke(cli.app, ["info", "starter"], env={"COLUMNS": "40"}).stdout
    result = dict(line.split(maxsplit=1) for line in shown.splitlines() if line[16:])
    assert (result["title"], result["dim"]) == ("all-MiniLM-L6-v2", "384")
    assert Path(result["folder"]).is_dir()  # at any width of the terminal


def test_info_shows_the_query_template_and_the_modules(tmp_path: Path) -> None:
    folder = package_with_dense(tmp_path / "model", query_template="study: {title}").folder
    shown = CliRunner().invoke(cli.app, ["info", str(folder)]).stdout
    assert "study: {title}" in shown and "2_Dense" in shown


def test_refused_model_prints_error_and_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["sciread-trainer", "info", str(tmp_path)])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 1
    output = capsys.readouterr().err
    assert "package.json" in output
    assert "Traceback" not in output


def test_cli_is_imported_without_heavy_libraries() -> None:
    """Help and lists must appear at once: torch takes seconds to import, numpy a quarter of one."""
    program = (
        "import sys, trainer.cli\n"
        "heavy = {'torch', 'transformers', 'numpy', 'tokenizers', 'lxml', 'sklearn', 'pyarrow'}\n"
        "print(*sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout.split(), done.stderr) == ([], "")

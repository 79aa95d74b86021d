"""Progress is printed as lines if stderr is not a terminal."""

from rich.padding import Padding
from rich.text import Text

from sciread_app.console import Console


def test_progress_in_a_pipe_omits_countdowns(capsys):
    with Console(as_json=False).progress("Fetching") as task:
        task.step(3, 70, "Could not reach arXiv; retrying (9 s)")
        task.step(3, 70, "Could not reach arXiv; retrying (8 s)")
    output = capsys.readouterr()
    assert output.out == "" and output.err.count("Could not reach") == 1
    assert "3 of 70" in output.err


def test_json_output_has_no_progress(capsys):
    with Console(as_json=True).progress("Fetching") as task:
        task.step(1, 2, "Asking")
    assert capsys.readouterr() == ("", "")


def test_long_line_in_a_pipe_is_not_broken(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    line = "/papers/" + "a long name " * 50 + ".bib"
    Console(as_json=False).print(Padding(Text(line), (0, 0, 0, 2)))
    assert capsys.readouterr().out == f"  {line}\n"

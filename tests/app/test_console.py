"""Where stderr is no terminal, progress comes as lines."""

from sciread_app.console import Console


def test_progress_is_told_in_a_pipe_and_does_not_repeat_a_countdown(capsys):
    with Console(as_json=False).progress("Fetching") as task:
        task.step(3, 70, "arXiv cannot be reached; asking again (9 s)")
        task.step(3, 70, "arXiv cannot be reached; asking again (8 s)")
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("cannot be reached") == 1
    assert "3 of 70" in told.err


def test_a_program_that_asks_for_json_is_told_no_progress(capsys):
    with Console(as_json=True).progress("Fetching") as task:
        task.step(1, 2, "Asking")
    assert capsys.readouterr() == ("", "")

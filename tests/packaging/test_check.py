"""The check of the frozen program runs it in a clean environment and detects failures."""

from __future__ import annotations

import pypdfium2
import pytest
from check_window import pdf
from frozen_program import Program

pytestmark = pytest.mark.skipif(
    "sys.platform == 'win32'", reason="the fake program is a shell script"
)


def test_program_runs_in_a_clean_environment(program, tmp_path, monkeypatch):
    monkeypatch.setenv("SCIREAD_HOME", "/of/this/machine")
    (program / "sciread").write_text("#!/bin/sh\nexec /usr/bin/env\n")
    built = Program(program, tmp_path / "place", "")
    variables = dict(line.split("=", 1) for line in built.run().splitlines())
    assert variables["HOME"] == str(tmp_path / "place") and variables["PATH"] == "/nonexistent"
    assert not {"SCIREAD_HOME", "DISPLAY", "PYTHONPATH", "VIRTUAL_ENV"} & set(variables)
    assert built.library.is_dir() and built.library.parent == tmp_path / "place/Ada’s programs"


def test_failing_command_ends_the_check(program, tmp_path):
    (program / "sciread").write_text("#!/bin/sh\necho broken\nexit 3\n")
    with pytest.raises(SystemExit, match="broken"):
        Program(program, tmp_path / "place", "").run("find")


def test_pdf_is_one_magenta_page_with_a_title():
    document = pypdfium2.PdfDocument(pdf().encode("latin-1"))
    (page,) = document
    assert page.render().to_numpy()[400, 300].tolist()[:3] == [255, 0, 255]
    assert document.get_metadata_dict()["Title"] == "Magenta squares considered"

"""The command that finds open-access PDFs."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sciread_app import cli
from sciread_app.settings import Settings, write_settings
from tests.support.generate.pdf import At, body, make_pdf
from tests.support.servers.local import Answer, LocalServer


@pytest.fixture
def arxiv(monkeypatch, tmp_path):
    pdf = make_pdf([At("On the flight of bees", 18, y=740), *body()])

    def respond(asked):
        known = asked.path == "/2101.00001"
        return Answer(pdf, "application/pdf") if known else Answer(b"none", "text/plain", 404)

    with LocalServer(respond) as server:
        monkeypatch.setenv("SCIREAD_ARXIV_PDF_URL", server.url)
        monkeypatch.setenv("SCIREAD_ARXIV_PDF_PAUSE", "0")
        monkeypatch.setenv("SCIREAD_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("SCIREAD_HOME", str(tmp_path / "home"))
        yield server


def run(*arguments, code):
    result = CliRunner().invoke(cli.app, [*arguments, "--json"])
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def test_pdfs_are_filed_and_papers_without_one_are_listed(arxiv, tmp_path):
    for name, title in (("2101.00001", "On the flight of bees"), ("2101.00002", "On ants")):
        file = tmp_path / f"{name}.bib"
        file.write_text(f"@article{{a{name}, title={{{title}}}, eprint={{{name}}}, "
                        "archiveprefix={arXiv}, year={2021}}")  # fmt: skip
        run("add", str(file), code=0)
    assert "PDF folder" in run("find-pdfs", "--all", code=1)["error"]
    (tmp_path / "pdfs").mkdir()
    settings = tmp_path / "home" / "settings.toml"
    write_settings(settings, Settings(pdf_folder=str(tmp_path / "pdfs")))
    report = run("find-pdfs", "--all", code=1)
    (found,) = report["found"]
    assert found["source"] == "arXiv" and "On the flight of bees" in found["file"]
    assert [one["entry"] for one in report["failures"]] == ["On ants"]

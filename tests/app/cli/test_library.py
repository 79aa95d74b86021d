"""The command line: every command, its JSON and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sciread_app import cli
from sciread_app.domain.fetch import SourceQuery
from sciread_app.paths import resource
from sciread_app.storage.library import Library
from tests.support.shell import Shell

pytestmark = pytest.mark.usefixtures("forked_python")


def titles(found) -> list[str]:
    return [hit["title"] for hit in found["hits"]]


def test_add_lists_files_that_were_not_read_and_filters_them(shell, tmp_path):
    folder = tmp_path / "mixed"
    folder.mkdir()
    for name in ("photo.png", "letter.docx", "data.csv"):
        (folder / name).write_text("x")
    report = shell.json("add", str(folder))
    assert [Path(one["file"]).name for one in report["unread"]] == [
        "data.csv", "letter.docx", "photo.png",
    ]  # fmt: skip
    assert all(one["why"] for one in report["unread"]) and report["passed_over"] == 3
    assert report["other_kinds"] == {".csv": 1, ".docx": 1, ".png": 1}
    output = shell.run("add", str(folder), "--filter", "DOCX").stdout
    assert "Files of this type" in output and "photo" not in output
    report = shell.json("add", str(folder), "--filter", "docx")
    assert len(report["unread"]) == 1 and report["passed_over"] == 3


def test_add_reports_every_entry(shell, tmp_path):
    report = shell.json("add", str(tmp_path / "refs.bib"))
    assert (report["read"], report["added"], report["merged"], report["failed"]) == (3, 0, 3, 0)
    (tmp_path / "bad.bib").write_text("@article{x, title = {never ends")
    report = shell.json("add", str(tmp_path / "bad.bib"), code=1)
    assert report["failed"] == 1 and report["failures"][0]["file"].endswith("bad.bib")
    output = shell.run("add", str(tmp_path / "bad.bib"), code=1).stdout
    assert "bad.bib" in "".join(output.split())  # a long path is wrapped


def test_find_works_by_words_before_encoding(shell):
    found = shell.json("find", "bees")
    assert titles(found) == ["The life of bees"] and "Index the library" in found["note"]
    assert titles(shell.json("find", "year:..1900", "radioactive", "--mode", "text")) == [
        "On a new radioactive substance"
    ]


def test_search_by_meaning_without_an_index_names_the_command_that_makes_one(shell):
    assert "sciread encode" in shell.run("find", "bees", "--mode", "meaning", code=1).stderr
    assert "sciread encode" in shell.run("find", "bees").stderr
    assert "sciread encode" not in shell.run("find", "bees", "--mode", "text").stderr


def test_encode_reports_remaining_papers(shell):
    assert shell.json("encode", "--max", "2") | {"space": ""} == {
        "encoded": 2,
        "left": 1,
        "space": "",
    }
    assert shell.json("encode")["left"] == 0
    found = shell.json("find", "anything", "--mode", "meaning")
    assert len(found["hits"]) + found["weaker"] == 3
    assert len(shell.json("similar", "curie1898", "--unlike", "joliot1934")["hits"]) == 1


def test_paper_is_named_by_number_doi_or_citation_key(shell):
    for name in ("1", "10.1000/radium", "https://doi.org/10.1000/RADIUM", "curie1898"):
        [paper] = shell.json("show", name)
        assert paper["title"] == "On a new radioactive substance"
    assert shell.json("show", "nobody", code=1)["error"] == "Paper nobody is not in the library."


def test_citation_key_is_case_sensitive_only_if_ambiguous(shell, tmp_path):
    def add(key, title):
        (tmp_path / "more.bib").write_text(f"@misc{{{key}, title = {{{title}}}}}", "utf-8")
        shell.run("add", str(tmp_path / "more.bib"))

    shell.run("encode")
    add("w1", "Wasps")
    assert shell.json("show", "W1")[0]["title"] == "Wasps"
    assert shell.json("show", "Curie1898")[0]["id"] == 1
    assert shell.json("find", "like:W1", "--mode", "meaning")["hits"] is not None
    add("W1", "On the wings of beetles")
    assert shell.json("show", "w1")[0]["title"] == "Wasps"
    assert shell.json("show", "W1")[0]["title"] == "On the wings of beetles"
    shell.run("trash", "W1")
    assert shell.json("show", "W1")[0]["title"] == "Wasps"


def test_paper_type_is_a_label_in_text_and_a_key_in_json(shell):
    shell.run("edit", "curie1898", "type=paper-conference")
    output = shell.run("show", "curie1898").stdout
    assert "Conference paper" in output and "paper-conference" not in output
    assert shell.json("show", "curie1898")[0]["kind"] == "paper-conference"


def test_papers_can_be_tagged_and_collected(shell):
    shell.run("tag", "old", "curie1898", "joliot1934")
    shell.run("collect", "physics/radium", "1")
    assert len(shell.json("find", "tag:old")["hits"]) == 2
    assert titles(shell.json("find", "in:physics")) == ["On a new radioactive substance"]
    shell.run("tag", "old", "curie1898", "--remove")
    [paper] = shell.json("show", "1")
    assert paper["tags"] == [] and paper["collections"] == ["physics/radium"]


def test_edits_can_be_undone_and_redone(shell):
    assert shell.run("rate", "4", "curie1898").stdout == "Rated 1 paper 4 stars\n"
    assert shell.json("trash", "curie1898", "2") == {"papers": [1, 2], "in_trash": True}
    assert shell.json("status")["papers"] == 1
    assert shell.json("undo") == {"edit": "Moved 2 papers to Trash"}
    assert shell.json("status")["papers"] == 3
    assert shell.run("redo").stdout == "Redone: Moved 2 papers to Trash\n"
    assert shell.json("untrash", "10.1000/radium", "2")["papers"] == [1, 2]
    for _ in range(3):
        shell.run("undo")
    assert shell.json("undo", code=1) == {"edit": None}
    assert shell.run("undo", code=1).stdout == "Nothing to undo.\n"


def test_merges_of_an_import_are_listed_and_undone(shell, tmp_path):
    file = tmp_path / "again.bib"
    entry = "title = {On a new radioactive substance}, doi = {10.1000/radium}, pages = {7}"
    file.write_text(f"@article{{again, {entry}}}", "utf-8")
    assert shell.json("duplicates", "--merged") == {"merges": []}
    assert shell.json("add", str(file))["merged"] == 1
    [merge] = shell.json("duplicates", "--merged")["merges"]
    assert merge["paper"] == 1 and merge["came"] == str(file)
    assert "again.bib" in shell.json("undo")["edit"]
    assert shell.json("status")["papers"] == 4
    assert "again.bib" in shell.json("redo")["edit"]
    assert len(shell.json("split", "1")["made"]) == 1
    assert shell.json("duplicates", "--merged") == {"merges": []}
    assert "error" in shell.json("split", "1", code=1)
    shell.run("undo")
    assert len(shell.json("split", "1", "--merge", str(merge["id"]))["made"]) == 1
    assert "error" in shell.json("split", "99", code=1)


def test_tex_in_titles_is_shown_as_unicode(shell, tmp_path):
    file = tmp_path / "tex.bib"
    authors = ("Joliot, I.", "Joliot, I. and Curie, M.")
    entries = (
        f"title = {{On $x^2$}}, author = {{{names}}}, year = 1934, abstract = {{Less by $x^2$.}}"
        for names in authors
    )
    file.write_text("".join(f"@article{{k{n}, {one}}}" for n, one in enumerate(entries)), "utf-8")
    shell.run("add", str(file))
    shell.run("merge", "k0", "k1")
    found = shell.run("find", "x2", "--mode", "text").stdout
    assert "keywords: x²" in found and "by x²" in found and "$" not in found
    assert "On x²  ←  On x²" in shell.run("duplicates", "--merged").stdout
    assert shell.run("split", "k0").stdout.count("On x²") == 2
    assert shell.json("show", "k0")[0]["title"] == "On $x^2$"


def test_duplicates_are_listed_and_merged(shell, tmp_path):
    assert shell.run("duplicates").stdout == "No duplicates to review.\n"
    title = "On a new radioactive substance of the second kind"
    for number, entry in enumerate(
        (f"title = {{{title}}}, author = {{Joliot, I.}}", f"title = {{{title.upper()}}}")
    ):
        file = tmp_path / f"{number}.bib"
        file.write_text(f"@article{{k{number}, {entry}, year = 1934}}", "utf-8")
        shell.run("add", str(file))
    [pair] = shell.json("duplicates")["pairs"]
    assert (pair["a"], pair["b"], pair["agree"]) == (4, 5, True)
    assert shell.json("merge", "k0", "5", "4") == {"kept": 4, "papers": [4, 5]}
    shell.run("undo")
    merged = shell.json("duplicates", "--merge")
    assert merged == {"merged": "Merged 2 papers into 1", "pairs": []}
    assert "single paper cannot be merged" in shell.json("merge", "4", code=1)["error"]


def test_duplicates_search_covers_the_whole_library(shell, tmp_path):
    title = "On a new radioactive substance of the second kind"
    for number, author in enumerate(("Joliot, I.", "Curie, M.")):
        file = tmp_path / f"{number}.bib"
        entry = f"@article{{k{number}, title = {{{title}}}, author = {{{author}}}, year = 1934}}"
        file.write_text(entry, "utf-8")
        shell.run("add", str(file))
    shell.run("edit", "k1", "authors=Joliot, I.")
    assert shell.json("duplicates")["pairs"] == []
    [pair] = shell.json("duplicates", "--scan")["pairs"]
    assert (pair["a"], pair["b"]) == (4, 5)


@pytest.mark.parametrize("format", ["bibtex", "biblatex", "ris", "csl-json", "jsonl"])
def test_exported_papers_can_be_imported_again(shell, tmp_path, format):
    suffix = {"ris": ".ris", "csl-json": ".json", "jsonl": ".jsonl"}.get(format, ".bib")
    target = tmp_path / f"out{suffix}"
    shell.run("export", "--format", format, "--output", str(target))
    other = Shell(tmp_path / "other")
    assert other.json("add", str(target))["added"] == 3
    assert other.json("show", "1")[0]["title"] == "On a new radioactive substance"
    assert "Joliot" in shell.run("export", "joliot", "--format", format).stdout
    assert "Joliot" not in shell.run("export", "joliot", "bees", "--format", format, code=1).stdout


@pytest.mark.parametrize("options", [(), ("-o", "there.ris")])
def test_export_of_no_papers_fails_and_writes_nothing(shell, tmp_path, options):
    (tmp_path / "there.ris").write_text("kept", "utf-8")
    words = [str(tmp_path / option) if option.endswith(".ris") else option for option in options]
    done = shell.run("export", "out.ris", *words, code=1)
    assert done.stdout == "" and "-o out.ris" in done.stderr
    done = shell.run("export", "zeppelin", *words, code=1)
    assert done.stdout == "" and "zeppelin" in done.stderr
    assert (tmp_path / "there.ris").read_text("utf-8") == "kept"


def test_export_of_empty_library_writes_an_empty_file(shell, tmp_path):
    shell.run("trash", "1", "2", "3")
    shell.run("export", "-o", str(tmp_path / "out.ris"))
    assert (tmp_path / "out.ris").read_text("utf-8").strip() == ""


def test_keep_of_unknown_file_fails(shell):
    assert "thesis.bib" in shell.json("keep", "thesis.bib", code=1)["error"]


def test_backup_and_restore_bring_back_the_library(shell, tmp_path):
    file = str(tmp_path / "b.zip")
    shell.run("backup", file)
    (tmp_path / "more.bib").write_text("@misc{x, title = {Wasps}}")
    shell.run("add", str(tmp_path / "more.bib"))
    shell.run("restore", file)
    assert shell.json("status")["papers"] == 3


def test_doctor_repairs_caches(shell):
    shell.run("encode")
    for cache in shell.home.joinpath("indexes").iterdir():
        cache.write_bytes(b"garbage")
    assert all(finding["ok"] for finding in shell.json("doctor"))
    assert shell.json("encode")["left"] == 0
    assert all(f["ok"] and not f["mended"] for f in shell.json("doctor"))


def test_doctor_reports_rebuilt_index(shell):
    shell.run("encode")
    for cache in shell.home.joinpath("indexes").glob("*.hnsw*"):
        cache.unlink()
    (vectors,) = [f for f in shell.json("doctor") if f["mended"]]
    assert vectors["detail"].endswith(".hnsw is missing. Rebuilt.")


def test_home_and_json_are_accepted_before_the_command(shell):
    output = CliRunner().invoke(cli.app, ["--home", str(shell.home), "--json", "status"])
    assert json.loads(output.stdout) == shell.json("status")
    other = str(shell.home / "other")
    output = CliRunner().invoke(cli.app, ["--home", str(shell.home), "status", "--home", other])
    assert output.exit_code == 1 and other in "".join(output.output.split())


def test_leftover_of_killed_export_is_hidden_and_removed_later(shell, tmp_path):
    left, busy = tmp_path / ".killed.bib.sciread-new", tmp_path / ".other.bib.sciread-new"
    code = (
        "import os, sys; from pathlib import Path; "
        "from sciread_app.services.export.export import _whole;"
        "whole = _whole(Path(sys.argv[1])); stream = whole.__enter__();"
        "stream.write('half'); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "killed.bib")], check=False)
    busy.touch()
    assert left.exists() and not list(tmp_path.glob("*.new"))
    os.utime(left, (0, 0))
    shell.run("export", "-o", str(tmp_path / "all.bib"))
    assert not left.exists() and busy.exists()
    shell.run("export", "-o", str(tmp_path / "other.bib"))
    assert not busy.exists() and (tmp_path / "other.bib").exists()


@pytest.mark.parametrize(
    "verb",
    ["status", "find bees", "show 1", "export -o x.bib", "doctor", "encode", "tag a 1", "undo"],
)
def test_reading_commands_create_no_library(tmp_path, verb):
    nowhere = Shell(tmp_path / "mistyped")
    answer = nowhere.json(*verb.split(), code=1)
    assert "mistyped" in answer["error"] and "sciread add" in answer["hint"]
    assert nowhere.json("backups") == []
    assert not nowhere.home.exists()


def test_status_describes_the_library(shell):
    shell.run("encode")
    status = shell.json("status")
    assert (status["papers"], status["found_by_meaning"], status["in_trash"]) == (3, 3, 0)
    assert status["last_import"]["read"] == 3 and status["model"]


def test_failed_fetch_does_not_hide_last_import_in_status(shell):
    library = Library(shell.home / "library.sqlite3")
    fetch = library.fetches.keep(SourceQuery("arxiv", "all:bees"))
    library.import_log.open("arXiv: all:bees", fetch=fetch)
    library.fetches.fail(fetch, "arXiv did not answer.")
    library.close()
    status = shell.json("status")
    assert (status["last_import"]["read"], status["last_import"]["finished"]) == (3, True)
    result = status["last_fetch"]
    assert (result["read"], result["finished"], result["fetch"]) == (0, False, fetch)
    assert result["problem"] == "arXiv did not answer."
    output = shell.run("status").stdout
    assert f"fetch --resume {fetch}" in " ".join(output.split()) and "add the same" not in output


def test_invalid_query_exits_with_2_and_explanation(shell):
    answer = shell.json("find", "year:tomorrow", code=2)
    assert "year:tomorrow" in answer["error"] and "year:2015" in answer["hint"]
    shell.run("find", code=2)


def test_newer_library_gives_error_without_traceback(shell, tmp_path):
    import sqlite3

    with sqlite3.connect(shell.home / "library.sqlite3") as db:
        db.execute("PRAGMA user_version = 99")
    assert "newer version of SciRead" in shell.json("status", code=1)["error"]


def test_program_runs_without_a_window(fresh_python):
    for arguments in (["--version"], ["--help"], ["find", "--help"]):
        run = subprocess.run(
            [sys.executable, "-m", "sciread_app", *arguments], capture_output=True, text=True
        )
        assert run.returncode == 0 and run.stdout.strip()


def test_cite_formats_references_by_style(shell):
    output = shell.run("cite", "curie1898", "--style", "vancouver").stdout
    assert output == (
        "1. Curie M. On a new radioactive substance. Comptes rendus. 1898. doi:10.1000/radium\n"
    )
    assert (
        "<i>Comptes rendus</i>" in shell.run("cite", "curie1898", "-s", "nature", "--html").stdout
    )
    marks = shell.run("cite", "curie1898", "joliot1934", "--in-text").stdout
    assert marks == "(Curie, 1898; Joliot, 1934)\n"
    answer = shell.json("cite", "curie1898", "joliot1934", "--style", "ieee")
    assert answer["in_text"]["text"] == "[1], [2]"
    assert [entry["text"][:6] for entry in answer["references"]] == ["[1] M.", "[2] F."]


def test_tex_is_shown_as_unicode_and_exported_unchanged(shell, tmp_path):
    (tmp_path / "tex.bib").write_text(
        r"@article{w, title={Ice of H$_2$O}, year=2020, author={A B}}"
    )
    shell.run("add", str(tmp_path / "tex.bib"))
    assert "Ice of H₂O" in shell.run("find", "ice").stdout
    assert "Ice of H₂O" in shell.run("show", "w").stdout
    assert "H$_2$O" in shell.run("export", "ice", "--format", "bibtex").stdout
    assert shell.json("find", "ice")["hits"][0]["title"] == "Ice of H$_2$O"


def test_cite_accepts_a_style_file(shell):
    apa = str(resource("styles/apa.csl"))
    output = shell.run("cite", "curie1898", "--style", apa).stdout
    assert output == shell.run("cite", "curie1898", "--style", "APA").stdout
    assert shell.json("styles", "--add", apa)["styles"] == [
        {"style": "apa-2", "title": "APA Style 7th edition"}
    ]
    assert shell.run("cite", "curie1898", "--style", "apa-2").stdout == output
    assert "apa-2" in [style["style"] for style in shell.json("styles")["styles"]]
    shell.run("styles", "--remove", "apa-2")
    assert "apa-2" in shell.run("cite", "1", "--style", "apa-2", code=2).stderr


def test_keep_updates_the_file_of_a_collection_until_stopped(shell, tmp_path):
    file = tmp_path / "thesis.bib"
    shell.run("collect", "thesis", "curie1898")
    shell.run("keep", "thesis", str(file))
    assert "curie1898" in file.read_text("utf-8")
    shell.run("collect", "thesis", "joliot1934")
    (kept,) = shell.json("keep")["files"]
    assert "joliot1934" in file.read_text("utf-8") and kept["path"] == str(file)
    file.write_text("% mine", "utf-8")
    (kept,) = shell.json("keep", code=1)["files"]
    assert "changed the file" in kept["problem"] and file.read_text("utf-8") == "% mine"
    shell.run("keep", "thesis", "--stop")
    assert shell.json("keep")["files"] == []
    assert "thesis.doc" in shell.run("keep", "thesis", "thesis.doc", code=1).output


def test_tags_and_collections_are_listed(shell):
    assert (shell.json("tags"), shell.json("collections")) == ([], [])
    shell.run("tag", "to [read]", "1")
    shell.run("collect", "thesis/methods", "1")
    assert shell.json("tags") == ["to [read]"] and "to [read]" in shell.run("tags").output
    assert "thesis/methods" in shell.json("collections")


def test_status_counts_only_readable_vectors(shell):
    shell.run("encode")
    assert shell.json("status")["found_by_meaning"] == 3
    for file in shell.home.rglob("*.vectors"):
        file.unlink()
    assert shell.json("status")["found_by_meaning"] == 0


def test_empty_argument_does_not_import_the_current_folder(shell, tmp_path, monkeypatch):
    (tmp_path / "more.bib").write_text("@article{more, title = {On another substance}}", "utf-8")
    monkeypatch.chdir(tmp_path)
    before = shell.json("status")["papers"]
    assert shell.json("add", "", code=2)["error"]
    assert shell.json("status")["papers"] == before

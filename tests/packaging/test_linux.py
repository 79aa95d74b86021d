"""The desktop files, man pages, archive and package for Linux."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import tarfile
from configparser import ConfigParser
from pathlib import Path

import pytest
from about import FILES, ROOT, version
from debian import QT_NEEDS
from defusedxml import ElementTree
from typer.main import get_command

from sciread_app.cli import app as sciread
from trainer.cli import app as trainer

pytestmark = pytest.mark.skipif(not Path("/proc").exists(), reason="scripts for Linux")
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


def test_desktop_entry_names_icons_and_file_types(share):
    parser = ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment]  # the default lowercases the keys
    parser.read(share / "applications/sciread.desktop", "utf-8")
    entry = parser["Desktop Entry"]
    assert entry["Exec"] == "sciread %F" and entry["Type"] == "Application"
    assert (share / f"icons/hicolor/scalable/apps/{entry['Icon']}.svg").is_file()
    for size in (16, 48, 256):
        picture = (share / f"icons/hicolor/{size}x{size}/apps/{entry['Icon']}.png").read_bytes()
        assert int.from_bytes(picture[16:20], "big") == size
    assert set(entry["MimeType"].rstrip(";").split(";")) == {file.mime for file in FILES}


def test_unknown_mime_types_are_defined(share):
    root = ElementTree.parse(share / "mime/packages/sciread.xml").getroot()
    defined = {one.get("type"): {glob.get("pattern") for glob in one.iter(f"{MIME}glob")}
               for one in root.iter(f"{MIME}mime-type")}  # fmt: skip
    expected = {file.mime: {f"*{suffix}" for suffix in file.suffixes} for file in FILES
                if not file.known}  # fmt: skip
    assert defined == expected


def test_appstream_metainfo_is_valid(share):
    (file,) = (share / "metainfo").iterdir()
    root = ElementTree.parse(file).getroot()
    assert file.name == f"{root.findtext('id')}.metainfo.xml"
    assert root.findtext("launchable") == "sciread.desktop"
    if tool := shutil.which("appstreamcli"):
        done = subprocess.run(
            [tool, "validate", "--no-net", file], capture_output=True, check=False
        )
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("name", "app"), [("sciread", sciread), ("sciread-trainer", trainer)])
def test_man_page_covers_every_verb_with_its_options(share, name, app):
    text = gzip.decompress((share / f"man/man1/{name}.1.gz").read_bytes()).decode()
    plain = text.replace("\\-", "-")
    shown = re.findall(r"^\.SS (.+)$", plain, re.M)
    for verb, options in verbs(get_command(app)):
        section = next((title for title in shown if f"{title} ".startswith(f"{verb} ")), None)
        assert section, f"{name}.1 has no {verb}"
        about = plain.partition(f".SS {section}\n")[2].partition("\n.S")[0]
        assert [option for option in options if f"\\fB{option}\\fR" not in about] == []
    commands = {line.split()[0] for line in text.splitlines() if line.startswith(".")}
    assert commands <= {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR"}


def verbs(group, before=""):
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            yield from verbs(command, f"{before}{name} ")
        else:
            options = [one.opts[0] for one in command.params
                       if one.param_type_name == "option" and one.help]  # fmt: skip
            yield f"{before}{name}", options


def test_completions_are_written_for_each_shell(share):
    assert "complete -o default -F" in (share / "bash-completion/completions/sciread").read_text()
    assert (share / "zsh/site-functions/_sciread").read_text().startswith("#compdef sciread")
    assert "--no-files" not in (share / "fish/vendor_completions.d/sciread.fish").read_text()


@pytest.fixture
def made(linux, share, program, tmp_path, monkeypatch) -> Path:
    """Return the folder of the unpacked archive."""
    monkeypatch.setattr(linux, "share", lambda folder: shutil.copytree(share, folder))
    work = tmp_path / "work"
    work.mkdir()
    file = linux.archive(program, tmp_path, work)
    with tarfile.open(file) as archive:
        assert {(one.uid, one.gid) for one in archive} == {(0, 0)}
        archive.extractall(tmp_path / "unpacked", filter="tar")
    return tmp_path / "unpacked" / file.name.removesuffix(".tar.gz")


def start(*command: str | Path, home: Path) -> str:
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_uninstall_removes_the_program_and_keeps_the_library(made, tmp_path):
    home = tmp_path / "ada b"
    library = home / ".local/share/SciRead/library.sqlite3"
    library.parent.mkdir(parents=True)
    library.write_text("papers")
    printed = start("sh", made / "install.sh", home=home)
    assert f"{home}/.local/bin is not on your PATH" in printed
    assert start(home / ".local/bin/sciread", "find", "x", home=home) == "started with: find x\n"
    trained = start(home / ".local/bin/sciread-trainer", "info", home=home)
    assert trained == "started with: trainer info\n"
    entry = (home / ".local/share/applications/sciread.desktop").read_text("utf-8")
    assert f'Exec="{home}/.local/lib/sciread/sciread" %F' in entry
    printed = start("sh", home / ".local/lib/sciread/uninstall.sh", home=home)
    assert f"Your library is still there, with its models and backups: {library.parent}" in printed
    assert library.read_text() == "papers"
    # The desktop's own caches, which cover all programs, may stay.
    left = [file for file in home.rglob("*") if file.is_file() and file.suffix != ".cache"
            and "mime" not in file.parts]  # fmt: skip
    assert left == [library]


def test_update_replaces_the_program_and_keeps_its_library(made, tmp_path):
    start("sh", made / "install.sh", tmp_path / "opt", home=tmp_path)
    program = tmp_path / "opt/lib/sciread"
    (program / "SciRead-home").mkdir()
    (program / "SciRead-home/library.sqlite3").write_text("papers")
    (program / "_internal/part").rename(program / "_internal/part of before")
    start("sh", made / "install.sh", tmp_path / "opt", home=tmp_path)
    assert [file.name for file in (program / "_internal").iterdir()] == ["part"]
    assert (program / "SciRead-home/library.sqlite3").read_text() == "papers"
    printed = start("sh", program / "uninstall.sh", home=tmp_path)
    assert f"still there, with its models and backups: {program}/SciRead-home" in printed
    assert [file.name for file in program.iterdir()] == ["SciRead-home"]


def test_archive_is_reproducible(linux, share, program, tmp_path, monkeypatch):
    monkeypatch.setattr(linux, "share", lambda folder: shutil.copytree(share, folder))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    builds = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        builds.append(linux.archive(program, tmp_path, tmp_path / name).read_bytes())
    assert builds[0] == builds[1]


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="there is no dpkg-deb")
def test_deb_names_its_version_dependencies_and_files(linux, share, program, tmp_path, monkeypatch):
    monkeypatch.setattr(linux, "share", lambda folder: shutil.copytree(share, folder))
    (tmp_path / "work").mkdir()
    file = linux.package(program, tmp_path, tmp_path / "work")
    info = start("dpkg-deb", "--info", file, home=tmp_path)
    assert f"Version: {version()}\n" in info and "libxcb-cursor0" in info
    contents = start("dpkg-deb", "--contents", file, home=tmp_path)
    assert "./usr/bin/sciread -> ../lib/sciread/sciread" in contents
    assert "root/root" in contents and "./usr/share/zsh/vendor-completions/_sciread" in contents


def test_deb_depends_on_the_libraries_that_qt_loads():
    script = (ROOT / "packaging/qt_libraries.sh").read_text("utf-8")
    listed = re.search(r'packages="([^"]+)"', script)
    assert listed and set(listed[1].split()) == {name.split("| ")[-1] for name in QT_NEEDS}

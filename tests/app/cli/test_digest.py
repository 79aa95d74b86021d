"""Digests on the command line: output, files, topics, and the timer."""

from __future__ import annotations

import email
import email.policy
import json
import os
import shutil
import stat
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from defusedxml import ElementTree

from sciread_app import workspace
from sciread_app.storage.library import Library
from tests.support.models.fake_encoder import WordsEncoder
from tests.support.models.topics import BEES, STARS, about, collect_bees, fetch, like
from tests.support.servers.eutils_server import EutilsServer
from tests.support.shell import Shell

pytestmark = pytest.mark.usefixtures("forked_python")

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def home_with_new_papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home that `shell` copies; no test may change it."""
    shell = Shell(tmp_path_factory.mktemp("new_papers") / "home")
    shell.home.mkdir()
    library = Library(shell.home / "library.sqlite3")
    collect_bees(library)
    fetch(library, [like(BEES, 3), like(BEES, 5), about(STARS, 100)])
    library.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workspace, "EncoderProcess", lambda package: WordsEncoder())
        shell.run("encode")
    shell.run("digest", "topics", "bees", "--daily")
    return shell.home


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home_with_new_papers: Path) -> Shell:
    """A library with new papers for the collection "bees", which is part of digests."""
    monkeypatch.setattr(workspace, "EncoderProcess", lambda package: WordsEncoder())
    return Shell(shutil.copytree(home_with_new_papers, tmp_path / "home"))


@pytest.fixture
def systemctl(tmp_path, monkeypatch):
    """A fake systemctl, with the units in a folder of the test."""
    program = tmp_path / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(sys, "platform", "linux")
    return tmp_path / "config" / "systemd" / "user"


def test_digest_prints_markdown_once(shell):
    printed = shell.run("digest").stdout
    assert printed.startswith("# ") and "## bees" in printed and "honey" in printed
    again = shell.run("digest")
    assert again.stdout == "" and "No new papers" in again.stderr


def test_preview_and_last_do_not_list_papers_anew(shell):
    previewed = shell.json("digest", "--preview")
    made = shell.json("digest")
    last = shell.json("digest", "--last")
    assert previewed["topics"] == made["topics"] == last["topics"] and made["papers"] > 0
    assert last["made"] == made["made"]


@pytest.mark.parametrize("name", ["new.md", "new.html", "new.atom", "new.xml", "new.json"])
def test_format_follows_the_name_of_the_file(shell, tmp_path, name):
    file = tmp_path / name
    assert shell.json("digest", "--output", str(file))["file"] == str(file)
    text = file.read_text("utf-8")
    if name.endswith(("atom", "xml")):
        assert ElementTree.fromstring(text).findall(f"{ATOM}entry")
    elif name.endswith("json"):
        assert json.loads(text)["papers"] > 0
    else:
        assert ("<html" in text) == name.endswith("html")


def test_file_is_not_written_without_new_papers(shell, tmp_path):
    shell.run("digest")
    shell.run("digest", "--output", str(tmp_path / "new.md"))
    assert not (tmp_path / "new.md").exists()


def test_failed_file_leaves_papers_for_the_next_digest(shell, tmp_path):
    failed = shell.json("digest", "--output", str(tmp_path / "missing" / "new.md"), code=1)
    assert "new.md" in failed["error"]
    assert shell.json("digest")["papers"] > 0


def test_feed_in_the_home_folder_has_the_new_papers(shell):
    papers = shell.json("digest")["papers"]
    root = ElementTree.parse(shell.home / "digest.atom").getroot()
    assert len(root.findall(f"{ATOM}entry")) == papers


def test_mail_is_a_whole_message(shell):
    printed = shell.run("digest", "--mail", "me@example.org").stdout
    message = email.message_from_string(printed, policy=email.policy.default)
    assert (
        message["To"] == "me@example.org" and "bees" in message.get_body(("plain",)).get_content()
    )


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--mail", "me"], "me"),
        (["--output", "new.pdf"], "new.pdf"),
        (["--since", "soon"], "soon"),
        (["topics", "bees", "--weekly", "someday"], "someday"),
        (["topics", "bees"], "--daily"),
        (["topics", "bees", "--daily", "--never"], "--daily"),
        (["schedule", "--daily", "25:00"], "25:00"),
        (["schedule", "--daily", "08:00", "--remove"], "--remove"),
    ],
)
def test_invalid_options_are_explained(shell, options, named):
    refused = shell.json("digest", *options, code=2)
    assert named in f"{refused['error']} {refused['hint']}"


def test_unknown_topic_is_named(shell):
    assert "wasps" in shell.json("digest", "--topic", "wasps", code=1)["error"]


def test_topic_without_interval_is_listed_on_request(shell):
    shell.run("digest", "topics", "bees", "--never")
    nothing = shell.run("digest")
    assert nothing.stdout == "" and "digest topics" in nothing.stderr
    assert shell.json("digest", "--topic", "bees")["papers"] > 0


def test_topics_list_their_intervals(shell):
    shell.run("digest", "topics", "all", "--weekly", "Friday")
    listed = {one["name"]: one for one in shell.json("digest", "topics")}
    assert (listed["all"]["frequency"], listed["all"]["day"]) == ("weekly", "fri")
    assert (listed["bees"]["frequency"], listed["bees"]["day"]) == ("daily", None)
    assert "weekly on Friday" in shell.run("digest", "topics").stdout
    shell.run("undo")
    listed = {one["name"]: one for one in shell.json("digest", "topics")}
    assert listed["all"]["frequency"] == "never"


def test_due_lists_nothing_before_the_next_day(shell):
    assert shell.json("digest", "--due")["papers"] == 0
    assert shell.json("digest")["papers"] > 0


def test_schedule_is_installed_shown_and_removed(shell, systemctl):
    assert shell.json("digest", "schedule") == {"installed": False}
    installed = shell.json("digest", "schedule", "--weekly", "mon", "08:30")
    assert (installed["day"], installed["time"]) == ("mon", "08:30") and installed["next"]
    (service,) = systemctl.glob("*.service")
    text = service.read_text("utf-8")
    assert f'"{shell.home}"' in text and '"digest" "--due" "--fetch" "--notify"' in text
    assert "weekly on Monday" in shell.run("digest", "schedule", "--status").stdout
    assert shell.json("digest", "schedule", "--remove") == {"installed": False}
    assert list(systemctl.iterdir()) == []


def test_timer_of_a_moved_library_is_named_and_can_be_removed(shell, systemctl, tmp_path):
    shell.run("digest", "schedule", "--daily", "08:30")
    assert str(shell.home) not in shell.run("digest", "schedule").stderr
    moved = tmp_path / "moved"
    shell.home.rename(moved)
    warned = Shell(moved).run("digest", "schedule").stderr
    assert str(shell.home) in "".join(warned.split()) and "--remove" in warned
    shell.run("digest", "schedule", "--remove")
    assert list(systemctl.iterdir()) == []
    assert not Shell(moved).run("digest", "schedule").stderr


def test_schedule_needs_a_library(tmp_path, systemctl):
    empty = Shell(tmp_path / "empty")
    assert "empty" in empty.json("digest", "schedule", "--daily", "08:00", code=1)["error"]
    assert not systemctl.exists()


def test_notification_tells_the_number_of_new_papers(shell, systemctl, tmp_path):
    program = tmp_path / "bin" / "notify-send"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/said\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    papers = shell.json("digest", "--notify")["papers"]
    assert f"{papers} new papers" in (tmp_path / "said").read_text("utf-8")
    (tmp_path / "said").unlink()
    shell.run("digest", "--notify")
    assert not (tmp_path / "said").exists()


def test_digest_fetches_first(shell, tmp_path, monkeypatch):
    days = (date.today() - date(2001, 3, 1)).days
    with EutilsServer(days, per_day=1) as server:
        monkeypatch.setenv("SCIREAD_EUTILS_URL", server.url)
        monkeypatch.setenv("SCIREAD_EUTILS_PAUSE", "0")
        monkeypatch.setenv("SCIREAD_CACHE", str(tmp_path / "cache"))
        shell.run("fetches", "--forget", "1")
        shell.run("fetch", "pubmed", "all", "--since", f"{date.today().year}")
        shell.run("digest", "topics", "all", "--daily")
        shell.run("digest", "--topic", "all")
        server.count += 1
        fetched = shell.json("digest", "--topic", "all", "--fetch")
    assert fetched["problems"] == [] and fetched["papers"] == 1


def test_closed_pipe_leaves_papers_for_the_next_digest(shell):
    process = subprocess.Popen(
        [sys.executable, "-m", "sciread_app", "digest", "--home", str(shell.home)],
        stdout=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.wait(120) != 0
    assert shell.json("digest")["papers"] > 0

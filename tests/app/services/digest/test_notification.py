"""Notifications by the programs of the desktop, which are faked."""

from __future__ import annotations

import os
import shlex
import stat
import sys
import time

import pytest

from sciread_app.services.digest.notification import notify

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the fake programs are scripts")


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Return a function that makes a program, whose arguments are then lines of tmp_path/said."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def make(name, script=""):
        path = tmp_path / name
        log = shlex.quote(str(tmp_path / "said"))
        path.write_text(f'#!/bin/sh\n{script}\nprintf "%s\\n" "$@" > {log}\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    return make


def said(tmp_path):
    return (tmp_path / "said").read_text("utf-8").splitlines()


def test_text_is_passed_to_notify_send_as_text(fake, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    fake("notify-send")
    assert notify("-t 9", "1 < 2 & more", ["false"], "Open") is True
    assert said(tmp_path)[-3:] == ["--", "-t 9", "1 &lt; 2 &amp; more"]
    assert not any(line.startswith("--action") for line in said(tmp_path))


def test_click_opens_the_window(fake, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    fake("notify-send", '[ "$1" = --help ] && echo "--action=NAME" && exit\necho default')
    opened = tmp_path / "opened"
    assert notify("New digest", "3 new papers", ["touch", str(opened)], "Open") is True
    assert "--action=default=Open" in said(tmp_path)
    until = time.monotonic() + 30
    while not opened.exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert opened.exists()


def test_macos_gets_the_text_as_arguments(fake, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    fake("osascript")
    assert notify("New digest", '"3" papers', ["false"], "Open") is True
    assert said(tmp_path)[-2:] == ["New digest", '"3" papers']


def test_desktop_without_notifications_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert notify("New digest", "3 new papers", ["false"], "Open") is False

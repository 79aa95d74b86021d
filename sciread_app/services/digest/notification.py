"""A notification of the desktop from a process without a window."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from html import escape

_SECONDS = 600  # that a click is waited for
# The title, the text and the command line are passed as variables, not as code.
_POWERSHELL = """
Add-Type -AssemblyName System.Windows.Forms, System.Drawing
$icon = New-Object System.Windows.Forms.NotifyIcon
$icon.Icon = [System.Drawing.SystemIcons]::Information
$icon.Visible = $true
Register-ObjectEvent $icon BalloonTipClicked -SourceIdentifier clicked | Out-Null
$icon.ShowBalloonTip(10000, $env:SCIREAD_TITLE, $env:SCIREAD_TEXT, 'Info')
if (Wait-Event -SourceIdentifier clicked -Timeout 60) { 'default' }
$icon.Dispose()
"""


def notify(title: str, text: str, opening: Sequence[str], label: str) -> bool:
    """Show a notification, and run the command `opening` if it is clicked. `label` names the click.

    False if there is no way to show one. macOS has no click for notifications of scripts.
    """
    if sys.platform == "darwin":
        script = "display notification (item 2 of argv) with title (item 1 of argv)"
        lines = ("on run argv", script, "end run")
        parts = [part for line in lines for part in ("-e", line)]
        return _run(["osascript", *parts, title, text]) is not None
    if sys.platform == "win32":
        os.environ["SCIREAD_TITLE"], os.environ["SCIREAD_TEXT"] = title, text
        clicked = _run(["powershell", "-NoProfile", "-NonInteractive", "-Command", _POWERSHELL])
    else:
        clicked = _run(_notify_send(title, text, label))
    if clicked is not None and "default" in clicked.split():
        subprocess.Popen(opening, start_new_session=True)
    return clicked is not None


def _notify_send(title: str, text: str, label: str) -> list[str]:
    options = ["--app-name=SciRead", "--icon=sciread", "--hint=string:desktop-entry:sciread"]
    if "--action" in (_run(["notify-send", "--help"]) or ""):  # since libnotify 0.7.11
        options.append(f"--action=default={label}")
    return ["notify-send", *options, "--", title, escape(text, quote=False)]


def _run(command: Sequence[str]) -> str | None:
    """The output of a program; None if it does not exist or fails."""
    if not shutil.which(command[0]):
        return None
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            creationflags=hidden,
        )
    except subprocess.TimeoutExpired:
        return ""
    except OSError:
        return None
    return None if done.returncode else done.stdout

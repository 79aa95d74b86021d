"""Run commands of the command line, one after the other, in a process that can run anywhere.

Standard input: {"home": folder, "verbs": [[word, ...], ...], "most": bytes of a file, or null}, in
JSON. Standard output: for each command its exit code, its output, and the traceback of an error.
"""

from __future__ import annotations

import json
import sys
import traceback
from functools import cache

import typer.testing

from sciread_app import cli, workspace
from sciread_app.services.subprocess import trainer
from tests.support.models import fake_trainer
from tests.support.models.fake_encoder import FakeEncoder


def main() -> None:
    asked = json.load(sys.stdin)
    # Build the commands once, as the program does, and not for each of them.
    typer.testing._get_command = cache(typer.testing._get_command)
    workspace.EncoderProcess = lambda package: FakeEncoder()  # type: ignore[assignment,misc]
    trainer.trainer_command = fake_trainer.command  # type: ignore[assignment]
    if asked["most"] is not None:
        import resource
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (asked["most"], asked["most"]))
    json.dump([run(asked["home"], words) for words in asked["verbs"]], sys.stdout)


def run(home: str, words: list[str]) -> dict[str, object]:
    done = typer.testing.CliRunner().invoke(cli.app, [*words, "--home", home])
    fault = done.exception if not isinstance(done.exception, SystemExit) else None
    return {
        "verb": words,
        "code": done.exit_code,
        "stdout": done.stdout,
        "stderr": done.stderr,
        "fault": "".join(traceback.format_exception(fault)) if fault else "",
    }


if __name__ == "__main__":
    main()

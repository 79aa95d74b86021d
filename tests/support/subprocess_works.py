"""Functions that tests run in a subprocess, which imports this module."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from trainer.contract import wire

PRINTED_AT_IMPORT = tr("{n:,} paper")


def double(numbers, task):
    print("what is printed is no answer")
    task.step(1, 2, "half")
    task.step(2, 2, "whole")
    return numbers * 2, os.getpid(), np.arange(3)


def refuse(task):
    raise LibraryError("It cannot be.", "Do it otherwise.")


def stumble(task):
    raise ZeroDivisionError("by nobody")


def die(task):
    os._exit(3)


def die_while_answering(task):
    def send(stream, header, body):
        whole = io.BytesIO()
        send_whole(whole, header, body)
        stream.write(whole.getvalue()[:-1])
        stream.flush()
        os._exit(3)

    send_whole, wire.send = wire.send, send
    return "never complete"


def run_forever(pid_file: Path, task):
    pid_file.write_text(str(os.getpid()))
    while True:
        task.step(0, 0, "at it")


def write_text(task):
    return PRINTED_AT_IMPORT

"""An encoder process: requests on stdin, vectors on stdout."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from trainer.contract import wire
from trainer.contract.errors import PackageRefused, TrainerError
from trainer.contract.package import Package, find_model

_NICENESS = 10
_LONGEST_MESSAGE = 200  # characters of a library's message

# Texts, and whether they are typed queries -> vectors
Encode = Callable[[Sequence[tuple[str, str]], bool], NDArray[np.float32]]


def serve(model: str) -> int:
    """Answer requests until the pipe is closed; the exit code is 1 if `model` cannot be loaded.

    The first frame reports that the model is ready, or why it is not. The response to `{"id": 1,
    "texts": [["title", "abstract"], ...], "queries": false}` is `{"id": 1, "rows": n, "dim": d}`
    followed by the vectors, or `{"id": 1, "error", "hint"}`.
    """
    requests, answers = wire.take_pipes()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)  # with every core busy, the app's window would stutter
    try:
        package = find_model(model)
        encode = _load(package)
    except TrainerError as error:
        wire.send(answers, {"error": error.message, "hint": error.hint})
        return 1
    try:
        wire.send(answers, {"ready": True, "space": package.space, "dim": package.dim})
        answer_requests(requests, answers, encode)
    except OSError:
        pass  # the reader has closed the pipe
    except wire.BrokenFrame as error:
        print(f"The request could not be read: {error}", file=sys.stderr)
        return 1
    return 0


def answer_requests(requests: wire.Readable, answers: BinaryIO, encode: Encode) -> None:
    """Answer all requests in order. An error in one of them is returned in its response."""
    while request := wire.receive(requests):
        number = request.header.get("id")
        try:
            queries = request.header.get("queries") is True
            vectors = encode(_texts(request.header), queries)
        except Exception as error:  # a boundary: returned to the client
            wire.send(answers, {"id": number, "error": str(error), "hint": type(error).__name__})
        else:
            rows, dim = vectors.shape
            wire.send(answers, {"id": number, "rows": rows, "dim": dim}, vectors.tobytes())


def _texts(header: dict[str, object]) -> list[tuple[str, str]]:
    texts = header.get("texts")
    if not isinstance(texts, list):
        raise TrainerError("The request contains no texts.")
    for text in texts:
        if not isinstance(text, list) or [type(part) for part in text] != [str, str]:
            raise TrainerError("A text must be a pair of title and abstract.")
    return [(title, abstract) for title, abstract in texts]


def _load(package: Package) -> Encode:
    # Imported late, since importing torch takes seconds, may print, and depends on the environment.
    os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    from trainer.encoder import Encoder

    try:
        encoder = Encoder(package)
        encoder.encode([("", "")])  # mismatches show with the first text
    except TrainerError:
        raise
    except Exception as error:  # a boundary: arbitrary files, read by three libraries
        traceback.print_exc()
        message = " ".join(f"{type(error).__name__} {error}".split())[:_LONGEST_MESSAGE]
        raise PackageRefused(
            f"The model {package.title} could not be loaded: {message}.",
            "The model's files are inconsistent. Add the model again, or select another model.",
        ) from error
    return lambda texts, queries: encoder.encode(texts, queries=queries)

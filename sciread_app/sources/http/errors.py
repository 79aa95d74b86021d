"""Errors of sources, with messages for the user that name the source."""

from __future__ import annotations

import errno
import logging
import socket
import time
from datetime import datetime
from typing import NoReturn, TypeVar

from sciread_app.errors import Busy, SourceError
from sciread_app.language import format_day, tr

log = logging.getLogger(__name__)

E = TypeVar("E", bound=BaseException)

_NO_NETWORK = (errno.ENETUNREACH, errno.ENETDOWN, errno.EHOSTUNREACH)
# Statuses for which the server, or the connection, is at fault rather than the request.
PASSING = (406, 408, 425, 429, 500, 502, 503, 504)


class TransientError(Exception):
    """A temporary failure: a sentence that begins with the source, without its full stop."""

    def __init__(
        self, why: str, *, after: float = 0.0, busy: bool = False, offline: bool = False
    ) -> None:
        super().__init__(why)
        self.after = after  # seconds to wait, from Retry-After
        self.busy = busy
        self.offline = offline  # apparently no source can be reached


class RequestRejected(SourceError):
    """The source refuses a valid request. `status` is its HTTP status."""

    def __init__(self, message: str, hint: str = "", status: int = 0) -> None:
        super().__init__(message, hint)
        self.status = status


def passing(source: str, status: int, after: float) -> TransientError:
    """The error for a temporary status."""
    if status == 406:
        # arXiv has been seen to send 406, which is about formats, for queries whose results were
        # not ready.
        why = tr("{source} does not take the question ({status})", source=source, status=status)
    elif status == 429:
        why = tr("{source} asks for fewer requests ({status})", source=source, status=status)
    elif status in (502, 503, 504):
        why = tr("{source} is away ({status})", source=source, status=status)
    else:
        why = tr("{source} is in trouble ({status})", source=source, status=status)
        return TransientError(why, after=after)
    return TransientError(why, after=after, busy=True)


def refused(source: str, status: int, message: str, api_key: str) -> RequestRejected:
    """Return the error for a permanent status; `message` is the source's own, or empty."""
    if message:
        why = tr(
            "{source} refuses the request ({status}): {told}.",
            source=source,
            status=status,
            told=message,
        )
    else:
        why = tr("{source} refuses the request ({status}).", source=source, status=status)
    hint = tr("Look over what was asked for.")
    if status >= 500:
        hint = tr("Try again later.")
    elif status in (401, 403) and api_key:
        hint = tr("Look over your API key: sciread key {name}", name=api_key)
    return RequestRejected(why, hint, status)


def no_answer(source: str, why: str) -> TransientError:
    """The error for an invalid response."""
    why = why.rstrip(".")
    return TransientError(tr("{source} sends what is no answer: {why}", source=source, why=why))


def misplaced(source: str, kind: str, expected: str, message: str) -> TransientError:
    """Return the error for a response of content type `kind` where `expected` was requested."""
    if not kind:
        return TransientError(
            tr(
                "{source} sends something where {wanted} belongs: {told}",
                source=source,
                wanted=expected,
                told=message,
            )
        )
    return TransientError(
        tr(
            "{source} sends {kind} where {wanted} belongs: {told}",
            source=source,
            kind=kind,
            wanted=expected,
            told=message,
        )
    )


def unreachable(source: str, error: BaseException) -> TransientError:
    """The error for a failed connection, with the reason given by the operating system."""
    reason = find_cause(error, OSError)
    if isinstance(reason, socket.gaierror):
        why = tr("You seem to be offline: {source}'s address could not be found", source=source)
        return TransientError(why, offline=True)
    if reason is not None and reason.errno in _NO_NETWORK:
        return TransientError(tr("You seem to be offline: there is no network"), offline=True)
    if isinstance(reason, ConnectionRefusedError):
        return TransientError(
            tr("{source} cannot be reached: it refuses connections", source=source)
        )
    log.info("%s cannot be reached: %r", source, error)
    return TransientError(tr("{source} cannot be reached", source=source))


def find_cause(error: BaseException | None, kind: type[E]) -> E | None:
    """The first error of this kind among an error and its causes."""
    while error is not None:
        if isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None


def too_slow(source: str, seconds: float) -> TransientError:
    return TransientError(
        tr(
            "{source} takes longer than {seconds:g} s to answer",
            source=source,
            seconds=seconds,
        )
    )


def too_long(source: str, megabytes: float) -> SourceError:
    return SourceError(
        tr(
            "{source} sends more than {most:g} MB in one answer, which nobody asked for.",
            source=source,
            most=megabytes,
        ),
        tr("Try again later; if it happens again, ask for less at once."),
    )


def unproven(source: str) -> SourceError:
    return SourceError(
        tr("{source} cannot prove who it is: its certificate is not valid.", source=source),
        tr("Is the clock of this computer right? Does a network ask you to log in?"),
    )


def sent_on(source: str, address: str) -> SourceError:
    return SourceError(
        tr(
            "{source} sends us on to {address}, where we do not go.",
            source=source,
            address=address,
        ),
        tr("Does a network ask you to log in? Else the address of the source has changed."),
    )


def give_up(why: str, trouble: TransientError) -> NoReturn:
    """Raise a permanent error after the last retry."""
    hint = tr("Try again later; what came until then is kept.")
    if trouble.offline:
        hint = tr("Check the internet connection and try again; what came until then is kept.")
    if trouble.after:
        until = datetime.fromtimestamp(time.time() + trouble.after)
        hint = tr(
            "Try again after {time} on {date}; what came until then is kept.",
            time=f"{until:%H:%M}",
            date=format_day(until),
        )
    raise (Busy if trouble.busy else SourceError)(f"{why}.", hint) from trouble

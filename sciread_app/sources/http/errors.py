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
    """A temporary failure: a sentence that names the source, without its full stop."""

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
        why = tr("{source} does not accept the request ({status})", source=source, status=status)
    elif status == 429:
        why = tr("{source} asks for fewer requests ({status})", source=source, status=status)
    elif status in (502, 503, 504):
        why = tr("{source} is not available ({status})", source=source, status=status)
    else:
        why = tr("{source} reports a temporary error ({status})", source=source, status=status)
        return TransientError(why, after=after)
    return TransientError(why, after=after, busy=True)


def refused(source: str, status: int, message: str, api_key: str) -> RequestRejected:
    """Return the error for a permanent status; `message` is the source's own, or empty."""
    if message:
        why = tr(
            "{source} rejected the request ({status}): {told}.",
            source=source,
            status=status,
            told=message,
        )
    else:
        why = tr("{source} rejected the request ({status}).", source=source, status=status)
    hint = tr("Check your query.")
    if status >= 500:
        hint = tr("Try again later.")
    elif status in (401, 403) and api_key:
        hint = tr("Check your API key: sciread key {name}", name=api_key)
    return RequestRejected(why, hint, status)


def no_answer(source: str, why: str) -> TransientError:
    """The error for an invalid response."""
    why = why.rstrip(".")
    return TransientError(tr("{source} sent an invalid response: {why}", source=source, why=why))


def misplaced(source: str, kind: str, expected: str, message: str) -> TransientError:
    """Return the error for a response of content type `kind` where `expected` was requested."""
    if not kind:
        return TransientError(
            tr(
                "{source} sent an unknown content type instead of {wanted}: {told}",
                source=source,
                wanted=expected,
                told=message,
            )
        )
    return TransientError(
        tr(
            "{source} sent {kind} instead of {wanted}: {told}",
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
        why = tr("You seem to be offline: the address of {source} was not found", source=source)
        return TransientError(why, offline=True)
    if reason is not None and reason.errno in _NO_NETWORK:
        return TransientError(tr("You seem to be offline: no network connection"), offline=True)
    if isinstance(reason, ConnectionRefusedError):
        return TransientError(
            tr("Could not reach {source}: the connection was refused", source=source)
        )
    log.info("could not reach %s: %r", source, error)
    return TransientError(tr("Could not reach {source}", source=source))


def invalid_address(address: str) -> SourceError:
    return SourceError(
        tr("{address} is not a valid web address.", address=address),
        tr("Check its spelling. It must start with https:// and contain the name of a server."),
    )


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
            "{source} took longer than {seconds:g} s to respond",
            source=source,
            seconds=seconds,
        )
    )


def too_long(source: str, megabytes: float) -> SourceError:
    return SourceError(
        tr(
            "{source} sent a response larger than {most:g} MB, the maximum.",
            source=source,
            most=megabytes,
        ),
        tr("Try again later. If the error persists, narrow your query."),
    )


def unproven(source: str) -> SourceError:
    return SourceError(
        tr("Could not connect to {source}: its security certificate is not valid.", source=source),
        tr(
            "Check that this computer's clock is correct, and whether your network "
            "requires a login."
        ),
    )


def sent_on(source: str, address: str) -> SourceError:
    """The error for a redirect to an address that must not be followed, often a network's login
    page."""
    return SourceError(
        tr(
            "{source} redirects to {address}, which SciRead does not follow.",
            source=source,
            address=address,
        ),
        tr(
            "Check whether your network requires a login. If not, the address of the "
            "source has changed."
        ),
    )


def give_up(why: str, trouble: TransientError) -> NoReturn:
    """Raise a permanent error after the last retry."""
    hint = tr("Try again later. Data fetched so far is kept.")
    if trouble.offline:
        hint = tr("Check your internet connection and try again. Data fetched so far is kept.")
    if trouble.after:
        until = datetime.fromtimestamp(time.time() + trouble.after)
        hint = tr(
            "Try again after {time} on {date}. Data fetched so far is kept.",
            time=f"{until:%H:%M}",
            date=format_day(until),
        )
    raise (Busy if trouble.busy else SourceError)(f"{why}.", hint) from trouble

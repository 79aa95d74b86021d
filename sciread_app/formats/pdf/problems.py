"""Reasons why a PDF could not be read, or only in part.

A problem is stored with its paper, and so in English; the worker processes have no translations.
"""

from __future__ import annotations

from sciread_app.domain.stored_messages import translate_stored
from sciread_app.language import tr_noop

PASSWORD = tr_noop(
    "The file is protected with a password. Save a copy without a password and import the copy."
)
LOCKED = tr_noop(
    "The file is protected in a way that SciRead does not support. Save a copy without "
    "protection and import the copy."
)
BROKEN = tr_noop("The file is damaged and could not be read. Download it again.")
NO_PAGE = tr_noop("The file is damaged: none of its pages could be read. Download it again.")
EMPTY = tr_noop("The file is empty. Download it again.")
NO_PDF = tr_noop("The file is not a valid PDF file.")
NO_TEXT = tr_noop(
    "The pages contain no text, as in a scan. To make the text searchable, run "
    "text recognition (OCR) on the file and import it again."
)
UNREAD = tr_noop("{unread} of {pages} pages could not be read.")
BAD_NAME = tr_noop(
    "The file cannot be linked because its name contains invalid characters. Rename the file."
)
MEMORY = tr_noop("The file needs more memory than SciRead allows per paper.")
UNOPENED = tr_noop("Could not open the file: {why}.")
INTERNAL_ERROR = tr_noop("Could not read the file because of an error in SciRead ({fault}).")
TIMED_OUT = tr_noop("Reading the file took longer than {seconds} seconds and was stopped.")
INVALID_ANSWER = tr_noop("Reading the file produced no usable result.")
AUTHORS_DROPPED = tr_noop(
    "The authors in the file's metadata ({names}) were not imported because they "
    "do not match the first page. Check the paper's authors."
)
AUTHORS_GUESSED = tr_noop(
    "The authors are uncertain and were left out. The first page may name {names}. You can "
    "accept them in the details of the paper."
)
AUTHORS_CUT = tr_noop(
    "These entries in the file's metadata were not imported as authors because "
    "they are not names of authors: {names}."
)
CRASHED = tr_noop(
    "The process that read the file ended unexpectedly ({how}). The file is "
    "damaged, or needs more memory than SciRead allows per paper."
)

TEMPLATES = (
    PASSWORD, LOCKED, BROKEN, NO_PAGE, EMPTY, NO_PDF, NO_TEXT, UNREAD, BAD_NAME, MEMORY, UNOPENED,
    INTERNAL_ERROR, TIMED_OUT, INVALID_ANSWER, AUTHORS_DROPPED, AUTHORS_GUESSED,
    AUTHORS_CUT, CRASHED,
)  # fmt: skip

# These problems mean that the file may not be a paper. A scan, or a file with a password, is one
# that its owner can open.
_NO_PAPER = (NO_PDF, EMPTY, BROKEN, NO_PAGE, INVALID_ANSWER)
_NO_PAPER_PREFIXES = tuple(text.partition("{")[0] for text in (CRASHED, UNOPENED))


def translated(problem: str) -> str:
    """A stored problem, translated."""
    return translate_stored(problem, TEMPLATES)


def is_no_paper(problem: str) -> bool:
    """Whether a file with this problem must not become a paper."""
    return problem in _NO_PAPER or problem.startswith(_NO_PAPER_PREFIXES)

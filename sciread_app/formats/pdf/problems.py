"""Reasons why a PDF could not be read, or only in part.

A problem is stored with its paper, and so in English; the worker processes have no translations.
"""

from __future__ import annotations

from collections.abc import Sequence

from sciread_app.domain.stored_messages import MessageTemplate, translate_stored
from sciread_app.language import tr

PASSWORD = "The file is protected with a password; save a copy without it and add that."
LOCKED = (
    "The file is locked in a way that cannot be read; save a copy without protection and add that."
)
BROKEN = "The file is damaged, so nothing could be read from it; download it again."
NO_PAGE = "The file is damaged, so that none of its pages could be read; download it again."
EMPTY = "The file is empty; download it again."
NO_PDF = "The file is not a PDF, whatever its name says."
NO_TEXT = (
    "No page holds text, as in a scan; run text recognition (OCR) on the file and add it again, "
    "to find it by what it says."
)
UNREAD = "Of {pages} pages, {unread} could not be read."
BAD_NAME = "The file's name is no valid text, so it cannot be linked: rename it."
MEMORY = "The file needs more memory than a paper may take."
UNOPENED = "The file could not be opened: {why}."
OUR_FAULT = "The file was not understood, by a fault of ours ({fault})."
SLOW = "Reading the file took longer than {seconds} seconds; it was given up."
NONSENSE = "Reading the file brought up nothing of sense."
AUTHORS_DROPPED = (
    "The file's data names the authors {names}, but the first page does not name just these, so "
    "they were not taken over; check the paper's authors."
)
AUTHORS_CUT = (
    "Of the authors in the file's data these were left out, since they are not names of authors: "
    "{names}."
)
DEADLY = (
    "Reading the file ended its process ({how}); the file is damaged, or needs more memory than a "
    "paper may take."
)

# These problems mean that the file may not be a paper. A scan, or a file with a password, is one
# that its owner can open.
_NO_PAPER = (NO_PDF, EMPTY, BROKEN, NO_PAGE, NONSENSE)
_NO_PAPER_EITHER = tuple(text.partition("{")[0] for text in (DEADLY, UNOPENED))

TEMPLATES: Sequence[MessageTemplate] = (
    (
        PASSWORD,
        lambda: tr("The file is protected with a password; save a copy without it and add that."),
    ),
    (
        LOCKED,
        lambda: tr(
            "The file is locked in a way that cannot be read; save a copy without protection and "
            "add that."
        ),
    ),
    (
        BROKEN,
        lambda: tr("The file is damaged, so nothing could be read from it; download it again."),
    ),
    (
        NO_PAGE,
        lambda: tr(
            "The file is damaged, so that none of its pages could be read; download it again."
        ),
    ),
    (EMPTY, lambda: tr("The file is empty; download it again.")),
    (NO_PDF, lambda: tr("The file is not a PDF, whatever its name says.")),
    (
        NO_TEXT,
        lambda: tr(
            "No page holds text, as in a scan; run text recognition (OCR) on the file and add it "
            "again, to find it by what it says."
        ),
    ),
    (
        UNREAD,
        lambda pages, unread: tr(
            "Of {pages} pages, {unread} could not be read.", pages=pages, unread=unread
        ),
    ),
    (
        BAD_NAME,
        lambda: tr("The file's name is no valid text, so it cannot be linked: rename it."),
    ),
    (MEMORY, lambda: tr("The file needs more memory than a paper may take.")),
    (UNOPENED, lambda why: tr("The file could not be opened: {why}.", why=why)),
    (
        OUR_FAULT,
        lambda fault: tr("The file was not understood, by a fault of ours ({fault}).", fault=fault),
    ),
    (
        SLOW,
        lambda seconds: tr(
            "Reading the file took longer than {seconds} seconds; it was given up.",
            seconds=seconds,
        ),
    ),
    (NONSENSE, lambda: tr("Reading the file brought up nothing of sense.")),
    (
        AUTHORS_DROPPED,
        lambda names: tr(
            "The file's data names the authors {names}, but the first page does not name just "
            "these, so they were not taken over; check the paper's authors.",
            names=names,
        ),
    ),
    (
        AUTHORS_CUT,
        lambda names: tr(
            "Of the authors in the file's data these were left out, since they are not names of "
            "authors: {names}.",
            names=names,
        ),
    ),
    (
        DEADLY,
        lambda how: tr(
            "Reading the file ended its process ({how}); the file is damaged, or needs more memory "
            "than a paper may take.",
            how=how,
        ),
    ),
)


def translated(problem: str) -> str:
    """A stored problem, translated."""
    return translate_stored(problem, TEMPLATES)


def is_no_paper(problem: str) -> bool:
    """Whether a file with this problem must not become a paper."""
    return problem in _NO_PAPER or problem.startswith(_NO_PAPER_EITHER)

"""The tags of RIS; shared by reader and writer."""

from __future__ import annotations

import re

# Item types to RIS types.
TYPES = {
    "article": "UNPB",
    "article-journal": "JOUR",
    "paper-conference": "CPAPER",
    "book": "BOOK",
    "chapter": "CHAP",
    "thesis": "THES",
    "report": "RPRT",
    "dataset": "DATA",
    "software": "COMP",
    "patent": "PAT",
    "webpage": "ELEC",
    "manuscript": "MANSCPT",
}
KINDS = {ris_type: kind for kind, ris_type in TYPES.items()} | {
    "ABST": "article-journal",
    "EJOUR": "article-journal",
    "JFULL": "article-journal",
    "INPR": "article-journal",
    "MGZN": "article-journal",
    "NEWS": "article-journal",
    "CONF": "paper-conference",
    "SLIDE": "paper-conference",
    "EBOOK": "book",
    "EDBOOK": "book",
    "SER": "book",
    "ECHAP": "chapter",
    "ENCYC": "chapter",
    "DICT": "chapter",
    "GOVDOC": "report",
    "STAND": "report",
    "DBASE": "dataset",
    "AGGR": "dataset",
    "BLOG": "webpage",
    "ICOMM": "webpage",
}
# For these T2 is a series, not the venue.
STANDALONE_KINDS = ("book", "thesis", "report")

# Names in `Paper.extra` of simple text tags. Other tags keep their own, in lower case.
EXTRA_NAMES = {
    "VL": "volume",
    "IS": "number",
    "PB": "publisher",
    "CY": "address",
    "ET": "edition",
    "LA": "language",
    "N1": "note",
    "UR": "url",
    "A2": "editor",
    "ED": "editor",
    "T3": "series",
    "M3": "type",
    "ST": "shorttitle",
    "Y2": "urldate",
    "J2": "shortjournal",
    "JA": "shortjournal",
}
TAGS = {"editor": "A2", "shortjournal": "J2"} | {
    name: tag for tag, name in EXTRA_NAMES.items() if name not in ("editor", "shortjournal")
}
# Fields without a tag in RIS, as `name: text`.
OTHER = "U5"

# Item types with their own number under SN, where others have their ISSN.
NUMBERED_KINDS = frozenset(["report", "patent"])
_SERIAL = re.compile(r"(?:ISSN:?\s*)?\d{4}-?\d{3}[\dX]|[\d\s-]{9,}X?", re.I)


def is_report_number(text: str) -> bool:
    """Whether this can be the number of a report or patent: one word, and no ISSN or ISBN."""
    return bool(text) and not re.search(r"[\n;,]", text) and not _SERIAL.fullmatch(text)

"""EndNote's reference types; shared by both readers."""

from __future__ import annotations

from collections.abc import Mapping

from sciread_app.formats.ris.record import Fields

# Name and number of each type, and its type in RIS. Others are taken as generic.
_TYPES = (
    ("Journal Article", 17, "JOUR"),
    ("Electronic Article", 43, "EJOUR"),
    ("Magazine Article", 19, "MGZN"),
    ("Newspaper Article", 23, "NEWS"),
    ("Conference Paper", 47, "CPAPER"),
    ("Conference Proceedings", 10, "CONF"),
    ("Book", 6, "BOOK"),
    ("Edited Book", 28, "EDBOOK"),
    ("Electronic Book", 44, "EBOOK"),
    ("Book Section", 5, "CHAP"),
    ("Electronic Book Section", 60, "ECHAP"),
    ("Encyclopedia", 53, "ENCYC"),
    ("Dictionary", 52, "DICT"),
    ("Serial", 57, "SER"),
    ("Thesis", 32, "THES"),
    ("Report", 27, "RPRT"),
    ("Government Document", 46, "GOVDOC"),
    ("Standard", 58, "STAND"),
    ("Dataset", 59, "DATA"),
    ("Online Database", 45, "DBASE"),
    ("Aggregated Database", 55, "AGGR"),
    ("Computer Program", 9, "COMP"),
    ("Patent", 25, "PAT"),
    ("Web Page", 12, "ELEC"),
    ("Blog", 56, "BLOG"),
    ("Manuscript", 36, "MANSCPT"),
    ("Unpublished Work", 34, "UNPB"),
)
_BY_NAME: Mapping[str, str] = {name.lower(): ris_type for name, _, ris_type in _TYPES}
_BY_NUMBER: Mapping[str, str] = {str(number): ris_type for _, number, ris_type in _TYPES}
_GENERIC = "GEN"
# In these, the secondary title is that of a series, and in a thesis the name of a department.
_IN_SERIES = frozenset(("BOOK", "EDBOOK", "EBOOK", "RPRT"))


def complete(fields: Fields, name: str, number: str = "") -> Fields:
    """Set the type of a record, given by name or by number, and what its other tags mean by it."""
    ris_type = _BY_NAME.get(name.strip().lower()) or _BY_NUMBER.get(number.strip())
    fields["TY"] = [ris_type or ("JOUR" if "JF" in fields and not name else _GENERIC)]
    if ris_type in _IN_SERIES and "T3" not in fields and "T2" in fields:
        fields["T3"] = fields.pop("T2")
    return fields

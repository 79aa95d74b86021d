"""User settings: a dataclass, stored as settings.toml."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import tomlkit
from tomlkit.exceptions import TOMLKitError

from sciread_app.language import tr

_WRITING = threading.Lock()
SCALES = range(100, 301)
LIST_TEXT_SIZES = range(80, 161)
THEMES = ("system", "light", "dark")
CITEKEY_FIELDS = ("author", "title", "year")
PDF_NAME_FIELDS = ("author", "year", "title", "venue")
PROXY_EXAMPLE = "http://proxy.example.org:8080"
PROXIES = ("system", "none")  # besides addresses


class PdfImport(StrEnum):
    """Use of the PDF folder for the PDFs of imported papers."""

    leave = "leave"
    copy = "copy"
    move = "move"


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, with their defaults."""

    theme: str = "system"
    model: str = "starter"  # a folder in models/, or "starter", the model that comes with SciRead
    pdf_workers: int = 2
    pdf_seconds: int = 30
    contact: str = ""  # an email address that is sent to sources
    arxiv_url: str = ""  # mirrors; the official servers if empty
    arxiv_oai_url: str = ""
    eutils_url: str = ""
    semantic_scholar_url: str = ""
    zotero_url: str = ""
    crossref_url: str = ""
    europepmc_url: str = ""
    arxiv_pdf_url: str = ""
    pmc_oa_url: str = ""
    unpaywall_url: str = ""
    open_access_url: str = ""
    openalex_url: str = ""
    datacite_url: str = ""
    open_library_url: str = ""
    web_page_url: str = ""
    scale: int = 100  # of the whole user interface, in percent
    list_text: int = 100  # the size of the text in lists of papers, in percent
    backups: str = ""  # the folder of the daily backups; empty: in the home folder
    proxy: str = "system"  # of requests to online sources: "system", "none", or an address
    citekey: str = "{author}{title}{year}"  # the pattern of citation keys
    pdf_folder: str = ""  # the folder that PDFs are copied or moved to; empty: none
    pdf_import: str = "leave"  # what happens with new PDFs, if there is such a folder
    pdf_name: str = "{author} - {year} - {title}"  # the pattern of their names; empty: unchanged
    citation_style: str = ""  # the key of the default style; empty: that used last
    accepted_risk: str = ""  # the risk of the home folder's place that the user has accepted


def read_settings(path: Path) -> tuple[Settings, list[str]]:
    """Read a settings file. Returns the settings and a sentence for each problem.

    An invalid setting, and every setting of an unreadable file, has its default.
    """
    if not path.exists():
        return Settings(), []
    try:
        values = tomlkit.parse(path.read_text("utf-8")).unwrap()
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        why = getattr(error, "strerror", None) or error
        problem = tr(
            "Could not read {file} ({why}). Using the default settings.", file=path.name, why=why
        )
        return Settings(), [problem]
    good, problems = {}, []
    for field in fields(Settings):
        if field.name in values:
            value = values[field.name]
            if wrong := _wrong(field.name, value):
                setting = f"{path.name}: {field.name} = {value!r}"
                problems.append(
                    tr(
                        "{setting} is not valid. {problem} Using the default.",
                        setting=setting,
                        problem=wrong,
                    )
                )
            else:
                good[field.name] = value
    return replace(Settings(), **good), problems


def write_settings(path: Path, settings: Settings) -> None:
    """Write the settings to a file, keeping its comments and unknown settings."""
    try:
        document = tomlkit.parse(path.read_text("utf-8")) if path.exists() else tomlkit.document()
    except (OSError, UnicodeDecodeError, TOMLKitError):
        path.replace(path.with_name(path.name + ".unreadable"))
        document = tomlkit.document()
    for field in fields(Settings):
        value = getattr(settings, field.name)
        if field.name in document or value != field.default:
            document[field.name] = value
    half = path.with_name(path.name + ".new")
    half.write_text(tomlkit.dumps(document), "utf-8")
    half.replace(path)


def change_settings(path: Path, **changes: Any) -> Settings:
    """Change some settings in the file, keeping changes made to others since it was read.

    Returns the new settings. Raises ValueError if one is invalid.
    """
    for name, value in changes.items():
        if wrong := _wrong(name, value):
            raise ValueError(wrong)
    with _WRITING:
        settings = replace(read_settings(path)[0], **changes)
        write_settings(path, settings)
    return settings


def _wrong(name: str, value: Any) -> str:
    """The problem of a value of a setting, as a sentence; empty if it is valid."""
    expected = type(getattr(Settings(), name))
    if type(value) is not expected and expected is int:
        return tr("The value must be a whole number.")
    if type(value) is not expected:
        return tr("The value must be text.")
    if name == "theme" and value not in THEMES:
        return tr("The value must be one of {known}.", known=", ".join(THEMES))
    if name == "contact" and value and not re.fullmatch(r"[!-~]+@[!-~]+", value):
        return tr("The value must be an email address.")
    if name.endswith("_url") and value and not value.startswith(("https://", "http://")):
        return tr("The value must be a web address.")
    if name == "pdf_import" and value not in list(PdfImport):
        return tr("The value must be one of {known}.", known=", ".join(PdfImport))
    if name == "pdf_folder" and value and not Path(value).is_absolute():
        return tr("The value must be the full path of a folder.")
    if name == "pdf_name":
        return pdf_name_problem(value)
    if name == "citekey":
        return citekey_problem(value)
    if name == "proxy" and value not in PROXIES:
        return _wrong_proxy(value)
    if name == "scale" and value not in SCALES:
        return tr("The value must be between 100 and 300.")
    if name == "list_text" and value not in LIST_TEXT_SIZES:
        return tr("The value must be between 80 and 160.")
    if expected is int and value < 1:
        return tr("The value must be at least 1.")
    return ""


def _wrong_proxy(address: str) -> str:
    try:
        parts = urlsplit(address)
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        valid = valid and parts.path in ("", "/") and not re.search(r"\s", address)
    except ValueError:  # an invalid port
        valid = False
    if valid and "@" in parts.netloc:
        return tr(
            "The address must not contain a user name or password, which would be saved as plain "
            "text. Set HTTP_PROXY and HTTPS_PROXY in the environment instead, and choose System."
        )
    if not valid:
        return tr("The value must be an address such as {example}.", example=PROXY_EXAMPLE)
    return ""


def citekey_problem(pattern: str) -> str:
    """The problem of a pattern of citation keys, as a sentence; empty if it is valid."""
    if problem := _pattern_problem(pattern, CITEKEY_FIELDS):
        return problem
    if not re.fullmatch(r"[A-Za-z0-9:._/+-]*", _without_fields(pattern, CITEKEY_FIELDS)):
        return tr("Besides fields, the pattern can contain only A–Z, a–z, 0–9 and : . _ / + -")
    return ""


def pdf_name_problem(pattern: str) -> str:
    """The problem of a pattern of names of PDFs, as a sentence; empty if it is valid, or empty."""
    if not pattern:
        return ""
    if problem := _pattern_problem(pattern, PDF_NAME_FIELDS):
        return problem
    if re.search(r'[<>:"/\\|?*\x00-\x1f]', pattern):
        return tr("A file name cannot contain {characters}", characters='< > : " / \\ | ? *')
    return ""


def _pattern_problem(pattern: str, names: Sequence[str]) -> str:
    """The problem of a pattern with regard to its fields, as a sentence; empty if there is none."""
    fields = ", ".join(f"{{{name}}}" for name in names)
    rest = _without_fields(pattern, names)
    if rest == pattern:
        return tr("The pattern must contain at least one of {fields}.", fields=fields)
    if "{" in rest or "}" in rest:
        return tr("The pattern can contain only these fields: {fields}.", fields=fields)
    return ""


def _without_fields(pattern: str, names: Sequence[str]) -> str:
    return re.sub(r"\{(" + "|".join(names) + r")\}", "", pattern)

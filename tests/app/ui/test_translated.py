"""Every text of the window can be translated."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo

import sciread_app
import trainer.contract
from sciread_app.language import DOMAIN
from sciread_app.services.models.gallery import GALLERY
from sciread_app.sources import SOURCES
from sciread_app.ui.models.hub_dialog import POOLINGS
from trainer.contract.catalog import METHODS

LANGUAGE = "xx"  # a language without ASCII letters
PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
ODD = "áƀçđéƒğĥíĵķłɱñóƥɋřšţúṽŵẋÿžÁɃÇĐÉƑĞĤÍĴĶŁⱮÑÓƤɊŘŠŢÚṼŴẊŸŽ"
TABLE = str.maketrans(PLAIN, ODD)
KEPT = re.compile(r"(\{\w+(?:[:!][^{}]*)?\}|<[^<>]*>|&\w+;)")  # values, markup

# The language must be set before any module with texts is imported.
START = """
import json, os, sys
from pathlib import Path
from sciread_app.language import set_language
assert set_language([sys.argv[1]], Path(sys.argv[2])) == sys.argv[1]
from tests.support.ui.tour import every_text
json.dump(every_text(Path(sys.argv[3])), sys.stdout)
sys.stdout.flush()
os._exit(0)  # at a normal exit, widgets would outlive their application
"""

# The same in every language: keys, paths, fields of the query language, names.
SAME = re.compile(
    r"(?:\b(?:Ctrl|Alt|Shift)\+)+(?:\w+|\S)|\b(?:Del|F\d+)\b|(?<!\w)/\S*|\.(?:bib|pdf|xyz|zip)\b"
    r"|\b(?:year|tag|in|cat):\S"
    r"|\b[0-9a-f]{12}\b"  # spaces of models
    r"|\bhttps?://\S+|\b(?:[\w-]+\.)+(?:co|com|gov|org|uk)\b"  # addresses
    r"|\{(?:author|title|year|venue)\}"  # parts of a pattern
)
NAMES = (
    *("PubMed Central", "Europe PMC", "OpenAlex", "Open Library", "DataCite", "Unpaywall"),
    *("SciRead", "arXiv", "PubMed", "PMC", "MeSH", "Semantic Scholar", "Crossref", "Zotero"),
    *("ISSN", "ORCID"),
    *("BibTeX", "BibLaTeX", "RIS", "CSL-JSON", "PDF", "DOI", "ISBN", "PMID"),
    *("Hugging Face", "MiniLM", "PhysBERT", "vaswaniAttentionAllYou2017"),
    "Vaswani et al. - 2017 - Attention Is All You Need",
    *("APA", "IEEE", "Nature", "Vancouver", "Chicago author-date"),  # styles of citations
    *("AND", "OR", "LHCb collaboration", "all-MiniLM-L6-v2", "nreimers/MiniLM-L6-H384-uncased"),
    *("Apache-2.0", "mean, {title} {abstract}", "mean, {title}{sep}{abstract}"),  # of models
    "retraction_in",  # a field of a record, as PubMed calls it
    *("Scroll Left", "Scroll Right"),  # Qt's accessible names of the arrows of a tab bar
    "Press shortcut",  # Qt's, in a QKeySequenceEdit
)
# The trainer's texts on its methods are English.
OF_THE_TRAINER = {
    *(text for spec in METHODS for text in (spec.title, spec.summary, *spec.recipes)),
    *(recipe.summary for spec in METHODS for recipe in spec.recipes.values()),
    *(
        text
        for spec in METHODS
        for one in spec.settings
        for text in (one.name, f"It is {one.allowed}.", *one.choices)
    ),
    *(one.allowed.capitalize() for spec in METHODS for one in spec.settings),
    *(
        value
        for spec in METHODS
        for name in spec.recipes
        for value in spec.resolve(name).values()
        if isinstance(value, str)
    ),
}
EXAMPLES = {
    *OF_THE_TRAINER,
    *(field.pattern.replace("{}", field.example) for source in SOURCES for field in source.FIELDS),
    *(text for known in GALLERY for text in (known.name, known.licence, known.source)),
    *POOLINGS,
} - {""}
WORD = re.compile(r"[A-Za-z]{2,}")


def translate(text: str) -> str:
    parts = KEPT.split(text)
    translated = "".join(part if n % 2 else part.translate(TABLE) for n, part in enumerate(parts))
    return f"«{translated}»"


def translate_all(folder: Path) -> None:
    catalog = Catalog()
    keywords = {"tr": None, "tr_noop": None, "trn": (1, 2), "trc": ((1, "c"), 2)}
    app, contract = (Path(package.__file__).parent for package in (sciread_app, trainer.contract))
    for _, _, text, _, context in (
        found
        for sources in (app, contract)
        for found in extract_from_dir(sources, [("**.py", "python")], keywords=keywords)
    ):
        one = isinstance(text, str)
        translated = translate(text) if one else tuple(map(translate, text))
        catalog.add(text, translated, context=context)
    file = folder / LANGUAGE / "LC_MESSAGES" / f"{DOMAIN}.mo"
    file.parent.mkdir(parents=True)
    with file.open("wb") as stream:
        write_mo(stream, catalog)


def english_in(text: str) -> list[str]:
    for known in sorted((*EXAMPLES, *NAMES), key=len, reverse=True):
        # Whole words only: the name of a recipe may be part of an address.
        text = re.sub(rf"(?<!\w){re.escape(known)}(?!\w)", " ", text)
    return WORD.findall(SAME.sub(" ", text))


@pytest.mark.slow
def test_all_visible_and_accessible_texts_are_translated(tmp_path):
    translate_all(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    run = subprocess.run(
        [sys.executable, "-c", START, LANGUAGE, tmp_path, home],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    texts = json.loads(run.stdout)
    translated = sum("«" in text for text in texts)
    assert translated > 600, f"only {translated} texts were collected"
    english = [f"{place}: {text!r}" for text, place in texts.items() if english_in(text)]
    assert not english, "not in tr() or trn():\n" + "\n".join(sorted(english))

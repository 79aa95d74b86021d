"""Write resources/name_words.txt: `python -m benchmarks.pdf_metadata.name_statistics`.

Counts the words of authors' names and of titles and abstracts in arXiv's metadata (CC0), leaving
out the papers that the measurement set is made of, and adds the names of countries (CLDR, through
babel) and of cities (the time zone database). A line is a word without accents in lower case and
its score: ten times the common logarithm of how much likelier it is in a name than in a text,
or "p" for a place whose name is rarely a person's.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections import Counter
from pathlib import Path
from zoneinfo import available_timezones

from babel import Locale

from benchmarks.pdf_metadata.records import DATA, is_measured
from sciread_app.formats.pdf.metadata.text_cleanup import letters_of
from sciread_app.formats.values.author_list import authors as names_in

TARGET = Path(__file__).resolve().parents[2] / "resources" / "name_words.txt"
_FEWEST_NAMES, _FEWEST_TEXTS = 7, 90
_WORD = re.compile(r"[^\W\d_]{2,}")


def main() -> None:
    names, texts = _counts()
    total_names, total_texts = names.total(), texts.total()
    places = _places()
    lines = []
    for word in sorted(names.keys() | texts.keys() | places):
        in_names, in_texts = names[word], texts[word]
        odds = ((in_names + 0.3) / total_names) / ((in_texts + 3) / total_texts)
        score = round(10 * math.log10(odds))
        if word in places and score < 12:
            lines.append(f"{word} p")
        elif in_names >= _FEWEST_NAMES or in_texts >= _FEWEST_TEXTS:
            lines.append(f"{word} {score}")
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} words, {TARGET.stat().st_size:,} bytes")


def _counts() -> tuple[Counter[str], Counter[str]]:
    names: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    with gzip.open(DATA / "arxiv" / "papers.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if is_measured(line):
                continue
            paper = json.loads(line)
            for author in names_in(paper["authors"]):
                if not author.literal:
                    names.update(_words(author.name))
            texts.update(_words(paper["title"]))
            if number % 8 == 0:
                texts.update(_words(paper["abstract"]))
    return names, texts


def _words(text: str) -> list[str]:
    return [letters_of(word) for word in _WORD.findall(text)]


def _places() -> set[str]:
    places: set[str] = set()
    for language in ("en", "de", "fr", "es", "it", "pt"):
        for code, name in Locale(language).territories.items():
            if code.isalpha():
                places.update(_words(name))
    for zone in available_timezones():
        places.update(_words(zone.rpartition("/")[2].replace("_", " ")))
    return {word for word in places if len(word) > 3}


if __name__ == "__main__":
    main()

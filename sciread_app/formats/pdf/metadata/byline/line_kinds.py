"""Kinds of lines on first pages, by their words."""

from __future__ import annotations

import re

# Headings after the part of a page that may name its authors.
END = re.compile(
    r"""^\W*(?:abstract|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary|zusammenfassung|résumé|resumen|resumo|riassunto
    |аннотация|摘\s?要|(?:\d\.?|I\.?)?\s*introduction|contents|key\s?-?words?|index\s+terms|highlights|significance
    |background|importance|motivation|article\s+info|graphical\s+abstract|objectives?\b|1\s+[A-Z]|ccs\s+concepts
    |author\s+note
    |plain\s+language|acknowledg|references|to\s+cite\s+this|disclaimer|table\s+of\s+contents)""",
    re.I | re.X,
)
# Before the names of those who supervise or examine a thesis.
SUPERVISORS = re.compile(
    r"^\W*(?:(?:co-?|thesis|academic|first|second|erst|zweit|haupt)[\s-]*)*(?:supervis|advis[eo]r|examiner"
    r"|betreu|gutachter|hauptbericht|prüfer|referent|(?:contro|cor)?relator|directeur|directrice|encadr"
    r"|rapporteur|(?:co-?)?promotor|orientador|handledare|veileder|vejleder|begeleider|committee|jury\b"
    r"|tribunal|mentor)",
    re.I,
)
# Before the author of a thesis.
AUTHOR_LABEL = re.compile(
    r"^\W*(?:candidat[oae]?|laureand[oa]|the\s+author|author|autora?|auteur|student(?:in)?|doctorand[oa]?"
    r"|doktorand(?:in)?|verfasser(?:in)?|(?:presented|submitted|written)\s+by|(?:vorgelegt|eingereicht)\s+von"
    r"|présentée?\s+(?:et\s+soutenue\s+)?par|presentad[oa]\s+por|tesi\s+di|by)\b",
    re.I,
)
# Lines that name other people, or nobody.
OTHER = re.compile(
    r"""^\W*(?:edited|editor|editors|academic\s+editor|associate\s+editor|handling|guest|reviewed|reviewer|review\b|communicated
    |contributed\s+by|received|accepted|published|revised|submitted|available|citation|cite|correspond|e-?mail|doi\b|https?:|www\.
    |copyright|©|licen[sc]e|open\s+access|funding|subject|specialty|vol\.|volume|issn|isbn|arxiv|preprint|draft|dated|running
    |advisor|adviser|director|promotor|date\b|version|typeset|to\s+whom|equal|these\s+authors|present\s+address|presented\s+(?:at|to)
    |in\s+collaboration|address|tel\b|fax\b|phone|orcid|article\b|research\b|original\b|letter\b|sequence\s|technical\s+report
    |working\s+paper|hal\s+id|source:|stable\s+url|accessed|part\s+of|department|course|degree|a\s+(?:dissertation|thesis)|in\s+(?:partial|accordance)|for\s+the\s+degree|requirements|doctor\s+of|master\s+of)
    |\b(?:19|20)\d\d\b.{0,6}$|\bcopyright\b|^\W*\d+\W*$""",
    re.I | re.X,
)
SENTENCE = re.compile(r"\b(?:the|of|is|are|was|we|this|that|with|for|in|to|from|by|our|has|have)\b")

"""Layouts drawn at random: templates whose parts (fonts, head, title, names, affiliations and
abstract) are chosen by the layout's number.

The layouts written by hand are few, and the rules were fitted to those of the tuning half. These
show how rules and line tagger read pages that nobody has seen.
"""

from __future__ import annotations

import random

COUNT = 100
# Editors, reviewers and supervisors, who are not among the authors.
_OTHERS = (
    "Giuseppe Vairo", "Kevin Murphy", "Laura Whitfield", "Henk Bakker", "Sunil Mehta", "Ida Holm",
    "Rafael Quintero", "Mei-Hua Tsai", "Oleg Tarasov", "Claire Fontaine", "David A. Ross",
    "Emma K. Larsen",
)  # fmt: skip
_CLASSES = (
    r"\documentclass[10pt]{article}", r"\documentclass[11pt]{article}",
    r"\documentclass[12pt]{article}", r"\documentclass[10pt,twocolumn]{article}",
    r"\documentclass[10pt,twocolumn]{article}", r"\documentclass[9pt,twocolumn]{extarticle}",
)  # fmt: skip
_FONTS = (
    "", "", r"\usepackage{lmodern}", r"\usepackage{mathptmx}", r"\usepackage{mathptmx}",
    r"\usepackage{mathpazo}", r"\usepackage{helvet}\renewcommand\familydefault{\sfdefault}",
    r"\usepackage{charter}", r"\usepackage{newcent}", r"\usepackage{bookman}",
)  # fmt: skip
_HEADS = (
    "", "", "",
    r'<<top("\\footnotesize Journal of Results " ~ r.year ~ ", 12, 1--15\\hfill Research")>>',
    r'<<top("\\textsc{Annals of Measurement}\\hfill Vol.\\ 12, No.\\ 3, pp.\\ 101--117")>>',
    r'<<top("\\sffamily\\scriptsize Received: 12 March " ~ r.year ~ " \\quad Accepted: 9 May " '
    r'~ r.year ~ "\\\\ DOI: 10.1234/jr.2014.0123")>>',
    r'<<top("\\footnotesize " ~ r.lead ~ "\\hfill <other> (ed.)")>>',
    r"\noindent{\sffamily\bfseries RESEARCH ARTICLE\hfill Open Access}\vskip 1em",
    r"\noindent{\small Proceedings of the 12th Workshop on Measurement, pages 12--20}\vskip 1em",
    r"\noindent{\itshape Article}\vskip .5em",
    r"\noindent{\LARGE\sffamily Annals of Results}\hrule\vskip 1em",
    r"\noindent{\footnotesize Contents lists available at ResultsDirect}\hfill{\large\bfseries "
    r"Results}\vskip .5em\hrule\vskip 1em",
    r"\noindent Technical Report TR-<<r.c>>\hfill<<r.institutes[0].short>>\vskip 2em",
    r"\noindent{\small <<r.institutes[0].line>>\hfill Preprint <<r.c>>/<<r.d>>}\vskip 2em",
)  # fmt: skip
_TITLES = (
    r"{\LARGE\bfseries <title>\par}", r"{\LARGE <title>\par}", r"{\Large\bfseries <title>\par}",
    r"{\huge <title>\par}", r"{\huge\sffamily\bfseries <title>\par}",
    r"{\Large\sffamily\bfseries <title>\par}", r"{\Large\scshape <title>\par}",
    r"{\large\bfseries\MakeUppercase{<title>}\par}", r"{\fontsize{24}{28}\selectfont <title>\par}",
)  # fmt: skip
_BETWEEN = (
    "", "", "", "", "", "", "", r"{\itshape by}\par\vskip .6em",
    r"\noindent\rule{\linewidth}{.4pt}\par\vskip .5em",
    r"{\small Received 3 May <<r.year>>, accepted 9 July <<r.year>>\par}\vskip .7em",
    r"{\small Edited by <other>, University of Kent, Canterbury, UK\par}\vskip .7em",
    r"{\itshape A study of methods that have been used for many years in the field\par}\vskip 1em",
    r"{\small Short title: Methods for results\par}\vskip .7em",
)  # fmt: skip
_NAMES = (
    ("<<w.full>>", {"names": "varied"}), ("<<w.full>>", {"names": "varied"}),
    ("<<w.name>>", {}), ("<<w.name>>", {}), ("<<w.name>>", {}),
    ("<<w.initials>> <<w.family>>", {"given": "initials"}),
    (r"<<w.initials|replace('. ', '.')>> <<w.family>>", {"given": "initials"}),
    (r"\MakeUppercase{<<w.full>>}", {"names": "varied"}),
    (r"<<w.given>> \MakeUppercase{<<w.family>>}", {}),
    (r"<<w.given>> \textsc{<<w.family>>}", {}),
    (r"\textsc{<<w.name>>}", {}),
    (r"\MakeUppercase{<<w.initials>> <<w.family>>}", {"given": "initials"}),
    ("<<w.name>>", {}),
)  # fmt: skip
_SYMBOLS = '<<["*", "\\\\dagger", "\\\\ddagger", "\\\\S", "\\\\P", "\\\\Vert"][({} - 1) % 6]>>'
_NO_MARKS = ("", "")
# Of a name, and of its affiliation.
_MARKS = (
    (r"\textsuperscript{<<w.marks>>}", r"\textsuperscript{<<loop.index>>}"),
    (r"\textsuperscript{<<w.marks>><<',*' if w.corresponding>>}", r"$^{<<loop.index>>}$"),
    (r"$^{<<w.letters>>}$", "$^{<<loop.index|letter>>}$"),
    (r"\textsuperscript{<<w.letters>>}", r"\textsuperscript{<<loop.index|letter>>}\,"),
    (f"$^{{{_SYMBOLS.format('w.first')}}}$", f"$^{{{_SYMBOLS.format('loop.index')}}}$"),
    (r"\textsuperscript{(<<w.marks>>)}", r"\textsuperscript{(<<loop.index>>)}"),
    (r"$^{[<<w.marks>>]}$", "[<<loop.index>>] "),
    (" (<<w.marks>>)", "(<<loop.index>>) "),
    ("<<w.marks>>", "<<loop.index>> "),
    (r"\textsuperscript{<<w.marks>>}", "<<loop.index>>. "),
    _NO_MARKS, _NO_MARKS, _NO_MARKS,
    (r"\thanks{<<w.place.line>>}", ""),
)  # fmt: skip
_ADDED = (
    "", "", "", "", "", "", "", ", <<w.degree>>", " <<w.degree>>",
    r"\,\textcolor{green!60!black}{\raisebox{.3ex}{\fontsize{4}{4}\selectfont\sffamily iD}}",
    r"\,\orcidlink{0000-0002-1825-0097}", "<<' (Member, IEEE)' if w.corresponding>>",
)  # fmt: skip
_SEPARATORS = (
    (", ", " and "), (", ", " and "), (", ", ", and "), (", ", " \\\\& "), (", ", ", "),
    ("; ", "; "), (" \\\\quad ", " \\\\quad "), (" $\\\\cdot$ ", " $\\\\cdot$ "),
    (" $\\\\vert$ ", " $\\\\vert$ "), (" and ", " and "), ("\\\\hskip 1.5em ", "\\\\hskip 1.5em "),
)  # fmt: skip
_STYLES = (
    "", "", r"\large", r"\large", r"\bfseries", r"\large\bfseries", r"\itshape", r"\sffamily",
    r"\sffamily\bfseries", r"\Large", r"\small\bfseries", r"\large\itshape",
)  # fmt: skip
_PLACES = ("", r"\small", r"\footnotesize", r"\itshape", r"\small\itshape", r"\footnotesize")
_ADDRESSES = (
    "<<w.place.line>>", r"<<w.place.department>>\\ <<w.place.short>>",
    r"<<w.place.department>>\\ <<w.place.short>>\\ <<w.place.city>>, <<w.place.country>>",
)  # fmt: skip
_LABELS = ("",) * 9 + (r"\textbf{Authors:} ", "By ")
_KINDS = (
    *("list",) * 10, "lines", "blocks", "blocks", "table", "table", "groups", "same line",
    "inverted", "initials after",
)  # fmt: skip
_ABSTRACTS = (
    r"\begin{abstract}<<r.abstract>>\end{abstract}",
    r"\section*{Abstract}<<r.abstract>>\par", r"\section*{Summary}<<r.abstract>>\par",
    r"\noindent\textbf{Abstract.} <<r.abstract>>\par",
    r"\noindent\textbf{\textit{Abstract}---<<r.abstract>>}\par",
    r"\noindent{\small <<r.abstract>>\par}\vskip 1em", r"\noindent <<r.abstract>>\par",
    r"\noindent\rule{\linewidth}{.4pt}\par\noindent{\scshape Abstract}\par <<r.abstract>>\par",
    r"\noindent\textbf{ABSTRACT:} <<r.abstract>>\par\noindent\textbf{Keywords:} one, two\par",
)  # fmt: skip
_FEET = (
    "", "", "",
    r'<<foot("Correspondence: " ~ r.writers[0].name ~ ", " ~ r.writers[0].email)>>',
    r'<<foot("Reviewed by <other> and <other>. Copyright " ~ r.writers[0].name ~ " et al.")>>',
    r'<<foot("Supported by the Research Council. Communicated by <other>.")>>',
)  # fmt: skip


def source(number: int) -> tuple[str, dict[str, str]]:
    """The template of the drawn layout with this number, and its options, as in latex.py."""
    dice = random.Random(f"drawn {number}")
    byline, options = _byline(dice)
    setup, head = dice.choice(_CLASSES), dice.choice(_HEADS)
    abstract, foot = dice.choice(_ABSTRACTS), dice.choice(_FEET)
    is_left = dice.random() < 0.4
    begin, end = (r"{\raggedright", r"\par}") if is_left else (r"\begin{center}", r"\end{center}")
    title = dice.choice(_TITLES).replace("<title>", "<<r.title>>")
    is_in_margin = head.startswith("<<top")
    block = [
        "" if is_in_margin else head, begin, title, rf"\vskip {dice.choice((0.8, 1.2, 2))}em",
        dice.choice(_BETWEEN), byline, end,
    ]  # fmt: skip
    if dice.random() < 0.06:
        block.insert(1, abstract)
        abstract = ""
    if "twocolumn" in setup and "thanks" not in byline:
        block = [r"\twocolumn[{%", *block, r"\vskip 1em}]"]
    margin = dice.choice((".7in", ".9in", "1.1in", "1.3in"))
    parts = [
        setup, rf"<<fonts>>{dice.choice(_FONTS)}\usepackage{{orcidlink}}",
        rf"\usepackage[margin={margin}]{{geometry}}", r"\begin{document}",
        head if is_in_margin else "", foot, *block, abstract, "<<body>>", r"\end{document}",
    ]  # fmt: skip
    text = "\n".join(filter(None, parts)) + "\n"
    while "<other>" in text:
        text = text.replace("<other>", dice.choice(_OTHERS), 1)
    return text, {"year": "no", "venue": "no"} | options


def _byline(dice: random.Random) -> tuple[str, dict[str, str]]:
    """Names and affiliations, and the options of the layout."""
    name, options = dice.choice(_NAMES)
    style, place_style, added = dice.choice(_STYLES), dice.choice(_PLACES), dice.choice(_ADDED)
    email = dice.choice(("", "", r"\\ \texttt{<<w.email>>}", r"\\ {\small <<w.email>>}"))
    separator, last = dice.choice(_SEPARATORS)
    marks, place_marks = dice.choice(_MARKS)
    kind = dice.choice(_KINDS)
    most = dice.choice((6, 9, 16, 36)) if kind == "list" else 6
    options = options | {"most": str(most)}
    block = rf"{{{style} {name}{added}}}\\ {{{place_style} {dice.choice(_ADDRESSES)}}}{email}"
    if kind == "blocks":
        return _loop(rf"{block}\\{dice.choice(('[.3em]', '[.8em]', ''))}"), options
    if kind == "table":
        columns = dice.choice((2, 3))
        width = rf"{0.9 / columns:.2}\textwidth"
        return _loop(
            rf"\begin{{minipage}}[t]{{{width}}}\centering {block}\end{{minipage}}"
            rf'<<"\\hfill" if loop.index % {columns} else "\\\\[1em]">>'
        ), options
    if kind == "groups":
        names = _loop(f"{name}{added}{_separated(separator, last)}", "g.writers")
        group = f"{{{style}\n{names}\n\\par}}{{{place_style} <<g.line>>\\par}}\\vskip .6em"
        return f"%% for g in r.groups\n{group}\n%% endfor", options
    if kind == "same line":
        before, after = dice.choice(((", ", ""), (" (", ")"), (" --- ", ""), (r" \textit{", "}")))
        return _loop(rf"{{{style} {name}}}{before}<<w.place.line>>{after}\\"), options
    if kind == "lines":
        names = _loop(rf"{{{style} {name}{added}{marks}}}\\")
    elif kind == "inverted":
        options = {"most": "9"}
        names = _loop(rf"<<w.family>>, <<w.given>>{marks}{_separated('; ', '; ')}")
    elif kind == "initials after":
        options = {"most": "9", "given": "initials"}
        initials = "<<w.initials|replace('. ', '')|replace('.', '')>>"
        names = _loop(rf"<<w.family>> {initials}{marks}{_separated(', ', ', ')}")
    else:
        names = _loop(f"{name}{added}{marks}{_separated(separator, last)}")
    places = _loop(f"{place_marks}<<i.line>>\\par", "r.institutes", "i") if place_marks else (
        "" if marks else r"<<r.institutes[0].line>>\par"
    )  # fmt: skip
    return (
        f"{{{style} {dice.choice(_LABELS)}\n{names}\n\\par}}\\vskip .7em\n"
        f"{{{place_style}\n{places}\n}}"
    ), options


def _loop(item: str, values: str = "r.writers", variable: str = "w") -> str:
    return f"%% for {variable} in {values}\n{item}\n%% endfor"


def _separated(separator: str, last: str) -> str:
    return f'<<"{last}" if loop.revindex == 2 else "{separator}" if not loop.last>>%'

"""Citation styles from .csl files: adding, replacing, dependent styles, and refusals."""

from __future__ import annotations

import shutil

import pytest

from sciread_app.errors import LibraryError, StyleRefused, UnknownStyle
from sciread_app.paths import resource
from sciread_app.services.export import citeproc
from sciread_app.services.export.citation_styles import CitationStyles, built_in
from sciread_app.services.export.citations import cite
from tests.support.generate.papers import paper

BOOK = paper("What is life?", authors="Schrödinger, Erwin", kind="book", published="1944")

STYLE = """<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0" {attributes}>
  <info><title>{title}</title><id>{id}</id><updated>2026-01-01T00:00:00+00:00</updated>
    {link}</info>
  {rules}
</style>"""
RULES = """<citation><layout prefix="[" suffix="]"><text variable="title"/></layout></citation>
  <bibliography><layout suffix="."><names variable="author"/>{more}</layout></bibliography>"""
IN = '<text term="in" text-case="capitalize-first"/>'


@pytest.fixture
def styles(tmp_path):
    return CitationStyles(tmp_path / "home" / "styles")


@pytest.fixture
def write(tmp_path):
    def write_style(
        name="cell.csl", title="Cell", id="http://www.zotero.org/styles/cell", link="", more="",
        attributes="", rules=RULES,
    ):  # fmt: skip
        file = tmp_path / name
        rules = rules.format(more=more) if more or rules is RULES else rules
        text = STYLE.format(title=title, id=id, link=link, rules=rules, attributes=attributes)
        file.write_text(text, "utf-8")
        return file

    return write_style


def test_added_style_is_found_by_key_and_title(styles, write):
    added = styles.add(write())
    assert (added.key, added.title) == ("cell", "Cell")
    assert added in styles.all() and len(styles.all()) == 6
    for name in ("cell", "Cell", "CELL"):
        cited = cite([BOOK], styles.load(name))
        assert cited.references == ("Erwin Schrödinger.",)
        assert cited.in_text == "[What is life?]"
    styles.remove("cell")
    assert len(styles.all()) == 5
    with pytest.raises(UnknownStyle, match="cell"):
        styles.load("cell")


def test_style_file_is_usable_without_adding(styles, write):
    assert cite([BOOK], styles.load(str(write()))).in_text == "[What is life?]"
    assert len(styles.all()) == 5


def test_newer_style_file_replaces_older(styles, write):
    styles.add(write())
    styles.add(write("newer.csl", title="Cell, new", id="https://www.zotero.org/styles/cell"))
    assert [style.title for style in styles.all()][5:] == ["Cell, new"]


def test_style_named_like_a_built_in_one_gets_another_key(styles):
    assert styles.add(resource("styles/apa.csl")).key == "apa-2"
    assert styles.load("apa").title == "APA"


def test_style_language_is_respected(styles, write):
    german = styles.load(str(write(more=IN, attributes='default-locale="de-DE"')))
    assert cite([BOOK], german).references == ("Erwin SchrödingerIn.",)
    spanish = styles.load(str(write(more=IN, attributes='default-locale="es"')))
    assert cite([BOOK], spanish).references == ("Erwin SchrödingerEn.",)
    unknown = styles.load(str(write(more=IN, attributes='default-locale="xx-XX"')))
    assert cite([BOOK], unknown).references == ("Erwin SchrödingerIn.",)


PARENT = '<link href="http://www.zotero.org/styles/{}" rel="independent-parent"/>'


def test_dependent_style_uses_its_parent(styles, write):
    journal = write("j.csl", title="A Journal", id="x/j", link=PARENT.format("apa"), rules="")
    styles.add(journal)
    loaded = styles.load("A Journal")
    assert loaded.title == "A Journal"
    assert cite([BOOK], loaded) == cite([BOOK], built_in("apa"))


def test_dependent_style_without_parent_is_refused(styles, write):
    journal = write("j.csl", title="A Journal", id="x/j", link=PARENT.format("cell"), rules="")
    with pytest.raises(StyleRefused, match="A Journal") as refused:
        styles.add(journal)
    assert "zotero.org/styles/cell" in refused.value.hint
    styles.add(write())
    assert styles.add(journal).title == "A Journal"


def test_footnote_style_has_no_references(styles, write):
    note = styles.load(
        str(write(rules='<citation><layout><text variable="title"/></layout></citation>'))
    )
    assert not note.has_bibliography
    assert cite([BOOK], note).references == ()


ENTITIES = """<!DOCTYPE style [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0"><info><title>&b;</title></info>
</style>"""
EXTERNAL = """<!DOCTYPE style [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0"><info><title>&x;</title></info>
</style>"""
DEEP = '<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0"><citation>' + "<group>" * 5000


@pytest.mark.parametrize(
    "content",
    [
        "", "not XML", "<html></html>", ENTITIES, EXTERNAL, DEEP,
        DEEP + "</group>" * 5000 + "</citation></style>",
        '<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0"/>',
        '<style xmlns="http://purl.org/net/xbiblio/csl" version="2.0"><citation/></style>',
    ],
)  # fmt: skip
def test_invalid_style_is_refused_by_file_name(styles, tmp_path, content):
    file = tmp_path / "odd.csl"
    file.write_text(content, "utf-8")
    with pytest.raises(StyleRefused, match="odd"):
        styles.add(file)
    assert len(styles.all()) == 5 and not list(tmp_path.glob("home/styles/*"))


def test_missing_style_file_is_refused(styles, tmp_path):
    with pytest.raises(StyleRefused, match="gone"):
        styles.load(str(tmp_path / "gone.csl"))


def test_style_with_missing_or_recursive_macro_is_refused(styles, write):
    loop = '<macro name="a"><text macro="a"/></macro>' + RULES.replace(
        "{more}", '<text macro="a"/>'
    )
    with pytest.raises(StyleRefused, match="Cell"):
        styles.add(write(rules=loop))
    missing = RULES.replace("{more}", '<text macro="missing"/>')
    with pytest.raises(StyleRefused, match="missing"):
        styles.add(write(rules=missing))


def test_slow_style_is_stopped(styles, write, monkeypatch):
    monkeypatch.setattr(citeproc, "LONGEST", 1e-3)
    with pytest.raises(LibraryError):
        cite([BOOK], styles.load(str(write())))


def test_damaged_style_does_not_hide_others(styles, write, tmp_path):
    styles.add(write())
    (tmp_path / "home" / "styles" / "broken.csl").write_bytes(b"\xff\xfe<")
    assert [style.key for style in styles.all()][5:] == ["broken", "cell"]
    assert styles.load("cell").title == "Cell"
    with pytest.raises(StyleRefused, match="broken"):
        styles.load("broken")


def test_built_in_style_cannot_be_removed(styles):
    with pytest.raises(StyleRefused):
        styles.remove("apa")


def test_citation_engine_has_no_files_or_network():
    context = citeproc._new_context()
    for name in ("require", "process", "std", "os", "fetch", "XMLHttpRequest", "print"):
        assert context.eval(f"typeof {name}") == "undefined"


def test_added_style_does_not_need_its_original_file(styles, write):
    file = write()
    styles.add(file)
    file.unlink()
    assert styles.load("cell").title == "Cell"
    shutil.rmtree(file.parent / "home")
    assert len(styles.all()) == 5

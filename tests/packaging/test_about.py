"""One place for the version and for what systems want to know; everything else agrees with it."""

from __future__ import annotations

import plistlib
import re
import subprocess
import sys
import tomllib
from types import ModuleType

import pytest
from about import ABOUT, FILES, ROOT, version
from icons import icns, ico
from plist import info_plist
from version_info import version_info

import sciread_app
from sciread_app.__main__ import _FILES

SUFFIXES = {suffix for file in FILES for suffix in file.suffixes}


def test_the_version_is_the_same_everywhere(share):
    said = sciread_app.__version__
    assert version() == said
    asked = [sys.executable, "-m", "sciread_app", "--version"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"sciread {said}"
    (metainfo,) = (share / "metainfo").iterdir()
    assert f'<release version="{said}"' in metainfo.read_text("utf-8")
    assert f"## [{said}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"## {said}" in (ROOT / "packaging" / "release_notes.md").read_text("utf-8")
    assert info_plist()["CFBundleVersion"] == said
    assert f"'FileVersion', '{said}'" in version_info()


def test_the_package_takes_its_version_from_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "sciread_app/__init__.py"


def test_the_files_that_systems_hand_over_are_those_that_open_the_window():
    assert set(_FILES) == SUFFIXES


def test_windows_and_macos_are_told_of_every_kind_of_file():
    installer = (ROOT / "packaging/windows/sciread.iss").read_text("utf-8")
    assert set(re.findall(r"Classes\\(\.\w+)\\OpenWithProgids", installer)) == SUFFIXES
    plist = plistlib.loads(plistlib.dumps(info_plist()))
    ranks = {one["LSItemContentTypes"][0]: one["LSHandlerRank"] for one in
             plist["CFBundleDocumentTypes"]}  # fmt: skip
    assert ranks.pop("com.adobe.pdf") == "Alternate" and set(ranks.values()) == {"Default"}
    declared = {one["UTTypeIdentifier"] for one in plist["UTImportedTypeDeclarations"]}
    assert declared == set(ranks)
    plistlib.loads((ROOT / "packaging/macos/entitlements.plist").read_bytes())


def test_icons_hold_a_picture_of_every_size(share):
    count = int.from_bytes(ico()[4:6], "little")
    assert count == ico().count(b"\x89PNG") == 7
    apple = icns()
    assert int.from_bytes(apple[4:8], "big") == len(apple) and apple.count(b"\x89PNG") == 6


@pytest.fixture
def readme(monkeypatch) -> ModuleType:
    """As the builder loads it, which is not here."""
    interface = ModuleType("hatchling.metadata.plugin.interface")
    interface.MetadataHookInterface = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    from tests.packaging.conftest import script

    return script("readme.py")


def test_away_from_the_sources_no_link_of_the_readme_leads_nowhere(readme):
    text = (ROOT / "README.md").read_text("utf-8")
    assert "](resources/screenshot.png)" in text
    lost = readme.elsewhere(text, "")
    assert not re.search(r"\]\((?!https?:|#)", lost) and "Contributing" in lost
    found = readme.elsewhere(text, "https://example.org/sciread")
    assert "](https://example.org/sciread/raw/main/resources/screenshot.png)" in found
    assert "[Contributing](https://example.org/sciread/blob/main/CONTRIBUTING.md)" in found


def test_no_address_is_made_up():
    assert not ABOUT["url"] or ABOUT["url"].startswith("https://")
    assert "." in ABOUT["identifier"]

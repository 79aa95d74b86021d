"""The version and the file types agree in every file that repeats them."""

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


def test_version_is_the_same_in_all_files(share):
    expected = sciread_app.__version__
    assert version() == expected
    command = [sys.executable, "-m", "sciread_app", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"sciread {expected}"
    (metainfo,) = (share / "metainfo").iterdir()
    assert f'<release version="{expected}"' in metainfo.read_text("utf-8")
    assert f"## [{expected}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"## {expected}" in (ROOT / "packaging" / "release_notes.md").read_text("utf-8")
    assert info_plist()["CFBundleVersion"] == expected
    assert f"'FileVersion', '{expected}'" in version_info()


def test_wheel_takes_its_version_from_the_module():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "sciread_app/__init__.py"


def test_registered_suffixes_are_those_that_open_the_window():
    assert set(_FILES) == SUFFIXES


def test_windows_and_macos_register_every_file_type():
    installer = (ROOT / "packaging/windows/sciread.iss").read_text("utf-8")
    assert set(re.findall(r"Classes\\(\.\w+)\\OpenWithProgids", installer)) == SUFFIXES
    plist = plistlib.loads(plistlib.dumps(info_plist()))
    ranks = {one["LSItemContentTypes"][0]: one["LSHandlerRank"] for one in
             plist["CFBundleDocumentTypes"]}  # fmt: skip
    assert ranks.pop("com.adobe.pdf") == "Alternate" and set(ranks.values()) == {"Default"}
    declared = {one["UTTypeIdentifier"] for one in plist["UTImportedTypeDeclarations"]}
    assert declared == set(ranks)
    plistlib.loads((ROOT / "packaging/macos/entitlements.plist").read_bytes())


def test_icons_hold_an_image_of_every_size():
    count = int.from_bytes(ico()[4:6], "little")
    assert count == ico().count(b"\x89PNG") == 7
    apple = icns()
    assert int.from_bytes(apple[4:8], "big") == len(apple) and apple.count(b"\x89PNG") == 6


@pytest.fixture
def readme(monkeypatch) -> ModuleType:
    """Load readme.py with a stand-in for hatchling, which is not installed."""
    interface = ModuleType("hatchling.metadata.plugin.interface")
    interface.MetadataHookInterface = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    from tests.packaging.conftest import script

    return script("readme.py")


def test_readme_for_pypi_has_no_relative_links(readme):
    text = (ROOT / "README.md").read_text("utf-8")
    assert "](resources/screenshot.png)" in text
    without_url = readme.absolute_links(text, "")
    assert not re.search(r"\]\((?!https?:|#)", without_url) and "Contributing" in without_url
    with_url = readme.absolute_links(text, "https://example.org/sciread")
    assert "](https://example.org/sciread/raw/main/resources/screenshot.png)" in with_url
    assert "[Contributing](https://example.org/sciread/blob/main/CONTRIBUTING.md)" in with_url


def test_homepage_is_empty_or_https():
    assert not ABOUT["url"] or ABOUT["url"].startswith("https://")
    assert "." in ABOUT["identifier"]

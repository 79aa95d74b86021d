"""Links to files in bibliographies, above all those that must not be followed."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.formats.bibtex import reader as bibtex
from sciread_app.formats.endnote import xml
from sciread_app.formats.values import file_links


@pytest.fixture
def looked_up(monkeypatch):
    """The paths whose existence was asked for."""
    paths = []

    def is_file(path):
        paths.append(str(path))
        return False

    monkeypatch.setattr(Path, "is_file", is_file)
    return paths


def on_a_share(path):
    return PureWindowsPath(path).drive.startswith("\\\\")


@given(st.lists(st.sampled_from(["/", "\\", "?", ".", "C:", "UNC", "nas", "x"])).map("".join))
def test_every_share_of_windows_is_recognized(path):
    assert file_links.is_network_share(path) or not on_a_share(path)


@pytest.mark.parametrize(
    "path", ["", "x.pdf", "/home/x.pdf", r"\papers\x.pdf", "C:/x.pdf", r"C:\\x.pdf", "a//b.pdf"]
)
def test_local_path_is_not_a_share(path):
    assert not file_links.is_network_share(path)


@pytest.mark.parametrize(
    "field",
    [
        r"/\evil\share\x.pdf",
        r"\/evil/share/x.pdf",
        "//evil/share/x.pdf",
        "file:///%5Cevil/share/x.pdf",
        "file:////evil/share/x.pdf",
        r":\\evil\\share\\x.pdf:PDF",
        r":\\\\evil\\share\\x.pdf:PDF",
        r":/\\evil/share/x.pdf:PDF",
        r":/evil/share/x.pdf:PDF",
        r"\??\UNC\evil\share\x.pdf",
    ],
)
def test_link_to_a_share_is_kept_and_never_looked_up(looked_up, field):
    assert file_links.resolve(field, [Path()]) == ((), field)
    assert not any(on_a_share(path) or "??" in path for path in looked_up)


@pytest.mark.parametrize("folder", ["//evil/share", r"\\\\evil/share", r"/\/evil/share"])
def test_file_directory_of_jabref_on_a_share_is_not_used(looked_up, tmp_path, folder):
    path = tmp_path / "a.bib"
    path.write_text(
        "@misc{k, title={A}, file={:x.pdf:PDF}}\n"
        f"@comment{{jabref-meta: fileDirectory:{folder};}}"
    )
    assert [paper.files for paper in bibtex.read(path)] == [()]
    assert looked_up and not any(map(on_a_share, looked_up))


def test_endnote_library_on_a_share_is_not_used(looked_up, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(
        r'<xml><records><record><database path="/\evil\share\My.enl">My.enl</database>'
        "<titles><title>A</title></titles><urls><pdf-urls><url>internal-pdf://1/x.pdf</url>"
        "</pdf-urls></urls></record></records></xml>"
    )
    assert [paper.files for paper in xml.read(path)] == [()]
    assert looked_up and not any(map(on_a_share, looked_up))

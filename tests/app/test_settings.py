"""Settings survive a file with mistakes, and keep unknown keys."""

from __future__ import annotations

import pytest

from sciread_app.domain.citekeys import generated
from sciread_app.settings import Settings, change_settings, read_settings, write_settings
from sciread_app.workspace import open_workspace
from tests.support.generate.papers import paper


def test_written_settings_are_read_back(tmp_path):
    path = tmp_path / "settings.toml"
    write_settings(path, Settings(theme="dark", pdf_workers=3))
    assert read_settings(path) == (Settings(theme="dark", pdf_workers=3), [])


def test_missing_file_gives_defaults(tmp_path):
    assert read_settings(tmp_path / "settings.toml") == (Settings(), [])


def test_invalid_values_get_defaults_and_are_named(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text('theme = "pink"\npdf_workers = "two"\npdf_seconds = 0\n')
    settings, problems = read_settings(path)
    assert settings == Settings()
    assert [p.split("=")[0] for p in problems] == [
        f"settings.toml: {name} " for name in ("theme", "pdf_workers", "pdf_seconds")
    ]


def test_unknown_keys_and_comments_are_kept(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text('# mine\nfuture = 1\ntheme = "light"\n')
    write_settings(path, Settings(theme="dark"))
    assert path.read_text() == '# mine\nfuture = 1\ntheme = "dark"\n'


def test_invalid_toml_is_set_aside_when_written(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text("theme = = dark")
    settings, problems = read_settings(path)
    assert settings == Settings() and "settings.toml" in problems[0]
    write_settings(path, Settings(theme="dark"))
    assert (tmp_path / "settings.toml.unreadable").read_text() == "theme = = dark"
    assert read_settings(path)[0].theme == "dark"


def test_invalid_address_is_named(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text('contact = "nobody"\narxiv_url = "ftp://x"\neutils_url = "https://x.org/"\n')
    settings, problems = read_settings(path)
    assert settings == Settings(eutils_url="https://x.org/")
    assert [problem.split(" = ")[0] for problem in problems] == [
        "settings.toml: contact",
        "settings.toml: arxiv_url",
    ]


def test_change_of_one_setting_keeps_others(tmp_path):
    file = tmp_path / "settings.toml"
    change_settings(file, theme="dark")
    change_settings(file, pdf_workers=4)
    settings, problems = read_settings(file)
    assert (settings.theme, settings.pdf_workers, problems) == ("dark", 4, [])


@pytest.mark.parametrize(
    "wrong", [{"scale": 50}, {"scale": 301}, {"list_text": 79}, {"contact": "nobody"}]
)
def test_invalid_value_raises_error_and_is_not_written(tmp_path, wrong):
    with pytest.raises(ValueError, match="value must be"):
        change_settings(tmp_path / "settings.toml", **wrong)
    assert not (tmp_path / "settings.toml").exists()


@pytest.mark.parametrize("proxy", ["proxy.example.org", "ftp://a.org", "http://", "http://a:x"])
def test_invalid_proxy_is_rejected(tmp_path, proxy):
    with pytest.raises(ValueError, match="http://"):
        change_settings(tmp_path / "settings.toml", proxy=proxy)


def test_proxy_with_password_is_rejected_and_not_written(tmp_path):
    with pytest.raises(ValueError, match="password") as wrong:
        change_settings(tmp_path / "settings.toml", proxy="http://ada:s3cret@a.org:8080")
    assert "s3cret" not in str(wrong.value) and not (tmp_path / "settings.toml").exists()


@pytest.mark.parametrize("proxy", ["system", "none", "http://a.org:8080", "https://[::1]:3128/"])
def test_valid_proxy_is_saved(tmp_path, proxy):
    assert change_settings(tmp_path / "settings.toml", proxy=proxy).proxy == proxy


def test_citation_key_pattern_applies_to_later_exports(tmp_path):
    workspace = open_workspace(tmp_path)
    try:
        bees, wasps = workspace.library.put(
            [
                paper(f"Of {name}", authors="Apis, Ada", published="2020")
                for name in ("Bees", "Wasps")
            ]
        ).ids
        before = workspace.library.citekeys.pin([bees])
        workspace.change(citekey="{year}{author}")
        after = workspace.library.citekeys.pin([bees, wasps])
    finally:
        workspace.close()
    assert before == {bees: "apisBees2020"}
    assert after == before | {wasps: "2020apis"}


def test_citation_key_without_any_field_is_not_empty():
    assert generated(paper("Of Ants"), "{year}") == "paper"


@pytest.mark.parametrize(
    "wrong",
    [
        {"pdf_folder": "papers"},
        {"pdf_import": "delete"},
        {"pdf_name": "{a}"},
        {"pdf_name": "{title}:"},
    ],
)
def test_invalid_settings_of_pdfs_are_refused(tmp_path, wrong):
    with pytest.raises(ValueError):
        change_settings(tmp_path / "settings.toml", **wrong)
    assert not (tmp_path / "settings.toml").exists()

import pytest

from sciread_app.formats.files.encoding import encoding_of, is_guessed, open_text


def opened(tmp_path, data):
    path = tmp_path / "some.bib"
    path.write_bytes(data)
    with open_text(path) as stream:
        return stream.read()


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "utf-16-le", "utf-16-be"]
)
def test_the_encoding_need_not_be_known(tmp_path, encoding):
    text = "title = {Ü ist ein Umlaut, l’été à 25 °C}\n"
    assert opened(tmp_path, text.encode(encoding)) == text


def test_one_line_of_windows_text_spoils_no_line_of_utf8(tmp_path):
    data = "Müller – α\n".encode() + "Müller – Ž\n".encode("cp1252")
    assert opened(tmp_path, data) == "Müller – α\nMüller – Ž\n"


def test_bytes_that_windows_has_no_letter_for_are_read_as_latin_1(tmp_path):
    assert opened(tmp_path, b"\x81\xe9") == "\x81é"


def test_a_header_names_the_encoding_only_where_the_file_is_not_utf8(tmp_path):
    header = b"% Encoding: MacRoman\n"
    assert opened(tmp_path, header + "é".encode("mac-roman")).endswith("\né")
    assert opened(tmp_path, header + "é".encode()).endswith("\né")


def test_a_header_that_lies_is_no_error(tmp_path):
    assert opened(tmp_path, b"% Encoding: UTF-8\nTest\xa0I.").endswith("Test\xa0I.")
    assert opened(tmp_path, b"% Encoding: nonsense-7\n\xfc").endswith("\nü")


def test_line_ends_of_every_system_are_one(tmp_path):
    assert opened(tmp_path, b"a\r\nb\rc\n") == "a\nb\nc\n"


def test_an_empty_file_is_utf8(tmp_path):
    path = tmp_path / "empty.bib"
    path.touch()
    assert encoding_of(path) == "utf-8-sig"


def test_chinese_without_a_declaration_is_told_by_its_bytes(tmp_path):
    path = tmp_path / "gbk.bib"
    text = "@article{a, author = {凯撒}, journal = {测试期刊}, title = {一二三}}"
    path.write_bytes(text.encode("gbk"))
    with open_text(path) as stream:
        assert stream.read() == text
    assert is_guessed(path)


@pytest.mark.parametrize("header", ["", "% Encoding: GBK\n", "% Encoding: gb2312\n"])
def test_names_with_signs_that_only_gbk_holds_are_read(tmp_path, header):
    path = tmp_path / "gbk.bib"
    text = header + "@article{a, author = {赵喆 and 朱镕基}, title = {深度学习方法研究}}"
    path.write_bytes(text.encode("gbk"))
    with open_text(path) as stream:
        assert stream.read() == text
    assert is_guessed(path) == (not header)


def test_two_small_letters_with_accents_are_no_chinese_sign(tmp_path):
    path = tmp_path / "west.bib"
    path.write_bytes("Größe und Größen".encode("cp1252"))
    assert not is_guessed(path)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])
def test_a_text_of_the_west_is_not_taken_for_chinese(tmp_path, encoding):
    path = tmp_path / "west.bib"
    path.write_bytes("Müller, Gößmann: Über Straßen à Besançon, Zoë".encode(encoding))
    assert not is_guessed(path)

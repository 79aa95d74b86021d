import pytest

from sciread_app.formats import remark
from sciread_app.formats.files.encoding import encoding_of, guessed_encoding, open_text


def decoded(tmp_path, data):
    path = tmp_path / "some.bib"
    path.write_bytes(data)
    with open_text(path) as stream:
        return stream.read()


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "utf-16-le", "utf-16-be"]
)
def test_encoding_is_detected(tmp_path, encoding):
    text = "title = {Ü ist ein Umlaut, l’été à 25 °C}\n"
    assert decoded(tmp_path, text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", "author = {Иванов, А.}, title = {Исследование методов анализа}"),
        ("koi8_r", "author = {Иванов, А.}, title = {Исследование методов анализа}"),
        ("cp1253", "author = {Παπαδόπουλος, Α.}, title = {Μελέτη των μεθόδων}"),
        (
            "cp1255",
            "author = {כהן}, title = {מחקר על שיטות חדשות בירושלים}, journal = {כתב עת למדעים}",
        ),
        ("cp1256", "author = {محمد}, title = {دراسة في الأساليب}"),
        ("cp932", "author = {山田太郎}, title = {日本の歴史と深層学習}"),
        ("big5", "author = {陳志明}, title = {台灣的歷史研究}, journal = {國立臺灣大學}"),
    ],
)
def test_undeclared_encoding_of_another_script_is_detected_and_named(tmp_path, encoding, text):
    text = f"@article{{a, {text}, year = 2001}}\n"
    assert decoded(tmp_path, text.encode(encoding)) == text
    assert "(" in remark(tmp_path / "some.bib")


WESTERN = (
    "author = {Müller, Jürgen and René Étienne}, title = {Über die Größe à côté de l'été}, "
    "note = {Núñez, año; Åse, Øyvind; naïve œuvre – “quoted” £5, 25 °C, x²}"
)


def test_undeclared_western_encoding_is_named(tmp_path):
    path = tmp_path / "some.bib"
    path.write_bytes(WESTERN.encode("cp1252"))
    assert guessed_encoding(path) == ""
    with open_text(path) as stream:
        assert stream.read() == WESTERN
    assert "Windows-1252" in remark(path)


@pytest.mark.parametrize(
    "data",
    [
        WESTERN.encode(),
        WESTERN.encode("utf-16"),
        b"% Encoding: Cp1252\n" + WESTERN.encode("cp1252"),
        b"title = {Bees}",
    ],
)
def test_declared_or_usual_encoding_needs_no_remark(tmp_path, data):
    path = tmp_path / "some.bib"
    path.write_bytes(data)
    assert not remark(path)


def test_one_windows_line_does_not_break_utf8_lines(tmp_path):
    data = "Müller – α\n".encode() + "Müller – Ž\n".encode("cp1252")
    assert decoded(tmp_path, data) == "Müller – α\nMüller – Ž\n"


def test_bytes_undefined_in_windows_encoding_are_read_as_latin_1(tmp_path):
    assert decoded(tmp_path, b"\x81\xe9") == "\x81é"


def test_encoding_header_applies_only_without_valid_utf8(tmp_path):
    header = b"% Encoding: MacRoman\n"
    assert decoded(tmp_path, header + "é".encode("mac-roman")).endswith("\né")
    assert decoded(tmp_path, header + "é".encode()).endswith("\né")


def test_wrong_encoding_header_is_ignored(tmp_path):
    assert decoded(tmp_path, b"% Encoding: UTF-8\nTest\xa0I.").endswith("Test\xa0I.")
    assert decoded(tmp_path, b"% Encoding: nonsense-7\n\xfc").endswith("\nü")


def test_line_ends_are_normalised(tmp_path):
    assert decoded(tmp_path, b"a\r\nb\rc\n") == "a\nb\nc\n"


def test_empty_file_is_utf8(tmp_path):
    path = tmp_path / "empty.bib"
    path.touch()
    assert encoding_of(path) == "utf-8-sig"


def test_undeclared_gbk_is_detected(tmp_path):
    path = tmp_path / "gbk.bib"
    text = "@article{a, author = {凯撒}, journal = {测试期刊}, title = {一二三}}"
    path.write_bytes(text.encode("gbk"))
    with open_text(path) as stream:
        assert stream.read() == text
    assert guessed_encoding(path) == "gb18030"


@pytest.mark.parametrize(
    ("encoding", "guessed", "text"),
    [
        ("euc_jp", "euc_jis_2004", "author = {山田太郎}, title = {日本の歴史}, journal = {論文誌}"),
        ("euc_jp", "euc_jis_2004", "title = {深層学習を用いた画像認識に関するデータ}"),
        ("euc_kr", "cp949", "author = {홍길동}, journal = {한국전산학회 논문지}"),
        ("cp949", "cp949", "title = {기계 학습을 이용한 연구}, author = {최서연 and 강쀼닛}"),
        ("gb2312", "gb18030", "author = {陈静}, title = {中国激光}, publisher = {北京大学}"),
        # One kana in a Chinese text.
        (
            "gbk",
            "gb18030",
            "title = {黄河流域高质量发展的经济增长与环境污染关系}, note = {の}",
        ),
    ],
)
def test_encoding_of_east_asian_file_is_decided_by_its_text(tmp_path, encoding, guessed, text):
    path = tmp_path / "east.bib"
    path.write_bytes(f"@article{{a, {text}}}".encode(encoding))
    assert guessed_encoding(path) == guessed
    with open_text(path) as stream:
        assert stream.read() == f"@article{{a, {text}}}"


@pytest.mark.parametrize(
    ("encoding", "text", "language"),
    [
        ("euc_jp", "TI  - 深層学習を用いた研究", "Japanese (EUC-JP)"),
        ("euc_kr", "TI  - 기계 학습을 이용한 연구", "Korean (EUC-KR)"),
        ("gbk", "TI  - 基于深度学习的图像综述", "Chinese (GBK)"),
    ],
)
def test_remark_names_the_guessed_encoding(tmp_path, encoding, text, language):
    path = tmp_path / "east.ris"
    path.write_bytes(text.encode(encoding))
    assert f"was read as {language}." in remark(path)


@pytest.mark.parametrize("text", ["コンピュータの研究", "기계 학습을 이용한 연구"])
def test_japanese_and_korean_in_utf8_are_not_guessed(tmp_path, text):
    path = tmp_path / "east.bib"
    path.write_text(text, encoding="utf-8")
    assert guessed_encoding(path) == ""


@pytest.mark.parametrize("header", ["", "% Encoding: GBK\n", "% Encoding: gb2312\n"])
def test_names_with_characters_only_in_gbk_are_read(tmp_path, header):
    path = tmp_path / "gbk.bib"
    text = header + "@article{a, author = {赵喆 and 朱镕基}, title = {深度学习方法研究}}"
    path.write_bytes(text.encode("gbk"))
    with open_text(path) as stream:
        assert stream.read() == text
    assert bool(guessed_encoding(path)) == (not header)


def test_two_accented_letters_are_not_chinese(tmp_path):
    path = tmp_path / "west.bib"
    path.write_bytes("Größe und Größen".encode("cp1252"))
    assert not guessed_encoding(path)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])
def test_western_text_is_not_detected_as_chinese(tmp_path, encoding):
    path = tmp_path / "west.bib"
    path.write_bytes("Müller, Gößmann: Über Straßen à Besançon, Zoë".encode(encoding))
    assert not guessed_encoding(path)

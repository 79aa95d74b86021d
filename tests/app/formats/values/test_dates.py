import pytest

from sciread_app.formats.values import dates


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2005/07/15", "2005-07-15"),
        ("2012///", "2012"),
        ("2016/01/", "2016-01"),
        ("2016-05/2017-01", "2016-05"),
        ("2021-06-01T12:00:00Z", "2021-06-01"),
        ("Mar 2003", "2003-03"),
        ("3 March 2003", "2003-03-03"),
        ("2017 Jun", "2017-06"),
        ("c1999", "1999"),
        ("2020-13-45", "2020"),
        ("in press", ""),
        ("0000", ""),
        ("12345", ""),
    ],
)
def test_dates_are_parsed_with_their_precision(written, date):
    assert dates.parse(written) == date


@pytest.mark.parametrize(
    ("written", "month"),
    [
        ("Juni", 6),
        ("sept.", 9),
        ("06", 6),
        ("jan/feb", 1),
        ("10~may", 5),
        ("juillet", 7),
        ("juin", 6),
        ("13", 0),
        ("Spring", 0),
        ("", 0),
    ],
)
def test_month_names_of_many_languages_are_known(written, month):
    assert dates.month_of(written) == month

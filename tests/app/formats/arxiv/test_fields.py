import pytest

from sciread_app.formats.arxiv import fields as arxiv_record


@pytest.mark.parametrize(
    ("journal_ref", "venue"),
    [
        ("Phys. Rev. D 76, 013009 (2007)", "Phys. Rev. D"),
        ("Phys.Lett.B573:94-100,2003", "Phys.Lett.B"),
        ("Annals of Physics, vol. 3, no. 2", "Annals of Physics"),
        ("Nature (London) 410 (2001) 63", "Nature (London)"),
        (
            "IEEE Transactions on Information Theory ( Volume: 65 )",
            "IEEE Transactions on Information Theory",
        ),
        (
            "In Proc. 31st ACM Symposium on Testing (ISSTA 2022)",
            "Proc. 31st ACM Symposium on Testing",
        ),
        ("2022 IEEE Conference on Clouds", "IEEE Conference on Clouds"),
        ("1998", ""),
        ("", ""),
    ],
)
def test_venue_of_journal_ref_ends_before_volume(journal_ref, venue):
    assert arxiv_record.venue_of(journal_ref) == venue


@pytest.mark.parametrize(
    ("date", "iso"),
    [("Mon, 2 Apr 2007 19:18:42 GMT", "2007-04-02"), ("yesterday", ""), ("", "")],
)
def test_version_date_becomes_iso(date, iso):
    assert arxiv_record.day_of(date) == iso


@pytest.mark.parametrize("endless", [",", "(", ";"])
def test_endless_journal_ref_is_parsed_quickly(endless):
    assert arxiv_record.venue_of("Nature " + endless * 1_000_000).startswith("Nature")

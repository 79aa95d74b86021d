"""The formats of a digest: valid, escaped, and with web links only."""

from __future__ import annotations

import email
import email.policy
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from uuid import UUID

import pytest
from defusedxml import ElementTree
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.digest import Digest, DigestEntry, TopicDigest
from sciread_app.domain.paper import PaperId
from sciread_app.domain.recommend import FollowedTopic, TopicKind
from sciread_app.errors import BadQuery
from sciread_app.services.digest import formats
from tests.support.generate.papers import paper

ATOM = "{http://www.w3.org/2005/Atom}"
FEED = UUID(int=7)
BEES = FollowedTopic("collection:1", TopicKind.collection, "bees & <i>hives</i>")
QUERY = FollowedTopic("query:1", TopicKind.query, "all:swarm")
MADE = datetime(2026, 11, 26, 8, 0, tzinfo=UTC)
ABSTRACT = "Bees dance. They fly. They swarm. They sleep in winter."


def entry(title="The dance of bees", number=1, **values):
    found = replace(paper(title, abstract=ABSTRACT, **values), id=PaperId(number))
    return DigestEntry(found, ["A waggle", "A hive"], ["waggle"], MADE.timestamp())


def digest(*entries, subject=BEES, more=0):
    return Digest(MADE, [TopicDigest(subject, entries, more)])


def every_form(made):
    return {
        "text": formats.as_text(made),
        "md": formats.as_markdown(made),
        "html": formats.as_html(made),
        "mail": formats.as_mail(made, "me@example.org", FEED),
        "atom": formats.as_atom([made], FEED, 10),
    }


class Links(HTMLParser):
    """The links, the tags and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.hrefs, self.tags, self.text = [], set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.hrefs += [value for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data):
        self.text += data


def test_every_format_shows_all_that_is_known_of_a_paper():
    many = "; ".join(f"Author{n}, A." for n in range(9))
    made = digest(
        entry(authors=many, venue="Nature", published="2026-11-02", doi="10.1000/x"), more=3
    )
    for name, text in every_form(made).items():
        shown = text
        if name == "mail":
            message = email.message_from_string(text, policy=email.policy.default)
            shown = message.get_body(("plain",)).get_content()
        for part in ("The dance of bees", "Author0", "et al.", "Nature", "2026-11", "A waggle"):
            assert part in shown, f"{part} in {name}"
        assert "https://doi.org/10.1000/x" in shown and "They swarm." in shown
        assert "winter" not in shown and "Author7" not in shown
        assert name == "atom" or "3 more papers" in shown


def test_long_abstract_is_cut_at_a_word():
    text = formats.beginning("honey " * 300)
    assert len(text) < 510 and text.endswith("honey …")


def test_reason_of_a_query_is_the_query():
    listed = DigestEntry(paper("Swarms"))
    assert "query" in formats.reason(TopicDigest(QUERY, [listed]), listed)


@pytest.mark.parametrize(
    ("values", "address"),
    [
        ({"doi": "10.1000/a<b>(c)"}, "https://doi.org/10.1000/a%3Cb%3E%28c%29"),
        ({"arxiv": "2101.00001", "pmid": "1"}, "https://arxiv.org/abs/2101.00001"),
        ({"extra": {"url": "https://example.org/a?b=(1)"}}, "https://example.org/a?b=%281%29"),
        ({"extra": {"url": "javascript:alert(1)"}}, ""),
        ({"extra": {"url": "file:///etc/passwd"}}, ""),
        ({"extra": {"url": "https://"}}, ""),
        ({}, ""),
    ],
)
def test_only_web_addresses_become_links(values, address):
    made = digest(entry(**values))
    assert formats.link(made.topics[0].entries[0].paper) == address
    assert Links(formats.as_html(made)).hrefs == ([address] if address else [])


def test_html_has_no_foreign_markup_and_refers_to_no_file():
    hostile = "<script>alert(1)</script><img src=x>"
    made = digest(entry(hostile, authors=f"{hostile}, A.", venue=hostile))
    page = Links(formats.as_html(made))
    assert page.tags <= {"html", "meta", "title", "style", "h1", "h2", "h3", "p", "a"}
    assert hostile in page.text and page.hrefs == []


def test_markdown_escapes_markup():
    text = formats.as_markdown(digest(entry("[Honey](x) *bee* <b> # 1", doi="10.1000/x")))
    assert r"\[Honey\](x) \*bee\* &lt;b&gt; \# 1" in text
    assert "## bees &amp; &lt;i&gt;hives" in text


def test_mail_is_a_message_in_ascii_with_text_and_html():
    made = digest(entry("Über Bienen\r\nBcc: a@b.org"))
    text = formats.as_mail(made, "me@example.org", FEED)
    text.encode("ascii")
    message = email.message_from_string(text, policy=email.policy.default)
    assert message["To"] == message["From"] == "me@example.org" and message["Bcc"] is None
    assert message["Date"].datetime == MADE and "1 new paper" in message["Subject"]
    assert message["Message-ID"] and not message.defects
    kinds = [part.get_content_type() for part in message.iter_parts()]
    assert kinds == ["text/plain", "text/html"]
    assert "Über Bienen" in message.get_body(("html",)).get_content()


@pytest.mark.parametrize("address", ["me", "me@example.org\nBcc: x@y.org", "a b@c.org", ""])
def test_invalid_address_is_refused(address):
    with pytest.raises(BadQuery):
        formats.check_address(address)


def validated(text):
    """The root of a feed that has all that RFC 4287 requires."""
    root = ElementTree.fromstring(text)
    assert root.tag == f"{ATOM}feed"
    has_author = root.find(f"{ATOM}author/{ATOM}name").text
    for node in (root, *root.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(node.findall(f"{ATOM}{name}")) == 1, name
        assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", node.findtext(f"{ATOM}id"))
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", node.findtext(f"{ATOM}updated"))
        assert has_author or node.find(f"{ATOM}author") is not None
        for author in node.findall(f"{ATOM}author"):
            assert author.findtext(f"{ATOM}name")
    for node in root.findall(f"{ATOM}entry"):
        content = node.find(f"{ATOM}content")
        assert content is not None and content.get("type") == "html"
    ids = [node.findtext(f"{ATOM}id") for node in root.findall(f"{ATOM}entry")]
    assert len(set(ids)) == len(ids)
    return root


def test_atom_feed_is_valid_and_its_ids_are_stable():
    listed = [entry(doi="10.1000/x"), entry("Untitled & <b>", number=2, authors="")]
    first = validated(formats.as_atom([digest(*listed)], FEED, 10))
    later = replace(digest(*listed), made=MADE.replace(day=27))
    again = validated(formats.as_atom([later], FEED, 10))
    assert [e.findtext(f"{ATOM}id") for e in first] == [e.findtext(f"{ATOM}id") for e in again]
    other = validated(formats.as_atom([digest(*listed)], UUID(int=8), 10))
    ids = {node.text for node in first.iter(f"{ATOM}id")}
    assert not ids & {node.text for node in other.iter(f"{ATOM}id")}


def test_atom_feed_keeps_the_latest_entries():
    digests = [digest(*(entry(number=10 * d + n) for n in range(5))) for d in range(4)]
    root = validated(formats.as_atom(digests, FEED, 7))
    assert len(root.findall(f"{ATOM}entry")) == 7


def test_empty_feed_is_valid():
    validated(formats.as_atom([], FEED, 7))


@given(st.text(), st.text(), st.text())
def test_any_text_gives_valid_formats(title, author, topic):
    found = replace(
        paper(title, authors=((f"{author}, A.") if author else "")), abstract=author, id=PaperId(1)
    )
    made = digest(DigestEntry(found, [title], [topic], 0.0), subject=replace(BEES, name=topic))
    texts = every_form(made)
    validated(texts["atom"])
    assert Links(texts["html"]).tags <= {"html", "meta", "title", "style", "h1", "h2", "h3", "p"}

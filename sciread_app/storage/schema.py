"""The tables of the library. What they hold today is what the migrations have built."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    collate,
    literal_column,
    text,
)

from sciread_app.storage.conditions import WITHDRAWN

metadata = MetaData()


def _paper(primary_key: bool = False) -> Column[int]:
    return Column(
        "paper",
        ForeignKey("papers.id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


papers = Table(
    "papers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("title", Text, nullable=False),
    Column("abstract", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("published", Text, nullable=False),
    Column("year", Integer),
    Column("venue", Text, nullable=False),
    Column("keywords", Text, nullable=False),  # one a line
    Column("extra", Text, nullable=False),  # JSON object
    Column("source", Text, nullable=False),
    Column("source_id", Text, nullable=False),
    Column("text_hash", Integer, nullable=False),  # of what is encoded: title and abstract
    Column("head_key", Integer, nullable=False),  # how the title begins
    Column("tail_key", Integer, nullable=False),  # how it ends
    # Its first author and year; 0: not known.
    Column("author_key", Integer, nullable=False, server_default="0"),
    Column("work", Integer),  # versions of one work share it; NULL: the only one
    Column("edited", Text, nullable=False, server_default="[]"),  # fields set by hand: JSON list
    Column("read", Boolean, nullable=False, server_default="0"),
    Column("rating", Integer, nullable=False, server_default="0"),
    Column("added", Float, nullable=False),  # seconds since 1970, as are all times here
    Column("changed", Float, nullable=False),
    Column("trashed", Float),
    Index("papers_source", "source", "source_id"),
    # Small indexes that answer by themselves, without a look at the papers.
    Index("papers_head", "head_key", "tail_key"),
    Index("papers_tail", "tail_key", "head_key"),
    Index("papers_author", "author_key"),
    Index("papers_live", "year", sqlite_where=Column("trashed", Float).is_(None)),
    Index("papers_read", "read", sqlite_where=Column("read", Boolean)),
    Index("papers_bare", "abstract", sqlite_where=Column("abstract", Text) == literal_column("''")),
    Index("papers_work", "work", sqlite_where=Column("work", Integer).isnot(None)),
    Index("papers_added", "added", sqlite_where=Column("trashed", Float).is_(None)),
    Index("papers_trashed", "trashed", sqlite_where=Column("trashed", Float).isnot(None)),
    Index("papers_rated", "rating", sqlite_where=Column("rating", Integer) > literal_column("0")),
    Index(
        "papers_venue",
        collate(Column("venue", Text), "NOCASE"),
        sqlite_where=Column("venue", Text) != literal_column("''"),
    ),
    Index("papers_withdrawn", "id", sqlite_where=text(WITHDRAWN)),
    # Ids are never used again: vectors and index entries of a paper long gone must not be met by
    # a new one.
    sqlite_autoincrement=True,
)

authors = Table(
    "authors",
    metadata,
    _paper(primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("family", Text, nullable=False),
    Column("given", Text, nullable=False),
    Column("particle", Text, nullable=False),
    Column("suffix", Text, nullable=False),
    Column("literal", Boolean, nullable=False),
    sqlite_with_rowid=False,
)

identifiers = Table(
    "identifiers",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("value", Text, primary_key=True),
    _paper(primary_key=True),
    Column("position", Integer, nullable=False),
    Index("identifiers_paper", "paper"),
    sqlite_with_rowid=False,
)

fields = Table(
    "fields",
    metadata,
    _paper(primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("field", Text, nullable=False),
    Index("fields_field", collate(Column("field", Text), "NOCASE"), "paper"),
    sqlite_with_rowid=False,
)

# Every record that was ever taken in, by the hash of all it said.
origins = Table(
    "origins",
    metadata,
    Column("fingerprint", Integer, primary_key=True),
    _paper(),
    Column("record", Text, nullable=False),  # of earlier versions: `merges` has it now
    Index("origins_paper", "paper"),
)

# What was made part of a paper, by an import or by hand. `own` and `other` are both sides as they
# were before, in JSON: see merges.State.
merges = Table(
    "merges",
    metadata,
    Column("id", Integer, primary_key=True),
    _paper(),
    Column("import", Integer),  # NULL: by hand
    Column("at", Float, nullable=False),
    Column("reason", Text, nullable=False),
    Column("own", Text, nullable=False),
    Column("other", Text, nullable=False),
    Column("within", Integer),  # the merge by which its paper became part of another
    Index("merges_paper", "paper"),
    Index("merges_import", "import"),
)

# What is known of two papers, a < b: "versions" of one work, "different" (somebody said so),
# "maybe" (somebody should look).
relations = Table(
    "relations",
    metadata,
    Column("a", ForeignKey("papers.id", ondelete="CASCADE"), primary_key=True),
    Column("b", ForeignKey("papers.id", ondelete="CASCADE"), primary_key=True),
    Column("verdict", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("decided", Float, nullable=False),
    Index("relations_b", "b"),
    sqlite_with_rowid=False,
)

# By identifier, since most of what a paper cites is not in the library, or not yet.
citations = Table(
    "citations",
    metadata,
    Column("citing_kind", Text, primary_key=True),
    Column("citing", Text, primary_key=True),
    Column("cited_kind", Text, primary_key=True),
    Column("cited", Text, primary_key=True),
    Column("source", Text, nullable=False),
    Index("citations_cited", "cited_kind", "cited"),
    sqlite_with_rowid=False,
)

attachments = Table(
    "attachments",
    metadata,
    Column("id", Integer, primary_key=True),
    _paper(),
    Column("path", Text, nullable=False),
    Column("sha256", Text, nullable=False, server_default=""),  # empty until the file was seen
    Column("size", Integer, nullable=False, server_default="0"),
    Column("pages", Integer, nullable=False, server_default="0"),  # 0: not counted
    Column("modified", Float, nullable=False, server_default="0"),
    Column(
        "problem", Text, nullable=False, server_default=""
    ),  # why there is no text, for a person
    Column("added", Float, nullable=False),
    UniqueConstraint("paper", "path"),
    Index("attachments_sha256", "sha256"),
    Index("attachments_path", "path"),
)

# The words of a file, once for each content.
bodies = Table(
    "bodies",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("text", Text, nullable=False),
)

collections = Table(
    "collections",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("parent", ForeignKey("collections.id", ondelete="CASCADE")),
    Column("name", Text, nullable=False),
    Index("collections_name", "parent", "name"),
)

collected = Table(
    "collected",
    metadata,
    Column("collection", ForeignKey("collections.id", ondelete="CASCADE"), primary_key=True),
    _paper(primary_key=True),
    Column("added", Float, nullable=False),
    Index("collected_paper", "paper"),
    sqlite_with_rowid=False,
)

tags = Table(
    "tags",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text(collation="NOCASE"), nullable=False, unique=True),
    Column("colour", Text, nullable=False, server_default=""),
)

tagged = Table(
    "tagged",
    metadata,
    Column("tag", ForeignKey("tags.id", ondelete="CASCADE"), primary_key=True),
    _paper(primary_key=True),
    Index("tagged_paper", "paper"),
    sqlite_with_rowid=False,
)

notes = Table(
    "notes",
    metadata,
    Column("id", Integer, primary_key=True),
    _paper(),
    Column("text", Text, nullable=False),
    Column("added", Float, nullable=False),
    Column("changed", Float, nullable=False),
    Index("notes_paper", "paper"),
)

saved_searches = Table(
    "saved_searches",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("query", Text, nullable=False),
    Column("added", Float, nullable=False),
)

# Which row of a space's vector file holds the vector of a paper's text.
vectors = Table(
    "vectors",
    metadata,
    Column("space", Text, primary_key=True),
    _paper(primary_key=True),
    Column("row", Integer, nullable=False),
    Column("text_hash", Integer, nullable=False),
    Index("vectors_paper", "paper"),
    sqlite_with_rowid=False,
)

imports = Table(
    "imports",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("what", Text, nullable=False),
    Column("started", Float, nullable=False),
    Column("finished", Float),  # NULL: still going on, or killed
    Column("read", Integer, nullable=False),
    Column("added", Integer, nullable=False),
    Column("merged", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
    Column("fetch", Integer),  # whose run it is; NULL: from files
    Index("imports_fetch", "fetch"),
)

failures = Table(
    "failures",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("import", ForeignKey("imports.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("file", Text, nullable=False),
    Column("entry", Text, nullable=False),
    Column("why", Text, nullable=False),
)

# What an import has brought: papers that are new, and what has become of those that were there.
news = Table(
    "news",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("import", ForeignKey("imports.id", ondelete="CASCADE"), nullable=False),
    _paper(),
    Column("what", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Index("news_import", "import"),
    Index("news_paper", "paper"),
)

# What another program's library has brought for a paper: tags, collections and notes. None comes a
# second time, so that what was taken away here stays away.
brought = Table(
    "brought",
    metadata,
    _paper(primary_key=True),
    Column("kind", Text, primary_key=True),  # "tag", "collection", "note"
    Column("name", Text, primary_key=True),
    sqlite_with_rowid=False,
)

# Queries to sources. A query is fetched once and refreshed ever after; each run is an import.
fetches = Table(
    "fetches",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("since", Text, nullable=False),
    Column("until", Text, nullable=False),
    Column("most", Integer, nullable=False),
    Column("changed_since", Text, nullable=False),  # what the last run asks for; empty: all
    Column("cursor", Text, nullable=False),  # where the last run stands; empty: at its beginning
    Column("total", Integer, nullable=False),
    Column("message", Text, nullable=False),  # why the last run failed
    UniqueConstraint("source", "text", "since", "until", "most"),
)

# What papers that are not in the library are called, as far as somebody asked.
mentions = Table(
    "mentions",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("value", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("authors", Text, nullable=False),
    Column("venue", Text, nullable=False),
    Column("year", Text, nullable=False),
    sqlite_with_rowid=False,
)

# Of which papers a source of citations was asked for theirs, and when.
asked = Table(
    "asked",
    metadata,
    _paper(primary_key=True),
    Column("source", Text, primary_key=True),
    Column("at", Float, nullable=False),
    sqlite_with_rowid=False,
)

# What a person has changed, so that it can be taken back: see edits.py.
edits = Table(
    "edits",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("what", Text, nullable=False),  # for a person: "Tagged 3 papers “to read”"
    Column("rows", Integer, nullable=False, server_default="0"),
    Column("undone", Boolean, nullable=False, server_default="0"),
    Column("import", Integer),  # whose merges it is; they are in `merges` until they are undone
)

# One value of a row (`column` says which), or a whole row that came or went: then it is JSON, and
# NULL where there was no row. Values are kept in whatever type they have.
edited_rows = Table(
    "edited_rows",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("edit", ForeignKey("edits.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("table", Text, nullable=False),
    Column("key", Text, nullable=False),  # JSON: the values of the primary key
    Column("paper", Integer),  # whose row it is, if a paper's
    Column("column", Text),
    Column("before", LargeBinary),
    Column("after", LargeBinary),
)

# Highlights and remarks in a file. Kept by content and by paper: one file may belong to two papers.
highlights = Table(
    "highlights",
    metadata,
    Column("id", Integer, primary_key=True),
    _paper(),
    Column("sha256", Text, nullable=False),
    Column("path", Text, nullable=False),  # where that content lay
    Column("page", Integer, nullable=False),  # from 0
    Column("boxes", Text, nullable=False),  # JSON: [[left, top, right, bottom], ...] in points
    Column("text", Text, nullable=False),
    Column("colour", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("added", Float, nullable=False),
    Column("changed", Float, nullable=False),
    Index("highlights_paper", "paper"),
    Index("highlights_sha256", "sha256"),
)

# Where somebody stopped reading a file. `page` counts from 0, its fraction is how far down.
reading = Table(
    "reading",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("page", Float, nullable=False),
    Column("zoom", Text, nullable=False),  # "width", "page", or a factor
    Column("turn", Integer, nullable=False),  # quarters clockwise
    Column("at", Float, nullable=False),
    sqlite_with_rowid=False,
)

# What a person said of papers that were recommended for a collection or a saved search.
opinions = Table(
    "opinions",
    metadata,
    Column("subject", Text, primary_key=True),
    _paper(primary_key=True),
    Column("liked", Boolean, nullable=False),
    Column("at", Float, nullable=False),
    sqlite_with_rowid=False,
)

# How a person wants what is new for a collection or a saved search: words that must or must never
# be there (in the language of the search box), days after which news counts half (0: never), and
# until when it was all seen.
subjects = Table(
    "subjects",
    metadata,
    Column("subject", Text, primary_key=True),
    Column("must", Text, nullable=False),
    Column("never", Text, nullable=False),
    Column("half_life", Float, nullable=False),
    Column("seen", Float, nullable=False),
    sqlite_with_rowid=False,
)

# Collections that are kept as a file beside a text somebody writes. `written`: SHA-256 of what
# was written last.
synced = Table(
    "synced",
    metadata,
    Column("collection", ForeignKey("collections.id", ondelete="CASCADE"), primary_key=True),
    Column("path", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("written", Text, nullable=False),
    Column("at", Float, nullable=False),
    Column("problem", Text, nullable=False),
)

# The key that a paper was once exported under stays its key.
citekeys = Table(
    "citekeys",
    metadata,
    _paper(primary_key=True),
    Column("citekey", Text(collation="NOCASE"), nullable=False, unique=True),
)

# Which model answers: one row, or none while it is still the first. A model goes by its folder in
# models/, and a space is what it makes of the library.
active = Table(
    "active",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1", name="one_row"), primary_key=True),
    Column("model", Text, nullable=False),
    Column("space", Text, nullable=False),  # empty where its model could not be opened
    Column("since", Float, nullable=False),
    Column("pending", Text, nullable=False),  # what is being activated; empty: nothing
    Column("earlier", Text, nullable=False),  # JSON: [[model, space], ...], the last one first
)

# What somebody chose who saw the answers of two models without their names.
votes = Table(
    "votes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("query", Text, nullable=False),  # what was asked; empty: what is like the paper
    Column("paper", Integer),  # may be gone since
    Column("first", Text, nullable=False),  # models; neither side is meant
    Column("second", Text, nullable=False),
    Column("choice", Text, nullable=False),  # "first", "second", "neither"
    Column("at", Float, nullable=False),
    Index("votes_models", "first", "second"),
)

"""The tables of the library, as the migrations build them."""

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

from sciread_app.storage.filter_sql import WITHDRAWN

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
    Column("text_hash", Integer, nullable=False),  # of the encoded text: title and abstract
    Column("head_key", Integer, nullable=False),  # beginning of the title
    Column("tail_key", Integer, nullable=False),  # end of the title
    # Of the first author and year; 0: not known.
    Column("author_key", Integer, nullable=False, server_default="0"),
    Column("work", Integer),  # shared by all versions of a work; NULL: only one version
    Column("edited", Text, nullable=False, server_default="[]"),  # edited fields: JSON list
    Column("read", Boolean, nullable=False, server_default="0"),
    Column("rating", Integer, nullable=False, server_default="0"),
    Column("added", Float, nullable=False),  # seconds since 1970, as are all times here
    Column("changed", Float, nullable=False),
    Column("trashed", Float),
    Index("papers_source", "source", "source_id"),
    # Small covering indexes: these counts and lists do not read the table itself.
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
    # Ids are never reused: vectors and index entries of a deleted paper must not be confused with
    # those of a new one.
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

# Every record ever imported, by the hash of its contents.
origins = Table(
    "origins",
    metadata,
    Column("fingerprint", Integer, primary_key=True),
    _paper(),
    Column("record", Text, nullable=False),  # of earlier versions: replaced by `merges`
    Index("origins_paper", "paper"),
)

# Records and papers that were merged into a paper, by an import or by hand. `own` and `other` are
# the states of both sides before the merge, in JSON: see merge_history.MergeSide.
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
    Column("within", Integer),  # the merge by which its paper was merged into another
    Index("merges_paper", "paper"),
    Index("merges_import", "import"),
)

# Verdicts on pairs of papers, a < b: "versions" of one work, "different" (decided by the user),
# "maybe" (to be reviewed).
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
    Column("sha256", Text, nullable=False, server_default=""),  # empty until the file was read
    Column("size", Integer, nullable=False, server_default="0"),
    Column("pages", Integer, nullable=False, server_default="0"),  # 0: not counted
    Column("modified", Float, nullable=False, server_default="0"),
    Column(
        "problem", Text, nullable=False, server_default=""
    ),  # why there is no text, as a message for the user
    Column("added", Float, nullable=False),
    UniqueConstraint("paper", "path"),
    Index("attachments_sha256", "sha256"),
    Index("attachments_path", "path"),
    Index("attachments_size", "size"),
)

# The text of a file, once for each content.
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

# The row of a space's vector file that holds the vector of a paper's text.
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
    Column("finished", Float),  # NULL: running or killed
    Column("read", Integer, nullable=False),
    Column("added", Integer, nullable=False),
    Column("merged", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
    Column("fetch", Integer),  # the fetch it was a run of; NULL: from files
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

# Changes made by an import: new papers and updates of existing ones.
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

# Tags, collections, notes and annotations already imported from Zotero. None is imported twice, so
# that items removed here stay removed.
brought = Table(
    "brought",
    metadata,
    _paper(primary_key=True),
    Column("kind", Text, primary_key=True),  # "tag", "collection", "note", "annotation"
    Column("name", Text, primary_key=True),
    sqlite_with_rowid=False,
)

# The fields that look-ups have changed, with their texts before and digests of their texts after.
looked_up = Table(
    "looked_up",
    metadata,
    _paper(primary_key=True),
    Column("field", Text, primary_key=True),
    Column("old", Text, nullable=False),
    Column("new", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("at", Float, nullable=False),
    sqlite_with_rowid=False,
)

# Queries to sources. A query is fetched once and refreshed later; each run is an import.
fetches = Table(
    "fetches",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("since", Text, nullable=False),
    Column("until", Text, nullable=False),
    Column("most", Integer, nullable=False),
    Column("changed_since", Text, nullable=False),  # of the last run: a date; empty: all
    Column("cursor", Text, nullable=False),  # position of the last run; empty: at the beginning
    Column("total", Integer, nullable=False),
    Column("message", Text, nullable=False),  # error of the last run
    UniqueConstraint("source", "text", "since", "until", "most"),
)

# Titles and authors of cited papers that are not in the library, as far as they were looked up.
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

# The papers whose citations were requested from a source, and when.
asked = Table(
    "asked",
    metadata,
    _paper(primary_key=True),
    Column("source", Text, primary_key=True),
    Column("at", Float, nullable=False),
    sqlite_with_rowid=False,
)

# Edits that can be undone: see history/undo.py.
edits = Table(
    "edits",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("what", Text, nullable=False),  # shown to the user: "Added tag “new” to 3 papers"
    Column("rows", Integer, nullable=False, server_default="0"),
    Column("undone", Boolean, nullable=False, server_default="0"),
    Column("import", Integer),  # an edit that stands for the merges of this import
)

# One changed value of a row (named by `column`), or a whole row that was inserted or deleted: then
# it is JSON, and NULL where there was no row. Values keep their type.
edited_rows = Table(
    "edited_rows",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("edit", ForeignKey("edits.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("table", Text, nullable=False),
    Column("key", Text, nullable=False),  # JSON: the values of the primary key
    Column("paper", Integer),  # the paper that the row belongs to, if any
    Column("column", Text),
    Column("before", LargeBinary),
    Column("after", LargeBinary),
)

# Highlights and remarks in a file, by content and by paper: one file may belong to two papers.
highlights = Table(
    "highlights",
    metadata,
    Column("id", Integer, primary_key=True),
    _paper(),
    Column("sha256", Text, nullable=False),
    Column("path", Text, nullable=False),  # path of the file with that content
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

# Reading position in a file. `page` counts from 0; its fraction is the position within the page.
reading = Table(
    "reading",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("page", Float, nullable=False),
    Column("zoom", Text, nullable=False),  # "width", "page", or a factor
    Column("turn", Integer, nullable=False),  # clockwise quarter turns
    Column("at", Float, nullable=False),
    sqlite_with_rowid=False,
)

# Relevance feedback on papers recommended for a collection or a saved search.
opinions = Table(
    "opinions",
    metadata,
    Column("subject", Text, primary_key=True),
    _paper(primary_key=True),
    Column("liked", Boolean, nullable=False),
    Column("at", Float, nullable=False),
    sqlite_with_rowid=False,
)

# Preferences for the recommendations of a collection or a saved search: words that must or must not
# occur (in query syntax), the half-life of news in days (0: none), and the time up to which all was
# seen.
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

# The topics that digests have covered or will cover. `frequency`: "never", "daily" or "weekly";
# `weekday` from 0 for Monday. `since` is when the papers of the next digest begin to count, `last`
# when the topic was last due.
digest_topics = Table(
    "digest_topics",
    metadata,
    Column("subject", Text, primary_key=True),
    Column("frequency", Text, nullable=False),
    Column("weekday", Integer, nullable=False),
    Column("since", Float, nullable=False),
    Column("last", Float, nullable=False),
    sqlite_with_rowid=False,
)

# Digests that were written.
digests = Table(
    "digests",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("made", Float, nullable=False),
)

# The papers of each digest. A paper is listed only once for a topic. `reasons` is JSON: see
# organisation/digests.py.
digested = Table(
    "digested",
    metadata,
    Column("subject", Text, primary_key=True),
    _paper(primary_key=True),
    Column("digest", ForeignKey("digests.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("position", Integer, nullable=False),
    Column("reasons", Text, nullable=False),
    Index("digested_paper", "paper"),
    sqlite_with_rowid=False,
)

# The UUID of the library's feed of digests: one row, once there is a feed.
digest_feed = Table(
    "digest_feed",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1", name="one_row"), primary_key=True),
    Column("uuid", Text, nullable=False),
)

# Auto-exported collections. `written`: SHA-256 of the contents written last.
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

# Folders whose new files are imported. `mount`: where the drive of the folder was mounted when it
# was last scanned.
watched_folders = Table(
    "watched_folders",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("path", Text, nullable=False, unique=True),
    Column("subfolders", Boolean, nullable=False),
    Column("collection", ForeignKey("collections.id", ondelete="SET NULL")),  # of new papers
    Column("paused", Boolean, nullable=False),
    Column("mount", Text, nullable=False),
    Column("scanned", Float),  # NULL: never
    Column("problem", Text, nullable=False),  # of the last scan, as a sentence
)

# The files found in watched folders, so that each is imported once, and again when it has changed.
# For `state` see watched_folders.FileState.
watched_files = Table(
    "watched_files",
    metadata,
    Column("folder", ForeignKey("watched_folders.id", ondelete="CASCADE"), primary_key=True),
    Column("path", Text, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("modified", Float, nullable=False),
    Column("state", Text, nullable=False),
    Index("watched_files_missing", "path", sqlite_where=Column("state", Text) == "missing"),
    sqlite_with_rowid=False,
)

# Progress of the search for duplicates in the whole library: one row while a search is due.
duplicate_search = Table(
    "duplicate_search",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1", name="one_row"), primary_key=True),
    Column("compared", Integer, nullable=False),  # the last paper compared with those before it
)

# The citation key of a paper, fixed once it was exported.
citekeys = Table(
    "citekeys",
    metadata,
    _paper(primary_key=True),
    Column("citekey", Text(collation="NOCASE"), nullable=False, unique=True),
)

# The active model: one row, or none while it is still the first. A model is named by its folder in
# models/, a space by the vectors it makes of the library.
active = Table(
    "active",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1", name="one_row"), primary_key=True),
    Column("model", Text, nullable=False),
    Column("space", Text, nullable=False),  # empty if its model could not be opened
    Column("since", Float, nullable=False),
    Column("pending", Text, nullable=False),  # being activated; empty: none
    Column("earlier", Text, nullable=False),  # JSON: [[model, space], ...], latest first
)

# Choices in blind comparisons of the results of two models.
votes = Table(
    "votes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("query", Text, nullable=False),  # the query; empty: similar papers of `paper`
    Column("paper", Integer),  # may have been deleted since
    Column("first", Text, nullable=False),  # models, in no particular order
    Column("second", Text, nullable=False),
    Column("choice", Text, nullable=False),  # "first", "second", "neither"
    Column("at", Float, nullable=False),
    Index("votes_models", "first", "second"),
)

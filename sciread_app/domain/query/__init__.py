"""The query language of the search box: parser, syntax tree and rewriting."""

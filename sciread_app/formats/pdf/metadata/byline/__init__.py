"""Names of authors printed on the first page."""

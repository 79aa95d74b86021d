"""Reports of evaluations: tables, charts, pages and comparisons."""

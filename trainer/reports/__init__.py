"""What an evaluation found, for people: tables, pages, comparisons, the papers' numbers beside."""

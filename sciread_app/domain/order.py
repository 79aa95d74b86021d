"""In which order papers are listed."""

from __future__ import annotations

from enum import Enum


class Order(Enum):
    """What stands in front: the best hit, the newest, the first letter, the most stars.

    Without words to find papers by there is no relevance, and it means the same as `added`.
    """

    relevance = "relevance"
    added = "added"
    year = "year"
    oldest = "oldest"
    title = "title"
    author = "author"
    venue = "venue"
    rating = "rating"
    unread = "unread"

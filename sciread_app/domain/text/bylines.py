"""The first authors of a paper in one line."""

from sciread_app.domain.paper import Paper
from sciread_app.language import tr


def byline(paper: Paper, most: int, *, last_names: bool = False) -> str:
    """The names of the first `most` authors, with "et al." if there are more; empty if none."""
    people = paper.authors[:most]
    names = ", ".join(author.last_name if last_names else author.name for author in people)
    if names and (len(paper.authors) > most or paper.has_more_authors):
        return tr("{names} et al.", names=names)
    return names

"""Display names of item types."""

from __future__ import annotations

from sciread_app.language import tr

KIND_NAMES = {
    "article": tr("Article or preprint"),
    "article-journal": tr("Journal article"),
    "paper-conference": tr("Conference paper"),
    "book": tr("Book"),
    "chapter": tr("Chapter"),
    "thesis": tr("Thesis"),
    "report": tr("Report"),
    "dataset": tr("Dataset"),
    "software": tr("Software"),
    "patent": tr("Patent"),
    "webpage": tr("Web page"),
    "manuscript": tr("Manuscript"),
}

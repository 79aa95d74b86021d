"""Published models that are worth trying: their purpose, size, license, scores and speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sciread_app.language import tr
from sciread_app.services.models.registry import InstalledModel

# Parameters of the starter model that take part in every token's computation, in millions.
_STARTER_WORK = 10.6
MTEB = "MTEB 1.12"


class GalleryModel(NamedTuple):
    """A model of the hub. `megabytes` is the size of its download.

    `work` are the parameters that take part in every token's computation, in millions: all but the
    word embeddings. `scores` are published values of nDCG@10 on SciFact, SCIDOCS and NFCorpus, with
    their `source` and the day on which they were `checked` against it; empty where we know none.
    """

    name: str
    what: str
    megabytes: int
    work: float
    licence: str = ""
    scores: tuple[float, float, float] | tuple[()] = ()
    source: str = ""
    checked: str = ""

    def speed(self, models: Sequence[InstalledModel]) -> float | None:
        """The expected papers per second on this computer, from the measured speed of the starter
        model and the number of operations; None if that was not measured."""
        starter = next((model.speed for model in models if model.ours), None)
        return starter * _STARTER_WORK / self.work if starter else None


# Sizes, parameters and licenses have not been checked against the hub. The sizes agree with the
# numbers of parameters at 4 bytes each, 2 for Qwen3. A download shows the real size first.
GALLERY = (
    GalleryModel(
        "allenai/specter2", tr("Similar papers, 23 fields (citations)"), 445, 86, "Apache-2.0"
    ),
    GalleryModel(
        "allenai/specter2_base", tr("Trained on citations from 23 fields"), 440, 85, "Apache-2.0"
    ),
    GalleryModel(
        "malteos/scincl", tr("Trained on neighbors in the citation graph"), 440, 85, "MIT"
    ),
    GalleryModel(
        "allenai/specter",
        tr("Trained on citations; the original SPECTER"),
        440,
        85,
        "Apache-2.0",
    ),
    GalleryModel(
        "arazd/MIReAD", tr("Trained to predict the journal of a paper"), 449, 85, "Apache-2.0"
    ),
    GalleryModel(
        "thellert/physbert_uncased", tr("Trained on 1.2 million papers, physics only"), 440, 85
    ),
    GalleryModel(
        "BAAI/bge-small-en-v1.5", tr("Questions in English; small and fast"), 133, 21.3, "MIT"
    ),
    GalleryModel("BAAI/bge-base-en-v1.5", tr("Questions in English"), 438, 85, "MIT"),
    GalleryModel(
        "sentence-transformers/all-mpnet-base-v2",
        tr("Questions and similar texts in English"),
        438,
        85,
        "Apache-2.0",
        # From github.com/embeddings-benchmark/results, where the results of this model are under
        # the revision 84f2bcc00d77236f9e89c8a360a00fb1139bf47d.
        (65.57, 23.765, 33.289),
        MTEB,
        "2026-11-27",
    ),
    GalleryModel(
        "intfloat/multilingual-e5-small", tr("Questions in about 100 languages"), 471, 21.3, "MIT"
    ),
    GalleryModel(
        "nomic-ai/modernbert-embed-base",
        tr("Questions in English; long texts"),
        596,
        110,
        "Apache-2.0",
    ),
    GalleryModel(
        "Qwen/Qwen3-Embedding-0.6B",
        tr("Questions in about 100 languages; for computers with a GPU"),
        1_190,
        440,
        "Apache-2.0",
    ),
    GalleryModel(
        "allenai/scibert_scivocab_uncased",
        tr("Base model for training, not for search"),
        440,
        85,
        "Apache-2.0",
    ),
)


def score_text(model: GalleryModel) -> str:
    """The published scores with their source; empty if there are none."""
    if not model.scores:
        return ""
    scifact, scidocs, nfcorpus = model.scores
    return tr(
        "SciFact {scifact:.1f}, SCIDOCS {scidocs:.1f}, NFCorpus {nfcorpus:.1f} ({source})",
        scifact=scifact,
        scidocs=scidocs,
        nfcorpus=nfcorpus,
        source=model.source,
    )

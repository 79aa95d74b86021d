"""Retracted and withdrawn papers."""

from __future__ import annotations

import pytest

from sciread_app.domain.metadata.paper_updates import retraction_status
from tests.support.generate.papers import paper


@pytest.mark.parametrize(
    ("extra", "mark"),
    [
        ({}, ""),
        ({"withdrawn": ""}, ""),
        ({"withdrawn": "Withdrawn by the authors."}, "Withdrawn"),
        ({"retraction_in": "123"}, "Retracted"),
        ({"publication_types": "Journal Article; Retracted Publication"}, "Retracted"),
        ({"withdrawn": "yes", "retraction_in": "123"}, "Retracted"),
    ],
)
def test_retracted_or_withdrawn_paper_is_marked(extra, mark):
    assert retraction_status(paper("A", extra=extra)) == mark

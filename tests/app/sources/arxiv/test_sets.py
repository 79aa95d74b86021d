import pytest

from sciread_app.sources.arxiv.sets import holds, set_named, sets_of


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("cs", "cs"),
        ("cs.*", "cs"),
        ("cs.CL", "cs:cs:CL"),
        ("CS.cl", "cs:cs:CL"),
        ("cs:CL", "cs:cs:CL"),
        ("cs:cs:CL", "cs:cs:CL"),
        ("hep-th", "physics:hep-th"),
        ("physics:hep-th", "physics:hep-th"),
        ("physics", "physics"),
        ("physics:physics", "physics:physics"),
        ("physics.optics", "physics:physics:optics"),
        ("physics:physics:optics", "physics:physics:optics"),
        ("astro-ph.EP", "physics:astro-ph:EP"),
        ("physics:astro-ph", "physics:astro-ph"),
        ("physics:astro-ph:EP", "physics:astro-ph:EP"),
        ("cond-mat.mes-hall", "physics:cond-mat:mes-hall"),
        ("math-ph", "physics:math-ph"),
        ("q-bio.QM", "q-bio:q-bio:QM"),
    ],
)
def test_set_is_recognised_by_all_its_names(written, name):
    assert set_named(written) == name


@pytest.mark.parametrize("written", ["", "sc", "cs.CL.X", "*"])
def test_unknown_set_has_no_name(written):
    assert set_named(written) == ""


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("cs.CL", ["cs:cs:CL"]),
        ("cs.*", ["cs"]),
        ("cs.C?", ["cs"]),
        ("hep-th", ["physics:hep-th"]),
        ("hep-*", ["physics:hep-ex", "physics:hep-lat", "physics:hep-ph", "physics:hep-th"]),
        ("math*", ["physics:math-ph", "math"]),
        ("cmp-lg", []),
    ],
)
def test_sets_cover_all_papers_of_a_category_pattern(pattern, names):
    assert sets_of(pattern) == names


@pytest.mark.parametrize(
    ("name", "categories", "held"),
    [
        ("cs", ["hep-th", "cs.CL"], True),
        ("cs", ["hep-th"], False),
        ("cs:cs:CL", ["cs.CL"], True),
        ("cs:cs:CL", ["cs.LG"], False),
        ("physics", ["quant-ph"], True),
        ("physics:physics", ["quant-ph"], False),
        ("physics:astro-ph", ["astro-ph.EP"], True),
        ("physics:astro-ph:EP", ["astro-ph.EP"], True),
        ("physics:astro-ph:EP", ["astro-ph"], False),
    ],
)
def test_set_holds_papers_of_its_categories(name, categories, held):
    assert holds(name, categories) == held

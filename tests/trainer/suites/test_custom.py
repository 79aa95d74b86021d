"""The suite that docs/contributing/evaluation.md describes, as it stands there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trainer.cli import app
from trainer.contract.errors import TrainerError
from trainer.contract.report import Report
from trainer.encoders.baselines import TfIdf
from trainer.suites import custom
from trainer.suites.suite import SuiteSettings

pytestmark = pytest.mark.usefixtures("one_thread")

PAGE = (Path(__file__).parents[3] / "docs/contributing/evaluation.md").read_text("utf-8")
TOPICS = ("deep learning", "graph network")


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The page's file, and the files that it names."""
    (described,) = re.findall(r"^```toml\n(name = .*?)^```", PAGE, re.M | re.S)
    (tmp_path / "SUITE.toml").write_text(described)
    papers = [{"id": f"l{n}", "title": f"{TOPICS[n % 2]} {n}"} for n in range(120)]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, papers)))
    (tmp_path / "topics.tsv").write_text("\n".join(f"l{n}\t{n % 2}" for n in range(120)))
    (tmp_path / "queries.tsv").write_text("\n".join(f"q{n}\t{t}" for n, t in enumerate(TOPICS)))
    (tmp_path / "judged.tsv").write_text("\n".join(f"q{n % 2}\tl{n}\t1" for n in range(20)))
    return tmp_path


def test_the_suite_of_the_page_is_measured(lab):
    where = ("--suite", str(lab / "SUITE.toml"), "-o", str(lab / "out"))
    done = CliRunner().invoke(app, ["evaluate", "tf-idf", *where], catch_exceptions=False)
    assert done.exit_code == 0
    report = Report.read(lab / "out" / "tf-idf")
    assert report.suite == "ours"
    assert [result.title for result in report.results] == ["Our topics", "questions"]
    assert report.result("topics").score("accuracy").value > 0.9
    assert report.result("questions").score("ndcg@10").value > 0.5


# What each evaluation is told by, beside its papers; each paper's topic is its number's parity.
FILES = {
    "v_measure": {"labels": "topics.tsv"},
    "purity": {"labels": "topics.tsv"},
    "neighbours": {"labels": "topics.tsv"},
    "pearson_pairs": {"labels": "sets.tsv"},
    "ranking": {"judged": "related.tsv"},
    "svm": {"train": "train.tsv", "test": "test.tsv"},
    "cosine_accuracy": {"pairs": "pairs.tsv"},
}


@pytest.mark.parametrize("evaluation", FILES)
def test_custom_suite_binds_evaluations_to_files(lab, evaluation):
    topics = (lab / "topics.tsv").read_text().splitlines()
    (lab / "train.tsv").write_text("\n".join(topics[:20]))
    (lab / "test.tsv").write_text("\n".join(topics[20:]))
    (lab / "sets.tsv").write_text("\n".join(f"{line}\tx{n}" for n, line in enumerate(topics)))
    (lab / "related.tsv").write_text("l0\tl2\t1\nl0\tl1\t0\n")
    (lab / "pairs.tsv").write_text(
        "\n".join(f"l{n}\tl{n + 1 + n % 3}\t{n % 3 % 2}" for n in range(30))
    )
    files = [f'{key} = "{file}"' for key, file in FILES[evaluation].items()]
    described = [
        "[[task]]",
        'name = "a"',
        f'evaluation = "{evaluation}"',
        'papers = "papers.jsonl"',
    ]
    (lab / "SUITE.toml").write_text("\n".join([*described, *files]))
    (planned,) = custom.suite(lab, SuiteSettings(runs=1)).planned
    task = planned.make()
    assert (task.evaluation, task.split) == (evaluation, "all")
    found = task.run(TfIdf().encode(task.papers).papers)
    assert found.scores[0].value > 0.9
    assert not set(found.excluded) - {"numbers of clusters above that of papers"}


def test_a_paper_may_have_several_labels(lab):
    (lab / "sets.tsv").write_text("l0\ta\tb\nl1\tb\nl2\tc\t\nl1\ta\n")
    described = '[[task]]\nname = "a"\nevaluation = "pearson_pairs"\npapers = "papers.jsonl"\n'
    (lab / "SUITE.toml").write_text(described + 'labels = "sets.tsv"')
    (planned,) = custom.suite(lab, SuiteSettings()).planned
    assert planned.make().measure.categories == {"l0": ["a", "b"], "l1": ["b", "a"], "l2": ["c"]}


def test_custom_suite_paper_with_two_labels_raises_error(lab):
    with (lab / "topics.tsv").open("a") as file:
        file.write("\nl7\tanother")
    with pytest.raises(TrainerError, match="two things of 'l7': '1' and 'another'"):
        custom.suite(lab, SuiteSettings()).planned[0].make()


def test_custom_suite_checks_split_and_pair_classes(lab):
    described = '[[task]]\nname = "a"\nevaluation = "svm"\npapers = "papers.jsonl"\n'
    (lab / "SUITE.toml").write_text(described + 'train = "topics.tsv"\ntest = "topics.tsv"')
    with pytest.raises(TrainerError, match="l0 is to be learned, and told"):
        custom.suite(lab, SuiteSettings()).planned[0].make()
    (lab / "pairs.tsv").write_text("l0\tl1\tyes")
    described = described.replace("svm", "cosine_accuracy")
    (lab / "SUITE.toml").write_text(described + 'pairs = "pairs.tsv"')
    with pytest.raises(TrainerError, match="'yes' of a pair"):
        custom.suite(lab, SuiteSettings()).planned[0].make()


def test_the_page_has_a_line_for_every_evaluation_with_its_files():
    for evaluation, files in {**FILES, "probe": ["labels"], "retrieval": ["queries"]}.items():
        (line,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{evaluation}`"))
        assert all(f"`{key}`" in line for key in files)


@pytest.mark.parametrize(
    ("described", "said"),
    [
        ("name = 1", "no tasks"),
        ("[[task]]\nevaluation = 'probe'", "has no name"),
        ("[[task]]\nname = 'a'\nevaluation = 'guess'", "no evaluation 'guess'"),
        ("[[task]]\nname = 'a'\nevaluation = 'probe'\npapers = 'p'", "look at labels"),
        ("[[task", "cannot be read"),
    ],
)
def test_damaged_custom_suite_raises_error(tmp_path, described, said):
    (tmp_path / "SUITE.toml").write_text(described)
    with pytest.raises(TrainerError, match=said):
        custom.suite(tmp_path, SuiteSettings())


def test_a_file_that_is_missing_is_named(lab):
    (lab / "topics.tsv").unlink()
    with pytest.raises(TrainerError, match=r"topics\.tsv cannot be read"):
        custom.suite(lab, SuiteSettings()).planned[0].make()

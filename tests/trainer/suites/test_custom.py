"""The example suite in docs/contributing/evaluation.md."""

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
def documented_suite(tmp_path: Path) -> Path:
    """The file on the page, and the files that it names."""
    (described,) = re.findall(r"^```toml\n(name = .*?)^```", PAGE, re.M | re.S)
    (tmp_path / "SUITE.toml").write_text(described)
    papers = [{"id": f"l{n}", "title": f"{TOPICS[n % 2]} {n}"} for n in range(120)]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, papers)))
    (tmp_path / "topics.tsv").write_text("\n".join(f"l{n}\t{n % 2}" for n in range(120)))
    (tmp_path / "queries.tsv").write_text("\n".join(f"q{n}\t{t}" for n, t in enumerate(TOPICS)))
    (tmp_path / "judged.tsv").write_text("\n".join(f"q{n % 2}\tl{n}\t1" for n in range(20)))
    return tmp_path


def test_documented_suite_can_be_evaluated(documented_suite):
    where = ("--suite", str(documented_suite / "SUITE.toml"), "-o", str(documented_suite / "out"))
    done = CliRunner().invoke(app, ["evaluate", "tf-idf", *where], catch_exceptions=False)
    assert done.exit_code == 0
    report = Report.read(documented_suite / "out" / "tf-idf")
    assert report.suite == "ours"
    assert [result.title for result in report.results] == ["Our topics", "questions"]
    assert report.result("topics").score("accuracy").value > 0.9
    assert report.result("questions").score("ndcg@10").value > 0.5


# The files of each evaluation besides its papers; the topic of a paper is the parity of its number.
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
def test_custom_suite_binds_evaluations_to_files(documented_suite, evaluation):
    topics = (documented_suite / "topics.tsv").read_text().splitlines()
    (documented_suite / "train.tsv").write_text("\n".join(topics[:20]))
    (documented_suite / "test.tsv").write_text("\n".join(topics[20:]))
    (documented_suite / "sets.tsv").write_text(
        "\n".join(f"{line}\tx{n}" for n, line in enumerate(topics))
    )
    (documented_suite / "related.tsv").write_text("l0\tl2\t1\nl0\tl1\t0\n")
    (documented_suite / "pairs.tsv").write_text(
        "\n".join(f"l{n}\tl{n + 1 + n % 3}\t{n % 3 % 2}" for n in range(30))
    )
    files = [f'{key} = "{file}"' for key, file in FILES[evaluation].items()]
    described = [
        "[[task]]",
        'name = "a"',
        f'evaluation = "{evaluation}"',
        'papers = "papers.jsonl"',
    ]
    (documented_suite / "SUITE.toml").write_text("\n".join([*described, *files]))
    (planned,) = custom.suite(documented_suite, SuiteSettings(runs=1)).planned
    task = planned.make()
    assert (task.evaluation, task.split) == (evaluation, "all")
    found = task.run(TfIdf().encode(task.papers).papers)
    assert found.scores[0].value > 0.9
    assert not set(found.excluded) - {"numbers of clusters above the number of papers"}


def test_paper_may_have_several_labels(documented_suite):
    (documented_suite / "sets.tsv").write_text("l0\ta\tb\nl1\tb\nl2\tc\t\nl1\ta\n")
    described = '[[task]]\nname = "a"\nevaluation = "pearson_pairs"\npapers = "papers.jsonl"\n'
    (documented_suite / "SUITE.toml").write_text(described + 'labels = "sets.tsv"')
    (planned,) = custom.suite(documented_suite, SuiteSettings()).planned
    assert planned.make().measure.categories == {"l0": ["a", "b"], "l1": ["b", "a"], "l2": ["c"]}


def test_custom_suite_paper_with_two_labels_raises_error(documented_suite):
    with (documented_suite / "topics.tsv").open("a") as file:
        file.write("\nl7\tanother")
    with pytest.raises(TrainerError, match="two values for 'l7': '1' and 'another'"):
        custom.suite(documented_suite, SuiteSettings()).planned[0].make()


def test_custom_suite_checks_split_and_pair_classes(documented_suite):
    described = '[[task]]\nname = "a"\nevaluation = "svm"\npapers = "papers.jsonl"\n'
    (documented_suite / "SUITE.toml").write_text(
        described + 'train = "topics.tsv"\ntest = "topics.tsv"'
    )
    with pytest.raises(TrainerError, match="l0 is in both the training and the test data"):
        custom.suite(documented_suite, SuiteSettings()).planned[0].make()
    (documented_suite / "pairs.tsv").write_text("l0\tl1\tyes")
    described = described.replace("svm", "cosine_accuracy")
    (documented_suite / "SUITE.toml").write_text(described + 'pairs = "pairs.tsv"')
    with pytest.raises(TrainerError, match="invalid label 'yes'"):
        custom.suite(documented_suite, SuiteSettings()).planned[0].make()


def test_documentation_lists_every_evaluation_with_its_files():
    for evaluation, files in {**FILES, "probe": ["labels"], "retrieval": ["queries"]}.items():
        (line,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{evaluation}`"))
        assert all(f"`{key}`" in line for key in files)


@pytest.mark.parametrize(
    ("described", "expected"),
    [
        ("name = 1", "no tasks"),
        ("[[task]]\nevaluation = 'probe'", "has no name"),
        ("[[task]]\nname = 'a'\nevaluation = 'guess'", "evaluation 'guess' does not exist"),
        ("[[task]]\nname = 'a'\nevaluation = 'probe'\npapers = 'p'", "check labels"),
        ("[[task", "could not be read"),
    ],
)
def test_damaged_custom_suite_raises_error(tmp_path, described, expected):
    (tmp_path / "SUITE.toml").write_text(described)
    with pytest.raises(TrainerError, match=expected):
        custom.suite(tmp_path, SuiteSettings())


def test_missing_file_is_named(documented_suite):
    (documented_suite / "topics.tsv").unlink()
    with pytest.raises(TrainerError, match=r"topics\.tsv could not be read"):
        custom.suite(documented_suite, SuiteSettings()).planned[0].make()

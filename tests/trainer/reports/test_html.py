"""Reports for people: only comparable scores share a row, and a page is self-contained."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from rich.console import Console

from tests.support.generate.report import items, pictures_of, report, result, subject
from trainer.contract.errors import TrainerError
from trainer.contract.plots import read_pictures
from trainer.contract.report import Report, Score
from trainer.reports import charts, table
from trainer.reports.html import RenderedReport, page
from trainer.reports.report import save, save_together


def model(title, *results, **changes):
    return report(*results, subject=subject(id=title.lower(), title=title), **changes)


def map_result(value, task="cite", **changes):
    return result(task, scores=(Score("map", value, 100),), **changes)


def printed(reports):
    shown = io.StringIO()
    Console(width=160, file=shown).print(table.terminal(reports))
    return shown.getvalue()


def test_comparable_models_share_a_row_with_the_best_marked():
    (row,) = table.rows([model("A", map_result(0.8)), model("B", map_result(0.9))])
    assert [cell.text for cell in row.cells] == ["80.00", "90.00"]
    assert [cell.best for cell in row.cells] == [False, True]


@pytest.mark.parametrize(
    "changes", [{"sha256": "77" * 32}, {"protocol": 2}, {"split": "validation"}]
)
def test_incomparable_scores_have_separate_rows(changes):
    rows = table.rows([model("A", map_result(0.8)), model("B", map_result(0.9, **changes))])
    assert [[cell and cell.text for cell in row.cells] for row in rows] == [
        ["80.00", None],
        [None, "90.00"],
    ]
    assert not any(cell.best for row in rows for cell in row.cells if cell)
    assert all("data" in row.task for row in rows)


def test_rows_of_two_protocols_have_different_titles():
    both = [model("A", map_result(0.8)), model("B", map_result(0.9, protocol=2))]
    assert len({row.task for row in table.rows(both)}) == 2
    assert [row.task for row in table.rows(both[:1])] == ["Cite"]


@pytest.mark.parametrize(
    "changes",
    [
        {"subject": subject(id="b", title="A")},
        {"subject": subject(id="a", title="A", about={"precision": "float16"})},
        {"suite": "scidocs"},
        {"results": (map_result(0.5, sha256="77" * 32),)},
        {"created": "2026-03-02T12:00:00+00:00"},
    ],
)
def test_reports_of_equal_titles_have_different_headings(changes):
    first = {"subject": subject(id="a", title="A"), "results": (map_result(0.5),)}
    reports = [report(**first), report(**first | changes), model("B")]
    names = table.names(reports)
    assert len(set(names)) == 3 and names[2] == "B"
    heads = re.findall(
        r'<th class="number" scope="col">.*?</th>', page(list(map(RenderedReport, reports)))
    )
    assert len(set(heads)) == 3


def test_scores_of_different_n_show_n_and_no_best():
    fewer = result("cite", scores=(Score("map", 0.9, 1_234),))
    both = [model("A", map_result(0.8)), model("B", fewer)]
    (row,) = table.rows(both)
    assert not any(cell.best for cell in row.cells)
    for text in (printed(both), table.markdown(both), page([RenderedReport(one) for one in both])):
        assert "n 100" in text and "n 1,234" in text
    assert "n 100" not in table.markdown([model("A", map_result(0.8)), model("B", map_result(0.9))])


def test_health_and_speed_have_no_best():
    def health(cosine):
        return result("health", evaluation="health", scores=(Score("mean_cosine", cosine, 9),))

    (row,) = table.rows([model("A", health(0.3)), model("B", health(0.6))])
    assert not any(cell.best for cell in row.cells)


def test_terminal_table_has_scores_intervals_and_paper_numbers():
    shown = printed([model("A", suite="scidocs")])
    assert "81.00" in shown and "78.00 to 84.00" in shown
    both = printed([model("A", map_result(0.5)), model("[red]B[/]", map_result(0.75))])
    assert "50.00" in both and "75.00" in both and "[red]B[/]" in both


def test_paper_numbers_have_marks_and_sources():
    made = report(suite="local", subject=subject(method="specter"))
    text = table.markdown([made])
    assert "88.40*†" in printed([made]) and "88.40*†" in text
    assert "SPECTER (Cohan et al. 2020), Table 1" in text


def test_spread_over_seeds_is_shown_beside_the_interval():
    both = Score("map", 0.5, 9, 0.4, 0.6, spread=0.0123, seeds=5)
    text = table.markdown([model("A", result(scores=(both,)))])
    assert "50.00 [40.00 to 60.00, ± 1.23 (5 seeds)]" in text


def test_markdown_title_is_escaped_in_its_cell():
    text = table.markdown([model("A | B\n<b>", map_result(0.5))])
    head = text.splitlines()[0]
    assert head == "| task | metric | n | A \\| B &lt;b> |"


def test_table_without_paper_numbers_has_no_papers_column():
    made = report(suite="local", subject=subject(method="specter"))
    assert "| papers |" in table.markdown([made]) and "papers" in printed([made])
    assert "| papers |" not in table.markdown([model("A")])
    assert "papers" not in printed([model("A")])


def test_tables_state_direction_and_range():
    cosine = result("health", evaluation="health", scores=(Score("mean_cosine", 0.3, 9),))
    made = model("A", map_result(0.5), cosine)
    for text in (table.markdown([made]), " ".join(PageContent(page([RenderedReport(made)])).texts)):
        assert "↑ higher is better, ↓ lower is better. Proportions are in percent." in text
    shown = printed([made])
    assert "Mean cosine of random pairs (lower is better)" in shown and "MAP (" not in shown
    assert 'title="Mean average precision' in page([RenderedReport(made)])


def test_equal_rounded_scores_have_no_best():
    (row,) = table.rows([model("A", map_result(0.80001)), model("B", map_result(0.80002))])
    assert not any(cell.best for cell in row.cells)


def test_tables_explain_metrics():
    health = result("health", evaluation="health", scores=(Score("effective_rank", 9.0, 30),))
    made = model("A", health)
    output = " ".join(PageContent(page([RenderedReport(made)])).texts)
    assert "Number of directions in which papers vary" in output
    assert "Effective rank: Number of directions" in table.markdown([made])


def test_report_shows_no_absolute_path(tmp_path):
    made = report(subject=subject(found=str(tmp_path / "ours")))
    hub = report(subject=subject(found="allenai/specter"))
    for text in (table.markdown([made]), page([RenderedReport(made)])):
        assert "ours" in text and str(tmp_path) not in text
    assert "allenai/specter" in page([RenderedReport(hub)])


def test_report_shows_precision():
    made = report(subject=subject(about={"precision": "bfloat16"}))
    assert "computed in bfloat16" in table.markdown([made])


def test_markdown_lists_exclusions():
    text = table.markdown(
        [model("A", map_result(0.5, excluded={"queries without a vector": 1_203}))]
    )
    assert "A, Cite: 1,203 queries without a vector." in text


class PageContent(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [(name, value) for name, value in attrs if name in ("src", "href", "srcset")]
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data):
        self.texts.append(data)


HOSTILE = '"><script>alert(1)</script><img src=https://x.org/a onerror=b> & \ud800'


def hostile():
    made = model(
        HOSTILE,
        result("mag", title=HOSTILE, evaluation="svm", scores=(Score("macro_f1", 0.7, 9),)),
        result("cite", title=HOSTILE, excluded={HOSTILE: 1}, notes=(HOSTILE,)),
        machine=HOSTILE,
        suite=HOSTILE,
    )
    return RenderedReport(made, pictures_of(1, 0.7))


def test_page_is_self_contained_and_safe_for_any_title():
    text = page([hostile(), hostile()])
    seen = PageContent(text)
    assert not {"script", "link", "img", "iframe", "object", "base"} & set(seen.tags)
    assert seen.links == []
    assert not re.search(r"url\(|@import", text)
    assert "default-src 'none'" in text.replace("&#x27;", "'")
    assert any("<script>alert(1)</script>" in result for result in seen.texts)
    text.encode("utf-8")


def test_page_supports_light_and_dark():
    text = page([RenderedReport(model("A"))])
    assert "prefers-color-scheme: dark" in text and 'content="light dark"' in text


def test_pictures_of_a_page_are_valid_svg_with_titles():
    text = page([RenderedReport(model("A", result("mag"), result("cite")), pictures_of(1, 0.7))])
    drawn = re.findall(r"<svg.*?</svg>", text, re.S)
    # Bars, a confusion matrix, a map, two curves, distributions.
    assert len(drawn) == 6
    for svg in drawn:
        root = ElementTree.fromstring(svg)
        assert root.find("{http://www.w3.org/2000/svg}title").text


def test_paper_number_on_same_data_is_drawn():
    def marks(suite):
        many = result(scores=(Score("map", 0.8, 1_000),))
        made = report(many, suite=suite, subject=subject(method="specter"))
        text = page([RenderedReport(made)])
        return text.count('class="paper"'), "Diamonds: scores reported in the paper" in text

    assert marks("scidocs") == (1, True)
    assert marks("local") == (0, False)


def test_pictures_of_a_task_are_side_by_side():
    text = page([RenderedReport(model("A", result("cite")), pictures_of(1, 0.7))])
    pictures = text.partition("<h2>Plots</h2>")[2].partition("<h2>")[0]
    assert pictures.count('<div class="figures">') == 1 < pictures.count("<figure>")


def test_bar_label_has_room_for_capitals():
    root = ElementTree.fromstring(charts.bars([("", [charts.Bar("NDCG", 0, 0.5)])], "bars"))
    (name,) = [text for text in root.iter() if text.text == "NDCG"]
    assert name.get("text-anchor") == "end"
    assert float(name.get("x")) >= 8 * len("NDCG")


def test_curves_of_several_models_share_a_picture():
    both = [
        RenderedReport(model(name, result("cite")), {"cite": pictures_of(seed, 0.7)["cite"]})
        for seed, name in enumerate("AB")
    ]
    text = page(both)
    (roc,) = [svg for svg in re.findall(r"<svg.*?</svg>", text, re.S) if "ROC curve" in svg]
    assert "curve s0" in roc and "curve s1" in roc


def test_page_shows_scores_intervals_exclusions_and_hashes():
    made = model("A", result("cite", excluded={"queries without a vector": 3}), machine="2 cores")
    output = " ".join(PageContent(page([RenderedReport(made)])).texts)
    for wanted in (
        "81.00",
        "78.00 to 84.00",
        "3 queries without a vector",
        "5f5f5f5f5f5f",
        "2 cores",
        "Ranking of candidates",
    ):
        assert wanted in output, wanted


def test_files_of_vectors_are_listed_with_their_hashes():
    files = {"a.jsonl": "sha256:" + "5f" * 32, "b.jsonl": "sha256:" + "77" * 32}
    output = PageContent(
        page([RenderedReport(report(subject=subject(about={"files": files})))])
    ).texts
    assert "a.jsonl 5f5f5f5f5f5f, b.jsonl 777777777777" in output


def test_report_folder_is_complete_and_several_make_one_page(tmp_path):
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        made = model(folder.name, result("mag"), result("cite"))
        save(made, folder, {"cite": {"map": items([0.5] * 9)}}, pictures_of(1, 0.7))
        assert Report.read(folder) == made
        assert read_pictures(folder) == pictures_of(1, 0.7)
        assert {path.name for path in folder.iterdir()} == {
            "report.json",
            "report.html",
            "report.md",
            "items.npz",
            "pictures.json",
        }
    text = save_together(folders, tmp_path / "both").read_text("utf-8")
    assert "2 models" in text
    with pytest.raises(TrainerError, match="could not be read"):
        save_together([tmp_path / "nowhere"], tmp_path / "both")

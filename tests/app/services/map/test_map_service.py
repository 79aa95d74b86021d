"""The topic map, on a real library with made-up vectors of known topics."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sciread_app.domain.paper import PaperId
from sciread_app.errors import Cancelled
from sciread_app.paths import Home
from sciread_app.services.maintenance.doctor import examine
from sciread_app.services.map import clustering, tsne_layout
from sciread_app.services.map import map_service as atlas_module
from sciread_app.services.map.group_names import GroupNamer
from sciread_app.services.map.map_file import read_arrays, write_arrays
from sciread_app.services.map.map_service import NO_GROUP, MapService
from sciread_app.services.map.tsne_layout import STEPS
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.services.subprocess.worker import run_in_subprocess
from sciread_app.tasks import Task
from tests.support.generate.papers import paper

pytestmark = pytest.mark.usefixtures("forked_python")

TOPICS = ("glacier melt", "black holes", "gene editing", "graph colouring")
FOREIGN = "oak photosynthesis"  # of another field than all the others
DIM = 16


class TopicEncoder:
    """Papers with the same first word lie together; the number at the end tells them apart."""

    space = "topics"
    dim = DIM

    def knows_any(self, words):
        return True

    def encode(self, texts, task=None, *, queries=False):
        return np.array([self._vector(title) for title, _ in texts], np.float32)

    def close(self):
        pass

    def _vector(self, title):
        number = int("".join(c for c in title if c.isdigit()) or 0)
        vector = np.random.default_rng(number).normal(size=DIM) * 0.1
        vector[[topic.split()[0] in title for topic in (*TOPICS, FOREIGN)].index(True)] += 1
        return vector / np.linalg.norm(vector)


def add(library, space, numbers):
    library.put([paper(f"On {TOPICS[n % len(TOPICS)]} {n}") for n in numbers])
    space.encode_missing()


@pytest.fixture
def space(library, tmp_path):
    return EmbeddingIndex(library, TopicEncoder(), tmp_path / "indexes")


@pytest.fixture
def atlas(library, space, tmp_path):
    add(library, space, range(80))
    return MapService(library, space, tmp_path / "indexes")


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    """Enough steps for groups to form."""
    monkeypatch.setattr(tsne_layout, "STEPS", 350)


def without(arrays, name):
    return {key: array for key, array in arrays.items() if key != name}


def topic_of(library, ids):
    return np.array([int(p.title.split()[-1]) % len(TOPICS) for p in library.get(ids.tolist())])


def test_map_places_similar_papers_together(library, atlas):
    drawing = atlas.draw()
    topics = topic_of(library, drawing.ids)

    apart = np.linalg.norm(drawing.places[:, None] - drawing.places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    nearest = topics[np.argsort(apart, axis=1)[:, :5]]
    assert (nearest == topics[:, None]).mean() > 0.95
    assert drawing.places.min() >= 0
    assert drawing.places.max() <= 1


def test_map_groups_have_distinct_names_from_their_words(atlas):
    drawing = atlas.draw()
    for clusters in (drawing.fine_clusters, drawing.coarse_clusters):
        names = [cluster.name for cluster in clusters if cluster.name]
        assert len(set(names)) == len(names)
        assert sum(cluster.papers for cluster in clusters) == 80
    result = " ".join(cluster.name for cluster in drawing.fine_clusters).lower()
    assert "on" not in result.replace(",", "").split()
    assert "glacier melt" in result


def test_large_map_has_finest_groups_within_fine_groups(library, space, atlas, monkeypatch):
    monkeypatch.setattr(clustering, "_DIVIDED_FROM", 60)
    monkeypatch.setattr(clustering, "_FINEST_PAPERS", 6)
    drawn = atlas.draw()
    (_, coarse), (fine, middle), (finest, parts) = drawn.levels
    assert len(coarse) <= len(middle) < len(parts)
    assert sum(cluster.papers for cluster in parts) == 80
    assert all(len(set(fine[finest == n])) == 1 for n in range(len(parts)))
    add(library, space, [101, 102])
    after, kept = atlas.draw(), atlas.read()
    assert len(after.finest) == 82 and np.array_equal(kept.finest, after.finest)
    assert kept.finest_clusters == after.finest_clusters


def test_map_of_format_two_is_kept_with_two_levels(atlas, tmp_path):
    drawn = atlas.draw()
    file = next((tmp_path / "indexes").glob("*.atlas"))
    arrays = read_arrays(file)
    names = json.loads(arrays["names"].tobytes())[:2]
    old = {name: array for name, array in arrays.items() if not name.startswith("finest")}
    named = np.frombuffer(json.dumps(names).encode(), np.uint8)
    write_arrays(file, {**old, "format": np.array(2), "names": named})
    again = atlas.read()
    assert np.array_equal(again.places, drawn.places) and len(again.levels) == 2
    assert again.fine_clusters == drawn.fine_clusters


@pytest.mark.parametrize("file_has_version", [True, False])
def test_groups_named_by_an_earlier_version_are_named_again(atlas, tmp_path, file_has_version):
    drawn = atlas.draw()
    assert not drawn.renamable and not atlas.read().renamable
    file = next((tmp_path / "indexes").glob("*.atlas"))
    arrays = read_arrays(file)
    named = [["Old name"] * len(level) for level in json.loads(arrays["names"].tobytes())]
    arrays["names"] = np.frombuffer(json.dumps(named).encode(), np.uint8)
    arrays["naming"] = np.array(0)
    write_arrays(file, arrays if file_has_version else without(arrays, "naming"))
    stored = atlas.read()
    assert stored.renamable and {one.name for one in stored.fine_clusters} == {"Old name"}
    atlas.draw()
    again = atlas.read()
    assert again.fine_clusters == drawn.fine_clusters and not again.renamable
    assert np.array_equal(again.places, drawn.places)


def test_group_without_phrase_of_its_own_is_named_after_largest_part(atlas, monkeypatch):
    names, calls = GroupNamer.names, []

    def only_of_parts(self, labels, count):
        calls.append(count)
        return [""] * count if len(calls) == 1 else names(self, labels, count)

    monkeypatch.setattr(GroupNamer, "names", only_of_parts)
    drawn = atlas.draw()
    parts = {cluster.name for cluster in drawn.fine_clusters}
    named = [cluster.name for cluster in drawn.coarse_clusters if cluster.name]
    assert named and set(named) <= parts and len(set(named)) == len(named)


def test_map_is_deterministic(atlas, tmp_path):
    once = atlas.draw()
    again = atlas.draw(from_scratch=True)
    assert np.array_equal(once.places, again.places)


def test_map_drawn_in_subprocess_is_identical(library, space, atlas, tmp_path, monkeypatch):
    monkeypatch.setattr(tsne_layout, "STEPS", STEPS)  # the subprocess uses the default
    here = atlas.draw()
    stages = CancelAt("never")
    there = MapService(library, space, tmp_path / "indexes", run_in_subprocess).draw(
        stages.task, from_scratch=True
    )
    assert np.array_equal(here.places, there.places)
    assert here.fine_clusters == there.fine_clusters
    assert {"Comparing papers", "Laying out the map"} < {note for note, _ in stages.seen}


def test_layout_and_names_are_left_to_the_subprocess(library, space, atlas, tmp_path):
    left = []

    def run(work, *given, task):
        left.append(work.__name__)
        return work(*given, task)

    MapService(library, space, tmp_path / "indexes", run).draw()
    assert left == ["lay_out", "name_groups"]


def test_new_paper_is_placed_near_its_topic_without_moving_others(library, space, atlas):
    before = atlas.draw()
    add(library, space, [101, 102])  # black holes, gene editing
    after = atlas.draw()

    old = np.isin(after.ids, before.ids)
    assert np.array_equal(after.places[old], before.places)
    topics = topic_of(library, after.ids)
    for place, topic in zip(after.places[~old], topics[~old], strict=True):
        nearest = np.linalg.norm(before.places - place, axis=1).argmin()
        assert topics[old][nearest] == topic


def test_trashed_papers_leave_the_map(library, atlas):
    drawn = atlas.draw()
    library.trash([int(drawn.ids[3])])
    assert int(drawn.ids[3]) not in atlas.read().ids
    assert len(atlas.draw().ids) == 79


def test_paper_with_changed_text_is_placed_again(library, space, atlas):
    drawn = atlas.draw()
    changed = PaperId(int(drawn.ids[0]))  # about a glacier so far
    library.edit(changed, title="On black holes 900")
    space.encode_missing()
    after = atlas.draw()

    place = after.places[np.searchsorted(after.ids, changed)]
    rest = after.ids != changed
    nearest = np.linalg.norm(after.places[rest] - place, axis=1).argmin()
    assert topic_of(library, after.ids[rest])[nearest] == 1


def test_saved_map_is_read_back(library, space, atlas, tmp_path):
    drawn = atlas.draw()
    again = MapService(library, space, tmp_path / "indexes").read()
    assert np.array_equal(drawn.places, again.places)
    assert drawn.fine_clusters == again.fine_clusters


def test_read_without_map_returns_none(atlas):
    assert atlas.read() is None


def test_map_needs_at_least_twenty_papers(library, space, tmp_path):
    add(library, space, range(19))
    assert MapService(library, space, tmp_path / "indexes").draw() is None


@pytest.mark.parametrize("harm", ["cut short", "changed", "emptied"])
def test_damaged_map_is_detected_and_drawn_again(atlas, tmp_path, harm):
    drawn = atlas.draw()
    file = tmp_path / "indexes" / "topics.atlas"
    whole = bytearray(file.read_bytes())
    if harm == "changed":
        whole[len(whole) // 2] ^= 0xFF
    file.write_bytes({"cut short": whole[:-200], "changed": whole, "emptied": b""}[harm])

    assert atlas.problems()
    assert atlas.read() is None
    assert np.array_equal(atlas.draw().places, drawn.places)
    assert not atlas.problems()


class CancelAt:
    """A task that is cancelled when a stage has reached this step."""

    def __init__(self, note, done=0):
        self.seen = []
        self.task = Task(self.report)
        self._note, self._done = note, done

    def report(self, done, total, note):
        self.seen.append((note, done))
        if note == self._note and done >= self._done:
            self.task.cancel()


def test_cancelled_drawing_resumes_with_same_result(atlas):
    stopping = CancelAt("Laying out the map", done=225)
    with pytest.raises(Cancelled):
        atlas.draw(stopping.task)
    assert atlas.read() is None

    going_on = CancelAt("never")
    resumed = atlas.draw(going_on.task)
    assert not any(note == "Comparing papers" for note, _ in going_on.seen)
    first_step = min(done for note, done in going_on.seen if note == "Laying out the map")
    assert first_step >= 200
    # Except for the last digits, which depend on how often forces were scaled up and down again.
    assert np.allclose(resumed.places, atlas.draw(from_scratch=True).places, atol=1e-3)


def test_old_map_remains_when_redrawing_is_cancelled(atlas):
    drawn = atlas.draw()
    with pytest.raises(Cancelled):
        atlas.draw(CancelAt("Laying out the map", done=50).task, from_scratch=True)
    assert np.array_equal(atlas.read().places, drawn.places)


def test_large_library_is_laid_out_by_a_sample(library, atlas, monkeypatch):
    monkeypatch.setattr(atlas_module, "SAMPLE", 40)
    stages = CancelAt("never")
    drawing = atlas.draw(stages.task)
    assert len(drawing.ids) == 80
    assert any(note == "Placing papers" for note, _ in stages.seen)
    topics = topic_of(library, drawing.ids)
    apart = np.linalg.norm(drawing.places[:, None] - drawing.places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert (topics[apart.argmin(axis=1)] == topics).mean() > 0.95
    assert not drawing.outgrown


def test_map_is_outgrown_when_an_eighth_is_new(library, space, atlas):
    assert not atlas.draw().outgrown
    add(library, space, range(200, 208))
    few = atlas.draw()
    assert not few.outgrown and few.later == 8
    add(library, space, range(300, 306))
    assert atlas.draw().outgrown
    anew = atlas.draw(from_scratch=True)
    assert not anew.outgrown and anew.later == anew.ungrouped == 0


def test_papers_unlike_all_others_get_no_group(library, space, atlas, tmp_path):
    before = atlas.draw()
    library.put([paper(f"On {FOREIGN} {n}") for n in range(400, 410)])
    add(library, space, range(200, 210))
    after = atlas.draw()
    foreign = np.array([FOREIGN in p.title for p in library.get(after.ids.tolist())])
    for groups in (after.fine, after.coarse):
        assert (groups[foreign] == NO_GROUP).all()
        assert (groups[~foreign] == NO_GROUP).mean() < 0.1
    sizes = {cluster.name: cluster.papers for cluster in before.coarse_clusters}
    grown = {cluster.name: cluster.papers for cluster in after.coarse_clusters}
    assert sum(grown.values()) - sum(sizes.values()) <= 10
    assert after.ungrouped >= 10 and after.outgrown
    kept = MapService(library, space, tmp_path / "indexes").read()
    assert np.array_equal(kept.coarse, after.coarse) and kept.later == after.later == 20
    assert atlas.draw(from_scratch=True).ungrouped == 0


def test_map_of_format_one_is_kept_and_new_papers_regrouped(library, space, atlas, tmp_path):
    drawn = atlas.draw()
    library.put([paper(f"On {FOREIGN} {n}") for n in range(400, 403)])
    add(library, space, ())
    atlas.draw()
    file = tmp_path / "indexes" / "topics.atlas"
    arrays = read_arrays(file)
    fine = np.where(arrays["fine"] == NO_GROUP, 0, arrays["fine"])  # as format 1 had it
    kept = {name: arrays[name] for name in arrays.keys() - {"later", "least"}}
    write_arrays(file, {**kept, "format": np.array(1), "fine": fine})

    assert np.array_equal(atlas.read().places, drawn.places)
    again = atlas.draw()
    old = np.isin(again.ids, drawn.ids)
    assert np.array_equal(again.places[old], drawn.places)
    assert (again.coarse[~old] == NO_GROUP).all() and again.later == 3


@pytest.mark.parametrize(
    "large", [2_000, 20]
)  # number of papers from which a faster method is used
def test_identical_papers_do_not_break_map(library, space, tmp_path, monkeypatch, large):
    monkeypatch.setattr(tsne_layout, "_LARGE", large)
    library.put([paper("On glacier melt", abstract=f"{n}") for n in range(30)])
    space.encode_missing()
    drawing = MapService(library, space, tmp_path / "indexes").draw()
    assert np.isfinite(drawing.places).all()


def test_doctor_removes_damaged_map(library, space, atlas, tmp_path):
    drawn = atlas.draw()
    (tmp_path / "indexes" / "topics.atlas").write_bytes(b"no map")

    findings = {f.about: f for f in examine(library, space, Home(tmp_path), Task())}
    assert findings["map"].mended
    assert np.array_equal(atlas.draw().places, drawn.places)
    assert not {f.about: f for f in examine(library, space, Home(tmp_path), Task())}["map"].mended

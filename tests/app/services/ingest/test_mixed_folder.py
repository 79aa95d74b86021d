"""A folder of 500 mixed files: each is read, or named with the reason why it was not."""

from __future__ import annotations

from collections import Counter

from sciread_app.services.ingest.importer import Importer
from sciread_app.tasks import Task
from tests.support.generate.mixed_folder import make_folder


def test_folder_of_500_mixed_files_is_accounted_for_file_by_file(library, tmp_path):
    made = make_folder(tmp_path / "papers", 500)
    assert len(made) >= 500
    importer = Importer(library, pdf_workers=2)
    report = importer.add([tmp_path / "papers"], Task())

    failed = Counter(skip.file for skip in report.skips)
    unread = Counter(skip.file for skip in report.unread)
    titles = Counter(paper.title for paper in library.get(library.ids().tolist()))
    wanted = Counter(title for one in made for title in set(one.titles))
    for one in made:
        name = str(one.path)
        assert bool(failed[name]) == one.failed, name
        assert bool(unread[name]) == (not one.titles and not one.failed), name
        assert not [title for title in one.titles if titles[title] != 1], name
    assert set(titles) == set(wanted) and all(skip.reason for skip in report.skips + report.unread)
    known = {str(one.path) for one in made}
    assert set(failed) | set(unread) <= known
    assert report.read == report.added + report.merged + report.failed
    assert report.added == len(titles)
    [story] = library.import_log.imports()
    assert (story.read, story.added, story.failed) == (report.read, report.added, report.failed)

    again = importer.add([tmp_path / "papers"], Task())
    assert (again.added, again.read, again.failed) == (0, report.read, report.failed)

"""A tour of the whole window that shows each of its texts once."""

from __future__ import annotations

import gc
import os
import zipfile

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QEvent, QEventLoop, QPoint, QTimer
from PySide6.QtWidgets import QApplication, QDialog

from sciread_app import workspace
from sciread_app.domain.annotations.annotations import Colour
from sciread_app.domain.digest import Frequency, Interval
from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.paper import LibraryChanges
from sciread_app.domain.training import TrainingData, TrainingDataKind
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from sciread_app.ui.add_papers.page import FILES, FIRST_SOURCE, IDENTIFIERS
from sciread_app.ui.jobs.runner import JobQueue, JobRunner
from sciread_app.ui.map.options import ColorBy
from sciread_app.ui.query_state import SearchFilter
from sciread_app.ui.reader.pages.text_selection import TextPosition, TextSelection
from sciread_app.ui.recommendations.view_models import RecommendationTab
from sciread_app.ui.search.filters.filter_bar import OFFERS
from sciread_app.ui.shell.gateway import open_gateway
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.shell.page_registry import PAGES
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.style.theme import ThemeChoice as Look
from tests.support.generate.book import make_book
from tests.support.generate.papers import paper
from tests.support.generate.pdf import At as Text
from tests.support.models.fake_encoder import WordsEncoder
from tests.support.models.tiny_model import tiny_package
from tests.support.ui.visible_texts import SeenTexts
from trainer.contract.run import Event, Recipe, Run

# The library contains only Greek letters, which tell its texts from those of the program.
BEE, HONEY, *MORE = WORDS = (
    *("μέλισσα", "μέλι", "κυψέλη", "γύρη", "άνθος", "χορός"),
    *("σμήνος", "κερί", "αγρός", "ήλιος", "άνεμος", "φτερό"),
)
COLLECTION, TAG, SEARCH, BOOK = "Εργασία", "ανάγνωση", "Μέλισσες", "μέλισσα.pdf"
OTHER = "μέλισσα"  # a model
TRAININGS = ("άνθος", "γύρη", "κερί")
QUIET_MS = 10


def every_text(home):
    """Return every text that the tour shows or speaks, with the place of its first occurrence."""
    gc.disable()  # see GarbageCollector
    workspace.EncoderProcess = _encoder
    seen = SeenTexts(QApplication([]))
    _go(home / "κενή", [_visit_all_pages], seen)
    _fill(home / "πλήρης")
    _go(home / "πλήρης", STEPS, seen)
    return seen.places


def _go(home, steps, seen):
    """Run the steps; collect the texts after each `yield` of a step."""
    home.mkdir(exist_ok=True)
    jobs = JobRunner()
    window = MainWindow(home, jobs, Appearance(QApplication.instance(), Look.light))
    jobs.queued.connect(lambda job: seen.note([job.title]))
    seen.look("before the library is open", behind=True)
    window.show()
    gateway = open_gateway(home)
    window.open(gateway)
    while not window.is_open:
        QApplication.processEvents()
    _settle(jobs)
    for step in steps:
        place = step.__name__.strip("_").replace("_", " ")
        for _ in step(window):
            _settle(jobs)
            seen.look(place)
        _settle(jobs)
        seen.look(place, behind=True)
    window.close()
    jobs.shut_down()
    gateway.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def _settle(jobs):
    """Wait until no job runs, except on the network queue."""
    while True:
        loop = QEventLoop()
        QTimer.singleShot(QUIET_MS, loop.quit)
        loop.exec()
        if not jobs.running(JobQueue.long) and not jobs.running(JobQueue.short):
            return


def _fill(home):
    home.mkdir()
    made = tiny_package(home / "made" / OTHER, id=OTHER, title=OTHER)
    (home / "models").mkdir()
    made.folder.rename(home / "models" / OTHER)
    (home / BOOK).write_bytes(
        make_book(pages=[[Text("1234 5678 9012", 20, 60, 700)]] * 3, outline=[("1", 0)])
    )
    library = Library(home / "library.sqlite3")
    ids = library.put([_paper(n, doi=f"10.5555/{n}") for n in range(40)]).ids
    library.put([_paper(1, venue=""), paper("", abstract=BEE)])
    many = "; ".join(f"{word.title()}, Α." for word in WORDS)
    library.put([_paper(50, abstract="", authors=many, extra={"retraction_in": "1"})])
    fetch = library.fetches.keep(SourceQuery("arxiv", BEE))
    import_id = library.import_log.open("arxiv", fetch=fetch)
    library.put([_paper(n) for n in range(40, 46)], import_id=import_id)
    library.import_log.close(import_id)
    library.collections.add(ids[:8], COLLECTION)
    library.collections.add(ids[4:12], f"{COLLECTION}/{SEARCH}")
    library.saved_searches.save(SEARCH, BEE)
    library.close()


class FirstEncoder(WordsEncoder):
    title = HONEY


class OtherEncoder(WordsEncoder):
    """Another model, which also depends on the length of a text."""

    space, title = "other", OTHER

    def _vector(self, text):
        vector = super()._vector(text) + len(text) % 7
        return vector / np.linalg.norm(vector)


def _encoder(package):
    return FirstEncoder() if package.id != OTHER else OtherEncoder()


def _paper(number, **more):
    words = WORDS[number % 7 : number % 7 + 5]
    given = {
        "abstract": f"{' '.join(words[::-1])} {number}. {' '.join(WORDS)}.",
        "authors": "Αριστοτέλης, Α.; Θεόφραστος, Β.",
        "published": f"{1990 + number % 30}",
        "venue": "Φύσις" if number % 3 else "Κόσμος",
    }
    return paper(f"{' '.join(words)} {number}", **(given | more))


def _close_popups():
    while popup := QApplication.activePopupWidget():
        popup.close()
    for top in QApplication.topLevelWidgets():
        if isinstance(top, QDialog):
            top.close()


def _visit_all_pages(window):
    yield
    for place in PAGES:
        window.go_to(place.key)
        yield


def _search(window):
    for text in (BEE, f"{BEE} -{HONEY}", "50", f"year:{BEE}", f'"{BEE}', f"tag:{MORE[0]}", ""):
        window.page.search_box.set_text(text)
        yield
    window.find_like(f"@article{{x, title = {{{BEE}}}, abstract = {{{HONEY}}}}}")
    yield
    window.page.back()


def _set_scopes(window):
    for fragment, label in ((f"in:{COLLECTION}", COLLECTION), ("in:trash", "κάδος"), ("", "")):
        window.page.set_scope(fragment, label)
        yield


def _filter(window):
    header = window.page.header
    header.toggle_filters()
    yield
    for field in OFFERS:
        header.filters.open(field)
        yield
        if header.filters.popover:
            header.filters.popover.close()
    header.change(filters=(SearchFilter("year", ("1990..2018",)), SearchFilter("is", ("unread",))))
    yield
    header.toggle_filters()
    yield
    header.lift()


def _steer(window):
    page = window.page
    page.show_similar(page.view.listing.ids[:1])
    yield
    page.more_like(page.view.listing.ids[:2])
    page.less_like(page.view.listing.ids[3:4])
    yield
    page.header.save_search()
    yield
    _close_popups()
    page.back()
    yield
    page.result_list.go_to(0)
    page._menu(QPoint(9, 9))
    yield
    _close_popups()


def _compare(window):
    window.search_for(BEE)
    yield
    window.compare_results()
    yield
    page = window.other_page("compare")
    page.panel.sides[1].read_button.click()
    yield
    page.panel.chooser.blind.setChecked(True)
    yield
    for text, vote in ((HONEY, 0), ("50", None)):
        page.search_box.set_text(text)
        yield
        page.panel.vote(vote)
        yield
    page.panel.take_back()
    yield
    window.search_for("")
    yield


def _editor(window):
    page, library_controller, editor = (
        window.page,
        window.library_controller,
        window.gateway.workspace.editor,
    )
    ids = list(page.view.listing.ids)
    page.result_list.choose(ids[:3])
    for choose in (
        library_controller.choose_tag,
        library_controller.choose_collection,
        library_controller.edit,
    ):
        choose()
        yield
        _close_popups()
    for step in (
        lambda _: editor.tag(ids[:2], TAG),
        lambda _: editor.rate(ids[:1], 4),
        lambda _: editor.collect(ids[:3], COLLECTION),
        lambda _: editor.mark_read(ids[1:2], True),
        lambda _: editor.trash(ids[-2:]),
    ):
        library_controller.work.submit("", step)
        yield
    library_controller.work.undo()
    page.result_list.go_to(0)
    library_controller.edit()
    yield
    _close_popups()


def _use_trash(window):
    page, library_controller = window.page, window.library_controller
    page.result_list.go_to(0)
    library_controller.trash()
    yield
    page.set_scope("in:trash", "κάδος")
    yield
    page.result_list.go_to(0)
    library_controller.delete_permanently()
    yield
    _close_popups()
    page.set_scope("")


def _open_paper(window):
    page = window.page
    page.search_box.set_text(BEE)
    yield
    first = page.view.listing.ids[0]
    window.gateway.about.attach(first, window._home / BOOK, Task())
    window.gateway.workspace.editor.add_note(first, HONEY)
    window.events.library_changed.emit(LibraryChanges(papers=True))
    yield
    page.open_paper()
    yield
    page.details.write_note()
    yield
    page.copy_selected()
    yield
    page.close_paper()
    page.search_box.set_text("")


def _use_palette(window):
    window.show_palette()
    yield
    for typed in (COLLECTION, TAG, SEARCH, BEE, "μελι"):
        window._palette.box.setText(typed)
        window._palette.box.textEdited.emit(typed)
        yield
    window._palette.close_up()
    window.show_shortcuts()
    window.show_about()
    window.job_panel.toggle()
    yield
    _close_popups()
    window.job_panel.toggle()


def _import(window):
    file = window._home / "μέλι.bib"
    file.write_text("@article{x, title = {Μέλι}}\n@article{y, title = {Κερί\n", "utf-8")
    window.add([file, window._home / "άγνωστο.xyz"])
    yield
    window.show_last_report()
    yield
    _close_popups()


def _use_map(window):
    window.toggle_map()
    yield
    shown = window.page.map
    for by in ColorBy:
        shown.colour_by(by)
        yield
    shown.view.current_changed.emit(3)
    yield
    shown.fit_highlighted()
    yield
    shown.view.group_requested.emit(0, 0)
    yield
    window.toggle_map()


def _use_recommendations(window):
    window.go_to("foryou")
    yield
    page = window.other_page("foryou")
    page.follow("collection:1")
    yield
    for part in RecommendationTab:
        page.show_part(part)
        yield
    page.head.refine()
    page._look_everywhere()


def _use_digest(window):
    services = window.gateway.workspace.digests
    for topic, _ in services.topics():
        services.set_interval(topic, Interval(Frequency.weekly))
    window.go_to("digest")
    yield
    page = window.other_page("digest")
    page.preview()
    yield
    services.make(Task())
    page.refresh()
    yield
    page.change_settings()
    yield
    _close_popups()


def _use_reader(window):
    window.go_to("reader")
    window.read(1, window._home / BOOK)
    yield
    book = window.other_page("reader").book
    while book.pictures.text(0) is None:
        yield
    book.view.marks.selection = TextSelection(TextPosition(0, 0), TextPosition(0, 4))
    book.highlight(Colour.yellow)
    for part in range(2):
        book.show_side(part)
        yield
    window.other_page("reader").show_highlights()
    yield
    book.start_find()
    book.finding.bar.take_focus("1234")
    yield
    book._menu().popup(QPoint(0, 0))
    yield
    _close_popups()
    broken = window._home / "λάθος.pdf"
    broken.write_bytes(b"%PDF-1.5\n")
    window.read(2, broken)


def _compare_duplicates(window):
    window.go_to("duplicates")
    yield
    for number in (1, 0):
        window.other_page("duplicates").lists.tab_stops()[number].click()
        yield


def _use_intake(window):
    window.go_to("intake")
    yield
    page = window.other_page("intake")
    for number, _ in enumerate(page._sources):
        page.show_tab(FIRST_SOURCE + number)
        yield
        page.form.line.setText("(")
        page.form.look()
        yield
        for since, most in (("χθες", ""), ("2020", "πολλά")):
            page.form.since.setText(since)
            page.form.most.setText(most)
            page.form.look()
            yield
    for number in (IDENTIFIERS, FILES, FIRST_SOURCE + len(page._sources)):
        page.show_tab(number)
        yield


def _use_models(window):
    window.go_to("models")
    yield
    page = window.other_page("models")
    page.load(OTHER)
    yield
    page.rename()
    yield
    zipped = window._home / "μέλι.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("../μέλι", "")
    page.downloads.add(zipped)
    yield
    page.ask_hub()
    yield
    _close_popups()
    page.remove()
    yield
    page.load(page._trashed[0].key)
    yield
    page.delete()
    yield
    _close_popups()
    page.restore()
    yield
    page.load(OTHER)
    page.activate()


def _train(window):
    """No trainer is started: the folders of finished runs are written instead."""
    window.go_to("training")
    yield
    page = window.other_page("training")
    page.begin()
    yield
    form = page.form
    for stop in form.data.kind.tab_stops():
        stop.click()
        yield
    form.data.choose(TrainingData(TrainingDataKind.collection, COLLECTION))
    form.settings.folded.button.click()
    form.settings.rows["epochs"].field.setText("μ")
    form.settings.rows["base"].field.setCurrentText("μέλι/μέλι")
    for card in form.method.cards.values():
        card.click()
        yield
    _write_runs(window._home)
    page._close_form()
    page.load()
    yield
    for name in TRAININGS:
        page.load(name)
        yield
    for verb in ("log", "remove"):
        page.do(verb)
        yield
        _close_popups()
    page.open(window._home / "κενό")
    yield
    page.load(TRAININGS[0])
    yield
    page.do("resume")


def _write_runs(home):
    """Write a stopped, a failed and a finished run."""
    for name, last in zip(TRAININGS, ("stop", "error", "end"), strict=True):
        run = Run.create(home / "runs" / name, Recipe.named("specter-small", home / "κενό"))
        stages = [{"name": "μ", "examples": 9, "steps": 2}]
        about = {"steps": 2, "stages": stages, "device": "μ", "corpus": {"papers": 9}}
        run.append(Event("start", 1.0, 0, about))
        run.append(Event("note", 1.0, 0, {"text": "μ"}))
        for step in (1, 2):
            values = {"loss": 1.0, "learning_rate": 1.0, "tokens_per_second": 1.0, "memory": 9}
            run.append(Event("step", 1.0, step, {"stage": "μ", **values}))
        run.append(Event("validation", 1.0, 2, {"loss": 1.0, "scores": {}, "best": True}))
        values = {"why": "μ", "message": "μ", "hint": "μ", "seconds": 1.0}
        run.append(Event(last, 2.0, 2, values))
    run.write_report({})


def _use_settings(window):
    window.go_to("settings")
    yield
    page = window.other_page("settings")
    page.contact.setText("?")
    page.contact.editingFinished.emit()
    page.backups.now.click()
    yield
    page._ask_to_restore(window.gateway.workspace.backups.all()[0])
    yield
    page._ask_to_move(window._home)


STEPS = (
    _search,
    _set_scopes,
    _filter,
    _steer,
    _compare,
    _editor,
    _use_trash,
    _open_paper,
    _use_palette,
    _import,
    _use_map,
    _use_recommendations,
    _use_digest,
    _use_reader,
    _compare_duplicates,
    _use_intake,
    _use_settings,
    _use_models,
    _train,
)

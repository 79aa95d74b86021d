"""The table of the pages of the window."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sciread_app.language import tr
from sciread_app.ui.page import Page, PageSpec

if TYPE_CHECKING:
    from sciread_app.ui.app_context import AppContext
    from sciread_app.ui.shell.gateway import WindowGateway

# The pages in the order of the navigation bar, which is that of their shortcuts.
PAGES = (
    PageSpec(
        "search", tr("Library"), "search", "Ctrl+1", tr("Search and browse your papers"),
        "search.page:SearchPage", "",
    ),
    PageSpec(
        "map", tr("Map"), "map", "Ctrl+2", tr("Explore your papers on a map"),
        "map.page:MapPage", "",
    ),
    PageSpec(
        "foryou", tr("Discover"), "foryou", "Ctrl+3",
        tr("New papers for the collections and searches you follow"),
        "recommendations.page:RecommendationsPage", "",
    ),
    PageSpec(
        # Translators: the page on which PDFs are read
        "reader", tr("Reader"), "reader", "Ctrl+4", tr("Read and annotate PDF files"),
        "reader.page:ReaderPage", "reading",
    ),
    PageSpec(
        "duplicates", tr("Duplicates"), "duplicates", "Ctrl+5",
        tr("Review and merge duplicate papers"),
        "duplicates.page:DuplicatesPage", "duplicates",
    ),
    PageSpec(
        # Translators: the page on which papers are imported and fetched
        "intake", tr("Add papers"), "intake", "Ctrl+6",
        tr("Import files and fetch papers from online sources"),
        "add_papers.page:AddPapersPage", "intake",
    ),
    PageSpec(
        "models", tr("Models"), "models", "Ctrl+7", tr("Manage search models"),
        "models.page:ModelsPage", "",
    ),
    PageSpec(
        "training", tr("Training"), "training", "Ctrl+8", tr("Train a model on your papers"),
        "training.page:TrainingPage", "training",
    ),
    PageSpec(
        "dashboard", tr("Dashboard"), "dashboard", "Ctrl+9", tr("Evaluate and compare models"),
        "evaluation.page:EvaluationPage", "",
    ),
    PageSpec(
        "settings", tr("Settings"), "settings", "Ctrl+,", tr("Preferences and backups"),
        "settings.page:SettingsPage", "settings",
    ),
)  # fmt: skip
_SPECS = {spec.key: spec for spec in PAGES}
# Other modules that are not needed at start.
_LATER = (
    "shell.commands.command_palette",
    "training.gateway",
    "training.completion_notifier",
    "evaluation.gateway",
    "settings.backup_scheduler",
)


def prepare() -> None:
    """Import the modules that the start of the window does not wait for."""
    for name in (*(spec.page.partition(":")[0] for spec in PAGES), *_LATER):
        import_module(f"sciread_app.ui.{name}")


def build(place: str, services: WindowGateway, context: AppContext) -> Page:
    """Import and build the page with this key."""
    spec = _SPECS[place]
    module, _, name = spec.page.partition(":")
    page_class = getattr(import_module(f"sciread_app.ui.{module}"), name)
    needed = getattr(services, spec.services) if spec.services else services
    page: Page = page_class(needed, context)
    return page

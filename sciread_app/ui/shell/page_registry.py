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
        "search", tr("Search"), "search", "Ctrl+1", tr("Find papers in your library"),
        "search.page:SearchPage", "",
    ),
    PageSpec(
        "map", tr("Map"), "map", "Ctrl+2", tr("Wander among your papers"),
        "map.page:MapPage", "",
    ),
    PageSpec(
        "foryou", tr("For you"), "foryou", "Ctrl+3", tr("What is new for what you follow"),
        "recommendations.page:RecommendationsPage", "",
    ),
    PageSpec(
        # Translators: the page on which PDFs are read
        "reader", tr("Reader"), "reader", "Ctrl+4", tr("Read and mark the files of papers"),
        "reader.page:ReaderPage", "reading",
    ),
    PageSpec(
        "duplicates", tr("Duplicates"), "duplicates", "Ctrl+5", tr("Papers that may be one"),
        "duplicates.page:DuplicatesPage", "duplicates",
    ),
    PageSpec(
        # Translators: the page on which papers come in
        "intake", tr("Intake"), "intake", "Ctrl+6", tr("Fetch papers, add files, see what came in"),
        "add_papers.page:AddPapersPage", "intake",
    ),
    PageSpec(
        "models", tr("Models"), "models", "Ctrl+7", tr("What finds papers by meaning"),
        "models.page:ModelsPage", "",
    ),
    PageSpec(
        "training", tr("Training"), "training", "Ctrl+8", tr("Teach a model your own papers"),
        "training.page:TrainingPage", "training",
    ),
    PageSpec(
        "dashboard", tr("Dashboard"), "dashboard", "Ctrl+9", tr("What models are worth"),
        "evaluation.page:EvaluationPage", "",
    ),
    PageSpec(
        "settings", tr("Settings"), "settings", "Ctrl+,", tr("What can be chosen, and backups"),
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

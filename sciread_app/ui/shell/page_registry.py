"""The items of the navigation bar and the pages of the window."""

from __future__ import annotations

import time
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from sciread_app.language import tr
from sciread_app.ui.actions import ActionTable
from sciread_app.ui.page import NavigationGroup, NavigationItem, Page, PageSpec

if TYPE_CHECKING:
    from sciread_app.ui.app_context import AppContext
    from sciread_app.ui.shell.gateway import WindowGateway

# The entries of the navigation bar, in its order.
NAVIGATION_ITEMS = (
    NavigationItem(
        "library", tr("Library"), "search", "Ctrl+1", tr("Search and browse your papers"),
    ),
    NavigationItem(
        "discover", tr("Discover"), "foryou", "Ctrl+2",
        tr("New papers for the collections and searches you follow, each counted once"), tabs=True,
    ),
    NavigationItem(
        # Translators: the page on which PDFs are read
        "reader", tr("Reader"), "reader", "Ctrl+3", tr("Read and annotate PDF files"),
    ),
    NavigationItem(
        # Translators: the button with the menu of ways to add papers
        "add", tr("Add"), "plus", "Ctrl+4", tr("Add papers from files or online sources"),
        NavigationGroup.add,
    ),
    NavigationItem(
        # Translators: the item for search models, their training and their evaluation
        "lab", tr("Lab"), "lab", "Ctrl+5", tr("Manage, train, evaluate, and compare search models"),
        NavigationGroup.tools, tabs=True,
    ),
    NavigationItem(
        "settings", tr("Settings"), "settings", "Ctrl+,", tr("Preferences and backups"),
        NavigationGroup.window,
    ),
)  # fmt: skip
# The pages. The first one of an item is shown on the first visit.
PAGES = (
    PageSpec(
        "search", "library", tr("Library"), "search.page:SearchPage",
        "search card_loader about map", actions="search.actions",
    ),
    PageSpec(
        "duplicates", "library", tr("Duplicates"), "duplicates.page:DuplicatesPage",
        "workspace.duplicates", "Ctrl+7", "duplicates.actions",
    ),
    PageSpec(
        "foryou", "discover", tr("New papers"), "recommendations.page:RecommendationsPage",
        "recommendations card_loader about", actions="recommendations.actions",
    ),
    PageSpec(
        "digest", "discover", tr("Digest"), "digest.page:DigestPage", "workspace.digests",
        actions="digest.actions",
    ),
    PageSpec(
        "reader", "reader", tr("Reader"), "reader.page:ReaderPage", "workspace.reader about",
        actions="reader.actions",
    ),
    PageSpec("intake", "add", tr("Add papers"), "add_papers.page:AddPapersPage", "intake"),
    PageSpec(
        "models", "lab", tr("Models"), "models.page:ModelsPage",
        "workspace.models workspace.installer", actions="models.actions",
    ),
    PageSpec(
        "training", "lab", tr("Training"), "training.page:TrainingPage", "training",
        actions="training.actions",
    ),
    PageSpec(
        "dashboard", "lab", tr("Dashboard"), "evaluation.page:EvaluationPage",
        "dashboard comparisons card_loader", actions="evaluation.actions",
    ),
    PageSpec(
        "compare", "lab", tr("Compare"), "search.compare_page:ComparePage",
        "comparisons card_loader", actions="compare.actions",
    ),
    PageSpec(
        "settings", "settings", tr("Settings"), "settings.page:SettingsPage",
        "workspace", actions="settings.actions",
    ),
)  # fmt: skip
_SPECS = {spec.key: spec for spec in PAGES}
_KEYS = {spec.page.partition(":")[2]: spec.key for spec in PAGES}  # by the names of classes
_ITEMS = {item.key: item for item in NAVIGATION_ITEMS}
# Other modules that are not needed at start.
_LATER = (
    "map.panel",
    "shell.commands.command_palette",
    "training.gateway",
    "training.completion_notifier",
    "evaluation.gateway",
    "settings.backup_scheduler",
    "digest.notifier",
)
_SERVICES = (
    "services.digest.digest_service",
    "services.evaluation.evaluation_service",
    "services.evaluation.model_comparison",
    "services.library.reader",
    "services.models.installer",
    "services.training.run_import",
    "services.training.training_service",
    "sources.endpoints",  # for the first visit of the settings
)
# Seconds between two of these modules, in which the window's thread can finish what it does.
_PAUSE = 0.03


def prepare() -> None:
    """Import the modules that the start of the window does not wait for, in a worker."""
    pages = [spec.page.partition(":")[0] for spec in PAGES]
    for name in (*_SERVICES, *(f"ui.{name}" for name in (*pages, *_LATER))):
        import_module(f"sciread_app.{name}")
        time.sleep(_PAUSE)


def navigation_item_of(page: str) -> NavigationItem:
    """Return the item of the page with this key."""
    return _ITEMS[_SPECS[page].item]


def key_of(page_class: type[Page]) -> str:
    """Return the key of the page of this class."""
    return _KEYS[page_class.__name__]


def pages_of(item: str) -> list[PageSpec]:
    """Return the pages of the item with this key, in order."""
    return [spec for spec in PAGES if spec.item == item]


def action_table(spec: PageSpec) -> ActionTable[Any] | None:
    """Return the actions that a page declares, if any."""
    if not spec.actions:
        return None
    table: ActionTable[Any] = import_module(f"sciread_app.ui.{spec.actions}").ACTIONS
    return table


def build(key: str, services: WindowGateway, context: AppContext) -> Page:
    """Import and build the page with this key."""
    spec = _SPECS[key]
    module, _, name = spec.page.partition(":")
    page_class = getattr(import_module(f"sciread_app.ui.{module}"), name)
    needed = [attrgetter(name)(services) for name in spec.services.split()]
    page: Page = page_class(*needed, context)
    return page

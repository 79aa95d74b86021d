"""HTML pages for other programs."""

from __future__ import annotations

from html import escape

from sciread_app.language import current_language


def html_page(title: str, body: str, style: str = "") -> str:
    """Return a whole page with this title, which is escaped, and this body of markup."""
    language = current_language().replace("_", "-")
    css = f"<style>{style}</style>\n" if style else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<meta charset="utf-8">\n'
        f"<title>{escape(title)}</title>\n{css}{body}\n</html>\n"
    )

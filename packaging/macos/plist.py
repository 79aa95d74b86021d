"""The content of Info.plist, which describes the program and its file types to macOS."""

from __future__ import annotations

from typing import Any

from about import ABOUT, FILES, FileType, version


def info_plist() -> dict[str, Any]:
    """Return the entries of Info.plist. Untested: no Mac was available."""
    return {
        "CFBundleName": ABOUT["name"],
        "CFBundleDisplayName": ABOUT["name"],
        "CFBundleIdentifier": ABOUT["identifier"],
        "CFBundleShortVersionString": version(),
        "CFBundleVersion": version(),
        "CFBundleDocumentTypes": [_document(file) for file in FILES],
        # Types that macOS may not know; imported, since other programs may define them too.
        "UTImportedTypeDeclarations": [_type(file) for file in FILES if file.ours],
        "LSApplicationCategoryType": "public.app-category.education",
        "LSMinimumSystemVersion": "12.0",
        "NSHighResolutionCapable": True,
        "NSHumanReadableCopyright": f"© {ABOUT['copyright']}",
        "NSPrincipalClass": "NSApplication",
    }


def _document(file: FileType) -> dict[str, Any]:
    return {
        "CFBundleTypeName": file.title,
        "CFBundleTypeRole": "Viewer",
        "LSHandlerRank": "Default" if file.ours else "Alternate",
        "LSItemContentTypes": [file.uti],
    }


def _type(file: FileType) -> dict[str, Any]:
    return {
        "UTTypeIdentifier": file.uti,
        "UTTypeDescription": file.title,
        "UTTypeConformsTo": ["public.plain-text"],
        "UTTypeTagSpecification": {
            "public.filename-extension": [suffix.lstrip(".") for suffix in file.suffixes],
            "public.mime-type": [file.mime],
        },
    }

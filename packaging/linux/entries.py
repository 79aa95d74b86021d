"""The files for a Linux desktop: menu entry, MIME types and AppStream metadata."""

from __future__ import annotations

from xml.sax.saxutils import escape

from about import ABOUT, FILES, day, version

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def desktop_entry(program: str = "sciread") -> str:
    rows = {
        "Type": "Application",
        "Name": ABOUT["name"],
        "GenericName": ABOUT["generic_name"],
        "Comment": ABOUT["summary"],
        "Exec": f"{program} %F",
        "Icon": "sciread",
        "Terminal": "false",
        "Categories": "Science;Literature;",
        "MimeType": "".join(f"{file.mime};" for file in FILES),
        "Keywords": "".join(f"{word};" for word in ABOUT["keywords"]),
        "StartupWMClass": "sciread",
    }
    return "[Desktop Entry]\n" + "".join(f"{key}={value}\n" for key, value in rows.items())


def mime_types() -> str:
    """Return definitions of the file types that the system does not know by itself."""
    body = ""
    for file in FILES:
        if file.known:
            continue
        body += f'  <mime-type type="{file.mime}">\n'
        body += f"    <comment>{escape(file.title)}</comment>\n"
        body += '    <sub-class-of type="text/plain"/>\n    <icon name="x-office-document"/>\n'
        if file.magic:
            body += f'    <magic priority="50"><match type="string" value="{escape(file.magic)}"'
            body += ' offset="0"/></magic>\n'
        body += "".join(f'    <glob pattern="*{suffix}"/>\n' for suffix in file.suffixes)
        body += "  </mime-type>\n"
    space = "http://www.freedesktop.org/standards/shared-mime-info"
    return f'{_HEAD}<mime-info xmlns="{space}">\n{body}</mime-info>\n'


def metainfo() -> str:
    """Return the AppStream description of the program."""
    paragraphs = "".join(f"    <p>{escape(part)}</p>\n" for part in ABOUT["description"])
    types = "".join(f"    <mediatype>{file.mime}</mediatype>\n" for file in FILES)
    words = "".join(f"    <keyword>{escape(word)}</keyword>\n" for word in ABOUT["keywords"])
    url = f'  <url type="homepage">{escape(ABOUT["url"])}</url>\n' if ABOUT["url"] else ""
    return (
        f'{_HEAD}<component type="desktop-application">\n'
        f"  <id>{ABOUT['identifier']}</id>\n"
        f"  <name>{ABOUT['name']}</name>\n"
        f"  <summary>{escape(ABOUT['summary'])}</summary>\n"
        "  <metadata_license>CC0-1.0</metadata_license>\n"
        "  <project_license>Apache-2.0</project_license>\n"
        f"  <developer_name>{escape(ABOUT['publisher'])}</developer_name>\n"
        f"  <description>\n{paragraphs}  </description>\n"
        '  <launchable type="desktop-id">sciread.desktop</launchable>\n'
        f'{url}  <content_rating type="oars-1.1"/>\n'
        f"  <keywords>\n{words}  </keywords>\n"
        "  <provides>\n    <binary>sciread</binary>\n    <binary>sciread-trainer</binary>\n"
        f"{types}  </provides>\n"
        f'  <releases>\n    <release version="{version()}" date="{day()}"/>\n  </releases>\n'
        "</component>\n"
    )

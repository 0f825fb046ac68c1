"""Hooks of mkdocs (mkdocs.yml): the documents are written for the repository, and this makes pages of a site of them.

README and its like become pages. A link to another document stays one. What a link to source code says stays as text,
since a site does not have the sources.
"""

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "reporting.md",
}
"""A document beside docs/ → its page."""
_SOURCE = {page: document for document, page in PAGES.items()}
_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\|.*\|$", re.MULTILINE)
_CODE = re.compile(r"`[^`]+`")
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")


def slug(heading: str, separator: str = "-") -> str:
    """The anchor that a repository's pages make of a heading, which is what links are written for."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Headings have the anchors that they have in the repository."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = slug
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents that are not in docs/."""
    for document, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / document).read_text()))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Make the links those of the site, outside of fenced blocks. Code in tables needs no escaped bars here."""
    document = PurePosixPath(_SOURCE.get(page.file.src_uri, f"docs/{page.file.src_uri}"))
    parts = _FENCED.split(markdown)
    parts = [part if at % 2 else _ROW.sub(_plain_bars, part) for at, part in enumerate(parts)]
    return "".join(
        part if at % 2 else _LINK.sub(lambda found: _linked(found, document), part) for at, part in enumerate(parts)
    )


def _plain_bars(row: re.Match[str]) -> str:
    return _CODE.sub(lambda code: code[0].replace(r"\|", "|"), row[0])


def _linked(found: re.Match[str], document: PurePosixPath) -> str:
    """The link as the site has it; its text alone, where the site has no such page."""
    image, text, target, anchor = found[1], found[2], found[3], found[4] or ""
    name = os.path.normpath(document.parent / target)
    if name in PAGES:
        return f"{image}[{text}]({PAGES[name]}{anchor})"
    if name.startswith("docs/") and (ROOT / name).is_file():
        return f"{image}[{text}]({name.removeprefix('docs/')}{anchor})"
    return text if (ROOT / name).exists() else found[0]

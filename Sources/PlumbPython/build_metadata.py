"""The long description and the project URLs of the package."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

FOLDER = "Sources/PlumbPython"
CHANGES = "Sources/Plumb/Plumb.docc/changes.md"


class PackageHook(MetadataHookInterface):
    """Adds the README, with links that also work outside the repository, and the project URLs.

    GITHUB_REPOSITORY (OWNER/NAME, which GitHub's workflows set) is the repository; its pages are
    the project URLs and the targets of the links. Without it, the links are replaced by their
    text.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        name = os.environ.get("GITHUB_REPOSITORY")
        server = os.environ.get("GITHUB_SERVER_URL", "https://github.com")
        repository = f"{server}/{name}" if name else None
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": linked(text, repository)}
        metadata["urls"] = {}
        if repository is not None:
            metadata["urls"] = {
                "Source": repository,
                "Documentation": f"{repository}/blob/main/{FOLDER}/README.md",
                "Changes": f"{repository}/blob/main/{CHANGES}",
                "Issues": f"{repository}/issues",
            }


def linked(text: str, repository: str | None) -> str:
    """Returns Markdown with its relative links resolved in the repository, or replaced by text."""

    def link(match: re.Match[str]) -> str:
        words, target = match.groups()
        if repository is None:
            return words
        path = posixpath.normpath(posixpath.join(FOLDER, target))
        return f"[{words}]({repository}/blob/main/{path})"

    return re.sub(r"\[([^\]]+)\]\((?![a-z]+:|#)([^)\s]+)\)", link, text)

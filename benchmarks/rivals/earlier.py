"""The contents of an existing page of results, by workload."""

import re


def rows(page: str) -> dict[str, str]:
    """The rows of the summary."""
    found = re.finditer(r"^\| \(([\w-]+)\) .*$", page, re.MULTILINE)
    return {match[1]: match[0] for match in found}


def sections(page: str) -> dict[str, str]:
    """The sections with all contenders."""
    found = re.finditer(r"^### \(([\w-]+)\) .*?\n(?=##|\Z)", page,
                        re.MULTILINE | re.DOTALL)
    return {match[1]: match[0].rstrip("\n") + "\n" for match in found}


def machine(page: str) -> str:
    """The table of the machine."""
    match = re.search(r"^## The machine\n\n(.*?\n)\n", page,
                      re.MULTILINE | re.DOTALL)
    return match[1] if match else ""

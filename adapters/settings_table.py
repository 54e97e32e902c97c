"""The table of all settings in the documentation; run as a module it writes that again."""

import re
from pathlib import Path

from adapters.settings import SETTINGS, Group, default, option, variable

DOCUMENT = Path(__file__).parents[1] / "docs" / "operating.md"
HEAD = "| variable | option | meaning | default |\n| --- | --- | --- | --- |\n"


def table() -> str:
    """Return the table in Markdown, a row a setting."""
    rows = []
    for name, setting in SETTINGS.items():
        given = "" if setting.group is Group.ENVIRONMENT else f"`{option(name)}`"
        words = default(name) if setting.default else f"`{default(name)}`"
        rows.append(f"| `{variable(name)}` | {given} | {setting.help} | {words} |\n")
    return HEAD + "".join(rows)


def rewritten(document: str) -> str:
    """Return a document with its table as it is to be."""
    return re.sub(re.escape(HEAD) + r"(\|.*\n)*", lambda _: table(), document)


if __name__ == "__main__":
    DOCUMENT.write_text(rewritten(DOCUMENT.read_text()))

"""Draw which package imports which into `docs/architecture.md`: `python -m tests.picture`.

An arrow that others imply is left out: what a package reaches by way of another is not drawn again. So is a
single module that imports no package, as a clock.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import grimp

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
ROOMS = ("adapters", "services", "domain")
"""The outer ones first; each is drawn as a frame."""
BETWEEN = re.compile(r"(<!-- drawn by `make picture` -->\n).*?(<!-- end -->\n)", re.DOTALL)

type Arrows = Mapping[str, set[str]]


def main() -> None:
    """Put the picture of today into the page."""
    PAGE.write_text(with_picture(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def with_picture(page: str) -> str:
    """Return the page with the picture of today."""
    return BETWEEN.sub(lambda found: found[1] + picture(_arrows()) + found[2], page)


def picture(arrows: Arrows) -> str:
    """Return the packages and their arrows in Mermaid."""
    packages = sorted({*arrows, *(one for many in arrows.values() for one in many)})
    lines = ["flowchart TB"]
    for room in ROOMS:
        inside = [package for package in packages if package.split(".")[0] == room]
        boxes = [f"        {package}[{package.split('.')[1]}]" for package in inside]
        lines += [f"    subgraph {room}", *boxes, "    end"]
    lines += [
        f"    {package} --> {other}" for package in packages for other in sorted(_drawn(arrows, package))
    ]
    return "\n".join(["```mermaid", *lines, "```\n"])


def _arrows() -> Arrows:
    """Return which package imports which; a module beside the packages of its room counts as one."""
    graph = grimp.build_graph(*ROOMS)
    arrows: dict[str, set[str]] = {}
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            one, other = _package(module), _package(imported)
            if one and other and one != other:
                arrows.setdefault(one, set()).add(other)
    alone = {one for many in arrows.values() for one in many if one not in arrows and not _is_folder(one)}
    return {package: imported - alone for package, imported in arrows.items()}


def _is_folder(package: str) -> bool:
    return ROOT.joinpath(*package.split(".")).is_dir()


def _package(module: str) -> str | None:
    """Return the package that is drawn for a module; None for the rooms themselves."""
    parts = module.split(".")
    return ".".join(parts[:2]) if len(parts) > 1 else None


def _drawn(arrows: Arrows, package: str) -> set[str]:
    """Return what a package imports and reaches by no other way."""
    direct = arrows.get(package, set())
    return direct - {reached for one in direct for reached in _reached(arrows, one)}


def _reached(arrows: Arrows, package: str) -> set[str]:
    """Return what a package imports, and what that imports, and so on."""
    found: set[str] = set()
    left = [*arrows.get(package, ())]
    while left:
        if (one := left.pop()) not in found:
            found.add(one)
            left += arrows.get(one, ())
    return found


if __name__ == "__main__":
    main()

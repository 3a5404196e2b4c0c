"""Hooks of the site (mkdocs.yml): the architecture page, and the reference of everything that is public."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
PACKAGES = {  # what is public, by package; a name is listed where it is first found
    "gambol.figure": "Describing figures",
    "gambol.record": "Recordings",
    "gambol.plot": "Pictures and plots",
    "gambol.view": "Looking at motion",
    "gambol.export": "Other tools",
    "gambol.study": "Sweeps",
    "gambol.models": "Figures ready to use",
    "gambol": "Worlds, forces, stepping: the other names that `import gambol` has",
}


def on_files(files: Files, config: Any) -> Files:
    """Adds pages that are not in docs/."""
    architecture = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").replace("](docs/", "](")
    pages = {"architecture.md": architecture, **reference()}
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    return markdown.replace("](../ARCHITECTURE.md)", "](architecture.md)")


def on_config(config: Any) -> Any:
    """The pages of the reference come into the navigation."""
    names = [name.removeprefix("gambol.") for name in PACKAGES]
    reference_ = next(section for section in config.nav if "Reference" in section)
    reference_["Reference"] = ["reference/index.md", *({n: f"reference/{n}.md"} for n in names)]
    return config


def reference() -> dict[str, str]:
    """A page for each package: its introduction and everything that it offers."""
    pages, seen = {}, set[str]()
    rows = ["# Reference", "", "| package | what |", "|---|---|"]
    for package, what in PACKAGES.items():
        module = importlib.import_module(package)
        name = package.removeprefix("gambol.")
        rows.append(f"| [`{package}`]({name}.md) | {what} |")
        lines = [f"# {package}", "", "```text", inspect.getdoc(module) or "", "```", ""]
        for thing in sorted(public(module), key=str.lower):
            where = home(getattr(module, thing), thing)
            if where and where not in seen:
                seen.add(where)
                lines += [f"::: {where}", ""]
        pages[f"reference/{name}.md"] = "\n".join(lines)
    pages["reference/index.md"] = "\n".join(rows)
    return pages


def public(module: Any) -> list[str]:
    return [name for name in module.__all__ if not name.startswith("_")]


def home(thing: Any, name: str) -> str:
    """Where a class or a function is defined; nothing for constants."""
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return ""
    return f"{thing.__module__}.{getattr(thing, '__qualname__', name)}"

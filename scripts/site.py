"""Hooks of the site (mkdocs.yml): pages from the root of the repository, and a reference of every package."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "gambol"
PAGES = {
    "architecture.md": "ARCHITECTURE.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "security.md": "SECURITY.md",
}


def on_files(files: Files, config: Any) -> Files:
    """Adds pages that are not in docs/."""
    pages = {page: linked((ROOT / source).read_text(encoding="utf-8")) for page, source in PAGES.items()}
    for path, content in {**pages, **reference()}.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    return linked(markdown)


def linked(text: str) -> str:
    """Links between files of the repository as links between pages."""
    text = text.replace("](docs/", "](")
    for page, source in PAGES.items():
        text = text.replace(f"](../{source})", f"]({page})").replace(f"]({source})", f"]({page})")
    return text


def on_config(config: Any) -> Any:
    """The pages of the reference come into the navigation."""
    section = next(section for section in config.nav if "Reference" in section)
    section["Reference"] = ["reference/index.md", *({n: f"reference/{n}.md"} for n in packages())]
    return config


# ---------------------------------------------------------------- the reference
def packages() -> list[str]:
    """Packages, and the modules beside them, by name."""
    found = [path for path in SOURCE.iterdir() if (path / "__init__.py").exists() or path.suffix == ".py"]
    return sorted(path.stem for path in found if not path.stem.startswith("_"))


def reference() -> dict[str, str]:
    """A page for each package: what is public of it, by its public path, then the modules behind."""
    exported = public_names()
    pages, rows = {}, ["# Reference", "", "| package | what | public |", "|---|---|---|"]
    for package in packages():
        files = sorted((SOURCE / package).rglob("*.py")) or [SOURCE / f"{package}.py"]
        modules = {module_name(file): ast.parse(file.read_text(encoding="utf-8")) for file in files}
        about = ast.get_docstring(modules[f"gambol.{package}"]) or ""
        first = about.split("\n\n", maxsplit=1)[0].replace("\n", " ")
        own = {home: path for home, path in exported.items() if home.rpartition(".")[0] in modules}
        rows.append(f"| [`gambol.{package}`]({package}.md) | {first} | {len(own) or ''} |")
        lines = [f"# gambol.{package}", "", "```text", about, "```", ""]
        lines += [f"::: {path}\n" for path in sorted(own.values(), key=str.lower)]
        lines += implementation(modules, set(own))
        pages[f"reference/{package}.md"] = "\n".join(lines)
    pages["reference/index.md"] = "\n".join(rows)
    return pages


def implementation(modules: dict[str, ast.Module], public: set[str]) -> list[str]:
    """What the modules define beside what is public, for those who read or extend the sources."""
    lines = []
    for name, tree in modules.items():
        defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        members = [d for d in defined if not d.startswith("_") and f"{name}.{d}" not in public]
        if members:
            lines += [f"::: {name}", "    options:", "      heading_level: 3", f"      members: {members}", ""]
    return ["## Implementation", "", *lines] if lines else []


def public_names() -> dict[str, str]:
    """The public path of every class and function, by where it is defined."""
    found = {}
    for init in sorted(SOURCE.rglob("__init__.py")):
        if "__all__" in init.read_text(encoding="utf-8"):
            package = importlib.import_module(module_name(init))
            things = {name: getattr(package, name) for name in package.__all__}
            found |= {
                f"{thing.__module__}.{thing.__qualname__}": f"{package.__name__}.{name}"
                for name, thing in things.items()
                if hasattr(thing, "__qualname__")
            }
    return found


def module_name(file: Path) -> str:
    parts = file.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

"""Fills docs/gallery with what the published experiments gave: results.json and a small picture of each.

    python scripts/gallery.py                      every experiment, one after the other (half an hour of one core)
    python scripts/gallery.py 'roach-*' limbs-nail       only these; what was kept of the others stays
    python scripts/gallery.py --from results       nothing is run: takes what `gambol reproduce --out results` wrote

Runs go to gambol-out/gallery/ID. The page is made of it when the site is built (scripts/gallery_page.py).
"""

from __future__ import annotations

import argparse
import ast
import functools
import hashlib
import importlib
import importlib.util
import io
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from PIL import Image

ROOT = Path(__file__).parents[1]
GALLERY, RUNS = ROOT / "docs" / "gallery", ROOT / "gambol-out" / "gallery"
RESULTS, MODELS = "results.json", "gambol.models"
WIDTH, HEIGHT, MOST = 640, 480, 40_000  # of a picture [pixels], [bytes]
KEPT = "key where kind statement printed limit why ours counted interval unit verdict reason seed".split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", help="experiments or patterns; by default all")
    parser.add_argument("--from", dest="folders", nargs="+", type=Path, help="folders of results, instead of running")
    options = parser.parse_args()
    folders = options.folders or list(run(options.ids or ["*"]))
    collected = collect(folders, GALLERY)
    print(f"{len(collected)} experiments from {len(folders)} folders into {GALLERY.relative_to(ROOT)}")


def run(patterns: list[str]) -> Iterator[Path]:
    """Performs the experiments, each in a process of its own; one that fails is told and left out."""
    from gambol.experiments.reproduce import select_experiments

    for experiment in select_experiments(patterns):
        folder = RUNS / experiment.id
        command = [sys.executable, "-m", "gambol", "reproduce", experiment.id, "--out", str(folder)]
        if subprocess.run(command, check=False).returncode == 0:
            yield folder
        else:
            print(f"{experiment.id} failed; what was kept of it stays", file=sys.stderr)


def collect(folders: Iterable[Path], gallery: Path) -> list[str]:
    """Takes the results below the folders into the gallery; gives the ids that were taken."""
    from gambol.experiments.registry import experiments

    known = experiments()
    kept = {entry["id"]: entry for entry in read(gallery)}
    taken = []
    for file in sorted(found for folder in folders for found in folder.rglob(RESULTS)):
        rows = json.loads(file.read_text(encoding="utf-8"))
        for id in dict.fromkeys(row["id"] for row in rows):
            if id in known:
                own = [row for row in rows if row["id"] == id]
                kept[id] = entry(known[id], own, file.parent, gallery)
                taken.append(id)
    entries = [kept[id] for id in known if id in kept]
    for gone in {p.stem for p in gallery.glob("*.webp")} - {e["id"] for e in entries}:
        (gallery / f"{gone}.webp").unlink()
    lines = ",\n".join(json.dumps(e, ensure_ascii=False) for e in entries)
    (gallery / RESULTS).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return taken


def read(gallery: Path) -> list[dict[str, Any]]:
    """The entries that the gallery has."""
    file = gallery / RESULTS
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []


def entry(experiment: Any, rows: list[dict[str, Any]], folder: Path, gallery: Path) -> dict[str, Any]:
    """An experiment with its findings; draws its picture."""
    drawn = [folder / name for name in rows[0]["pictures"] if Path(name).suffix == ".png"]
    picture = next((p for p in drawn if "strip" in p.stem), drawn[0] if drawn else None)  # a figure says more
    if picture:
        (gallery / f"{experiment.id}.webp").write_bytes(small(picture))
    return {
        "id": experiment.id,
        "title": experiment.title,
        "source": experiment.source,
        "seconds": float(f"{rows[0]['seconds']:.2g}"),
        "picture": f"{experiment.id}.webp" if picture else None,
        "quick": rows[0]["quick"],
        "fingerprint": fingerprint(experiment),
        "models": models(experiment),
        "findings": [{key: rounded(row[key]) for key in KEPT} for row in rows],
    }


def fingerprint(experiment: Any) -> str:
    """Of the code of an experiment and of what it uses of its own family; docstrings and layout do not count."""
    return digest(reached(*family(experiment)))


def models(experiment: Any) -> str:
    """The same of the models that it uses, and of what these use of theirs."""
    asked = {home for tree in reached(*family(experiment)).values() for home in homes(tree)}
    return digest(reached(sorted(asked), MODELS))


def family(experiment: Any) -> tuple[list[str], str]:
    """The module of an experiment, and the package of its family."""
    module = experiment.run.__module__
    return [module], module.rpartition(".")[0]


def reached(modules: list[str], package: str) -> dict[str, ast.Module]:
    """Modules and what they import from a package, without docstrings."""
    waiting, seen = list(modules), dict[str, ast.Module]()
    while waiting:
        name = waiting.pop()
        if name in seen or (tree := source(name)) is None:
            continue
        seen[name] = tree
        waiting += [node.module for node in imports(tree) if node.module.startswith(f"{package}.")]
    return seen


@functools.cache
def source(module: str) -> ast.Module | None:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return None
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant("")
    return tree


@functools.cache
def imports(tree: ast.Module) -> list[Any]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]


def homes(tree: ast.Module) -> Iterator[str]:
    """Modules of models that a source imports, or imports something of."""
    for node in imports(tree):
        if node.module.startswith(f"{MODELS}."):
            yield node.module
        elif node.module == MODELS:
            for name in node.names:
                thing = getattr(importlib.import_module(MODELS), name.name)
                home = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", "")
                if home.startswith(f"{MODELS}."):
                    yield home


dump = functools.cache(ast.dump)


def digest(trees: dict[str, ast.Module]) -> str:
    text = "\n".join(dump(trees[name]) for name in sorted(trees))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def small(picture: Path) -> bytes:
    """The picture on white, made to fit, in no more than MOST bytes."""
    whole = Image.open(picture).convert("RGBA")
    paper = Image.new("RGB", whole.size, "white")
    paper.paste(whole, mask=whole.getchannel("A"))
    paper.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    for quality in (85, 75, 60, 45):
        stream = io.BytesIO()
        paper.save(stream, "webp", quality=quality, method=6)
        if stream.tell() <= MOST:
            break
    return stream.getvalue()


if __name__ == "__main__":
    main()

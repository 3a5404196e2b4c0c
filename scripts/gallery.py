"""Fills docs/gallery with what the published experiments gave: results.json, a small picture of each, and
docs/findings.md.

    python scripts/gallery.py                      every experiment, one after the other (half an hour of one core)
    python scripts/gallery.py 'roach-*' limbs-nail       only these; what was kept of the others stays
    python scripts/gallery.py --from results       nothing is run: takes what `gambol reproduce --out results` wrote

Runs go to gambol-out/gallery/ID. The page is made of it when the site is built (scripts/gallery_page.py).
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import findings_table
from fingerprints import of_experiment, of_models
from PIL import Image

ROOT = Path(__file__).parents[1]
GALLERY, RUNS = ROOT / "docs" / "gallery", ROOT / "gambol-out" / "gallery"
RESULTS = "results.json"
WIDTH, HEIGHT, MOST = 640, 480, 40_000  # of a picture [pixels], [bytes]
KEPT = "key where kind statement printed limit why ours counted interval unit verdict reason seed".split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", help="experiments or patterns; by default all")
    parser.add_argument("--from", dest="folders", nargs="+", type=Path, help="folders of results, instead of running")
    options = parser.parse_args()
    folders = options.folders or list(run(options.ids or ["*"]))
    collected = collect(folders, GALLERY)
    findings_table.main()
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
        "fingerprint": of_experiment(experiment),
        "models": of_models(experiment),
        "findings": [{key: rounded(row[key]) for key in KEPT} for row in rows],
    }


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

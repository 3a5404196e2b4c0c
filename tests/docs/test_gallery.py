"""The gallery has every experiment, each with its findings and a small picture; scripts/gallery.py collects them."""

import json
import sys

import numpy as np
import pytest
from pages import ROOT
from PIL import Image

from gambol.experiments.findings import Finding, Rate, at_most, printed
from gambol.experiments.registry import FAMILIES, experiments

GALLERY = ROOT / "docs" / "gallery"
ENTRIES = json.loads((GALLERY / "results.json").read_text(encoding="utf-8"))


@pytest.fixture
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    yield
    for name in ("gallery", "gallery_page", "fingerprints", "findings_table"):
        sys.modules.pop(name, None)


def test_every_experiment_has_an_entry_and_no_other_has():
    known = experiments()
    assert [entry["id"] for entry in ENTRIES] == list(known), "run: python scripts/gallery.py ID"
    for entry in ENTRIES:
        assert (entry["title"], entry["source"]) == (known[entry["id"]].title, known[entry["id"]].source)
        assert entry["findings"]


def test_the_gallery_is_of_this_code(scripts):
    """Every card was made by the experiment and the models as they are now."""
    import fingerprints

    known = experiments()
    stale = [e["id"] for e in ENTRIES if e["fingerprint"] != fingerprints.of_experiment(known[e["id"]])]
    stale += [e["id"] for e in ENTRIES if e.get("models") != fingerprints.of_models(known[e["id"]])]
    assert not stale, f"run: python scripts/gallery.py {' '.join(stale)}"


def test_enough_trials_for_the_limit():
    """A share with its interval can meet its limit when all of its trials succeed, or none: or the verdict is fixed."""
    fixed = []
    for entry in ENTRIES:
        states = {state.key: state for state in experiments()[entry["id"]].states}
        for found in entry["findings"]:
            successes, of, trials = found["counted"].partition(" of ")
            if not entry["quick"] and of and successes.isdigit() and states[found["key"]].limit:
                ends = (Rate(int(trials), int(trials)), Rate(0, int(trials)))
                if not any(states[found["key"]].limit.holds(rate.value, rate.interval) for rate in ends):
                    fixed.append((entry["id"], found["key"], found["counted"]))
    assert not fixed


def test_a_card_knows_its_models(scripts):
    """Those of the roach are the roach's; who stands does not know of who walks, who walks does; data count."""
    import fingerprints

    known = experiments()
    modules = lambda id: {name.removeprefix("gambol.models.") for name in fingerprints.model_code(known[id])}
    assert {"roach.figure", "roach.world"} < modules("roach-tripod")
    assert not any(name.startswith("person") for name in modules("roach-tripod"))
    assert not any(name.endswith(("looks", "loft")) for name in modules("roach-tripod") | modules("person-stand"))
    assert {"person.postures"} < modules("person-stand") and "person.walking" not in modules("person-stand")
    assert "person.walking" in modules("gait-rigid")
    assert "gambol.hybrid.models.compliant_hexapod.field" in modules("hexapod-basin")
    data = lambda id: {path.name for path in fingerprints.data_of(fingerprints.model_code(known[id]))}
    assert "walk_rigid.json" in data("gait-rigid") and "walk_rigid.json" not in data("person-stand")
    assert "roach_joints.csv" in data("roach-tripod") and "roach_joints.csv" not in data("person-stand")
    assert fingerprints.of_models(known["roach-tripod"]) != fingerprints.of_models(known["person-stand"])


def test_models_that_change_make_a_card_stale(scripts):
    """Another number in a model is another fingerprint; another docstring is none."""
    import ast

    import fingerprints

    one, two, three = (ast.parse(text) for text in ("x = 1", "x = 2", "x = 1  # said otherwise"))
    assert fingerprints.digest({"m": one}) != fingerprints.digest({"m": two})
    assert fingerprints.digest({"m": one}) == fingerprints.digest({"m": three})


def test_the_table_of_findings_is_of_these_cards(scripts):
    """docs/findings.md has every finding of every card, as it is now."""
    import findings_table

    text = findings_table.PAGE.read_text(encoding="utf-8")
    assert text == findings_table.page(ENTRIES), "run: python scripts/findings_table.py"
    rows = [
        line for line in text.splitlines() if line.startswith(("| finger-", "| *finger-", "| hexapod-", "| *hexapod-"))
    ]
    wanted = [f for e in ENTRIES if e["id"].startswith(("finger-", "hexapod-")) for f in e["findings"]]
    assert len(rows) == len(wanted) and all(line.count(" | ") == 6 for line in rows)


def test_verdicts_follow_from_what_is_declared():
    """Statement by statement: the same limit, and the verdict that it gives of the value that was kept."""
    for entry in ENTRIES:
        experiment = experiments()[entry["id"]]
        wanted = {s.key for s in experiment.states if not (s.full and entry["quick"])}
        assert {f["key"] for f in entry["findings"]} == wanted
        for kept in entry["findings"]:
            stated = experiment.statement(kept["key"])
            assert kept["limit"] == (str(stated.limit) if stated.limit else None)
            assert (kept["kind"], kept["statement"]) == (stated.kind, stated.statement)
            value = float(kept["ours"]) if kept["ours"] in ("inf", "nan", "-inf") else kept["ours"]
            again = Finding(experiment.id, experiment.source, stated, value, interval=kept["interval"])
            assert again.verdict == kept["verdict"], kept
            assert kept["verdict"] != "differs" or kept["reason"]


def test_every_entry_has_a_small_picture_with_something_in_it():
    files = {path.name for path in GALLERY.glob("*.webp")}
    assert files == {entry["picture"] for entry in ENTRIES}
    assert sum((GALLERY / name).stat().st_size for name in files) < 3_000_000
    for name in files:
        assert (GALLERY / name).stat().st_size <= 40_000, name
        shown = np.asarray(Image.open(GALLERY / name).convert("L"), float)
        assert max(shown.shape) >= 400 and shown.std() > 5.0, name


def test_cards_show_every_experiment(scripts):
    import gallery_page

    page = gallery_page.cards()
    for family in FAMILIES:
        assert gallery_page.FAMILY_TITLES[family] in page
    for entry in ENTRIES:
        assert f"gallery/{entry['picture']}" in page and f"{{ #{entry['id']} }}" in page
    differing = [f for e in ENTRIES for f in e["findings"] if f["verdict"] == "differs"]
    told = gallery_page.differing({entry["id"]: entry for entry in ENTRIES})
    printed = [f for f in differing if f["kind"] in ("printed", "derived")]
    assert f"{len(printed)} statements" in told and told in page
    assert all(gallery_page.cell(f["reason"]) in told for f in printed)
    missing = gallery_page.card(experiments()["finger-taps"], None)
    assert "Not run yet: `gambol reproduce finger-taps`" in missing


def row(id, value):
    """A row of the results file."""
    stated = printed("s", "s", "p. 1", at_most(2.0, "so"), value=1.0)
    return Finding(id, "S", stated, value).as_row()


def test_a_table_keeps_its_columns(scripts):
    import gallery_page

    finding = row("finger-taps", 1.23456789) | {"statement": "a|b *c*", "unit": "m", "reason": "x_y"}
    rows = gallery_page.table([finding]).splitlines()
    assert rows[-1].count("|") == 6 and "≤ 2 m" in rows[-1] and "1.235 m" in rows[-1] and "*" not in rows[-1]


def test_collecting_takes_the_new_and_keeps_the_old(scripts, tmp_path):
    import gallery

    old, new, target = tmp_path / "old", tmp_path / "new", tmp_path / "gallery"
    target.mkdir()
    for folder, id, value in ((old, "finger-taps", 1.0), (old, "finger-linear", 2.0), (new, "finger-taps", 3.14159265)):
        file = folder / id / "results.json"
        file.parent.mkdir(parents=True)
        Image.fromarray(np.random.default_rng(0).integers(0, 255, (900, 1600, 3), np.uint8)).save(file.parent / "a.png")
        file.write_text(json.dumps([row(id, value) | {"pictures": ["a.png"]}]))
    assert gallery.collect([old], target) == ["finger-linear", "finger-taps"]
    assert gallery.collect([new], target) == ["finger-taps"]
    found = {entry["id"]: entry["findings"][0]["ours"] for entry in gallery.read(target)}
    assert found == {"finger-linear": 2.0, "finger-taps": 3.14159}
    assert Image.open(target / "finger-taps.webp").size == (640, 360)
    assert (target / "finger-taps.webp").stat().st_size < 120_000  # noise is the worst there is


def test_collecting_drops_what_is_not_an_experiment(scripts, tmp_path):
    import gallery

    file = tmp_path / "results.json"
    file.write_text(json.dumps([row("finger-nothing", 1)]))
    target = tmp_path / "gallery"
    target.mkdir()
    assert gallery.collect([tmp_path], target) == [] and gallery.read(target) == []

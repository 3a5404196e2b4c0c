"""Manners that every command has: a wrong name is 2, Ctrl-C is 130, what people write is never markup."""

import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from gambol import Joint, Recorder, Simulation, World, chain
from gambol.cli.app import app

PENDULUM = """\
gambol: figure/1
name: "{name}"
bodies:
  - name: rod
    joint: {{type: hinge, axis: [0, 1, 0]}}
    parts:
      - capsule: {{radius: 0.02, length: 1.0}}
"""
MARKUP = "[red]x[/] :smile:"


@pytest.fixture
def gambol(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "p.yaml").write_text(PENDULUM.format(name="p"))
    (tmp_path / "p.foo").write_text("")
    (tmp_path / "script.corpus").write_text("quit\n")
    (tmp_path / "things.py").write_text("def product(a):\n    return a\n")
    return lambda *arguments: CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def recording(tmp_path):
    sim = Simulation(World(chain(2, Joint("hinge", (0, 1, 0)))))
    with Recorder(sim, tmp_path / "p.gambol", every=0.1) as recorder:
        recorder.run(0.3)


WRONG_NAMES = [
    ("nonsense",),
    ("demo", "mouse"),
    ("check", "p.foo"),
    ("run", "p.foo"),
    ("run", "p.yaml", "--set", "rodd=1"),
    ("run", "p.yaml", "--method", "rk5"),
    ("reproduce", "finger-tops"),
    ("sweep", "finger-tops", "--grid", "a=1"),
    ("sweep", "things.py:produkt", "--grid", "a=1"),
    ("sweep", "nothing.at.all:product", "--grid", "a=1"),
    ("sweep", "things.py:product", "--grid", "b=1"),
    ("sweep", "things.py:product", "--sample", "a=0:1", "--scheme", "lattin"),
    ("optimise", "things.py:produkt", "--parameter", "a=0:1"),
    ("sensitivity", "things.py:product", "--parameter", "b=0:1"),
    ("export", "p.gambol", "p.foo"),
    ("export", "p.gambol", "p.csv", "--channel", "qq"),
    ("plot", "p.gambol", "jonts"),
    ("plot", "p.gambol", "--out", "p.foo"),
    ("plot", "p.gambol", "--joint", "nobody"),
    ("plot", "p.gambol", "return", "--event", "landing", "--coordinate", "chain_0"),
    ("simsect", "--model", "hexpod"),
    ("simsect", "--symbols", "--model", "hexpod"),
    ("bench", "aba-hexpod"),
    ("view", "acrobt"),
    ("view", "nothing.here"),
    ("view", "acrobat", "--out", "a.foo"),
    ("view", "acrobat", "--out", "a.png", "--layout", "x"),
]


@pytest.mark.parametrize("arguments", WRONG_NAMES, ids=" ".join)
def test_a_wrong_name_is_wrong_usage(gambol, recording, arguments):
    found = gambol(*arguments)
    assert found.exit_code == 2 and "Traceback" not in found.output, found.output


BAD_INPUT = [
    ("check", "none.yaml"),
    ("run", "none.yaml"),
    ("export", "none.gambol", "a.bvh"),
    ("plot", "none.gambol"),
    ("simsect", "-c", "none.rc"),
    ("corpus", "none.corpus"),
    ("view", "none.gambol"),
    ("view", "none.yaml", "--out", "a.png"),
]


@pytest.mark.parametrize("arguments", BAD_INPUT, ids=" ".join)
def test_a_file_that_is_not_there_is_bad_input(gambol, arguments):
    found = gambol(*arguments)
    assert found.exit_code == 1 and "none" in found.output and "Traceback" not in found.output, found.output


INTERRUPTED = [
    ("gambol.models.roach.roach", ("demo",)),
    ("gambol.cli.demo_acrobat.hang", ("demo", "acrobat")),
    ("gambol.cli.check.read", ("check", "p.yaml")),
    ("gambol.record.recorder.Recorder.run", ("run", "p.yaml")),
    ("gambol.experiments.registry.Experiment.perform", ("reproduce", "finger-taps")),
    ("gambol.study.runner.perform", ("sweep", "things.py:product", "--grid", "a=1,2")),
    ("gambol.study.search.perform", ("optimise", "things.py:product", "--parameter", "a=1:2")),
    ("gambol.cli.export.read_source", ("export", "p.yaml", "p.xml")),
    ("gambol.cli.plot.draw", ("plot", "p.gambol")),
    ("gambol.cli.info.facts", ("info",)),
    ("gambol.hybrid.simsect.configuration.read_configuration", ("simsect",)),
    ("gambol.bench.cases._one_world", ("bench", "aba-chain-2")),
    ("gambol.corpus.interpreter.Interpreter.run_file", ("corpus", "script.corpus")),
    ("gambol.cli.view.source_of", ("view", "acrobat", "--port", "0")),
    ("gambol.cli.view.motion_of", ("view", "p.yaml", "--out", "p.png")),
]


@pytest.mark.parametrize("where, arguments", INTERRUPTED, ids=lambda x: " ".join(x) if isinstance(x, tuple) else "")
def test_ctrl_c_is_130(gambol, recording, monkeypatch, where, arguments):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    gambol("--help")  # the commands are loaded
    monkeypatch.setattr(where, interrupt)
    found = gambol(*arguments)
    assert found.exit_code == 130 and "interrupted" in found.stderr and "Traceback" not in found.output, found.output


DEAF = """
from gambol.cli import ctrl_c
from gambol.jit import cache
import hashlib, os, signal, sys, threading
compiling = sys.argv[1] == "compiling"
ctrl_c.watch()
if compiling:
    cache.under_way.append(1)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**8 if compiling else 3 * 10**6)  # hears nothing meanwhile
    signal.pause()
except KeyboardInterrupt:
    print("heard")
"""


@pytest.mark.parametrize(("doing", "code"), [("compiling", 130), ("something else", 0)])
def test_a_compiler_that_does_not_hear_ctrl_c_ends_with_its_process(doing, code):
    """Whatever else takes a while is left in peace: it may have something to keep."""
    run = subprocess.run([sys.executable, "-c", DEAF, doing], capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == code, run.stderr
    assert ("interrupted while compiling" in run.stderr) == (code == 130) and (run.stdout == "heard\n") == (code == 0)


def test_names_of_a_file_are_printed_as_they_are(gambol, tmp_path):
    (tmp_path / "m.yaml").write_text(PENDULUM.format(name=MARKUP).replace("name: rod", f'name: "{MARKUP}"'))
    checked = gambol("check", "m.yaml")
    assert checked.exit_code == 0 and f"{MARKUP} is sound" in checked.stdout and f"root: {MARKUP}" in checked.stdout
    ran = gambol("run", "m.yaml", "--time", 0.1, "--out", "o")
    assert ran.exit_code == 0 and f"{MARKUP}: 0.1 s simulated" in ran.stdout, ran.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("demo", MARKUP),
        ("check", f"{MARKUP}.yaml"),
        ("check", f"p.{MARKUP}"),
        ("run", "p.yaml", "--set", f"{MARKUP}=1"),
        ("reproduce", MARKUP),
        ("sweep", f"things.py:{MARKUP}", "--grid", "a=1"),
        ("plot", "p.yaml", MARKUP),
        ("view", MARKUP),
        ("bench", MARKUP),
        ("simsect", "--model", MARKUP),
    ],
    ids=lambda a: a[0],
)
def test_what_was_typed_is_printed_as_it_is(gambol, arguments):
    found = gambol(*arguments)
    assert found.exit_code in (1, 2) and MARKUP.rstrip(":") in found.output, found.output


def test_messages_of_an_experiment_are_printed_as_they_are(gambol, monkeypatch):
    from gambol.experiments import registry
    from gambol.experiments.findings import ours

    def odd(desk):
        yield desk.found("odd", 1.0, note=f"notes {MARKUP}")
        raise ValueError(MARKUP)

    made = registry.Experiment("limbs-x", "S", MARKUP, odd, [ours("odd", f"says {MARKUP}")])
    monkeypatch.setitem(registry._experiments, "limbs-x", made)
    found = gambol("reproduce", "limbs-x")
    assert (
        found.exit_code == 1
        and f"says {MARKUP}" in found.stdout
        and f"notes {MARKUP}" in found.stdout
        and f"ValueError: {MARKUP}" in found.stderr
    )


@pytest.mark.parametrize("command", ("run", "view", "export", "follow"))
def test_help_keeps_the_units(gambol, command):
    """Square brackets are markup to rich unless they are escaped."""
    from typer.main import get_command

    texts = [option.help or "" for option in get_command(app).commands[command].params]
    units = {unit for text in texts for unit in re.findall(r"\[[a-z][^]]*\]", text.replace("\\", ""))}
    shown = " ".join(gambol(command, "--help").output.replace("│", " ").split())
    assert units and all(unit in shown for unit in units), units

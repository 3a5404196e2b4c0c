"""The disk cache: damaged files are replaced, others are waited for, failures let go, words are said."""

import os
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from numba import njit

from gambol.jit import JIT_ON, entry, function, machine, outlined, pipeline

pytestmark = pytest.mark.skipif(not JIT_ON, reason="nothing is compiled")

SCRIPT = """
from gambol.jit import entry, function

@function
def square(x):
    return x * x

@entry(seconds={seconds})
def energy(v):
    return 0.5 * square(v)

print(energy(3.0), energy.stats.cache_hits.__len__())
"""


@pytest.fixture
def script(tmp_path):
    """Runs the script in a process of its own with a cache of its own."""

    def run(seconds=5.0, **more):
        (tmp_path / "energy.py").write_text(SCRIPT.format(seconds=seconds))
        return subprocess.Popen(
            [sys.executable, "energy.py"],
            cwd=tmp_path,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )

    return run


SHIPPED = """
import sys
from pathlib import Path
from gambol.jit import cache
cache.SHIPPED = Path("shipped")
"""


def test_code_that_came_with_the_package_is_run(tmp_path):
    """Made for a level, in another process: nothing is compiled or written, and it gives the same bits."""
    ours = machine.level()
    if not ours:
        pytest.skip("this processor has no level that packages are made for")
    (tmp_path / "energy.py").write_text(SHIPPED + SCRIPT.format(seconds=5.0))

    def run(cache, **more):
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / cache)} | more
        command = [sys.executable, "energy.py"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        return done.stdout, done.stderr

    made = run("built", NUMBA_CPU_NAME="x86-64-v2", NUMBA_CPU_FEATURES="")[0]
    folder = tmp_path / "shipped" / "x86-64-v2"
    folder.mkdir(parents=True)
    for path in (tmp_path / "built").rglob("*.nb[ci]"):
        shutil.copy(path, folder)
    out, err = run("own")
    assert out.split()[0] == made.split()[0] and err == ""
    assert not list((tmp_path / "own").rglob("*.nb[ci]"))
    (tmp_path / "energy.py").write_text(SHIPPED + SCRIPT.format(seconds=6.0))  # edited: it is compiled
    assert "compiling" in run("own")[1]


FAMILY = """
import sys
from gambol.jit import entry

def member(k):
    def power(x):
        return x**k
    return entry(power, recipe=str(k))

print([member(int(k))(3.0) for k in sys.argv[1:]])
"""


def test_siblings_compiled_by_different_processes_meet(tmp_path):
    """Each compiled first in a process of its own, both loaded in a third: neither is taken for the other."""
    (tmp_path / "family.py").write_text(FAMILY)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for wanted, powers in (("[9.0]", "2"), ("[27.0]", "3"), ("[9.0, 27.0]", "2 3")):
        command = [sys.executable, "family.py", *powers.split()]
        out = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout
        assert out.strip() == wanted


def files(tmp_path, suffix):
    return [path for path in (tmp_path / "cache").rglob(f"*{suffix}")]


def done(process):
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out, err


DAMAGE = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "noise": lambda data: bytes(np.random.default_rng(1).integers(0, 256, len(data), dtype=np.uint8)),
    "a bit changed": lambda data: data[:-200] + bytes([data[-200] ^ 16]) + data[-199:],
}


def test_damaged_files_are_replaced(script, tmp_path):
    out, err = done(script())
    assert out.startswith("4.5 0") and "compiling energy for float64 (once on this machine; about 5 s)" in err
    assert done(script())[0].startswith("4.5 1")
    for suffix in (".nbi", ".nbc"):
        for damage in DAMAGE.values():
            for path in files(tmp_path, suffix):
                path.write_bytes(damage(path.read_bytes() or b"nothing" * 100))
            out, err = done(script())
            assert out.startswith("4.5") and "Traceback" not in err
            again, err = done(script())
            assert again.startswith("4.5 1") and "compiling" not in err


TWO = """
import sys
import numpy as np
from gambol.jit import entry

@entry(seconds=0.1)
def first(a):
    return a[0] + 1.0

@entry(seconds=0.1)
def other(a):
    return a[1] * 5.0

kinds = {"f8": np.array([1.0, 2.0]), "c8": np.array([1 + 2j, 3j])}
print([complex(f(kinds[kind])) for f in (first, other) for kind in sys.argv[1:]])
"""


def test_code_of_another_signature_or_function_is_never_run(tmp_path):
    """Files in each other's place, all of them sound: what a killed process or a careless copy leaves."""
    (tmp_path / "two.py").write_text(TWO)

    def run(*kinds):
        command = [sys.executable, "two.py", *kinds]
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        return done(
            subprocess.Popen(
                command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        )[0]

    wanted = run("f8", "c8")
    for suffix in (".nbc", ".nbi"):
        found = sorted(files(tmp_path, suffix))
        assert len(found) == (4 if suffix == ".nbc" else 2)
        contents = [path.read_bytes() for path in found]
        for path, content in zip(found, contents[1:] + contents[:1]):
            path.write_bytes(content)
        assert run("f8", "c8") == wanted
    for path in files(tmp_path, ".nbc"):
        path.unlink()
    assert run("f8", "c8") == wanted and len(files(tmp_path, ".nbc")) == 4


def test_a_process_killed_while_it_keeps_code_harms_nobody(tmp_path):
    """Other sources, then killed before the index: the code of before is there, and is not run."""
    (tmp_path / "two.py").write_text(TWO)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run(text):
        command = [sys.executable, "-c", text, "f8"]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert run("import two").stdout == "[(2+0j), (10+0j)]\n"
    (tmp_path / "two.py").write_text(TWO.replace("* 5.0", "* 7.0"))
    kill = "from gambol.jit.cache import _CacheFile as C; import os; C._save_index = lambda *_: os._exit(9); import two"
    assert run(kill).returncode == 9
    assert run("import two").stdout == "[(2+0j), (14+0j)]\n"
    assert len(files(tmp_path, ".nbc")) == 2


def test_times_are_remembered_and_short_ones_not_told(script, tmp_path):
    assert "compiled energy for float64 in" in done(script())[1]
    (times,) = files(tmp_path, ".seconds.json")
    times.write_text('{"energy for float64": 12.0}')
    for path in files(tmp_path, ".nbi"):
        path.unlink()
    assert "it took 12 s last time" in done(script())[1]
    for path in files(tmp_path, "energy*"):
        path.unlink()
    assert done(script(seconds=0.5))[1] == ""


def test_another_process_is_waited_for_by_name(script, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    done(script())
    (lock,) = files(tmp_path, ".lock")
    for path in files(tmp_path, ".nbi"):
        path.unlink()
    with open(lock, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(f"4711 {time.time() - 30}")
        file.flush()
        waiting = script()
        line = waiting.stderr.readline()
        assert "waiting for process 4711 (at it for 3" in line and "compiling energy for float64" in line
        fcntl.flock(file, fcntl.LOCK_UN)
    assert done(waiting)[0].startswith("4.5")


def test_code_of_a_source_that_was_edited_since_is_not_kept(tmp_path):
    """What runs is no longer what the file says, so nothing of it may be found under what it says now."""
    edit = "import time; time.sleep(0.05); open(__file__, 'a').write('# edited\\n')\n"
    (tmp_path / "energy.py").write_text(SCRIPT.format(seconds=5.0).replace("print(", edit + "print("))
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "energy.py"]
    out = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout
    assert out.startswith("4.5 0") and not files(tmp_path, ".nbc")


def test_a_failed_compilation_lets_go():
    @entry(recipe="fails")
    def fails(x):
        return x.there_is_no_such_thing

    for _ in range(2):
        with pytest.raises(Exception, match="there_is_no_such_thing"):
            fails(1.0)
    assert not pipeline.on_failure and not pipeline.on_function


def test_an_entry_cannot_be_called_by_name():
    @entry(recipe="inner")
    def inner(x):
        return x + 1.0

    @entry(recipe="outer")
    def outer(x):
        return inner(x)

    with pytest.raises(Exception, match="cannot be called by name from jitted code"):
        outer(1.0)
    assert inner(1.0) == 2.0


def test_plain_njit_may_call_functions_of_ours():
    @function
    def square(x):
        return x * x

    @outlined
    def energy(mass, x):
        return 0.5 * mass * square(x)

    @njit
    def plain(x):
        return energy(2.0, x) + square(x)

    assert plain(3.0) == 18.0

"""How long a new process takes to import Gambol, and to its first step: code cached, compiled, or from a wheel."""

import math
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from gambol import GambolError
from gambol.bench.gambol_contender import BENCH_STEP
from gambol.bench.peers import HOW_TO_INSTALL, PEER_PACKAGES, missing
from gambol.bench.result import Floor, Result
from gambol.export import mjcf_text
from gambol.models import hexapod30

IMPORT_CEILING, FIRST_STEP_CEILING = 0.35, 0.6  # [s] the latter from the first import to the first step
COLD_CEILING, WHEEL_CEILING = 20.0, 1.0  # [s]
BYTECODE_IS_KEPT = {"PYTHONDONTWRITEBYTECODE": ""}  # as wherever a package was installed
IMPORT_CODE = {
    "Gambol": "from gambol import Simulation, World",
    "MuJoCo": "import mujoco",
    "Pinocchio": "import pinocchio",
}
FIRST_STEP_CODE = {
    "Gambol": (
        "from gambol import Simulation, Stepping, World\n"
        "from gambol.models import hexapod30\n"
        f"stepping = Stepping(method='semi-implicit-euler', step={BENCH_STEP})\n"
        f"Simulation(World(hexapod30()), stepping=stepping, ledger=False).run({BENCH_STEP})\n"
    ),
    "MuJoCo": (
        "import mujoco, sys\n"
        "model = mujoco.MjModel.from_xml_path(sys.argv[1])\n"
        "mujoco.mj_step(model, mujoco.MjData(model))\n"
    ),
}


def measure(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """Two results; each process is started afresh, in turns, the best counts."""
    absent = missing()
    note = (f"{' and '.join(absent)} not installed: {HOW_TO_INSTALL}",) if absent else ()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "hexapod.xml"
        file.write_text(mjcf_text(hexapod30(), step=BENCH_STEP, bare=True))
        imports = _best({n: c for n, c in IMPORT_CODE.items() if n not in absent}, file, rounds, progress)
        steps = _best({n: c for n, c in FIRST_STEP_CODE.items() if n not in absent}, file, rounds, progress)
    return [
        Result.of_times(
            "startup", "import", "s", imports.pop("Gambol"), imports, Floor("ours", IMPORT_CEILING), notes=note
        ),
        Result.of_times(
            "startup",
            "from the first import to the first step of a hexapod, code cached",
            "s",
            steps.pop("Gambol"),
            steps,
            Floor("ours", FIRST_STEP_CEILING),
            notes=note if "MuJoCo" in absent else (),
        ),
    ]


def measure_cold(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """The first step of one world with an empty cache: the best of two processes."""
    found = []
    for _ in range(min(rounds, 2)):
        with tempfile.TemporaryDirectory() as folder:
            found.append(_process("Gambol", FIRST_STEP_CODE["Gambol"], Path(), NUMBA_CACHE_DIR=folder))
        progress()
    metric = "from the first import to the first step of a hexapod, everything compiled"
    return [Result.of_times("startup-cold", metric, "s", min(found), {}, Floor("ours", COLD_CEILING))]


def measure_wheel(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """The first step after installing the newest wheel of dist/ with machine code, into an empty folder."""
    wheels = sorted(Path("dist").glob("gambol-*-cp*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        note = "there is no wheel with machine code in dist/: scripts/wheel builds one"
        return [Result("startup-wheel", "not measured", "s", math.nan, {}, None, notes=(note,))]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheels[-1]).extractall(folder)
        for k in range(min(rounds, 5)):
            own = {"NUMBA_CACHE_DIR": f"{folder}/cache{k}", "PYTHONPATH": folder}
            found.append(_process("Gambol", FIRST_STEP_CODE["Gambol"], Path(), **own))
            if list(Path(folder).glob("cache*/**/*.nbc")):
                raise GambolError("startup-wheel: something was compiled; the wheel is for another machine or version")
            progress()
    metric = f"from the first import to the first step of a hexapod, {wheels[-1].name}, empty cache"
    return [Result.of_times("startup-wheel", metric, "s", min(found[1:] or found), {}, Floor("ours", WHEEL_CEILING))]


def _best(codes: dict[str, str], file: Path, rounds: int, progress: Callable[[], None]) -> dict[str, float]:
    best = dict.fromkeys(codes, float("inf"))
    for name, code in codes.items():
        _process(name, code, file)  # fills the caches
    for _ in range(min(rounds, 5)):
        for name, code in codes.items():
            best[name] = min(best[name], _process(name, code, file))
        progress()
    return best


def _process(name: str, code: str, file: Path, **own: str) -> float:
    script = f"import time\nstart = time.perf_counter()\n{code}\nprint(time.perf_counter() - start)"
    search = os.pathsep.join(p for p in sys.path if p)
    run = subprocess.run(
        [sys.executable, "-c", script, str(file)],
        capture_output=True,
        text=True,
        env={**os.environ, **BYTECODE_IS_KEPT, "PYTHONPATH": search, **own},
        check=False,
    )
    if run.returncode:
        raise GambolError(
            f"a new process could not run {PEER_PACKAGES.get(name, 'gambol')}: {run.stderr.strip()[-500:]}"
        )
    return float(run.stdout.strip().splitlines()[-1])

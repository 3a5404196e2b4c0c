"""What is the same to the bit, and what to a tolerance: the table of docs/reliability.md, row by row."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gambol import Joint, Simulation, StepError, World, chain

ARM = chain(2, Joint("hinge", (0, 1, 0), damping=0.001), length=0.4, radius=0.03)
STARTS = np.random.default_rng(3).uniform(-1.0, 1.0, (16, 2))


def run(**options):
    sim = Simulation(World(ARM), **options)
    sim.reset(q=STARTS if sim.worlds > 1 else STARTS[0])
    return sim, sim.run(0.5, every=0.05)


@pytest.fixture(scope="module")
def batch():
    return run(worlds=16)


def bits(path):
    return path.q.tobytes() + path.v.tobytes()


def test_same_process(batch):
    assert bits(run(worlds=16)[1]) == bits(batch[1])


def test_other_processes():
    """Two that load the compiled code; the process that compiles it may have other last bits."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_determinism as t; import zlib; "
    )
    code += "print(zlib.crc32(t.bits(t.run(worlds=16)[1])))"
    made = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(2)]
    assert made[0].stdout.split()[-1] == made[1].stdout.split()[-1]


def test_number_of_threads(batch):
    assert bits(run(worlds=16, threads=2)[1]) == bits(batch[1]) == bits(run(worlds=16, threads=3)[1])


def test_a_batch_against_single_worlds(batch):
    """Packs and single numbers are compiled apart: the same to a few roundings, not to the bit."""
    for k in (0, 7, 15):
        sim = Simulation(World(ARM))
        sim.reset(q=STARTS[k])
        np.testing.assert_allclose(sim.run(0.5, every=0.05).q, batch[1].q[:, k], rtol=1e-7, atol=1e-9)


def test_company_does_not_matter(batch):
    """A world of a batch is the same to the bit whoever is beside it."""
    sim = Simulation(World(ARM), worlds=16)
    sim.reset(q=STARTS[::-1])
    assert sim.run(0.5, every=0.05).q[:, ::-1].tobytes() == batch[1].q.tobytes()


def test_one_run_in_parts():
    times = 0.05 * np.arange(1, 11)
    whole, parts = (Simulation(World(ARM)) for _ in range(2))
    whole.reset(q=STARTS[0])
    parts.reset(q=STARTS[0])
    path = whole.run(times=times)
    pieces = [parts.run(times=times[part]) for part in (slice(0, 1), slice(1, 4), slice(4, 10))]
    assert np.concatenate([piece.q for piece in pieces]).tobytes() == path.q.tobytes()
    saved = whole.save()
    whole.run(0.1)
    after = whole.q.tobytes()
    whole.restore(saved)
    whole.run(0.1)
    assert whole.q.tobytes() == after


def test_float32_is_near():
    np.testing.assert_allclose(run(dtype=np.float32)[1].q, run()[1].q, atol=2e-3)


def test_a_world_alone_in_float32_is_the_one_in_company():
    many = Simulation(World(ARM), worlds=16, dtype=np.float32)
    many.reset(q=STARTS)
    paths = many.run(0.5, every=0.05)
    for world in (0, 9):
        alone = Simulation(World(ARM), dtype=np.float32, ledger=False)
        alone.reset(q=STARTS[world])
        assert alone.run(0.5, every=0.05).q.tobytes() == paths.q[:, world].tobytes()


@pytest.mark.parametrize("what", ("huge command", "command", "position", "speed"))
def test_one_world_that_breaks_harms_no_other(batch, what):
    """One that runs away, and ones that hold a NaN, which no assignment would let in: the run says which."""
    sim = Simulation(World(ARM), worlds=16)
    sim.reset(q=STARTS)
    cells = {"position": sim.memory.positions, "speed": sim.memory.speeds}.get(what, sim.memory.commands)
    values = np.array(sim.memory.read(cells))
    values[5] = 1e300 if what == "huge command" else np.nan
    sim.memory.write(cells, values, what)
    with pytest.raises(StepError, match=r"world 5"):
        sim.run(0.5, every=0.05)
    others = np.delete(np.arange(16), 5)
    while np.min(sim.time[others]) < 0.5:
        with pytest.raises(StepError, match=r"world 5"):
            sim.run(until=0.5)
    np.testing.assert_allclose(sim.q[others], batch[1].q[-1][others], rtol=1e-7, atol=1e-7)


def test_after_a_failure(batch):
    sim = Simulation(World(ARM), worlds=16)
    sim.reset(q=STARTS)
    command = np.zeros((16, 2))
    command[5] = 1e300
    sim.command = command
    with pytest.raises(StepError):
        sim.run(0.5)
    sim.reset(q=STARTS)
    assert bits(sim.run(0.5, every=0.05)) == bits(batch[1])

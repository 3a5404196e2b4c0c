"""Several threads march what one does, to the bit, whoever asks for them and whatever comes in between."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gambol import Simulation, Stepping, World, chain
from gambol.jit import JIT_ON
from gambol.stepping import threads as crews

STEPPING = Stepping(method="semi-implicit-euler", step=1e-3)


def swinging(threads: int, *, dtype=np.float64, worlds: int = 40) -> Simulation:
    """Double pendulums, each from another pose."""
    sim = Simulation(World(chain(2)), worlds=worlds, dtype=dtype, stepping=STEPPING, threads=threads)
    sim.q = np.random.default_rng(3).uniform(-2.0, 2.0, sim.q.shape)
    return sim


def moved(threads: int, seconds: float = 0.02, **known) -> np.ndarray:
    sim = swinging(threads, **known)
    sim.run(seconds)
    return sim.q


@pytest.mark.nojit
@pytest.mark.parametrize("threads", [2, 7])
def test_the_same_bits_as_one_thread(threads):
    known = {} if JIT_ON else {"seconds": 2e-3, "worlds": 3}
    assert np.array_equal(moved(threads, **known), moved(1, **known))


def test_the_same_bits_in_float32():
    assert np.array_equal(moved(3, dtype=np.float32), moved(1, dtype=np.float32))


def test_threads_that_wait_in_python_march_the_same(monkeypatch):
    crew = crews.CrewOfPython(2)
    monkeypatch.setattr(crews, "_crew", lambda threads: crew)
    assert np.array_equal(moved(3), moved(1))


def test_more_threads_than_worlds():
    assert np.array_equal(moved(9, worlds=2), moved(1, worlds=2))


def test_several_callers_share_a_crew():
    alone = moved(1)
    with ThreadPoolExecutor(4) as callers:
        together = list(callers.map(lambda _: moved(3), range(12)))
    assert all(np.array_equal(q, alone) for q in together)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_has_a_crew_of_its_own():
    alone = moved(3)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(moved(3), alone) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert np.array_equal(moved(3), alone)


def test_ctrl_c_leaves_nothing_marching():
    sim = swinging(3, worlds=256)
    sim.run(1e-3)
    killer = threading.Timer(0.3, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    killer.start()
    with pytest.raises(KeyboardInterrupt):
        sim.run(1e5)
    killer.join()
    stopped = sim.q
    time.sleep(0.05)
    assert np.array_equal(sim.q, stopped)
    sim.run(1e-3)
    assert not np.array_equal(sim.q, stopped)

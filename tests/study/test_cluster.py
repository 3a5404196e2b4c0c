"""Sweeps on a real cluster of Ray with several nodes, one of which is lost (extra `cluster`; else skipped)."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import yaml

from gambol import StudyError
from gambol.study import grid, optimise, read_table, sweep

CODE = """
import collections, itertools, os, time
def slow(a):
    with open(f"began-{a}", "a") as stream:
        stream.write("x")
    time.sleep(0.2)
    return {"twice": 2 * a}
def picky(a):
    if a == 1:
        raise ValueError("not one")
    if a == 2:
        os._exit(3)
    if a == 3:
        time.sleep(60)
    if a == 5:
        collections.deque(itertools.count(), maxlen=0)  # compiled code that never looks for signals
    return a
def bowl(x, y):
    return (x - 0.3) ** 2 + (y + 0.1) ** 2
def place(a):
    import ray
    return {"gpus": len(ray.get_gpu_ids()), "a": a}
"""

HEALTH = {  # of Ray: a node is dead after three unanswered calls. Ray's own 3 s and five keep its jobs for 15 s
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 3000,
    "health_check_failure_threshold": 3,
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    ray = pytest.importorskip("ray", reason="pip install 'gambol[cluster]'")
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "include_dashboard": False, "_system_config": HEALTH}
    made = Cluster(initialize_head=True, head_node_args=head)
    nodes = [made.add_node(num_cpus=1, num_gpus=2 * k) for k in (1, 0)]  # that it says it has
    ray.init(address=made.address, log_to_driver=False, logging_level="error")
    yield made, nodes
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "things.py").write_text(CODE)
    return tmp_path


def test_failures_and_limits_are_rows(cluster, code):
    target = str(code / "things.py") + ":picky"
    table = sweep(target, grid(a=range(6)), "o", on="ray", limit=1.0).sort_values("a")
    assert table["outcome"].tolist() == ["ok", "failed", "failed", "failed", "ok", "failed"]
    words = table["message"].tolist()
    assert "not one" in words[1] and "died" in words[2] and "longer than the limit" in words[3] and "died" in words[5]


def test_a_search_on_a_cluster_is_the_one_on_processes(cluster, code):
    box, target = {"x": (-1.0, 1.0), "y": (-1.0, 1.0)}, str(code / "things.py") + ":bowl"
    here, there = (optimise(target, box, on, budget=12, workers=1, on=on) for on in ("processes", "ray"))
    assert there.evaluations == here.evaluations and there.point == here.point
    goes_on = optimise(target, box, "ray", budget=18, workers=1)
    assert goes_on.evaluations[:12] == here.evaluations and len(goes_on.table) == 18


def test_a_lost_node_loses_nothing(cluster, code):
    made, nodes = cluster
    lost = nodes.pop()
    target = str(code / "things.py") + ":slow"
    source = (code / "things.py").read_text().replace('f"began-', f'"{code}/began-" + f"').replace("0.2", "0.6")
    (code / "things.py").write_text(source)
    began = time.monotonic()

    def lose():
        while len(list(code.glob("began-*"))) < 6:
            time.sleep(0.05)
            assert time.monotonic() - began < 60
        made.remove_node(lost, allow_graceful=False)

    thread = threading.Thread(target=lose)
    thread.start()
    table = sweep(target, grid(a=range(20)), "o", on="ray")  # a point a job: what the node has in hand is one
    thread.join()
    assert sorted(table["a"]) == list(range(20)) and (table["outcome"] == "ok").all()
    twice = [path.name for path in code.glob("began-*") if path.read_text() != "x"]
    assert 20 == len(list(code.glob("began-*"))) and len(twice) <= 2, twice  # only what the node had in hand
    assert len(read_table("o")) == 20
    assert (sweep(target, grid(a=range(20)), "o", on="processes", workers=1)["outcome"] == "ok").all()


def test_jobs_that_want_a_gpu_run_where_there_are_some(cluster, code):
    target = str(code / "things.py") + ":place"
    assert sweep(target, grid(a=range(6)), "o", on="ray", gpus=1)["gpus"].tolist() == [1] * 6
    assert sweep(target, grid(a=range(3)), "p", on="ray")["gpus"].tolist() == [0] * 3


def test_the_file_for_a_cluster_in_a_cloud_is_what_ray_takes():
    pytest.importorskip("ray", reason="pip install 'gambol[cluster]'")
    from ray.autoscaler._private.util import prepare_config, validate_config

    page = (Path(__file__).parents[2] / "docs" / "sweeps.md").read_text()
    described = yaml.safe_load(page.partition("```yml")[2].partition("```")[0])
    validate_config(prepare_config(described))
    assert described["head_node_type"] in described["available_node_types"]


def test_there_is_no_such_place(code):
    with pytest.raises(StudyError, match="allowed: processes, ray or ray://HOST:PORT"):
        sweep("things.py:slow", grid(a=[1]), "p", on="slurm")


def test_workers_that_see_the_folder_write_their_own_files(cluster, code):
    target = str(code / "things.py") + ":slow"
    source = (code / "things.py").read_text().replace('f"began-', f'"{code}/began-" + f"').replace("0.2", "0.02")
    (code / "things.py").write_text(source)
    table = sweep(target, grid(a=range(20)), "o", on="ray")
    assert sorted(table["a"]) == list(range(20))
    shards = list((code / "o" / "shards").glob("*.jsonl"))
    lines = [line for shard in shards for line in shard.read_text().splitlines()]
    assert len(lines) == 20 and len((code / "o" / "journal.jsonl").read_text().splitlines()) == 1
    with shards[0].open("a") as stream:
        stream.write('{"point": {"a": 39}, "val')  # as a worker that is killed leaves it
    again = sweep(target, grid(a=range(24)), "o", workers=1)
    assert sorted(again["a"]) == list(range(24)) and again["a"].is_unique
    assert all(path.read_text() == "x" for path in code.glob("began-*"))


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="kills a group of processes")
def test_a_driver_that_is_killed_and_started_again_runs_nothing_twice(cluster, code):
    made, _ = cluster
    source = (code / "things.py").read_text().replace('f"began-', f'"{code}/began-" + f"')
    (code / "things.py").write_text(source)
    target = str(code / "things.py") + ":slow"
    run = f"sweep({target!r}, grid(a=range(40)), 'o', on='ray')"
    (code / "go.py").write_text(f"from gambol.study import *\nif __name__ == '__main__': {run}")
    env = {**os.environ, "RAY_ADDRESS": made.address}
    child = subprocess.Popen([sys.executable, "go.py"], env=env, start_new_session=True)
    until = time.monotonic() + 60
    shards = code / "o" / "shards"
    while sum(len(p.read_text().splitlines()) for p in shards.glob("*.jsonl")) < 6:
        assert child.poll() is None and time.monotonic() < until
        time.sleep(0.05)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    time.sleep(1.5)  # until the cluster has ended the workers of the one that is gone
    written = [json.loads(line)["point"]["a"] for p in shards.glob("*.jsonl") for line in whole_lines(p)]
    assert 6 <= len(written) < 40
    table = sweep(target, grid(a=range(40)), "o", on="ray")
    assert sorted(table["a"]) == list(range(40)) and table["a"].is_unique
    assert all((code / f"began-{a}").read_text() == "x" for a in written)


def whole_lines(path):
    return [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]

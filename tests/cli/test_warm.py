"""`gambol warm` runs its jobs in processes of their own, and says which failed."""

import time

import pytest
from typer.testing import CliRunner

from gambol import warm
from gambol.cli.app import app


@pytest.fixture
def gambol():
    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_jobs_say_what_they_did(gambol, monkeypatch):
    monkeypatch.setattr(warm, "FIRST", {"differential equations": warm.equations})
    done = gambol("warm")
    assert done.exit_code == 0 and "differential equations:" in done.stdout


def test_a_job_that_fails_is_told(gambol, monkeypatch):
    monkeypatch.setattr(warm, "FIRST", {"no such part": warm.equations})
    done = gambol("warm")
    assert done.exit_code == 1 and "no such part" in done.stderr


def test_every_element_type_has_a_kernel():
    assert all(warm.kernel_of_type(kind) is not None for kind in warm.element_types())


def test_who_leaves_it_does_not_wait_for_the_compilers(tmp_path, monkeypatch):
    job = tmp_path / "python"
    job.write_text(f'#!/bin/sh\nif [ "$3" = slow ]; then touch {tmp_path}/began; exec sleep 300; fi\n')
    job.chmod(0o755)
    monkeypatch.setattr(warm.sys, "executable", str(job))
    running = warm.run(["fast", "slow"], cores=2)
    assert next(running) == ("fast", 0, "")
    while not (tmp_path / "began").exists():
        time.sleep(0.01)
    running.close()  # would wait for five minutes

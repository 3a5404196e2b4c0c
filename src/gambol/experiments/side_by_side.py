"""Experiments side by side, each in a process of its own; one that takes the process with it has failed, no more."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from gambol.experiments.findings import Finding
from gambol.experiments.registry import Experiment, find_experiment, load_experiments

DIED = "its process ended before it had, killed perhaps, or out of memory"
CUT_SHORT = "interrupted"
Row = dict[str, Any]  # a finding without its statement, which has a rule


class Running:
    """An experiment in a process, and what it has said."""

    def __init__(self, experiment: Experiment, files: Sequence[Path], folder: Path, quick: bool):
        context = multiprocessing.get_context("spawn")
        self.experiment, self.rows, self.fault, self.over = experiment, [], DIED, False  # type: ignore[var-annotated]
        self.here, there = context.Pipe(duplex=False)
        arguments = (there, experiment.id, tuple(files), folder, quick)
        self._process: Any = context.Process(target=serve, args=arguments, daemon=True)
        self._process.start()
        there.close()

    def hear(self, log: Callable[[str], None]) -> None:
        """Takes one message: a finding, words, or the end with all that was found and what went wrong."""
        try:
            kind, said = self.here.recv()
        except (EOFError, OSError):
            kind, said = "end", (self.rows, self.fault)
        if kind == "found":
            self.rows.append(said)
        elif kind == "words":
            log(said)
        else:
            (self.rows, self.fault), self.over = said, True
            self.end()

    def end(self) -> None:
        """The process is no more; one that has said all would only take its time to go."""
        self._process.kill()
        self._process.join()
        self.here.close()

    def findings(self) -> list[Finding]:
        """What was found, with the statements of this process."""
        return [Finding(stated=self.experiment.statement(row.pop("key")), **row) for row in map(dict, self.rows)]


def perform_side_by_side(
    requested: Sequence[Experiment],
    folder: Path,
    jobs: int,
    *,
    files: Sequence[Path] = (),
    quick: bool = False,
    expected: Mapping[str, float] | None = None,
    on_begin: Callable[[Experiment], None] = lambda experiment: None,
    log: Callable[[str], None] = lambda text: None,
    on_end: Callable[[Experiment, list[Finding], str], None] = lambda experiment, findings, fault: None,
) -> None:
    """Performs experiments, so many at once, the longest first; those that measure time after the others, alone.

    files      of one's own, that mark some of the experiments
    expected   [s] that each is thought to take
    on_end     is told of each what it found and what went wrong ("": nothing); interrupted, also of those under way
    """
    expected = expected or {}
    timed = [each for each in requested if any(stated.timed for stated in each.states)]
    waiting = [each for each in requested if each not in timed]
    waiting.sort(key=lambda each: -expected.get(each.id, 0.0))
    running: dict[Connection, Running] = {}
    try:
        while waiting or timed or running:
            queue, room = (waiting, jobs) if waiting or not timed else (timed, 1)
            while queue and len(running) < room:
                on_begin(queue[0])
                begun = Running(queue.pop(0), files, folder, quick)
                running[begun.here] = begun
            for ready in wait(list(running)):
                own = running[ready]  # type: ignore[index]
                own.hear(log)
                if own.over:
                    del running[ready]  # type: ignore[arg-type]
                    on_end(own.experiment, own.findings(), own.fault)
    finally:
        for own in running.values():
            own.end()
            on_end(own.experiment, own.findings(), CUT_SHORT)


class Told(list):  # type: ignore[type-arg]
    """Findings that are sent as they come."""

    def __init__(self, connection: Connection):
        self._connection = connection

    def append(self, finding: Finding) -> None:
        """Keeps it, and sends it."""
        super().append(finding)
        self._connection.send(("found", row_of(finding)))


def row_of(finding: Finding) -> Row:
    """A finding that can be sent."""
    row = {each.name: getattr(finding, each.name) for each in fields(finding) if each.name != "stated"}
    return row | {"key": finding.key}


def serve(connection: Connection, id: str, files: Sequence[Path], folder: Path, quick: bool) -> None:
    """Performs one experiment; ends with the process that asked for it."""
    from gambol.experiments.reproduce import what_went_wrong

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that gave out the work
    parent: Any = multiprocessing.parent_process()
    threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()
    for file in files:
        load_experiments(file)
    found, fault = Told(connection), ""
    try:
        log = lambda text: connection.send(("words", text))
        find_experiment(id).perform(folder, quick=quick, log=log, found=found)
    except Exception as error:
        fault = what_went_wrong(error)
    connection.send(("end", ([row_of(finding) for finding in found], fault)))

"""Runs a configuration and writes its files."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gambol.errors import Fault, HybridError, StepError
from gambol.hybrid.run import HybridRun
from gambol.hybrid.simsect.configuration import Configuration
from gambol.hybrid.simsect.symbols import symbol_of
from gambol.hybrid.trajectory import HybridTrajectory
from gambol.limits import refuse_too_large
from gambol.stepping.options import Stepping
from gambol.stepping.state import Event

LINES_PER_CHUNK = 2000  # lines of the data file between looks at the progress


@dataclass
class SessionReport:
    """What a session did."""

    run: HybridRun
    files: list[Path]
    lines: int = 0
    end_reason: str = "final time"


def stepping_of(configuration: Configuration) -> Stepping:
    """The adaptive third-order method with the configuration's numbers."""
    e = configuration.engine
    return Stepping(
        method="rk3",
        step=min(e["maxTimeStep"], 1e-4),
        eps=e["tolerance"],
        min_step=e["minTimeStep"],
        max_step=e["maxTimeStep"],
        precision=e["stopPrecision"],
        power=e["rkPower"],
        max_trials=int(e["maxStopIterations"]),
    )


def start_run(configuration: Configuration) -> HybridRun:
    """The run at its start: the model's own, with the states that the configuration sets."""
    system, e = configuration.system, configuration.engine
    chart: str | int = e["chart"]
    if isinstance(chart, str) and chart.isdecimal() and len(chart) < 9:
        chart = int(chart)
    if system.start is None and not configuration.states:
        raise HybridError([Fault("this model has no start: set its states", system.name)])
    first, x = system.initial() if system.start is not None else (0, np.zeros(system.dimension))
    number = system.chart_number(chart) if chart != "" else first
    states = [symbol_of(s) for s in system.charts[number].states]
    x = np.pad(x, (0, system.dimension - len(x)))[: len(states)]
    for symbol, value in configuration.states.items():
        if symbol not in states:
            name = system.charts[number].name
            raise HybridError([Fault(f"the chart {name!r} to begin in has no state {symbol}", system.name)])
        x[states.index(symbol)] = value
    return HybridRun(
        system,
        x,
        chart=number,
        stepping=stepping_of(configuration),
        max_changes=e["maxChartCount"],
        keep_changes=True,
        sections=[given.section for given in configuration.sections.values()],
    )


def sample_times(configuration: Configuration) -> np.ndarray:
    """Multiples of recordPeriod and of measurePeriod up to the end, and the end."""
    e = configuration.engine
    end = e["finalTime"]
    periods = [e[name] for name in ("recordPeriod", "measurePeriod") if e[name] > 0]
    count = sum(end / period if period > end / 1e300 else math.inf for period in periods)
    refuse_too_large(f"{count:.3g} lines of finalTime / recordPeriod", 48.0 * count)
    times = [np.array([end])]
    for period in periods:
        times.append(period * np.arange(1, int(np.floor(end / period * (1 + 1e-12))) + 1))
    made = np.unique(np.concatenate(times))
    made = made[made <= end]
    apart = np.append(True, np.diff(made) > 1e-9 * max(end, 1.0))
    return made[apart]


def run_session(
    configuration: Configuration,
    *,
    progress: Callable[[float], None] = lambda share: None,
    look: Callable[[HybridRun, float], None] | None = None,
    frame_period: float = 0.0,
) -> SessionReport:
    """Runs to the end and writes <base>.data, <base>.param and <base>.initial; <base>.sections where there are any.

    look           is handed the run and its end [s] every `frame_period` [s] of simulated time
    A run that fails leaves what it computed; its error is raised after the files are written.
    """
    run = start_run(configuration)
    report = SessionReport(run, [Path(f"{configuration.base}{s}") for s in (".data", ".param", ".initial")])
    report.files[0].parent.mkdir(parents=True, exist_ok=True)
    write_parameters(configuration, report.files[1])
    write_initial(configuration, run, report.files[2])
    shows = configuration.engine["useGeomview"] == 1.0 and configuration.system.display is not None
    if shows:
        report.files.append(Path(f"{configuration.base}.transforms"))
        header = f"{axes_line(configuration)}# time, name, homogeneous transform by rows\n"
        report.files[-1].write_text(header, encoding="utf-8")
    watch = section_writer(configuration, report) if configuration.sections else None
    times = sample_times(configuration)
    with report.files[0].open("w", encoding="utf-8") as stream:
        stream.write(axes_line(configuration) + "# " + "\t".join(data_columns(configuration)) + "\n")
        write_lines(stream, start_sample(run))
        for part in chunks(times, frame_period if look is not None else math.inf):
            piece, failure = run_through(run, part, watch)
            write_lines(stream, piece)
            report.lines += len(piece)
            if shows:
                write_transforms(piece, Path(f"{configuration.base}.transforms"))
            progress(float(run.time) / times[-1])
            if look is not None:
                look(run, float(times[-1]))
            if failure is not None:
                raise failure
            if ended_by(configuration, run, report):
                break
    return report


def chunks(times: np.ndarray, period: float) -> list[np.ndarray]:
    """The sample times in pieces: a look at the run after each."""
    if math.isinf(period):
        return [times[k : k + LINES_PER_CHUNK] for k in range(0, len(times), LINES_PER_CHUNK)]
    return np.split(times, np.flatnonzero(np.diff(np.ceil(times / period * (1 - 1e-12)))) + 1)


def ended_by(configuration: Configuration, run: HybridRun, report: SessionReport) -> bool:
    """Is it at its last chart change or section crossing? The report then says so."""
    most = configuration.engine["maxSectionCount"]
    if run.change_count >= run.max_changes:
        report.end_reason = f"{run.change_count} chart changes"
    elif most and len(run.events) >= most:
        report.end_reason = f"{len(run.events)} section crossings"
    else:
        return False
    return True


def section_writer(configuration: Configuration, report: SessionReport) -> Callable[[HybridRun, Event], bool]:
    """Begins <base>.sections; what to do at a crossing: a line with time, name, chart and the data's columns, at the
    exact crossing. False at the last one."""
    file = Path(f"{configuration.base}.sections")
    report.files.append(file)
    names = ["time", "section", *data_columns(configuration)[1:]]
    file.write_text(axes_line(configuration) + "# " + "\t".join(names) + "\n", encoding="utf-8")

    def crossed(run: HybridRun, event: Event) -> bool:
        values = list(run.observe().values()) if run.system.outputs else list(run.x)
        cells = [f"{event.time:.12g}", event.name, str(run.chart), *(f"{v:.12g}" for v in values)]
        with file.open("a", encoding="utf-8") as stream:
            stream.write("\t".join(cells) + "\n")
        most = configuration.engine["maxSectionCount"]
        return not most or len(run.events) < most

    return crossed


def run_through(
    run: HybridRun, times: np.ndarray, watch: Callable[[HybridRun, Event], bool] | None = None
) -> tuple[HybridTrajectory, StepError | HybridError | None]:
    """The samples at these times, and the error that cut them short."""
    try:
        return run.run(times=times, on_event=watch), None
    except (StepError, HybridError) as error:
        return error.trajectory, error  # type: ignore[union-attr]


def start_sample(run: HybridRun) -> HybridTrajectory:
    """The state at the start, as a trajectory of one sample."""
    return run.run(times=[float(run.time)])


# ---------------------------------------------------------------- files
def axes_line(configuration: Configuration) -> str:
    """The first line of every file: one convention for states, data and transforms."""
    return f"# axes: {configuration.system.axes}; SI units, radians\n"


def data_columns(configuration: Configuration) -> list[str]:
    """Of the data file: time, chart, auxiliary quantities (states, where the model has none)."""
    system = configuration.system
    names = list(system.outputs) or list(max(system.charts, key=lambda c: c.dimension).states)
    return ["time", "chart", *map(symbol_of, names)]


def write_lines(stream, path: HybridTrajectory) -> None:
    """The samples as lines of the data file."""
    if not len(path):
        return
    values = path.observe() if path.system.outputs else path.x
    np.savetxt(stream, np.column_stack([path.time, path.chart, values]), fmt="%.12g", delimiter="\t")


def write_parameters(configuration: Configuration, file: Path) -> None:
    """All symbols but the states, as a configuration that can be read again."""
    e = configuration.engine
    shown = {n: f'"{v}"' if isinstance(v, str) else f"{v:.17g}" for n, v in e.items() if v != "" and n != "chart"}
    lines = [f"{name} = {value};" for name, value in shown.items()]
    lines += [f"{symbol} = {given.text};" for symbol, given in configuration.sections.items()]
    lines += [f"{name} = {value:.17g};" for name, value in configuration.system.p._asdict().items()]
    file.write_text(axes_line(configuration) + "\n".join(lines) + "\n", encoding="utf-8")


def write_initial(configuration: Configuration, run: HybridRun, file: Path) -> None:
    """The states at the start, as a configuration that can be read again."""
    chart = configuration.system.charts[int(run.chart)]
    lines = [f"chart = {int(run.chart)}; # {chart.name}"]
    lines += [f"{symbol_of(name)} = {value:.17g};" for name, value in zip(chart.states, run.x)]
    file.write_text(axes_line(configuration) + "\n".join(lines) + "\n", encoding="utf-8")


def write_transforms(path: HybridTrajectory, file: Path) -> None:
    """Appends the transforms of every sample."""
    with file.open("a", encoding="utf-8") as stream:
        shown = path.transforms()
        for k, time in enumerate(path.time):
            for name, transforms in shown.items():
                numbers = " ".join(f"{v:.9g}" for v in transforms[k].ravel())
                stream.write(f"{time:.12g}\t{symbol_of(name)}\t{numbers}\n")

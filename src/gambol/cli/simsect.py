"""`gambol simsect`: runs a hybrid system from a configuration file."""

import time as clock
from collections.abc import Sequence
from pathlib import Path

from gambol.cli.console import announce_compilation, note, plain, progress_bar, report_errors

TICKS = 100
FRAME_PERIOD = 0.05  # [s] between pictures in a terminal


def simsect(
    config: Path,
    model: str | None,
    symbols: bool,
    allow_modules: bool = False,
    allow_paths: Sequence[Path] = (),
    live: bool = False,
) -> None:
    """Runs the system of a configuration, or lists the symbols that one may set."""
    with report_errors(), announce_compilation():
        if symbols:
            list_symbols(model or "hexapod")
            return
        from gambol.hybrid.simsect.configuration import read_configuration
        from gambol.hybrid.simsect.session import run_session
        from gambol.hybrid.simsect.symbols import find_model

        if model:
            find_model(model, allow_modules=True)  # a wrong name is told before the file is read
        configuration = read_configuration(
            config, model=model, allow_modules=allow_modules, allow_paths=tuple(allow_paths)
        )
        for remark in configuration.notes:
            note(remark)
        began = clock.perf_counter()
        if live:
            report = run_live(configuration)
        else:
            with progress_bar("simulating", TICKS) as (bar, task):
                report = run_session(
                    configuration, progress=lambda share: bar.update(task, completed=int(TICKS * share))
                )
        took = clock.perf_counter() - began
        run = report.run
        plain(
            f"{run.system.name}: {run.time:.6g} s simulated in {took:.2f} s, {run.change_count} chart changes,"
            f" {int(run.counts['steps'])} steps; ended by {report.end_reason} in chart '{run.chart_name}'"
        )
        for file in report.files:
            plain(f"  {file}")


def run_live(configuration):
    """Runs a configuration and draws it in the terminal as it is computed, no faster than it would happen."""
    from rich.live import Live
    from rich.text import Text

    from gambol.hybrid.simsect.session import run_session
    from gambol.hybrid.simsect.terminal import frame

    with Live(Text("compiling"), auto_refresh=False) as shown:
        began: list[float] = []

        def look(run, end):
            began or began.append(clock.perf_counter() - float(run.time))
            ahead = float(run.time) - (clock.perf_counter() - began[0])
            if ahead > 0.0:
                clock.sleep(min(ahead, 1.0))
            shown.update(Text(frame(run, end)), refresh=True)

        return run_session(configuration, look=look, frame_period=FRAME_PERIOD)


def list_symbols(model: str) -> None:
    """What a configuration may set."""
    from gambol.hybrid.simsect.symbols import ENGINE_SYMBOLS, MODEL_LOADERS, find_model, symbol_of

    system = find_model(model, allow_modules=True)
    plain(f"# engine (models: {', '.join(MODEL_LOADERS)})")
    for name, symbol in ENGINE_SYMBOLS.items():
        usual = f'"{symbol.default}"' if isinstance(symbol.default, str) else f"{symbol.default:g}"
        plain(f"{name} = {usual}; # {symbol.description}")
    plain("# section_NAME = EXPRESSION [rising|falling|either]; # stops there exactly and writes a line")
    plain(f"# axes of {model}: {system.axes}")
    plain(f"# parameters of {model}")
    for name, value in system().p._asdict().items():
        plain(f"{name} = {value:.12g};")
    plain(f"# states of {model}")
    for state in dict.fromkeys(s for c in system.charts for s in c.states):
        plain(f"# {symbol_of(state)}")

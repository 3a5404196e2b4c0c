"""The commands and their options. What they do is in a module each, loaded when the command runs."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gambol.cli import INTERRUPTED, completion, motions, studies


class Commands(TyperGroup):
    """Ctrl-C ends every command with exit code 130; those that keep something say what."""

    def invoke(self, ctx: Any) -> Any:
        """Runs a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("gambol: interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=Commands,
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
Root = Annotated[
    str | None, typer.Option(metavar="JOINT", help="free or fixed: the joint of the root, in place of the file's.")
]
RootBody = Annotated[str | None, typer.Option(metavar="BODY", help="Of several trees, the one with this root.")]
Ground = Annotated[
    str | None,
    typer.Option(metavar="HEIGHT", help="Ground at a height \\[m], under (below the lowest point) or none."),
]
StartAt = Annotated[str, typer.Option("--pose", metavar="KEYFRAME", help="A keyframe of the file to begin at.")]
Json = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Also write the result here, as JSON.")]


def _version(wanted: bool) -> None:
    if wanted:
        from gambol.version import __version__

        typer.echo(f"gambol {__version__}")
        raise typer.Exit


@app.callback()
def gambol(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    """Physically based figures that stand, walk and run.

    Begin with [bold]gambol demo[/]. To simulate a figure of your own, write it as YAML (docs/figures.md), then
    [bold]gambol check[/] it and [bold]gambol run[/] it.

    Exit codes: 0 done, 1 the input or the run was at fault, 2 wrong usage, 130 interrupted.
    """


@app.command()
def demo(
    what: Annotated[str, typer.Argument(metavar="[WHAT]", help="roach, or acrobat.")] = "roach",
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the pictures; made if needed.")] = Path(
        "gambol-out/demo"
    ),
) -> None:
    """Let a roach walk, from a wave to a tripod, and draw it.

    The first run on a machine compiles for about half a minute; later ones start at once. Writes a film strip, a gait
    diagram and the path. [bold]gambol demo acrobat[/] swings an acrobat around a bar instead.
    """
    if what not in ("roach", "acrobat"):
        raise typer.BadParameter(f"there is no demo {what!r}: roach, acrobat", param_hint="WHAT")
    if what == "acrobat":
        from gambol.cli.demo_acrobat import swing as act
    else:
        from gambol.cli.demo import demo as act
    act(out)


@app.command()
def warm(
    everything: Annotated[
        bool, typer.Option("--all", help="Packs of worlds, constrained worlds and differential equations too.")
    ] = False,
) -> None:
    """Compile ahead, on all cores, so that nothing has to be compiled later.

    Without --all what single worlds in float64 need. Exit 0 when nothing is left to compile.
    """
    from gambol.cli.warm import warm as act

    act(everything)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A figure: .yaml, .urdf, .xml or .mjcf.")],
    root: Root = None,
    root_body: RootBody = None,
    ground: Ground = None,
    pose: StartAt = "start",
    names: Annotated[bool, typer.Option("--names", help="Name everything that was left out.")] = False,
    json: Json = None,
) -> None:
    """Check a figure file and say what is in it.

    Exit 0 and a summary when the figure is sound; otherwise exit 1 and every fault, one a line, as
    [bold]file:line: message[/], so that editors can jump to them.
    """
    from gambol.cli.check import Model
    from gambol.cli.check import check as act

    act(Model(file, root, root_body, ground, pose), json, names)


@app.command()
def run(
    figure: Annotated[Path, typer.Argument(metavar="FIGURE", help="A figure: .yaml, .urdf, .xml or .mjcf.")],
    time: Annotated[float, typer.Option(metavar="T", help="How long to simulate \\[s].")] = 5.0,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for results; by default gambol-out/NAME.")
    ] = None,
    every: Annotated[float, typer.Option(help="Time between rows of the table \\[s].")] = 1 / 60,
    method: Annotated[
        str, typer.Option(help="Stepping method; by default the implicit pair for springy figures, else rkf45.")
    ] = "",
    step: Annotated[float, typer.Option(help="Fixed step, or the first one of an adaptive method \\[s].")] = 1e-3,
    start: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="BODY=VALUE", help="Start position of a joint \\[rad or m]; values with commas between."
        ),
    ] = None,
    root: Root = None,
    root_body: RootBody = None,
    ground: Ground = None,
    pose: StartAt = "start",
    frames: Annotated[int, typer.Option(help="Pictures in the film strip.")] = 7,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was interrupted or killed.")] = False,
    json: Json = None,
) -> None:
    """Simulate a figure under gravity from rest.

    Writes NAME.gambol (the recording: for gambol view, plot and export), positions.csv (a row for every sample, a
    column for every joint coordinate, with units), film_strip.png and curves.png. Ctrl-C keeps what was computed.

    For example: [bold]gambol run pendulum.yaml --time 10 --set rod=0.5[/]
    """
    for name, value in (("--time", time), ("--every", every), ("--step", step), ("--frames", frames)):
        if not value > 0:
            raise typer.BadParameter(f"must be positive, it is {value:g}", param_hint=name)
    from gambol.cli.check import Model
    from gambol.cli.run import Request
    from gambol.cli.run import run as act

    model = Model(figure, root, root_body, ground, pose)
    act(Request(model, time, out, every, method, step, tuple(start or ()), frames, json, resume))


@app.command()
def reproduce(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID…]",
            help="Experiments, or patterns such as 'finger-*'.",
            autocompletion=completion.experiment_ids,
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every experiment there is.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="Only say which experiments there are.")] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the report and its pictures.")] = Path(
        "gambol-out/reproduce"
    ),
    json: Json = None,
    quick: Annotated[bool, typer.Option("--quick", help="Shorter measurements; the numbers are rougher.")] = False,
    jobs: Annotated[
        int, typer.Option(min=1, metavar="N", help="So many at once; those that measure time run alone.")
    ] = 1,
) -> None:
    """Repeat published experiments and compare the numbers.

    Writes report.html (the table with every picture in it) and results.json. Verdicts: [green]matches[/],
    [yellow]differs[/] (and why), [cyan]beyond[/] (the source gives no number, or is outdone). Ctrl-C keeps what was
    found. Exit 0 when every experiment ran.

    For example: [bold]gambol reproduce 'finger-*' --quick[/]
    """
    from gambol.cli.reproduce import reproduce as act

    act(ids or [], all_, list_, out, json, quick, jobs)


studies.register(app)
motions.register(app)


@app.command()
def export(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="A recording, or a figure file.")],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The file to write; its suffix says the format.")],
    fps: Annotated[float | None, typer.Option(help="Frames a second; by default those of the recording.")] = None,
    world: Annotated[int, typer.Option(min=0, help="Which world, of several.")] = 0,
    scale: Annotated[float, typer.Option(help="Of lengths in BVH: 100 for centimetres.")] = 1.0,
    channel: Annotated[list[str] | None, typer.Option(help="Of tables, only these channels. May be repeated.")] = None,
    character: Annotated[
        bool, typer.Option("--character", help="Bones as animators expect them, usual names, an armature with a skin.")
    ] = False,
    loop: Annotated[bool, typer.Option("--loop", help="One cycle that loops, cut where it fits best.")] = False,
    period: Annotated[
        float | None, typer.Option(metavar="T", help="With --loop: about how long a cycle is \\[s].")
    ] = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="With --loop: without the way it goes.")] = False,
    surroundings: Annotated[
        bool, typer.Option("--surroundings", help="glTF and USD: with the ground, a camera and a sun.")
    ] = False,
    root: Root = None,
    root_body: RootBody = None,
    ground: Ground = None,
    pose: StartAt = "start",
    json: Json = None,
) -> None:
    """Take a recording or a figure to another tool.

    Motion: .bvh, .glb or .gltf (Blender, the web), .usda .usdc .usd. Tables: .csv, .parquet. Figures: .xml (MuJoCo),
    .urdf, .yaml.

    For example: [bold]gambol export walk.gambol walk.glb --fps 30[/]
    """
    if fps is not None and not fps > 0:
        raise typer.BadParameter(f"must be positive, it is {fps:g}", param_hint="--fps")
    if (in_place or period is not None) and not loop:
        raise typer.BadParameter("goes with --loop", param_hint="--in-place, --period")
    if period is not None and not period > 0:
        raise typer.BadParameter(f"must be positive, it is {period:g}", param_hint="--period")
    from gambol.cli.check import Model
    from gambol.cli.export import Animation
    from gambol.cli.export import export as act

    model, animation = (
        Model(source, root, root_body, ground, pose),
        Animation(character, loop, period, in_place, surroundings),
    )
    act(model, target, fps, world, scale, channel or [], json, animation)


@app.command()
def plot(
    recording: Annotated[Path, typer.Argument(metavar="RECORDING", help="A recording.")],
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="joints, phase, cycle, energy, flow, ground, gait, return, section, compare, strip or report.",
            autocompletion=completion.plot_kinds,
        ),
    ] = "joints",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Picture: .png, .svg or .pdf; by default RECORDING-KIND.png.")
    ] = None,
    joint: Annotated[
        list[str] | None, typer.Option(help="Of joints, phase, gait and compare: which bodies. May be repeated.")
    ] = None,
    event: Annotated[str, typer.Option(help="Of return and section: which event.")] = "",
    coordinate: Annotated[str, typer.Option(help="Of return and section: which joint coordinate.")] = "",
    speed: Annotated[bool, typer.Option("--speed", help="Of return: its speed instead.")] = False,
    world: Annotated[int, typer.Option(min=0, help="Which world, of several.")] = 0,
    beside: Annotated[
        list[Path] | None, typer.Option(metavar="RECORDING", help="Of compare: another run. May be repeated.")
    ] = None,
    width: Annotated[
        float | None, typer.Option(metavar="INCHES", min=1.5, max=40.0, help="Of the picture: 3.4 for a column.")
    ] = None,
    json: Json = None,
) -> None:
    """Plot a recording.

    Writes the picture, and its numbers as CSV beside it. Kinds: joint angles, phase portraits, the energy ledger,
    ground reaction, gait diagram, return map and Poincaré section of a coordinate at an event, runs compared, film
    strip. A report is one HTML file: the motion, which plays, what the run says of itself, and every plot that the
    recording holds enough for.

    For example: [bold]gambol plot walk.gambol ground --out ground.svg[/]
    """
    from gambol.cli.plot import Request
    from gambol.cli.plot import plot as act

    act(
        Request(
            recording, kind, out, tuple(joint or ()), event, coordinate, speed, world, tuple(beside or ()), width, json
        )
    )


@app.command()
def info(json: Json = None) -> None:
    """Versions, processor, cache of compiled code, and which extras are installed.

    Include this in a report of a fault: the versions listed decide the bits of a result.
    """
    from gambol.cli.info import info as act

    act(json)


@app.command()
def simsect(
    config: Annotated[
        Path, typer.Option("-c", "--config", metavar="FILE", help="The configuration: symbol = value; # comment")
    ] = Path("SimSect.rc"),
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which system: a name, or module:Class."),
    ] = None,
    symbols: Annotated[bool, typer.Option("--symbols", help="Only list the symbols that a file may set.")] = False,
    allow_modules: Annotated[
        bool, typer.Option("--allow-modules", help="Let the file name a module:Class, whose code is run.")
    ] = False,
    allow_path: Annotated[
        list[Path] | None,
        typer.Option("--allow-path", metavar="FOLDER", help="A further folder below which it may write."),
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Draw it in the terminal as it is computed.")] = False,
) -> None:
    """Run a hybrid system (the compliant hexapod, unless told otherwise) from a configuration file.

    Writes <base>.data (a line a point: time, chart, auxiliary quantities), <base>.param and <base>.initial, where the
    base is the symbol dataBaseName. For example a file with [bold]finalTime = 5; cycle = 0.53; # faster[/]
    """
    from gambol.cli.simsect import simsect as act

    act(config, model, symbols, allow_modules, allow_path or (), live)


@app.command()
def bench(
    cases: Annotated[
        list[str] | None, typer.Argument(metavar="[CASE…]", help="Cases or patterns such as 'aba-*'; all without any.")
    ] = None,
    json: Json = None,
    rounds: Annotated[int, typer.Option(min=1, help="Turns of each contender; the best counts.")] = 9,
    list_: Annotated[bool, typer.Option("--list", help="Only say which cases there are.")] = False,
) -> None:
    """Measure Gambol against MuJoCo and Pinocchio, in one run.

    The contenders take turns on the same figures in the same states, after a check that their accelerations agree;
    the best turn of each counts. A ratio above 1 means that Gambol is the faster.

    Cases: aba-hexapod, aba-person, aba-chain-N (any N): a step of one world. batch64-*, batch32-*: many worlds in
    packs on one core. threads-*: two threads against one. chain-N: long chains, time and memory for each link.
    startup-*: import and first step of a new process. heap-N: bodies that touch. env-*, study-*: environments and
    sweeps. view-*: the live view. gpu-*: worlds on a CUDA device. --list says what each of them measures.

    Peers are extras: [bold]pip install 'gambol\\[peers]'[/]
    """
    from gambol.cli.bench import bench as act

    act(cases or [], json, rounds, list_)


@app.command()
def corpus(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A script; - or nothing: standard input.")
    ] = None,
    commands: Annotated[bool, typer.Option("--commands", help="List every command and leave.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --commands: as JSON.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="With --commands: as a page of the docs.")] = False,
    keep_going: Annotated[bool, typer.Option(help="Report failing lines and go on.")] = False,
    silent: Annotated[bool, typer.Option("--silent", "-s", help="Print only what is asked for.")] = False,
    slave: Annotated[bool, typer.Option("--slave", help="Serve another program through standard input.")] = False,
    allow_system: Annotated[bool, typer.Option(help="Let scripts start other programs.")] = False,
    allow_path: Annotated[
        list[Path] | None, typer.Option(metavar="DIR", help="A further folder whose files scripts may use.")
    ] = None,
) -> None:
    """Run a script of the command language, or talk in it.

    Without a file, at a terminal: a prompt with history, completion and help. A failing line ends a script with exit 1
    and its place. Scripts read and write files below their own folder only, and start no other programs, unless the
    options say so.
    """
    from gambol.cli.corpus import corpus as act

    act(
        file,
        commands=commands,
        as_json=as_json,
        as_markdown=as_markdown,
        keep_going=keep_going,
        silent=silent,
        slave=slave,
        allow_system=allow_system,
        allow_path=allow_path or [],
    )


@app.command()
def view(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="A recording, a figure file, a script (.corpus), a configuration of simsect (.rc), or a show: acrobat,"
            " roach, finger, person90, or an experiment's id.",
            autocompletion=completion.shows_and_files,
        ),
    ] = "acrobat",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="Port to serve at; 0 takes any free one.")
    ] = 8080,
    host: Annotated[str, typer.Option(metavar="H", help="Address to listen at; 0.0.0.0 lets others in.")] = "127.0.0.1",
    speed: Annotated[
        float | None, typer.Option(help="1 is real time; inf is as fast as it can; by default what shows it best.")
    ] = None,
    paused: Annotated[bool, typer.Option("--paused", help="Wait for Play.")] = False,
    loose: Annotated[bool, typer.Option("--loose", help="Let a figure file's free root fall.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write .png, .mp4, .gif, .webp or .html (plays by itself) instead of serving."
        ),
    ] = None,
    time: Annotated[float, typer.Option(metavar="T", help="With --out: how long to simulate \\[s].")] = 5.0,
    layout: Annotated[str, typer.Option(help="With --out .png: still, strip or sheet.")] = "strip",
    size: Annotated[
        str | None, typer.Option(metavar="WxH", help="With --out: pixels of each picture, as in 1280x720.")
    ] = None,
    rate: Annotated[float, typer.Option(metavar="N", help="With --out: pictures a second of a film.")] = 30.0,
    quality: Annotated[float, typer.Option(help="With --out: of a film, from 0 (small) to 1.")] = 0.8,
    transparent: Annotated[
        bool, typer.Option("--transparent", help="With --out: the figures alone, without ground and sky.")
    ] = False,
    dark: Annotated[bool, typer.Option("--dark", help="With --out: on dark ground under a dark sky.")] = False,
    camera: Annotated[
        str | None, typer.Option(metavar="AZ,EL", help="With --out: where the camera stands [°], as in -60,14.")
    ] = None,
    measure: Annotated[bool, typer.Option("--measure", help="Say what looking costs, and end.")] = False,
    ghost: Annotated[
        Path | None, typer.Option(metavar="RECORDING", help="Another run, seen through, at the same times.")
    ] = None,
    worlds: Annotated[
        str | None, typer.Option(metavar="N,N,…", help="Worlds of a recording, side by side; all for all of them.")
    ] = None,
    root: Root = None,
    root_body: RootBody = None,
    ground: Ground = None,
    pose: StartAt = "start",
) -> None:
    """Watch a figure move in the browser, and push it.

    Prints one line with the address when ready. Drag a body to pull it; push, pin, pause, scrub and undo; H shows the
    keys. Over SSH, forward the port: [bold]ssh -L 8080:localhost:8080 host[/]. Needs the extra [bold]view[/].
    """
    from gambol.cli.check import Model
    from gambol.cli.view import FilmOptions, Request
    from gambol.cli.view import view as act

    model = Model(Path(what), root, root_body, ground, pose)
    film = FilmOptions(size, rate, quality, transparent, camera, dark)
    act(Request(what, host, port, speed, paused, loose, out, time, layout, measure, model, film, ghost, worlds))

"""`gambol follow`: a figure follows a measured motion; what it took is told."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gambol import Figure, MotionError, Scene, UnknownNameError, read_scene
from gambol.cli import console
from gambol.cli.check import FIGURE_SUFFIXES
from gambol.errors import Fault, nearest
from gambol.figure.files import file_name
from gambol.motion.bearing import bearing_ground
from gambol.motion.data import Coordinates, Markers, positions_from
from gambol.motion.efforts import Efforts, inverse_dynamics
from gambol.motion.fitting import FittedMotion, inverse_kinematics
from gambol.motion.following import LAWS, ROOTS, Followed, follow_motion
from gambol.motion.places import marker_places, read_places
from gambol.motion.reading import MOTIONS, read_motion
from gambol.motion.scaling import ScaledFigure, scale_to_markers
from gambol.motion.writing import coordinates_of, write_motion

PEOPLE = ("person", "person90")
BEARING = "bearing"
USUAL = 6.0  # [Hz] of the filter on markers
MANY = 60  # frames that are looked at for the lowest point


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    motion: Path
    figure: str
    by: str
    root: str
    ground: str | None
    places: Path | None
    names: dict[str, str]
    size: bool
    mass: float | None
    cutoff: float | None
    frequency: float | None
    between: tuple[float | None, float | None]
    up: str | None
    rate: float | None
    scale: float
    out: Path | None
    json: Path | None


def follow(request: Request) -> None:
    """Reads, fits, says the forces, follows, writes."""
    with console.report_errors(), console.announce_compilation():
        console.check_suffix(request.motion, MOTIONS)
        for option, value, allowed in (("--by", request.by, (*LAWS, "none")), ("--root", request.root, ROOTS)):
            if value not in allowed:
                raise UnknownNameError(f"{option} {value!r}{nearest(value, allowed)}")
        motion = read_motion(request.motion, up=request.up, rate=request.rate, scale=request.scale)
        scene = read_figure(request)
        figure, time, q, fit, sized = fitted(request, motion, scene)
        folder = request.out or Path("gambol-out") / request.motion.stem
        cutoff = filter_of(request, fit, time)
        written = [write_motion(coordinates_of(figure, time, q), folder / "positions.csv")]
        if fit is not None:
            written += write_residuals(fit, folder)
        efforts = inverse_dynamics(figure, time, q, cutoff=cutoff)
        written += write_efforts(efforts, folder)
        if request.ground == BEARING:
            scene = bearing_ground(figure, time, q, cutoff=cutoff)
        elif sized or request.ground:
            scene = read_scene(figure, ground=level(request, figure, q))
        result = None
        if request.by != "none":
            facts = {"motion": str(request.motion), "figure": request.figure}
            options: dict[str, Any] = dict(by=request.by, root=request.root, frequency=request.frequency, cutoff=cutoff)
            file = folder / f"{file_name(figure.name)}.gambol"
            result = follow_motion(scene, time, q, out=file, parameters=facts, **options)
            written += [file, *picture(result, folder)]
        summary = summed(request, fit, sized, efforts, result, cutoff, written)
        if request.json:
            console.write_json(summary, request.json)
        tell(figure, time, fit, sized, efforts, result, cutoff)
        if request.ground == BEARING:
            console.plain(f"  ground              at {scene.world.terrain.level:.4g} m, where it bears the motion")
        for path in written:
            console.plain(f"  {path}")
        if result is not None and result.failure is not None:
            raise result.failure


def read_figure(request: Request) -> Scene:
    """A figure file, or the person by name."""
    if request.figure in PEOPLE:
        from gambol.models.person import person90, rigid_foot

        return read_scene(person90() if request.figure == "person90" else rigid_foot())
    path = Path(request.figure)
    if path.suffix.lower() not in FIGURE_SUFFIXES:
        allowed = (*PEOPLE, *(f"a {suffix} file" for suffix in FIGURE_SUFFIXES))
        raise UnknownNameError(f"no figure is called {request.figure!r} (allowed: {', '.join(allowed)})")
    scene = read_scene(path)
    for remark in scene.remarks():
        console.note(remark)
    return scene


def cut(motion: Markers | Coordinates, between: tuple[float | None, float | None]) -> Any:
    """The part that is asked for."""
    start, end = between
    if start is None and end is None:
        return motion
    return motion.between(-np.inf if start is None else start, np.inf if end is None else end)


def fitted(
    request: Request, motion: Any, scene: Scene
) -> tuple[Figure, np.ndarray, np.ndarray, FittedMotion | None, ScaledFigure | None]:
    """The figure (of its size), times and positions; the fit and the sizing, where there are markers."""
    figure = scene.figures[0]
    if not isinstance(motion, Markers):
        if request.size or request.places:
            raise MotionError([Fault("--size and --markers are for markers; this has joints", str(request.motion))])
        if not isinstance(motion, Coordinates):
            names = {body: joint for joint, body in request.names.items()} or None
            q, time = motion.positions(figure, names), np.asarray(motion.times)
            start, end = request.between
            rows = (time >= (0.0 if start is None else start)) & (time <= (np.inf if end is None else end))
            return figure, time[rows], q[rows], None, None
        unused = motion.unused(figure, request.names)
        if unused:
            console.note(f"{len(unused)} columns are no coordinates of {figure.name}: {', '.join(unused[:6])}")
        part = cut(motion, request.between)
        return figure, part.time, positions_from(part, figure, request.names), None, None
    part = cut(motion, request.between)
    places = read_places(request.places) if request.places else marker_places(figure, part.names, scene.frames)
    sized = scale_to_markers(figure, part, places, mass=request.mass) if request.size else None
    if sized is not None:
        figure, places = sized.figure, sized.places
    fit = inverse_kinematics(figure, part, places)
    if fit.unused:
        console.note(f"{len(fit.unused)} markers have no place on {figure.name}: {', '.join(fit.unused[:8])}")
    if fit.unsettled:
        console.note(f"{fit.unsettled} of {len(fit)} frames did not settle")
    return figure, fit.time, fit.q, fit, sized


def filter_of(request: Request, fit: FittedMotion | None, time: np.ndarray) -> float | None:
    """[Hz] of the filter: what was asked for; 6 for markers, where frames are fast and many enough."""
    if request.cutoff is not None:
        return request.cutoff or None
    even = len(time) > 12 and np.ptp(np.diff(time)) < 0.01 * float(np.median(np.diff(time)))
    return USUAL if fit is not None and even and 1.0 / float(np.median(np.diff(time))) > 4.0 * USUAL else None


def level(request: Request, figure: Figure, q: np.ndarray) -> str | float | None:
    """The height of the ground: under the lowest point of the whole motion, where that is asked for."""
    if request.ground != "under":
        return request.ground
    from gambol.scene.ground import lowest_point

    rows = q[np.unique(np.linspace(0, len(q) - 1, MANY).round().astype(int))]
    return min(lowest_point([figure], row) for row in rows)


# ---------------------------------------------------------------- files
def write_residuals(fit: FittedMotion, folder: Path) -> list[Path]:
    """Distances of every marker in every frame, and their picture."""
    from gambol.motion.pictures import plot_residuals
    from gambol.plot import save

    file = folder / "residuals.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["time [s]", *(f"{name} [m]" for name in fit.markers)])
        for t, row in zip(fit.time, fit.distances):
            table.writerow([repr(float(t)), *(repr(float(x)) if np.isfinite(x) else "" for x in row)])
    return [file, save(plot_residuals(fit), folder / "residuals.png")]


def write_efforts(efforts: Efforts, folder: Path) -> list[Path]:
    """Forces of every joint in every frame, then of the root; and their picture."""
    from gambol.motion.pictures import plot_efforts
    from gambol.plot import save

    joints = efforts.joint_columns()
    units = [u for body in efforts.figure.order for u in body.joint.kind.speeds.values()]
    heads = [f"{efforts.names[k]} [{'N·m' if units[k] == 'rad/s' else 'N'}]" for k in joints]
    rows = efforts.forces[:, joints]
    if np.isfinite(efforts.root).all():
        heads += [f"root torque {axis} [N·m]" for axis in "xyz"] + [f"root force {axis} [N]" for axis in "xyz"]
        rows = np.concatenate([rows, efforts.root], axis=1)
    file = folder / "forces.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["time [s]", *heads])
        table.writerows([repr(float(t)), *(repr(float(x)) for x in row)] for t, row in zip(efforts.time, rows))
    return [file, save(plot_efforts(efforts), folder / "forces.png")]


def picture(result: Followed, folder: Path) -> list[Path]:
    """A film strip of the run, where there is something to see."""
    from gambol.draw import save_image, strip

    if not any(part.visible for body in result.figure.bodies for part in body.parts) or not result.recording.rows:
        return []
    with console.err.status("drawing"):
        return [save_image(strip(result.recording.motion(), times=7, size=(230, 300)), folder / "film_strip.png")]


# ---------------------------------------------------------------- what is told
def summed(request: Request, fit, sized, efforts: Efforts, result, cutoff, written) -> dict[str, Any]:
    """For programs."""
    found: dict[str, Any] = {"motion": str(request.motion), "figure": efforts.figure.name, "frames": len(efforts.time)}
    found |= {"cutoff_Hz": cutoff, "forces": efforts.summary()}
    if fit is not None:
        found["markers"] = {"rms_m": fit.rms, "unused": list(fit.unused), "each": fit.residuals()}
    if sized is not None:
        found["size"] = {"overall": sized.overall, "before_m": sized.before, "after_m": sized.after,
                         "factors": sized.factors}  # fmt: skip
    if result is not None:
        found["followed"] = {"by": request.by, "root": request.root, **result.summary()}
    return found | {"files": [str(path) for path in written]}


def tell(figure: Figure, time, fit, sized, efforts: Efforts, result: Followed | None, cutoff: float | None) -> None:
    """For people, a line a fact."""
    filtered = f", filtered at {cutoff:g} Hz" if cutoff else ""
    console.styled((figure.name, "bold"), f": {len(time)} frames, {time[-1] - time[0]:.3g} s{filtered}")
    if sized is not None:
        lengths = sorted(sized.factors.values())
        console.plain(
            f"  size                {sized.overall:.3f} times as large; segments {lengths[0]:.3f} … {lengths[-1]:.3f};"
            f" markers {1e3 * sized.before:.3g} → {1e3 * sized.after:.3g} mm"
        )
    if fit is not None:
        worst = max(fit.residuals().items(), key=lambda item: np.nan_to_num(item[1]["rms_m"]))
        console.plain(
            f"  markers             {1e3 * fit.rms:.3g} mm rms over {len(fit.markers)}; the worst {worst[0]}:"
            f" {1e3 * worst[1]['rms_m']:.3g} mm"
        )
    forces = efforts.summary()
    if "largest_joint_force" in forces:
        console.plain(f"  the motion takes    up to {forces['largest_joint_force']:.4g} N·m (or N) at a joint")
    if "root_force_mean_up_N" in forces:
        up, level = forces["root_force_mean_up_over_weight"], forces["root_force_rms_level_N"]
        console.plain(f"  from the world      {up:.3f} of the weight upward on average, {level:.3g} N rms level")
    if result is None:
        return
    found = result.summary()
    if "joint_error_rms" in found:
        console.plain(
            f"  followed            within {found['joint_error_rms']:.3g} rad (or m) rms,"
            f" {found['joint_error_max']:.3g} at most;"
            f" forces {found['joint_force_rms']:.4g} rms, {found['joint_force_max']:.4g} at most"
        )
    if "root_error_rms_m" in found:
        off = f"{1e3 * found['root_error_rms_m']:.3g} mm off its path"
        if result.root == "held":
            console.plain(
                f"  root held           {off}, by a force from nowhere of {found['root_force_rms_N']:.4g} N rms"
                f" ({found['root_force_rms_over_weight']:.3f} of the weight) and {found['root_torque_rms_Nm']:.4g} N·m"
            )
        else:
            console.plain(f"  root free           {off}")

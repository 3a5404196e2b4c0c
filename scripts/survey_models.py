"""Reads every model below some folders and says how it fares: python scripts/survey_models.py FOLDER… [--json FILE]

For each .urdf, .xml and .mjcf file one line:

    read       loaded, repaired (read, with something of it changed: the kind is named), or refused (and why)
    agreement  largest difference of accelerations from MuJoCo's (Pinocchio's, for URDF), as a share of the largest, at
               random positions and speeds, with springs, limits, contact, motors and constraints off on both sides
    standing   one second from the first keyframe (or the pose as written), motors at its inputs, on the ground of the
               file: mean distance of the bodies' centres from where MuJoCo has them at the file's timestep, weighted by
               mass, over the size of the model. Up to NEAR it "stands or falls as MuJoCo's". MuJoCo also runs at a
               tenth of its step: where its own two poses are farther apart than NEAR the end is not determined, and the
               model is counted apart. The summary gives the share of the determined ones, that of all, and that of all
               by the nearer of MuJoCo's two poses. Steps up to FINE are not made finer. Beside those that end elsewhere
               stands how far MuJoCo itself ends from there when its start is moved by SHAKEN; it decides nothing
    speed      MuJoCo's processor time for that second (at its own timestep) over ours, each of them once warm
    round trip of the mass matrix through an exported MJCF file: largest difference as a share of the largest element
    left out   how many things of how many kinds

Files that MuJoCo itself cannot read, and pieces of models without a body, are counted and passed over. Each model is
looked at in a process of its own, which may take `--seconds`.
"""

import argparse
import copy
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

NEAR = 0.1  # of the size
GROUNDS = (0, 1)  # mjtGeom: planes and height fields
FINE = 5e-4  # [s] steps that are fine already
SOON = 10.0  # [s]
SHAKEN = 1e-4  # [rad or m] of every coordinate, drawn at random
REPAIRS = ("kept as they are", "they are driven", "lower end is above")
TIMED_OUT = "took longer than it may"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--json", type=Path, help="where results are kept; those that it has already are taken from it")
    parser.add_argument("--seconds", type=float, default=300.0, help="for one model")
    parser.add_argument("--only", default="", help="a part of the names of files")
    parser.add_argument("--without", default="\0", help="a part of the names of files that are left for later")
    parser.add_argument("--one", action="store_true", help="one file, as JSON")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(look_at(options.folders[0])))
        return
    files = sorted(p for f in options.folders for s in ("urdf", "xml", "mjcf") for p in f.rglob(f"*.{s}"))
    kept = json.loads(options.json.read_text()) if options.json and options.json.is_file() else []
    known = {row["file"]: row for row in kept}
    for file in files:
        if options.only not in str(file) or options.without in str(file) or file.name == "package.xml":
            continue
        if str(file) not in known:
            known[str(file)] = {"file": str(file), **in_a_process(file, options.seconds)}
            if options.json:
                options.json.write_text(json.dumps(list(known.values()), indent=1))
        print(line_of(known[str(file)]), flush=True)
    print_summary(list(known.values()))


def in_a_process(file: Path, seconds: float) -> dict:
    command = [sys.executable, __file__, str(file), "--one"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return {"read": "loaded", "trouble": TIMED_OUT}
    last = done.stdout.strip().splitlines()[-1:] or ["{}"]
    try:
        return json.loads(last[0])
    except ValueError:
        return {"read": "traceback", "trouble": (done.stderr.strip().splitlines() or ["no output"])[-1]}


def look_at(file: Path) -> dict:
    """Everything that is measured of one file."""
    import mujoco

    import gambol

    warnings.simplefilter("ignore")
    is_urdf = file.suffix == ".urdf"
    model = None
    if is_urdf and "<link" not in file.read_text(encoding="utf-8", errors="replace"):
        return {"read": "no body"}
    if not is_urdf:
        try:
            model = mujoco.MjModel.from_xml_path(str(file))
        except Exception as error:  # MuJoCo raises many types
            return {"read": "not MuJoCo's", "why": " ".join(str(error).split())[:100]}
        if model.nbody == 1 and all(kind in GROUNDS for kind in model.geom_type):
            return {"read": "no body"}
    try:
        began = time.perf_counter()
        scene = gambol.read_scene(file)
    except gambol.GambolError as error:
        return {"read": "refused", "why": str(error).splitlines()[0][-200:]}
    kinds = {kind: len(names) for kind, names in scene.left_out.items()}
    repaired = any(word in kind for kind in kinds for word in REPAIRS)
    found: dict = {"read": "repaired" if repaired else "loaded", "seconds": time.perf_counter() - began, "kinds": kinds}
    found |= {"figures": len(scene.figures), "dof": sum(f.speeds for f in scene.figures), "motors": len(scene.motors)}
    looks = [("agreement", lambda: pinocchio_agreement(file, scene) if is_urdf else mujoco_agreement(scene, model))]
    looks.append(("round_trip", lambda: round_trip(scene)))
    if not is_urdf:
        looks.append(("standing", lambda: standing(scene, model)))
    for name, look in looks:
        try:
            found[name] = look()
        except Exception as error:  # whatever it is, it belongs in the table
            found[name] = None
            found["trouble"] = f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return found


def bare_world(scene):
    """The figures alone: no springs, stops, friction or contacts."""
    from dataclasses import replace

    import gambol

    plain = {"stiffness": 0.0, "damping": 0.0, "friction": 0.0, "range": None, "stop": None, "motor": None}
    figures = [
        replace(f, bodies=tuple(replace(b, joint=replace(b.joint, **plain)) for b in f.bodies)) for f in scene.figures
    ]
    return gambol.World(figures, scene.world.gravity)


def mujoco_agreement(scene, model) -> float | None:
    """See above; free joints that MuJoCo gives an armature are not compared."""
    import mujoco

    import gambol
    from gambol.figure.mjcf import MjcfModel
    from gambol.scene.mjcf import SceneReader

    if not model.nv:
        return None
    model = copy.copy(model)
    world = bare_world(scene)
    reader = SceneReader(MjcfModel(model, ""))
    reader.found.joints = joint_names(scene, model)
    rng, data = np.random.default_rng(0), mujoco.MjData(model)
    for flag in (0, 1, 2, 3, 4, 5, 6, 8, 12):  # constraint, equality, frictionloss, limit, contact, spring, damper, …
        model.opt.disableflags |= 1 << flag
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    model.opt.density = model.opt.viscosity = 0.0
    model.body_gravcomp[:] = 0.0
    free = [j for j in range(model.njnt) if model.jnt_type[j] == 0]
    for j in free:
        first = model.jnt_dofadr[j]
        model.dof_armature[first : first + 6] = 0.0
    mujoco.mj_setConst(model, data)
    worst = 0.0
    mechanics = gambol.Mechanics(world.layout)
    for _ in range(3):
        step = rng.normal(0.0, 0.3, model.nv)
        data.qpos[:] = model.qpos0
        mujoco.mj_integratePos(model, data.qpos, step, 1.0)
        data.qvel[:] = rng.normal(0.0, 0.5, model.nv)
        mujoco.mj_forward(model, data)
        pose = reader.pose(world, data.qpos, data.qvel, np.zeros(model.nu), np.zeros(model.na))
        ours = np.linalg.solve(mechanics.mass_matrix(pose.q), -mechanics.bias(pose.q, pose.v))
        theirs = accelerations(reader, world, model, data)
        worst = max(worst, float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1e-9)))
    return worst


def joint_names(scene, model) -> dict[int, str]:
    """Names in the world by MuJoCo's joint number."""
    bodies = {body.name: figure.name for figure in scene.figures for body in figure.bodies}
    found = {}
    for j in range(model.njnt):
        body = int(model.jnt_bodyid[j])
        name = str(model.body(body).name) or f"body_{body}"
        last = int(model.body_jntadr[body]) + int(model.body_jntnum[body]) - 1
        between = str(model.joint(j).name) or f"joint_{j}"
        own = name if j == last else between if between.startswith(f"{name}__") else f"{name}__{between}"
        found[j] = f"{bodies[own]}/{own}"
    return found


def accelerations(reader, world, model, data) -> np.ndarray:
    """MuJoCo's in the order and axes of ours."""
    from gambol.scene.mjcf import places

    _, speeds = places(world.layout)
    out = np.zeros(sum(b.body.joint.speeds for b in world.layout.bodies))
    for j, name in reader.found.joints.items():
        s, kind = int(model.jnt_dofadr[j]), int(model.jnt_type[j])
        if kind == 0:
            turn = data.xmat[model.jnt_bodyid[j]].reshape(3, 3)
            base = world.layout.body(name).body.placement.matrix
            out[speeds[name]] = [*(base.T @ turn @ data.qacc[s + 3 : s + 6]), *(base.T @ data.qacc[s : s + 3])]
        else:
            count = 3 if kind == 1 else 1
            out[speeds[name]] = data.qacc[s : s + count]
    return out


def pinocchio_agreement(file: Path, scene) -> float | None:
    """The kinetic energy of random motions, for URDF; None without Pinocchio."""
    try:
        import pinocchio
    except ImportError:
        return None
    import gambol

    if len(scene.figures) != 1:
        return None
    (figure,) = scene.figures
    free = figure.root.joint.type == "free"
    root = [pinocchio.JointModelFreeFlyer()] if free else []
    model = pinocchio.buildModelFromUrdf(str(file), *root)
    data, rng = model.createData(), np.random.default_rng(0)
    world = bare_world(scene)
    q, v = np.array(figure.zero), np.zeros(figure.speeds)
    theirs_q, theirs_v = pinocchio.neutral(model), np.zeros(model.nv)
    import yourdfpy

    robot = yourdfpy.URDF.load(str(file), build_scene_graph=False, load_meshes=False).robot
    for joint in robot.joints:
        body = figure[joint.child]
        if not model.existJointName(joint.name) or body.joint.speeds != 1:
            continue
        own = model.joints[model.getJointId(joint.name)]
        angle, speed = rng.normal(0.0, 0.3), 0.0 if body.joint.driven else rng.normal()
        q[figure.position_slices[joint.child]], v[figure.speed_slices[joint.child]] = angle, speed
        theirs_q[own.idx_q : own.idx_q + own.nq] = [np.cos(angle), np.sin(angle)] if own.nq == 2 else [angle]
        theirs_v[own.idx_v] = speed
    if free:
        spin, move = rng.normal(size=3), rng.normal(size=3)
        v[figure.speed_slices[figure.root.name]] = [*spin, *move]
        theirs_v[:6] = [*move, *spin]  # the root stands as its base does, so axes are the same
    mechanics = gambol.Mechanics(world.layout)
    ours = float(mechanics.kinetic_energy(q, v))
    theirs = float(pinocchio.computeKineticEnergy(model, data, theirs_q, theirs_v))
    return abs(ours - theirs) / max(abs(theirs), 1e-12)


def round_trip(scene) -> float | None:
    """See above; of figures that move."""
    import mujoco

    import gambol
    from gambol.export import mjcf_text

    worst = None
    for figure in scene.figures:
        if figure.speeds:
            model = mujoco.MjModel.from_xml_string(mjcf_text(figure))
            data = mujoco.MjData(model)
            data.qpos[:] = model.qpos0
            mujoco.mj_forward(model, data)
            theirs = np.zeros((model.nv, model.nv))
            mujoco.mj_fullM(model, data, theirs)
            ours = gambol.Mechanics(gambol.World(figure).layout).mass_matrix(np.array(figure.zero))
            size = float(np.abs(ours).max())
            # orders differ: invariants do not
            gap = np.abs(np.sort(np.linalg.eigvalsh(ours)) - np.sort(np.linalg.eigvalsh(theirs))).max() / size
            worst = max(worst or 0.0, float(gap))
    return worst


def time_of_a_second(model, data) -> float:
    """MuJoCo, from where the data is; of the processor."""
    import mujoco

    began = time.process_time()
    while data.time < 1.0 - 1e-9:
        mujoco.mj_step(model, data)
    return time.process_time() - began


def time_of_our_second(scene, sim, name: str) -> float:
    """Of the processor; what is soon done is done twice, so that code need not be loaded any more."""
    start, taken = scene.pose(name), []
    while not taken or (len(taken) == 1 and taken[0] < SOON):
        sim.reset(start.q, start.v)
        began = time.process_time()
        sim.run(1.0)
        taken.append(time.process_time() - began)
    return taken[-1]


def standing(scene, model) -> dict | None:
    """See above: distance, and the two times."""
    import mujoco

    if not model.nv or not model.body_mass.sum():
        return None
    name = next((pose for pose in scene.poses if pose != "start"), "start")
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    before = data.xipos.copy()
    finer, shaken = copy.copy(data), copy.copy(data)
    mujoco.mj_integratePos(model, shaken.qpos, np.random.default_rng(0).normal(size=model.nv), SHAKEN)
    time_of_a_second(model, copy.copy(data))
    theirs = time_of_a_second(model, data)
    coarse = model.opt.timestep
    model.opt.timestep = 0.1 * coarse if coarse > FINE else coarse
    time_of_a_second(model, finer)
    model.opt.timestep = coarse
    time_of_a_second(model, shaken)
    sim = scene.simulation(name)
    sim.run(1e-3)  # compiles
    ours = time_of_our_second(scene, sim, name)
    places = {}
    first = 0
    for figure in scene.figures:
        poses = figure.poses(sim.q[first : first + figure.positions])
        first += figure.positions
        for body in figure.bodies:
            places[body.name] = poses[body.name].apply(body.mass_properties.centre)
    names = [str(model.body(i).name) or f"body_{i}" for i in range(1, model.nbody)]
    here = np.array([places[n] for n in names])
    moved = np.linalg.norm(data.xipos - before, axis=1)[1:]
    weights = model.body_mass[1:]

    def apart(one, other) -> float:
        return float(np.linalg.norm(one - other, axis=1) @ weights / weights.sum()) / scene.world.size

    usual, fine = (apart(here, d.xipos[1:]) for d in (data, finer))
    own = apart(data.xipos[1:], finer.xipos[1:])
    return {
        "distance": usual,
        "from_fine": fine,
        "mujoco_apart": own,
        "mujoco_shaken": apart(data.xipos[1:], shaken.xipos[1:]),
        "moved": float(moved @ weights / weights.sum()) / scene.world.size,
        "near": bool(usual <= NEAR),
        "determined": bool(own <= NEAR),
        "pose": name,
        "steps": float(sim.counts["steps"]),
        "rejected": float(sim.counts["rejected"]),
        "ours_s": ours,
        "mujoco_s": theirs,
        "ratio": theirs / ours,
    }


def line_of(row: dict) -> str:
    def short(value) -> str:
        return "–" if value is None else f"{value:.0e}"

    standing = row.get("standing") or {}
    mark = {} if not standing else {True: "", False: "!" if standing["determined"] else "?"}
    stands = f"{standing['distance']:.3f}{mark[standing['near']]}" if standing else "–"
    speed = f"{standing['ratio']:.2f}" if standing else "–"
    left = sum(max(n, 1) for n in row.get("kinds", {}).values())
    words = row.get("why") or row.get("trouble") or ""
    if standing and not standing["near"]:
        words = f"MuJoCo itself, shaken: {standing['mujoco_shaken']:.3f} {words}"
    numbers = f"{short(row.get('agreement')):>6} {stands:>7} {speed:>6} {short(row.get('round_trip')):>6} {left:>4}"
    return f"{row['read']:<12} {numbers}  {'/'.join(Path(row['file']).parts[-3:])}  {words}"


def _share(marks: list[bool]) -> str:
    return f"{sum(marks)} of {len(marks)} ({sum(marks) / max(len(marks), 1):.1%})"


def print_summary(rows: list[dict]) -> None:
    read = {kind: sum(r["read"] == kind for r in rows) for kind in dict.fromkeys(r["read"] for r in rows)}
    print("read:", ", ".join(f"{number} {kind}" for kind, number in read.items()))
    agreed = [r["agreement"] for r in rows if r.get("agreement") is not None]
    if agreed:
        print(f"agreement: median {np.median(agreed):.1e}, worst {max(agreed):.1e} of {len(agreed)}")
    stood = [r["standing"] for r in rows if r.get("standing")]
    if stood:
        settled = [s for s in stood if s["determined"]]
        print(f"standing: within {NEAR:g} of the size of MuJoCo's pose")
        print(f"  where its own step does not decide: {_share([s['near'] for s in settled])}")
        print(f"  all: {_share([s['near'] for s in stood])}")
        print(f"  all, by the nearer of its two: {_share([min(s['distance'], s['from_fine']) <= NEAR for s in stood])}")
        print(f"speed: median {np.median([s['ratio'] for s in stood]):.2f} times MuJoCo's")
    trips = [r["round_trip"] for r in rows if r.get("round_trip") is not None]
    if trips:
        print(f"round trip: worst {max(trips):.1e} of {len(trips)}")
    print("troubles:", sum("trouble" in r for r in rows))


if __name__ == "__main__":
    main()

"""A rope tied to the hand of an arm that swings: an object of one's own, solved together with a figure.

    python examples/rope.py [picture.png [seconds]]

Whatever offers the routines of `gambol.Constrainable` can take the rope's place: see docs/constraints.md.
"""

import sys

import numpy as np

from gambol import BoundObjects, FigureObject, Tie, World, chain, rope
from gambol.plot import CURVE_COLOURS, canvas, dress, save

HAND = ("chain_1", (0.0, 0.0, -0.5))


def main(picture: str = "rope.png", seconds: str = "1.2") -> None:
    arm = FigureObject(World(chain(2, length=0.5)), q=[1.4, 0.3])
    line = rope(16, length=0.8, mass=0.15, start=arm.point_motion(HAND)[0], stiffness=800.0, damping=0.2)
    bound = BoundObjects({"arm": arm, "rope": line}, [Tie("rope", 0, "arm", HAND)], step=1e-3)
    path = bound.run(float(seconds), every=0.06)
    made = canvas(6.0, 5.0)
    axes = made.subplots()
    for k in range(0, len(path.time), 4):
        arm.put(path.time[k], path.states["arm"][k])
        joints = np.array([arm.point_motion(p)[0] for p in ("chain_0", "chain_1", HAND)])
        places = path.states["rope"][k][: 3 * len(line.masses)].reshape(-1, 3)
        fade = 0.25 + 0.75 * k / len(path.time)
        axes.plot(joints[:, 0], joints[:, 2], "o-", color=CURVE_COLOURS[0], lw=3, alpha=fade)
        axes.plot(places[:, 0], places[:, 2], ".-", color=CURVE_COLOURS[1], lw=1, ms=3, alpha=fade)
    axes.set_aspect("equal")
    dress(axes, x="x [m]", y="z [m]", title="a rope tied to an arm")
    save(made, picture)
    print(f"{path.gap.max():.1e} m apart at most; {np.linalg.norm(path.force[:, 0], axis=1).max():.1f} N at most")


if __name__ == "__main__":
    main(*sys.argv[1:])

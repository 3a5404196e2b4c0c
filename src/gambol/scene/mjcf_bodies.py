"""What acts on bodies and joints of an MJCF file unasked: air and water, compensated gravity, stops that stiffen."""

from __future__ import annotations

import numpy as np

from gambol.figure.mjcf_flags import is_off
from gambol.figure.mjcf_left_out import medium_is_still
from gambol.figure.mjcf_soft import soft_constraint
from gambol.figure.placement import Placement
from gambol.forces.drag import Drag, box_of_inertia
from gambol.forces.element import Element
from gambol.forces.joint_limit import JointLimit
from gambol.forces.point_force import PointForce
from gambol.scene.mjcf_actuation import ActuationReader

FIRM = 1.2  # how many times as stiff a stop must become for it to matter


class BodyForceReader(ActuationReader):
    """What acts on bodies as a whole."""

    def drags(self) -> list[Element]:
        """The medium, on every body that has mass and moves; lift and added mass of ellipsoids are left out."""
        model, found = self.model, list[Element]()
        if medium_is_still(model):
            return found
        medium = {"density": float(model.opt.density), "viscosity": float(model.opt.viscosity)}
        wind = tuple(float(x) for x in model.opt.wind)
        for body, (full, frame) in self.found.bodies.items():
            if not body or model.body_weldid[body] == 0 or not model.body_mass[body] > 0:
                continue
            geoms = range(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body])
            if any(model.geom_fluid[g, 0] > 0 for g in geoms):
                self.left_out.add("what the medium does to ellipsoids (fluidshape)", [full])
                continue
            at = Placement(tuple(model.body_ipos[body].tolist()), tuple(model.body_iquat[body].tolist()))
            size = box_of_inertia(float(model.body_mass[body]), tuple(model.body_inertia[body].tolist()))
            place = frame.compose(at)
            found.append(Drag(name=f"{full} drag", body=full, place=place, size=size, wind=wind, **medium))  # type: ignore[arg-type]
        return found

    def firm_stops(self) -> list[Element]:
        """What stops of joints add at violations beyond half their `width`, where they are much stiffer there."""
        model, found = self.model, list[Element]()
        for j, joint in self.found.joints.items():
            if not (model.jnt_limited[j] and self.is_plain(j)):
                continue
            numbers = (model.jnt_solref[j], model.jnt_solimp[j], float(model.dof_invweight0[model.jnt_dofadr[j]]))
            near, deep = soft_constraint(*numbers), soft_constraint(*numbers, deep=True)
            if near is None or deep is None or deep[0] < FIRM * near[0]:
                continue
            zero, play = self.zero(j), 0.5 * float(model.jnt_solimp[j, 2])
            lower, upper = (float(x) - zero for x in model.jnt_range[j])
            found.append(
                JointLimit(
                    name=f"{joint} firm stop",
                    joint=joint,
                    lower=lower - play,
                    upper=upper + play,
                    stiffness=deep[0] - near[0],
                    damping=deep[1] - near[1],
                    pulls=False,
                    line="stops",
                )
            )
        return found

    def held_up(self) -> list[Element]:
        """A force against gravity at the centre of each body whose gravity is compensated."""
        model, found = self.model, list[Element]()
        gravity = np.zeros(3) if is_off(model, "GRAVITY") else model.opt.gravity
        for body, (full, frame) in self.found.bodies.items():
            share = float(model.body_gravcomp[body])
            if body and share and model.body_weldid[body] and np.any(gravity):
                force = tuple((-share * float(model.body_mass[body]) * gravity).tolist())
                point = frame.apply(model.body_ipos[body].tolist())
                found.append(
                    PointForce(name=f"{full} held up", body=full, point=point, force=force, line="gravity held")
                )
        return found

"""What the readers of an MJCF scene share: names, joints and sites of a compiled model as they are called here."""

from __future__ import annotations

from gambol.figure.imports import LeftOut
from gambol.figure.mjcf import MjcfModel
from gambol.figure.placement import Placement
from gambol.scene.scene import Frame

MJ_FREE, MJ_BALL = 0, 1  # mjtJoint


class MjcfReader:
    """A compiled model and where its bodies and joints have gone."""

    def __init__(self, found: MjcfModel):
        self.found, self.model = found, found.model
        self.left_out: LeftOut = found.left_out

    def name(self, accessor: str, index: int) -> str:
        """As the file calls a thing, or its kind and number."""
        return str(getattr(self.model, accessor)(index).name) or f"{accessor}_{index}"

    @property
    def actuator_count(self) -> int:
        """How many actuators there are: in newer models some have several inputs."""
        return int(getattr(self.model, "nactuator", self.model.nu))

    def input_number(self, k: int) -> int:
        """Where the (first) input of an actuator stands."""
        return int(self.model.actuator_ctrladr[k]) if hasattr(self.model, "actuator_ctrladr") else k

    def zero(self, j: int) -> float:
        """MuJoCo's position of a plain joint at our zero."""
        return float(self.model.qpos0[self.model.jnt_qposadr[j]])

    def is_plain(self, j: int) -> bool:
        """Is it a hinge or a slide that was read?"""
        return j in self.found.joints and int(self.model.jnt_type[j]) not in (MJ_FREE, MJ_BALL)

    def named(self, arms: dict[int, float]) -> dict[str, float]:
        """Moment arms by the names of the joints."""
        return {self.found.joints[j]: arm for j, arm in arms.items()}

    def site(self, s: int) -> Frame | None:
        """Where a site stands; None where its body was not read."""
        model, body = self.model, int(self.model.site_bodyid[s])
        return self.frame_on(body, model.site_pos[s].tolist(), model.site_quat[s].tolist())

    def frame_on(self, body: int, position: list[float], rotation: list[float]) -> Frame | None:
        """A frame on a body of MuJoCo's."""
        if body and body not in self.found.bodies:
            return None
        full, frame = self.found.bodies[body] if body else ("", Placement())
        return Frame(full, frame.compose(Placement(tuple(position), tuple(rotation))))  # type: ignore[arg-type]

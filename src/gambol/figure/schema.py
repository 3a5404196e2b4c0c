"""The structure of figure files, as pydantic models: they check the files and give the published JSON schema.

Only structure is here (keys, types, numbers of components); meaning is checked by the figure itself. After a change,
`python -m gambol.figure.schema > figure.schema.json` publishes the schema again.
"""

import json
from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, create_model

from gambol.figure.actuators import BatteryConstants, MotorConstants
from gambol.figure.joints import BUILT_IN_TYPES
from gambol.figure.shapes import SHAPES

Number = Annotated[float, Field(allow_inf_nan=False)]
Pair = Annotated[list[Number], Field(min_length=2, max_length=2)]
Triple = Annotated[list[Number], Field(min_length=3, max_length=3)]
Four = Annotated[list[Number], Field(min_length=4, max_length=4)]
Six = Annotated[list[Number], Field(min_length=6, max_length=6)]
Indices = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=3, max_length=3)]
Parameters = Annotated[
    dict[str, Any],  # the joint's type knows which
    WithJsonSchema(
        {
            "type": "object",
            "additionalProperties": {"anyOf": [{"type": "number"}, {"type": "array", "items": {"type": "number"}}]},
        }
    ),
]
Colour = Annotated[list[Number], Field(min_length=3, max_length=4)]
Turn = Annotated[
    list[Any],
    Field(min_length=2, max_length=2),
    WithJsonSchema(
        {
            "type": "array",
            "prefixItems": [
                {
                    "anyOf": [
                        {"enum": ["x", "y", "z"]},
                        {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3},
                    ]
                },
                {"type": "number", "description": "[degrees]"},
            ],
            "minItems": 2,
            "maxItems": 2,
        }
    ),
]


class Model(BaseModel):
    """What all mappings of a file share: unknown keys are errors, and text is no number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class PlacementModel(Model):
    """Where a frame stands. One of quaternion, rotate and euler at most."""

    model_config = ConfigDict(
        json_schema_extra={
            "not": {
                "anyOf": [
                    {"required": ["quaternion", "rotate"]},
                    {"required": ["quaternion", "euler"]},
                    {"required": ["rotate", "euler"]},
                ]
            }
        }
    )
    position: Triple = Field(default=[0.0, 0.0, 0.0], description="[m]")
    quaternion: Four = Field(default=[1.0, 0.0, 0.0, 0.0], description="unit quaternion (w, x, y, z)")
    rotate: list[Turn] = Field(default=[], description="turns [axis, degrees], each about the axes turned so far")
    euler: Triple = Field(default=[0.0, 0.0, 0.0], description="roll, pitch, yaw about fixed axes x, y, z [degrees]")


def constants_model(constants: type, name: str, doc: str) -> type[Model]:
    """The structure of motors or batteries, from their dataclass."""
    kinds: dict[str, Any] = {"float": Number, "float | None": Number | None, "str": str, "int": int}
    entries: dict[str, Any] = {}
    for item in fields(constants):
        kind = Literal["voltage", "torque"] if item.name == "drive" else kinds.get(str(item.type), list[Pair])
        default = ... if item.default is MISSING else [] if item.default == () else item.default
        entries[item.name] = (kind, Field(default, description=item.metadata["about"]))
    return create_model(name, __base__=Model, __doc__=doc, **entries)


MotorModel = constants_model(
    MotorConstants, "MotorModel", "A brushed DC motor with its gear. One coordinate of a joint."
)
BatteryModel = constants_model(BatteryConstants, "BatteryModel", "A battery that motors share.")


class JointModel(Model):
    """How the body moves in its parent. Angles in radians."""

    type: Annotated[str, WithJsonSchema({"type": "string", "enum": list(BUILT_IN_TYPES)})] = "fixed"
    axis: Triple = Field(default=[0.0, 0.0, 1.0], description="unit vector in the body's frame")
    axis2: Triple = Field(
        default=[1.0, 0.0, 0.0],
        description="second axis of a universal joint, direction of the first slide of a planar one",
    )
    pitch: Number = Field(default=0.0, description="of a screw [m/rad]")
    driven: bool = Field(default=False, description="its motion is prescribed")
    stiffness: Number = Field(default=0.0, description="[N·m/rad or N/m]")
    damping: Number = Field(default=0.0, description="[N·m·s/rad or N·s/m]")
    rest: Number = Field(default=0.0, description="where the spring is slack [rad or m]")
    armature: Number = Field(default=0.0, description="[kg·m² or kg]")
    friction: Number = Field(default=0.0, description="dry [N·m or N]")
    range: Pair | None = Field(default=None, description="lower and upper limit [rad or m]")
    stop: Pair | None = Field(
        default=None, description="stiffness and damping at the ends of the range [N·m/rad, N·m·s/rad or N/m, N·s/m]"
    )
    motor: MotorModel | None = Field(default=None, description="a brushed DC motor")  # type: ignore[valid-type]
    parameters: Parameters = Field(default={}, description="what other types need: numbers and vectors by name")


class MassModel(Model):
    """Mass properties in the body's frame."""

    mass: Number = Field(description="[kg]")
    centre: Triple = Field(default=[0.0, 0.0, 0.0], description="[m]")
    inertia: Six = Field(
        default=[0.0] * 6, description="tensor about the centre, elements xx, yy, zz, xy, xz, yz [kg·m²]"
    )
    unphysical: bool = Field(default=False, description="a tensor that no real body has is meant")


class BoxModel(Model):
    """A box about its centre."""

    size: Triple = Field(description="full edge lengths [m]")


class SphereModel(Model):
    """A ball about its centre."""

    radius: Number = Field(description="[m]")


class RodModel(Model):
    """A capsule, a cylinder or a cone along z."""

    radius: Number = Field(description="[m]")
    length: Number = Field(
        description="along z; of a capsule, between the centres of its caps; of a cone, from its base to its tip [m]"
    )


class EllipsoidModel(Model):
    """An ellipsoid about its centre, along the axes."""

    radii: Triple = Field(description="semi-axes [m]")


class HullModel(Model):
    """The convex hull of points, given here or in a mesh file."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["points"]}, {"required": ["file"]}]})
    points: list[Triple] = Field(default=[], description="[m]")
    file: str = Field(default="", description="a mesh file, beside this one")
    scale: Number = Field(default=1.0, description="metres per unit of the file")


class TextureModel(Model):
    """A picture over the triangles of a mesh."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["file"]}, {"required": ["image", "uv"]}]})
    file: str = Field(default="", description="a PNG file, beside this one; the mesh file (OBJ) says how it lies")
    image: str = Field(default="", description="a PNG file in base 64")
    uv: list[Pair] = Field(
        default=[], description="of each corner of each triangle, from the left and from the top of the picture, 0 to 1"
    )


class MeshModel(Model):
    """Triangles, given here or in a mesh file."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["vertices", "faces"]}, {"required": ["file"]}]}
    )
    vertices: list[Triple] = Field(default=[], description="[m]")
    faces: list[Indices] = Field(default=[], description="vertex indices from 0, counter-clockwise from outside")
    file: str = Field(default="", description="a mesh file, beside this one")
    scale: Number = Field(default=1.0, description="metres per unit of the file")
    texture: TextureModel | None = None


class PartModel(Model):
    """A shape welded to the body. Exactly one shape."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": [kind]} for kind in SHAPES]})
    box: BoxModel | None = None
    sphere: SphereModel | None = None
    capsule: RodModel | None = None
    cylinder: RodModel | None = None
    cone: RodModel | None = None
    ellipsoid: EllipsoidModel | None = None
    hull: HullModel | None = None
    mesh: MeshModel | None = None
    name: str = ""
    placement: PlacementModel = Field(default_factory=PlacementModel, description="pose in the body's frame")
    density: Number = Field(default=1000.0, description="[kg/m³]")
    mass: Number | None = Field(default=None, description="instead of a density [kg]")
    inertial: bool = Field(default=True, description="does it have mass")
    colliding: bool = Field(default=True, description="does it touch things")
    convex: bool = Field(default=True, description="may contact treat it as its convex hull")
    visible: bool = True
    colour: Colour | None = Field(default=None, description="r, g, b and perhaps alpha, from 0 to 1")
    finish: str = Field(default="", description="how it takes light: skin, cloth, chitin, metal or rubber")


class BodyModel(Model):
    """A link with its proximal joint; the body's frame is at the joint."""

    name: str
    parent: str | None = Field(default=None, description="left out for the root, which is joined to the world")
    joint: JointModel = Field(default_factory=JointModel)
    placement: PlacementModel = Field(
        default_factory=PlacementModel, description="pose in the parent's frame at zero position"
    )
    parts: list[PartModel] = []
    mass: MassModel | None = Field(default=None, description="overrides the masses of the parts")


class FigureModel(Model):
    """A figure: a tree of bodies."""

    gambol: Literal["figure/1"] = Field(description="what this file is")
    name: str
    batteries: list[BatteryModel] = Field(default=[], description="that motors share")  # type: ignore[valid-type]
    bodies: list[BodyModel] = Field(min_length=1)


def figure_schema() -> dict[str, Any]:
    """The JSON schema of figure files, as published in `figure.schema.json`."""
    schema = FigureModel.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Gambol figure"}


if __name__ == "__main__":
    print(json.dumps(figure_schema(), indent=2, ensure_ascii=False))

"""glTF 2.0, with meshes and an animation: for Blender, game engines and the web.

Every body is a node below its parent's, with the same frame as in the figure; its parts are meshes below it. A node at
the top turns our axes (Z up, X forward) into glTF's (Y up, Z forward). Metres and seconds.
"""

from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import ExportError
from gambol.export.clip import Clip
from gambol.export.surroundings import FIELD, Surroundings
from gambol.figure import Capsule, Cone, Cylinder, Ellipsoid, Mesh, Part, Placement, Sphere
from gambol.figure.texture import Texture
from gambol.plot.surfaces import surface

UPRIGHT = [-0.5, -0.5, -0.5, 0.5]  # (x, y, z, w): takes our x, y, z to glTF's z, x, y
GREY = (0.62, 0.64, 0.68, 1.0)
ROUND = (Sphere, Capsule, Ellipsoid, Cylinder, Cone)
CREASE = 40.0  # [degrees] between triangles, above which an edge is sharp
STILL = 1e-6  # [m, or of a quaternion] what moves less does not move
LIGHTS = "KHR_lights_punctual"
COMPONENTS = {"f4": 5126, "u4": 5125, "u2": 5123}


def write_gltf(clip: Clip, path: Path, *, character: bool = False, surroundings: Surroundings | None = None) -> Path:
    """Writes a clip as .glb, or as .gltf with everything inside it; `character`: an armature with a skin."""
    try:
        import pygltflib
    except ImportError:
        raise ExportError("glTF needs pygltflib: pip install 'gambol[export]'") from None
    built = Builder(pygltflib)
    scene = built.node(name="gambol", rotation=UPRIGHT)
    for number in range(len(clip.figures)):
        if character:
            from gambol.export.gltf_skin import add_character

            built.gltf.nodes[scene].children += add_character(built, clip, number)
        else:
            built.gltf.nodes[scene].children.append(built.figure(clip, number))
    if surroundings is not None:
        built.gltf.nodes[scene].children += built.surroundings(surroundings)
    built.gltf.scenes.append(pygltflib.Scene(name="scene", nodes=[scene]))
    built.gltf.scene = 0
    built.finish()
    if path.suffix.lower() == ".glb":
        built.gltf.save_binary(str(path))
    else:
        built.gltf.convert_buffers(pygltflib.BufferFormat.DATAURI)
        built.gltf.save_json(str(path))
    return path


class Builder:
    """Gathers nodes, meshes and arrays."""

    def __init__(self, library: Any):
        self.library = library
        self.gltf = library.GLTF2(asset=library.Asset(version="2.0", generator="gambol"))
        self.blob = bytearray()
        self.meshes: dict[Any, int] = {}
        self.materials: dict[Any, int] = {}
        self.animation = library.Animation(name="motion")

    def node(self, **options: Any) -> int:
        """Adds a node; its number."""
        self.gltf.nodes.append(self.library.Node(**options))
        return len(self.gltf.nodes) - 1

    # ------------------------------------------------------------ figures
    def figure(self, clip: Clip, number: int) -> int:
        """The node of a figure, its bodies and their motion."""
        figure = clip.figures[number]
        place, turn = clip.local_poses(number)
        top = self.node(name=figure.name)
        nodes: dict[str | None, int] = {None: top}
        times = self.accessor(clip.times.astype(np.float32), "SCALAR", bounds=True) if len(clip) > 1 else None
        for k, body in enumerate(figure.order):
            turning = np.roll(turn[:, k], -1, axis=-1).astype(np.float32)  # (x, y, z, w)
            moving = place[:, k].astype(np.float32)
            own = self.node(name=body.name, translation=moving[0].tolist(), rotation=turning[0].tolist())
            nodes[body.name] = own
            self.gltf.nodes[nodes[body.parent]].children.append(own)
            for part in body.parts:
                if part.visible:
                    self.gltf.nodes[own].children.append(self.part(part, f"{body.name} {part.name}".strip()))
            if times is not None:
                self.channel(own, "translation", times, moving, "VEC3")
                self.channel(own, "rotation", times, turning, "VEC4")
        return top

    def channel(
        self, node: int, path: str, times: int, values: np.ndarray, kind: str, rest: np.ndarray | None = None
    ) -> None:
        """A motion of a node; none where it stands still (at `rest`, if that is not its first value)."""
        if np.abs(values - (values[0] if rest is None else rest)).max() < STILL:
            return
        lib = self.library
        output = self.accessor(values, kind)
        self.animation.samplers.append(lib.AnimationSampler(input=times, output=output, interpolation="LINEAR"))
        target = lib.AnimationChannelTarget(node=node, path=path)
        self.animation.channels.append(lib.AnimationChannel(sampler=len(self.animation.samplers) - 1, target=target))

    def part(self, part: Part, name: str) -> int:
        """Adds a node with the mesh of a part; its number."""
        colour = (*part.colour, 1.0)[:4] if part.colour else GREY
        key = (part.shape, colour)
        if key not in self.meshes:
            self.meshes[key] = self.mesh(part, colour)
        return self.node(name=f"{name} shape", mesh=self.meshes[key], **_at(part.placement))

    def surroundings(self, around: Surroundings) -> list[int]:
        """Nodes of the ground, a camera and a sun."""
        lib = self.library
        self.gltf.cameras.append(
            lib.Camera(type="perspective", name="camera", perspective=lib.Perspective(yfov=FIELD, znear=0.01))
        )
        sun = {"type": "directional", "name": "sun", "color": [1.0, 0.97, 0.92], "intensity": 3.0}
        self.gltf.extensionsUsed.append(LIGHTS)
        self.gltf.extensions[LIGHTS] = {"lights": [sun]}
        seen = self.node(name="camera", camera=0, **_at(around.camera))
        lit = self.node(name="sun", extensions={LIGHTS: {"light": 0}}, **_at(around.sun))
        return [self.part(around.ground, "ground"), seen, lit]

    # ------------------------------------------------------------ meshes
    def mesh(self, part: Part, colour: tuple[float, ...]) -> int:
        """Adds the triangles of a part in a colour; its number."""
        lib = self.library
        points, normals, faces = solid(part)
        attributes = lib.Attributes(
            POSITION=self.accessor(points, "VEC3", bounds=True, target=34962),
            NORMAL=self.accessor(normals, "VEC3", target=34962),
        )
        texture = texture_of(part)
        if texture is not None:
            attributes.TEXCOORD_0 = self.accessor(np.array(texture.uv, np.float32), "VEC2", target=34962)
        indices = self.accessor(faces.ravel(), "SCALAR", target=34963)
        material = self.material(colour, texture.image if texture else None)
        primitive = lib.Primitive(attributes=attributes, indices=indices, material=material)
        self.gltf.meshes.append(lib.Mesh(name=type(part.shape).__name__.lower(), primitives=[primitive]))
        return len(self.gltf.meshes) - 1

    def material(self, colour: tuple[float, ...], picture: bytes | None = None) -> int:
        """The material of a colour, or of a picture (PNG) as clear as the colour (made once); its number."""
        key = (colour[3], picture) if picture else colour
        if key not in self.materials:
            linear = [*(c**2.2 for c in colour[:3]), colour[3]]  # colours of parts are as seen; glTF counts light
            look = self.library.PbrMetallicRoughness(baseColorFactor=linear, metallicFactor=0.0, roughnessFactor=0.7)
            word = "colour_" + "_".join(f"{round(255 * c):02x}" for c in colour)
            if picture:
                look.baseColorFactor = [1.0, 1.0, 1.0, colour[3]]
                look.baseColorTexture = self.library.TextureInfo(index=self.texture(picture))
                word = f"texture_{look.baseColorTexture.index + 1}"
            mode = "BLEND" if colour[3] < 1.0 else "OPAQUE"
            self.gltf.materials.append(self.library.Material(name=word, pbrMetallicRoughness=look, alphaMode=mode))
            self.materials[key] = len(self.gltf.materials) - 1
        return self.materials[key]

    def texture(self, picture: bytes) -> int:
        """Adds a picture (PNG); the number of its texture."""
        lib, gltf = self.library, self.gltf
        if not gltf.samplers:
            gltf.samplers.append(lib.Sampler(wrapS=lib.REPEAT, wrapT=lib.REPEAT))
        view = self.view(picture)
        gltf.images.append(lib.Image(name=f"texture_{len(gltf.images) + 1}", bufferView=view, mimeType="image/png"))
        gltf.textures.append(lib.Texture(sampler=0, source=len(gltf.images) - 1))
        return len(gltf.textures) - 1

    # ------------------------------------------------------------ arrays
    def accessor(self, array: np.ndarray, kind: str, *, bounds: bool = False, target: int | None = None) -> int:
        """Adds an array to the binary blob; the number of its accessor."""
        lib = self.library
        array = np.ascontiguousarray(array)
        made = lib.Accessor(
            bufferView=self.view(array.tobytes(), target),
            componentType=COMPONENTS[array.dtype.str[1:]],
            count=len(array),
            type=kind,
        )
        if bounds:
            flat = array.reshape(len(array), -1)
            made.min, made.max = flat.min(axis=0).tolist(), flat.max(axis=0).tolist()
        self.gltf.accessors.append(made)
        return len(self.gltf.accessors) - 1

    def view(self, content: bytes, target: int | None = None) -> int:
        """Adds bytes to the binary blob; the number of their view."""
        self.blob.extend(b"\0" * (-len(self.blob) % 4))
        made = self.library.BufferView(buffer=0, byteOffset=len(self.blob), byteLength=len(content), target=target)
        self.blob.extend(content)
        self.gltf.bufferViews.append(made)
        return len(self.gltf.bufferViews) - 1

    def finish(self) -> None:
        """Closes the animation and the binary blob."""
        if self.animation.channels:
            self.gltf.animations.append(self.animation)
        self.gltf.buffers.append(self.library.Buffer(byteLength=len(self.blob)))
        self.gltf.set_binary_blob(bytes(self.blob))


def texture_of(part: Part) -> Texture | None:
    """What lies over a part; its places on it are those of the points of `solid`, one after the other."""
    return part.shape.texture if isinstance(part.shape, Mesh) else None


def _at(place: Placement) -> dict[str, list[float]]:
    w, x, y, z = place.rotation
    return {"translation": list(place.position), "rotation": [x, y, z, w]}


def solid(part: Part) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, normals and triangles of a part's shape; round shapes are smooth, others have sharp edges."""
    import trimesh

    triangles = surface(part.shape)
    mesh = trimesh.Trimesh(triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3), process=False)
    if isinstance(part.shape, ROUND):
        mesh.merge_vertices()
        mesh = trimesh.graph.smooth_shade(mesh, angle=np.radians(CREASE))
    faces = np.asarray(mesh.faces, np.uint32)
    return np.asarray(mesh.vertices, np.float32), np.asarray(mesh.vertex_normals, np.float32), faces

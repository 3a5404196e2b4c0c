"""Vectors and matrices of three dimensions, as values with operators."""

from typing import NamedTuple

from gambol.jit import function, value
from gambol.math.scalar import constant, reciprocal


@value
class Vec3(NamedTuple):
    """Three numbers (floats or packs) with operators."""

    x: float
    y: float
    z: float

    def __add__(a, b: "Vec3"):
        return Vec3(a.x + b.x, a.y + b.y, a.z + b.z)

    def __sub__(a, b: "Vec3"):
        return Vec3(a.x - b.x, a.y - b.y, a.z - b.z)

    def __mul__(a, b: "number"):
        return Vec3(a.x * b, a.y * b, a.z * b)

    def __neg__(a):
        return Vec3(-a.x, -a.y, -a.z)


@function
def zero3(like):
    """The zero vector in the number type of `like`."""
    zero = constant(like, 0.0)
    return Vec3(zero, zero, zero)


@function
def dot(a, b):
    """a · b"""
    return a.x * b.x + a.y * b.y + a.z * b.z


@function
def cross(a, b):
    """a × b"""
    return Vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


@value
class Mat3(NamedTuple):
    """3x3 matrix by columns; of a rotation, the columns are the turned axes."""

    x: Vec3
    y: Vec3
    z: Vec3

    def __add__(a, b: "Mat3"):
        return Mat3(a.x + b.x, a.y + b.y, a.z + b.z)

    def __sub__(a, b: "Mat3"):
        return Mat3(a.x - b.x, a.y - b.y, a.z - b.z)

    def __matmul__(a, b: "Vec3"):
        return a.x * b.x + a.y * b.y + a.z * b.z


@function
def identity3(like):
    """The unit matrix in the number type of `like`."""
    zero, one = constant(like, 0.0), constant(like, 1.0)
    return Mat3(Vec3(one, zero, zero), Vec3(zero, one, zero), Vec3(zero, zero, one))


@function
def product(a, b):
    """Matrix product a b."""
    return Mat3(a @ b.x, a @ b.y, a @ b.z)


@function
def transposed_times(a, v):
    """aT v."""
    return Vec3(dot(a.x, v), dot(a.y, v), dot(a.z, v))


@function
def rows(a):
    """The rows of a 3×3 matrix."""
    return (Vec3(a.x.x, a.y.x, a.z.x), Vec3(a.x.y, a.y.y, a.z.y), Vec3(a.x.z, a.y.z, a.z.z))


@function
def outer(a, b):
    """a bT."""
    return Mat3(a * b.x, a * b.y, a * b.z)


@function
def skew(v, zero):
    """The matrix [v]x with [v]x w = v x w."""
    return Mat3(Vec3(zero, v.z, -v.y), Vec3(-v.z, zero, v.x), Vec3(v.y, -v.x, zero))


@function
def turn_about_z(a, sin, cos):
    """a Rz: the frame a turned about its own z axis."""
    return Mat3(a.x * cos + a.y * sin, a.y * cos - a.x * sin, a.z)


@value
class Sym3(NamedTuple):
    """Symmetric 3x3 matrix."""

    xx: float
    yy: float
    zz: float
    xy: float
    xz: float
    yz: float

    def __add__(a, b: "Sym3"):
        return Sym3(a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz)

    def __sub__(a, b: "Sym3"):
        return Sym3(a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz)

    def __mul__(a, b: "number"):
        return Sym3(a.xx * b, a.yy * b, a.zz * b, a.xy * b, a.xz * b, a.yz * b)

    def __matmul__(a, b: "Vec3"):
        return Vec3(
            a.xx * b.x + a.xy * b.y + a.xz * b.z,
            a.xy * b.x + a.yy * b.y + a.yz * b.z,
            a.xz * b.x + a.yz * b.y + a.zz * b.z,
        )


@function
def columns(a):
    """The symmetric matrix as a full one."""
    return Mat3(Vec3(a.xx, a.xy, a.xz), Vec3(a.xy, a.yy, a.yz), Vec3(a.xz, a.yz, a.zz))


@function
def sym_outer(a, b):
    """a bT where that product is known to be symmetric."""
    return Sym3(a.x * b.x, a.y * b.y, a.z * b.z, a.x * b.y, a.x * b.z, a.y * b.z)


@function
def sym_product(a, b):
    """a bT of two matrices where that product is known to be symmetric."""
    return sym_outer(a.x, b.x) + sym_outer(a.y, b.y) + sym_outer(a.z, b.z)


@function
def rotated(R, a):
    """R a RT; the trace does not change, which saves one product."""
    r1, r2, r3 = rows(R)
    a1, a2 = a @ r1, a @ r2
    xx, yy = dot(r1, a1), dot(r2, a2)
    return Sym3(xx, yy, a.xx + a.yy + a.zz - xx - yy, dot(r2, a1), dot(r3, a1), dot(r3, a2))


@function
def inverse(a):
    """Inverse of a symmetric matrix by cofactors."""
    xx, xy, xz = a.yy * a.zz - a.yz * a.yz, a.xz * a.yz - a.xy * a.zz, a.xy * a.yz - a.xz * a.yy
    det = a.xx * xx + a.xy * xy + a.xz * xz
    return Sym3(
        xx, a.xx * a.zz - a.xz * a.xz, a.xx * a.yy - a.xy * a.xy, xy, xz, a.xy * a.xz - a.xx * a.yz
    ) * reciprocal(det)

"""Values in flat arrays: load, store and add, component by component (faster with packs than whole values)."""

from gambol.jit import function
from gambol.math.rotation import Quat
from gambol.math.scalar import load, store
from gambol.math.spatial import Inertia, Spatial
from gambol.math.vector import Mat3, Sym3, Vec3


@function
def load_vec3(W, k):
    return Vec3(load(W, k), load(W, k + 1), load(W, k + 2))


@function
def load_mat3(W, k):
    return Mat3(load_vec3(W, k), load_vec3(W, k + 3), load_vec3(W, k + 6))


@function
def load_sym3(W, k):
    return Sym3(load(W, k), load(W, k + 1), load(W, k + 2), load(W, k + 3), load(W, k + 4), load(W, k + 5))


@function
def load_quat(W, k):
    return Quat(load(W, k), load(W, k + 1), load(W, k + 2), load(W, k + 3))


@function
def load_spatial(W, k):
    return Spatial(load_vec3(W, k), load_vec3(W, k + 3))


@function
def load_inertia(W, k):
    return Inertia(load_sym3(W, k), load_mat3(W, k + 6), load_sym3(W, k + 15))


@function
def store_vec3(W, k, v):
    store(W, k, v.x)
    store(W, k + 1, v.y)
    store(W, k + 2, v.z)


@function
def store_mat3(W, k, a):
    store_vec3(W, k, a.x)
    store_vec3(W, k + 3, a.y)
    store_vec3(W, k + 6, a.z)


@function
def store_sym3(W, k, a):
    store(W, k, a.xx)
    store(W, k + 1, a.yy)
    store(W, k + 2, a.zz)
    store(W, k + 3, a.xy)
    store(W, k + 4, a.xz)
    store(W, k + 5, a.yz)


@function
def store_quat(W, k, v):
    store(W, k, v.w)
    store(W, k + 1, v.x)
    store(W, k + 2, v.y)
    store(W, k + 3, v.z)


@function
def store_spatial(W, k, a):
    store_vec3(W, k, a.ang)
    store_vec3(W, k + 3, a.lin)


@function
def store_inertia(W, k, A):
    store_sym3(W, k, A.I)
    store_mat3(W, k + 6, A.H)
    store_sym3(W, k + 15, A.M)


@function
def add_to(W, k, x):
    """W[k] += x."""
    store(W, k, load(W, k) + x)


@function
def add_vec3(W, k, v):
    add_to(W, k, v.x)
    add_to(W, k + 1, v.y)
    add_to(W, k + 2, v.z)


@function
def add_spatial(W, k, a):
    add_vec3(W, k, a.ang)
    add_vec3(W, k + 3, a.lin)


@function
def add_sym3(W, k, a):
    add_vec3(W, k, Vec3(a.xx, a.yy, a.zz))
    add_vec3(W, k + 3, Vec3(a.xy, a.xz, a.yz))


@function
def add_inertia(W, k, A):
    add_sym3(W, k, A.I)
    add_vec3(W, k + 6, A.H.x)
    add_vec3(W, k + 9, A.H.y)
    add_vec3(W, k + 12, A.H.z)
    add_sym3(W, k + 15, A.M)

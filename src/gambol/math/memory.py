"""Values in flat arrays: load, store and add, component by component (faster with packs than whole values)."""

from numba.extending import overload

from gambol.jit import INLINE, for_device, function
from gambol.math.rotation import Quat
from gambol.math.scalar import load, store
from gambol.math.spatial import Inertia, Spatial
from gambol.math.vector import Mat3, Sym3, Vec3


def keeps_in_hand(W):
    """Does a loop over the bodies of a chain keep what the next body needs, rather than load what it has just stored?

    A thread of a device does: memory is what it waits for. A processor takes several chains at once instead: packs that
    went along one were an eighth slower.
    """
    return False


@overload(keeps_in_hand, jit_options=INLINE)
def _keeps_in_hand(W):
    keeps = for_device()
    return lambda W: keeps


@function
def load_vec3(W, k):
    """Three numbers from place k of W on."""
    return Vec3(load(W, k), load(W, k + 1), load(W, k + 2))


@function
def load_mat3(W, k):
    """A 3×3 matrix by its columns, from place k of W on."""
    return Mat3(load_vec3(W, k), load_vec3(W, k + 3), load_vec3(W, k + 6))


@function
def load_sym3(W, k):
    """A symmetric matrix (xx, yy, zz, xy, xz, yz) from place k of W on."""
    return Sym3(load(W, k), load(W, k + 1), load(W, k + 2), load(W, k + 3), load(W, k + 4), load(W, k + 5))


@function
def load_quat(W, k):
    """A quaternion (w, x, y, z) from place k of W on."""
    return Quat(load(W, k), load(W, k + 1), load(W, k + 2), load(W, k + 3))


@function
def load_spatial(W, k):
    """A spatial vector, angular part first, from place k of W on."""
    return Spatial(load_vec3(W, k), load_vec3(W, k + 3))


@function
def load_inertia(W, k):
    """A spatial inertia (I, H, M: 21 numbers) from place k of W on."""
    return Inertia(load_sym3(W, k), load_mat3(W, k + 6), load_sym3(W, k + 15))


@function
def store_vec3(W, k, v):
    """Writes three numbers from place k of W on."""
    store(W, k, v.x)
    store(W, k + 1, v.y)
    store(W, k + 2, v.z)


@function
def store_mat3(W, k, a):
    """Writes a 3×3 matrix by its columns from place k of W on."""
    store_vec3(W, k, a.x)
    store_vec3(W, k + 3, a.y)
    store_vec3(W, k + 6, a.z)


@function
def store_sym3(W, k, a):
    """Writes a symmetric matrix (xx, yy, zz, xy, xz, yz) from place k of W on."""
    store(W, k, a.xx)
    store(W, k + 1, a.yy)
    store(W, k + 2, a.zz)
    store(W, k + 3, a.xy)
    store(W, k + 4, a.xz)
    store(W, k + 5, a.yz)


@function
def store_quat(W, k, v):
    """Writes a quaternion (w, x, y, z) from place k of W on."""
    store(W, k, v.w)
    store(W, k + 1, v.x)
    store(W, k + 2, v.y)
    store(W, k + 3, v.z)


@function
def store_spatial(W, k, a):
    """Writes a spatial vector, angular part first, from place k of W on."""
    store_vec3(W, k, a.ang)
    store_vec3(W, k + 3, a.lin)


@function
def store_inertia(W, k, A):
    """Writes a spatial inertia (I, H, M: 21 numbers) from place k of W on."""
    store_sym3(W, k, A.I)
    store_mat3(W, k + 6, A.H)
    store_sym3(W, k + 15, A.M)


@function
def add_to(W, k, x):
    """W[k] += x."""
    store(W, k, load(W, k) + x)


@function
def add_vec3(W, k, v):
    """Adds a vector to three numbers of W."""
    add_to(W, k, v.x)
    add_to(W, k + 1, v.y)
    add_to(W, k + 2, v.z)


@function
def add_spatial(W, k, a):
    """Adds a spatial vector to six numbers of W."""
    add_vec3(W, k, a.ang)
    add_vec3(W, k + 3, a.lin)


@function
def add_sym3(W, k, a):
    """Adds a symmetric matrix to six numbers of W."""
    add_vec3(W, k, Vec3(a.xx, a.yy, a.zz))
    add_vec3(W, k + 3, Vec3(a.xy, a.xz, a.yz))


@function
def add_inertia(W, k, A):
    """Adds a spatial inertia to 21 numbers of W."""
    add_sym3(W, k, A.I)
    add_vec3(W, k + 6, A.H.x)
    add_vec3(W, k + 9, A.H.y)
    add_vec3(W, k + 12, A.H.z)
    add_sym3(W, k + 15, A.M)

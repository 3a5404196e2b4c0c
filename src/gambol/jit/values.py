"""Values with operators, for jitted code."""

import operator

from numba import types
from numba.extending import overload

from gambol.jit.options import INLINE, NUMBER_TYPES

_OPERATORS = dict(
    __add__=operator.add,
    __sub__=operator.sub,
    __mul__=operator.mul,
    __matmul__=operator.matmul,
    __neg__=operator.neg,
)


def value(cls):
    """Class decorator: lets jitted code use the operators that a NamedTuple defines.

    The annotation of the right operand says what the operator takes: a class by name, or `number` for a float
    or a pack.
    """
    cls.__array_ufunc__ = None  # un-jitted `ndarray * value` must not broadcast over the tuple
    for name, operator_ in _OPERATORS.items():
        method = cls.__dict__.get(name)
        if method is not None:
            _overload_operator(cls, operator_, method)
    return cls


def _overload_operator(cls, operator_, method):
    def accepts(kind, wanted):
        if wanted == "number":
            return isinstance(kind, tuple(NUMBER_TYPES))
        if not isinstance(kind, types.BaseNamedTuple):
            return False
        other = kind.instance_class
        return (other.__module__, other.__name__) == (cls.__module__, wanted)

    wanted = [cls.__name__, *method.__annotations__.values()]
    if len(wanted) == 1:

        def typing(a):
            return method if accepts(a, wanted[0]) else None
    else:

        def typing(a, b):  # type: ignore[misc]
            return method if accepts(a, wanted[0]) and accepts(b, wanted[1]) else None

    overload(operator_, strict=False, jit_options=INLINE)(typing)

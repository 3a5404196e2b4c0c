"""Tuples handed on by reference: fields, tuples in tuples, one after the other in one place, references counted."""

import sys
from typing import NamedTuple

import numpy as np
import pytest

from gambol.jit import JIT_ON, entry, fetch, function, outlined, reference

pytestmark = pytest.mark.nojit


class Inner(NamedTuple):
    values: np.ndarray
    factor: float


class Outer(NamedTuple):
    inner: Inner
    start: np.ndarray
    count: int


@outlined
def total(outer):
    found = outer.start[0]
    for k in range(outer.count):
        found += outer.inner.factor * outer.inner.values[k]
    return found


@function
def of_both(first, second):
    return total(first) - total(second)


@entry
def add_up(outer):
    return total(reference(outer))


@entry
def rows_in_turn(table, out):
    """Each turn lays another tuple into the same place of the stack."""
    for k in range(table.shape[0]):
        outer = reference(Outer(Inner(table[k], 1.0 + k), table[k, 1:], table.shape[1]))
        out[k] = total(outer)
        table[k, 0] = -1.0  # what the arrays hold may change; what lies there does not
        out[k] += total(outer)


@entry
def two_at_once(a, b):
    first, second = reference(a), reference(b)
    return of_both(first, second)


@entry
def through_a_tuple(outer):
    inner = reference(outer)
    same, again = fetch(reference((inner, reference(inner))))  # a reference to a reference is that reference
    return total(same) - total(again)


def outer(values, factor=2.0, start=0.5):
    return Outer(Inner(np.array(values, float), factor), np.array([start]), len(values))


def test_fields_of_tuples_in_tuples():
    assert add_up(outer([1, 2, 3])) == 12.5


def test_what_is_laid_down_anew_is_what_is_read():
    table, out = np.arange(12.0).reshape(4, 3), np.zeros(4)
    expected = []
    for k, row in enumerate(table.copy()):
        before = row[1] + (1 + k) * row.sum()
        expected.append(before + row[1] + (1 + k) * (row[1:].sum() - 1))
    rows_in_turn(table, out)
    assert out.tolist() == expected


def test_two_at_once_are_told_apart():
    assert two_at_once(outer([1, 2]), outer([1, 5], start=0.25)) == -5.75
    assert through_a_tuple(outer([1, 2])) == 0.0


@pytest.mark.skipif(not JIT_ON, reason="counts of compiled code")
def test_no_reference_to_an_array_is_lost_or_kept():
    given = outer(range(5))
    before = [sys.getrefcount(a) for a in (given.inner.values, given.start)]
    for _ in range(1000):
        add_up(given)
    assert [sys.getrefcount(a) for a in (given.inner.values, given.start)] == before

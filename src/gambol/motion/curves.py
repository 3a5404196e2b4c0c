"""Measured positions as a smooth curve in time, with speeds and accelerations."""

from __future__ import annotations

import numpy as np

from gambol.figure.figure import Figure
from gambol.motion.data import refuse
from gambol.motion.turning import continuous_positions, rates_of


class MotionCurve:
    """Positions (frames, positions) of a figure at times [s] as a curve: quintic splines, smoothed before.

    cutoff   [Hz] of a low-pass filter (Butterworth's of fourth order, forth and back: no delay); None: none
    """

    def __init__(self, figure: Figure, time: np.ndarray, q: np.ndarray, *, cutoff: float | None = None):
        from scipy.interpolate import make_interp_spline

        time, q = np.asarray(time, float), np.asarray(q, float)
        if q.shape != (len(time), figure.positions):
            raise refuse(f"positions must have shape ({len(time)}, {figure.positions}), not {q.shape}", figure.name)
        if len(time) < 2:
            raise refuse("a single frame is no motion: it has no speeds")
        if not np.all(np.isfinite(q)):
            first = float(time[int(np.argmax(~np.isfinite(q).all(axis=1)))])
            raise refuse(f"positions are not finite at t = {first:g} s", figure.name)
        self.figure, self.start, self.end = figure, float(time[0]), float(time[-1])
        q = continuous_positions(figure, q)
        if cutoff is not None:
            q = continuous_positions(figure, low_passed(time, q, cutoff))
        degree = min(5, len(time) - 1)
        degree -= 1 - degree % 2  # odd, so that knots lie on frames
        self._q = make_interp_spline(time, q, k=degree)
        self._v = self._q.derivative()
        self._a = self._v.derivative() if degree > 1 else None

    def at(self, time: float | np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, speeds and accelerations at a time [s], or a row each for several; it stands still outside."""
        asked = np.atleast_1d(np.asarray(time, float))
        t = np.clip(asked, self.start, self.end)
        q, first = self._q(t), self._v(t)
        second = self._a(t) if self._a is not None else np.zeros_like(q)
        outside = (asked < self.start - 1e-9) | (asked > self.end + 1e-9)
        first[outside], second[outside] = 0.0, 0.0
        figure = self.figure
        v, a = np.zeros((len(t), figure.speeds)), np.zeros((len(t), figure.speeds))
        for body in figure.order:
            where, by = figure.position_slices[body.name], figure.speed_slices[body.name]
            v[:, by], a[:, by] = rates_of(body, q[:, where], first[:, where], second[:, where])
        q = continuous_positions(figure, q)
        return (q, v, a) if np.ndim(time) else (q[0], v[0], a[0])


def low_passed(time: np.ndarray, values: np.ndarray, cutoff: float) -> np.ndarray:
    """Columns without what is faster than `cutoff` [Hz]."""
    from scipy.signal import butter, sosfiltfilt

    steps = np.diff(time)
    rate = 1.0 / float(np.median(steps))
    if np.ptp(steps) > 0.01 / rate:
        raise refuse("frames must be even in time to be filtered: resample the motion, or give no cutoff")
    if not 0 < cutoff < 0.5 * rate:
        raise refuse(f"the cutoff must lie between 0 and half the rate of frames, {0.5 * rate:g} Hz; it is {cutoff:g}")
    sections = butter(2, cutoff, fs=rate, output="sos")
    pad = min(len(time) - 1, int(3 * rate / cutoff))
    return sosfiltfilt(sections, values, axis=0, padlen=pad)

"""Postures: control states, calibration, support, balance, inverse kinematics."""

"""Worlds: figures and their surroundings, compiled and run."""

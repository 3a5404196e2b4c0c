"""Scenes: what a model file holds beside its figures, as elements, constraints and start poses of a world."""

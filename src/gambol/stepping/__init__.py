"""Steppers, step-size control and event location; the same code for one world and for packs of worlds."""

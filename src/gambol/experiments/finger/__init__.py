"""Armstrong & Green 1985: linear-time dynamics in hinge coordinates, in two bands; the tapping finger."""

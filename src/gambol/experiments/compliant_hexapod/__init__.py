"""Experiments of Saranli & Buehler, "Modeling and Analysis of a Spatial Compliant Hexapod" (section 5)."""

"""Hybrid systems: smooth motion on charts, events at their boundaries, transitions between them."""

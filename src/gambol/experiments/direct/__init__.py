"""Figures that go where they are told."""

"""Figures that go where they are told: orders, what steers each kind of legs, scripts."""

"""Breakers: what tries to make readers crash, runs grow and recordings lie. Bounded in the suite, long by command."""

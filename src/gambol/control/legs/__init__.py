"""Gaits of many legs: motor programs, pacemakers, oscillators, reflexes."""
